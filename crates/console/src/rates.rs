//! How often somebody may ask: one bucket for each kind of request, filled as time passes.
//!
//! Time is the event loop's, which tests can stop. It must not be asked before it is known who asks.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::options::Limits;

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rate {
    /// It only reads.
    Read,
    /// It changes something.
    Change,
    /// It gives the assistant work.
    Chat,
    /// It begins or changes conversations.
    Conversation,
    /// It does not show the token.
    Stranger,
}

/// A bucket for each.
#[derive(Debug)]
pub(crate) struct Rates {
    read: Mutex<Bucket>,
    change: Mutex<Bucket>,
    chat: Mutex<Bucket>,
    conversation: Mutex<Bucket>,
    stranger: Mutex<Bucket>,
}

impl Rates {
    pub(crate) fn new(limits: &Limits, now: Instant) -> Self {
        let bucket = |per_minute| Mutex::new(Bucket::new(per_minute, now));
        Self {
            read: bucket(limits.reads_per_minute),
            change: bucket(limits.changes_per_minute),
            chat: bucket(limits.chats_per_minute),
            conversation: bucket(limits.conversations_per_minute),
            stranger: bucket(limits.strangers_per_minute),
        }
    }

    /// Takes one; how long to wait for it where there is none.
    pub(crate) fn take(&self, rate: Rate, now: Instant) -> Result<(), Duration> {
        let bucket = match rate {
            Rate::Read => &self.read,
            Rate::Change => &self.change,
            Rate::Chat => &self.chat,
            Rate::Conversation => &self.conversation,
            Rate::Stranger => &self.stranger,
        };
        // Whole numbers under a lock: nothing can have gone wrong half way.
        bucket.lock().unwrap_or_else(PoisonError::into_inner).take(now)
    }
}

/// So many a minute, and no more than that at once. Counted in the time that one of them takes.
#[derive(Debug)]
struct Bucket {
    /// How long one takes to come back.
    each: Duration,
    /// How long all of them take.
    whole: Duration,
    /// When it will be full again.
    full_at: Instant,
}

impl Bucket {
    fn new(per_minute: u32, now: Instant) -> Self {
        let whole = Duration::from_secs(60);
        Self { each: whole / per_minute.max(1), whole, full_at: now }
    }

    fn take(&mut self, now: Instant) -> Result<(), Duration> {
        let full_at = self.full_at.max(now) + self.each;
        let owed = full_at.duration_since(now);
        if owed > self.whole {
            return Err(owed - self.whole);
        }
        self.full_at = full_at;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
