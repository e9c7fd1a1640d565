//! One run among those on a screen: what it has begun and not ended, and how its text comes.

use std::collections::BTreeSet;

use anstyle::Style;
use premath_tusk::model::{AssistantPart, ModelEvent, Usage};
use premath_tusk::turn_loop::{AskedCall, CODE_EXECUTION, Decision, RunEvent};

use super::brief::brief;
use super::call::{Begun, changes};
use super::ending::detail;
use super::figures::{counted, money};
use super::program::Programs;
use super::{WIDE, frame, governed, program, verdict};
use crate::output::{BAD, DIM, STRONG, TIP, WARN};
use crate::render::{lines, plain};
use premath_host::ending;

/// How the text of a model is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    /// Every piece at once: nobody else speaks meanwhile.
    AsItComes,
    /// Whole lines only: several may speak at a time.
    ByTheLine,
}

/// What a model is saying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    Text,
    Reasoning,
    Refusal,
}

/// The state of one run.
#[derive(Debug)]
pub(super) struct Lane {
    voice: Voice,
    begun: Vec<Begun>,
    /// The parts of the answer of which something was shown.
    streamed: BTreeSet<u64>,
    tone: Option<Tone>,
    /// What was said and not shown yet.
    held: String,
    is_mid_line: bool,
    /// Whether the last thing shown was a model's words.
    is_after_text: bool,
    used: String,
    programs: Programs,
}

impl Lane {
    pub(super) fn new(voice: Voice) -> Self {
        Self {
            voice,
            begun: Vec::new(),
            streamed: BTreeSet::new(),
            tone: None,
            held: String::new(),
            is_mid_line: false,
            is_after_text: false,
            used: String::new(),
            programs: Programs::default(),
        }
    }

    /// Whether the cursor stands behind something a model said.
    pub(super) const fn is_mid_line(&self) -> bool {
        self.is_mid_line
    }

    /// What ends the line of a model that still speaks.
    pub(super) fn ended_line(&mut self) -> &'static str {
        if std::mem::take(&mut self.is_mid_line) { "\n" } else { "" }
    }

    /// What is shown when this happens in it.
    pub(super) fn take(&mut self, event: &RunEvent<'_>, room: usize) -> String {
        if let RunEvent::Model(event) = event {
            return self.model(event);
        }
        // Whatever else happens, the model has finished what it was saying.
        let mut text = self.finished_text();
        let block = self.block(event, room);
        if block.is_empty() {
            return text;
        }
        if std::mem::take(&mut self.is_after_text) && !block.starts_with('\n') {
            text.push('\n');
        }
        text.push_str(&block);
        text
    }

    fn block(&mut self, event: &RunEvent<'_>, room: usize) -> String {
        match event {
            RunEvent::Started { .. } if self.voice == Voice::ByTheLine => String::new(),
            RunEvent::Started { .. } => frame::opened(event),
            RunEvent::TurnStarted { turn, harness, .. } => self.turn(*turn, *harness),
            RunEvent::Answered { usage, cost_micros, stop, .. } => self.answered(*usage, *cost_micros, stop),
            RunEvent::CallStarted { tool_call_id, tool, arguments, diff, program } => {
                let is_program = *tool == CODE_EXECUTION;
                self.begun.push(Begun {
                    tool_call_id: (*tool_call_id).to_owned(),
                    tool: plain(tool),
                    brief: brief(tool, arguments),
                    diff: diff.map(ToOwned::to_owned),
                    is_nested: program.is_some(),
                });
                if is_program { self.programs.begun(arguments, room) } else { String::new() }
            }
            RunEvent::CallFinished { tool, outcome, millis } => {
                let begun = self.ended(tool, &outcome.tool_call_id);
                self.programs.finished(&begun, outcome, *millis, room)
            }
            RunEvent::Closed(judged) => {
                let used = std::mem::take(&mut self.used);
                verdict::verdict(judged, &used)
            }
            RunEvent::Applied(applied) => verdict::applied(applied),
            RunEvent::Stopped(report) => {
                let left = std::mem::take(&mut self.begun);
                let mut text: String = left.iter().map(|begun| begun.unfinished(room)).collect();
                if self.voice == Voice::AsItComes {
                    text.push_str(&frame::closed(report));
                }
                text
            }
            RunEvent::WorkerStarted { .. }
            | RunEvent::WorkerFinished { .. }
            | RunEvent::Asked { .. }
            | RunEvent::Decided { .. }
            | RunEvent::Judged { .. }
            | RunEvent::Confirmed { .. }
            | RunEvent::Planned { .. }
            | RunEvent::PlanDecided(_)
            | RunEvent::Compacted { .. }
            | RunEvent::HandedOff { .. } => note(event),
            // The screen has unwrapped the one, `take` has answered the other.
            RunEvent::Worker { .. } | RunEvent::Model(_) => String::new(),
        }
    }

    fn turn(&mut self, turn: u64, harness: Option<&str>) -> String {
        self.streamed.clear();
        self.tone = None;
        self.used.clear();
        let gap = if self.voice == Voice::AsItComes { "\n" } else { "" };
        let does = match harness {
            None => "",
            Some("branches") => " · the harness begins the branches",
            Some("judgement") => " · the harness has it judged",
            Some(_) => " · the harness",
        };
        format!("{gap}{DIM}turn {turn}{does}{DIM:#}\n")
    }

    /// Nothing, but where the answer ended in an unusual way.
    fn answered(&mut self, usage: Usage, cost_micros: Option<u64>, stop: &str) -> String {
        let parts =
            [usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens];
        let tokens = parts.into_iter().fold(0_u64, u64::saturating_add);
        self.used = counted(tokens, "token");
        if let Some(cost) = cost_micros.filter(|cost| *cost > 0) {
            self.used.push_str(&format!(" · {}", money(cost)));
        }
        match stop {
            "end_turn" | "tool_use" => String::new(),
            "max_tokens" => format!("  {WARN}the answer was cut off{WARN:#}: it ran out of tokens\n"),
            "refusal" => format!("  {WARN}the model refused{WARN:#}\n"),
            other => format!("  {WARN}the answer ended with{WARN:#} {}\n", plain(other)),
        }
    }

    /// The call that ended. One that nobody saw begin was refused before it could.
    fn ended(&mut self, tool: &str, tool_call_id: &str) -> Begun {
        match self.begun.iter().position(|begun| begun.tool_call_id == tool_call_id) {
            Some(at) => self.begun.remove(at),
            None => Begun {
                tool_call_id: tool_call_id.to_owned(),
                tool: plain(tool),
                brief: String::new(),
                diff: None,
                is_nested: false,
            },
        }
    }

    /// A server may send a part in one piece where we asked for a stream.
    fn model(&mut self, event: &ModelEvent) -> String {
        let (index, tone, text) = match event {
            ModelEvent::TextDelta { index, text } => (index, Tone::Text, text),
            ModelEvent::ReasoningDelta { index, text } => (index, Tone::Reasoning, text),
            ModelEvent::RefusalDelta { index, text } => (index, Tone::Refusal, text),
            ModelEvent::PartDone { index, part } if !self.streamed.contains(index) => match part {
                AssistantPart::Text(text) => (index, Tone::Text, text),
                AssistantPart::Reasoning(reasoning) => (index, Tone::Reasoning, &reasoning.text),
                AssistantPart::Refusal(text) => (index, Tone::Refusal, text),
                AssistantPart::ToolCall(_) | AssistantPart::Opaque(_) => return String::new(),
            },
            ModelEvent::Started { .. }
            | ModelEvent::ToolCallStarted { .. }
            | ModelEvent::ArgumentsDelta { .. }
            | ModelEvent::PartDone { .. }
            | ModelEvent::Finished { .. } => return String::new(),
        };
        self.streamed.insert(*index);
        if text.is_empty() { String::new() } else { self.said(tone, text) }
    }

    fn said(&mut self, tone: Tone, text: &str) -> String {
        let mut shown = String::new();
        if self.tone != Some(tone) {
            shown.push_str(&self.finished_text());
            self.tone = Some(tone);
        }
        self.is_after_text = true;
        let style = match tone {
            Tone::Text => Style::new(),
            Tone::Reasoning => DIM,
            Tone::Refusal => WARN,
        };
        let text = lines(&text.replace("\r\n", "\n"));
        match self.voice {
            Voice::AsItComes => {
                self.is_mid_line = !text.ends_with('\n');
                shown.push_str(&format!("{style}{text}{style:#}"));
            }
            Voice::ByTheLine => {
                self.held.push_str(&text);
                while let Some((line, rest)) = self.held.split_once('\n') {
                    shown.push_str(&format!("{style}{line}{style:#}\n"));
                    self.held = rest.to_owned();
                }
            }
        }
        shown
    }

    /// What is left of what a model said, with the end of its line.
    pub(super) fn finished_text(&mut self) -> String {
        let mut text = self.ended_line().to_owned();
        let held = std::mem::take(&mut self.held);
        if !held.is_empty() {
            text.push_str(&held);
            text.push('\n');
        }
        text
    }
}

/// What is told in one line.
fn note(event: &RunEvent<'_>) -> String {
    match event {
        RunEvent::WorkerStarted { issue_id, title, .. } => {
            format!("  {TIP}+ worker{TIP:#} {STRONG}{}{STRONG:#} {}\n", plain(issue_id), plain(title))
        }
        RunEvent::WorkerFinished { issue_id, outcome, .. } => {
            let ending = ending(outcome);
            let (style, glyph) = frame::mark(ending);
            let why = detail(outcome).map(|why| format!(": {}", plain(&why))).unwrap_or_default();
            let (issue, words) = (plain(issue_id), frame::words(ending));
            format!("  {style}{glyph} worker{style:#} {STRONG}{issue}{STRONG:#} {words}{why}\n")
        }
        RunEvent::Asked { question, calls } => {
            let waiting: String = calls.iter().map(asked).collect();
            format!("{waiting}  {WARN}? {}{WARN:#}\n", plain(question))
        }
        RunEvent::Decided { decision } => match decision {
            Decision::Continue => format!("  {TIP}a person lets it go on{TIP:#}\n"),
            Decision::Stop => format!("  {WARN}a person stops it{WARN:#}\n"),
            Decision::Expired => format!("  {WARN}the question expired{WARN:#}\n"),
            Decision::NoAnswer => format!("  {BAD}nobody is here to answer{BAD:#}: the run waits\n"),
        },
        RunEvent::Judged { tool, judgement } => governed::judged(tool, judgement),
        RunEvent::Confirmed { confirmations } => governed::confirmed(confirmations),
        RunEvent::Planned { proposal_id } => {
            format!("  {WARN}? a plan waits for you:{WARN:#} {STRONG}{}{STRONG:#}\n", plain(proposal_id))
        }
        RunEvent::PlanDecided(plan) => governed::planned(plan),
        RunEvent::Compacted { dropped_turns } => {
            let turns = counted(*dropped_turns, "turn");
            format!("  {DIM}context compacted: {turns} as a summary from here on{DIM:#}\n")
        }
        RunEvent::HandedOff { run_id } => format!("  {TIP}→ goes on in{TIP:#} {}\n", plain(run_id)),
        RunEvent::Started { .. }
        | RunEvent::TurnStarted { .. }
        | RunEvent::Model(_)
        | RunEvent::Answered { .. }
        | RunEvent::CallStarted { .. }
        | RunEvent::CallFinished { .. }
        | RunEvent::Closed(_)
        | RunEvent::Applied(_)
        | RunEvent::Worker { .. }
        | RunEvent::Stopped(_) => String::new(),
    }
}

/// A call that waits for a person, with what it would change.
fn asked(call: &AskedCall<'_>) -> String {
    let diff = call.diff.as_deref().map(|diff| changes(diff, ASKED_WIDTH)).unwrap_or_default();
    let program =
        if call.tool == CODE_EXECUTION { program::listing(call.arguments, WIDE) } else { String::new() };
    format!("  {STRONG}{}{STRONG:#} {}\n{program}{diff}", plain(call.tool), brief(call.tool, call.arguments))
}

/// How wide a diff is drawn while somebody is asked.
const ASKED_WIDTH: usize = 160;
