//! A point in time, as the caller read it from a clock or a row.
//!
//! Only ordered and moved. Must not parse or print a time, nor ask what time it is.

/// Nanoseconds in a second.
const NANOS_PER_SECOND: u32 = 1_000_000_000;

/// Seconds and nanoseconds since 1970-01-01T00:00:00Z. Earlier times have negative seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    // INVARIANT: the order of the fields is the order in time.
    seconds: i64,
    nanos: u32,
}

impl Moment {
    /// 1970-01-01T00:00:00Z
    pub const EPOCH: Self = Self { seconds: 0, nanos: 0 };

    /// None when `nanos` is a second or more.
    #[must_use]
    pub const fn new(seconds: i64, nanos: u32) -> Option<Self> {
        if nanos < NANOS_PER_SECOND { Some(Self { seconds, nanos }) } else { None }
    }

    /// Whole seconds since the epoch, rounded down.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        self.seconds
    }

    /// What comes on top of the whole seconds.
    #[must_use]
    pub const fn nanos(self) -> u32 {
        self.nanos
    }

    /// This moment moved by `seconds`, held at the ends of what can be written.
    #[must_use]
    pub const fn plus_seconds(self, seconds: i64) -> Self {
        Self { seconds: self.seconds.saturating_add(seconds), nanos: self.nanos }
    }
}

#[cfg(test)]
mod tests;
