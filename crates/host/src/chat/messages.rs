//! The messages of a conversation, made again from the journals of its runs.

use premath_bd::JournalRow;
use premath_bd::desk::SaidMessage;
use premath_wire::time::format_time;
use premath_wire::v1::{RunEnding, RunEventKind, UiChunk, UiMessage, UiMetadata, UiPart};

use super::cards::DeskCards;
use super::chunks::Chunker;
use super::fold::folded;
use super::recalled::Recalled;
use crate::agent::traces::each_session_row;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// What stands where a text was that nobody kept.
const NOT_RETAINED: &str = "(not retained)";

/// How an answer ended whose journal does not say so, and that nobody goes on with: its process was killed.
const BROKEN_OFF: &str = "broken_off";

/// What to leave out: a client that is sent a stream from its first chunk must not have what is in it already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Streamed {
    /// The run whose stream it is.
    pub(crate) run_id: String,
    /// Whether the stream began when the run was gone on with, and not when it began.
    pub(crate) is_resumed: bool,
}

impl Streamed {
    /// How many rows of a journal come before the stream.
    fn before(&self, rows: &[JournalRow]) -> usize {
        if !self.is_resumed {
            return 0;
        }
        let last = |kind: &str| {
            rows.iter().rposition(|row| {
                row.event.as_object().and_then(|event| event.get("kind")?.as_text()) == Some(kind)
            })
        };
        match (last("run.resumed"), last("run.stopped")) {
            // What it goes on with is not written yet.
            (Some(resumed), Some(stopped)) if resumed < stopped => rows.len(),
            (Some(resumed), _) => resumed,
            (None, _) => rows.len(),
        }
    }
}

/// What a person said, and what was answered; only the first where nothing was. `is_driven` says whether somebody may still be
/// answering.
pub(crate) fn messages_of(
    workspace: &Workspace,
    said: &SaidMessage,
    streamed: Option<&Streamed>,
    is_driven: bool,
) -> Result<Vec<UiMessage>, ActionError> {
    let mut messages = vec![asked(said)];
    let streamed = streamed.filter(|streamed| streamed.run_id == said.run_id);
    let mut answer = answered(workspace, said, streamed)?;
    if streamed.is_none() && !is_driven {
        // A run that was stopped before its first row has said nothing, and still was asked.
        let answer = answer.get_or_insert_with(|| silent(said));
        answer.metadata.outcome.get_or_insert_with(|| BROKEN_OFF.to_owned());
    }
    messages.extend(answer);
    Ok(messages)
}

fn asked(said: &SaidMessage) -> UiMessage {
    let text = if said.text.is_empty() { NOT_RETAINED } else { said.text.as_str() };
    UiMessage {
        id: said.message_id.clone(),
        role: "user".to_owned(),
        metadata: UiMetadata { run_id: said.run_id.clone(), at: format_time(said.at), outcome: None },
        parts: vec![UiPart::Text { text: text.to_owned(), state: None }],
    }
}

fn silent(said: &SaidMessage) -> UiMessage {
    UiMessage {
        id: said.run_id.clone(),
        role: "assistant".to_owned(),
        metadata: UiMetadata { run_id: said.run_id.clone(), at: format_time(said.at), outcome: None },
        parts: Vec::new(),
    }
}

fn answered(
    workspace: &Workspace,
    said: &SaidMessage,
    streamed: Option<&Streamed>,
) -> Result<Option<UiMessage>, ActionError> {
    let mut rows: Vec<JournalRow> = Vec::new();
    each_session_row(workspace, &said.run_id, |row| rows.push(row.clone()))?;
    rows.truncate(streamed.map_or(rows.len(), |streamed| streamed.before(&rows)));
    let Some(at) = rows.first().map(|row| row.at) else { return Ok(None) };
    let cards = DeskCards::new(workspace);
    let mut recalled = Recalled::default();
    let mut chunker = Chunker::new(&said.run_id);
    let mut chunks: Vec<UiChunk> = Vec::new();
    let mut outcome = None;
    for event in rows.iter().flat_map(|row| recalled.take(row)) {
        if let RunEventKind::RunStopped { outcome: ended, .. } = &event.event {
            outcome = Some(ended.token().to_owned());
        } else if let RunEventKind::RunStarted { .. } = &event.event {
            outcome = None;
        }
        chunks.extend(chunker.take(&event, &cards));
    }
    let metadata = UiMetadata { run_id: said.run_id.clone(), at: format_time(at), outcome };
    let (id, role) = (said.run_id.clone(), "assistant".to_owned());
    let mut parts = folded(chunks);
    let is_stopped = metadata.outcome.as_deref() == Some(RunEnding::Interrupted.token());
    if is_stopped && !said.unfinished.is_empty() {
        parts.push(UiPart::Text { text: said.unfinished.clone(), state: Some("done".to_owned()) });
    }
    Ok(Some(UiMessage { id, role, metadata, parts }))
}
