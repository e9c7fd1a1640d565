//! Branches sent to and fetched from a remote.
//!
//! Credentials come from the person's helpers and agents; nothing is asked for. It must not follow what a remote prints, only
//! hand on the addresses in it.

use std::path::Path;

use premath_tusk::version_control::{CommitId, Pushed, VersionControlFault};

use super::Outcome;
use super::command::{Git, reason};

pub(super) fn push(folder: &Path, remote: &str, branch: &str) -> Outcome<Pushed> {
    let git = Git::at(folder, "push the branch");
    let refspec = format!("+refs/heads/{branch}:refs/heads/{branch}");
    let output = git.output(&["push", "--porcelain", "--no-verify", "--end-of-options", remote, &refspec])?;
    if !output.status.success() {
        return Err(git.fault(VersionControlFault::Remote, reason(&output)));
    }
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    let said = printed.lines().filter_map(|line| line.trim().strip_prefix("remote:"));
    let words = said.flat_map(str::split_whitespace);
    let links = words.filter(|word| word.starts_with("https://") || word.starts_with("http://"));
    Ok(Pushed { links: links.map(str::to_owned).collect() })
}

pub(super) fn fetch(folder: &Path, remote: &str, branch: &str) -> Outcome<CommitId> {
    let git = Git::at(folder, "fetch the branch");
    let refspec = format!("+refs/heads/{branch}:refs/remotes/{remote}/{branch}");
    let output = git.output(&[
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-recurse-submodules",
        "--end-of-options",
        remote,
        &refspec,
    ])?;
    if !output.status.success() {
        return Err(git.fault(VersionControlFault::Remote, reason(&output)));
    }
    let name = format!("refs/remotes/{remote}/{branch}");
    let found = super::refs::resolve(folder, &name)?;
    found
        .ok_or_else(|| git.fault(VersionControlFault::Remote, format!("`{remote}` has no branch `{branch}`")))
}
