//! What a guard outside answers, read strictly: an answer that says two things at once is none.
//!
//! It must not quote the answer: what a guard found may be in it.

use premath_tusk::policy::{Finding, GuardError, GuardReport, Span};
use premath_wire::strict::{Limits, parse};
use serde::Deserialize;

const MOST_FINDINGS: usize = 1000;
const LONGEST_LABEL: usize = 64;
const LONGEST_MODEL: usize = 200;
const LARGEST_SCORE: f64 = 1_000_000.0;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Answer {
    triggered: bool,
    score: Option<f64>,
    threshold: Option<f64>,
    #[serde(default)]
    findings: Vec<Found>,
    model_ref: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Found {
    label: String,
    start: Option<usize>,
    end: Option<usize>,
}

/// Reads an answer about a text.
pub(super) fn read(bytes: &[u8], text: &str) -> Result<GuardReport, GuardError> {
    let unreadable = |what: &str| GuardError::Unreadable(format!("the answer {what}"));
    parse(bytes, Limits::default()).map_err(|_| unreadable("is no JSON document"))?;
    let answer: Answer =
        serde_json::from_slice(bytes).map_err(|_| unreadable("has other members than it should"))?;
    if answer.findings.len() > MOST_FINDINGS {
        return Err(unreadable("lists too many findings"));
    }
    if answer
        .model_ref
        .as_ref()
        .is_some_and(|name| name.len() > LONGEST_MODEL || name.chars().any(char::is_control))
    {
        return Err(unreadable("names a model that is no name"));
    }
    let findings: Option<Vec<Finding>> =
        answer.findings.into_iter().map(|found| finding(found, text)).collect();
    let mut report = GuardReport {
        findings: findings.ok_or_else(|| unreadable("lists a finding that is not in the text"))?,
        score_millis: answer.score.map(millis).transpose().map_err(unreadable)?,
        threshold_millis: answer.threshold.map(millis).transpose().map_err(unreadable)?,
        model_ref: answer.model_ref,
    };
    match (answer.triggered, report.is_triggered()) {
        (true, false) if report.score_millis.is_some() && report.threshold_millis.is_some() => {
            return Err(unreadable("says that it fired below its own threshold"));
        }
        (true, false) => report.findings.push(Finding { label: "triggered".to_owned(), span: None }),
        (false, true) => return Err(unreadable("says that it did not fire and why it did")),
        (true, true) | (false, false) => {}
    }
    Ok(report)
}

fn finding(found: Found, text: &str) -> Option<Finding> {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    let is_label =
        !found.label.is_empty() && found.label.len() <= LONGEST_LABEL && found.label.chars().all(is_plain);
    let span: Option<Span> = match (found.start, found.end) {
        (None, None) => None,
        (Some(start), Some(end)) => {
            text.get(start..end).filter(|part| !part.is_empty())?;
            Some(start..end)
        }
        (Some(_), None) | (None, Some(_)) => return None,
    };
    is_label.then_some(Finding { label: found.label, span })
}

fn millis(value: f64) -> Result<u32, &'static str> {
    if !(0.0..=LARGEST_SCORE).contains(&value) {
        return Err("has a score or a threshold that is none");
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked to be between 0 and 10^9"
    )]
    let millis = (value * 1000.0).round() as u32;
    Ok(millis)
}
