//! Reminders: what tools and guards want the model to bear in mind, once each, a few at a time.
//!
//! A turn reduces the queue once. The same reminders reduce to the same batch in whatever order they arrived. It must not
//! show one again that was shown a few turns ago, and must not carry more than its caps.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use premath_kernel::{Digest, Object, Text, Value};

use super::fence::plain_line;

/// How the evidence names the queue.
pub const QUEUE_ID: &str = "reminders";

/// For how many turns one that was shown is not shown again.
const QUIET_TURNS: u64 = 8;
/// What can wait in the queue; a turn that brings more loses the rest, counted.
const MOST_WAITING: usize = 1024;
const SOURCE_BYTES: usize = 64;

/// Where in the context something is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InjectionPoint {
    /// Behind the results of tools.
    ToolResponse,
    /// Before the model is asked.
    TurnStart,
}

impl InjectionPoint {
    /// Both.
    pub const ALL: [Self; 2] = [Self::ToolResponse, Self::TurnStart];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::ToolResponse => "tool_response",
            Self::TurnStart => "turn_start",
        }
    }
}

/// One thing to bear in mind, in our words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reminder {
    /// Where it is shown.
    pub point: InjectionPoint,
    /// The tool or guard it is from.
    pub source: String,
    /// What it says: one line.
    pub text: String,
}

impl Reminder {
    fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("injectionPoint", self.point.token())
            .field("source", self.source.as_str())
            .field("text", self.text.as_str())
            .finish()
    }

    fn line(&self) -> String {
        format!("reminder from {}: {}", self.source, self.text)
    }
}

/// The reminders that wait for the end of a turn.
#[derive(Debug, Clone)]
pub struct ReminderQueue {
    cap: usize,
    max_bytes: usize,
    turn: u64,
    waiting: BTreeSet<Reminder>,
    overflown: u64,
    /// When each was last shown.
    shown: BTreeMap<Digest, u64>,
}

/// What a turn shows of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduced {
    /// What is shown, in order.
    pub shown: Vec<Reminder>,
    /// How many there was no room for. Repeats are not counted: nothing is lost with them.
    pub dropped: u64,
    /// The digest of what is shown.
    pub digest: Digest,
}

impl ReminderQueue {
    /// An empty queue that shows at most `cap` reminders of at most `max_bytes` together a turn.
    #[must_use]
    pub const fn new(cap: usize, max_bytes: usize) -> Self {
        Self { cap, max_bytes, turn: 0, waiting: BTreeSet::new(), overflown: 0, shown: BTreeMap::new() }
    }

    /// Adds a reminder. It is made one line, short enough for the queue's bytes.
    pub fn push(&mut self, reminder: &Reminder) {
        let source = plain_line(&reminder.source, SOURCE_BYTES);
        let mut reminder = Reminder { point: reminder.point, source, text: reminder.text.clone() };
        let around = reminder.line().len() - reminder.text.len() + 1;
        reminder.text = plain_line(&reminder.text, self.max_bytes.saturating_sub(around));
        if self.waiting.len() < MOST_WAITING || self.waiting.contains(&reminder) {
            self.waiting.insert(reminder);
        } else {
            self.overflown += 1;
        }
    }

    /// Ends a turn: what is shown of what waits. Nothing waits any longer afterwards.
    pub fn reduce(&mut self) -> Reduced {
        self.turn += 1;
        let turn = self.turn;
        self.shown.retain(|_, at| turn - *at <= QUIET_TURNS);
        let mut dropped = std::mem::take(&mut self.overflown);
        let mut shown = Vec::new();
        let mut bytes = 0;
        for reminder in std::mem::take(&mut self.waiting) {
            let digest = Digest::of(&reminder.canonical());
            if self.shown.contains_key(&digest) {
                continue;
            }
            // A line each, and the line break behind it.
            let more = reminder.line().len() + 1;
            if shown.len() < self.cap && bytes + more <= self.max_bytes {
                bytes += more;
                self.shown.insert(digest, turn);
                shown.push(reminder);
            } else {
                dropped += 1;
            }
        }
        let digest = Digest::of_array(shown.iter().map(Reminder::canonical));
        Reduced { shown, dropped, digest }
    }
}

impl Reduced {
    /// What the model is shown at a point; none when there is nothing.
    #[must_use]
    pub fn text(&self, point: InjectionPoint) -> Option<String> {
        let here = self.shown.iter().filter(|reminder| reminder.point == point);
        let lines: Vec<String> = here.map(Reminder::line).collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }

    /// The evidence of the reduction.
    #[must_use]
    pub fn row(&self, policy_digest: &Digest) -> Option<premath_kernel::ReminderQueue> {
        Some(premath_kernel::ReminderQueue {
            queue_id: Text::new(QUEUE_ID)?,
            reduced_digest: self.digest.clone(),
            policy_digest: policy_digest.clone(),
        })
    }
}
