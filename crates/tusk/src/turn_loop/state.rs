//! What a machine knows between two events. Plain data; the rules are in `machine`, `closing` and `progress`.

use std::collections::BTreeMap;

use premath_kernel::{Digest, Intent, NormalizedTurn, Object, Value};

use super::answer::{Answer, part_value};
use super::earlier_results::EarlierResults;
use super::limits::Limits;
use super::programs::Programs;
use super::step::{PlannedCall, WorkerPlan};
use super::watch::{AppliedIntent, RunOutcome};
use crate::context::views::{Budget, Spent};
use crate::context::{
    CompactionArtifact, DroppedTurn, HandoffPacket, Meter, ReminderQueue, Views, message_tokens,
};
use crate::evidence::CallOutcome;
use crate::model::{History, Message, Offers, SystemText, ToolOutcome, UserPart};
use crate::policy::GuardRow;
use crate::tools::FoundTools;

/// How many reminders a turn shows, and how many bytes of them.
const REMINDERS: usize = 8;
const REMINDER_BYTES: usize = 4 * 1024;

/// What was used so far, by the run and everything below it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Used {
    pub(crate) turns: u64,
    pub(crate) tool_calls: u64,
    pub(crate) tokens: u64,
    pub(crate) cost_micros: u64,
    pub(crate) wall_millis: u64,
    pub(crate) identical_calls: u64,
    pub(crate) workers: u64,
}

impl Used {
    /// How much of each limit that is.
    pub(crate) fn of(self, limits: &Limits) -> Budget {
        let spent = |used, limit| Spent { used, limit };
        Budget {
            turns: spent(self.turns, limits.turns),
            tool_calls: spent(self.tool_calls, limits.tool_calls),
            tokens: spent(self.tokens, limits.tokens),
            cost_micros: spent(self.cost_micros, limits.cost_micros),
            wall_millis: spent(self.wall_millis, limits.wall_millis),
            identical_calls: spent(self.identical_calls, limits.identical_calls),
            workers: spent(self.workers, limits.workers),
        }
    }
}

/// What an answer is wanted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The work itself.
    Work,
    /// Choosing a route.
    Route,
    /// Summing up for the next session.
    Descent,
    /// Nobody is asked: the branches of a workflow are spawned.
    Branches,
    /// Nobody is asked: what was made is judged.
    Judgement,
    /// Nobody is asked: an approved plan is carried out.
    Plan,
}

impl Purpose {
    /// Whether the harness answers in place of a model.
    pub(crate) const fn is_harness(&self) -> bool {
        matches!(self, Self::Branches | Self::Judgement | Self::Plan)
    }

    /// Its name in records; none for what most turns are.
    pub(crate) const fn token(&self) -> Option<&'static str> {
        match self {
            Self::Work => None,
            Self::Route => Some("route"),
            Self::Descent => Some("descent"),
            Self::Branches => Some("branches"),
            Self::Judgement => Some("judgement"),
            Self::Plan => Some("plan"),
        }
    }
}

/// A reference, and the digest of what is there; none when there is nothing.
pub(crate) type Observed = (String, Option<String>);

/// A turn that is not closed.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) call_id: String,
    pub(crate) purpose: Purpose,
    pub(crate) answer: Answer,
    pub(crate) calls: Vec<PlannedCall>,
    pub(crate) outcomes: Vec<CallOutcome>,
    /// What a person decided about it.
    pub(crate) checkpoint: Option<Digest>,
    /// Why the run stops behind it.
    pub(crate) stop: Option<RunOutcome>,
    /// What is handed over with it, and what was found of that.
    pub(crate) handoff: Option<(HandoffPacket, Vec<Observed>)>,
    /// The compaction it went on from.
    pub(crate) compaction: Option<Box<CompactionArtifact>>,
    /// Who looked at what was said.
    pub(crate) guards: Vec<GuardRow>,
    /// What was said beside the calls.
    pub(crate) said: String,
    /// The programs among its calls, once they have begun.
    pub(crate) programs: Option<Box<Programs>>,
}

/// What follows a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum After {
    /// A model is asked again, with this said to it beside the results.
    GoOn(Option<String>),
    /// What was made is judged.
    Judge,
    /// The run ends.
    Finish(RunOutcome),
}

/// What a machine waits for.
#[derive(Debug)]
pub(crate) enum Phase {
    /// An answer.
    Calling(Purpose),
    /// Policy.
    Judging(Box<Open>),
    /// A person.
    Asking { question: String, open: Box<Open> },
    /// A person who agrees to calls or does not.
    Confirming(Box<Open>),
    /// A person who agrees to a plan or does not.
    Planning { proposal_id: String, after: After },
    /// Tools.
    Executing(Box<Open>),
    /// A look at what a program came to, and its store.
    Keeping { call: Box<PlannedCall>, outcome: Box<CallOutcome>, open: Box<Open> },
    /// A stored handoff.
    Handing { packet: Box<HandoffPacket>, open: Box<Open> },
    /// The store of issues.
    Applying(Box<Applying>),
    /// Workers.
    Spawning { plans: Vec<WorkerPlan>, after: After },
    /// A stored compaction.
    Compacting { artifact: Box<CompactionArtifact>, purpose: Purpose },
    /// Nothing more.
    Ended(RunOutcome),
}

/// A closed turn whose changes are being made.
#[derive(Debug)]
pub(crate) struct Applying {
    pub(crate) turn: NormalizedTurn,
    pub(crate) intents: Vec<(String, Intent)>,
    /// The calls of the turn: what they ask for can be planned again.
    pub(crate) calls: Vec<PlannedCall>,
    /// The workers that were asked for, by call; they need their issues first.
    pub(crate) workers: BTreeMap<String, WorkerPlan>,
    pub(crate) after: After,
}

/// Where a stopped run goes on.
#[derive(Debug)]
pub(crate) enum Paused {
    /// Before a model is asked.
    Calling(Purpose),
    /// Where a person is asked.
    Asking { question: String, open: Box<Open> },
    /// Where a person is asked about calls.
    Confirming(Box<Open>),
    /// Before policy looks at the calls of a program.
    Looking(Box<Open>),
    /// Where a person is asked about a plan.
    Planning { proposal_id: String, after: After },
    /// Where workers are under way.
    Spawning { plans: Vec<WorkerPlan>, after: After },
}

/// How far a workflow is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Stages of a chain that were begun.
    pub(crate) stage: usize,
    /// The route that was chosen.
    pub(crate) route: Option<usize>,
    /// Rounds of judging.
    pub(crate) round: u64,
    /// Whether the branches have returned.
    pub(crate) is_joined: bool,
    /// How often an answer was cut off and went on.
    pub(crate) continued: u64,
    /// What the last judgement said, when there is no round left to do something about it.
    pub(crate) critique: Option<String>,
}

/// What a machine knows between two events.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) phase: Phase,
    pub(crate) paused: Option<Paused>,
    pub(crate) used: Used,
    /// The turn that was begun last, counted without those of workers: what call ids are numbered by.
    pub(crate) turn: u64,
    pub(crate) progress: Progress,
    pub(crate) history: History,
    pub(crate) system: SystemText,
    pub(crate) offers: Offers,
    /// What a model is told with its next request.
    pub(crate) waiting: Vec<UserPart>,
    /// Over every message so far, each hashed once.
    pub(crate) context_digest: Digest,
    pub(crate) meter: Meter,
    /// The model's turns that `history` shows, oldest first.
    pub(crate) turns: Vec<DroppedTurn>,
    pub(crate) found: Vec<FoundTools>,
    pub(crate) reminders: ReminderQueue,
    pub(crate) told: Option<Views>,
    pub(crate) applied: Vec<AppliedIntent>,
    pub(crate) repeated: BTreeMap<String, u64>,
    /// What the programs of the last turn called, and in how many turns after one another.
    pub(crate) repeated_programs: Option<(Digest, u64)>,
    pub(crate) refused_turns: u64,
    pub(crate) refused_in_a_row: u64,
    pub(crate) changes: u64,
    pub(crate) last_text: String,
    pub(crate) incoming: Vec<String>,
    pub(crate) verdict: Option<(bool, String)>,
    pub(crate) compacted: Option<Box<CompactionArtifact>>,
    /// Whether the workers under way judge.
    pub(crate) judging: bool,
    /// How many turns there were at the last checkpoint.
    pub(crate) checkpointed: u64,
    /// What the workflow asked for and no answer has come to yet.
    pub(crate) due: Option<String>,
    /// The turns that earlier compactions dropped.
    pub(crate) dropped: Vec<DroppedTurn>,
    /// Tokens of what programs came to, and of what they were made from.
    pub(crate) filtered: Filtered,
    /// Results of closed turns that later turns may rest on.
    pub(crate) earlier: EarlierResults,
    /// A change that the gate refused for want of evidence, as long as none like it was made since.
    pub(crate) unverified: Option<RefusedChange>,
}

/// A change that the gate refused because nothing backs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefusedChange {
    pub(crate) action: String,
    pub(crate) detail: String,
}

/// About how many tokens programs kept out of the context.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Filtered {
    pub(crate) shown: u64,
    pub(crate) unfiltered: u64,
}

impl State {
    pub(crate) fn new(system: SystemText, offers: Offers, incoming: Vec<String>) -> Self {
        Self {
            phase: Phase::Calling(Purpose::Work),
            paused: None,
            used: Used::default(),
            turn: 0,
            progress: Progress::default(),
            history: History::default(),
            system,
            offers,
            waiting: Vec::new(),
            context_digest: Digest::of_array([]),
            meter: Meter::new(),
            turns: Vec::new(),
            found: Vec::new(),
            reminders: ReminderQueue::new(REMINDERS, REMINDER_BYTES),
            told: None,
            applied: Vec::new(),
            repeated: BTreeMap::new(),
            repeated_programs: None,
            refused_turns: 0,
            refused_in_a_row: 0,
            changes: 0,
            last_text: String::new(),
            incoming,
            verdict: None,
            compacted: None,
            judging: false,
            checkpointed: 0,
            due: None,
            dropped: Vec::new(),
            filtered: Filtered::default(),
            earlier: EarlierResults::default(),
            unverified: None,
        }
    }

    /// Adds a message, and hashes it into everything before it.
    pub(crate) fn push(&mut self, message: Message) {
        let link = Object::fields()
            .field("before", &self.context_digest)
            .field("message", message_value(&message))
            .finish();
        self.context_digest = Digest::of(&link);
        self.meter.grew(message_tokens(&message));
        self.history.push(message);
    }
}

/// A message as it is hashed and shown.
pub(crate) fn message_value(message: &Message) -> Value<'_> {
    match message {
        Message::User(parts) => Object::fields()
            .field("parts", parts.iter().map(user_value).collect::<Vec<_>>())
            .field("role", "user")
            .finish(),
        Message::Assistant(parts) => Object::fields()
            .field("parts", parts.iter().map(part_value).collect::<Vec<_>>())
            .field("role", "assistant")
            .finish(),
    }
}

fn user_value(part: &UserPart) -> Value<'_> {
    match part {
        UserPart::Text { text, .. } => {
            Object::fields().field("text", text.as_str()).field("type", "text").finish()
        }
        UserPart::ToolResult(result) => Object::fields()
            .field("callId", result.call_id.as_str())
            .field("content", result.content.as_str())
            .field("ok", result.outcome == ToolOutcome::Ok)
            .field("type", "result")
            .finish(),
    }
}
