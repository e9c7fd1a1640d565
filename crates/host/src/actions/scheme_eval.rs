//! `scheme.eval`: a program, run over this host or again from a trace.

use std::collections::BTreeMap;

use premath_kernel::Value;
use premath_repl::{Evaluation, Limits};
use premath_wire::v1::{
    RefusedAnswer, RefusedBecause, SchemeCallCount, SchemeEvalAnswer, SchemeResult, SchemeUsage,
};
use premath_wire::{Json, UnknownFields, decode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::issue::{arguments, count, invalid, told};
use crate::scheme::{
    MOST, Replayed, SchemeCall, SchemeEvaluation, SchemeSession, SchemeWishes, TraceFault, replay,
    result_value,
};
use crate::table::{ACTIONS, ActionError, Answer, Door, Host, Link};

const ACTION: &str = "scheme.eval";
/// So many envelopes are in an answer, and so many bytes of them; the trace has all.
const SHOWN_EFFECTS: usize = 20;
const SHOWN_BYTES: usize = 256 << 10;
/// What `scheme.eval` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct EvalArgs {
    /// The program; in a replay that of the trace is meant when there is none.
    program: Option<String>,
    /// Whether everything that does more than read is denied.
    read_only: bool,
    /// The most calls of host functions.
    max_calls: Option<u64>,
    /// The most steps.
    fuel: Option<u64>,
    /// The most bytes that are alive at once.
    memory: Option<u64>,
    /// The instruction that changes are linked to.
    instruction: Option<String>,
    /// Who takes work when the program names nobody.
    actor: Option<String>,
    /// Whether the answer holds the trace.
    trace: bool,
    /// A trace to run again, as its own text.
    replay: Option<String>,
}

/// `scheme.eval`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: EvalArgs = arguments(args)?;
    if let Some(trace) = &args.replay {
        return match replay(trace.as_bytes(), args.program.as_deref()) {
            Ok(replayed) => answer(&Shown::of_replay(replayed), args.trace),
            Err(fault) => refused(&fault),
        };
    }
    let program = args.program.as_deref().ok_or_else(|| invalid("missing field", "program"))?;
    let wishes = SchemeWishes { interrupt: host.interrupt(), ..wishes_of(&args)? };
    // The language itself cannot fail to begin; if it does, that is told as a program's failure would be.
    let mut session = SchemeSession::new(host, wishes)
        .map_err(|error| ActionError::Unavailable { what: error.to_string(), hint: String::new() })?;
    let evaluated = session.evaluate(program)?;
    let pretty = evaluated.result.as_ref().err().map(|error| session.pretty(error));
    // What the program held is not held beside what it answers.
    drop(session);
    answer(&Shown::of(evaluated, pretty), args.trace)
}

/// What a session may do that the arguments of `scheme.eval` describe.
///
/// # Errors
/// Arguments that cannot be read.
pub fn wishes(args: &Value<'_>) -> Result<SchemeWishes, ActionError> {
    wishes_of(&arguments(args)?)
}

fn wishes_of(args: &EvalArgs) -> Result<SchemeWishes, ActionError> {
    Ok(SchemeWishes {
        read_only: args.read_only,
        limits: limits(args)?,
        instruction: told(args.instruction.as_deref()).map(str::to_owned),
        actor: told(args.actor.as_deref()).map(str::to_owned),
        ..SchemeWishes::default()
    })
}

fn limits(args: &EvalArgs) -> Result<Limits, ActionError> {
    let within = |wanted: Option<u64>, most: u64, key: &str, default: u64| match wanted {
        Some(number) if number > most => Err(invalid(format!("at most {most}"), key)),
        Some(number) => Ok(number),
        None => Ok(default),
    };
    let own = Limits::default();
    let memory = within(args.memory, count(MOST.memory), "memory", count(own.memory))?;
    Ok(Limits {
        fuel: within(args.fuel, MOST.fuel, "fuel", own.fuel)?,
        host_calls: within(args.max_calls, MOST.host_calls, "maxCalls", own.host_calls)?,
        memory: usize::try_from(memory).unwrap_or(own.memory),
        ..own
    })
}

/// An evaluation, live or again.
struct Shown {
    done: Evaluation,
    calls: Vec<SchemeCall>,
    trace: Vec<u8>,
    answer: SchemeEvalAnswer,
    failure_class: Option<String>,
}

impl Shown {
    fn of(evaluated: SchemeEvaluation, pretty: Option<String>) -> Self {
        let answer = SchemeEvalAnswer {
            evaluation_id: Some(evaluated.evaluation_id),
            program_digest: evaluated.program_digest,
            result_digest: evaluated.result_digest,
            trace_digest: evaluated.trace_digest,
            pretty,
            journal_ref: evaluated.journal_ref,
            journal_failure: evaluated.journal_failure,
            ..blank()
        };
        let done = Evaluation { result: evaluated.result, output: evaluated.output, usage: evaluated.usage };
        let failure_class = evaluated.failure_class;
        Self { done, calls: evaluated.calls, trace: evaluated.trace, answer, failure_class }
    }

    fn of_replay(replayed: Replayed) -> Self {
        let answer = SchemeEvalAnswer {
            replayed: true,
            program_digest: replayed.program_digest,
            result_digest: replayed.result_digest,
            trace_digest: replayed.trace_digest,
            pretty: replayed.pretty,
            ..blank()
        };
        let (done, calls, trace) = (replayed.done, replayed.calls, replayed.trace);
        Self { done, calls, trace, answer, failure_class: replayed.failure_class }
    }
}

fn blank() -> SchemeEvalAnswer {
    SchemeEvalAnswer {
        action: ACTION.to_owned(),
        evaluation_id: None,
        replayed: false,
        program_digest: String::new(),
        result_digest: String::new(),
        trace_digest: String::new(),
        text: None,
        value: Json(Value::Null),
        output: String::new(),
        error: None,
        pretty: None,
        usage: SchemeUsage { steps: 0, allocated: 0, peak: 0, depth: 0, host_calls: 0 },
        call_count: 0,
        change_count: 0,
        calls: Vec::new(),
        effects: Vec::new(),
        effects_omitted: 0,
        journal_ref: None,
        journal_failure: None,
        trace: None,
    }
}

fn answer(shown: &Shown, wants_trace: bool) -> Result<Answer, ActionError> {
    let result: SchemeResult = decode(&result_value(&shown.done.result), UnknownFields::Refuse)?;
    let value = shown.done.result.as_ref().ok().and_then(|answer| answer.value.clone());
    let effects = shown_effects(&shown.calls);
    let with_envelope = shown.calls.iter().filter(|call| call.failure.is_none()).count();
    let mut by_action: BTreeMap<&str, u64> = BTreeMap::new();
    for call in &shown.calls {
        *by_action.entry(&call.action).or_default() += 1;
    }
    let usage = &shown.done.usage;
    let whole = SchemeEvalAnswer {
        text: result.text,
        error: result.error,
        value: Json(value.unwrap_or(Value::Null)),
        output: shown.done.output.clone(),
        usage: SchemeUsage {
            steps: usage.steps,
            allocated: usage.allocated,
            peak: count(usage.peak),
            depth: count(usage.depth),
            host_calls: usage.host_calls,
        },
        call_count: count(shown.calls.len()),
        calls: by_action
            .into_iter()
            .map(|(action, count)| SchemeCallCount { action: action.to_owned(), count })
            .collect(),
        change_count: count(shown.calls.iter().filter(|call| call.may_have_changed()).count()),
        effects_omitted: count(with_envelope.saturating_sub(effects.len())),
        effects,
        ..shown.answer.clone()
    };
    let unwritable = |source| ActionError::Unwritable { source };
    let trace = wants_trace.then(|| serde_json::from_slice(&shown.trace)).transpose().map_err(unwritable)?;
    let class = if whole.error.is_none() { "accepted" } else { "rejected" };
    let mut answer = Answer::new(class, &Told { whole, trace })?;
    answer.failure_classes.extend(shown.failure_class.clone());
    Ok(answer.linked(shown.calls.iter().rev().filter(|call| is_change(call)).find_map(link_of)))
}

/// An answer with the trace as it was written: whatever reads it again may bound it, and what was done stays done.
#[derive(Serialize)]
struct Told<'t> {
    #[serde(flatten)]
    whole: SchemeEvalAnswer,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<&'t RawValue>,
}

/// The first envelopes, as far as an answer holds them.
fn shown_effects(calls: &[SchemeCall]) -> Vec<Json> {
    let mut room = SHOWN_BYTES;
    let mut effects = Vec::new();
    for call in calls.iter().filter(|call| call.failure.is_none()).take(SHOWN_EFFECTS) {
        let Some(left) = room.checked_sub(call.effect_bytes()) else { break };
        room = left;
        effects.extend(call.envelope().map(Json));
    }
    effects
}

fn is_change(call: &SchemeCall) -> bool {
    ACTIONS.iter().any(|action| action.name == call.action && action.door != Door::Read)
}

/// What the last change of a program was linked to.
fn link_of(call: &SchemeCall) -> Option<Link> {
    let envelope = call.envelope()?;
    let text = |name: &str| envelope.as_object()?.get(name)?.as_text().map(str::to_owned);
    Some(Link {
        instruction_ref: text("instructionRef")?,
        policy_digest: text("policyDigest")?,
        witness_ref: None,
    })
}

fn refused(fault: &TraceFault) -> Result<Answer, ActionError> {
    let hint = "a trace is what --trace wrote, unchanged, and is run again by the version that wrote it";
    Answer::refused(
        fault.class,
        &RefusedAnswer {
            action: ACTION.to_owned(),
            issues_path: String::new(),
            refused: RefusedBecause {
                class: fault.class.to_owned(),
                detail: fault.detail.clone(),
                hint: hint.to_owned(),
            },
        },
    )
}
