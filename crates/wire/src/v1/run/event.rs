//! What happens in a run, one JSON object per line: what `run --json` prints before its answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{CallArtifact, IntentResult, RunEnding};
use crate::v1::{ReasonRow, UsageRow};

/// One line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunEventRow {
    /// The issues of the workers it happens in, outermost first; absent in the run itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workers: Vec<String>,
    /// What happens.
    #[serde(flatten)]
    pub event: RunEventKind,
}

/// What happens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all_fields = "camelCase")]
pub enum RunEventKind {
    /// It begins, or goes on.
    #[serde(rename = "run.started")]
    RunStarted {
        /// The run.
        run_id: String,
        /// What it is to do.
        task: String,
        /// The issue it works on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        issue_id: Option<String>,
        /// The models that may be asked, in order.
        models: Vec<String>,
        /// Its pattern of work.
        pattern: String,
        /// Whether it goes on after an end that was none.
        resumed: bool,
        /// How deep below the first run.
        depth: u64,
        /// What it asked for and was not given, as a person is told: `code`, `policyName`, `humanMessage`, `hint`, `retryable`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        denied: Vec<crate::Json>,
        /// Tools of other servers that it was not given, and why.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        blocked: Vec<String>,
        /// The directory that its tools work in; absent where the event is read back from a journal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        workdir: Option<String>,
    },
    /// A model is asked, or the harness does something in its place.
    #[serde(rename = "turn.started")]
    TurnStarted {
        /// The turn.
        call_id: String,
        /// Which one, from 1; those of workers are not counted.
        turn: u64,
        /// What the harness does itself, without a model: `branches` or `judgement`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        harness: Option<String>,
    },
    /// A piece of what a model says, as it comes. Not to be acted on.
    #[serde(rename = "model.text")]
    ModelText {
        /// What it is.
        kind: ModelTextKind,
        /// The piece.
        text: String,
    },
    /// A model has answered.
    #[serde(rename = "turn.answered")]
    TurnAnswered {
        /// The turn.
        call_id: String,
        /// Who answered.
        model: String,
        /// Why it ended.
        stop: String,
        /// What it used.
        usage: UsageRow,
        /// What it cost, in millionths of a dollar, where that is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_micro_usd: Option<u64>,
    },
    /// A call begins.
    #[serde(rename = "call.started")]
    CallStarted {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool: String,
        /// Its arguments.
        arguments: crate::Json,
        /// What it will change, as a unified diff.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        diff: Option<String>,
        /// The call whose program makes it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<String>,
    },
    /// A call has ended, or was refused.
    #[serde(rename = "call.finished")]
    CallFinished(Box<CallEnd>),
    /// A turn was judged.
    #[serde(rename = "turn.closed")]
    TurnClosed {
        /// The turn.
        call_id: String,
        /// Whether every rule holds.
        closed: bool,
        /// What speaks against it.
        reasons: Vec<ReasonRow>,
        /// The digest of the turn.
        turn_digest: String,
        /// The witness of the check.
        witness_id: String,
    },
    /// A change of issue memory was made, or was not.
    #[serde(rename = "intent.applied")]
    IntentApplied(IntentResult),
    /// A worker begins.
    #[serde(rename = "worker.started")]
    WorkerStarted {
        /// Its run.
        run_id: String,
        /// Its issue.
        issue_id: String,
        /// What it is to do.
        title: String,
    },
    /// A worker has ended.
    #[serde(rename = "worker.finished")]
    WorkerFinished {
        /// Its run.
        run_id: String,
        /// Its issue.
        issue_id: String,
        /// How it ended.
        outcome: RunEnding,
        /// Why, for a person.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// A person is asked.
    #[serde(rename = "person.asked")]
    PersonAsked {
        /// Why.
        question: String,
        /// What would run.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<AskedCallRow>,
    },
    /// A person has answered, or nobody was there.
    #[serde(rename = "person.decided")]
    PersonDecided {
        /// `continue`, `stop` or `no_answer`
        decision: String,
    },
    /// Policy does not simply allow a call.
    #[serde(rename = "call.judged")]
    CallJudged(CallJudged),
    /// A person was asked about calls.
    #[serde(rename = "person.confirmed")]
    PersonConfirmed {
        /// What they said about each.
        confirmations: Vec<ConfirmationRow>,
    },
    /// A plan waits for a person.
    #[serde(rename = "plan.proposed")]
    PlanProposed {
        /// The proposal.
        proposal_id: String,
    },
    /// What became of a plan.
    #[serde(rename = "plan.decided")]
    PlanDecided {
        /// The proposal.
        proposal_id: String,
        /// `pending`, `executed`, `failed`, `rejected` or `expired`
        state: String,
        /// What became of its steps.
        steps: Vec<PlanStepRow>,
    },
    /// Context was compacted.
    #[serde(rename = "context.compacted")]
    ContextCompacted {
        /// How many turns are no longer shown.
        dropped_turns: u64,
    },
    /// It goes on in another session.
    #[serde(rename = "run.handed_off")]
    RunHandedOff {
        /// The next run.
        run_id: String,
    },
    /// It has ended. The answer follows on the last line.
    #[serde(rename = "run.stopped")]
    RunStopped {
        /// The run.
        run_id: String,
        /// How it ended.
        outcome: RunEnding,
        /// The kind of the error, where no model answered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_kind: Option<String>,
    },
}

/// What a piece of a model's answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelTextKind {
    /// What it says.
    Text,
    /// What it thinks, where that may be read.
    Reasoning,
    /// Why it does not answer.
    Refusal,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallEnd {
    /// The call.
    pub tool_call_id: String,
    /// The tool.
    pub tool: String,
    /// `ok` or `error`
    pub status: String,
    /// Why it did not do what was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// Whether the same call may succeed later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retryable: Option<bool>,
    /// What happened, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The code of a command that ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// What a file or a command said: all of it, or how it begins where `ref` has the rest.
    pub content: String,
    /// How it ends, where `ref` has the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<String>,
    /// How many bytes there are in all.
    pub bytes: u64,
    /// The object that has all of it.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// What premath says about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The files that were read or written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<CallArtifact>,
    /// The change of issue memory that waits for the end of the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// How long it took.
    pub millis: u64,
}

/// A call that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AskedCallRow {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: crate::Json,
    /// What it would change, as a unified diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
}

/// What policy says about a call that it does not simply allow, as a person is told it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallJudged {
    /// The call.
    pub tool_call_id: String,
    /// The tool.
    pub tool: String,
    /// `ask` or `deny`
    pub effect: String,
    /// One of the five codes of policy.
    pub code: String,
    /// What the model is told to do instead.
    pub hint: String,
    /// Which policy.
    pub policy_name: String,
    /// What happened.
    pub human_message: String,
    /// What the call is about, by name.
    pub targets: Vec<String>,
}

/// What a person said about one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfirmationRow {
    /// The call.
    pub tool_call_id: String,
    /// The approval.
    pub approval_id: String,
    /// `approved`, `denied`, `expired` or `pending`
    pub answer: String,
    /// Who.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<String>,
}

/// What became of a step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanStepRow {
    /// The tool.
    pub tool: String,
    /// What it was about, by name.
    pub about: String,
    /// `ok`, `failed` or `skipped`
    pub state: String,
    /// Why, where it is not `ok`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}
