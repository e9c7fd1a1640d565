//! When a `.git` file is believed.

use std::fs;
use std::path::PathBuf;

use super::{git_common_folder, has_git, repository_of};

/// A repository with one linked working tree, laid out as git does.
fn repository() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    let (own, tree) = (root.join("main/.git/worktrees/one"), root.join("one"));
    fs::create_dir_all(&own).unwrap();
    fs::create_dir_all(root.join("main/.git/objects")).unwrap();
    fs::create_dir_all(&tree).unwrap();
    fs::write(root.join("main/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(own.join("commondir"), "../..\n").unwrap();
    fs::write(own.join("gitdir"), format!("{}\n", tree.join(".git").display())).unwrap();
    fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
    (folder, root, tree)
}

#[test]
fn the_repository_of_a_linked_working_tree_is_found() {
    let (_folder, root, tree) = repository();
    assert_eq!(repository_of(&tree), [root.join("main/.git"), root.join("main/.git/worktrees/one")]);
}

#[test]
fn a_file_that_names_somebody_elses_folder_is_not_believed() {
    let (_folder, root, tree) = repository();
    let other = root.join("other");
    fs::create_dir(&other).unwrap();
    fs::copy(tree.join(".git"), other.join(".git")).unwrap();
    assert_eq!(repository_of(&other), Vec::<PathBuf>::new());
    fs::create_dir_all(root.join("home/.ssh")).unwrap();
    fs::write(other.join(".git"), format!("gitdir: {}\n", root.join("home/.ssh").display())).unwrap();
    assert_eq!(repository_of(&other), Vec::<PathBuf>::new());
}

#[test]
fn an_ordinary_clone_has_nothing_outside() {
    let (_folder, root, _tree) = repository();
    assert_eq!(repository_of(&root.join("main")), Vec::<PathBuf>::new());
    assert_eq!(repository_of(&root.join("nowhere")), Vec::<PathBuf>::new());
}

#[test]
fn what_stands_in_for_a_missing_repository_is_none() {
    let (_folder, root, tree) = repository();
    let inner = root.join("main/inner");
    fs::create_dir_all(inner.join(".git")).unwrap();
    assert!(has_git(&inner) && has_git(&root.join("main")) && has_git(&tree));
    let mut mode = fs::metadata(inner.join(".git")).unwrap().permissions();
    mode.set_readonly(true);
    fs::set_permissions(inner.join(".git"), mode).unwrap();
    assert!(!has_git(&inner));
    assert_eq!(git_common_folder(&inner), Some(root.join("main/.git")));
}
