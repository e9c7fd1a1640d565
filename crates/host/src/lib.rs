//! The action table: one typed entry per host function, called by every door alike.
//!
//! CLI, MCP, REPL and console reach meaning and state through here only, so that one action gives one answer. Must not
//! know a transport, a terminal or a clock, and does no I/O of its own: what it needs from outside comes in as a trait.

mod actions;
mod agent;
mod agent_tools;
mod artifacts;
mod authority;
mod chat;
mod checking;
mod coherence;
mod conversation;
mod desk_store;
mod desk_tools;
mod failing;
mod failures;
mod foreign;
mod governance;
mod hook;
mod measured;
mod observation;
mod outside;
mod policy_digest;
mod recording;
mod required;
mod retrieval;
mod sample;
mod scheme;
mod settings;
mod table;
mod work;
mod workspace;

pub use actions::approvals::row as approval_row;
pub use actions::conformance::{Case, SourceError, VectorSource, run as run_conformance};
pub use actions::doctor::{DoctorOutcome, refused as doctor_refused, run as doctor};
pub use actions::gc::{GcArgs, GcOutcome, refused as gc_refused, run as collect_garbage};
pub use actions::governance_check::{GovernanceChecked, run as governance_check};
pub use actions::join_check::{JoinChecked, run as join_check};
pub use actions::lane_path::lane_checked;
pub use actions::model::run as ask;
pub use actions::proposals::row as proposal_row;
pub use actions::schema::input_schema;
pub use actions::scheme_eval::wishes as scheme_wishes;
pub use actions::verify::run as verify;
pub use agent::{
    AgentDoor, Attendant, EventRows, FileJournal, FollowedRows, KeptRuns, NoAgent, NoPerson, ObservedTree,
    RunRefused, RunRequest, RunStarted, Said, SecretVault, ending, follow_run, fresh_run_id, intent_result,
    outcome_detail, resume, start, told_row,
};
pub use agent_tools::{IssueTools, issue_tools};
pub use authority::{ClientDoor, EnvelopeFault, Token};
pub use chat::{Cards, ChangeCard, Chunker, DeskCards, failure_sentence, folded};
pub use coherence::CommandShape;
pub use conversation::{Heard, circuits_failed, converse};
pub use desk_store::{desk_path, existing_desk, open_desk, publish};
pub use desk_tools::{DESK_SCOPES, DeskTools, PLAN_SCOPE, with_implied as with_implied_desk_scopes};
pub use failing::store_hint;
pub use failures::{explain, hint};
pub use foreign::approved_tool;
pub use governance::{PolicyPackages, shipped_package};
pub use hook::MOST_EVENT_BYTES;
pub use measured::{
    Dataset, GuardrailsMeasured, Measure, NoMeasure, RedTeamMeasured, RedTeamWanted, RedTeamWhole,
    ToolsMeasured, ToolsWanted,
};
pub use outside::{
    Asked, ListedPrices, ModelDoor, ModelFailure, NoModels, NoSandbox, Probe, Question, attempt_error,
};
pub use recording::audit_log;
pub use retrieval::{
    Citation, Embedder, Passage, PipelineEvent, PipelineStage, Retrieval, StageState, Support,
    VerifiedSentence, verify_citations,
};
pub use sample::sample_turn;
pub use scheme::{
    FUNCTIONS, Gives, ProgramFunction, SchemeCall, SchemeEvaluation, SchemeSession, SchemeWishes, TraceFault,
};
pub use settings::{
    AgentSandbox, Baseline, ClosingRule, CodeSettings, IdForm, LandMode, Layer, LoopSettings, PolicySettings,
    RetentionSettings, Setting, Settings, ShellSettings, TelemetrySettings, TerminalAuthority, ToolSettings,
    UnpricedModels, WorkSettings, parse_age, parse_size,
};
pub use table::{ACTIONS, Action, ActionError, Answer, Door, Host};
pub use work::{
    Child as WorkerChild, Coordination, CoordinatorRequest, Crew as WorkerCrew, LandRequest, Landed,
    WorkRequest, WorkWatch, WorkWishes, Worked, coordinate, land, work,
};
pub use workspace::{DoorRefusal, LinkedCall, MutationDoor, Retention, Workspace};
