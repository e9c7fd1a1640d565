//! The harness lanes as a person reads them: who works on what, how far it is, how it went.

mod feature;
mod kpi;
mod session;
mod trajectory;

use premath_wire::v1::LineWarning;

use super::plain;
use crate::output::{DIM, STRONG, WARN};

pub(crate) use self::feature::{feature_written, ledger, ledger_checked, next_feature};
pub(crate) use self::kpi::{kpi, remediated};
pub(crate) use self::session::{bootstrap, session};
pub(crate) use self::trajectory::{appended, projection};

/// A name and what it stands for, under each other.
pub(crate) fn line(text: &mut String, name: &str, value: &str) {
    // A name that fills its column is followed by a space all the same.
    text.push_str(&format!("  {DIM}{name:<12} {DIM:#}{value}\n"));
}

/// The same where there is something to say.
pub(crate) fn optional(text: &mut String, name: &str, value: Option<&String>) {
    if let Some(value) = value {
        line(text, name, &plain(value));
    }
}

/// One line for each reference, the name before the first.
pub(crate) fn list(text: &mut String, name: &str, values: &[String]) {
    for (at, value) in values.iter().enumerate() {
        line(text, if at == 0 { name } else { "" }, &plain(value));
    }
}

/// What is wrong with the log, and how much of it is not listed.
fn warnings(text: &mut String, count: u64, listed: &[LineWarning]) {
    if count == 0 {
        return;
    }
    text.push('\n');
    for warning in listed {
        let place = warning.line.map_or_else(|| "log".to_owned(), |line| format!("line {line}"));
        text.push_str(&format!(
            "{WARN}warning:{WARN:#} {STRONG}{place}{STRONG:#}: {}\n",
            plain(&warning.detail)
        ));
    }
    let more = count.saturating_sub(u64::try_from(listed.len()).unwrap_or(u64::MAX));
    if more > 0 {
        text.push_str(&format!("{DIM}and {more} more{DIM:#}\n"));
    }
}

/// `1 row`, `2 rows`.
fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
