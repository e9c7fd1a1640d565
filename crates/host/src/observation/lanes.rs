//! The other lanes as they are observed: witnesses, sessions and steps.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use premath_bd::{Grouping, Query, SessionStore, StoreError, Trajectory};
use premath_kernel::{Digest, Object, Value};
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{
    AttentionRow, ObservedInstruction, ObservedRequired, ObservedSession, ObservedStep, ObservedTrajectory,
    ProjectionMode, SessionState,
};

use super::attention::{damaged, of_instruction, of_required};
use crate::artifacts::read_artifact;
use crate::required::{LATEST_DECISION, LATEST_WITNESS};
use crate::table::ActionError;
use crate::workspace::Workspace;

const WITNESSES: &str = "artifacts/ciwitness";
const INSTRUCTION_KIND: &str = "ci.instruction.v1";
const SESSION: &str = "harness_session.json";
const WORKERS: &str = "workers";
const TRAJECTORY: &str = "harness_trajectory.jsonl";
/// So many steps are shown beside those of issues.
const LATEST: usize = 20;

/// What the witnesses say.
#[derive(Debug, Default)]
pub(super) struct Witnesses {
    pub(super) required: Option<ObservedRequired>,
    pub(super) instructions: Vec<ObservedInstruction>,
    pub(super) attention: Vec<AttentionRow>,
}

/// Reads every witness below `artifacts/ciwitness`.
pub(super) fn witnesses(workspace: &Workspace) -> Result<Witnesses, ActionError> {
    let mut found = Witnesses::default();
    for name in names(workspace, Path::new(WITNESSES))? {
        let path = format!("{WITNESSES}/{name}");
        let Some(stem) = name.strip_suffix(".json").filter(|stem| !stem.starts_with('.')) else { continue };
        let Some(bytes) = read_artifact(workspace, &workspace.root.join(&path))? else { continue };
        let document = parse(&bytes, Limits::default()).ok();
        let Some(document) = document.as_ref().and_then(Value::as_object) else {
            found.attention.push(damaged(&path, "it is no JSON document"));
            continue;
        };
        if path == LATEST_WITNESS {
            found.required = Some(required(workspace, document)?);
        } else if path != LATEST_DECISION && text(document, "witnessKind") == Some(INSTRUCTION_KIND) {
            match instruction(document, stem, &path, &bytes) {
                Some(instruction) => found.instructions.push(instruction),
                None => found.attention.push(damaged(&path, "it is the witness of another instruction")),
            }
        }
    }
    let required = found.required.as_ref().and_then(|required| of_required(required, LATEST_WITNESS));
    found.attention.extend(required);
    found.attention.extend(found.instructions.iter().filter_map(of_instruction));
    Ok(found)
}

/// The names in a folder, sorted; none where there is no folder.
fn names(workspace: &Workspace, folder: &Path) -> Result<Vec<String>, StoreError> {
    let path = workspace.root.join(folder);
    let mut names: Vec<String> = match workspace.disk.list(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        listed => listed
            .map_err(|source| StoreError::Io { doing: "list", path, source })?
            .into_iter()
            .map(|entry| entry.name)
            .collect(),
    };
    names.sort_unstable();
    Ok(names)
}

fn text<'d>(document: &'d Object<'_>, key: &str) -> Option<&'d str> {
    document.get(key).and_then(Value::as_text)
}

fn owned(document: &Object<'_>, key: &str) -> Option<String> {
    text(document, key).map(str::to_owned)
}

fn list(document: &Object<'_>, key: &str) -> Vec<String> {
    let items = document.get(key).and_then(Value::as_array).unwrap_or_default();
    items.iter().filter_map(Value::as_text).map(str::to_owned).collect()
}

fn required(workspace: &Workspace, witness: &Object<'_>) -> Result<ObservedRequired, ActionError> {
    let to = witness.get("to").and_then(Value::as_object);
    let decision = read_artifact(workspace, &workspace.root.join(LATEST_DECISION))?;
    let decision = decision.as_deref().and_then(|bytes| parse(bytes, Limits::default()).ok());
    let decision = decision.as_ref().and_then(Value::as_object);
    let to_commit = to.and_then(|to| owned(to, "commit")).unwrap_or_default();
    Ok(ObservedRequired {
        verdict_class: owned(witness, "verdictClass").unwrap_or_default(),
        failure_classes: list(witness, "failureClasses"),
        // A decision about the range before this one says nothing about it.
        decision: decision
            .filter(|decision| text(decision, "toCommit") == Some(to_commit.as_str()))
            .and_then(|decision| owned(decision, "decision")),
        to_commit,
    })
}

fn instruction(witness: &Object<'_>, stem: &str, path: &str, bytes: &[u8]) -> Option<ObservedInstruction> {
    let instruction_id = owned(witness, "instructionId").filter(|id| id == stem)?;
    Some(ObservedInstruction {
        instruction_id,
        witness_path: path.to_owned(),
        witness_digest: Digest::of_bytes(bytes).as_str().to_owned(),
        instruction_ref: owned(witness, "instructionRef"),
        instruction_digest: owned(witness, "instructionDigest"),
        policy_digest: owned(witness, "policyDigest"),
        required_checks: list(witness, "requiredChecks"),
        executed_checks: list(witness, "executedChecks"),
        verdict_class: owned(witness, "verdictClass").unwrap_or_default(),
        failure_classes: list(witness, "failureClasses"),
        finished_at: owned(witness, "finishedAt"),
        expires_at: owned(witness, "expiresAt"),
    })
}

/// Reads the session of the repository and those of its workers.
pub(super) fn sessions(
    workspace: &Workspace,
) -> Result<(Vec<ObservedSession>, Vec<AttentionRow>), ActionError> {
    let home = Path::new(".premath");
    let mut files = vec![format!(".premath/{SESSION}")];
    let workers = names(workspace, &home.join(WORKERS))?;
    files.extend(workers.into_iter().map(|worker| format!(".premath/{WORKERS}/{worker}/{SESSION}")));
    let (mut sessions, mut attention) = (Vec::new(), Vec::new());
    for file in files {
        let store = SessionStore::new(Arc::clone(&workspace.disk), workspace.root.join(&file));
        match store.read() {
            Ok(session) => {
                let document = session.document;
                sessions.push(ObservedSession {
                    session_ref: file,
                    session_id: document.session_id,
                    state: match document.state {
                        SessionState::Active => "active".to_owned(),
                        SessionState::Stopped => "stopped".to_owned(),
                    },
                    issue_id: document.issue_id,
                    next_step: document.next_step,
                    instruction_refs: document.instruction_refs,
                    updated_at: document.updated_at,
                });
            }
            Err(StoreError::Missing { .. }) => {}
            Err(error @ StoreError::Corrupt { .. }) => attention.push(damaged(&file, error.to_string())),
            // A file among the workers is no worker.
            Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::NotADirectory => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok((sessions, attention))
}

/// What the trajectory says.
#[derive(Debug, Default)]
pub(super) struct Steps {
    pub(super) trajectory: ObservedTrajectory,
    /// The last step of each issue.
    pub(super) latest: BTreeMap<String, ObservedStep>,
    pub(super) attention: Vec<AttentionRow>,
}

/// Reads every step.
pub(super) fn steps(workspace: &Workspace) -> Result<Steps, ActionError> {
    let path = workspace.lane(None, TRAJECTORY);
    let trajectory = Trajectory::new(Arc::clone(&workspace.disk), path);
    let query = Query { mode: ProjectionMode::Latest, limit: usize::MAX, grouping: Grouping::None };
    let name = format!(".premath/{TRAJECTORY}");
    let found = match trajectory.query(&query) {
        Ok(found) => found,
        Err(StoreError::Missing { .. }) => return Ok(Steps::default()),
        Err(error @ StoreError::Corrupt { .. }) => {
            let attention = vec![damaged(&name, error.to_string())];
            return Ok(Steps { attention, ..Steps::default() });
        }
        Err(error) => return Err(error.into()),
    };
    let mut steps = Steps::default();
    steps.attention.extend(found.warnings.iter().map(|warning| {
        let line = warning.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        damaged(&name, format!("{line}{}: {}", warning.class, warning.detail))
    }));
    let rows: Vec<ObservedStep> = found.items.iter().filter_map(Value::as_object).map(step).collect();
    for row in &rows {
        if let Some(issue) = &row.issue_id {
            // They come the latest first.
            steps.latest.entry(issue.clone()).or_insert_with(|| row.clone());
        }
    }
    steps.trajectory = ObservedTrajectory {
        total_count: found.total,
        failed_count: found.failed,
        retry_needed_count: found.retry_needed,
        latest: rows.into_iter().take(LATEST).collect(),
    };
    Ok(steps)
}

fn step(row: &Object<'_>) -> ObservedStep {
    ObservedStep {
        step_id: owned(row, "stepId").unwrap_or_default(),
        action: owned(row, "action").unwrap_or_default(),
        result_class: owned(row, "resultClass").unwrap_or_default(),
        finished_at: owned(row, "finishedAt").unwrap_or_default(),
        issue_id: owned(row, "issueId"),
        failure_classes: list(row, "failureClasses"),
        instruction_refs: list(row, "instructionRefs"),
    }
}
