//! A run as a person watches it: text as it comes, a card for every call, the chain's verdict for every turn.
//!
//! It makes text and writes nothing; the clock is the caller's. What models, files and commands say is escaped before it
//! gets here or in the function that shows it, and bounded: the journal has all of it.

mod brief;
mod call;
mod ending;
pub(super) mod figures;
mod frame;
mod governed;
mod lane;
mod listing;
mod program;
mod status;
mod turn;
mod verdict;

pub(crate) use self::call::changes;

use std::collections::BTreeMap;
use std::time::Duration;

use premath_tusk::turn_loop::RunEvent;

use self::lane::{Lane, Voice};
use self::status::Status;
use crate::output::DIM;

pub(crate) use self::ending::exit;
pub(crate) use self::listing::{card, events, exported, forgotten, listing, replayed};
pub(crate) use self::turn::{Extent, turn_card, turn_case};
pub(crate) use premath_host::EventRows;

/// How wide a line may be where no terminal says so.
const WIDE: usize = 160;

/// What a terminal, or whatever takes its place, shows of a run.
#[derive(Debug)]
pub(crate) struct RunScreen {
    /// The width of the terminal; none where nobody sees a line being redrawn.
    terminal: Option<usize>,
    lanes: BTreeMap<Vec<String>, Lane>,
    status: Status,
}

impl RunScreen {
    /// A screen of that width, or a file, where there is no status line.
    pub(crate) fn new(terminal: Option<usize>) -> Self {
        Self { terminal, lanes: BTreeMap::new(), status: Status::default() }
    }

    /// What is written when this happens.
    pub(crate) fn take(&mut self, event: &RunEvent<'_>, elapsed: Duration) -> String {
        let mut path = Vec::new();
        let event = innermost(event, &mut path);
        self.status.take(event, path.is_empty());
        let body = self.body(event, &path);
        self.framed(&body, elapsed)
    }

    /// What is written when time has passed and nothing has happened.
    pub(crate) fn tick(&mut self, elapsed: Duration) -> String {
        self.framed("", elapsed)
    }

    /// What is written before something else writes to the terminal.
    pub(crate) fn cleared(&mut self) -> String {
        self.status.erased()
    }

    fn body(&mut self, event: &RunEvent<'_>, path: &[String]) -> String {
        let room = self.terminal.unwrap_or(WIDE).saturating_sub(indent(path)).max(40);
        let mut body = String::new();
        if let RunEvent::WorkerFinished { issue_id, .. } = event {
            let child = [path, &[(*issue_id).to_owned()]].concat();
            let left = self.lanes.remove(&child).map(|mut lane| lane.finished_text());
            body.push_str(&prefixed(&left.unwrap_or_default(), &child));
        }
        let voice = if path.is_empty() { Voice::AsItComes } else { Voice::ByTheLine };
        let lane = self.lanes.entry(path.to_vec()).or_insert_with(|| Lane::new(voice));
        let said = prefixed(&lane.take(event, room), path);
        body.push_str(&said);
        if !path.is_empty()
            && !body.is_empty()
            && let Some(above) = self.lanes.get_mut([].as_slice())
        {
            body.insert_str(0, above.ended_line());
        }
        body
    }

    fn framed(&mut self, body: &str, elapsed: Duration) -> String {
        let Some(width) = self.terminal else { return body.to_owned() };
        let is_mid_line = self.lanes.get([].as_slice()).is_some_and(Lane::is_mid_line);
        self.status.around(body, if is_mid_line { None } else { Some(width) }, elapsed)
    }
}

/// How much of a line the ids of workers take.
fn indent(path: &[String]) -> usize {
    path.iter().map(|issue| issue.chars().count() + 1).sum::<usize>() + if path.is_empty() { 0 } else { 2 }
}

/// Each line behind the issues of its workers.
fn prefixed(text: &str, path: &[String]) -> String {
    if path.is_empty() {
        return text.to_owned();
    }
    let prefix = format!("{DIM}{} │{DIM:#} ", super::plain(&path.join(" ")));
    let mut shown = String::new();
    for line in text.lines() {
        shown.push_str(format!("{prefix}{line}").trim_end());
        shown.push('\n');
    }
    shown
}

/// The event itself, and the issues of the workers around it, outermost first.
fn innermost<'e>(event: &'e RunEvent<'e>, path: &mut Vec<String>) -> &'e RunEvent<'e> {
    let mut event = event;
    while let RunEvent::Worker { issue_id, event: inner } = event {
        path.push((*issue_id).to_owned());
        event = inner;
    }
    event
}

#[cfg(test)]
mod tests;
