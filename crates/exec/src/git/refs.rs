//! Commits by name, and the references that name them.
//!
//! References move in one transaction, each only from where it was seen. It must not create a reference by force.

use std::path::Path;

use premath_tusk::version_control::{CommitId, Head, RefUpdate, VersionControlFault};

use super::Outcome;
use super::command::{Git, reason};

pub(super) fn head(folder: &Path) -> Outcome<Option<Head>> {
    let git = Git::at(folder, "look at the working tree");
    let output = git.output(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
    if !output.status.success() {
        return Ok(None);
    }
    let commit = CommitId::new(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let branch = git.ask(&["symbolic-ref", "--quiet", "--short", "HEAD"])?;
    Ok(Some(Head { commit, branch: branch.map(|name| name.trim().to_owned()) }))
}

pub(super) fn resolve(folder: &Path, revision: &str) -> Outcome<Option<CommitId>> {
    let named = format!("{revision}^{{commit}}");
    let found = Git::at(folder, "look up a commit").ask(&[
        "rev-parse",
        "--verify",
        "--quiet",
        "--end-of-options",
        &named,
    ])?;
    Ok(found.and_then(|text| text.lines().last().map(|id| CommitId::new(id.trim().to_owned()))))
}

pub(super) fn is_ancestor(folder: &Path, ancestor: &CommitId, descendant: &CommitId) -> Outcome<bool> {
    let git = Git::at(folder, "compare commits");
    Ok(git.ask(&["merge-base", "--is-ancestor", ancestor.as_str(), descendant.as_str()])?.is_some())
}

pub(super) fn find_trailer(folder: &Path, range: &str, trailer: &str) -> Outcome<Option<CommitId>> {
    let pattern = format!("--grep={trailer}");
    let found = Git::at(folder, "search the history").run(&[
        "log",
        "--fixed-strings",
        &pattern,
        "--format=%H%x00%B%x01",
        "--end-of-options",
        range,
    ])?;
    // `--grep` finds a part of a line; the trailer is the whole of one.
    let commits = found.split('\u{1}').filter_map(|entry| entry.trim_start().split_once('\0'));
    let mut matching = commits.filter(|(_, body)| body.lines().any(|line| line.trim_end() == trailer));
    Ok(matching.next().map(|(id, _)| CommitId::new(id.to_owned())))
}

pub(super) fn with_prefix(folder: &Path, prefix: &str) -> Outcome<Vec<(String, CommitId)>> {
    let listed = Git::at(folder, "list references").run(&[
        "for-each-ref",
        "--format=%(refname) %(objectname)",
        prefix,
    ])?;
    let pairs = listed.lines().filter_map(|line| line.split_once(' '));
    Ok(pairs.map(|(name, id)| (name.to_owned(), CommitId::new(id.to_owned()))).collect())
}

pub(super) fn update(folder: &Path, updates: &[RefUpdate]) -> Outcome<()> {
    let mut script = String::from("start\0");
    for update in updates {
        // A reference that does not exist has an id of zeros, as many as its repository's ids have digits.
        let digits = update.new.as_ref().map_or(40, |id| id.as_str().len());
        let old = update.old.as_ref().map_or_else(|| "0".repeat(digits), ToString::to_string);
        let line = match &update.new {
            Some(new) => format!("update {}\0{new}\0{old}\0", update.name),
            None => format!("delete {}\0{old}\0", update.name),
        };
        script.push_str(&line);
    }
    script.push_str("prepare\0commit\0");
    let git = Git::at(folder, "move references").with_input(script.as_bytes());
    let output = git.output(&["update-ref", "--no-deref", "--create-reflog", "-z", "--stdin"])?;
    if output.status.success() {
        return Ok(());
    }
    let detail = reason(&output);
    let is_moved = ["is at ", "expected", "already exists", "unable to resolve", "cannot lock ref"]
        .iter()
        .any(|text| detail.contains(text));
    let fault = if is_moved { VersionControlFault::RefMoved } else { VersionControlFault::Other };
    Err(git.fault(fault, detail))
}
