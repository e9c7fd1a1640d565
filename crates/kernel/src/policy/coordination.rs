//! Terms of the policies about context, decomposition, handoffs and stopping.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::call_spec::ExecutionPattern;
use crate::scalar::{Count, Text, TextSet, Token};

/// Where renderings may be injected.
#[derive(Debug, Clone, Default)]
pub struct ToolRenderProtocol {
    /// Absent: anywhere.
    pub injection_points: Option<Vec<Token>>,
}

/// Which queues must be reduced.
#[derive(Debug, Clone, Default)]
pub struct ReminderQueuePolicy {
    /// Their ids.
    pub required_queues: TextSet,
}

/// Which views must exist.
#[derive(Debug, Clone, Default)]
pub struct StateViewPolicy {
    /// Their ids.
    pub required_views: TextSet,
}

/// Whether context may be compacted and what must survive it.
#[derive(Debug, Clone, Default)]
pub struct CompactionPolicy {
    /// False: never.
    pub enabled: Option<bool>,
    /// What must always be kept.
    pub must_keep: TextSet,
}

/// How work may be split.
#[derive(Debug, Clone, Default)]
pub struct DecompositionPolicy {
    /// Absent: any pattern.
    pub patterns: Option<Vec<ExecutionPattern>>,
    /// How many workers.
    pub max_workers: Option<Count>,
    /// How deep.
    pub max_depth: Option<Count>,
    /// How many turns a workflow pattern may take.
    pub workflow_turn_limit: Option<Count>,
    /// The measured reason for running past that limit.
    pub autonomy_trigger: Option<Text>,
}

/// What each role may read and write.
#[derive(Debug, Clone, Default)]
pub struct ContextScope {
    /// Scopes by role.
    pub roles: BTreeMap<Text, RoleScope>,
}

/// What one role may read and write.
#[derive(Debug, Clone, Default)]
pub struct RoleScope {
    /// Folders and files it may read.
    pub read: TextSet,
    /// Folders and files it may write.
    pub write: TextSet,
    /// Issues it may change, with everything that descends from them. Absent: any.
    pub issues: Option<TextSet>,
    /// Tools that ask for changes of issues: with `issues`, their rows name what they change.
    pub issue_tools: TextSet,
}

/// Who may hand work to whom, and what goes along.
#[derive(Debug, Clone, Default)]
pub struct HandoffContract {
    /// Roles that may hand over.
    pub roles: TextSet,
    /// Who may receive.
    pub targets: TextSet,
    /// What must go along.
    pub required_artifact_refs: TextSet,
    /// Whether a return path is needed.
    pub require_return_path: Option<bool>,
}

/// How much a run may use.
#[derive(Debug, Clone, Default)]
pub struct StopPolicy {
    /// Model turns.
    pub max_turns: Option<Count>,
    /// Steps.
    pub max_steps: Option<Count>,
    /// Tool calls.
    pub max_tool_calls: Option<Count>,
    /// Tokens.
    pub max_tokens: Option<Count>,
    /// Cost, in millionths of the currency unit.
    pub max_cost_micros: Option<Count>,
    /// Wall time, in milliseconds.
    pub max_wall_millis: Option<Count>,
    /// Identical calls in a row.
    pub max_identical_calls: Option<Count>,
    /// A person is asked every so many turns.
    pub checkpoint_every_turns: Option<Count>,
}

/// Which ends of a model call are handled.
#[derive(Debug, Clone, Default)]
pub struct ProtocolStatePolicy {
    /// Handled stop reasons.
    pub stop_reasons: Vec<Token>,
    /// Stop reasons after which the loop may go on. Absent: all.
    pub continuation: Option<Vec<Token>>,
    /// Stop reasons that announce at least one tool call. Absent: none does.
    pub requests_required: Vec<Token>,
}
