//! Time and names as a test wants them. Nothing here reads the system.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use premath_bd::{Clock, IdSource};
use premath_kernel::Moment;

/// A clock that stands still until it is set. Clones are the same clock.
#[derive(Debug, Clone)]
pub struct TestClock(Arc<Mutex<Moment>>);

impl TestClock {
    /// A clock that shows this moment.
    #[must_use]
    pub fn at(now: Moment) -> Self {
        Self(Arc::new(Mutex::new(now)))
    }

    /// Shows another moment from now on, earlier or later.
    pub fn set(&self, now: Moment) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }

    /// Moves by so many seconds, forwards or backwards.
    pub fn advance(&self, seconds: i64) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now = now.plus_seconds(seconds);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Moment {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Names that are counted: `test-1`, `test-2`, … Clones count together.
#[derive(Debug, Clone)]
pub struct CountingIds {
    prefix: String,
    given: Arc<AtomicU64>,
}

impl CountingIds {
    /// Names that begin so.
    #[must_use]
    pub fn new(prefix: &str) -> Self {
        Self { prefix: prefix.to_owned(), given: Arc::default() }
    }
}

impl Default for CountingIds {
    fn default() -> Self {
        Self::new("test")
    }
}

impl IdSource for CountingIds {
    fn fresh(&self) -> String {
        format!("{}-{}", self.prefix, self.given.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

#[cfg(test)]
mod tests;
