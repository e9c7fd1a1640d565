//! Secrets of the runs of one process while they wait for an answer: a run that goes on here finds them again.
//!
//! In memory only. A run that goes on in another process finds none, and its call ends with `secret_gone`. It must not keep
//! secrets beyond the question that the run waits for.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use premath_kernel::Moment;
use premath_tusk::turn_loop::RunSecrets;

/// Secrets of waiting runs, by run.
#[derive(Debug, Default)]
pub struct SecretVault {
    waiting: Mutex<BTreeMap<String, (Moment, Arc<RunSecrets>)>>,
}

impl SecretVault {
    /// Holds the secrets of a run that waits, until its question has expired.
    pub(super) fn hold(&self, run_id: &str, secrets: Arc<RunSecrets>, now: Moment, until: Moment) {
        let mut waiting = self.waiting();
        waiting.retain(|_, (until, _)| *until > now);
        if !secrets.is_empty() {
            waiting.insert(run_id.to_owned(), (until, secrets));
        }
    }

    /// The secrets of a run that goes on.
    pub(super) fn take(&self, run_id: &str, now: Moment) -> Option<Arc<RunSecrets>> {
        let mut waiting = self.waiting();
        waiting.retain(|_, (until, _)| *until > now);
        waiting.remove(run_id).map(|(_, secrets)| secrets)
    }

    fn waiting(&self) -> MutexGuard<'_, BTreeMap<String, (Moment, Arc<RunSecrets>)>> {
        // Whole entries go in and out under the lock.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
