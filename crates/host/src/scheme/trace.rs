//! The trace of an evaluation: everything that went in and came out, in one canonical document, and its digests.
//!
//! The bytes are put together around envelopes that are canonical already. It must not hold anything that another run of
//! the same program with the same answers would not say.

use premath_kernel::{Digest, Object, Value, encode, encode_into, hex, sha256};
use premath_repl::{Answer, Error, ErrorKind, Evaluation, HostCall, HostFailure, Limits, Position};
use premath_wire::strict::{self, parse};
use premath_wire::v1::SCHEME_TRACE_KIND;

use super::answered::Answered;
use super::arguments::Resolved;
use super::denial::CALLS_USED_UP;
use super::functions;
use super::journal::{count, length, limits, position, usage};

/// So many bytes of envelopes does an evaluation keep.
const MOST_BYTES: usize = 32 << 20;

/// Why a text is no trace, or not the trace of what was run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {detail}")]
pub struct TraceFault {
    /// `scheme_trace_invalid` or `scheme_replay_diverged`
    pub class: &'static str,
    /// What is wrong, or what comes out differently
    pub detail: String,
}

/// One call of an evaluation, and what it came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemeCall {
    /// How many came before it
    pub index: u64,
    /// The action
    pub action: String,
    /// Its arguments
    pub args: Value<'static>,
    /// Their digest
    pub args_digest: String,
    /// Where the call stands in the program
    pub position: Position,
    /// The class of the result; `failed` where there is no envelope
    pub result_class: String,
    /// Why it was refused, or failed
    pub failure_classes: Vec<String>,
    /// What the program was told, where there is no envelope
    pub failure: Option<HostFailure>,
    /// The canonical bytes of the envelope
    effect: Vec<u8>,
}

impl SchemeCall {
    /// The envelope, where the action answered with one.
    #[must_use]
    pub fn envelope(&self) -> Option<Value<'static>> {
        if self.effect.is_empty() {
            return None;
        }
        parse(&self.effect, strict::Limits::default()).ok().map(Value::into_owned)
    }

    /// How many bytes the envelope has.
    #[must_use]
    pub const fn effect_bytes(&self) -> usize {
        self.effect.len()
    }

    /// The digest of the envelope.
    #[must_use]
    pub fn effect_digest(&self) -> Option<Digest> {
        (!self.effect.is_empty()).then(|| Digest::of_bytes(&self.effect))
    }

    fn write(&self, out: &mut Vec<u8>) {
        let mut write = |name: &str, value: &Value<'_>| member(out, name, value);
        write("action", &Value::from(self.action.as_str()));
        write("args", &self.args);
        write("argsDigest", &Value::from(self.args_digest.as_str()));
        if self.effect.is_empty() {
            let failure = self.failure.as_ref().map_or(Value::Null, failure);
            write("failure", &failure);
        } else {
            out.extend_from_slice(b",\"effect\":");
            out.extend_from_slice(&self.effect);
        }
        member(out, "index", &count(self.index));
        member(out, "position", &position(self.position));
    }
}

fn failure(failure: &HostFailure) -> Value<'_> {
    Object::fields()
        .field("class", failure.class.as_str())
        .field("message", failure.message.as_str())
        .field("retryable", failure.retryable)
        .finish()
}

/// The calls of an evaluation, as they are made.
#[derive(Debug, Default)]
pub(super) struct CallBook {
    pub(super) calls: Vec<SchemeCall>,
    bytes: usize,
}

impl CallBook {
    /// Notes a call; what it comes to is something else where no more is kept.
    pub(super) fn note(&mut self, call: &HostCall, resolved: &Resolved, answered: Answered) -> Answered {
        let mut answered = answered;
        let mut effect = answered.bytes();
        // A change that happened is told whatever its size.
        let is_read = resolved.function.and_then(|function| function.action()).is_some_and(is_read);
        if is_read && self.bytes.saturating_add(effect.len()) > MOST_BYTES {
            answered = Answered::Failed(HostFailure {
                class: premath_wire::InputClass::TooLarge.code().to_owned(),
                message: format!("the answers of one evaluation are more than {MOST_BYTES} bytes"),
                retryable: false,
            });
            effect = Vec::new();
        }
        self.bytes = self.bytes.saturating_add(effect.len());
        let failure = match &answered {
            Answered::Failed(failure) => Some(failure.clone()),
            Answered::Effect(_) => None,
        };
        self.calls.push(SchemeCall {
            index: call.index,
            action: resolved.action.clone(),
            args: resolved.args.clone(),
            args_digest: Digest::prefixed("he1_", &resolved.args).as_str().to_owned(),
            position: call.position,
            result_class: answered.result_class().to_owned(),
            failure_classes: answered.failure_classes().into_iter().map(str::to_owned).collect(),
            failure,
            effect,
        });
        answered
    }
}

fn is_read(action: &crate::table::Action) -> bool {
    action.door == crate::table::Door::Read
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
    let mut stated = Vec::new();
    member(&mut stated, "traceDigest", &Value::from(trace_digest.as_str()));
    bytes.splice(place..place, stated);
    Traced { bytes, trace_digest, result_digest }
}

/// The document without its own digest, and the place where that goes.

fn document(
    head: &TraceHead<'_>,
    calls: &[SchemeCall],
    done: &Evaluation,
    (result, result_digest): (&Value<'_>, &Digest),
) -> (Vec<u8>, usize) {
    let mut out = Vec::new();
    member(&mut out, "actor", &Value::from(head.actor));
    member(&mut out, "after", &Value::text_list(head.after.iter().map(String::as_str)));
    out.extend_from_slice(b",\"calls\":[");
    for (number, call) in calls.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        let mut one = Vec::new();
        call.write(&mut one);
        close(one, &mut out);
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
    // The brace takes the place of the first comma.
    let place = out.len();
    member(&mut out, "usage", &usage(&done.usage));
    let mut whole = Vec::with_capacity(out.len().saturating_add(128));
    close(out, &mut whole);
    (whole, place)
}

/// Writes `,"name":value`. INVARIANT: members are written in canonical order.
fn member(out: &mut Vec<u8>, name: &str, value: &Value<'_>) {
    out.push(b',');
    encode_into(&Value::from(name), out);
    out.push(b':');
    encode_into(value, out);
}

/// Puts members, each with a comma before it, between braces.
fn close(members: Vec<u8>, out: &mut Vec<u8>) {
    out.push(b'{');
    out.extend(members.into_iter().skip(1));
    out.push(b'}');
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

/// Whether bytes are the canonical bytes of this value, with at most a line end behind them.
pub(super) fn is_canonical(bytes: &[u8], value: &Value<'_>) -> bool {
    bytes.strip_suffix(b"\n").unwrap_or(bytes) == encode(value)
}
