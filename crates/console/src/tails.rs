//! Runs as they are followed: one reader for each run that somebody watches, whoever drives it, and pages that all share.
//!
//! The journal on the disk is the truth: it is read behind a cursor, again and again, and at once when a run of this server
//! says that something happened. A client has a place of its own in it and takes page after page; what the shared pages have
//! no more it reads from the disk. So no client holds another up, and none misses a row. It must not keep a queue for a client.

mod pages;
mod reader;
mod stream;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use premath_bd::Cursor;
use tokio::sync::{Notify, watch};

use self::pages::{Page, Pages};
pub(crate) use self::stream::events;
use crate::failure::Failure;
use crate::state::AppState;

/// The runs that are followed.
#[derive(Debug, Default)]
pub(crate) struct Tails(Mutex<BTreeMap<String, Arc<Tail>>>);

/// One run that is followed.
#[derive(Debug)]
pub(crate) struct Tail {
    run_id: String,
    wake: Notify,
    pages: Mutex<Pages>,
    news: watch::Sender<Head>,
}

/// How far a run was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Head {
    /// The last row.
    pub(crate) seq: u64,
    /// Whether the run has stopped there.
    pub(crate) has_stopped: bool,
    /// Why nothing more is read.
    pub(crate) failure: Option<Arc<Failure>>,
}

impl Tails {
    fn all(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Tail>>> {
        // Whole entries go in and out under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something may have happened in a run.
    pub(crate) fn wake(&self, run_id: &str) {
        if let Some(tail) = self.all().get(run_id) {
            tail.wake.notify_one();
        }
    }

    /// The run as it is followed, from some place on; a reader begins where there is none.
    fn join(&self, state: &AppState, run_id: &str, from: Cursor) -> Arc<Tail> {
        let mut all = self.all();
        if let Some(tail) = all.get(run_id) {
            return Arc::clone(tail);
        }
        let (news, _) = watch::channel(Head { seq: from.seq(), ..Head::default() });
        let (run_id, wake) = (run_id.to_owned(), Notify::new());
        let tail = Arc::new(Tail { run_id: run_id.clone(), wake, pages: Mutex::default(), news });
        all.insert(run_id, Arc::clone(&tail));
        tokio::spawn(reader::read(state.clone(), Arc::clone(&tail), from));
        tail
    }

    /// Ends a reader that nobody needs: whether it may go.
    fn leave_unless_followed(&self, tail: &Arc<Tail>) -> bool {
        let mut all = self.all();
        // One is the list's, one the reader's.
        if Arc::strong_count(tail) > 2 {
            return false;
        }
        all.remove(&tail.run_id);
        true
    }

    /// A reader that reads no more.
    fn leave(&self, tail: &Tail) {
        self.all().remove(&tail.run_id);
    }
}

impl Tail {
    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The shared page with the row behind this one, where there still is one.
    fn page_behind(&self, seq: u64) -> Option<Arc<Page>> {
        self.pages().behind(seq)
    }
}
