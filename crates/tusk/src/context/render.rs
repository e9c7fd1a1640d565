//! What a model is shown of one call, beside what an operator can read of it.
//!
//! First our own lines, then other people's words inside a fence, cut to their budget the way the truncation policy says.
//! It must not let a payload speak outside its fence, and must not show more of it than `max_bytes`.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use premath_kernel::{Count, Digest, Token, ToolCallId, ToolRender, Truncation};

use super::excerpt::{Excerpt, Source, cut_lines, length};
use super::fence::{FENCE_BYTES, bare_line, escaped, fenced, plain_line};
use super::reminders::InjectionPoint;
use crate::evidence::{CallOutcome, Failure, IntentRow, Payload};

/// The tool whose results are pages of what was cut: they are not cut again as long as they are within the budget.
const RESOLVE_REF: &str = "resolve_ref";

/// The most bytes that stand around a payload: our lines and the fences.
pub const RENDER_OVERHEAD: usize = 8 * 1024;

const LINE_BYTES: usize = 1024;
const NAME_BYTES: usize = 128;
const MATCH_BYTES: usize = 256;
const MOST_ITEMS: usize = 8;

/// How large a payload may be, and how it is cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderPolicy {
    /// The budget of the payload. Below the marker and eight bytes more, nothing of a longer payload can be shown, and
    /// the kernel closes no turn in which one was cut.
    pub max_bytes: u64,
    /// What stands where bytes were cut, byte for byte.
    pub marker: String,
    /// The digest of the truncation policy these terms are from.
    pub policy_digest: Digest,
}

/// What a model is shown of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// What it is shown.
    pub text: String,
    /// What was cut from the payload.
    pub truncation: Truncation,
    /// The digest of the outcome, as an operator can read it.
    pub operator_digest: Digest,
    /// The digest of the text.
    pub render_digest: Digest,
    /// The object that the text refers to. Whoever shows the text has to have stored the payload.
    pub reference: Option<String>,
}

impl Rendered {
    /// The evidence of both renderings; none when the id of the call is blank.
    #[must_use]
    pub fn row(&self, tool_call_id: &str, point: InjectionPoint, protocol: &Digest) -> Option<ToolRender> {
        Some(ToolRender {
            tool_call_id: ToolCallId::new(tool_call_id)?,
            operator_payload_digest: self.operator_digest.clone(),
            reminder_render_digest: self.render_digest.clone(),
            injection_point: Token::new(point.token())?,
            policy_digest: protocol.clone(),
        })
    }
}

/// Renders what came of a call of `tool` for the model.
#[must_use]
pub fn render(tool: &str, outcome: &CallOutcome, policy: &RenderPolicy) -> Rendered {
    let payload = &outcome.payload;
    let shown = shown(tool, payload, policy);
    let mut parts = own_lines(outcome);
    let reference = reference(payload, &shown);
    if let Some(reference) = &reference {
        parts.push(cut_lines(reference, payload.len(), shown.cut));
    }
    if let Some(failure) = outcome.failure().filter(|failure| !failure.closest_matches.is_empty()) {
        parts.push(closest(failure));
    }
    if !shown.shown.is_empty() {
        parts.push(fenced(tool, &shown.shown));
    }
    let text = parts.join("\n");
    Rendered {
        truncation: truncation(payload.len(), &shown, policy),
        operator_digest: Digest::of(&outcome.to_value()),
        render_digest: Digest::of_bytes(text.as_bytes()),
        reference,
        text,
    }
}

/// What a program is given of a payload, which no model is shown: all of it, or its two ends where it is an object.
pub(crate) fn given<'p>(payload: &'p Payload, policy: &RenderPolicy) -> (Cow<'p, str>, Truncation) {
    let budget = usize::try_from(policy.max_bytes).unwrap_or(usize::MAX);
    let given = match payload {
        Payload::Inline(text) if text.len() <= budget => {
            Excerpt { shown: Cow::Borrowed(text.as_str()), cut: None }
        }
        Payload::Inline(text) => Source::whole(text).cut(budget, &policy.marker),
        Payload::Stored { bytes, head, tail, .. } => {
            Source { head, tail, bytes: *bytes }.cut(budget, &policy.marker)
        }
    };
    let truncation = truncation(payload.len(), &given, policy);
    (given.shown, truncation)
}

/// What of a payload is shown.
fn shown<'p>(tool: &str, payload: &'p Payload, policy: &RenderPolicy) -> Excerpt<'p> {
    let source = match payload {
        Payload::Inline(text) => Source::whole(text),
        Payload::Stored { bytes, head, tail, .. } => Source { head, tail, bytes: *bytes },
    };
    let budget = usize::try_from(policy.max_bytes).unwrap_or(usize::MAX);
    let fits = |text: &str| text.len() <= budget && (tool == RESOLVE_REF || escaped(text).len() <= budget);
    match source.joined().filter(|whole| fits(whole)) {
        Some(whole) => Excerpt { shown: whole, cut: None },
        None => source.cut(budget, &policy.marker),
    }
}

/// Where all of a payload is, when it is stored or not all of it is shown.
fn reference(payload: &Payload, shown: &Excerpt<'_>) -> Option<String> {
    match payload {
        Payload::Stored { reference, .. } => Some(reference.clone()),
        Payload::Inline(_) => {
            shown.cut.and_then(|_| payload.digest()).map(|digest| digest.as_str().to_owned())
        }
    }
}

fn truncation(original: u64, shown: &Excerpt<'_>, policy: &RenderPolicy) -> Truncation {
    let kept = if shown.cut.is_some() { length(shown.shown.len()) } else { original };
    Truncation {
        policy_digest: Some(policy.policy_digest.clone()),
        original_bytes: count(original),
        kept_bytes: count(kept),
        marker: shown.cut.map(|_| policy.marker.clone()),
        head_bytes: shown.cut.map(|cut| count(length(cut.head_bytes))),
        tail_bytes: shown.cut.map(|cut| count(length(cut.tail_bytes))),
    }
}

/// What we say about the call, a line each.
fn own_lines(outcome: &CallOutcome) -> Vec<String> {
    let mut lines = match outcome.failure() {
        None => vec!["status: ok".to_owned()],
        Some(failure) => failure_lines(failure),
    };
    // Most tools that have an exit code say so in their note.
    let exit = outcome.exit_code.filter(|code| !outcome.note.contains(&format!("exit code {code}")));
    lines.extend(exit.map(|code| format!("exitCode: {code}")));
    lines.extend(outcome.intent.as_ref().map(intent_line));
    if !outcome.note.is_empty() {
        lines.push(format!("note: {}", plain_line(&outcome.note, LINE_BYTES)));
    }
    lines
}

fn failure_lines(failure: &Failure) -> Vec<String> {
    let mut lines = vec![
        "status: error".to_owned(),
        format!("errorCode: {}", plain_line(&failure.error_code, NAME_BYTES)),
        format!("retryable: {}", failure.retryable),
        format!("message: {}", plain_line(&failure.message, LINE_BYTES)),
    ];
    let pointers = failure.pointers.iter().take(MOST_ITEMS);
    let pointers: Vec<String> = pointers.map(|pointer| plain_line(pointer, NAME_BYTES)).collect();
    if !pointers.is_empty() {
        lines.push(format!("at: {}", pointers.join(", ")));
    }
    lines
}

fn intent_line(intent: &IntentRow) -> String {
    let action = plain_line(&intent.action, NAME_BYTES);
    format!("intent: {action} is pending; it is applied after this turn is closed, not before")
}

/// What may have been meant: names out of files, so they are fenced like any content.
fn closest(failure: &Failure) -> String {
    let matches = failure.closest_matches.iter().take(MOST_ITEMS);
    let lines: Vec<String> = matches.map(|one| bare_line(one, MATCH_BYTES)).collect();
    fenced("closest_matches", &lines.join("\n"))
}

/// A size as evidence counts it; no payload is longer than that.
fn count(mut number: u64) -> Count {
    const MOST: u64 = (1 << 53) - 1;
    loop {
        match Count::new(number) {
            Some(count) => return count,
            None => number = MOST,
        }
    }
}

const _: () = assert!(
    RENDER_OVERHEAD
        >= 2 * FENCE_BYTES
            + 2 * LINE_BYTES
            + MOST_ITEMS * (NAME_BYTES + 2)
            + MOST_ITEMS * (MATCH_BYTES + MATCH_BYTES / 8)
            + 8 * NAME_BYTES,
    "the parts around a payload are bounded one by one, and so is their sum"
);
