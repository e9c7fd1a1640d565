//! Landing: the work of an issue as one commit, on the branch where the configuration wants it.
//!
//! A step works on the branch `premath/<issue>` from a base that has its closed dependencies. What was verified is committed by
//! the harness, and moved to the target one issue at a time. Marks in `refs/premath/` make it happen once: `landing/<issue>` is
//! written before the target moves, `landed/<issue>` and `done/<issue>` when the issue is closed. It must not close an issue.

mod base;
mod commit;
mod merge;
mod names;
mod queue;
mod resolve;
mod tree;
mod verification;

pub use queue::{LandRequest, Landed, land};
pub(super) use resolve::{Landing, LandingWishes, ResolvedWork};
pub(super) use tree::StepTree;

use premath_tusk::version_control::VersionControlError;

/// Work that cannot be landed: a failure of the attempt, with what a person or the worker needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LandingFailure {
    pub(super) class: &'static str,
    pub(super) detail: String,
    /// The paths it is about.
    pub(super) paths: Vec<String>,
}

impl LandingFailure {
    pub(super) fn new(class: &'static str, detail: impl Into<String>) -> Self {
        Self { class, detail: detail.into(), paths: Vec::new() }
    }
}

impl From<VersionControlError> for LandingFailure {
    fn from(error: VersionControlError) -> Self {
        Self::new(error.fault.class(), error.to_string())
    }
}
