//! What a person has open on the desk, as a model is shown it: everything while there is room, then beginnings, then names.
//!
//! Contents are other people's words and stand in fences. It must not show more than its budget, but for names.

#[cfg(test)]
mod tests;

use super::excerpt::{Voice, Whole, bounded};
use super::fence::{fenced, plain_line};
use super::tokens::estimate;

/// So much of the budget may be used before contents are shown by their beginning only, in percent.
const SUMMARY_FROM: u64 = 70;
/// So much may be used before only names are shown.
const TITLE_FROM: u64 = 90;
/// How many characters a beginning has.
const SUMMARY_CHARACTERS: usize = 500;
const NAME_BYTES: usize = 200;
/// What the lines around a content take, in tokens.
const FRAME_TOKENS: u64 = 150;

/// Something that a person has open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenPanel {
    /// The id of the file.
    pub file_id: String,
    /// What people call it.
    pub name: String,
    /// `markdown` or `spreadsheet`.
    pub file_type: String,
    /// The version that is shown.
    pub version: u64,
    /// All of it.
    pub content: String,
    /// Whether the person looks at it.
    pub is_focused: bool,
    /// Whether the person keeps it.
    pub is_pinned: bool,
}

/// What is shown of the open panels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanelContext {
    /// The text.
    pub text: String,
    /// What is shown in part only, and has to be stored before the text is shown.
    pub to_store: Vec<Whole>,
}

/// The open panels within a budget of tokens: the one with the focus, then those that are kept, then the others, the
/// shorter ones first. None where nothing is open.
#[must_use]
pub fn panel_context(panels: &[OpenPanel], budget: u64) -> Option<PanelContext> {
    if panels.is_empty() {
        return None;
    }
    let mut order: Vec<&OpenPanel> = panels.iter().collect();
    order.sort_by_key(|panel| (!panel.is_focused, !panel.is_pinned, panel.content.len()));
    let mut to_store = Vec::new();
    let mut used = 0_u64;
    let mut parts = vec!["What the person has open:".to_owned()];
    for panel in order {
        let share = used.saturating_mul(100) / budget.max(1);
        let title = title(panel);
        let part = if share < SUMMARY_FROM {
            let room = budget.saturating_sub(used).saturating_sub(estimate(&title) + FRAME_TOKENS);
            let (most, source) = (bytes(&panel.content, room), source(panel));
            let text = bounded(&panel.content, most, Voice::Other(&source), &mut to_store);
            format!("{title}:\n{text}")
        } else if share < TITLE_FROM {
            let beginning: String = panel.content.chars().take(SUMMARY_CHARACTERS).collect();
            format!("{title}, its beginning:\n{}", fenced(&source(panel), &beginning))
        } else {
            format!("{title}: open, and not shown; desk_read_file reads it")
        };
        used = used.saturating_add(estimate(&part));
        parts.push(part);
    }
    Some(PanelContext { text: parts.join("\n\n"), to_store })
}

fn title(panel: &OpenPanel) -> String {
    let focus = if panel.is_focused { ", in focus" } else { "" };
    let name = plain_line(&panel.name, NAME_BYTES);
    format!("{name} ({}, {}, version {}{focus})", panel.file_id, panel.file_type, panel.version)
}

fn source(panel: &OpenPanel) -> String {
    format!("panel:{}", panel.file_id)
}

/// How many bytes of a text so many tokens are at least.
fn bytes(text: &str, tokens: u64) -> usize {
    let each = if text.is_ascii() { 4 } else { 2 };
    usize::try_from(tokens.saturating_mul(each)).unwrap_or(usize::MAX)
}
