//! Evidence: plain rows that say what was observed in one turn.
//!
//! Anybody may build these; they prove nothing. Must not decide anything.

mod artifact;
mod code;
mod compaction;
mod context;
mod guardrail;
mod handoff;
mod issue_target;
mod observation;
mod prior;
mod protocol;
mod request;
mod result;
mod usage;
mod worker;

use alloc::vec::Vec;

pub use artifact::{Access, Artifact, ChangeKind, ChangeSource, FileBefore, IgnoredPaths, ObservedChanges};
pub use code::CodeExecution;
pub use compaction::Compaction;
pub use context::{ReminderQueue, StateView, ToolRender};
pub(crate) use guardrail::rows as guardrail_rows;
pub use guardrail::{GuardrailDecision, GuardrailStage};
pub use handoff::{Handoff, HandoffArtifact, HandoffProjection};
pub use issue_target::IssueTarget;
pub use observation::{Observations, ObservedArtifact, ObservedFile, SchemaError, Sink};
pub use prior::{PriorResult, PriorUse};
pub use protocol::{Counters, ProtocolState};
pub use request::{SearchRef, ToolRequest};
pub(crate) use result::is_said;
pub use result::{
    CallerEdge, ErrorEnvelope, ErrorMaterial, Provenance, ProvenanceKind, ResultStatus, Shell, Tokens,
    ToolResult, Truncation,
};
pub use usage::{Disposition, ToolUse, UseMeaning};
pub use worker::Worker;

use crate::scalar::TextSet;

/// Everything that was observed in one turn. Row order means nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnEvidence {
    /// What the model asked for.
    pub requests: Vec<ToolRequest>,
    /// What came back.
    pub results: Vec<ToolResult>,
    /// What became of it.
    pub uses: Vec<ToolUse>,
    /// Results of earlier turns that something of this turn rests on.
    pub prior_uses: Vec<PriorUse>,
    /// How results were rendered for operator and model.
    pub renders: Vec<ToolRender>,
    /// Reductions of the reminder queues.
    pub queues: Vec<ReminderQueue>,
    /// Views of the conversation state.
    pub views: Vec<StateView>,
    /// How the model call ended.
    pub protocol: ProtocolState,
    /// A transfer to another role, if one was attempted.
    pub handoff: Option<Handoff>,
    /// Guardrail decisions about the turn as a whole.
    pub guardrails: Vec<GuardrailDecision>,
    /// Programs the model ran.
    pub code_executions: Vec<CodeExecution>,
    /// A compaction that happened before the turn.
    pub compaction: Option<Compaction>,
    /// Workers spawned by the turn.
    pub workers: Vec<Worker>,
    /// The part of the handoff contract shown to this role.
    pub handoff_projection: Option<HandoffProjection>,
    /// What the runtime looked up on disk and at its sinks.
    pub observations: Option<Observations>,
    /// Session records that cite this turn.
    pub session_refs: TextSet,
    /// Trajectory rows that cite this turn.
    pub trajectory_refs: TextSet,
}
