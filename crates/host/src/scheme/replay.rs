//! A trace, read strictly and run again: the program against the answers that were recorded, with no host at all.
//!
//! Every call is compared as it is made, and the whole at the end, byte for byte. It must not touch a repository.

use premath_kernel::{Value, encode};
use premath_repl::{Evaluation, HostAnswer, HostCall, HostCalls, HostFailure, Limits};
use premath_wire::strict::{self, parse};
use premath_wire::v1::{SCHEME_TRACE_KIND, SchemeLimits, SchemeTrace, SchemeTraceCall};
use premath_wire::{UnknownFields, decode};

use super::answered::{Answered, given};
use super::book::{CallBook, SchemeCall};
use super::broken_off::as_recorded;
use super::functions;
use super::most::over;
use super::session::new_session;
use super::trace::{TraceFault, TraceHead, Traced, class_of, is_digest_of, program_digest, trace};

const INVALID: &str = "scheme_trace_invalid";
const DIVERGED: &str = "scheme_replay_diverged";

/// A replay that came to the same.
#[derive(Debug)]
pub(crate) struct Replayed {
    /// The program
    pub(crate) program_digest: String,
    /// What it came to
    pub(crate) done: Evaluation,
    pub(crate) calls: Vec<SchemeCall>,
    pub(crate) trace: Vec<u8>,
    pub(crate) trace_digest: String,
    pub(crate) result_digest: String,
    pub(crate) failure_class: Option<String>,
    /// The failure for people
    pub(crate) pretty: Option<String>,
}

fn invalid(detail: impl Into<String>) -> TraceFault {
    TraceFault { class: INVALID, detail: detail.into() }
}

fn diverged(detail: impl Into<String>) -> TraceFault {
    TraceFault { class: DIVERGED, detail: detail.into() }
}

/// What a program says may nest as deep as JSON does, and stands a few steps further in.
const WITHIN: strict::Limits = strict::Limits { max_bytes: 128 << 20, max_depth: 160, max_values: 3_000_000 };

/// Reads a trace: canonical bytes, nothing unknown, the digest that it states.
fn read(bytes: &[u8]) -> Result<SchemeTrace, TraceFault> {
    let value = parse(bytes, WITHIN).map_err(|error| invalid(error.to_string()))?;
    let trace: SchemeTrace =
        decode(&value, UnknownFields::Refuse).map_err(|error| invalid(error.to_string()))?;
    if trace.kind != SCHEME_TRACE_KIND || trace.schema != 1 {
        return Err(invalid(format!("expected `{SCHEME_TRACE_KIND}`, schema 1")));
    }
    let canonical = encode(&value);
    drop(value);
    if bytes.strip_suffix(b"\n").unwrap_or(bytes) != canonical {
        return Err(invalid("it is not as it was written: its bytes are not canonical"));
    }
    if !is_digest_of(&trace.trace_digest, canonical) {
        return Err(invalid("its digest is not that of what it says"));
    }
    if !trace.after.is_empty() {
        return Err(invalid("it began in the middle of a session, and what came before is not in it"));
    }
    Ok(trace)
}

/// Runs a trace again; `program` is what must have been run, where somebody says.
///
/// # Errors
/// A text that is no trace, or a run that comes out differently.
pub(crate) fn replay(bytes: &[u8], program: Option<&str>) -> Result<Replayed, TraceFault> {
    let recorded = read(bytes)?;
    let limits = limits(&recorded.limits);
    if let Some((name, most)) = over(&limits) {
        return Err(invalid(format!("its budget `{name}` is more than {most}, the most there is")));
    }
    let digest = program_digest(&recorded.program, &limits);
    if digest.as_str() != recorded.program_digest {
        return Err(invalid("its program is not what its programDigest says"));
    }
    if let Some(program) = program {
        let given = program_digest(program, &limits);
        if given != digest {
            return Err(diverged(format!("the program is {given}, the trace is of {digest}")));
        }
    }
    if functions::digest().as_str() != recorded.functions_digest {
        return Err(diverged("it was made with other host functions than this version has"));
    }
    let mut calls = RecordedCalls { trace: &recorded, book: CallBook::default(), diverged: None };
    let mut session = new_session(limits).map_err(|error| invalid(error.to_string()))?;
    session.breaks_off(as_recorded(&recorded));
    let done = session.evaluate(&recorded.program, &mut calls);
    let head = TraceHead {
        program: &recorded.program,
        program_digest: &digest,
        limits: &limits,
        is_read_only: recorded.read_only,
        actor: &recorded.actor,
        instruction: recorded.instruction.as_deref(),
        after: &recorded.after,
    };
    let RecordedCalls { book, diverged: first, .. } = calls;
    if let Some(place) = first {
        return Err(diverged(place));
    }
    let (made, wanted) = (book.calls.len(), recorded.calls.len());
    if made < wanted {
        return Err(diverged(format!(
            "after {made} calls: the trace has {wanted}, the program makes no more"
        )));
    }
    let again = trace(&head, &book.calls, &done);
    compared(&recorded, &again, &done, bytes)?;
    let error = done.result.as_ref().err();
    Ok(Replayed {
        failure_class: error.map(class_of),
        pretty: error.map(|error| session.pretty(error)),
        program_digest: digest.as_str().to_owned(),
        done,
        calls: book.calls,
        trace: again.bytes,
        trace_digest: again.trace_digest,
        result_digest: again.result_digest.as_str().to_owned(),
    })
}

/// The end of a replay: what it came to, and every byte.
fn compared(
    recorded: &SchemeTrace,
    again: &Traced,
    done: &Evaluation,
    bytes: &[u8],
) -> Result<(), TraceFault> {
    if again.result_digest.as_str() != recorded.result_digest {
        return Err(diverged("at the end: the result is another"));
    }
    if done.output != recorded.output {
        return Err(diverged("at the end: what the program wrote is something else"));
    }
    if bytes.strip_suffix(b"\n").unwrap_or(bytes) != again.bytes {
        return Err(diverged("at the end: what was used or recorded is not what comes out"));
    }
    Ok(())
}

fn limits(limits: &SchemeLimits) -> Limits {
    let length = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Limits {
        fuel: limits.fuel,
        memory: length(limits.memory),
        depth: length(limits.depth),
        output: length(limits.output),
        host_calls: limits.host_calls,
        source: length(limits.source),
    }
}

/// Answers from a trace.
struct RecordedCalls<'t> {
    trace: &'t SchemeTrace,
    book: CallBook,
    /// Where it first came out differently
    diverged: Option<String>,
}

impl HostCalls for RecordedCalls<'_> {
    fn call(&mut self, call: &HostCall) -> HostAnswer {
        let resolved = self.book.resolve(call, &self.trace.actor);
        let recorded = usize::try_from(call.index).ok().and_then(|index| self.trace.calls.get(index));
        let digest = premath_kernel::Digest::prefixed("he1_", &resolved.args);
        let differs = match recorded {
            None => Some(format!("call {} of `{}` is not in the trace", call.index, resolved.action)),
            Some(recorded) => difference(recorded, call, &resolved.action, digest.as_str()),
        };
        if let Some(place) = differs {
            self.diverged.get_or_insert(place);
        }
        let (Some(recorded), None) = (recorded, &self.diverged) else {
            return Err(HostFailure {
                class: DIVERGED.to_owned(),
                message: "the trace has no answer to this".to_owned(),
                retryable: false,
            });
        };
        let answered = self.book.note(call, &resolved, answered(recorded));
        given(&resolved, &answered)
    }
}

/// How a call is not the one that was recorded.
fn difference(recorded: &SchemeTraceCall, call: &HostCall, action: &str, digest: &str) -> Option<String> {
    let at = |what: String| Some(format!("call {} at {}: {what}", call.index, call.position));
    if recorded.index != call.index {
        return at(format!("the trace has number {} there", recorded.index));
    }
    if recorded.action != action {
        return at(format!("the trace has `{}`, the program calls `{action}`", recorded.action));
    }
    if recorded.args_digest != digest {
        return at(format!("`{action}` gets other arguments than in the trace"));
    }
    let stated = recorded.effect.as_ref().and_then(|effect| effect.0.as_object());
    let says = |name: &str| stated.and_then(|effect| effect.get(name)).and_then(Value::as_text);
    if stated.is_some() && (says("action") != Some(action) || says("argsDigest") != Some(digest)) {
        return at("the envelope is of another call".to_owned());
    }
    None
}

fn answered(recorded: &SchemeTraceCall) -> Answered {
    match (&recorded.effect, &recorded.failure) {
        (Some(effect), _) => Answered::Effect(effect.0.clone()),
        (None, Some(failure)) => Answered::Failed(HostFailure {
            class: failure.class.clone(),
            message: failure.message.clone(),
            retryable: failure.retryable,
        }),
        (None, None) => Answered::Failed(HostFailure {
            class: INVALID.to_owned(),
            message: "the trace says nothing about it".to_owned(),
            retryable: false,
        }),
    }
}
