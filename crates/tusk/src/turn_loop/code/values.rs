//! What a call came to, as its program gets it: a value, or a condition that can be caught.
//!
//! Text stays text; what a tool answers as JSON is a table or a list. It must not say more than the outcome does.

use premath_kernel::{Number, Object, Value};
use premath_repl::{HostAnswer, HostFailure};
use premath_wire::strict::{Limits, parse};

use super::bindings::Binding;
use crate::context::plain_line;
use crate::evidence::{CallOutcome, Failure};
use crate::tools::ToolKind;

/// The longest message of a condition.
const LONGEST_MESSAGE: usize = 1_000;
/// So many of what may have been meant are named.
const MOST_MATCHES: usize = 3;

/// What a program gets of a call. `given` is what it is given of the payload, `pending` the digest of a change that was asked
/// for.
pub(crate) fn value_of(
    binding: Option<&Binding>,
    kind: ToolKind,
    outcome: &CallOutcome,
    given: &str,
    pending: Option<&str>,
) -> HostAnswer {
    if let Some(failure) = outcome.failure() {
        return Err(condition(failure));
    }
    if let Some(digest) = pending {
        let fields = Object::fields().field("applied", false).field("intentDigest", digest.to_owned());
        return Ok(fields.finish());
    }
    if let Some(code) = outcome.exit_code {
        let code = Number::integer(code).map_or(Value::Null, Value::Number);
        return Ok(Object::fields().field("exitCode", code).field("output", given.to_owned()).finish());
    }
    if !binding.is_some_and(|binding| binding.is_text)
        && given.trim_start().starts_with(['{', '['])
        && let Ok(value) = parse(given.as_bytes(), Limits::default())
    {
        return Ok(value.into_owned());
    }
    // What only looks and finds nothing has found nothing; what did something says what.
    let is_said = given.is_empty() && kind != ToolKind::Read;
    Ok(Value::from(if is_said { outcome.note.clone() } else { given.to_owned() }))
}

/// A failure as a program can catch it.
pub(crate) fn condition(failure: &Failure) -> HostFailure {
    let mut message = plain_line(&failure.message, LONGEST_MESSAGE);
    let matches: Vec<String> =
        failure.closest_matches.iter().take(MOST_MATCHES).map(|one| plain_line(one, 100)).collect();
    if !matches.is_empty() {
        message.push_str(&format!("; like it: {}", matches.join(", ")));
    }
    if !failure.pointers.is_empty() {
        let places: Vec<String> =
            failure.pointers.iter().take(MOST_MATCHES).map(|one| plain_line(one, 100)).collect();
        message.push_str(&format!("; at {}", places.join(", ")));
    }
    HostFailure { class: failure.error_code.clone(), message, retryable: failure.retryable }
}
