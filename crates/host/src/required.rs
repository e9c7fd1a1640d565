//! Required checks: from two commits to the paths between them, the checks those ask for, what came of them, and a decision
//! that anybody can make again.
//!
//! Nothing here believes a document: the difference comes from git, the checks from the policy, the outcomes from objects
//! that are what their names say, and a witness counts when this repository made it. It must not repair what it finds wrong.

mod decision;
mod delta;
mod gate;
mod git;
mod pattern;
mod policy;
mod projection;
mod record;
mod stop;
mod verification;
mod witness;

pub(crate) use self::decision::{decide, verify_decision};
pub(crate) use self::delta::{Range, delta};
pub(crate) use self::gate::{gate_ref_of, kept_outcome};
pub(crate) use self::policy::{load_policy, policy_digest_holds};
pub(crate) use self::projection::project;
pub(crate) use self::stop::{RequiredClass, RequiredRefusal, Stop};
pub(crate) use self::verification::{Expected, verify_witness};
pub(crate) use self::witness::witness;

/// Where the witness of the latest required checks is, from the root of a repository.
pub(crate) const LATEST_WITNESS: &str = "artifacts/ciwitness/latest-required.json";
/// Where the latest decision is.
pub(crate) const LATEST_DECISION: &str = "artifacts/ciwitness/latest-decision.json";
