//! The clock that time-outs and durations are measured with. It must not be used for dates.

#![expect(
    clippy::disallowed_methods,
    reason = "a running process is timed by the monotonic clock, nothing else"
)]

use std::time::Instant;

/// Now, on the monotonic clock.
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Waits a moment for something that cannot wake us.
pub(crate) fn pause(moment: std::time::Duration) {
    std::thread::sleep(moment);
}
