//! Sessions of work on the wire: what boot, step and stop answer, what workers tell, what they and the coordinator come to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of an event row.
pub const WORK_EVENT_KIND: &str = "premath.work.event.v1";

/// A file or a folder that a session remembers in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryRoot {
    /// What it is.
    pub name: String,
    /// Where it is.
    pub path: String,
    /// Whether it is there.
    pub present: bool,
}

/// What an earlier session left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BootHandoff {
    /// Its name.
    pub session_id: String,
    /// Whether it ended in order.
    pub stopped: bool,
    /// The issue it worked on.
    pub issue_id: Option<String>,
    /// What it did.
    pub summary: Option<String>,
    /// What it said to do next.
    pub next_step: Option<String>,
    /// Whether issue memory is as it was then.
    pub snapshot_matches: Option<bool>,
}

/// A command that was run for its verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkCheck {
    /// Whether it went well.
    pub passed: bool,
    /// Why not.
    pub failure_classes: Vec<String>,
    /// The object that holds what it left behind.
    pub evidence_ref: String,
}

/// What `harness.boot` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BootAnswer {
    /// The action.
    pub action: String,
    /// Who works; null for the session of the repository itself.
    pub worker_id: Option<String>,
    /// `fresh`, `resume` or `attach`.
    pub mode: String,
    /// Where the session is.
    pub session_ref: String,
    /// Its name.
    pub session_id: String,
    /// Where sessions remember.
    pub memory_roots: Vec<MemoryRoot>,
    /// What is wrong with the graph of open issues; work does not begin then.
    pub graph_classes: Vec<String>,
    /// What the session before left.
    pub handoff: Option<BootHandoff>,
    /// The issue that this worker holds still.
    pub resume_issue_id: Option<String>,
    /// The issue to work on next.
    pub target_issue_id: Option<String>,
    /// The issue that a failure would belong to: from the environment, the session, or the only one that is ready.
    pub active_issue_id: Option<String>,
    /// Why that cannot be said.
    pub active_issue_class: Option<String>,
    /// The verification before any work; null without a command.
    pub baseline: Option<WorkCheck>,
    /// The retry policy in force.
    pub retry_policy_digest: String,
    /// The instruction that the session takes work under.
    pub instruction_ref: Option<String>,
}

/// What `harness.step` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkStepAnswer {
    /// The action.
    pub action: String,
    /// Who worked.
    pub worker_id: String,
    /// `idle`, `completed`, `escalated`, `lost`, `stopped` or `interrupted`.
    pub outcome: String,
    /// The issue.
    pub issue_id: Option<String>,
    /// The rows that its attempts left in the trajectory.
    pub step_ids: Vec<String>,
    /// Why it failed.
    pub failure_classes: Vec<String>,
    /// The last verification; null when none was made.
    pub verification: Option<WorkCheck>,
    /// Witnesses and changes it left.
    pub refs: Vec<String>,
    /// Where the session is.
    pub session_ref: String,
}

/// What `step.show` answers: one attempt of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepShowAnswer {
    /// The action.
    pub action: String,
    /// The step.
    pub step_id: String,
    /// The issue.
    pub issue_id: Option<String>,
    /// How it ended.
    pub result_class: String,
    /// Why it failed.
    pub failure_classes: Vec<String>,
    /// When it began.
    pub started_at: Option<String>,
    /// When it ended.
    pub finished_at: Option<String>,
    /// What to do next.
    pub next_step: Option<String>,
    /// Its commands: the verification before, the work, the verification after it.
    pub commands: Vec<StepCommandRow>,
    /// What else it left behind, in words.
    pub details: Vec<String>,
    /// The commit it made; null when it made none.
    pub commit: Option<String>,
    /// The paths that it changed.
    pub changed_paths: Vec<String>,
    /// The change as a patch; null where git does not have the trees.
    pub diff: Option<String>,
    /// Evidence that this clone does not have.
    pub not_here: Vec<String>,
}

/// One command of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepCommandRow {
    /// `work` or `verify`.
    pub purpose: String,
    /// The object that holds what it left behind.
    pub evidence_ref: String,
    /// What it ended with.
    pub exit_code: Option<u64>,
    /// The signal that ended it.
    pub signal: Option<u64>,
    /// Why it failed.
    pub failure_class: Option<String>,
    /// The tree that was verified.
    pub tree: Option<String>,
    /// The tree it was made from.
    pub base: Option<String>,
    /// Its standard output.
    pub stdout: Option<StepOutputRow>,
    /// Its standard error.
    pub stderr: Option<StepOutputRow>,
}

/// What a command printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepOutputRow {
    /// The object that holds all of it that was kept.
    pub digest: String,
    /// How much it printed.
    pub total_bytes: u64,
    /// Its end; null where the object is not here.
    pub tail: Option<String>,
}

/// What `harness.stop` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StopAnswer {
    /// The action.
    pub action: String,
    /// Who stopped; null for the session of the repository itself.
    pub worker_id: Option<String>,
    /// Where the session is.
    pub session_ref: String,
    /// Its name.
    pub session_id: String,
    /// The issue that was given back.
    pub released_issue_id: Option<String>,
    /// The row that the unfinished step left in the trajectory.
    pub step_id: Option<String>,
    /// How the issue was handed on.
    pub handoff_ref: Option<String>,
    /// What to do next.
    pub next_step: String,
}

/// What `premath worker` comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkerAnswer {
    /// The action.
    pub action: String,
    /// Who worked.
    pub worker_id: String,
    /// Where.
    pub worktree: String,
    /// Steps that took an issue.
    pub steps: u64,
    /// Issues it closed, in order.
    pub completed: Vec<String>,
    /// Issues whose work was pushed for a review.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub submitted: Vec<String>,
    /// Issues whose failure it told of.
    pub escalated: Vec<String>,
    /// Issues that went to somebody else.
    pub lost: Vec<String>,
    /// How the last step ended.
    pub outcome: String,
    /// Why it stopped.
    pub failure_classes: Vec<String>,
    /// Where the session is.
    pub session_ref: String,
}

/// What became of one slot of a coordinator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlotRow {
    /// Its worker.
    pub worker_id: String,
    /// Where it worked.
    pub worktree: String,
    /// Workers that were started.
    pub started: u64,
    /// Workers that died.
    pub died: u64,
    /// Issues that were closed.
    pub completed: u64,
    /// Failures that were told of.
    pub escalated: u64,
    /// Why the slot ended.
    pub outcome: String,
}

/// What `premath coordinator` comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoordinatorAnswer {
    /// The action.
    pub action: String,
    /// `done`, `rounds`, `stopped`, `refused` or `interrupted`.
    pub outcome: String,
    /// The slots, by worktree.
    pub slots: Vec<SlotRow>,
    /// The most workers that ran at once.
    pub most_at_once: u64,
    /// Issues that were closed.
    pub completed: u64,
    /// What the throughput figure said at the end.
    pub kpi_state: String,
    /// Issues that can be taken still.
    pub claimable: u64,
    /// Issues that somebody holds still.
    pub held: u64,
    /// Why nothing more was started.
    pub failure_classes: Vec<String>,
    /// Issues whose work was pushed for a review.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub submitted: Vec<String>,
    /// Issues whose verification failed and then passed on the same tree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<String>,
    /// What is not done, and what it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stuck: Vec<StuckIssue>,
    /// The worktrees that were removed at the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed_worktrees: Vec<String>,
    /// The worktrees that were to be removed and stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_worktrees: Vec<KeptWorktree>,
}

/// An issue that is not done when a coordinator has nothing left to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StuckIssue {
    /// The issue.
    pub issue_id: String,
    /// Where it stands.
    pub status: String,
    /// The issues it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub behind: Vec<String>,
    /// The last note on it, where that says why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What `premath land` comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LandAnswer {
    /// The action.
    pub action: String,
    /// `done`, `stuck` or `interrupted`.
    pub outcome: String,
    /// The branch that was landed on.
    pub target: String,
    /// Issues that are on it now, or were accepted.
    pub landed: u64,
    /// The issues, in the order in which they were landed.
    pub items: Vec<LandRow>,
}

/// What landing one issue came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LandRow {
    /// The issue.
    pub issue_id: String,
    /// `landed`, `accepted`, `review`, `reopened`, `escalated`, `waiting` or `failed`.
    pub outcome: String,
    /// Its commit on the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The paths it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

/// A worktree that was to be removed and stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeptWorktree {
    /// The folder.
    pub worktree: String,
    /// Why it stays.
    pub reason: String,
}

/// Something that a worker or a coordinator does, as it happens.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkEventRow {
    /// `premath.work.event.v1`
    pub kind: String,
    /// What happens: `booted`, `claimed`, `verified`, `worked`, `closed`, `retrying`, `escalated`, `released`, `published`,
    /// `escalation_refused`, `stopping`, `ended`; of work that is landed also `adopted`, `landed`, `not_landed`, `pushed`,
    /// `flaky`, `marks_left`, `checkout_left`; of a coordinator also `starting`, `died`, `waiting`, `slot_ended`, `draining`.
    pub event: String,
    /// Whose.
    pub worker_id: String,
    /// The issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// The attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// In words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failure_classes: Vec<String>,
}
