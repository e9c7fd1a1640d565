//! A program as a person watches it: its text with the numbers of its lines, then the calls it makes, the first of them.
//!
//! What is shown is bounded: a program can make a thousand calls, and the journal has them all.

use premath_tusk::JsonText;
use premath_tusk::evidence::{CallOutcome, CallStatus};

use super::call::Begun;
use super::figures::counted;
use crate::output::DIM;
use crate::render::plain;
use crate::render::table::shortened;

/// The most lines of a program.
const PROGRAM_LINES: usize = 24;
/// The most calls of a program that simply worked.
const CALLS: u64 = 12;

/// How much of the program on its way was shown.
#[derive(Debug, Default)]
pub(super) struct Programs {
    shown: u64,
    left_out: u64,
}

impl Programs {
    /// A program begins.
    pub(super) fn begun(&mut self, arguments: &JsonText, room: usize) -> String {
        *self = Self::default();
        let arguments: serde_json::Value = serde_json::from_str(arguments.as_str()).unwrap_or_default();
        let program = arguments.get("program").and_then(serde_json::Value::as_str).unwrap_or_default();
        let line = |(number, line): (usize, &str)| {
            let line = plain(&line.replace('\t', "    "));
            format!("  {DIM}{number:>4} {}{DIM:#}\n", shortened(&line, room.saturating_sub(8)))
        };
        let mut text: String = (1..).zip(program.lines()).take(PROGRAM_LINES).map(line).collect();
        let left = program.lines().count().saturating_sub(PROGRAM_LINES);
        if left > 0 {
            let left = u64::try_from(left).unwrap_or(u64::MAX);
            text.push_str(&format!("       {DIM}… {}{DIM:#}\n", counted(left, "more line")));
        }
        text
    }

    /// A call has ended: of a program that makes many, only what is news is shown.
    pub(super) fn finished(
        &mut self,
        begun: &Begun,
        outcome: &CallOutcome,
        millis: u64,
        room: usize,
    ) -> String {
        let card = begun.finished(outcome, millis, room);
        if !begun.is_nested {
            let left = std::mem::take(&mut self.left_out);
            let more = match left {
                0 => String::new(),
                left => format!("    {DIM}… {}{DIM:#}\n", counted(left, "more call")),
            };
            return format!("{more}{card}");
        }
        let is_news = begun.diff.is_some() || matches!(outcome.status, CallStatus::Failed(_));
        if is_news || self.shown < CALLS {
            self.shown += 1;
            return card;
        }
        self.left_out += 1;
        String::new()
    }
}
