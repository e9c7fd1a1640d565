//! What was said in one exchange, as the next run of its conversation shows it to a model: read from the journal.

use std::collections::BTreeMap;

use premath_bd::desk::SaidMessage;
use premath_tusk::context::{Exchange, plain_line};
use premath_wire::v1::{CallEnd, IntentState, ModelTextKind, RunEnding, RunEventKind};

use super::recalled::Recalled;
use crate::agent::traces::each_session_row;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// The most bytes of the arguments of a call that are named.
const ARGUMENT_BYTES: usize = 120;

/// What came of a message.
pub(crate) fn exchange(workspace: &Workspace, said: &SaidMessage) -> Result<Exchange, ActionError> {
    let mut recalled = Recalled::default();
    let mut heard = Heard::default();
    each_session_row(workspace, &said.run_id, |row| {
        recalled.take(row).into_iter().for_each(|event| heard.take(event.event));
    })?;
    Ok(Exchange {
        asked: said.text.clone(),
        answered: heard.text.trim().to_owned(),
        calls: heard.order.iter().filter_map(|id| heard.calls.remove(id)).collect(),
        ending: heard.ending,
    })
}

#[derive(Debug, Default)]
struct Heard {
    text: String,
    turn: u64,
    order: Vec<(u64, String)>,
    calls: BTreeMap<(u64, String), String>,
    ending: Option<String>,
}

impl Heard {
    fn take(&mut self, event: RunEventKind) {
        match event {
            RunEventKind::TurnStarted { turn, .. } => {
                self.turn = turn;
                if !self.text.is_empty() && !self.text.ends_with('\n') {
                    self.text.push('\n');
                }
            }
            RunEventKind::ModelText { kind: ModelTextKind::Text | ModelTextKind::Refusal, text } => {
                self.text.push_str(&text);
            }
            RunEventKind::CallStarted { tool_call_id, tool, arguments, .. } => {
                let arguments = serde_json::to_string(&arguments).unwrap_or_default();
                let line = format!("{tool} {}", plain_line(&arguments, ARGUMENT_BYTES));
                let key = (self.turn, tool_call_id);
                if self.calls.insert(key.clone(), line).is_none() {
                    self.order.push(key);
                }
            }
            RunEventKind::CallFinished(end) => {
                let word = came_to(&end);
                self.note(end.tool_call_id, &word);
            }
            RunEventKind::IntentApplied(applied) => {
                let word = match applied.result {
                    IntentState::Applied => "done".to_owned(),
                    IntentState::Unchanged => "nothing to change".to_owned(),
                    IntentState::Refused => format!("refused, {}", applied.class.unwrap_or_default()),
                };
                self.note(applied.tool_call_id, &word);
            }
            RunEventKind::PlanDecided { proposal_id, state, .. } => {
                self.ending = Some(format!("The plan {proposal_id} is {state}."));
            }
            RunEventKind::RunStopped { outcome, .. } => {
                self.ending = self.ending.take().or_else(|| ended(outcome))
            }
            RunEventKind::RunStarted { .. } => self.ending = None,
            RunEventKind::ModelText { kind: ModelTextKind::Reasoning, .. }
            | RunEventKind::TurnAnswered { .. }
            | RunEventKind::TurnClosed { .. }
            | RunEventKind::WorkerStarted { .. }
            | RunEventKind::WorkerFinished { .. }
            | RunEventKind::PersonAsked { .. }
            | RunEventKind::PersonDecided { .. }
            | RunEventKind::CallJudged(_)
            | RunEventKind::PersonConfirmed { .. }
            | RunEventKind::PlanProposed { .. }
            | RunEventKind::ContextCompacted { .. }
            | RunEventKind::RunHandedOff { .. } => {}
        }
    }

    fn note(&mut self, tool_call_id: String, word: &str) {
        if let Some(line) = self.calls.get_mut(&(self.turn, tool_call_id)) {
            line.push_str(": ");
            line.push_str(word);
        }
    }
}

fn came_to(end: &CallEnd) -> String {
    match (&end.error_code, &end.intent) {
        (Some(code), _) => code.clone(),
        (None, Some(_)) => "asked for".to_owned(),
        (None, None) => "ok".to_owned(),
    }
}

/// What is said of an end that is none.
fn ended(outcome: RunEnding) -> Option<String> {
    let word = match outcome {
        RunEnding::Completed | RunEnding::HandedOff => return None,
        RunEnding::FailedClosed => "The answer was refused, and nothing was changed.",
        RunEnding::Limit => "The answer stopped at a limit.",
        RunEnding::Interrupted => "The person stopped the answer.",
        RunEnding::NeedsPerson => "What was asked for waits for the person.",
        RunEnding::QuestionExpired => "The question to the person expired without an answer.",
        RunEnding::Declined => "The person said no.",
        RunEnding::ModelFailed => "No answer came.",
    };
    Some(word.to_owned())
}
