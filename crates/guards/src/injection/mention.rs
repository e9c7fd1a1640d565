//! Phrases that are spoken about and not said: quoted next to words about attacks, or part of a sentence about something
//! else. It must not look at more than a bounded way around a phrase.

use std::ops::Range;

use super::lexicon::{ABOUT, classes};

/// So far around a phrase words about attacks are looked for, in bytes.
const AROUND: usize = 160;
/// So far from its quotation marks a phrase may stand.
const TIGHT: usize = 48;

/// What introduces a phrase that is named.
const NAMING: [&str; 14] = [
    "like",
    "such",
    "called",
    "guard",
    "guards",
    "filter",
    "detect",
    "test",
    "tests",
    "pattern",
    "assert",
    "words",
    "contains",
    "quarantine",
];

/// Whether a phrase is only mentioned.
pub(super) fn is_mention(text: &str, span: &Range<usize>, label: &str) -> bool {
    let before =
        text.get(text.floor_char_boundary(span.start.saturating_sub(AROUND))..span.start).unwrap_or_default();
    let after = text.get(span.end..text.floor_char_boundary(span.end + AROUND)).unwrap_or_default();
    let phrase = text.get(span.clone()).unwrap_or_default();
    if label == "ignore-previous" && phrase.split_whitespace().any(|word| word.eq_ignore_ascii_case("my")) {
        return true;
    }
    if is_told_of_others(before, after, label) {
        return true;
    }
    let Some((outside_before, mark, outside_after)) = quoted(before, after) else { return false };
    let is_code = mark == '`' && label == "fence-closing";
    is_code || speaks_about(outside_before) || speaks_about(outside_after)
}

/// Quotation marks tight around a phrase: what is outside of them, and the mark.
fn quoted<'t>(before: &'t str, after: &'t str) -> Option<(&'t str, char, &'t str)> {
    let is_mark = |letter: char| matches!(letter, '"' | '\'' | '`' | '“' | '”' | '«' | '»');
    let opens = before.rfind(is_mark).filter(|at| before.len() - at <= TIGHT)?;
    let closes = after.find(is_mark).filter(|at| *at <= TIGHT)?;
    let mark = before.get(opens..)?.chars().next()?;
    let outside = after.get(closes..)?;
    Some((before.get(..opens)?, mark, outside))
}

fn speaks_about(text: &str) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric())
        .any(|word| classes(word) & ABOUT != 0 || NAMING.contains(&word))
}

/// `we bypass the previous restriction`, `do not tell users to delete`, `forget everything you know about coffee`.
fn is_told_of_others(before: &str, after: &str, label: &str) -> bool {
    let last = before.split_whitespace().next_back().unwrap_or_default().to_ascii_lowercase();
    let is_near = before.ends_with(' ');
    let next = after.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let follows = |words: &[&str]| {
        words.iter().any(|word| {
            next.strip_prefix(word)
                .is_some_and(|rest| !rest.starts_with(|letter: char| letter.is_ascii_alphanumeric()))
        })
    };
    match label {
        "ignore-previous" => {
            (is_near && ["we", "they", "i", "not", "never", "don't", "who"].contains(&last.as_str()))
                || follows(&[" about"])
        }
        "secrecy" => follows(&[" to", " how", " what", " which", " we", " you", " they"]),
        "new-instructions" => {
            (is_near && ["a", "an", "the", "of", "default", "good"].contains(&last.as_str()))
                || before.ends_with('_')
                || follows(&[" see"])
                || next.starts_with("` ")
        }
        _ => false,
    }
}
