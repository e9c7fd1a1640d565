//! The files of a working tree as a tree, and what differs between trees.
//!
//! What git ignores is left out, and so is what premath keeps. The index of the working tree is copied, never written: what is
//! recorded does not depend on what a command staged. It must not record what another clone could not check out.

#![expect(clippy::disallowed_methods, reason = "the index of git is copied here")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use premath_tusk::version_control::{TreeId, VersionControlFault};

use super::command::Git;
use super::{Outcome, STATE_FOLDERS};

/// The mode of a submodule in a tree.
const SUBMODULE: &str = "160000";
/// The name of the copied index, beside the one of the working tree.
const COPY: &str = "premath-snapshot.index";

/// A path that differs between two trees.
#[derive(Debug)]
pub(super) struct Change {
    old_mode: String,
    new_mode: String,
    pub(super) path: String,
}

/// Everything but what premath keeps, as patterns of paths.
fn patterns() -> Vec<String> {
    let mut patterns = vec![":(top)".to_owned()];
    patterns.extend(STATE_FOLDERS.map(|folder| format!(":(top,exclude,glob)**/{folder}/**")));
    patterns
}

pub(super) fn local_changes(worktree: &Path) -> Outcome<Vec<String>> {
    let mut arguments = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--"]
        .map(str::to_owned)
        .to_vec();
    arguments.extend(patterns());
    let listed = Git::at(worktree, "look for local changes").with_patterns().run(&arguments)?;
    let paths = listed.split('\0').filter_map(|entry| entry.get(3..)).map(str::to_owned);
    Ok(paths.filter(|path| !is_stand_in(worktree, path)).collect())
}

/// What a sandbox leaves in the place of an absent protected name when it is killed: an empty folder, or a file of no length.
fn is_stand_in(worktree: &Path, path: &str) -> bool {
    let names = premath_tusk::tools::ProtectedPaths::names();
    names.iter().any(|name| name.path == path.trim_end_matches('/'))
        && fs::symlink_metadata(worktree.join(path))
            .is_ok_and(|found| found.is_file() && found.len() == 0 && found.permissions().readonly())
}

pub(super) fn record(worktree: &Path) -> Outcome<TreeId> {
    let git = Git::at(worktree, "record the files of the working tree");
    let folder = git.run(&["rev-parse", "--absolute-git-dir"])?;
    let folder = PathBuf::from(folder.trim_end_matches('\n'));
    let (index, copy) = (folder.join("index"), folder.join(COPY));
    fs::copy(&index, &copy).map_err(|error| git.failed(format!("its index cannot be copied: {error}")))?;
    let recorded = written(worktree, &copy);
    let removed =
        fs::remove_file(&copy).map_err(|error| git.failed(format!("the copied index stays: {error}")));
    let tree = recorded?;
    removed?;
    let changes = changes(worktree, "HEAD", tree.as_str())?;
    refuse_submodules(&git, &changes)?;
    refuse_missing_filters(worktree, &git, &changes)?;
    Ok(tree)
}

fn written(worktree: &Path, index: &Path) -> Outcome<TreeId> {
    let git = Git::at(worktree, "record the files of the working tree").with_index(index);
    // Files are compared even where the index was told to look away. It ends with 1 where one differs.
    git.output(&["update-index", "-q", "--really-refresh"])?;
    let mut arguments = vec!["add".to_owned(), "--all".to_owned(), "--".to_owned()];
    arguments.extend(patterns());
    Git::at(worktree, "record the files of the working tree")
        .with_index(index)
        .with_patterns()
        .run(&arguments)?;
    Ok(TreeId::new(git.run(&["write-tree"])?.trim().to_owned()))
}

fn refuse_submodules(git: &Git<'_>, changes: &[Change]) -> Outcome<()> {
    let moved = changes.iter().find(|change| change.old_mode == SUBMODULE || change.new_mode == SUBMODULE);
    match moved {
        Some(change) => Err(git.fault(
            VersionControlFault::SubmoduleChanged,
            format!(
                "`{}` is a repository of its own: commit there first, and move the submodule yourself",
                change.path
            ),
        )),
        None => Ok(()),
    }
}

/// A changed file whose attributes name a filter that is not configured would be committed as what it must never be, such as
/// the content of a large file in the place of its pointer.
fn refuse_missing_filters(worktree: &Path, git: &Git<'_>, changes: &[Change]) -> Outcome<()> {
    let present: Vec<&Change> = changes.iter().filter(|change| change.new_mode != "000000").collect();
    if present.is_empty() {
        return Ok(());
    }
    let input: String = present.iter().map(|change| format!("{}\0", change.path)).collect();
    let attributes = Git::at(worktree, "read attributes").with_input(input.as_bytes()).run(&[
        "check-attr",
        "-z",
        "--stdin",
        "filter",
    ])?;
    let fields: Vec<&str> = attributes.split('\0').collect();
    let mut checked = BTreeSet::new();
    for entry in fields.chunks_exact(3) {
        let [path, _, filter] = entry else { continue };
        if matches!(*filter, "unspecified" | "unset" | "set") || !checked.insert(*filter) {
            continue;
        }
        let is_configured = |kind: &str| -> Outcome<bool> {
            Ok(Git::at(worktree, "read the configuration")
                .ask(&["config", "--get", &format!("filter.{filter}.{kind}")])?
                .is_some())
        };
        if !is_configured("clean")? && !is_configured("process")? {
            return Err(git.fault(
                VersionControlFault::FilterMissing,
                format!("`{path}` needs the filter `{filter}`, which is not configured on this machine"),
            ));
        }
    }
    Ok(())
}

/// What differs between two trees, by path.
pub(super) fn changes(folder: &Path, from: &str, to: &str) -> Outcome<Vec<Change>> {
    let listed = Git::at(folder, "compare trees").run(&[
        "diff-tree",
        "-r",
        "-z",
        "--raw",
        "--no-renames",
        "--end-of-options",
        from,
        to,
    ])?;
    let fields: Vec<&str> = listed.split('\0').collect();
    let change = |pair: &[&str]| {
        let [status, path] = pair else { return None };
        let mut words = status.trim_start_matches(':').split(' ');
        let (old_mode, new_mode) = (words.next()?.to_owned(), words.next()?.to_owned());
        Some(Change { old_mode, new_mode, path: (*path).to_owned() })
    };
    Ok(fields.chunks_exact(2).filter_map(change).collect())
}

/// The paths among these in which a line begins as a conflict marker does.
pub(super) fn conflict_markers(folder: &Path, tree: &TreeId, paths: &[String]) -> Outcome<Vec<String>> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let mut arguments = ["grep", "-z", "-l", "-E", "-e", "^(<<<<<<<|>>>>>>>) ", tree.as_str(), "--"]
        .map(str::to_owned)
        .to_vec();
    arguments.extend(paths.iter().cloned());
    let found = Git::at(folder, "search a tree").ask(&arguments)?.unwrap_or_default();
    let names = found.split('\0').filter_map(|entry| entry.split_once(':'));
    Ok(names.map(|(_, path)| path.to_owned()).collect())
}

/// The difference between two trees as a patch, with what was cut named.
pub(super) fn diff(folder: &Path, from: &TreeId, to: &TreeId, most: usize) -> Outcome<String> {
    let arguments =
        ["diff-tree", "-r", "-p", "--no-ext-diff", "--no-textconv", "--no-color", from.as_str(), to.as_str()];
    let text = Git::at(folder, "compare trees").run(&arguments)?;
    let end =
        text.char_indices().map(|(at, letter)| at + letter.len_utf8()).take_while(|end| *end <= most).last();
    let cut = text.len().saturating_sub(end.unwrap_or_default());
    match text.get(..end.unwrap_or_default()) {
        Some(kept) if cut > 0 => Ok(format!("{kept}\n[{cut} bytes cut]\n")),
        _ => Ok(text),
    }
}
