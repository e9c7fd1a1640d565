//! Receipts of the audit log: the ids of rows that one caller had written, so that its answer can cite them.
//!
//! A receipt is a reference and proves nothing by itself. It must not hold what a row says.

use std::sync::{Arc, Mutex, PoisonError};

/// The ids of audit rows, shared by every log that writes for one call.
#[derive(Debug, Clone, Default)]
pub struct AuditReceipts(Arc<Mutex<Vec<String>>>);

impl AuditReceipts {
    /// Adds the ids of rows that were written.
    pub(super) fn add<'r>(&self, ids: impl Iterator<Item = &'r str>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.extend(ids.map(str::to_owned));
    }

    /// The rows that were written since the last time, as `audit://…`, in order.
    #[must_use]
    pub fn take_references(&self) -> Vec<String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.drain(..).map(|id| format!("audit://{id}")).collect()
    }
}
