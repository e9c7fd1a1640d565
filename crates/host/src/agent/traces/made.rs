//! What runs made: their turns with the files they wrote and the changes they asked for, read from journals.
//!
//! Nothing is run again: what a journal says is taken as it is. It must not change anything.

use premath_bd::{JournalRow, StoreError, runs_folder, sessions};
use premath_kernel::Value;
use premath_tusk::turn_loop::{Event, RunConfig};
use premath_wire::time::format_time;
use premath_wire::v1::{CallArtifact, IntentResult, TurnVerdict};

use super::{intent_result, journal, number, text};
use crate::agent::resume::each_readable_row;
use crate::agent::retention;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// What one run did.
#[derive(Debug, Default)]
pub(crate) struct MadeRun {
    pub(crate) run_id: String,
    pub(crate) task: String,
    pub(crate) started_at: String,
    pub(crate) parent: Option<String>,
    pub(crate) turns: Vec<MadeTurn>,
}

/// What one turn did.
#[derive(Debug)]
pub(crate) struct MadeTurn {
    pub(crate) call_id: String,
    pub(crate) turn: u64,
    pub(crate) at: String,
    pub(crate) model: Option<String>,
    pub(crate) verdict: TurnVerdict,
    pub(crate) turn_digest: Option<String>,
    pub(crate) witness_id: Option<String>,
    pub(crate) calls: Vec<MadeCall>,
    pub(crate) applied: Vec<IntentResult>,
}

/// What one call did.
#[derive(Debug)]
pub(crate) struct MadeCall {
    pub(crate) tool_call_id: String,
    pub(crate) tool: String,
    pub(crate) artifacts: Vec<CallArtifact>,
}

/// The runs there are, by name, the newest name last.
pub(crate) fn run_names(workspace: &Workspace) -> Result<Vec<String>, ActionError> {
    Ok(sessions(workspace.disk.as_ref(), &runs_folder(&workspace.root))?)
}

/// What a run did; none where nothing is left of it.
pub(crate) fn made(workspace: &Workspace, run_id: &str) -> Result<Option<MadeRun>, ActionError> {
    let journal = match journal(workspace, run_id) {
        Ok(journal) => journal,
        // What stays names no file; the turns and their verdicts are there.
        Err(ActionError::NotRetained { .. }) => retention::kept(workspace, run_id)?,
        Err(_) => return Ok(None),
    };
    let mut run = MadeRun::default();
    let read = each_readable_row(&journal, |row| {
        run.take(row);
        Ok(())
    });
    match read {
        Ok(_) => Ok((!run.run_id.is_empty()).then_some(run)),
        Err(ActionError::Store(StoreError::Missing { .. }) | ActionError::Input(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

impl MadeRun {
    fn take(&mut self, row: &JournalRow) {
        let event = &row.event;
        match text(event, "kind").unwrap_or_default() {
            "run.started" => self.started(row),
            "turn.called" => self.turns.push(MadeTurn {
                call_id: text(event, "callId").unwrap_or_default().to_owned(),
                turn: number(event, "turn").unwrap_or_default(),
                at: format_time(row.at),
                model: None,
                verdict: TurnVerdict::Open,
                turn_digest: None,
                witness_id: None,
                calls: Vec::new(),
                applied: Vec::new(),
            }),
            "program.called" => self.called_by_program(event),
            "turn.answered" | "turn.results" | "turn.applied" => self.happened(event),
            "turn.closed" => self.closed(event),
            _other => {}
        }
    }

    fn started(&mut self, row: &JournalRow) {
        let config = row.event.as_object().and_then(|event| event.get("config"));
        if config.is_none() {
            self.run_id = text(&row.event, "runId").unwrap_or_default().to_owned();
            self.started_at = format_time(row.at);
        }
        let Some(config) = config.and_then(|config| RunConfig::from_value(config).ok()) else { return };
        self.run_id = config.run_id;
        self.task = config.task;
        self.started_at = format_time(row.at);
        self.parent = config.parent.map(|parent| parent.run_id);
    }

    fn happened(&mut self, event: &Value<'_>) {
        let Some(turn) = self.turns.last_mut() else { return };
        match Event::from_value(event) {
            Ok(Some(Event::Answered(answer))) => {
                turn.model = Some(answer.model_ref.clone());
                let call = |call: &premath_tusk::model::ToolCall| MadeCall {
                    tool_call_id: call.id.clone(),
                    tool: call.name.clone(),
                    artifacts: Vec::new(),
                };
                turn.calls = answer.calls().map(call).collect();
            }
            Ok(Some(Event::ToolsFinished { outcomes, .. })) => {
                for outcome in &outcomes {
                    let id = &outcome.tool_call_id;
                    if let Some(call) = turn.calls.iter_mut().find(|call| call.tool_call_id == *id) {
                        call.artifacts =
                            outcome.artifacts.iter().map(crate::agent::artifact_rows::artifact).collect();
                    }
                }
            }
            Ok(Some(Event::Applied { outcomes })) => {
                turn.applied.extend(outcomes.iter().map(intent_result));
            }
            Ok(Some(_) | None) | Err(_) => {}
        }
    }

    /// The calls of a program stand behind those of the answer.
    fn called_by_program(&mut self, event: &Value<'_>) {
        let Some(turn) = self.turns.last_mut() else { return };
        let call = |call: &Value<'_>| MadeCall {
            tool_call_id: text(call, "id").unwrap_or_default().to_owned(),
            tool: text(call, "name").unwrap_or_default().to_owned(),
            artifacts: Vec::new(),
        };
        turn.calls.extend(super::each(event, "calls").map(call));
    }

    fn closed(&mut self, event: &Value<'_>) {
        let call_id = text(event, "callId").unwrap_or_default();
        let Some(turn) = self.turns.iter_mut().rfind(|turn| turn.call_id == call_id) else { return };
        let is_closed = text(event, "result") == Some("accepted");
        turn.verdict = if is_closed { TurnVerdict::Closed } else { TurnVerdict::Refused };
        turn.turn_digest = text(event, "turnDigest").map(str::to_owned);
        turn.witness_id = text(event, "witnessId").map(str::to_owned);
    }
}
