//! The redactor: what was found is replaced before anybody sees or keeps it. It stands at every sink.
//!
//! What comes out can go in again and stays as it is; a character is never split; what was JSON is JSON afterwards. It
//! must not return what it took out.

mod json;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;
use premath_tusk::policy::Finding;

pub(crate) use self::json::{Token, is_json, tokens};
use crate::pii::{self, PiiKinds};
use crate::{quoted, secrets};

const OPENING: &str = "[redacted:";
const CLOSING: char = ']';

/// What follows from taking something out is found in as many rounds; three were never seen.
const MOST_ROUNDS: usize = 8;

/// Replaces secrets, and personal data where that is asked for.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    personal: Option<PiiKinds>,
}

/// What is left of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'t> {
    /// The text, with `[redacted:<label>]` for what was found.
    pub text: Cow<'t, str>,
    /// What was found. Places are those of the text that was given; what only showed after another was taken out has none.
    pub findings: Vec<Finding>,
}

impl Redactor {
    /// Replaces secrets only.
    #[must_use]
    pub const fn new() -> Self {
        Self { personal: None }
    }

    /// Replaces personal data of these kinds too.
    #[must_use]
    pub const fn with_personal_data(mut self, kinds: PiiKinds) -> Self {
        self.personal = Some(kinds);
        self
    }

    /// Replaces what is found.
    #[must_use]
    pub fn redact<'t>(&self, text: &'t str) -> Redacted<'t> {
        let mut findings = self.find(text);
        if findings.is_empty() {
            return Redacted { text: Cow::Borrowed(text), findings };
        }
        let mut left = replace(text, &findings);
        for _ in 1..MOST_ROUNDS {
            let more = self.find(&left);
            if more.is_empty() {
                break;
            }
            left = replace(&left, &more);
            findings.extend(more.into_iter().map(|finding| Finding { span: None, ..finding }));
        }
        Redacted { text: Cow::Owned(left), findings }
    }

    fn find(&self, text: &str) -> Vec<Finding> {
        let mut found = quoted::find(text, &|text| {
            let mut found = secrets::find(text);
            if let Some(kinds) = &self.personal {
                found.extend(pii::find(text, kinds));
            }
            found
        });
        let standing = placeholders(text);
        if !standing.is_empty() {
            found.retain(|finding| finding.span.as_ref().is_none_or(|span| !is_within(&standing, span)));
        }
        found
    }
}

/// Replaces findings that have a place. They may overlap and be in any order; what overlaps is replaced as one.
#[must_use]
pub fn replace(text: &str, findings: &[Finding]) -> String {
    let mut places: Vec<(Range<usize>, &str)> = findings
        .iter()
        .filter_map(|finding| Some((finding.span.clone()?, finding.label.as_str())))
        .map(|(span, label)| (text.floor_char_boundary(span.start)..text.ceil_char_boundary(span.end), label))
        .filter(|(span, _)| span.start < span.end)
        .collect();
    places.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
    places.dedup_by(|next, last| {
        let overlaps = next.0.start < last.0.end;
        if overlaps {
            last.0.end = last.0.end.max(next.0.end);
        }
        overlaps
    });
    let edits = json::edits(text, &places).unwrap_or_else(|| plain(&places));
    apply(text, &edits)
}

/// One place and what stands there afterwards.
#[derive(Debug)]
struct Edit {
    span: Range<usize>,
    text: String,
}

fn plain(places: &[(Range<usize>, &str)]) -> Vec<Edit> {
    places.iter().map(|(span, label)| Edit { span: span.clone(), text: placeholder(label) }).collect()
}

fn apply(text: &str, edits: &[Edit]) -> String {
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        left.push_str(text.get(at..edit.span.start).unwrap_or_default());
        left.push_str(&edit.text);
        at = edit.span.end;
    }
    left.push_str(text.get(at..).unwrap_or_default());
    left
}

/// What stands for a secret. A label that did not come from us is cut down to what a label may hold.
fn placeholder(label: &str) -> String {
    let is_plain =
        |character: &char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    let label: String = label.chars().filter(is_plain).take(64).collect();
    format!("{OPENING}{label}{CLOSING}")
}

/// Where a text holds placeholders of ours, in order.
pub(crate) fn placeholders(text: &str) -> Vec<Range<usize>> {
    const LONGEST: usize = 80;
    let bytes = text.as_bytes();
    memmem::find_iter(bytes, OPENING.as_bytes())
        .filter_map(|start| {
            let label = start + OPENING.len();
            let window = bytes.get(label..bytes.len().min(label + LONGEST))?;
            let length = window
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
                .count();
            let is_closed = length > 0 && window.get(length) == Some(&b']');
            is_closed.then_some(start..label + length + 1)
        })
        .collect()
}

fn is_within(standing: &[Range<usize>], span: &Range<usize>) -> bool {
    let after = standing.partition_point(|one| one.end < span.end);
    standing.get(after).is_some_and(|one| one.start <= span.start && span.end <= one.end)
}
