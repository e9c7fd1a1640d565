//! What git has of a file: the bytes at `HEAD` and in the index.
//!
//! Git only prints what it stores: no filter, hook or remote of the repository is run. It must not decide whether that is
//! enough for anybody.

#![expect(clippy::disallowed_methods, reason = "processes are started in this crate")]

use std::path::Path;
use std::process::{Command, Stdio};

/// A file as git has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommittedVersion {
    /// `commit 1a2b3c4d5e6f`, or `the index`.
    pub version: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The versions that git has of a file; none where there is no git, or git knows no such file.
#[must_use]
pub fn committed_versions(path: &Path) -> Vec<CommittedVersion> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return Vec::new();
    };
    let mut versions = Vec::new();
    if let Some(commit) = printed(folder, &["rev-parse", "--short=12", "--verify", "HEAD^{commit}"])
        && let Some(bytes) = printed(folder, &["cat-file", "blob", &format!("HEAD:./{name}")])
    {
        let commit = String::from_utf8_lossy(&commit).trim().to_owned();
        versions.push(CommittedVersion { version: format!("commit {commit}"), bytes });
    }
    if let Some(bytes) = printed(folder, &["cat-file", "blob", &format!(":./{name}")]) {
        versions.push(CommittedVersion { version: "the index".to_owned(), bytes });
    }
    versions
}

/// What git prints; none when it refuses.
fn printed(folder: &Path, arguments: &[&str]) -> Option<Vec<u8>> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut command = Command::new("git");
    command.arg("-C").arg(here).args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    // Within a hook of another repository these would lead there.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"] {
        command.env_remove(name);
    }
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_OPTIONAL_LOCKS", "0");
    let output = command.output().ok()?;
    output.status.success().then_some(output.stdout)
}
