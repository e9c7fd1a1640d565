//! Work over a repository: boot, step and stop, workers, and the coordinator of several of them.
//!
//! What is to be done next is decided by the machines of `tusk::session`; here it is done: issues are claimed, commands run,
//! changes made through the harness's own door, and what happened put on record. It must not decide what follows a failure.

mod active_issue;
mod agent_work;
mod beginning;
mod bench;
mod claiming;
mod command;
mod coordinator;
mod ending;
mod escalation;
mod evidence;
mod heartbeat;
mod landing;
mod landing_step;
mod place;
mod publishing;
mod request;
mod retry_policy;
mod scheme_work;
mod step;
mod streak;
mod workable;
mod worker;

pub use coordinator::{Child, Coordination, CoordinatorRequest, Crew, coordinate};
pub use landing::{LandRequest, Landed, land};
pub(crate) use request::WorkArgs;
pub use request::{WorkRequest, WorkWishes};
pub(crate) use retry_policy::{DEFAULT_RETRY_POLICY, RETRY_POLICY_PATH};
pub use worker::{Worked, work};

pub(crate) use beginning::call as boot;
pub(crate) use ending::call as stop;
pub(crate) use step::call as step;

use premath_wire::v1::WorkEventRow;

/// Whoever watches work.
pub type WorkWatch<'w> = dyn FnMut(&WorkEventRow) + Send + 'w;
