//! Whether a provider may be asked now: what its last failures say, kept per provider.
//!
//! The rules are pure and told the time. It must not read a clock, wait, or choose a provider.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use premath_kernel::Moment;

use super::error::{ModelError, ModelErrorKind};

/// The longest a provider can ask us to stay away: what it says beyond that is a mistake of its clock or of ours.
pub const LONGEST_COOLING: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a rate limit cools that does not say for how long.
pub const RATE_LIMIT_COOLING: Duration = Duration::from_secs(60);
/// How long a provider cools that failed too often in a row.
pub const OUTAGE_COOLING: Duration = Duration::from_secs(30);
/// From which failure in a row on it does.
pub const OUTAGE_FAILURES: u64 = 3;

/// What is known about one provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Circuit {
    /// It is not to be asked before this moment.
    pub cooling_until: Option<Moment>,
    /// What it cools because of.
    pub because: Option<ModelErrorKind>,
    /// How often in a row it failed through no fault of the request: rate limits, outages, time-outs.
    pub consecutive_failures: u64,
    /// When it last failed, in whatever way.
    pub last_failure: Option<Moment>,
    /// When an answer was last complete.
    pub last_success: Option<Moment>,
}

impl Circuit {
    /// What is known after a failure. A cooling is never cut short by another failure: two requests may fail at once,
    /// and only one of them was told how long to wait.
    #[must_use]
    pub fn after_failure(&self, error: &ModelError, now: Moment) -> Self {
        let consecutive_failures = self.consecutive_failures.saturating_add(counts(error.kind));
        let known = Self { consecutive_failures, last_failure: Some(now), ..*self };
        let Some(cooling) = cooling_after(error, consecutive_failures) else { return known };
        let until = later(now, cooling);
        match self.cooling_until {
            Some(longer) if longer >= until && self.is_cooling(now) => known,
            Some(_) | None => Self { cooling_until: Some(until), because: Some(error.kind), ..known },
        }
    }

    /// What is known after a complete answer. It does not end a cooling that still runs: the answer was asked for before
    /// the provider told somebody else to stay away.
    #[must_use]
    pub fn after_success(&self, now: Moment) -> Self {
        let known = Self { consecutive_failures: 0, last_success: Some(now), ..*self };
        if self.is_cooling(now) { known } else { Self { cooling_until: None, because: None, ..known } }
    }

    /// Whether the provider is to be passed over now. An end further away than any cooling can be was written under
    /// another clock and does not count, or a clock set back would lock a provider out for ever.
    #[must_use]
    pub fn is_cooling(&self, now: Moment) -> bool {
        self.cooling_until.is_some_and(|until| until > now && until <= later(now, LONGEST_COOLING))
    }
}

fn counts(kind: ModelErrorKind) -> u64 {
    match kind {
        ModelErrorKind::RateLimit
        | ModelErrorKind::Timeout
        | ModelErrorKind::Unavailable
        | ModelErrorKind::Overloaded => 1,
        ModelErrorKind::Authentication
        | ModelErrorKind::Model
        | ModelErrorKind::ContextLength
        | ModelErrorKind::Unknown => 0,
    }
}

fn cooling_after(error: &ModelError, consecutive_failures: u64) -> Option<Duration> {
    // A waiting time beside a fault of the request is not about the provider, and others may go on asking it.
    if let (Some(asked), 1..) = (error.retry_after, counts(error.kind)) {
        return Some(asked.min(LONGEST_COOLING));
    }
    match error.kind {
        ModelErrorKind::RateLimit => Some(RATE_LIMIT_COOLING),
        ModelErrorKind::Timeout | ModelErrorKind::Unavailable | ModelErrorKind::Overloaded => {
            (consecutive_failures >= OUTAGE_FAILURES).then_some(OUTAGE_COOLING)
        }
        ModelErrorKind::Authentication
        | ModelErrorKind::Model
        | ModelErrorKind::ContextLength
        | ModelErrorKind::Unknown => None,
    }
}

fn later(now: Moment, wait: Duration) -> Moment {
    let nanos = u64::from(now.nanos()) + u64::from(wait.subsec_nanos());
    let carried = nanos / 1_000_000_000;
    let seconds = i64::try_from(wait.as_secs().saturating_add(carried)).unwrap_or(i64::MAX);
    let rest = u32::try_from(nanos % 1_000_000_000).unwrap_or_default();
    let moved = now.plus_seconds(seconds);
    Moment::new(moved.seconds(), rest).unwrap_or(moved)
}

/// Where circuits are kept, for everybody who asks the same providers.
pub trait CircuitStore: Debug + Send + Sync {
    /// Every provider about which something is known.
    ///
    /// # Errors
    /// What is kept cannot be read.
    fn all(&self) -> Result<BTreeMap<String, Circuit>, CircuitError>;

    /// Changes what is known about one provider, with nobody else's change between reading and writing, and says what is
    /// known then. `change` may be called again when the first attempt to write lost a race.
    ///
    /// # Errors
    /// What is kept cannot be read or written.
    fn record(
        &self,
        provider: &str,
        change: &mut dyn FnMut(Circuit) -> Circuit,
    ) -> Result<Circuit, CircuitError>;
}

/// Why a store of circuits failed.
#[derive(Debug, thiserror::Error)]
pub enum CircuitError {
    /// It cannot be read.
    #[error("the state of the providers cannot be read")]
    Read {
        /// Why.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// It cannot be written.
    #[error("the state of provider `{provider}` cannot be written")]
    Write {
        /// The provider.
        provider: String,
        /// Why.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
}

/// Circuits of one process.
#[derive(Debug, Default)]
pub struct MemoryCircuits(Mutex<BTreeMap<String, Circuit>>);

impl CircuitStore for MemoryCircuits {
    fn all(&self) -> Result<BTreeMap<String, Circuit>, CircuitError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn record(
        &self,
        provider: &str,
        change: &mut dyn FnMut(Circuit) -> Circuit,
    ) -> Result<Circuit, CircuitError> {
        let mut circuits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = change(circuits.get(provider).copied().unwrap_or_default());
        circuits.insert(provider.to_owned(), changed);
        Ok(changed)
    }
}

#[cfg(test)]
mod tests;
