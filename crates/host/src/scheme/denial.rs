//! What a program is not given, before any action hears of it: the class, the words, and the envelope of such a refusal.
//!
//! It must not decide what an action decides.

use premath_kernel::{Digest, Value};
use premath_repl::HostFailure;
use premath_wire::v1::{HOST_EFFECT_SCHEMA, HostEffect, RefusedAnswer, RefusedBecause};
use serde_json::value::RawValue;

use crate::agent::RunRefused;
use crate::table::{ACTIONS, ActionError, Answer};

/// An effect that programs do not have.
pub(super) const EFFECT_DENIED: &str = "effect_denied";
/// No action has that name.
pub(super) const ACTION_UNKNOWN: &str = "host_action_unknown";
/// More calls than the evaluation may make.
pub(super) const CALLS_USED_UP: &str = "host_call_budget_exceeded";

/// An effect that is not given, and what to do instead.
pub(super) fn denied(detail: impl Into<String>, hint: impl Into<String>) -> RunRefused {
    RunRefused { class: EFFECT_DENIED.to_owned(), detail: detail.into(), hint: hint.into() }
}

/// A failure with its hint, in one line.
pub(super) fn failure(refused: &RunRefused) -> HostFailure {
    let message = match refused.hint.as_str() {
        "" => refused.detail.clone(),
        hint => format!("{}; {hint}", refused.detail),
    };
    HostFailure { class: refused.class.clone(), message, retryable: false }
}

/// The envelope of a call that was refused before its action; `None` where there is no such action.
pub(super) fn envelope(
    action: &str,
    args: &Value<'_>,
    refused: &RunRefused,
) -> Result<Option<HostEffect<Box<RawValue>>>, ActionError> {
    let Some(known) = ACTIONS.iter().find(|known| known.name == action) else { return Ok(None) };
    let answer = Answer::refused(
        &refused.class,
        &RefusedAnswer {
            action: action.to_owned(),
            issues_path: String::new(),
            refused: RefusedBecause {
                class: refused.class.clone(),
                detail: refused.detail.clone(),
                hint: refused.hint.clone(),
            },
        },
    )?;
    Ok(Some(HostEffect {
        schema: HOST_EFFECT_SCHEMA,
        action: known.name,
        args_digest: Digest::prefixed("he1_", args).as_str().to_owned(),
        result_class: answer.result_class,
        payload: answer.payload,
        witness_refs: answer.witness_refs,
        failure_classes: answer.failure_classes,
        policy_digest: None,
        instruction_ref: None,
    }))
}
