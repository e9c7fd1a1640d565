//! The pure rules of work memory: issues, what holds them back, who may work on them, and how work is measured.
//!
//! Everything here is a function of what a store already read and of the moment it is told. Must not read a clock,
//! parse a time, or know how a row is kept.

mod check;
mod dependency;
mod graph;
mod kpi;
mod lease;
mod ledger;
mod moment;
mod natural;
mod readiness;
mod retry;
mod status;
mod trajectory;

pub use check::{IssueProblemClass, IssueText, NOTES_LIMIT, check_text, verification_commands};
pub use dependency::DependencyKind;
pub use graph::{Blocker, Edge, GraphScope, IssueGraph, Node, find_path};
pub use kpi::{Kpi, KpiDecision, KpiInput, worker_of};
pub use lease::{
    Claim, DEFAULT_TTL_SECONDS, HolderProof, Holding, Lease, LeaseClass, LeaseRefusal, LeaseState,
    MAX_TTL_SECONDS, MIN_TTL_SECONDS, NO_FENCE, Override, Released, authorise_write, claim,
    is_assigned_to_other, is_claimable, lease_state, release, renew,
};
pub use ledger::{
    Closure, Feature, FeatureStatus, LedgerClass, check_ledger, closure_complete, next_feature,
};
pub use moment::Moment;
pub use natural::natural_cmp;
pub use readiness::{ReadyKey, TargetState, holds_back, is_ready};
pub use retry::{
    BackoffClass, ClassPattern, EscalationAction, FailureKind, RetryDecision, RetryNext, RetryRule,
    RetryTable, RetryTableFault,
};
pub use status::{IssueType, Status};
pub use trajectory::{ResultMeaning, result_meaning, retry_needed};
