//! A run as a program reads it: one row per event, the same through every door. It must not hold an event back.

use std::collections::{BTreeMap, BTreeSet};

use premath_tusk::JsonText;
use premath_tusk::evidence::{CallOutcome, Payload};
use premath_tusk::model::{AssistantPart, ModelEvent, Usage};
use premath_tusk::policy::CallJudgement;
use premath_tusk::turn_loop::{
    AskedCall, Confirmation, PlanStepResult, RunEvent, RunOutcome, StopCause, Verdict,
};
use premath_wire::Json;
use premath_wire::v1::{
    AskedCallRow, CallEnd, CallJudged, ConfirmationRow, ModelTextKind, PlanStepRow, ReasonRow, RunEventKind,
    RunEventRow, UsageRow,
};

use super::artifact_rows::artifact;
use super::shown::{ending, intent_result, outcome_detail};

/// What has been told of the answers that come.
#[derive(Debug, Default)]
pub struct EventRows {
    /// For each run on the way, the parts of its answer of which something was told.
    streamed: BTreeMap<Vec<String>, BTreeSet<u64>>,
}

impl EventRows {
    /// The row of an event; none when there is nothing to tell.
    #[must_use]
    pub fn row(&mut self, event: &RunEvent<'_>) -> Option<RunEventRow> {
        let mut workers = Vec::new();
        let event = innermost(event, &mut workers);
        let event = match event {
            RunEvent::Model(event) => self.said(&workers, event)?,
            RunEvent::TurnStarted { .. } => {
                self.streamed.remove(&workers);
                kind(event)?
            }
            RunEvent::Started { .. }
            | RunEvent::Answered { .. }
            | RunEvent::CallStarted { .. }
            | RunEvent::CallFinished { .. }
            | RunEvent::Closed(_)
            | RunEvent::Applied(_)
            | RunEvent::WorkerStarted { .. }
            | RunEvent::WorkerFinished { .. }
            | RunEvent::Worker { .. }
            | RunEvent::Asked { .. }
            | RunEvent::Decided { .. }
            | RunEvent::Judged { .. }
            | RunEvent::Confirmed { .. }
            | RunEvent::Planned { .. }
            | RunEvent::PlanDecided(_)
            | RunEvent::Compacted { .. }
            | RunEvent::HandedOff { .. }
            | RunEvent::Stopped(_) => kind(event)?,
        };
        Some(RunEventRow { workers, event })
    }

    fn said(&mut self, workers: &[String], event: &ModelEvent) -> Option<RunEventKind> {
        let streamed = self.streamed.entry(workers.to_vec()).or_default();
        let (index, kind, text) = match event {
            ModelEvent::TextDelta { index, text } => (index, ModelTextKind::Text, text),
            ModelEvent::ReasoningDelta { index, text } => (index, ModelTextKind::Reasoning, text),
            ModelEvent::RefusalDelta { index, text } => (index, ModelTextKind::Refusal, text),
            // A server may send a part in one piece where we asked for a stream.
            ModelEvent::PartDone { index, part } if !streamed.contains(index) => match part {
                AssistantPart::Text(text) => (index, ModelTextKind::Text, text),
                AssistantPart::Reasoning(reasoning) => (index, ModelTextKind::Reasoning, &reasoning.text),
                AssistantPart::Refusal(text) => (index, ModelTextKind::Refusal, text),
                AssistantPart::ToolCall(_) | AssistantPart::Opaque(_) => return None,
            },
            ModelEvent::Started { .. }
            | ModelEvent::ToolCallStarted { .. }
            | ModelEvent::ArgumentsDelta { .. }
            | ModelEvent::PartDone { .. }
            | ModelEvent::Finished { .. } => return None,
        };
        streamed.insert(*index);
        (!text.is_empty()).then(|| RunEventKind::ModelText { kind, text: text.clone() })
    }
}

/// The event itself, and the issues of the workers around it, outermost first.
fn innermost<'e>(event: &'e RunEvent<'e>, path: &mut Vec<String>) -> &'e RunEvent<'e> {
    let mut event = event;
    while let RunEvent::Worker { issue_id, event: inner } = event {
        path.push((*issue_id).to_owned());
        event = inner;
    }
    event
}

/// The kind of the error of a model that ended a run.
const fn error_kind(outcome: &RunOutcome) -> Option<&str> {
    match outcome {
        RunOutcome::Stopped(StopCause::Model { kind, .. }) => Some(kind.as_str()),
        RunOutcome::Completed
        | RunOutcome::HandedOff { .. }
        | RunOutcome::FailedClosed { .. }
        | RunOutcome::Stopped(_) => None,
    }
}

/// The first event of a run; none for another event.
fn run_started(event: &RunEvent<'_>) -> Option<RunEventKind> {
    let RunEvent::Started {
        run_id,
        task,
        issue_id,
        models,
        pattern,
        is_resumed,
        depth,
        denied,
        blocked,
        workdir,
        ..
    } = event
    else {
        return None;
    };
    Some(RunEventKind::RunStarted {
        run_id: (*run_id).to_owned(),
        task: (*task).to_owned(),
        issue_id: issue_id.map(ToOwned::to_owned),
        models: models.to_vec(),
        pattern: (*pattern).to_owned(),
        resumed: *is_resumed,
        depth: *depth,
        denied: denied.iter().map(|error| Json(error.for_client().into_owned())).collect(),
        blocked: blocked.to_vec(),
        workdir: Some(workdir.to_string_lossy().into_owned()),
    })
}

fn kind(event: &RunEvent<'_>) -> Option<RunEventKind> {
    Some(match event {
        RunEvent::Started { .. } => return run_started(event),
        RunEvent::TurnStarted { call_id, turn, harness } => RunEventKind::TurnStarted {
            call_id: (*call_id).to_owned(),
            turn: *turn,
            harness: harness.map(ToOwned::to_owned),
        },
        RunEvent::Answered { call_id, model, usage, cost_micros, stop } => RunEventKind::TurnAnswered {
            call_id: (*call_id).to_owned(),
            model: (*model).to_owned(),
            stop: stop.clone(),
            usage: used(*usage),
            cost_micro_usd: *cost_micros,
        },
        RunEvent::CallStarted { tool_call_id, tool, arguments, diff, program } => RunEventKind::CallStarted {
            tool_call_id: (*tool_call_id).to_owned(),
            tool: (*tool).to_owned(),
            arguments: json(arguments),
            diff: diff.map(ToOwned::to_owned),
            program: program.map(ToOwned::to_owned),
        },
        RunEvent::CallFinished { tool, outcome, millis } => {
            RunEventKind::CallFinished(Box::new(call_end(tool, outcome, *millis)))
        }
        RunEvent::Closed(verdict) => closed(verdict),
        RunEvent::Applied(applied) => RunEventKind::IntentApplied(intent_result(applied)),
        RunEvent::WorkerStarted { run_id, issue_id, title } => RunEventKind::WorkerStarted {
            run_id: (*run_id).to_owned(),
            issue_id: (*issue_id).to_owned(),
            title: (*title).to_owned(),
        },
        RunEvent::WorkerFinished { run_id, issue_id, outcome } => RunEventKind::WorkerFinished {
            run_id: (*run_id).to_owned(),
            issue_id: (*issue_id).to_owned(),
            outcome: ending(outcome),
            detail: outcome_detail(outcome),
        },
        RunEvent::Asked { question, calls } => RunEventKind::PersonAsked {
            question: (*question).to_owned(),
            calls: calls.iter().map(asked_call).collect(),
        },
        RunEvent::Decided { decision } => {
            RunEventKind::PersonDecided { decision: decision.token().to_owned() }
        }
        RunEvent::Judged { tool, judgement } => judged(tool, judgement)?,
        RunEvent::Confirmed { confirmations } => {
            RunEventKind::PersonConfirmed { confirmations: confirmations.iter().map(confirmation).collect() }
        }
        RunEvent::Planned { proposal_id } => {
            RunEventKind::PlanProposed { proposal_id: (*proposal_id).to_owned() }
        }
        RunEvent::PlanDecided(plan) => RunEventKind::PlanDecided {
            proposal_id: plan.proposal_id.clone(),
            state: plan.state.clone(),
            steps: plan.steps.iter().map(plan_step).collect(),
        },
        RunEvent::Compacted { dropped_turns } => {
            RunEventKind::ContextCompacted { dropped_turns: *dropped_turns }
        }
        RunEvent::HandedOff { run_id } => RunEventKind::RunHandedOff { run_id: (*run_id).to_owned() },
        RunEvent::Stopped(report) => RunEventKind::RunStopped {
            run_id: report.run_id.clone(),
            outcome: ending(&report.outcome),
            error_kind: error_kind(&report.outcome).map(ToOwned::to_owned),
        },
        RunEvent::Model(_) | RunEvent::Worker { .. } => return None,
    })
}

pub(crate) fn judged(tool: &str, judgement: &CallJudgement) -> Option<RunEventKind> {
    let error = judgement.error.as_ref()?;
    Some(RunEventKind::CallJudged(CallJudged {
        tool_call_id: judgement.tool_call_id.clone(),
        tool: tool.to_owned(),
        effect: judgement.effect.token().to_owned(),
        code: error.code.code().to_owned(),
        hint: error.model_message().to_owned(),
        policy_name: error.policy_name.clone(),
        human_message: error.human_message.clone(),
        targets: judgement.targets.iter().map(|target| target.name.clone()).collect(),
    }))
}

pub(crate) fn confirmation(said: &Confirmation) -> ConfirmationRow {
    ConfirmationRow {
        tool_call_id: said.tool_call_id.clone(),
        approval_id: said.approval_id.clone(),
        answer: said.answer.token().to_owned(),
        decided_by: said.decided_by.clone(),
    }
}

pub(crate) fn plan_step(step: &PlanStepResult) -> PlanStepRow {
    PlanStepRow {
        tool: step.tool.clone(),
        about: step.about.clone(),
        state: step.state.clone(),
        detail: step.detail.clone(),
    }
}

/// INVARIANT: a `JsonText` is strict JSON, so it is read; a null would say otherwise.
pub(crate) fn json(text: &JsonText) -> Json {
    serde_json::from_str(text.as_str()).unwrap_or(Json(premath_kernel::Value::Null))
}

pub(crate) const fn used(usage: Usage) -> UsageRow {
    UsageRow {
        input_tokens: usage.input_tokens,
        cache_read_tokens: usage.cache_read_tokens,
        cache_write_tokens: usage.cache_write_tokens,
        output_tokens: usage.output_tokens,
        reasoning_tokens: usage.reasoning_tokens,
    }
}

pub(crate) fn call_end(tool: &str, outcome: &CallOutcome, millis: u64) -> CallEnd {
    let failure = outcome.failure();
    let (content, tail, reference) = match &outcome.payload {
        Payload::Inline(text) => (text.clone(), None, None),
        Payload::Stored { reference, head, tail, .. } => {
            (head.clone(), Some(tail.clone()), Some(reference.clone()))
        }
    };
    CallEnd {
        tool_call_id: outcome.tool_call_id.clone(),
        tool: tool.to_owned(),
        status: if failure.is_some() { "error" } else { "ok" }.to_owned(),
        error_code: failure.map(|failure| failure.error_code.clone()),
        retryable: failure.map(|failure| failure.retryable),
        message: failure.map(|failure| failure.message.clone()),
        exit_code: outcome.exit_code,
        content,
        tail,
        bytes: outcome.payload.len(),
        reference,
        note: (!outcome.note.is_empty()).then(|| outcome.note.clone()),
        artifacts: outcome.artifacts.iter().map(artifact).collect(),
        intent: outcome.intent.as_ref().map(|intent| intent.action.clone()),
        millis,
    }
}

fn closed(verdict: &Verdict) -> RunEventKind {
    let reason = |(class, subject, detail): &(String, String, String)| ReasonRow {
        class: class.clone(),
        subject: subject.clone(),
        detail: detail.clone(),
    };
    RunEventKind::TurnClosed {
        call_id: verdict.call_id.clone(),
        closed: verdict.is_closed,
        reasons: verdict.reasons.iter().map(reason).collect(),
        turn_digest: verdict.turn_digest.clone(),
        witness_id: verdict.witness_id.clone(),
    }
}

fn asked_call(call: &AskedCall<'_>) -> AskedCallRow {
    AskedCallRow { tool: call.tool.to_owned(), arguments: json(call.arguments), diff: call.diff.clone() }
}
