//! Forgetting what was asked for a run that keeps nothing: who decided what, and when, stays; what it was about goes.
//!
//! What a run changed is not touched: that is its work. It must not undo or decide anything.

use premath_kernel::Object;
use rusqlite::params;

use super::database::Desk;
use crate::error::StoreError;

impl Desk {
    /// Takes the payloads out of every question and every plan of a run, and out of the file.
    ///
    /// # Errors
    /// A database that failed.
    pub fn forget_payloads(&self, run_id: &str) -> Result<(), StoreError> {
        let nothing =
            String::from_utf8_lossy(&premath_kernel::encode(&Object::fields().finish())).into_owned();
        let forgotten = self.write(|writing| {
            let questions = "UPDATE approvals SET arguments = ?2, targets = '[]', diff = NULL, reason = '',
                   message = NULL, state = CASE WHEN state IN ('pending', 'approved') THEN 'expired' ELSE state END
                 WHERE run_id = ?1";
            writing.transaction.execute(questions, params![run_id, nothing])?;
            let plans = "UPDATE proposals SET goal = '', rollback = '', steps = '[]', message = NULL, results = '[]',
                   state = CASE WHEN state IN ('pending', 'approved') THEN 'expired' ELSE state END
                 WHERE run_id = ?1";
            writing.transaction.execute(plans, params![run_id])?;
            let said = "UPDATE messages SET text = '', unfinished = '' WHERE run_id = ?1";
            writing.transaction.execute(said, params![run_id])?;
            Ok(Ok(()))
        })?;
        // Nothing in there refuses.
        drop(forgotten);
        self.settle()
    }
}
