//! The repository behind a linked working tree, so that a command in it can read its history as in any other clone.
//!
//! A `.git` file may name any folder. It is believed only when that folder names the working tree in turn, which nobody
//! can make a folder of somebody else do.

#![expect(clippy::disallowed_methods, reason = "what git itself will read is read")]

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

/// What a git in this working tree reads outside of it; nothing when it is no linked one.
#[cfg(target_os = "linux")]
pub(crate) fn repository_of(workdir: &Path) -> Vec<PathBuf> {
    linked(workdir).unwrap_or_default()
}

/// The folder of git that all working trees of a clone share, looked for from a canonical folder upwards; none without git.
#[must_use]
pub fn git_common_folder(folder: &Path) -> Option<PathBuf> {
    let tree = folder.ancestors().find(|above| has_git(above))?;
    match linked(tree) {
        Some(outside) => outside.into_iter().next(),
        None => named(tree, ".git"),
    }
}

/// Whether a folder is the root of a working tree of git. What stands in for a missing `.git` while a sandboxed command runs, an
/// empty folder that is not writable, is none: what a clone is must not depend on a run.
#[must_use]
pub fn has_git(folder: &Path) -> bool {
    let git = folder.join(".git");
    let Ok(found) = fs::symlink_metadata(&git) else { return false };
    let is_empty = || fs::read_dir(&git).is_ok_and(|mut entries| entries.next().is_none());
    !(found.is_dir() && found.permissions().readonly() && is_empty())
}

fn linked(workdir: &Path) -> Option<Vec<PathBuf>> {
    let link = workdir.join(".git");
    if !fs::symlink_metadata(&link).ok()?.is_file() {
        return None;
    }
    let own = named(workdir, fs::read_to_string(&link).ok()?.strip_prefix("gitdir:")?)?;
    let back = fs::read_to_string(own.join("gitdir")).ok()?;
    if fs::canonicalize(own.join(back.trim())).ok()? != link {
        return None;
    }
    let common = named(&own, &fs::read_to_string(own.join("commondir")).ok()?)?;
    let is_repository = common.join("HEAD").is_file() && common.join("objects").is_dir();
    is_repository.then_some(vec![common, own])
}

fn named(from: &Path, text: &str) -> Option<PathBuf> {
    fs::canonicalize(from.join(text.trim())).ok().filter(|path| path.is_dir())
}
