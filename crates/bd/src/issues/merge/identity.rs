//! Whether two rows of one id are of one issue, and what an issue is called whose id another one has.
//!
//! Only what an issue began with has a say, so that every merge comes to the same name. It must not look at what changed since.

use std::cmp::Ordering;

use premath_kernel::{Digest, Value};

use crate::issues::row::IssueRow;
use crate::issues::short_id::short_name;

/// So many letters tell an issue from the one that keeps the id.
const LETTERS: usize = 4;

/// Whether two first rows are of one issue.
pub(super) fn is_same_issue(one: &IssueRow, other: &IssueRow) -> bool {
    let made = |row: &IssueRow| row.time("created_at");
    let are_first = one.rev() <= 1 && other.rev() <= 1;
    match (made(one), made(other)) {
        (Some(left), Some(right)) => {
            left == right && (!are_first || one.text("title") == other.text("title"))
        }
        // Rows that do not say when they were made are compared by their names alone.
        (None, _) | (_, None) => !are_first || one.text("title") == other.text("title"),
    }
}

/// Which of two issues keeps the id: the one that was made first.
pub(super) fn precedence(one: &IssueRow, other: &IssueRow) -> Ordering {
    let made = |row: &IssueRow| {
        let at = row.time("created_at");
        (at.is_none(), at)
    };
    made(one).cmp(&made(other)).then_with(|| origin(one).cmp(&origin(other)))
}

/// The id of the issue that does not keep its own.
pub(super) fn derived_id(first: &IssueRow) -> String {
    format!("{}-{}", first.id(), short_name(origin(first).as_bytes(), LETTERS))
}

/// What an issue began with, as text.
fn origin(first: &IssueRow) -> String {
    let made = first.text("created_at").unwrap_or_default();
    let title = if first.rev() <= 1 { first.text("title").unwrap_or_default() } else { "" };
    let texts = [first.id(), made, title].map(|text| Value::from(text.to_owned()));
    Digest::of(&Value::Array(texts.to_vec())).as_str().to_owned()
}
