//! The cards around a run: what it is to do, and what it came to.

use anstyle::Style;
use premath_tusk::turn_loop::{RunEvent, RunReport};
use premath_wire::v1::RunEnding;
use unicode_width::UnicodeWidthStr as _;

use super::ending::{detail, next};
use super::figures::{count, counted, money, of_programs, span};
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};
use crate::render::plain;
use premath_host::ending;

/// More of a task than this is in the journal.
const TASK_LINES: usize = 6;

/// What stands above a run; nothing for another event.
pub(super) fn opened(event: &RunEvent<'_>) -> String {
    let RunEvent::Started {
        run_id,
        task,
        issue_id,
        models,
        pattern,
        is_resumed,
        denied,
        blocked,
        workdir,
        ..
    } = event
    else {
        return String::new();
    };
    let goes_on = if *is_resumed { format!(" {TIP}goes on{TIP:#}") } else { String::new() };
    let folder = plain(&workdir.to_string_lossy());
    let mut text = format!("{STRONG}run {}{STRONG:#}{goes_on} in {folder}\n", plain(run_id));
    let mut lines = task.trim().lines();
    let shown: Vec<String> = lines.by_ref().take(TASK_LINES).map(plain).collect();
    text.push_str(&format!("  {DIM}task {DIM:#}   {}\n", shown.join("\n          ")));
    if lines.next().is_some() {
        text.push_str(&format!("          {DIM}…{DIM:#}\n"));
    }
    if let Some(issue) = issue_id {
        text.push_str(&format!("  {DIM}issue{DIM:#}   {}\n", plain(issue)));
    }
    let models: Vec<String> = models.iter().map(|model| plain(model)).collect();
    text.push_str(&format!("  {DIM}model{DIM:#}   {}\n", models.join(", then ")));
    if *pattern != "single" {
        text.push_str(&format!("  {DIM}works{DIM:#}   {}\n", pattern.replace('_', " ")));
    }
    for error in *denied {
        let (message, code) = (plain(&error.human_message), error.code.code());
        text.push_str(&format!("  {BAD}denied{BAD:#}  {message} {DIM}({code}){DIM:#}\n"));
    }
    for line in *blocked {
        text.push_str(&format!("  {WARN}blocked{WARN:#} {}\n", plain(line)));
    }
    if let (RunEvent::Started { reads_history: true, .. }, Some(end)) = (event, text.find('\n')) {
        text.insert_str(end, &format!(" {WARN}git history is readable{WARN:#}"));
    }
    text
}

/// The look of an ending.
pub(super) const fn mark(ending: RunEnding) -> (Style, &'static str) {
    match ending {
        RunEnding::Completed => (GOOD, "✓"),
        RunEnding::HandedOff => (GOOD, "→"),
        RunEnding::FailedClosed | RunEnding::ModelFailed => (BAD, "✗"),
        RunEnding::Limit
        | RunEnding::Interrupted
        | RunEnding::NeedsPerson
        | RunEnding::QuestionExpired
        | RunEnding::Declined => (WARN, "■"),
    }
}

/// An ending in words.
pub(super) fn words(ending: RunEnding) -> &'static str {
    match ending {
        RunEnding::Completed => "completed",
        RunEnding::HandedOff => "handed off",
        RunEnding::FailedClosed => "failed closed",
        RunEnding::Limit => "stopped at a limit",
        RunEnding::Interrupted => "interrupted",
        RunEnding::NeedsPerson => "waits for a person",
        RunEnding::QuestionExpired => "question expired",
        RunEnding::Declined => "declined by a person",
        RunEnding::ModelFailed => "no model answered",
    }
}

/// What stands below a run.
pub(super) fn closed(report: &RunReport) -> String {
    let ending = ending(&report.outcome);
    let (style, glyph) = mark(ending);
    let mut text = format!("\n{style}{glyph} {}{style:#}", words(ending));
    if let Some(detail) = detail(&report.outcome) {
        text.push_str(&format!(": {}", plain(&detail)));
    }
    text.push_str(&format!("\n  {}\n", facts(report)));
    let commands = next(report);
    let widest = commands.iter().map(|(command, _)| command.width()).max().unwrap_or(0);
    for (command, why) in &commands {
        let (command, gap) = (plain(command), " ".repeat(widest.saturating_sub(command.width()) + 2));
        text.push_str(&format!("  {TIP}{command}{TIP:#}{gap}{DIM}{why}{DIM:#}\n"));
    }
    text
}

fn facts(report: &RunReport) -> String {
    let mut turns = counted(report.turns, "turn");
    if report.refused_turns > 0 {
        turns.push_str(&format!(" ({} refused)", count(report.refused_turns)));
    }
    let mut facts = vec![turns, counted(report.tool_calls, "call"), counted(report.tokens, "token")];
    if report.cost_micros > 0 {
        facts.push(money(report.cost_micros));
    }
    if report.has_filtered() {
        let said = of_programs(report.filtered_tokens, report.unfiltered_tokens);
        facts.push(format!("programs: {said}"));
    }
    facts.push(span(report.wall_millis));
    if report.workers > 0 {
        facts.push(counted(report.workers, "worker"));
    }
    if report.applied > 0 {
        facts.push(counted(report.applied, "change"));
    }
    facts.join(&format!(" {DIM}·{DIM:#} "))
}
