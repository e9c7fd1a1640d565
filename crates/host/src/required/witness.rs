//! Making a witness: the checks that a range asks for are run on the tree it ends with, and what came of them is written
//! down, kept and put on record.
//!
//! It must not run checks on another tree than the one it witnesses.

use std::collections::BTreeSet;
use std::time::Duration;

use premath_kernel::Digest;
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{
    CheckOutcome, CheckStatus, GateRow, REQUIRED_WITNESS_KIND, RequiredDelta, RequiredProjection,
    RequiredWitness, VerdictClass,
};

use super::LATEST_WITNESS;
use super::delta::{Range, delta};
use super::gate::gate_ref;
use super::git::Git;
use super::policy::{LoadedPolicy, load_policy};
use super::projection::project;
use super::record;
use super::stop::{RequiredClass, Stop};
use crate::artifacts::{pretty, write_artifact};
use crate::checking::{CHECK_FAILED, CheckLimits, run_check};
use crate::table::{ActionError, Host};

/// A witness that was made.
#[derive(Debug)]
pub(crate) struct Witnessed {
    pub(crate) path: String,
    pub(crate) digest: Digest,
    pub(crate) delta: RequiredDelta,
    pub(crate) projection: RequiredProjection,
    pub(crate) witness: RequiredWitness,
}

/// Runs the checks that a range asks for and witnesses them.
pub(crate) fn witness(host: &Host<'_>, range: Range<'_>, policy: Option<&str>) -> Result<Witnessed, Stop> {
    let workspace = host.workspace;
    let policy = load_policy(workspace, policy)?;
    let delta = delta(host, range)?;
    let git = Git::new(host);
    if let Some(detail) = git.unlike(&delta.to)? {
        return Err(RequiredClass::WorktreeDirty.refuse(
            detail,
            "commit or put away what is there; checks run on the tree that the range ends with",
        ));
    }
    let projection = project(&policy, &delta);
    let now = || format_time(to_millis(workspace.clock.now()));
    let started_at = now();
    let results = run(host, &policy, &projection)?;
    let changed = git.unlike(&delta.to)?.map(|_| RequiredClass::WorktreeChanged.code());
    let (verdict_class, failure_classes) = verdict(&results, changed);
    let witness = RequiredWitness {
        schema: 1,
        witness_kind: REQUIRED_WITNESS_KIND.to_owned(),
        from: delta.from.clone(),
        to: delta.to.clone(),
        delta_digest: delta.delta_digest.clone(),
        policy_ref: projection.policy_ref.clone(),
        policy_id: projection.policy_id.clone(),
        policy_digest: projection.policy_digest.clone(),
        projection_digest: projection.projection_digest.clone(),
        required_checks: projection.required_checks.clone(),
        executed_checks: results.iter().map(|row| row.check_id.clone()).collect(),
        results,
        verdict_class,
        failure_classes,
        started_at,
        finished_at: now(),
    };
    let bytes = pretty(&witness)?;
    let digest = Digest::of_bytes(&bytes);
    // Whoever finds the file finds the row; a row without its file vouches for nothing that is there.
    record::note(workspace, &digest, &witness.policy_digest, LATEST_WITNESS)?;
    write_artifact(workspace, &workspace.root.join(LATEST_WITNESS), &bytes)?;
    Ok(Witnessed { path: LATEST_WITNESS.to_owned(), digest, delta, projection, witness })
}

fn run(
    host: &Host<'_>,
    policy: &LoadedPolicy,
    projection: &RequiredProjection,
) -> Result<Vec<GateRow>, ActionError> {
    let mut results = Vec::new();
    for check in projection.required_checks.iter().filter_map(|id| policy.check(id)) {
        let defaults = CheckLimits::default();
        let wall = check.timeout_seconds.map_or(defaults.wall, Duration::from_secs);
        let outcome = run_check(host, &check.check_id, &check.command, CheckLimits { wall, ..defaults })?;
        let reference = gate_ref(host.workspace, &outcome)?;
        results.push(row(&outcome, reference));
    }
    Ok(results)
}

/// The row of an outcome.
pub(super) fn row(outcome: &CheckOutcome, gate_ref: String) -> GateRow {
    GateRow {
        check_id: outcome.check_id.clone(),
        gate_ref,
        status: outcome.status,
        failure_class: outcome.failure_class.clone(),
        exit_code: outcome.exit_code,
        duration_ms: outcome.duration_ms,
    }
}

/// What the results come to.
pub(super) fn verdict(results: &[GateRow], other: Option<&str>) -> (VerdictClass, Vec<String>) {
    let failed = results.iter().filter(|row| row.status == CheckStatus::Failed);
    let class = |row: &GateRow| row.failure_class.clone().unwrap_or_else(|| CHECK_FAILED.to_owned());
    let classes: BTreeSet<String> = failed.map(class).chain(other.map(str::to_owned)).collect();
    let verdict = if classes.is_empty() { VerdictClass::Accepted } else { VerdictClass::Rejected };
    (verdict, classes.into_iter().collect())
}
