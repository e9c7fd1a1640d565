//! `harness.trajectory.*`: one row per step, and the projection that is asked of them.

use std::path::Path;
use std::sync::Arc;

use premath_bd::{
    Access, FailureCluster, Grouping, NewStep, Projection, Query, StoreError, Trajectory, Warning,
};
use premath_kernel::Value;
use premath_wire::Canonical;
use premath_wire::v1::{
    FailureGroup, LineWarning, PROJECTION_KIND, ProjectionMode, StepAnswer, TrajectoryProjection,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::harness_feature::{from_store, shut};
use super::issue::{arguments, count, token, told};
use super::lane_path::lane_checked;
use crate::table::{ActionError, Answer, Host};
use crate::workspace::shown;

const LANE: &str = "harness_trajectory.jsonl";
const LANE_HEAD: &str = "harness_trajectory.jsonl.head";
const DEFAULT_LIMIT: u64 = 20;
const FAILURE_CLASS: &str = "failure-class";

/// What `harness.trajectory.append` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AppendArgs {
    /// The trajectory; that of the repository when absent.
    path: Option<String>,
    /// The step: `<worker>.<issue>.<n>`.
    step_id: String,
    /// What was done.
    action: String,
    /// What came of it, such as `accepted` or `failed`.
    result_class: String,
    /// When it ended (RFC 3339); now when absent.
    finished_at: Option<String>,
    /// When it began (RFC 3339).
    started_at: Option<String>,
    /// The issue it was about.
    issue_id: Option<String>,
    /// What verification came to.
    verification_class: Option<String>,
    /// What to do next.
    next_step: Option<String>,
    /// Why it failed.
    #[serde(default)]
    failure_classes: Vec<String>,
    /// Instructions it was done under.
    #[serde(default)]
    instruction_refs: Vec<String>,
    /// What it came from.
    #[serde(default)]
    lineage_refs: Vec<String>,
    /// What it changed.
    #[serde(default)]
    mutation_refs: Vec<String>,
    /// Witnesses of it.
    #[serde(default)]
    witness_refs: Vec<String>,
}

/// What `harness.trajectory.query` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct QueryArgs {
    /// The trajectory; that of the repository when absent.
    path: Option<String>,
    /// `latest` (when absent), `failed` or `retry-needed`.
    mode: Option<String>,
    /// The most to answer with.
    limit: Option<u64>,
    /// `failure-class`
    group_by: Option<String>,
}

/// `harness.trajectory.append`
pub(crate) fn append(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: AppendArgs = arguments(args)?;
    if let Some(path) = told(args.path.as_deref()) {
        lane_checked(host.workspace, "harness.trajectory.append", Path::new(path))?;
    }
    if let Some(refused) = shut(host, "harness.trajectory.append")? {
        return Ok(refused);
    }
    let trajectory = trajectory(host, args.path.as_deref());
    let step = NewStep {
        step_id: args.step_id,
        action: args.action,
        result_class: args.result_class,
        finished_at: args.finished_at,
        started_at: args.started_at,
        issue_id: args.issue_id,
        verification_class: args.verification_class,
        next_step: args.next_step,
        failure_classes: args.failure_classes,
        instruction_refs: args.instruction_refs,
        lineage_refs: args.lineage_refs,
        mutation_refs: args.mutation_refs,
        witness_refs: args.witness_refs,
    };
    let row = trajectory.append(&step, host.workspace.clock.as_ref()).map_err(from_store)?;
    Answer::new(
        "accepted",
        &StepAnswer {
            action: "harness.trajectory.append".to_owned(),
            trajectory_path: shown(trajectory.path()),
            row: Canonical(row),
        },
    )
}

/// `harness.trajectory.query`
pub(crate) fn query(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: QueryArgs = arguments(args)?;
    let mode = match told(args.mode.as_deref()) {
        Some(mode) => token(mode, "mode", &ProjectionMode::ALL, ProjectionMode::token)?,
        None => ProjectionMode::Latest,
    };
    let grouping = match told(args.group_by.as_deref()) {
        Some(by) => token(by, "groupBy", &[Grouping::ByFailureClass], |_| FAILURE_CLASS)?,
        None => Grouping::None,
    };
    let limit = args.limit.unwrap_or(DEFAULT_LIMIT);
    let trajectory = trajectory(host, args.path.as_deref());
    let query = Query { mode, limit: usize::try_from(limit).unwrap_or(usize::MAX), grouping };
    let found = unless_new(host, args.path.as_deref(), trajectory.query(&query), || nothing(grouping))?;
    let (groups, group_count) = found.groups.unzip();
    Answer::new(
        "ok",
        &TrajectoryProjection {
            action: "harness.trajectory.query".to_owned(),
            projection_kind: PROJECTION_KIND.to_owned(),
            trajectory_path: shown(trajectory.path()),
            mode,
            limit,
            total_count: found.total,
            failed_count: found.failed,
            retry_needed_count: found.retry_needed,
            count: count(found.items.len()),
            items: found.items.into_iter().map(Canonical).collect(),
            groups: groups.map(|groups| groups.into_iter().map(group).collect()),
            group_count,
            warning_count: found.warning_count,
            warnings: found.warnings.into_iter().map(warning).collect(),
        },
    )
}

/// The trajectory that an argument names, or the lane's own.
pub(super) fn trajectory(host: &Host<'_>, named: Option<&str>) -> Trajectory {
    Trajectory::new(Arc::clone(&host.workspace.disk), host.workspace.lane(told(named), LANE))
}

/// What was read; or `empty` where a repository has no trajectory yet and nobody named another file. A trajectory that
/// left its head behind was there, and is missing.
pub(super) fn unless_new<T>(
    host: &Host<'_>,
    named: Option<&str>,
    read: Result<T, StoreError>,
    empty: impl FnOnce() -> T,
) -> Result<T, StoreError> {
    let workspace = host.workspace;
    let is_new = || {
        let head = workspace.lane(None, LANE_HEAD);
        told(named).is_none()
            && workspace.disk.list(&workspace.root.join(".premath")).is_ok()
            && workspace.disk.open(&head, Access::Read).is_err()
    };
    match read {
        Err(StoreError::Missing { .. }) if is_new() => Ok(empty()),
        read => read,
    }
}

fn nothing(grouping: Grouping) -> Projection {
    Projection {
        total: 0,
        failed: 0,
        retry_needed: 0,
        items: Vec::new(),
        groups: (grouping == Grouping::ByFailureClass).then(|| (Vec::new(), 0)),
        warning_count: 0,
        warnings: Vec::new(),
    }
}

fn group(cluster: FailureCluster) -> FailureGroup {
    FailureGroup {
        failure_class: cluster.failure_class,
        count: cluster.count,
        latest_finished_at: cluster.latest_finished_at,
        latest_step_id: cluster.latest_step_id,
    }
}

pub(super) fn warning(warning: Warning) -> LineWarning {
    LineWarning { class: warning.class.to_owned(), line: warning.line, detail: warning.detail }
}
