//! What somebody who watches a run is shown. Nothing here is read back; the journal is what counts.

use std::path::Path;

use super::people::{Confirmation, PlanDecision};
use crate::JsonText;
use crate::evidence::CallOutcome;
use crate::model::{ModelEvent, Usage};
use crate::policy::{CallJudgement, PolicyError};

/// One thing that happens in a run.
#[derive(Debug)]
pub enum RunEvent<'e> {
    /// It begins, or goes on.
    Started {
        /// The run.
        run_id: &'e str,
        /// What it is to do.
        task: &'e str,
        /// The issue it works on.
        issue_id: Option<&'e str>,
        /// The models that may be asked, in order.
        models: &'e [String],
        /// The pattern of its work.
        pattern: &'static str,
        /// Whether it goes on after an end that was none.
        is_resumed: bool,
        /// How deep below the first run: 0 for that itself.
        depth: u64,
        /// Whether its commands can read the history of the repository.
        reads_history: bool,
        /// What it asked for and was not given.
        denied: &'e [PolicyError],
        /// Tools of other servers that it was not given, and why: a line each.
        blocked: &'e [String],
        /// The directory that its tools work in.
        workdir: &'e Path,
    },
    /// A model is asked, or the harness does something in its place.
    TurnStarted {
        /// The turn.
        call_id: &'e str,
        /// Which one, from 1.
        turn: u64,
        /// What the harness does itself: `branches` or `judgement`; none when a model is asked.
        harness: Option<&'static str>,
    },
    /// What a model says, as it comes.
    Model(&'e ModelEvent),
    /// A model has answered.
    Answered {
        /// The turn.
        call_id: &'e str,
        /// Who answered.
        model: &'e str,
        /// What it used.
        usage: Usage,
        /// What it cost, in millionths of a dollar, where that is known.
        cost_micros: Option<u64>,
        /// Why it ended.
        stop: String,
    },
    /// A call begins.
    CallStarted {
        /// The call.
        tool_call_id: &'e str,
        /// The tool.
        tool: &'e str,
        /// Its arguments.
        arguments: &'e JsonText,
        /// What it will change, as a unified diff.
        diff: Option<&'e str>,
        /// The call whose program makes it; none when a model does.
        program: Option<&'e str>,
    },
    /// A call has ended, or was refused.
    CallFinished {
        /// The tool.
        tool: &'e str,
        /// What came of it.
        outcome: &'e CallOutcome,
        /// How long it took.
        millis: u64,
    },
    /// A turn was judged.
    Closed(&'e Verdict),
    /// A change of issue memory was made, or was not.
    Applied(&'e AppliedIntent),
    /// A worker begins.
    WorkerStarted {
        /// Its run.
        run_id: &'e str,
        /// Its issue.
        issue_id: &'e str,
        /// What it is to do.
        title: &'e str,
    },
    /// A worker has ended.
    WorkerFinished {
        /// Its run.
        run_id: &'e str,
        /// Its issue.
        issue_id: &'e str,
        /// How it ended.
        outcome: &'e RunOutcome,
    },
    /// Something that happens in the run of a worker.
    Worker {
        /// Its issue.
        issue_id: &'e str,
        /// What happens.
        event: &'e RunEvent<'e>,
    },
    /// A person is asked.
    Asked {
        /// Why.
        question: &'e str,
        /// What would run.
        calls: &'e [AskedCall<'e>],
    },
    /// A person is asked about a plan.
    Planned {
        /// The proposal.
        proposal_id: &'e str,
    },
    /// What a person said about calls, or that nobody has yet.
    Confirmed {
        /// About each.
        confirmations: &'e [Confirmation],
    },
    /// What became of a plan.
    PlanDecided(&'e PlanDecision),
    /// Policy has spoken about a call that is not simply allowed.
    Judged {
        /// The tool.
        tool: &'e str,
        /// What it said.
        judgement: &'e CallJudgement,
    },
    /// A person has answered, or nobody was there.
    Decided {
        /// What.
        decision: Decision,
    },
    /// Context was compacted.
    Compacted {
        /// How many turns are no longer shown.
        dropped_turns: u64,
    },
    /// It goes on in another session.
    HandedOff {
        /// The next run.
        run_id: &'e str,
    },
    /// It has ended.
    Stopped(&'e RunReport),
}

/// A call that waits for a person.
#[derive(Debug)]
pub struct AskedCall<'e> {
    /// The tool.
    pub tool: &'e str,
    /// Its arguments.
    pub arguments: &'e JsonText,
    /// What it would change, as a unified diff.
    pub diff: Option<String>,
}

/// What a person said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Go on.
    Continue,
    /// Stop.
    Stop,
    /// Nobody was there to ask; the run waits for somebody.
    NoAnswer,
    /// The question expired while a person was asked.
    Expired,
}

impl Decision {
    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Stop => "stop",
            Self::NoAnswer => "no_answer",
            Self::Expired => "expired",
        }
    }
}

/// How a turn was judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The turn.
    pub call_id: String,
    /// Whether it is closed.
    pub is_closed: bool,
    /// What speaks against it: class, subject, detail.
    pub reasons: Vec<(String, String, String)>,
    /// The digest of the turn.
    pub turn_digest: String,
    /// The witness of the check.
    pub witness_id: String,
}

/// What became of an intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedIntent {
    /// The call that asked.
    pub tool_call_id: String,
    /// The action.
    pub action: String,
    /// The digest of the intent.
    pub intent_digest: String,
    /// What became of it.
    pub outcome: IntentOutcome,
}

/// What became of an intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntentOutcome {
    /// The store made the change.
    Applied {
        /// The issue as it is now.
        issue_id: String,
        /// Its status.
        status: String,
    },
    /// A store of something else than issues made the change.
    Changed {
        /// What it is about now: a file, a proposal.
        id: String,
        /// What became of it.
        status: String,
    },
    /// There was nothing to change.
    Unchanged,
    /// The gate or the store said no.
    Refused {
        /// The failure class.
        class: String,
        /// Why.
        detail: String,
    },
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutcome {
    /// The model said that it is done, and every turn is closed.
    Completed,
    /// It went on in another session.
    HandedOff {
        /// The next run.
        run_id: String,
    },
    /// It stopped before it was done; it can be resumed.
    Stopped(StopCause),
    /// It ended because nothing else was admissible; it cannot be resumed.
    FailedClosed {
        /// The failure classes, sorted.
        classes: Vec<String>,
        /// The first reason, for people.
        detail: String,
    },
}

/// Why a run stopped before it was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopCause {
    /// A limit of its stop policy: which.
    Limit(String),
    /// Somebody asked for the end.
    Interrupted,
    /// It waits for a person: for what.
    NeedsPerson(String),
    /// Its question expired without an answer: which. Resuming asks it again.
    QuestionExpired(String),
    /// A person said no.
    Declined,
    /// No model answered: the kind of the error, and what it says.
    Model {
        /// The kind.
        kind: String,
        /// What it says.
        message: String,
    },
}

impl RunOutcome {
    /// The token on the wire.
    #[must_use]
    pub const fn token(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::HandedOff { .. } => "handed_off",
            Self::FailedClosed { .. } => "failed_closed",
            Self::Stopped(cause) => match cause {
                StopCause::Limit(_) => "limit",
                StopCause::Interrupted => "interrupted",
                StopCause::NeedsPerson(_) => "needs_person",
                StopCause::QuestionExpired(_) => "question_expired",
                StopCause::Declined => "declined",
                StopCause::Model { .. } => "model_failed",
            },
        }
    }

    /// Whether `premath resume` can go on from here.
    #[must_use]
    pub const fn is_resumable(&self) -> bool {
        matches!(self, Self::Stopped(_))
    }
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunReport {
    /// The run.
    pub run_id: String,
    /// How it ended.
    pub outcome: RunOutcome,
    /// What the model said last.
    pub text: String,
    /// How many turns it took.
    pub turns: u64,
    /// How many of them were refused.
    pub refused_turns: u64,
    /// How many tool calls.
    pub tool_calls: u64,
    /// How many tokens, in and out.
    pub tokens: u64,
    /// What it cost, in millionths of a dollar.
    pub cost_micros: u64,
    /// How long it took.
    pub wall_millis: u64,
    /// The workers it spawned.
    pub workers: u64,
    /// The changes it made to issue memory.
    pub applied: u64,
    /// About how many tokens a model was shown of what its programs came to.
    pub filtered_tokens: u64,
    /// About how many it would have been shown of what their calls gave back.
    pub unfiltered_tokens: u64,
    /// Whether what was said in it is kept when it is over.
    pub is_kept: bool,
}

impl RunReport {
    /// Whether programs kept anything out of the context.
    #[must_use]
    pub const fn has_filtered(&self) -> bool {
        self.filtered_tokens > 0 || self.unfiltered_tokens > 0
    }

    /// Whether it can be run again from its journal: what a run said that keeps nothing is there until it is over.
    #[must_use]
    pub const fn can_be_replayed(&self) -> bool {
        self.is_kept || self.outcome.is_resumable()
    }
}
