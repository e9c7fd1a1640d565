//! The trace of an evaluation: everything that went in and came out, in one canonical document, and its digests.
//!
//! The bytes are put together around envelopes that are canonical already. It must not hold anything that another run of
//! the same program with the same answers would not say.

use premath_kernel::{Digest, Object, Value, encode_into, hex, sha256};
use premath_repl::{Answer, Error, ErrorKind, Evaluation, HostFailure, Limits};
use premath_wire::v1::SCHEME_TRACE_KIND;

use super::book::SchemeCall;
use super::broken_off::INTERRUPTED;
use super::denial::CALLS_USED_UP;
use super::functions;
use super::journal::{count, length, limits, position, usage};

/// Why a text is no trace, or not the trace of what was run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {detail}")]
pub struct TraceFault {
    /// `scheme_trace_invalid` or `scheme_replay_diverged`
    pub class: &'static str,
    /// What is wrong, or what comes out differently
    pub detail: String,
}

fn write(call: &SchemeCall, out: &mut Vec<u8>) {
    out.push(b'{');
    member(out, "action", &Value::from(call.action.as_str()));
    written(out, "args", &call.args);
    member(out, "argsDigest", &Value::from(call.args_digest.as_str()));
    if call.effect.is_empty() {
        member(out, "failure", &call.failure.as_ref().map_or(Value::Null, failure));
    } else {
        written(out, "effect", &call.effect);
    }
    member(out, "index", &count(call.index));
    member(out, "position", &position(call.position));
    out.push(b'}');
}

fn failure(failure: &HostFailure) -> Value<'_> {
    Object::fields()
        .field("class", failure.class.as_str())
        .field("message", failure.message.as_str())
        .field("retryable", failure.retryable)
        .finish()
}

/// What an evaluation was begun with.
#[derive(Debug)]
pub(super) struct TraceHead<'t> {
    pub(super) program: &'t str,
    pub(super) program_digest: &'t Digest,
    pub(super) limits: &'t Limits,
    pub(super) is_read_only: bool,
    pub(super) actor: &'t str,
    pub(super) instruction: Option<&'t str>,
    /// The digests of what the session evaluated before
    pub(super) after: &'t [String],
}

/// A trace, and its digests.
#[derive(Debug)]
pub(super) struct Traced {
    pub(super) bytes: Vec<u8>,
    pub(super) trace_digest: String,
    pub(super) result_digest: Digest,
}

/// The digest of a program: of its normal text, or of what was given where that is none.
pub(super) fn program_digest(source: &str, limits: &Limits) -> Digest {
    let normal = premath_repl::normalise(source, limits);
    Digest::prefixed("sp1_", &Value::from(normal.as_deref().unwrap_or(source)))
}

/// Writes the trace of an evaluation.
pub(super) fn trace(head: &TraceHead<'_>, calls: &[SchemeCall], done: &Evaluation) -> Traced {
    let result = result(&done.result);
    let result_digest = Digest::prefixed("sr1_", &result);
    let (mut bytes, place) = document(head, calls, done, (&result, &result_digest));
    let trace_digest = format!("st1_{}", hex(&sha256(&bytes)));
    bytes.splice(place..place, stated(&trace_digest));
    Traced { bytes, trace_digest, result_digest }
}

/// The document without its own digest, and the place where that goes.
fn document(
    head: &TraceHead<'_>,
    calls: &[SchemeCall],
    done: &Evaluation,
    (result, result_digest): (&Value<'_>, &Digest),
) -> (Vec<u8>, usize) {
    let mut out = vec![b'{'];
    member(&mut out, "actor", &Value::from(head.actor));
    member(&mut out, "after", &Value::text_list(head.after.iter().map(String::as_str)));
    out.extend_from_slice(b",\"calls\":[");
    for (number, call) in calls.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        write(call, &mut out);
    }
    out.push(b']');
    member(&mut out, "functionsDigest", &Value::from(functions::digest().as_str()));
    if let Some(instruction) = head.instruction {
        member(&mut out, "instruction", &Value::from(instruction));
    }
    member(&mut out, "kind", &Value::from(SCHEME_TRACE_KIND));
    member(&mut out, "limits", &limits(head.limits));
    member(&mut out, "output", &Value::from(done.output.as_str()));
    member(&mut out, "program", &Value::from(head.program));
    member(&mut out, "programDigest", &Value::from(head.program_digest));
    member(&mut out, "readOnly", &Value::from(head.is_read_only));
    member(&mut out, "result", result);
    member(&mut out, "resultDigest", &Value::from(result_digest));
    member(&mut out, "schema", &Value::from(1_u32));
    let place = out.len();
    member(&mut out, "usage", &usage(&done.usage));
    out.push(b'}');
    (out, place)
}

/// Writes `"name":value`, behind a comma where it is not the first. INVARIANT: members are written in canonical order.
fn member(out: &mut Vec<u8>, name: &str, value: &Value<'_>) {
    named(out, name);
    encode_into(value, out);
}

/// The same for a value that is canonical bytes already.
fn written(out: &mut Vec<u8>, name: &str, bytes: &[u8]) {
    named(out, name);
    out.extend_from_slice(bytes);
}

fn named(out: &mut Vec<u8>, name: &str) {
    if out.last().is_some_and(|last| *last != b'{') {
        out.push(b',');
    }
    encode_into(&Value::from(name), out);
    out.push(b':');
}

/// What a program came to, as traces and answers say it.
pub(crate) fn result(result: &Result<Answer, Error>) -> Value<'static> {
    match result {
        Ok(answer) => Object::fields()
            .field("text", answer.text.clone())
            .optional("value", answer.value.clone())
            .finish(),
        Err(error) => Object::fields().field("error", error_value(error)).finish(),
    }
}

fn error_value(error: &Error) -> Value<'static> {
    let entry = |entry: &premath_repl::TraceEntry| {
        Object::fields()
            .field("procedure", entry.procedure.clone())
            .field("line", length(entry.position.line))
            .field("column", length(entry.position.column))
            .finish()
    };
    Object::fields()
        .field("kind", error.kind.code())
        .field("class", class_of(error))
        .field("message", error.message.clone())
        .optional("line", error.position.map(|position| length(position.line)))
        .optional("column", error.position.map(|position| length(position.column)))
        .field("retryable", error.retryable)
        .field("trace", error.trace.iter().map(entry).collect::<Vec<_>>())
        .finish()
}

/// The class of a program's failure.
pub(super) fn class_of(error: &Error) -> String {
    match error.kind {
        ErrorKind::Budget(premath_repl::Budget::HostCalls) => CALLS_USED_UP.to_owned(),
        ErrorKind::Budget(budget) => budget.code().to_owned(),
        ErrorKind::Interrupted => error.class.clone().unwrap_or_else(|| INTERRUPTED.to_owned()),
        ErrorKind::Host => error.class.clone().unwrap_or_else(|| "scheme_host".to_owned()),
        ErrorKind::Syntax
        | ErrorKind::Unbound
        | ErrorKind::Arity
        | ErrorKind::Type
        | ErrorKind::Range
        | ErrorKind::Raised
        | ErrorKind::Assertion => format!("scheme_{}", error.kind.code()),
    }
}

/// The member by which a trace states its digest, with the comma before it.
fn stated(digest: &str) -> Vec<u8> {
    let mut member_bytes = vec![b','];
    encode_into(&Value::from("traceDigest"), &mut member_bytes);
    member_bytes.push(b':');
    encode_into(&Value::from(digest), &mut member_bytes);
    member_bytes
}

/// Whether canonical bytes are a trace that states this digest, and rightly.
pub(super) fn is_digest_of(digest: &str, mut canonical: Vec<u8>) -> bool {
    let stated = stated(digest);
    // It stands near the end: only what was used comes after it.
    let Some(place) = canonical.windows(stated.len()).rposition(|here| here == stated) else { return false };
    canonical.drain(place..place.saturating_add(stated.len()));
    digest == format!("st1_{}", hex(&sha256(&canonical)))
}
