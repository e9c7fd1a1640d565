//! How long the looks at issue memory took that were made last.
//!
//! Only those are timed that read issue memory and nothing else: they wait for nobody. It must not call anything quick that was
//! never made, or that was slow when it was last made.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use premath_host::{ACTIONS, Door};
use tokio::time::Instant;

/// What takes no longer than this may be made by whoever holds a conversation.
const QUICK: Duration = Duration::from_millis(1);

/// The looks, and how long each took last.
#[derive(Debug)]
pub(crate) struct Pace(Mutex<BTreeMap<&'static str, Option<Duration>>>);

impl Default for Pace {
    fn default() -> Self {
        let is_look = |name: &str| name.starts_with("issue.") || name.starts_with("dep.");
        let looks = ACTIONS.iter().filter(|action| action.door == Door::Read && is_look(action.name));
        Self(Mutex::new(looks.map(|action| (action.name, None)).collect()))
    }
}

impl Pace {
    /// Whether an action took next to no time when it was last called.
    pub(crate) fn is_quick(&self, action: &str) -> bool {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(action).copied().flatten();
        last.is_some_and(|last| last <= QUICK)
    }

    /// Calls an action, and remembers how long that took.
    pub(crate) fn timed<T>(&self, action: &str, call: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let answer = call();
        self.took(action, begun.elapsed());
        answer
    }

    fn took(&self, action: &str, time: Duration) {
        if let Some(last) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get_mut(action) {
            *last = Some(time);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Pace;

    #[test]
    fn only_looks_at_issue_memory_that_were_quick_last_are_quick() {
        let pace = Pace::default();
        assert!(!pace.is_quick("issue.ready"), "nobody knows yet");
        pace.took("issue.ready", Duration::from_micros(20));
        assert!(pace.is_quick("issue.ready"));
        pace.took("issue.ready", Duration::from_millis(3));
        assert!(!pace.is_quick("issue.ready"));
        for other in ["issue.add", "scheme.eval", "instruction.check"] {
            pace.took(other, Duration::from_micros(20));
            assert!(!pace.is_quick(other), "{other}");
        }
    }
}
