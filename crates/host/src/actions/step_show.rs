//! `step.show`: one attempt of a worker, with what its commands printed and what it changed.
//!
//! The row of the trajectory names objects; they are read here and shown in part, the digest of each beside it. What another
//! clone keeps is said to be not here. It must not run anything.

use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::{Grouping, ObjectId, Objects, Query, StoreError, Trajectory};
use premath_kernel::Value;
use premath_tusk::version_control::TreeId;
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{ProjectionMode, StepCommandRow, StepOutputRow, StepShowAnswer};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, invalid, told};
use crate::checking::check_objects;
use crate::table::{ActionError, Answer, Host};

/// So many steps are looked through.
const MOST_STEPS: usize = 100_000;
/// The largest evidence document.
const MOST_DOCUMENT: usize = 64 << 10;
/// How much of an output is shown: its end.
const MOST_OUTPUT: usize = 4 << 10;
/// How much of a diff is shown.
const MOST_DIFF: usize = 64 << 10;

/// What `step.show` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StepShowArgs {
    /// The step, as `harness-trajectory query` and `observe needs_attention` name it.
    step_id: String,
}

/// `step.show`
pub(crate) fn show(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: StepShowArgs = arguments(args)?;
    let id = told(Some(&args.step_id)).ok_or_else(|| invalid("expected the id of a step", "stepId"))?;
    let id = id.strip_prefix("step://").unwrap_or(id);
    let Some(row) = find(host, id)? else {
        return Err(invalid(
            format!("there is no step `{id}` here; `premath harness-trajectory query` lists them"),
            "stepId",
        )
        .into());
    };
    let text = |name: &str| row.as_object()?.get(name)?.as_text().map(str::to_owned);
    let list = |name: &str| -> Vec<String> {
        let items =
            row.as_object().and_then(|row| row.get(name)).and_then(Value::as_array).unwrap_or_default();
        items.iter().filter_map(Value::as_text).map(str::to_owned).collect()
    };
    let objects = check_objects(host.workspace);
    let mut commands = Vec::new();
    let mut not_here = Vec::new();
    let mut details = Vec::new();
    for digest in list("witnessRefs").into_iter().filter(|one| one.starts_with("sha256:")) {
        match evidence(&objects, &digest)? {
            None => not_here.push(digest),
            Some(Evidence::Command(command)) => commands.push(*command),
            Some(Evidence::Detail(detail)) => details.push(detail),
        }
    }
    let mutations = list("mutationRefs");
    let commit = mutations.iter().find_map(|one| one.strip_prefix("git://commit/")).map(str::to_owned);
    let (changed, diff) = changes(host, commit.as_deref(), &commands);
    Answer::new(
        "ok",
        &StepShowAnswer {
            action: "step.show".to_owned(),
            step_id: id.to_owned(),
            issue_id: text("issueId"),
            result_class: text("resultClass").unwrap_or_default(),
            failure_classes: list("failureClasses"),
            started_at: text("startedAt"),
            finished_at: text("finishedAt"),
            next_step: text("nextStep"),
            commands,
            details,
            commit,
            changed_paths: changed,
            diff,
            not_here,
        },
    )
}

fn find(host: &Host<'_>, id: &str) -> Result<Option<Value<'static>>, ActionError> {
    let path = host.workspace.root.join(".premath").join("harness_trajectory.jsonl");
    let trajectory = Trajectory::new(Arc::clone(&host.workspace.disk), path);
    let query = Query { mode: ProjectionMode::Latest, limit: MOST_STEPS, grouping: Grouping::None };
    let rows = match trajectory.query(&query) {
        Err(StoreError::Missing { .. }) => return Ok(None),
        found => found?.items,
    };
    let is_it = |row: &Value<'static>| {
        row.as_object().and_then(|row| row.get("stepId")).and_then(Value::as_text) == Some(id)
    };
    Ok(rows.into_iter().find(is_it))
}

/// What an object of a step is.
enum Evidence {
    Command(Box<StepCommandRow>),
    Detail(String),
}

fn evidence(objects: &Objects, digest: &str) -> Result<Option<Evidence>, ActionError> {
    let Ok(id) = digest.parse::<ObjectId>() else { return Ok(None) };
    if !objects.contains(&id)? {
        return Ok(None);
    }
    let bytes = objects.read_range(&id, 0, MOST_DOCUMENT)?;
    let shown = || Evidence::Detail(String::from_utf8_lossy(&bytes).chars().take(MOST_OUTPUT).collect());
    let Ok(document) = parse(&bytes, Limits::default()) else { return Ok(Some(shown())) };
    let object = document.as_object();
    let text = |name: &str| object?.get(name)?.as_text().map(str::to_owned);
    if text("kind").as_deref() != Some("premath.work_command.v1") {
        let detail = text("detail").map_or_else(shown, Evidence::Detail);
        return Ok(Some(detail));
    }
    let number = |name: &str| object?.get(name)?.as_number().and_then(premath_kernel::Number::as_u64);
    let output = |name: &str| -> Result<Option<StepOutputRow>, ActionError> {
        let Some(stream) = object.and_then(|object| object.get(name)).and_then(Value::as_object) else {
            return Ok(None);
        };
        let member = |name: &str| stream.get(name).and_then(Value::as_text).map(str::to_owned);
        let digest = member("digest").unwrap_or_default();
        Ok(Some(StepOutputRow {
            tail: tail(objects, &digest)?,
            digest,
            total_bytes: member("totalBytes").and_then(|text| text.parse().ok()).unwrap_or_default(),
        }))
    };
    Ok(Some(Evidence::Command(Box::new(StepCommandRow {
        purpose: text("purpose").unwrap_or_default(),
        evidence_ref: digest.to_owned(),
        exit_code: number("exitCode"),
        signal: number("signal"),
        failure_class: text("failureClass"),
        tree: text("tree"),
        base: text("base"),
        stdout: output("stdout")?,
        stderr: output("stderr")?,
    }))))
}

/// The end of an output; none where its object is not here.
fn tail(objects: &Objects, digest: &str) -> Result<Option<String>, ActionError> {
    let Ok(id) = digest.parse::<ObjectId>() else { return Ok(None) };
    if !objects.contains(&id)? {
        return Ok(None);
    }
    let size = objects.open(&id)?.size();
    let from = size.saturating_sub(u64::try_from(MOST_OUTPUT).unwrap_or(u64::MAX));
    let bytes = objects.read_range(&id, from, MOST_OUTPUT)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// What the step changed, as far as git knows the trees: its commit, else what was verified over its base.
fn changes(
    host: &Host<'_>,
    commit: Option<&str>,
    commands: &[StepCommandRow],
) -> (Vec<String>, Option<String>) {
    let git = host.agent.version_control();
    let root = &host.workspace.root;
    let folder = if root.as_os_str().is_empty() { PathBuf::from(".") } else { root.clone() };
    let trees = match commit {
        Some(commit) => {
            Some((TreeId::new(format!("{commit}^1^{{tree}}")), TreeId::new(format!("{commit}^{{tree}}"))))
        }
        None => commands.iter().rev().find_map(|command| {
            Some((TreeId::new(command.base.clone()?), TreeId::new(command.tree.clone()?)))
        }),
    };
    let Some((from, to)) = trees else { return (Vec::new(), None) };
    // A tree that nothing refers to may have been collected: then there is nothing to show.
    match (git.changed_paths(&folder, &from, &to), git.diff(&folder, &from, &to, MOST_DIFF)) {
        (Ok(paths), Ok(diff)) => (paths, Some(diff)),
        (Err(_), _) | (_, Err(_)) => (Vec::new(), None),
    }
}
