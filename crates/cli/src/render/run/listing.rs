//! Runs as they are looked at afterwards: all of them, one of them, and one driven again.

use premath_kernel::Moment;
use premath_wire::v1::{
    IntentResult, IntentState, ReplayAnswer, RunCard, RunEnding, RunEvents, RunExport, RunForgotten,
    RunListing, TurnRow, TurnVerdict, WorkerRow,
};
use serde_json::value::RawValue;

use super::figures::{count, counted, money, of_programs};
use super::frame::{mark, words};
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};
use crate::render::plain;
use crate::render::table::{Cell, Table};
use crate::render::time::relative;

/// The answer of `runs list`.
pub(crate) fn listing(answer: &RunListing, now: Moment, width: Option<usize>) -> String {
    if answer.items.is_empty() {
        return format!(
            "no runs yet\n{TIP}hint:{TIP:#} `premath run \"what to do\"` begins one, `premath run --demo` shows one\n"
        );
    }
    let mut table = Table::new(&["RUN", "STARTED", "ENDED", "TURNS", "ISSUE", "TASK"], 5);
    for row in &answer.items {
        table.row(vec![
            Cell::styled(plain(&row.run_id), STRONG),
            Cell::new(relative(&row.started_at, now)),
            ended(row.outcome),
            Cell::new(count(row.turns)),
            Cell::new(row.issue_id.as_deref().map(plain).unwrap_or_default()),
            Cell::new(first_line(&row.task)),
        ]);
    }
    table.render(width)
}

/// A run without an end goes on, or was killed: the journal alone cannot say which.
fn ended(outcome: Option<RunEnding>) -> Cell {
    match outcome {
        Some(ending) => {
            let (style, glyph) = mark(ending);
            Cell::styled(format!("{glyph} {}", words(ending)), style)
        }
        None => Cell::styled("… no end", WARN),
    }
}

/// The answer of `runs show`.
pub(crate) fn card(answer: &RunCard, now: Moment, width: Option<usize>) -> String {
    let mut text = head(answer, now);
    if !answer.turns.is_empty() {
        text.push('\n');
        text.push_str(&turns(&answer.turns, width));
    }
    text.push_str(&files(&answer.turns));
    if !answer.workers.is_empty() {
        text.push_str(&format!("\n{STRONG}Workers{STRONG:#}\n"));
        text.extend(answer.workers.iter().map(worker));
    }
    if !answer.applied.is_empty() {
        text.push_str(&format!("\n{STRONG}Changes{STRONG:#}\n"));
        text.extend(answer.applied.iter().map(applied));
    }
    if let Some(turn) = answer.turns.last() {
        let call = plain(&turn.call_id);
        text.push_str(&format!("\n{TIP}hint:{TIP:#} `premath turn show {call}` shows all of a turn\n"));
    }
    text
}

fn head(answer: &RunCard, now: Moment) -> String {
    let run = &answer.run;
    let state = match run.outcome {
        Some(ending) => {
            let (style, glyph) = mark(ending);
            format!("{style}{glyph} {}{style:#}", words(ending))
        }
        None => format!("{WARN}… no end{WARN:#}"),
    };
    let why = answer.detail.as_deref().map(|why| format!(": {}", plain(why))).unwrap_or_default();
    let mut text = format!("{STRONG}run {}{STRONG:#}\n  {state}{why}\n", plain(&run.run_id));
    let facts = [
        ("task", Some(first_line(&run.task))),
        ("issue", run.issue_id.as_deref().map(plain)),
        ("model", run.model.as_deref().map(plain)),
        ("pattern", Some(plain(&answer.pattern))),
        ("from", run.parent_run_id.as_deref().map(plain)),
        ("started", Some(relative(&run.started_at, now))),
        ("stopped", run.stopped_at.as_deref().map(|at| relative(at, now))),
        ("code", answer.filtered.map(|filtered| of_programs(filtered.shown, filtered.unfiltered))),
        ("journal", Some(plain(&answer.journal))),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            text.push_str(&format!("  {DIM}{name:<8}{DIM:#}{value}\n"));
        }
    }
    if answer.resumable {
        text.push_str(&format!("{TIP}hint:{TIP:#} `premath resume {}` goes on\n", plain(&run.run_id)));
    }
    text
}

/// The task in one line; the journal has the others.
fn first_line(task: &str) -> String {
    let mut lines = task.trim().lines();
    let first = plain(lines.next().unwrap_or_default());
    if lines.next().is_some() { format!("{first} …") } else { first }
}

fn turns(turns: &[TurnRow], width: Option<usize>) -> String {
    let mut table = Table::new(&["TURN", "CALL ID", "VERDICT", "TOKENS", "COST", "TOOLS"], 5);
    for turn in turns {
        let verdict = match turn.verdict {
            TurnVerdict::Closed => Cell::styled("✓ closed", GOOD),
            TurnVerdict::Refused => {
                Cell::styled(format!("✗ {}", plain(&turn.failure_classes.join(", "))), BAD)
            }
            TurnVerdict::Open => Cell::styled("… open", WARN),
        };
        let tools = if turn.tools.is_empty() { plain(&turn.stop) } else { plain(&turn.tools.join(", ")) };
        table.row(vec![
            Cell::new(count(turn.turn)),
            Cell::styled(plain(&turn.call_id), STRONG),
            verdict,
            Cell::new(count(turn.tokens)),
            Cell::new(turn.cost_micro_usd.map(money).unwrap_or_default()),
            Cell::styled(tools, DIM),
        ]);
    }
    table.render(width)
}

/// The files that calls changed, turn by turn; of many the first.
fn files(turns: &[TurnRow]) -> String {
    const MOST: usize = 50;
    let all: Vec<_> = turns.iter().flat_map(|turn| turn.files.iter().map(move |file| (turn, file))).collect();
    if all.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{STRONG}Files{STRONG:#}\n");
    for (turn, file) in all.iter().take(MOST) {
        let (path, call) = (plain(&file.path), plain(&file.tool_call_id));
        text.push_str(&format!(
            "  {:<8} {STRONG}{path}{STRONG:#} {DIM}(turn {}, call {call}){DIM:#}\n",
            plain(&file.change),
            turn.turn
        ));
    }
    if all.len() > MOST {
        let left = counted(u64::try_from(all.len() - MOST).unwrap_or(u64::MAX), "more file");
        text.push_str(&format!("  {DIM}… {left}; --json has all{DIM:#}\n"));
    }
    text
}

fn worker(worker: &WorkerRow) -> String {
    let state = worker.outcome.map_or("no end", words);
    let (issue, run) = (plain(&worker.issue_id), plain(&worker.run_id));
    format!("  {STRONG}{issue}{STRONG:#} {} {DIM}({run}, {state}){DIM:#}\n", plain(&worker.title))
}

/// What became of a change that was asked for.
pub(super) fn applied(row: &IntentResult) -> String {
    let action = plain(&row.action);
    let text = |text: &Option<String>| text.as_deref().map(plain).unwrap_or_default();
    match row.result {
        IntentState::Applied => {
            let (issue, status) = (text(&row.issue_id), text(&row.status));
            format!("  {GOOD}✓{GOOD:#} {action}: {STRONG}{issue}{STRONG:#} is {status}\n")
        }
        IntentState::Unchanged => format!("  {DIM}= {action}: nothing to change{DIM:#}\n"),
        IntentState::Refused => {
            format!("  {BAD}✗{BAD:#} {action}: {BAD}{}{BAD:#}: {}\n", text(&row.class), text(&row.detail))
        }
    }
}

/// The answer of `runs export`: the rows themselves, byte for byte, or where they are.
pub(crate) fn exported(answer: &RunExport<Vec<Box<RawValue>>>) -> String {
    match (&answer.items, &answer.output) {
        (Some(rows), _) => rows.iter().map(|row| format!("{}\n", row.get())).collect(),
        (None, Some(output)) => {
            let (rows, run) = (counted(answer.count, "row"), plain(&answer.run_id));
            format!("{GOOD}✓{GOOD:#} {rows} of {run} written to {}\n", plain(output))
        }
        (None, None) => String::new(),
    }
}

/// The answer of `runs events`: a line for each row, and where to go on.
pub(crate) fn events(answer: &RunEvents<EventLine>) -> String {
    let line = |row: &EventLine| {
        format!("{:>6}  {DIM}{}{DIM:#}  {}\n", count(row.seq), plain(&row.at), plain(&row.event.kind))
    };
    let lines: String = answer.rows.iter().map(line).collect();
    let state = match (answer.ended, answer.has_more) {
        (true, _) => "the run has stopped here",
        (false, true) => "there is more",
        (false, false) => "nothing more yet",
    };
    let (run, cursor) = (plain(&answer.run_id), plain(&answer.next_cursor));
    format!("{lines}{DIM}{state}; premath runs events {run} --cursor {cursor}{DIM:#}\n")
}

/// A row of a run as far as a line has room for it.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct EventLine {
    seq: u64,
    at: String,
    event: EventKind,
}

#[derive(Debug, serde::Deserialize)]
struct EventKind {
    kind: String,
}

/// The answer of `runs forget`.
pub(crate) fn forgotten(answer: &RunForgotten) -> String {
    let run = plain(&answer.run_id);
    if answer.was_there {
        format!("{GOOD}✓{GOOD:#} nothing that was said in {STRONG}{run}{STRONG:#} is kept any more\n")
    } else {
        format!("{DIM}·{DIM:#} nothing that was said in {STRONG}{run}{STRONG:#} was left\n")
    }
}

/// The answer of `replay`.
pub(crate) fn replayed(answer: &ReplayAnswer) -> String {
    let (run, head) = (plain(&answer.run_id), plain(&answer.head));
    let compared = format!("{} in {}", counted(answer.rows, "row"), counted(answer.turns, "turn"));
    match &answer.first_difference {
        None if answer.identical => format!(
            "{GOOD}✓ identical{GOOD:#} {STRONG}{run}{STRONG:#}: {compared}, no model asked, nothing changed\n  {DIM}head {head}{DIM:#}\n"
        ),
        None => format!("{BAD}✗ different{BAD:#} {STRONG}{run}{STRONG:#}: {compared}\n"),
        Some(difference) => format!(
            "{BAD}✗ different{BAD:#} {STRONG}{run}{STRONG:#}: row {} ({}): {}\n  {DIM}{compared} compared{DIM:#}\n{TIP}hint:{TIP:#} `premath verify` says whether the journal itself was changed\n",
            count(difference.seq),
            plain(&difference.kind),
            plain(&difference.detail)
        ),
    }
}
