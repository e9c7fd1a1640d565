//! Times as a person says them: how long ago, how soon. The clock is the caller's.

use premath_kernel::Moment;
use premath_wire::time::parse_time;

use super::plain;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// `3 min ago`, `in 2 h`, or the date when it is long ago. What cannot be read is shown as it is.
pub(crate) fn relative(text: &str, now: Moment) -> String {
    let Some(moment) = parse_time(text) else { return plain(text) };
    let past = now.seconds().saturating_sub(moment.seconds());
    match past.unsigned_abs() {
        0..=4 => "just now".to_owned(),
        _ if past.abs() >= 60 * DAY => plain(text.get(..10).unwrap_or(text)),
        _ if past > 0 => format!("{} ago", span(past)),
        _ => format!("in {}", span(past.saturating_neg())),
    }
}

/// `12 s`, `3 min`, `5 h`, `4 d`: rounded down.
pub(crate) fn span(seconds: i64) -> String {
    match seconds {
        ..MINUTE => format!("{seconds} s"),
        MINUTE..HOUR => format!("{} min", seconds / MINUTE),
        HOUR..=172_799 => format!("{} h", seconds / HOUR),
        _ => format!("{} d", seconds / DAY),
    }
}

#[cfg(test)]
mod tests;
