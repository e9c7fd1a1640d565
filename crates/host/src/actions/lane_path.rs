//! Where a lane may be written that an argument names: anywhere but over what has another meaning.
//!
//! Lanes are nobody's authority, so whoever names one must not reach issue memory, policies, permits or runs by it. Paths are
//! judged as they are written; whoever knows of links says where they lead. It must not open anything.

use std::path::{Component, Path};

use premath_wire::InputError;

use super::issue::invalid;
use crate::recording::plain;
use crate::workspace::Workspace;

/// The files of the lanes, with the family of actions that writes each.
const LANES: [(&str, &str); 4] = [
    ("harness.feature.", "harness_feature_ledger.json"),
    ("harness.kpi.", "harness_kpi_remediations.jsonl"),
    ("harness.session.", "harness_session.json"),
    ("harness.trajectory.", "harness_trajectory.jsonl"),
];
/// The folders of `.premath` that hold evidence.
const FOLDERS: [&str; 10] = [
    "backup",
    "doors",
    "instructions",
    "objects",
    "permits",
    "policy",
    "private",
    "reports",
    "runs",
    "witnesses",
];
/// The files of `.premath`, wherever in it, that are no lanes.
const FILES: [&str; 6] =
    ["audit.jsonl", "coordinator.json", "desk.db", "issues.history.jsonl", "issues.jsonl", "journal.jsonl"];

/// Whether an action may write the lane in this file, which is given from where the repository is.
///
/// # Errors
/// What the file is instead.
pub fn lane_checked(workspace: &Workspace, action: &str, path: &Path) -> Result<(), InputError> {
    let path = plain(path);
    match taken(workspace, action, &path) {
        None => Ok(()),
        Some(what) => Err(invalid(format!("`{}` is {what}, and no lane", path.display()), "path")),
    }
}

fn taken(workspace: &Workspace, action: &str, path: &Path) -> Option<&'static str> {
    let root = plain(&workspace.root);
    let issues = plain(&workspace.issues_path(None));
    if path.parent() == issues.parent() && is_of_memory(path, &issues) {
        return Some("issue memory");
    }
    let below = path.strip_prefix(&root).ok()?;
    let mut names = below.components().filter_map(|part| match part {
        Component::Normal(name) => name.to_str(),
        Component::CurDir | Component::ParentDir | Component::RootDir | Component::Prefix(_) => None,
    });
    match (names.next()?, names.next()) {
        ("policies", _) => return Some("a policy"),
        ("premath.toml", None) => return Some("the configuration"),
        (".premath", Some(folder)) if FOLDERS.contains(&folder) => return Some("evidence"),
        (".premath", _) => {}
        _elsewhere => return None,
    }
    if FILES.iter().any(|file| is_file_of(path, file)) {
        return Some("a record");
    }
    // A remediation is written beside the trajectory that is named.
    let is_own = |family: &str| {
        action.starts_with(family) || (action.starts_with("harness.kpi.") && family == "harness.trajectory.")
    };
    LANES
        .iter()
        .any(|(family, file)| is_file_of(path, file) && !(is_own(family) && path.ends_with(file)))
        .then_some("another lane")
}

/// The log of issues, its history, its own audit log, and what stands beside each.
fn is_of_memory(path: &Path, issues: &Path) -> bool {
    let stem = issues.file_stem().unwrap_or_default().to_string_lossy();
    let extension = issues.extension().map(|extension| format!(".{}", extension.to_string_lossy()));
    let history = format!("{stem}.history{}", extension.unwrap_or_default());
    let name = issues.file_name().unwrap_or_default().to_string_lossy();
    [name.as_ref(), &history, &format!("{stem}.audit.jsonl")].iter().any(|file| is_file_of(path, file))
}

/// Whether a path is the file of that name, or one that belongs to it: its head, its lock, its index.
fn is_file_of(path: &Path, file: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_prefix(file)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || rest.starts_with('-'))
}
