//! Conversations as a person reads them: who said what, what was called, what waits.

use premath_kernel::Moment;
use premath_wire::v1::{
    ConversationCard, ConversationChanged, ConversationListing, ConversationLog, UiData, UiDataKind, UiPart,
};

use super::table::{Cell, Table};
use super::time::relative;
use super::{lines, plain};
use crate::output::{DIM, GOOD, STRONG, TIP};

/// The answer of `conversations list`.
pub(crate) fn listing(answer: &ConversationListing, now: Moment, width: Option<usize>) -> String {
    if answer.items.is_empty() {
        return format!("no conversations\n{TIP}hint:{TIP:#} `premath conversations start` begins one\n");
    }
    let mut table = Table::new(&["id", "messages", "title", "last"], 2);
    for item in &answer.items {
        table.row(vec![
            Cell::styled(plain(&item.id), STRONG),
            Cell::new(item.message_count.to_string()),
            Cell::new(plain(&item.title)),
            Cell::styled(relative(&item.updated_at, now), DIM),
        ]);
    }
    table.render(width)
}

/// The answer of `conversations start`, `rename` and `delete`.
pub(crate) fn changed(answer: &ConversationChanged, what: &str) -> String {
    let (id, title) = (plain(&answer.conversation.id), plain(&answer.conversation.title));
    let mut text = format!("{GOOD}{what}{GOOD:#} {STRONG}{id}{STRONG:#} {DIM}{title}{DIM:#}\n");
    if answer.action == "conversation.start" {
        let next = format!("`premath run --desk --conversation {id} \"…\"` says something in it");
        text.push_str(&format!("{TIP}hint:{TIP:#} {next}\n"));
    }
    text
}

/// The answer of `conversations show`.
pub(crate) fn card(answer: &ConversationCard) -> String {
    let (id, title) = (plain(&answer.conversation.id), plain(&answer.conversation.title));
    let mut text = format!("{STRONG}{title}{STRONG:#} {DIM}{id}{DIM:#}\n");
    if let Some(earlier) = answer.earlier {
        text.push_str(&format!("{TIP}hint:{TIP:#} older messages: `--before {earlier}`\n"));
    }
    for message in &answer.messages {
        let run = plain(&message.metadata.run_id);
        text.push_str(&format!("\n{STRONG}{}{STRONG:#} {DIM}{run}{DIM:#}\n", plain(&message.role)));
        message.parts.iter().for_each(|part| text.push_str(&shown(part)));
        if let Some(outcome) = message.metadata.outcome.as_deref().filter(|outcome| *outcome != "completed") {
            text.push_str(&format!("{DIM}■ {}{DIM:#}\n", plain(outcome)));
        }
    }
    text
}

fn shown(part: &UiPart) -> String {
    match part {
        UiPart::StepStart => String::new(),
        UiPart::Text { text, .. } => ended(lines(text)),
        UiPart::Reasoning { text, .. } => format!("{DIM}{}{DIM:#}", ended(lines(text))),
        UiPart::DynamicTool { tool_name, state, error_text, .. } => {
            let why = error_text.as_deref().map(|why| format!(": {}", plain(why))).unwrap_or_default();
            format!("  {DIM}→{DIM:#} {} {DIM}{}{why}{DIM:#}\n", plain(tool_name), plain(state))
        }
        UiPart::Data(data) => told(data),
    }
}

fn told(data: &UiData) -> String {
    let member = |name: &str| {
        let found = data.data.0.as_object().and_then(|data| data.get(name)?.as_text());
        plain(found.unwrap_or_default())
    };
    match data.kind {
        UiDataKind::DataNotice => format!("  {GOOD}✓{GOOD:#} {}\n", member("text")),
        UiDataKind::DataConfirmation => {
            format!("  {TIP}?{TIP:#} {} {} {}\n", plain(&data.id), member("tool"), member("state"))
        }
        UiDataKind::DataPlan => {
            format!("  {TIP}?{TIP:#} {} {} {}\n", plain(&data.id), member("goal"), member("state"))
        }
        UiDataKind::DataUndo => {
            let (name, file) = (member("name"), member("fileId"));
            format!("  {DIM}↶ {name} {file} {}{DIM:#}\n", member("state"))
        }
        UiDataKind::DataPolicy => format!("  {DIM}✕ {}{DIM:#}\n", member("humanMessage")),
        UiDataKind::DataEffect
        | UiDataKind::DataRetrieval
        | UiDataKind::DataCitations
        | UiDataKind::DataTurn => String::new(),
    }
}

fn ended(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// The answer of `conversations log`.
pub(crate) fn log(answer: &ConversationLog, now: Moment, width: Option<usize>) -> String {
    if answer.items.is_empty() {
        return "nothing was called\n".to_owned();
    }
    let mut table = Table::new(&["when", "run", "tool", "risk", "decision", "status", "ms", "undo"], 2);
    for item in &answer.items {
        let status = item.error_code.as_deref().or(item.applied.as_deref()).unwrap_or(&item.status);
        let undo = item.undo.as_ref().map(|undo| format!("{} {}", undo.file_id, undo.state));
        table.row(vec![
            Cell::styled(relative(&item.at, now), DIM),
            Cell::new(plain(&item.run_id)),
            Cell::styled(plain(&item.tool), STRONG),
            Cell::new(plain(&item.risk)),
            Cell::new(plain(&item.decision)),
            Cell::new(plain(status)),
            Cell::new(item.duration_ms.map(|millis| millis.to_string()).unwrap_or_default()),
            Cell::new(plain(&undo.unwrap_or_default())),
        ]);
    }
    let mut text = table.render(width);
    if let Some(cursor) = &answer.next_cursor {
        text.push_str(&format!("{TIP}hint:{TIP:#} more follow with `--cursor {}`\n", plain(cursor)));
    }
    text
}
