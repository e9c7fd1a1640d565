//! Running agents: from what was asked for to a machine, its ports over a repository, and what is left behind.
//!
//! The machine and the driver are the runtime's; here they get a repository, models and tools. It must not decide what a
//! turn means, and reaches the outside through [`AgentDoor`] only.

mod artifact_rows;
mod assemble;
mod beginning;
mod children;
mod conversing;
mod cost_limit;
mod door;
mod effective;
pub(crate) mod event_rows;
mod explaining;
mod following;
mod footprint;
mod governed;
mod instructed;
mod kept;
mod lease;
mod people;
mod plans;
mod ports;
mod request;
mod resume;
pub(crate) mod retention;
mod run;
mod secret_vault;
mod shown;
mod steady;
pub(crate) mod traces;
mod turn_policies;
mod verification;
mod withdrawn;
mod workflow;

pub(crate) use assemble::all_tools;
pub(crate) use conversing::is_answered_in;
pub use door::{AgentDoor, Attendant, NoAgent, NoPerson, ObservedTree, Said};
pub(crate) use effective::{check_scopes, controls, principal, sourced_controls};
pub use event_rows::EventRows;
pub(crate) use explaining::{PolicyGround, governed_tools, governed_with};
pub use following::{FollowedRows, follow as follow_run, told_row};
pub(crate) use governed::within_budget;
pub(crate) use instructed::own_ledger;
pub use lease::Refused as RunRefused;
pub(crate) use plans::approved as carry_out;
pub use ports::FileJournal;
pub(crate) use request::RunArgs;
pub use request::RunRequest;
pub(crate) use resume::ResumeArgs;
pub use resume::resume;
pub use run::{Started as RunStarted, fresh_id as fresh_run_id, start};
pub use secret_vault::SecretVault;
pub use shown::{ending, intent_result, outcome_detail};
pub use traces::KeptRuns;
