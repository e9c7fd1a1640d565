//! Worktrees of a real repository: what is removed, and what stays.

use std::path::Path;

use super::{Removal, Worktree, git};

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["init", "--quiet", "--initial-branch=main"]);
    commit(folder.path());
    folder
}

fn done(folder: &Path, arguments: &[&str]) {
    git(folder, arguments).unwrap();
}

fn commit(folder: &Path) {
    let name = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    done(folder, &[name.as_slice(), &["commit", "--quiet", "--allow-empty", "--message=one"]].concat());
}

fn kept(removal: Removal) -> String {
    match removal {
        Removal::Kept { reason } => reason,
        Removal::Removed => panic!("it is gone"),
    }
}

#[test]
fn a_tree_in_which_nothing_was_done_is_removed_also_where_no_branch_holds_what_it_was_made_at() {
    let folder = repository();
    done(folder.path(), &["checkout", "--quiet", "--detach"]);
    commit(folder.path());
    let tree = Worktree::add(folder.path(), &folder.path().join("tree")).unwrap();
    assert_eq!(tree.remove(folder.path()), Removal::Removed);
    assert!(!folder.path().join("tree").exists());
}

#[test]
fn a_commit_that_no_branch_holds_keeps_its_tree_also_when_the_tree_left_it_again() {
    let folder = repository();
    let tree = Worktree::add(folder.path(), &folder.path().join("tree")).unwrap();
    commit(tree.path());
    done(tree.path(), &["checkout", "--quiet", "--detach", "main"]);
    let path = tree.path().to_owned();
    assert!(kept(tree.remove(folder.path())).starts_with("no branch holds its commit "));
    assert!(path.is_dir());
}

#[test]
fn a_tree_whose_commit_a_branch_holds_is_removed() {
    let folder = repository();
    let tree = Worktree::add(folder.path(), &folder.path().join("tree")).unwrap();
    commit(tree.path());
    done(tree.path(), &["branch", "result"]);
    assert_eq!(tree.remove(folder.path()), Removal::Removed);
}

#[test]
fn a_tree_that_somebody_locked_stays() {
    let folder = repository();
    let tree = Worktree::add(folder.path(), &folder.path().join("tree")).unwrap();
    done(folder.path(), &["worktree", "lock", "tree"]);
    let path = tree.path().to_owned();
    assert!(kept(tree.remove(folder.path())).starts_with("git does not remove it"));
    assert!(path.is_dir());
}
