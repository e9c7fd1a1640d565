//! Coherence: whether a repository keeps its own contract. In premath's own, that classes, pages, vectors, actions, schemas,
//! policies and what the documentation shows belong together; elsewhere policies, lanes and configuration.
//!
//! It reads what is there and compares it with what this program is. It must not mend anything.

mod actions;
mod failures;
mod lanes;
mod places;
mod policies;
mod shown;

use premath_wire::v1::{CoherenceCount, CoherenceProblem};

pub use self::shown::CommandShape;
use crate::table::{ActionError, Host};

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) checked: Vec<CoherenceCount>,
    pub(crate) problems: Vec<CoherenceProblem>,
}

impl Found {
    fn count(&mut self, what: &str, count: usize) {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.checked.push(CoherenceCount { what: what.to_owned(), count });
    }

    fn problem(&mut self, class: CoherenceClass, file: &str, line: Option<usize>, detail: String) {
        let line = line.and_then(|line| u64::try_from(line).ok());
        let class = class.code().to_owned();
        self.problems.push(CoherenceProblem { file: file.to_owned(), line, class, detail });
    }
}

/// What does not fit. A class is for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CoherenceClass {
    FailurePageMissing,
    FailurePageUnknown,
    FailureVectorMissing,
    FailureEmitterMissing,
    ActionCommandMissing,
    ActionSchemaMissing,
    SchemaStale,
    PolicyDigestMismatch,
    PolicyPackageDrift,
    CommandUnknown,
    FlagUnknown,
    LaneDamaged,
    ConfigurationMissing,
}

impl CoherenceClass {
    const fn code(self) -> &'static str {
        match self {
            Self::FailurePageMissing => "coherence_failure_page_missing",
            Self::FailurePageUnknown => "coherence_failure_page_unknown",
            Self::FailureVectorMissing => "coherence_failure_vector_missing",
            Self::FailureEmitterMissing => "coherence_failure_emitter_missing",
            Self::ActionCommandMissing => "coherence_action_command_missing",
            Self::ActionSchemaMissing => "coherence_action_schema_missing",
            Self::SchemaStale => "coherence_schema_stale",
            Self::PolicyDigestMismatch => "coherence_policy_digest_mismatch",
            Self::PolicyPackageDrift => "coherence_policy_package_drift",
            Self::CommandUnknown => "coherence_command_unknown",
            Self::FlagUnknown => "coherence_flag_unknown",
            Self::LaneDamaged => "coherence_lane_damaged",
            Self::ConfigurationMissing => "coherence_configuration_missing",
        }
    }
}

/// Whether this is premath's own repository: it has the kernel and the pages about its failure classes.
pub(crate) fn is_our_own(host: &Host<'_>) -> bool {
    let root = &host.workspace.root;
    ["docs/failures", "crates/kernel/src", "conformance"]
        .iter()
        .all(|folder| host.workspace.disk.list(&root.join(folder)).is_ok())
}

/// Looks at everything.
pub(crate) fn check(host: &Host<'_>) -> Result<Found, ActionError> {
    let workspace = host.workspace;
    let mut found = Found::default();
    if is_our_own(host) {
        failures::check(workspace, &mut found)?;
        actions::check(workspace, &host.agent.commands(), &mut found)?;
        shown::check(workspace, &host.agent.commands(), &mut found)?;
    } else {
        lanes::configuration(workspace, &mut found)?;
    }
    policies::check(workspace, &mut found)?;
    lanes::check(workspace, &mut found)?;
    found.problems.sort();
    found.problems.dedup();
    Ok(found)
}

#[cfg(test)]
mod tests;
