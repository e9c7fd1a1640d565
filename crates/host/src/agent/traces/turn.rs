//! One turn as it was: its machine is run again until there, and looked at.

use premath_bd::JournalRow;
use premath_kernel::{Digests, Value};
use premath_tusk::context::estimate;
use premath_tusk::evidence::{CallOutcome, Payload};
use premath_tusk::model::{AssistantPart, Message, UserPart};
use premath_tusk::turn_loop::{Event, PlannedCall, Redrive, RedriveError, Step, TurnCase, sent_request};
use premath_wire::Json;
use premath_wire::v1::{
    CallRow, CallTruncation, FilteredTokens, MessageRow, TurnCard, TurnDigests, TurnVerdict,
};

use super::case::describe_case;
use super::{each, intent_result, journal, number, reasons, text};
use crate::actions::issue::count;
use crate::agent::artifact_rows::{artifact, observed};
use crate::agent::resume::{differs, each_journal_row, missing, refuse_damaged};
use crate::table::ActionError;
use crate::workspace::Workspace;

/// What one turn was: what the model saw, what it said, what came of it, how it was judged.
pub(crate) fn turn(workspace: &Workspace, call_id: &str) -> Result<TurnCard, ActionError> {
    let (mut card, case) = redrive_turn(workspace, call_id)?;
    if let Some(case) = case {
        describe_case(&mut card, &case)?;
    }
    Ok(card)
}

/// Runs the machine of a turn again until the turn was judged: what it was, and the case that the kernel judged.
pub(super) fn redrive_turn(
    workspace: &Workspace,
    call_id: &str,
) -> Result<(TurnCard, Option<TurnCase>), ActionError> {
    let unknown = || missing(&format!("there is no turn `{call_id}`"));
    let (run_id, _) = call_id.rsplit_once(".t").ok_or_else(unknown)?;
    let journal = journal(workspace, run_id)?;
    refuse_damaged(&journal)?;
    let redrive = Redrive::recording_turns();
    let mut looking = Looking { call_id, card: None, case: None, redrive, is_inside: false, shown: 0 };
    each_journal_row(&journal, |row| looking.take(row).map_err(|error| differs(&journal, &error)))?;
    Ok((looking.card.ok_or_else(unknown)?, looking.case))
}

/// A machine that is run again until one turn, and looked at there.
struct Looking<'l> {
    call_id: &'l str,
    card: Option<TurnCard>,
    /// The turn as it was judged.
    case: Option<TurnCase>,
    redrive: Redrive,
    is_inside: bool,
    /// How many messages were shown before.
    shown: usize,
}

impl Looking<'_> {
    fn take(&mut self, row: &JournalRow) -> Result<(), RedriveError> {
        self.redrive.take(row.seq, &row.event)?;
        let event = &row.event;
        match text(event, "kind").unwrap_or_default() {
            "turn.called" => self.called(event),
            "turn.closed" if self.is_inside => self.closed(event),
            "program.called" if self.is_inside => self.called_by_program(event),
            "program.ended" if self.is_inside => self.program_ended(event),
            _other if self.is_inside => self.inside(event),
            _other => {}
        }
        Ok(())
    }

    fn called(&mut self, event: &Value<'_>) {
        self.is_inside = text(event, "callId") == Some(self.call_id);
        let Some(machine) = self.redrive.machine() else { return };
        let mut sent = None;
        let (messages, calls): (Vec<Message>, Vec<CallRow>) = match machine.next() {
            Step::CallModel(call) => {
                let digest = text(event, "contextDigest").unwrap_or_default();
                sent = self.is_inside.then(|| sent_request(&call.request, digest));
                (call.request.messages.iter().cloned().collect(), Vec::new())
            }
            // The harness has answered itself, before anybody could be asked.
            Step::CallTools(calls) | Step::Judge { calls, .. } | Step::Confirm(calls) => {
                (Vec::new(), calls.iter().map(planned_row).collect())
            }
            Step::Keep { .. }
            | Step::Apply(_)
            | Step::Spawn(_)
            | Step::AskHuman(_)
            | Step::AwaitPlan(_)
            | Step::Handoff(_)
            | Step::Compact(_)
            | Step::Done(_) => (Vec::new(), Vec::new()),
        };
        if self.is_inside && self.card.is_none() {
            self.card = Some(TurnCard {
                action: "turn.show".to_owned(),
                call_id: self.call_id.to_owned(),
                run_id: machine.config().run_id.clone(),
                turn: number(event, "turn").unwrap_or_default(),
                model: format!("harness:{}", machine.config().workflow.pattern.token()),
                stop: "tool_use".to_owned(),
                saw: messages.iter().skip(self.shown).flat_map(message_rows).collect(),
                answered: Vec::new(),
                calls,
                digests: None,
                verdict: TurnVerdict::Open,
                reasons: Vec::new(),
                witness_id: None,
                applied: Vec::new(),
                sent,
                evidence: None,
                intents: Vec::new(),
                witness_ids: Vec::new(),
            });
        }
        if !messages.is_empty() {
            self.shown = messages.len();
        }
    }

    fn inside(&mut self, event: &Value<'_>) {
        let Some(card) = &mut self.card else { return };
        match Event::from_value(event) {
            Ok(Some(Event::Answered(answer))) => {
                card.model.clone_from(&answer.model_ref);
                card.stop = answer.stop.to_string();
                card.answered = answer.parts.iter().filter_map(part_row).collect();
                card.calls = answer.calls().map(call_row).collect();
            }
            Ok(Some(Event::ToolsFinished { outcomes, .. })) => {
                for outcome in &outcomes {
                    let id = &outcome.tool_call_id;
                    // The newest of calls that are named alike: those of a program come in parts.
                    if let Some(call) = card.calls.iter_mut().rfind(|call| call.tool_call_id == *id) {
                        came_of(call, outcome);
                    }
                }
            }
            Ok(Some(Event::ProgramKept { outcome })) => {
                let id = &outcome.tool_call_id;
                if let Some(call) = card.calls.iter_mut().find(|call| call.tool_call_id == *id) {
                    came_of(call, &outcome);
                }
            }
            Ok(Some(Event::Applied { outcomes })) => {
                card.applied = outcomes.iter().map(intent_result).collect()
            }
            Ok(Some(_) | None) | Err(_) => {}
        }
    }

    fn called_by_program(&mut self, event: &Value<'_>) {
        let program = text(event, "toolCallId").map(str::to_owned);
        let Some(card) = &mut self.card else { return };
        let rows: Vec<CallRow> = each(event, "calls")
            .map(|call| CallRow {
                program: program.clone(),
                ..row(
                    text(call, "id").unwrap_or_default(),
                    text(call, "name").unwrap_or_default(),
                    text(call, "arguments").unwrap_or_default(),
                )
            })
            .collect();
        // Behind what its program has called so far, so that calls stand below the program that made them.
        let is_of_program = |call: &CallRow| match &call.program {
            Some(_) => call.program == program,
            None => Some(call.tool_call_id.trim()) == program.as_deref(),
        };
        let behind = card.calls.iter().rposition(is_of_program).map_or(card.calls.len(), |at| at + 1);
        card.calls.splice(behind..behind, rows);
    }

    fn program_ended(&mut self, event: &Value<'_>) {
        let (id, unfiltered) = (text(event, "toolCallId"), number(event, "unfilteredTokens"));
        let Some(card) = &mut self.card else { return };
        let call = card.calls.iter_mut().find(|call| Some(call.tool_call_id.trim()) == id);
        if let (Some(call), Some(unfiltered)) = (call, unfiltered) {
            call.filtered = Some(FilteredTokens { shown: 0, unfiltered });
        }
    }

    fn closed(&mut self, event: &Value<'_>) {
        let digests = self.redrive.machine().and_then(|machine| machine.last_digests()).map(digests);
        let rendered = self.redrive.machine().map(|machine| machine.last_rendered().to_vec());
        self.case = self.redrive.machine().and_then(|machine| machine.last_case()).cloned();
        let Some(card) = &mut self.card else { return };
        card.digests = digests;
        let answered = card.calls.iter_mut().filter(|call| call.program.is_none());
        for (call, text) in answered.zip(rendered.unwrap_or_default()) {
            if let Some(filtered) = &mut call.filtered {
                filtered.shown = estimate(&text);
            }
            call.rendered = text;
        }
        let is_closed = text(event, "result") == Some("accepted");
        card.verdict = if is_closed { TurnVerdict::Closed } else { TurnVerdict::Refused };
        card.reasons = reasons(event);
        card.witness_id = text(event, "witnessId").map(str::to_owned);
    }
}

fn digests(digests: &Digests) -> TurnDigests {
    let text = |digest: &premath_kernel::Digest| digest.as_str().to_owned();
    TurnDigests {
        call_spec_digest: text(&digests.call_spec),
        request_set_digest: text(&digests.request_set),
        result_set_digest: text(&digests.result_set),
        use_set_digest: text(&digests.use_set),
        tool_render_set_digest: text(&digests.tool_render_set),
        reminder_queue_set_digest: text(&digests.reminder_queue_set),
        state_view_set_digest: text(&digests.state_view_set),
        protocol_state_digest: text(&digests.protocol_state),
        join_set_digest: text(&digests.join_set),
        turn_digest: text(&digests.turn),
    }
}

fn message_rows(message: &Message) -> Vec<MessageRow> {
    match message {
        Message::User(parts) => parts.iter().map(user_row).collect(),
        Message::Assistant(parts) => parts.iter().filter_map(part_row).collect(),
    }
}

fn user_row(part: &UserPart) -> MessageRow {
    match part {
        UserPart::Text { text, .. } => {
            MessageRow { role: "user".to_owned(), tool_call_id: None, text: text.clone() }
        }
        UserPart::ToolResult(result) => MessageRow {
            role: "tool".to_owned(),
            tool_call_id: Some(result.call_id.clone()),
            text: result.content.clone(),
        },
    }
}

fn part_row(part: &AssistantPart) -> Option<MessageRow> {
    let row = |id: Option<String>, text: String| {
        Some(MessageRow { role: "assistant".to_owned(), tool_call_id: id, text })
    };
    match part {
        AssistantPart::Text(text) | AssistantPart::Refusal(text) => row(None, text.clone()),
        AssistantPart::ToolCall(call) => {
            row(Some(call.id.clone()), format!("{} {}", call.name, call.arguments.as_str()))
        }
        AssistantPart::Reasoning(_) | AssistantPart::Opaque(_) => None,
    }
}

fn planned_row(planned: &PlannedCall) -> CallRow {
    call_row(&planned.call)
}

fn call_row(call: &premath_tusk::model::ToolCall) -> CallRow {
    row(&call.id, &call.name, call.arguments.as_str())
}

fn row(id: &str, tool: &str, arguments: &str) -> CallRow {
    let arguments =
        premath_wire::strict::parse(arguments.as_bytes(), premath_wire::strict::Limits::default());
    CallRow {
        tool_call_id: id.to_owned(),
        tool: tool.to_owned(),
        arguments: Json(arguments.map_or(Value::Null, Value::into_owned)),
        status: "open".to_owned(),
        error_code: None,
        exit_code: None,
        rendered: String::new(),
        truncation: None,
        artifacts: Vec::new(),
        observed: None,
        program: None,
        filtered: None,
    }
}

fn came_of(call: &mut CallRow, outcome: &CallOutcome) {
    call.status = if outcome.failure().is_some() { "error" } else { "ok" }.to_owned();
    call.error_code = outcome.failure().map(|failure| failure.error_code.clone());
    call.exit_code = outcome.exit_code;
    call.truncation = match &outcome.payload {
        Payload::Inline(_) => None,
        Payload::Stored { reference, bytes, head, tail } => Some(CallTruncation {
            original_bytes: *bytes,
            kept_bytes: count(head.len() + tail.len()),
            reference: Some(reference.clone()),
        }),
    };
    call.artifacts = outcome.artifacts.iter().map(artifact).collect();
    call.observed = outcome.shell.as_ref().and_then(|shell| shell.observed.as_ref()).map(observed);
}
