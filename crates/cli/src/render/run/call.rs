//! The card of one call: what was asked, whether it worked, and the first lines of what came of it.

use anstyle::{AnsiColor, Style};
use premath_tusk::evidence::{CallOutcome, CallStatus, Failure, Payload};

use super::figures::{bytes, counted, span};
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};
use crate::render::plain;
use crate::render::table::shortened;

/// What goes, in a diff. Not the red of what went wrong, which is bold.
const GONE: Style = AnsiColor::Red.on_default();
/// The most lines of a diff.
const DIFF_LINES: usize = 40;
/// The most lines of output, and how many of them are the last ones when there are more.
const OUTPUT_LINES: (usize, usize) = (12, 3);
/// The same for tools that only look: their output is the model's reading, not news.
const LOOK_LINES: (usize, usize) = (5, 1);
/// Less than this is not worth telling.
const QUICK_MILLIS: u64 = 50;

/// A call that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Begun {
    /// The call.
    pub(super) tool_call_id: String,
    /// The tool, safe to print.
    pub(super) tool: String,
    /// What it is about, safe to print.
    pub(super) brief: String,
    /// What it will change.
    pub(super) diff: Option<String>,
    /// Whether a program makes it.
    pub(super) is_nested: bool,
}

impl Begun {
    /// The card of a call that never ended.
    pub(super) fn unfinished(&self, room: usize) -> String {
        headline(&format!("{WARN}?{WARN:#}"), &self.tool, &self.brief, "did not finish", room)
    }

    /// The card of a call that ended.
    pub(super) fn finished(&self, outcome: &CallOutcome, millis: u64, room: usize) -> String {
        let mut facts = Vec::new();
        let glyph = match (&outcome.status, outcome.exit_code) {
            (CallStatus::Failed(failure), _) => {
                facts.push(plain(&failure.error_code));
                format!("{BAD}✗{BAD:#}")
            }
            (CallStatus::Ok, Some(code)) if code != 0 => {
                facts.push(format!("exit {code}"));
                format!("{WARN}✗{WARN:#}")
            }
            (CallStatus::Ok, _) => format!("{GOOD}✓{GOOD:#}"),
        };
        if outcome.intent.is_some() {
            facts.push("waits for the turn to close".to_owned());
        }
        if millis >= QUICK_MILLIS {
            facts.push(span(millis));
        }
        let mut text = headline(&glyph, &self.tool, &self.brief, &facts.join(" · "), room);
        if self.is_nested {
            // What it gave back is the program's reading; whoever watches sees what changed.
            if let (Some(diff), CallStatus::Ok) = (&self.diff, &outcome.status) {
                text.push_str(&changes(diff, room));
            }
            return text.lines().map(|line| format!("  {line}\n")).collect();
        }
        if let CallStatus::Failed(failure) = &outcome.status {
            text.push_str(&failed(failure, room));
        }
        text.push_str(&self.content(outcome, room));
        text
    }

    fn content(&self, outcome: &CallOutcome, room: usize) -> String {
        match (&self.diff, &outcome.status) {
            (Some(diff), CallStatus::Ok) => changes(diff, room),
            (Some(_) | None, CallStatus::Ok | CallStatus::Failed(_)) => {
                let most = match self.tool.as_str() {
                    "fs_read" | "fs_list" | "fs_search" | "tool_search" | "resolve_ref" => LOOK_LINES,
                    _ => OUTPUT_LINES,
                };
                output(&outcome.payload, most, room)
            }
        }
    }
}

fn headline(glyph: &str, tool: &str, brief: &str, facts: &str, room: usize) -> String {
    let left = room.saturating_sub(tool.chars().count() + facts.chars().count() + 8);
    let brief = shortened(brief, left.max(20));
    let mut line = format!("  {glyph} {STRONG}{tool}{STRONG:#}");
    if !brief.is_empty() {
        line.push(' ');
        line.push_str(&brief);
    }
    if !facts.is_empty() {
        line.push_str(&format!("  {DIM}{facts}{DIM:#}"));
    }
    line.push('\n');
    line
}

fn failed(failure: &Failure, room: usize) -> String {
    let again = if failure.retryable { "; it may be tried again" } else { "" };
    let message = format!("{}{again}", plain(&failure.message));
    let mut text = format!("      {}\n", shortened(&message, room.saturating_sub(6)));
    for closest in &failure.closest_matches {
        text.push_str(&format!("      {TIP}closest:{TIP:#}\n"));
        text.push_str(&excerpt(closest.lines(), LOOK_LINES, room));
    }
    text
}

/// What a file or a command said, bounded.
fn output(payload: &Payload, most: (usize, usize), room: usize) -> String {
    match payload {
        Payload::Inline(text) => excerpt(text.lines(), most, room),
        Payload::Stored { reference, bytes: size, head, tail } => {
            let (all, last) = most;
            let mut text = String::new();
            for line in head.lines().take(all.saturating_sub(last)) {
                text.push_str(&quoted(line, room));
            }
            let whole = format!("… {} in all: {}", bytes(*size), plain(reference));
            text.push_str(&format!("      {DIM}{}{DIM:#}\n", shortened(&whole, room.saturating_sub(6))));
            let lines: Vec<&str> = tail.lines().collect();
            for line in lines.iter().skip(lines.len().saturating_sub(last)) {
                text.push_str(&quoted(line, room));
            }
            text
        }
    }
}

/// The first lines and the last ones, with what is between them counted.
fn excerpt<'t>(lines: impl Iterator<Item = &'t str>, (most, last): (usize, usize), room: usize) -> String {
    let lines: Vec<&str> = lines.collect();
    // One line in place of one line would gain nothing.
    if lines.len() <= most + 1 {
        return lines.iter().map(|line| quoted(line, room)).collect();
    }
    let first = most - last;
    let left_out = u64::try_from(lines.len() - most).unwrap_or(u64::MAX);
    let mut text: String = lines.iter().take(first).map(|line| quoted(line, room)).collect();
    text.push_str(&more(left_out));
    text.extend(lines.iter().skip(lines.len() - last).map(|line| quoted(line, room)));
    text
}

fn more(lines: u64) -> String {
    format!("      {DIM}… {}{DIM:#}\n", counted(lines, "more line"))
}

/// One line of somebody else's: it cannot act, and it cannot be longer than the screen is wide.
fn quoted(line: &str, room: usize) -> String {
    let line = plain(&line.replace('\t', "    "));
    let line = shortened(line.trim_end(), room.saturating_sub(6));
    if line.is_empty() { "\n".to_owned() } else { format!("      {DIM}{line}{DIM:#}\n") }
}

/// A diff, coloured.
pub(crate) fn changes(diff: &str, room: usize) -> String {
    let lines: Vec<&str> = diff.lines().collect();
    let mut text = String::new();
    for line in lines.iter().take(DIFF_LINES) {
        let style = match line.chars().next() {
            _ if line.starts_with("+++") || line.starts_with("---") => DIM,
            Some('+') => GOOD,
            Some('-') => GONE,
            Some('@') => TIP,
            Some(_) | None => Style::new(),
        };
        let line = shortened(&plain(&line.replace('\t', "    ")), room.saturating_sub(6));
        text.push_str(&format!("      {style}{line}{style:#}\n"));
    }
    if let Some(left_out) = lines.len().checked_sub(DIFF_LINES).filter(|left_out| *left_out > 0) {
        text.push_str(&more(u64::try_from(left_out).unwrap_or(u64::MAX)));
    }
    text
}
