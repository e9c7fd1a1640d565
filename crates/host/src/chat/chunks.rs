//! From the events of a run to the chunks of a stream. Pure, but for the cards it looks up.
//!
//! Whatever begins ends: texts, turns, the stream itself. Workers are not shown. It must not say more about a model that
//! failed than one fixed sentence.

mod data;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use premath_wire::Json;
use premath_wire::v1::{
    CallEnd, ConfirmationRow, IntentResult, IntentState, ModelTextKind, RunEnding, RunEventKind, RunEventRow,
    UiChunk, UiDataKind,
};
use serde_json::{Value, json};

use self::data::{data, told};
use super::cards::{Cards, ChangeCard};

/// Makes chunks of one stream.
#[derive(Debug)]
pub struct Chunker {
    message_id: String,
    run_id: String,
    call_id: String,
    turn_digest: String,
    is_begun: bool,
    is_in_step: bool,
    open: Option<OpenText>,
    texts: u64,
    notes: u64,
    /// Calls whose arguments were told.
    told: BTreeSet<String>,
    /// What a client does once a change is made, by call.
    effects: BTreeMap<String, Vec<Value>>,
}

/// A text that has begun and not ended.
#[derive(Debug)]
struct OpenText {
    is_reasoning: bool,
    id: String,
}

impl Chunker {
    /// For the message that a run answers with.
    #[must_use]
    pub fn new(message_id: &str) -> Self {
        Self {
            message_id: message_id.to_owned(),
            run_id: message_id.to_owned(),
            call_id: String::new(),
            turn_digest: String::new(),
            is_begun: false,
            is_in_step: false,
            open: None,
            texts: 0,
            notes: 0,
            told: BTreeSet::new(),
            effects: BTreeMap::new(),
        }
    }

    /// The chunks of an event.
    #[must_use]
    pub fn take(&mut self, row: &RunEventRow, cards: &dyn Cards) -> Vec<UiChunk> {
        let mut chunks = Vec::new();
        if row.workers.is_empty() {
            self.event(&row.event, cards, &mut chunks);
        }
        chunks
    }

    fn event(&mut self, event: &RunEventKind, cards: &dyn Cards, chunks: &mut Vec<UiChunk>) {
        match event {
            RunEventKind::RunStarted { run_id, denied, resumed, .. } => {
                self.run_id.clone_from(run_id);
                if !self.is_begun {
                    self.is_begun = true;
                    chunks.push(UiChunk::Start { message_id: self.message_id.clone() });
                }
                // Its calls keep the ids that they had: what goes on is the same message.
                if *resumed && self.call_id.is_empty() {
                    self.call_id = cards.turn(run_id).unwrap_or_default();
                }
                for (at, error) in denied.iter().enumerate().filter(|_| !resumed) {
                    chunks.push(data(UiDataKind::DataPolicy, format!("{run_id}-denied-{at}"), error.clone()));
                }
            }
            RunEventKind::TurnStarted { call_id, .. } => {
                self.end_step(chunks);
                self.call_id.clone_from(call_id);
                (self.is_in_step, self.texts) = (true, 0);
                chunks.push(UiChunk::StartStep);
            }
            RunEventKind::ModelText { kind, text } => self.say(*kind, text, chunks),
            RunEventKind::TurnAnswered { .. } => self.end_text(chunks),
            RunEventKind::CallJudged(judged) if judged.effect == "deny" => {
                let id = self.unique(&judged.tool_call_id);
                chunks.push(data(UiDataKind::DataPolicy, id, told(&data::judged(judged))));
            }
            RunEventKind::PersonConfirmed { confirmations } => {
                confirmations.iter().for_each(|said| self.confirmed(said, cards, chunks));
            }
            RunEventKind::PersonDecided { .. } => {
                for approval in cards.waiting(&self.run_id).iter().filter(|one| one.kind == "checkpoint") {
                    let card = told(&data::confirmation(approval));
                    chunks.push(data(UiDataKind::DataConfirmation, approval.id.clone(), card));
                }
            }
            RunEventKind::CallStarted { tool_call_id, tool, arguments, .. } => {
                self.input(tool_call_id, tool, arguments, chunks);
            }
            RunEventKind::CallFinished(end) => self.finished(end, chunks),
            RunEventKind::TurnClosed { call_id, closed, reasons, turn_digest, .. } => {
                self.turn_digest.clone_from(turn_digest);
                let verdict = if *closed { "closed" } else { "refused" };
                let turn = json!({
                    "callId": call_id, "verdict": verdict, "reasons": reasons, "turnDigest": turn_digest,
                    "runId": self.run_id,
                });
                chunks.push(data(UiDataKind::DataTurn, call_id.clone(), told(&turn)));
            }
            RunEventKind::IntentApplied(applied) => self.applied(applied, cards, chunks),
            RunEventKind::PlanProposed { proposal_id } | RunEventKind::PlanDecided { proposal_id, .. } => {
                planned(proposal_id, cards, chunks);
            }
            RunEventKind::RunStopped { outcome, error_kind, .. } => {
                self.stopped(*outcome, error_kind.as_deref(), chunks);
            }
            RunEventKind::CallJudged(_)
            | RunEventKind::WorkerStarted { .. }
            | RunEventKind::WorkerFinished { .. }
            | RunEventKind::PersonAsked { .. }
            | RunEventKind::ContextCompacted { .. }
            | RunEventKind::RunHandedOff { .. } => {}
        }
    }

    fn say(&mut self, kind: ModelTextKind, text: &str, chunks: &mut Vec<UiChunk>) {
        let is_reasoning = kind == ModelTextKind::Reasoning;
        if self.open.as_ref().is_some_and(|open| open.is_reasoning != is_reasoning) {
            self.end_text(chunks);
        }
        let id = match &self.open {
            Some(open) => open.id.clone(),
            None => {
                self.texts += 1;
                let id = format!("{}-{}", self.call_id, self.texts);
                chunks.push(if is_reasoning {
                    UiChunk::ReasoningStart { id: id.clone() }
                } else {
                    UiChunk::TextStart { id: id.clone() }
                });
                self.open = Some(OpenText { is_reasoning, id: id.clone() });
                id
            }
        };
        let delta = text.to_owned();
        chunks.push(if is_reasoning {
            UiChunk::ReasoningDelta { id, delta }
        } else {
            UiChunk::TextDelta { id, delta }
        });
    }

    fn end_text(&mut self, chunks: &mut Vec<UiChunk>) {
        if let Some(OpenText { is_reasoning, id }) = self.open.take() {
            chunks.push(if is_reasoning { UiChunk::ReasoningEnd { id } } else { UiChunk::TextEnd { id } });
        }
    }

    fn end_step(&mut self, chunks: &mut Vec<UiChunk>) {
        self.end_text(chunks);
        if std::mem::take(&mut self.is_in_step) {
            chunks.push(UiChunk::FinishStep);
        }
    }

    /// The id of a call among all calls of the message: two turns may use the same.
    fn unique(&self, tool_call_id: &str) -> String {
        format!("{}/{tool_call_id}", self.call_id)
    }

    fn input(&mut self, tool_call_id: &str, tool: &str, arguments: &Json, chunks: &mut Vec<UiChunk>) {
        self.end_text(chunks);
        let id = self.unique(tool_call_id);
        if !self.told.insert(id.clone()) {
            return;
        }
        let (tool_name, dynamic) = (tool.to_owned(), true);
        chunks.push(UiChunk::ToolInputStart {
            tool_call_id: id.clone(),
            tool_name: tool_name.clone(),
            dynamic,
        });
        let input = arguments.clone();
        chunks.push(UiChunk::ToolInputAvailable { tool_call_id: id, tool_name, input, dynamic });
    }

    fn finished(&mut self, end: &CallEnd, chunks: &mut Vec<UiChunk>) {
        let id = self.unique(&end.tool_call_id);
        let read: Option<Value> = serde_json::from_str(&end.content).ok().filter(|_| end.reference.is_none());
        if let Some(code) = &end.error_code {
            let message = end.message.as_deref().unwrap_or_default();
            let error_text = format!("{code}: {message}");
            chunks.push(UiChunk::ToolOutputError { tool_call_id: id, error_text, dynamic: true });
            return;
        }
        if let Some(effects) = read.as_ref().and_then(|read| read.get("effects")?.as_array()) {
            self.effects.insert(end.tool_call_id.clone(), effects.clone());
        }
        if end.tool == "retrieval_search"
            && let Some(read) = &read
        {
            data::retrieved(&id, read, chunks);
        }
        let output = told(&data::output(end, read));
        chunks.push(UiChunk::ToolOutputAvailable { tool_call_id: id, output, dynamic: true });
    }

    fn confirmed(&mut self, said: &ConfirmationRow, cards: &dyn Cards, chunks: &mut Vec<UiChunk>) {
        let Some(approval) = cards.approval(&said.approval_id) else { return };
        if said.tool_call_id == approval.tool_call_id {
            self.input(&said.tool_call_id, &approval.tool, &approval.arguments, chunks);
        }
        let card = told(&data::confirmation(&approval));
        chunks.push(data(UiDataKind::DataConfirmation, approval.id, card));
    }

    /// A change was made, or was not: what a person is told, and what a client does.
    fn applied(&mut self, applied: &IntentResult, cards: &dyn Cards, chunks: &mut Vec<UiChunk>) {
        let effects = self.effects.remove(&applied.tool_call_id).unwrap_or_default();
        let id = self.unique(&applied.tool_call_id);
        match applied.result {
            IntentState::Unchanged => {}
            IntentState::Refused => {
                let refused = json!({
                    "code": applied.class, "hint": "", "policyName": "store",
                    "humanMessage": applied.detail, "retryable": false,
                });
                chunks.push(data(UiDataKind::DataPolicy, id, told(&refused)));
            }
            IntentState::Applied => {
                let made = cards.change(&self.turn_digest, &applied.intent_digest);
                if let Some(ChangeCard { id: file, name, undo }) = &made {
                    match undo {
                        Some(undo) => chunks.push(data(UiDataKind::DataUndo, id.clone(), told(&json!(undo)))),
                        None if applied.action.starts_with("desk.create_") => {
                            let notice = json!({
                                "text": format!("{name} was created"), "effect": "created", "fileId": file,
                            });
                            chunks.push(data(UiDataKind::DataNotice, id.clone(), told(&notice)));
                        }
                        None => {}
                    }
                }
                for (at, effect) in effects.into_iter().enumerate() {
                    let effect = data::effect(effect, made.as_ref().map(|made| made.id.as_str()));
                    chunks.push(data(UiDataKind::DataEffect, format!("{id}-{at}"), told(&effect)));
                }
            }
        }
    }

    fn stopped(&mut self, outcome: RunEnding, error_kind: Option<&str>, chunks: &mut Vec<UiChunk>) {
        self.end_step(chunks);
        match outcome {
            // It goes on in the next session, in the same message.
            RunEnding::HandedOff => {}
            RunEnding::Completed
            | RunEnding::NeedsPerson
            | RunEnding::QuestionExpired
            | RunEnding::Declined => {
                chunks.push(UiChunk::Finish);
            }
            RunEnding::Interrupted => chunks.push(UiChunk::Abort),
            RunEnding::Limit => {
                self.notes += 1;
                let text = "The limit of this request is reached. Ask again to go on.";
                let notice = told(&json!({ "text": text, "effect": "limit" }));
                let id = format!("{}-limit-{}", self.run_id, self.notes);
                chunks.push(data(UiDataKind::DataNotice, id, notice));
                chunks.push(UiChunk::Finish);
            }
            RunEnding::ModelFailed => {
                let error_text = failure_sentence(error_kind.unwrap_or("unknown")).to_owned();
                chunks.push(UiChunk::Error { error_text });
            }
            RunEnding::FailedClosed => {
                let error_text = "The answer was refused by a check, and nothing was changed.".to_owned();
                chunks.push(UiChunk::Error { error_text });
            }
        }
    }
}

/// The card of a plan, and what takes its steps back.
fn planned(proposal_id: &str, cards: &dyn Cards, chunks: &mut Vec<UiChunk>) {
    let Some(proposal) = cards.proposal(proposal_id) else { return };
    chunks.push(data(UiDataKind::DataPlan, proposal.id.clone(), told(&data::plan(&proposal))));
    for change in cards.changes_of_plan(&proposal) {
        if let Some(undo) = change.undo {
            let id = format!("{}-{}", proposal.id, undo.file_id);
            chunks.push(data(UiDataKind::DataUndo, id, told(&json!(undo))));
        }
    }
}

/// What is said of a model that failed: one sentence for each kind, which names no provider.
#[must_use]
pub fn failure_sentence(kind: &str) -> &'static str {
    match kind {
        "authentication" => "The assistant is not set up correctly: the model refused the key.",
        "rate_limit" => "The assistant is asked too often at the moment. Try again in a minute.",
        "model" => "The model that is configured could not take the request.",
        "context_length" => "The conversation is too long for the model. Begin a new one.",
        "timeout" => "The model did not answer in time. Try again.",
        "unavailable" | "overloaded" => "The model cannot be reached at the moment. Try again later.",
        _other => "The model gave no answer that could be used. Try again.",
    }
}
