//! The turn loop: a machine that decides and does nothing, and a driver that does and decides nothing.
//!
//! The driver, the simulator and replay all run the same machine. It must not reach a model, a tool, a file or a clock but
//! through what the driver is given.

mod adapter;
mod answer;
mod answering;
mod batch;
mod check;
mod closing;
mod code;
mod config;
mod driver;
mod earlier_results;
mod event;
mod evidence_rules;
mod held_text;
mod judging;
mod limits;
mod machine;
mod own_tools;
mod people;
mod plan;
mod ports;
mod programs;
mod progress;
mod proofs;
mod records;
mod redaction;
mod redrive;
mod renaming;
mod room;
mod run_secrets;
mod sent_request;
mod state;
mod step;
mod terms;
mod tool_use;
mod toolbox;
mod turn_case;
mod turns;
mod verification;
mod watch;
mod withheld;
mod workflow;

pub use adapter::FENCED_JSON;
pub use answer::Answer;
pub use batch::BatchRule;
pub use check::{ConfigError, check};
pub use code::{CODE_EXECUTION, CodeExecution, CodeLimits};
pub use config::{ParentRun, Relation, RunConfig, STRUCTURED, Scope};
pub use driver::{Beginning, DriveError, Ports, drive};
pub use event::{Event, WorkerReturn};
pub use evidence_rules::EvidenceRules;
pub use limits::{ContextLimits, Limits, OnFull};
pub use machine::{Machine, Unexpected};
pub use own_tools::{ChooseRoute, GiveVerdict, SpawnWorker};
pub use people::{Confirmation, ConfirmationAnswer, PlanDecision, PlanStepResult};
pub use ports::{
    AnswerError, AnswerPort, Answered, AskedConfirmation, Checkpoint, Crew, IssuePort, ObjectPort, Person,
    PolicyPort, RunJournal, SecretUse, Stopwatch,
};
pub use progress::{CHOOSE_ROUTE, GIVE_VERDICT, PROPOSE_PLAN, SPAWN_WORKER};
pub use redrive::{Redrive, RedriveError, Redriven};
pub use run_secrets::RunSecrets;
pub use sent_request::sent_request;
pub use step::{Admitted, Approval, ModelCall, PlannedCall, ProgramCaller, Step, WorkerPlan};
pub use terms::{CUT_MARKER, TermsError, is_turn_policy};
pub use toolbox::{Prepared, Ran, Toolbox, Touch};
pub use turn_case::{CaseVerdict, TurnCase};
pub use verification::Verification;
pub use watch::{
    AppliedIntent, AskedCall, Decision, IntentOutcome, RunEvent, RunOutcome, RunReport, StopCause, Verdict,
};
pub use workflow::{Branch, Evaluator, Judge, Route, Stage, WorkerDefaults, Workflow};

pub(crate) use code::{Bindings, functions};
