//! What a call came to, and what of it the program gets: live and in a replay by the same reading of the same envelope.
//!
//! It must not call anything.

use premath_kernel::{Object, Value, encode};
use premath_repl::{HostAnswer, HostFailure};
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::HostEffect;
use serde_json::value::RawValue;

use super::arguments::Resolved;
use super::functions::Gives;
use crate::table::ActionError;

/// What a call came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Answered {
    /// An envelope
    Effect(Value<'static>),
    /// Nothing that an envelope could hold
    Failed(HostFailure),
}

impl Answered {
    /// What an action answered.
    pub(super) fn of(effect: &HostEffect<Box<RawValue>>) -> Self {
        match parse(effect.payload.get().as_bytes(), Limits::default()) {
            Ok(payload) => Self::Effect(envelope(effect, payload.into_owned())),
            Err(error) => Self::Failed(HostFailure {
                class: error.class.code().to_owned(),
                message: format!("the answer of `{}` is too much for a program; ask for less", effect.action),
                retryable: false,
            }),
        }
    }

    /// Why an action gave no answer.
    pub(super) fn failed(error: &ActionError) -> Self {
        let told = error.to_string();
        let class = error.class();
        let what = told.strip_prefix(class).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&told);
        let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
        let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
        let message = format!("{what}{cause}{hint}");
        Self::Failed(HostFailure { class: class.to_owned(), message, retryable: error.is_retryable() })
    }

    /// The canonical bytes of the envelope; empty where there is none.
    pub(super) fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Effect(effect) => encode(effect),
            Self::Failed(_) => Vec::new(),
        }
    }

    /// The envelope.
    pub(super) const fn value(&self) -> Option<&Value<'static>> {
        match self {
            Self::Effect(effect) => Some(effect),
            Self::Failed(_) => None,
        }
    }

    /// The class of the result: that of the envelope, or `failed`.
    pub(super) fn result_class(&self) -> &str {
        match self {
            Self::Effect(effect) => text(effect, "resultClass").unwrap_or("rejected"),
            Self::Failed(_) => "failed",
        }
    }

    /// The failure classes.
    pub(super) fn failure_classes(&self) -> Vec<&str> {
        match self {
            Self::Effect(effect) => {
                let classes = member(effect, "failureClasses").and_then(Value::as_array).unwrap_or_default();
                classes.iter().filter_map(Value::as_text).collect()
            }
            Self::Failed(failure) => vec![failure.class.as_str()],
        }
    }
}

/// An envelope as a value.
fn envelope(effect: &HostEffect<Box<RawValue>>, payload: Value<'static>) -> Value<'static> {
    let list = |items: &[String]| items.iter().map(|item| Value::from(item.clone())).collect::<Vec<_>>();
    Object::fields()
        .field("schema", effect.schema)
        .field("action", effect.action)
        .field("argsDigest", effect.args_digest.clone())
        .field("resultClass", effect.result_class.clone())
        .field("payload", payload)
        .field("witnessRefs", list(&effect.witness_refs))
        .non_empty("failureClasses", list(&effect.failure_classes))
        .optional("policyDigest", effect.policy_digest.clone())
        .optional("instructionRef", effect.instruction_ref.clone())
        .finish()
}

/// What the program gets.
pub(super) fn given(resolved: &Resolved, answered: &Answered) -> HostAnswer {
    let effect = match answered {
        Answered::Failed(failure) => return Err(failure.clone()),
        Answered::Effect(effect) => effect,
    };
    let gives = resolved.function.map_or(Gives::Payload, |function| function.gives);
    let null = Value::Null;
    let payload = member(effect, "payload").unwrap_or(&null);
    let is_rejected = answered.result_class() == "rejected";
    if is_rejected && (gives != Gives::Verdict || is_refusal(payload)) {
        return Err(refusal(resolved, answered, payload));
    }
    if resolved.is_whole {
        return Ok(effect.clone());
    }
    Ok(match gives {
        Gives::Payload | Gives::Verdict => payload.clone(),
        Gives::Member(name) => member(payload, name).cloned().unwrap_or(Value::Array(Vec::new())),
    })
}

/// Whether a payload says why nothing was done, and nothing else.
fn is_refusal(payload: &Value<'_>) -> bool {
    payload.as_object().is_some_and(|payload| payload.len() == 3)
        && member(payload, "issuesPath").is_some()
        && member(payload, "refused").is_some_and(|refused| refused.as_object().is_some())
}

fn refusal(resolved: &Resolved, answered: &Answered, payload: &Value<'_>) -> HostFailure {
    let class = answered.failure_classes().first().copied().unwrap_or("rejected").to_owned();
    let because = member(payload, "refused");
    let first = member(payload, "reasons").and_then(Value::as_array).and_then(<[Value<'_>]>::first);
    let detail = because.or(first).and_then(|said| text(said, "detail"));
    let hint = because.and_then(|because| text(because, "hint")).filter(|hint| !hint.is_empty());
    let mut message = detail.map_or_else(|| format!("`{}` was refused", resolved.action), str::to_owned);
    if let Some(hint) = hint {
        message.push_str("; ");
        message.push_str(hint);
    }
    let retryable = class == "lease_store_busy";
    HostFailure { class, message, retryable }
}

fn member<'v, 'a>(value: &'v Value<'a>, name: &str) -> Option<&'v Value<'a>> {
    value.as_object()?.get(name)
}

fn text<'v>(value: &'v Value<'_>, name: &str) -> Option<&'v str> {
    member(value, name)?.as_text()
}
