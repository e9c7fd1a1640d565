//! What is answered about runs: how one ended, which there are, what happened in one, and whether it can be repeated.
//!
//! Everything here is shown; nothing is read back. The journal of a run is what counts.

mod event;
mod turn;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use event::{
    AskedCallRow, CallEnd, CallJudged, ConfirmationRow, ModelTextKind, PlanStepRow, RunEventKind, RunEventRow,
};
pub use turn::{
    CallArtifact, CallRow, CallTruncation, EarlierFile, JudgedIntent, MessageRow, ObservedCommand,
    SentMessage, SentRequest, SentTool, TurnCard, TurnDigests,
};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunEnding {
    /// The model said that it is done, and every turn is closed.
    Completed,
    /// It went on in another session.
    HandedOff,
    /// Nothing else was admissible. It cannot be resumed.
    FailedClosed,
    /// A limit of its stop policy was reached.
    Limit,
    /// Somebody asked for the end.
    Interrupted,
    /// It waits for a person.
    NeedsPerson,
    /// Its question expired without an answer. Resuming asks it again.
    QuestionExpired,
    /// A person said no.
    Declined,
    /// No model answered.
    ModelFailed,
}

impl RunEnding {
    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::HandedOff => "handed_off",
            Self::FailedClosed => "failed_closed",
            Self::Limit => "limit",
            Self::Interrupted => "interrupted",
            Self::NeedsPerson => "needs_person",
            Self::QuestionExpired => "question_expired",
            Self::Declined => "declined",
            Self::ModelFailed => "model_failed",
        }
    }
}

/// The answer of `run` and `resume`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunAnswer {
    /// `run.start` or `run.resume`
    pub action: String,
    /// The run.
    pub run_id: String,
    /// How it ended.
    pub outcome: RunEnding,
    /// Why, for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The classes of what it failed closed on, sorted.
    pub failure_classes: Vec<String>,
    /// What the model said last.
    pub text: String,
    /// The issue it worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// How many turns it took.
    pub turns: u64,
    /// How many of them were refused.
    pub refused_turns: u64,
    /// How many tool calls.
    pub tool_calls: u64,
    /// How many tokens, in and out.
    pub tokens: u64,
    /// What it cost, in millionths of a dollar, as far as prices are known.
    pub cost_micro_usd: u64,
    /// What its programs kept out of the context; absent where the model wrote none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filtered: Option<FilteredTokens>,
    /// How long it took.
    pub wall_ms: u64,
    /// The workers it spawned.
    pub workers: u64,
    /// The changes it made to issue memory.
    pub applied: u64,
    /// Whether `premath resume` can go on from here.
    pub resumable: bool,
    /// The run it went on in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_run_id: Option<String>,
    /// Where its journal is.
    pub journal: String,
    /// Commands to look at next.
    pub next: Vec<String>,
}

/// About how many tokens programs cost in the context, and would have cost without their filtering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FilteredTokens {
    /// What the model was shown of what programs came to.
    pub shown: u64,
    /// What it would have been shown of what their calls gave back.
    pub unfiltered: u64,
}

/// The answer of `runs list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunListing {
    /// `run.list`
    pub action: String,
    /// How many are listed.
    pub count: u64,
    /// The runs, in the order that was asked for.
    pub items: Vec<RunRow>,
    /// Where to go on; absent when there are no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

/// One run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    /// The run.
    pub run_id: String,
    /// What it was to do.
    pub task: String,
    /// The issue it worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// When it began.
    pub started_at: String,
    /// When it ended; absent while it goes on, or when it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_at: Option<String>,
    /// How it ended; absent while it goes on, or when it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<RunEnding>,
    /// How many turns it took so far.
    pub turns: u64,
    /// The first model it may ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The run that spawned it, or that it goes on from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_run_id: Option<String>,
    /// How it stands: `running`, `waiting` (for a person), `failed_closed`, `blocked` (no model answered), `limit`,
    /// `declined`, `interrupted`, `handed_off` or `done`.
    #[serde(default)]
    pub state: String,
    /// The tool that it is at, while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_tool: Option<String>,
    /// How many tokens so far, in and out.
    #[serde(default)]
    pub tokens: u64,
    /// What it cost so far, in millionths of a dollar, as far as prices are known.
    #[serde(default)]
    pub cost_micro_usd: u64,
    /// When something happened last.
    #[serde(default)]
    pub updated_at: String,
    /// How many questions to people wait for an answer.
    #[serde(default)]
    pub open_questions: u64,
}

/// The answer of `runs show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunCard {
    /// `run.show`
    pub action: String,
    /// The run.
    pub run: RunRow,
    /// Its pattern of work.
    pub pattern: String,
    /// Why it ended so, for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Whether `premath resume` can go on from here.
    pub resumable: bool,
    /// What its programs kept out of the context; absent where the model wrote none, or before the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filtered: Option<FilteredTokens>,
    /// Where its journal is.
    pub journal: String,
    /// The turns, in order.
    pub turns: Vec<TurnRow>,
    /// The workers it spawned, in order.
    pub workers: Vec<WorkerRow>,
    /// What became of the changes it asked for, in order.
    pub applied: Vec<IntentResult>,
}

/// One turn of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnRow {
    /// The turn.
    pub call_id: String,
    /// Which one, from 1.
    pub turn: u64,
    /// Who answered.
    pub model: String,
    /// Why the answer ended.
    pub stop: String,
    /// The tools it called, in the order of the calls.
    pub tools: Vec<String>,
    /// What became of it.
    pub verdict: TurnVerdict,
    /// Why it was refused, sorted.
    pub failure_classes: Vec<String>,
    /// The digest of the turn; empty while it is open.
    pub turn_digest: String,
    /// The witness of the check; empty while it is open.
    pub witness_id: String,
    /// How many tokens, in and out.
    pub tokens: u64,
    /// What it cost, in millionths of a dollar, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<u64>,
    /// The files that its calls changed, in the order of the calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ChangedFile>,
}

/// A file that a call changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangedFile {
    /// The call.
    pub tool_call_id: String,
    /// Its path below the workdir.
    pub path: String,
    /// `created`, `changed`, `removed` or `mode` for a command, `written` for a patch.
    pub change: String,
}

/// What became of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnVerdict {
    /// Every rule holds.
    Closed,
    /// A rule is broken, and nothing it asked for was changed.
    Refused,
    /// It was cut off before it was judged.
    Open,
}

/// A worker of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkerRow {
    /// Its run.
    pub run_id: String,
    /// Its issue.
    pub issue_id: String,
    /// What it was to do.
    pub title: String,
    /// How it ended; absent while it goes on, or when it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<RunEnding>,
}

/// What became of a change of issue memory that a turn asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IntentResult {
    /// The call that asked.
    pub tool_call_id: String,
    /// The action.
    pub action: String,
    /// The digest of the intent.
    pub intent_digest: String,
    /// What became of it.
    pub result: IntentState,
    /// The issue as it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// What else it is about: a file of the desk, a proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject_id: Option<String>,
    /// Its status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Why, for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What became of an intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IntentState {
    /// The store made the change.
    Applied,
    /// There was nothing to change.
    Unchanged,
    /// The gate or the store said no.
    Refused,
}

/// The answer of `runs export`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunExport<Items> {
    /// `run.export`
    pub action: String,
    /// The run.
    pub run_id: String,
    /// How many rows there are.
    pub count: u64,
    /// The file they were written to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The rows as they are in the journal, where no file was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub items: Option<Items>,
}

/// The answer of `runs events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunEvents<Row> {
    /// `run.events`
    pub action: String,
    /// The run.
    pub run_id: String,
    /// How many rows there are here.
    pub count: u64,
    /// The rows behind the cursor, in order: `{seq, at, digest, event}`.
    pub rows: Vec<Row>,
    /// Where to go on.
    pub next_cursor: String,
    /// Whether there is more behind it already.
    pub has_more: bool,
    /// Whether the run has stopped behind the last of them. It may be gone on with.
    pub ended: bool,
}

/// The answer of `runs forget`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunForgotten {
    /// `run.forget`
    pub action: String,
    /// The run whose private store it was.
    pub run_id: String,
    /// Whether there was still something to forget.
    pub was_there: bool,
}

/// The answer of `replay`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayAnswer {
    /// `run.replay`
    pub action: String,
    /// The run.
    pub run_id: String,
    /// How many rows of the journal were compared.
    pub rows: u64,
    /// How many turns were driven again.
    pub turns: u64,
    /// Whether every row came out the same.
    pub identical: bool,
    /// The first row that did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_difference: Option<ReplayDifference>,
    /// The digest of the journal's last row.
    pub head: String,
}

/// A row that came out differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReplayDifference {
    /// Its number in the journal.
    pub seq: u64,
    /// What kind of row it is.
    pub kind: String,
    /// What is different.
    pub detail: String,
}
