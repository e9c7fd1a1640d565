//! The last line of a terminal while a run goes on: turn, tool, tokens, cost, time. Redrawn in place, erased before
//! anything else is written; it erases with blanks, so that it also goes where a terminal is told nothing but text.

use std::time::Duration;

use premath_tusk::turn_loop::RunEvent;
use unicode_width::UnicodeWidthStr as _;

use super::brief::brief;
use super::figures::{counted, money, span};
use crate::output::DIM;
use crate::render::plain;
use crate::render::table::shortened;

/// What is known, and what is drawn of it.
#[derive(Debug, Default)]
pub(super) struct Status {
    turn: u64,
    running: Vec<(String, String)>,
    workers: u64,
    tokens: u64,
    cost_micros: u64,
    is_over: bool,
    drawn: String,
}

impl Status {
    /// Notes what an event changes.
    pub(super) fn take(&mut self, event: &RunEvent<'_>, is_own: bool) {
        match event {
            RunEvent::TurnStarted { turn, .. } if is_own => self.turn = *turn,
            RunEvent::Answered { usage, cost_micros, .. } => {
                let parts = [
                    usage.input_tokens,
                    usage.cache_read_tokens,
                    usage.cache_write_tokens,
                    usage.output_tokens,
                ];
                self.tokens = parts.into_iter().fold(self.tokens, u64::saturating_add);
                self.cost_micros = self.cost_micros.saturating_add(cost_micros.unwrap_or(0));
            }
            RunEvent::CallStarted { tool_call_id, tool, arguments, .. } => {
                let shown = format!("{} {}", plain(tool), brief(tool, arguments));
                self.running.push(((*tool_call_id).to_owned(), shown));
            }
            RunEvent::CallFinished { outcome, .. } => {
                if let Some(at) = self.running.iter().position(|(id, _)| *id == outcome.tool_call_id) {
                    self.running.remove(at);
                }
            }
            RunEvent::WorkerStarted { .. } => self.workers = self.workers.saturating_add(1),
            RunEvent::WorkerFinished { .. } => self.workers = self.workers.saturating_sub(1),
            RunEvent::Stopped(_) if is_own => self.is_over = true,
            RunEvent::Started { .. }
            | RunEvent::TurnStarted { .. }
            | RunEvent::Model(_)
            | RunEvent::Closed(_)
            | RunEvent::Applied(_)
            | RunEvent::Worker { .. }
            | RunEvent::Asked { .. }
            | RunEvent::Decided { .. }
            | RunEvent::Judged { .. }
            | RunEvent::Confirmed { .. }
            | RunEvent::Planned { .. }
            | RunEvent::PlanDecided(_)
            | RunEvent::Compacted { .. }
            | RunEvent::HandedOff { .. }
            | RunEvent::Stopped(_) => {}
        }
        // A question is answered on the line below it.
        if matches!(event, RunEvent::Asked { .. }) {
            self.is_over = true;
        } else if matches!(event, RunEvent::Decided { .. } | RunEvent::Started { .. }) {
            self.is_over = false;
        }
    }

    /// The text with the status erased before it and drawn again behind it, where there is room for it.
    pub(super) fn around(&mut self, body: &str, room: Option<usize>, elapsed: Duration) -> String {
        let line = match room {
            Some(width) if !self.is_over => self.line(width.saturating_sub(1), elapsed),
            Some(_) | None => String::new(),
        };
        if body.is_empty() && line == self.drawn {
            return String::new();
        }
        let mut text = self.erased();
        text.push_str(body);
        if !line.is_empty() {
            text.push_str(&format!("{DIM}{line}{DIM:#}"));
        }
        self.drawn = line;
        text
    }

    /// What takes the status away.
    pub(super) fn erased(&mut self) -> String {
        let width = std::mem::take(&mut self.drawn).width();
        if width == 0 { String::new() } else { format!("\r{}\r", " ".repeat(width)) }
    }

    fn line(&self, width: usize, elapsed: Duration) -> String {
        let mut facts = match self.turn {
            0 => Vec::new(),
            turn => vec![format!("turn {turn}")],
        };
        if self.workers > 0 {
            facts.push(counted(self.workers, "worker"));
        }
        facts.push(counted(self.tokens, "token"));
        if self.cost_micros > 0 {
            facts.push(money(self.cost_micros));
        }
        // Tenths would flicker; whole seconds say that it lives.
        facts.push(match elapsed.as_secs() {
            seconds @ 0..=59 => format!("{seconds} s"),
            seconds => span(seconds.saturating_mul(1_000)),
        });
        match self.running.as_slice() {
            [] => facts.push("the model thinks".to_owned()),
            [(_, only)] => facts.push(only.clone()),
            [(_, first), more @ ..] => facts.push(format!("{first} and {} more", more.len())),
        }
        shortened(&facts.join(" · "), width)
    }
}
