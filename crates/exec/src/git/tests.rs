//! The port over real repositories: what is recorded, committed, merged and moved.

#![expect(clippy::disallowed_methods, reason = "tests write the files they commit")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use premath_tusk::version_control::{
    CommitId, NewCommit, RefUpdate, TreeId, VersionControl as _, VersionControlFault,
};

use super::GitCommand;
use super::command::Git;

const GIT: GitCommand = GitCommand;

/// A repository with one commit on `main` and a linked working tree beside it.
struct Fixture {
    _folder: tempfile::TempDir,
    root: PathBuf,
    tree: PathBuf,
    base: CommitId,
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    Git::at(folder, "test").run(arguments).unwrap()
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().join("main");
    fs::create_dir(&root).unwrap();
    git(&root, &["init", "--quiet", "--initial-branch=main"]);
    git(&root, &["config", "user.name", "Test"]);
    git(&root, &["config", "user.email", "test@example.org"]);
    write(&root, "kept.txt", "one\ntwo\nthree\n");
    write(&root, ".gitignore", "*.log\n");
    write(&root, ".premath/issues.jsonl", "{}\n");
    git(&root, &["add", "--all"]);
    git(&root, &["commit", "--quiet", "--message=base"]);
    let base = GIT.resolve(&root, "main").unwrap().unwrap();
    let tree = folder.path().canonicalize().unwrap().join("tree");
    git(&root, &["worktree", "add", "--quiet", "--detach", tree.to_str().unwrap()]);
    GIT.switch(&tree, "premath/bd-1", &base).unwrap();
    Fixture { _folder: folder, root, tree, base }
}

impl Fixture {
    fn commit(&self, tree: &TreeId, parents: &[&CommitId], message: &str) -> CommitId {
        let parents = parents.iter().map(|&id| id.clone()).collect();
        let commit = NewCommit { tree: tree.clone(), parents, message: message.to_owned(), is_kept: true };
        GIT.commit(&self.root, &commit).unwrap()
    }

    fn listing(&self, tree: &TreeId) -> Vec<String> {
        let listed = git(&self.root, &["ls-tree", "-r", tree.as_str()]);
        listed
            .lines()
            .map(|line| {
                line.replace('\t', " ")
                    .split(' ')
                    .filter(|word| word.len() != 40)
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect()
    }
}

#[test]
fn a_snapshot_has_new_changed_and_removed_files_modes_links_and_binary_content_and_nothing_ignored() {
    let fixture = fixture();
    let tree = &fixture.tree;
    write(tree, "new/file.txt", "new");
    write(tree, "noise.log", "ignored");
    write(tree, ".premath/issues.jsonl", "{\"id\":\"bd-9\"}\n");
    fs::write(tree.join("data.bin"), [0_u8, 255, 13, 10, 0]).unwrap();
    write(tree, "tool.sh", "#!/bin/sh\n");
    fs::set_permissions(tree.join("tool.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink("kept.txt", tree.join("link")).unwrap();
    let recorded = GIT.snapshot(tree).unwrap();
    assert_eq!(
        fixture.listing(&recorded),
        [
            "100644 blob .gitignore",
            "100644 blob .premath/issues.jsonl",
            "100644 blob data.bin",
            "100644 blob kept.txt",
            "120000 blob link",
            "100644 blob new/file.txt",
            "100755 blob tool.sh",
        ]
    );
    let base = GIT.tree_of(&fixture.root, &fixture.base).unwrap();
    let changed = GIT.changed_paths(&fixture.root, &base, &recorded).unwrap();
    assert_eq!(changed, ["data.bin", "link", "new/file.txt", "tool.sh"]);
    fs::remove_file(tree.join("kept.txt")).unwrap();
    let without = GIT.snapshot(tree).unwrap();
    assert!(!fixture.listing(&without).iter().any(|line| line.contains("kept.txt")));
}

#[test]
fn a_snapshot_does_not_depend_on_what_was_staged_and_leaves_the_index_alone() {
    let fixture = fixture();
    write(&fixture.tree, "kept.txt", "staged");
    git(&fixture.tree, &["add", "kept.txt"]);
    git(&fixture.tree, &["update-index", "--assume-unchanged", "kept.txt"]);
    write(&fixture.tree, "kept.txt", "written later");
    let before = git(&fixture.tree, &["diff", "--cached", "--name-only"]);
    let recorded = GIT.snapshot(&fixture.tree).unwrap();
    let content = git(&fixture.root, &["cat-file", "blob", &format!("{recorded}:kept.txt")]);
    assert_eq!(content, "written later");
    assert_eq!(git(&fixture.tree, &["diff", "--cached", "--name-only"]), before);
}

#[test]
fn a_repository_inside_of_the_tree_is_refused_by_name() {
    let fixture = fixture();
    let inner = fixture.tree.join("inner");
    fs::create_dir(&inner).unwrap();
    git(&inner, &["init", "--quiet"]);
    write(&inner, "file", "text");
    git(&inner, &["-c", "user.name=T", "-c", "user.email=t@example.org", "add", "file"]);
    git(
        &inner,
        &["-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "--quiet", "--message=inner"],
    );
    let error = GIT.snapshot(&fixture.tree).unwrap_err();
    assert_eq!(error.fault, VersionControlFault::SubmoduleChanged);
    assert!(error.detail.contains("`inner`"), "{}", error.detail);
}

#[test]
fn a_changed_file_whose_filter_is_not_installed_is_refused_and_an_unchanged_one_is_not() {
    let fixture = fixture();
    write(&fixture.tree, ".gitattributes", "*.iso filter=lfs diff=lfs merge=lfs -text\n");
    GIT.snapshot(&fixture.tree).unwrap();
    write(&fixture.tree, "large.iso", "content");
    let error = GIT.snapshot(&fixture.tree).unwrap_err();
    assert_eq!(error.fault, VersionControlFault::FilterMissing);
    assert!(error.detail.contains("`large.iso`") && error.detail.contains("`lfs`"), "{}", error.detail);
    // What the person configured is run, as for any `git add`.
    git(&fixture.root, &["config", "filter.lfs.clean", "sed s/content/pointer/"]);
    let recorded = GIT.snapshot(&fixture.tree).unwrap();
    assert_eq!(git(&fixture.root, &["cat-file", "blob", &format!("{recorded}:large.iso")]), "pointer");
}

#[test]
fn a_commit_needs_an_author_and_signs_or_fails() {
    let fixture = fixture();
    let tree = GIT.tree_of(&fixture.root, &fixture.base).unwrap();
    let new =
        NewCommit { tree, parents: vec![fixture.base.clone()], message: "m\n".to_owned(), is_kept: true };
    let made = GIT.commit(&fixture.root, &new).unwrap();
    let author = git(&fixture.root, &["log", "-1", "--format=%an <%ae>", made.as_str()]);
    assert_eq!(author.trim(), "Test <test@example.org>");
    git(&fixture.root, &["config", "commit.gpgSign", "true"]);
    git(&fixture.root, &["config", "gpg.program", "false"]);
    assert_eq!(GIT.commit(&fixture.root, &new).unwrap_err().fault, VersionControlFault::SigningFailed);
    // One that nothing refers to is not signed.
    GIT.commit(&fixture.root, &NewCommit { is_kept: false, ..new }).unwrap();
}

#[test]
fn trees_merge_over_the_tree_they_come_from_and_conflicts_are_named() {
    let fixture = fixture();
    let base = GIT.tree_of(&fixture.root, &fixture.base).unwrap();
    write(&fixture.tree, "kept.txt", "ONE\ntwo\nthree\n");
    let first = GIT.snapshot(&fixture.tree).unwrap();
    write(&fixture.tree, "kept.txt", "one\ntwo\nTHREE\n");
    write(&fixture.tree, "a b.txt", "with a space");
    let second = GIT.snapshot(&fixture.tree).unwrap();
    let merged = GIT.merge(&fixture.root, &base, &first, &second).unwrap();
    assert_eq!(merged.conflicts, Vec::<String>::new());
    let both = git(&fixture.root, &["cat-file", "blob", &format!("{}:kept.txt", merged.tree)]);
    assert_eq!(both, "ONE\ntwo\nTHREE\n");
    write(&fixture.tree, "kept.txt", "eins\ntwo\nthree\n");
    let third = GIT.snapshot(&fixture.tree).unwrap();
    let merged = GIT.merge(&fixture.root, &base, &first, &third).unwrap();
    assert_eq!(merged.conflicts, ["kept.txt"]);
    let named = |paths: &[&str]| paths.iter().map(|&path| path.to_owned()).collect::<Vec<_>>();
    let marked =
        GIT.conflict_markers(&fixture.root, &merged.tree, &named(&["kept.txt", ".gitignore"])).unwrap();
    assert_eq!(marked, ["kept.txt"]);
    assert_eq!(
        GIT.conflict_markers(&fixture.root, &first, &named(&["kept.txt"])).unwrap(),
        Vec::<String>::new()
    );
    GIT.place_tree(&fixture.tree, &merged.tree).unwrap();
    assert!(fs::read_to_string(fixture.tree.join("kept.txt")).unwrap().contains("<<<<<<<"));
}

#[test]
fn references_move_together_or_not_at_all() {
    let fixture = fixture();
    let tree = GIT.tree_of(&fixture.root, &fixture.base).unwrap();
    let next = fixture.commit(&tree, &[&fixture.base], "next");
    let update = |name: &str, new: Option<&CommitId>, old: Option<&CommitId>| RefUpdate {
        name: name.to_owned(),
        new: new.cloned(),
        old: old.cloned(),
    };
    let both = [
        update("refs/premath/landing/bd-1", Some(&next), None),
        update("refs/heads/other", Some(&next), Some(&next)),
    ];
    let error = GIT.update_refs(&fixture.root, &both).unwrap_err();
    assert_eq!(error.fault, VersionControlFault::RefMoved, "{error}");
    assert_eq!(GIT.refs(&fixture.root, "refs/premath").unwrap(), []);
    GIT.update_refs(&fixture.root, &[update("refs/premath/landing/bd-1", Some(&next), None)]).unwrap();
    let listed = GIT.refs(&fixture.root, "refs/premath/landing").unwrap();
    assert_eq!(listed, [("refs/premath/landing/bd-1".to_owned(), next.clone())]);
    GIT.update_refs(&fixture.root, &[update("refs/premath/landing/bd-1", None, Some(&next))]).unwrap();
    assert_eq!(GIT.refs(&fixture.root, "refs/premath").unwrap(), []);
}

#[test]
fn a_clean_checkout_has_the_commit_and_nothing_else_each_time() {
    let fixture = fixture();
    let folder = fixture.root.parent().unwrap().join("tree.verify");
    GIT.clean_checkout(&fixture.root, &fixture.base, &folder).unwrap();
    write(&folder, "left.log", "ignored leftovers");
    write(&folder, "kept.txt", "changed");
    GIT.clean_checkout(&fixture.root, &fixture.base, &folder).unwrap();
    assert!(!folder.join("left.log").exists());
    assert_eq!(fs::read_to_string(folder.join("kept.txt")).unwrap(), "one\ntwo\nthree\n");
    GIT.remove_checkout(&fixture.root, &folder).unwrap();
    assert!(!folder.exists());
    GIT.remove_checkout(&fixture.root, &folder).unwrap();
    // A folder of somebody else is in the way: it is not touched.
    write(&folder, "mine.txt", "mine");
    GIT.clean_checkout(&fixture.root, &fixture.base, &folder).unwrap_err();
    GIT.remove_checkout(&fixture.root, &folder).unwrap();
    assert_eq!(fs::read_to_string(folder.join("mine.txt")).unwrap(), "mine");
}

#[test]
fn a_checked_out_branch_moves_forward_with_its_files_unless_local_changes_are_in_the_way() {
    let fixture = fixture();
    write(&fixture.tree, "kept.txt", "landed\n");
    let tree = GIT.snapshot(&fixture.tree).unwrap();
    let next = fixture.commit(&tree, &[&fixture.base], "next");
    assert_eq!(GIT.checked_out(&fixture.root, "main").unwrap().as_deref(), Some(fixture.root.as_path()));
    write(&fixture.root, "kept.txt", "mine\n");
    assert_eq!(GIT.local_changes(&fixture.root).unwrap(), ["kept.txt"]);
    let error = GIT.fast_forward(&fixture.root, &next).unwrap_err();
    assert_eq!(error.fault, VersionControlFault::LocalChanges, "{error}");
    git(&fixture.root, &["checkout", "--", "kept.txt"]);
    write(&fixture.root, ".premath/issues.jsonl", "{\"id\":\"bd-1\"}\n");
    assert_eq!(GIT.local_changes(&fixture.root).unwrap(), Vec::<String>::new());
    GIT.fast_forward(&fixture.root, &next).unwrap();
    assert_eq!(fs::read_to_string(fixture.root.join("kept.txt")).unwrap(), "landed\n");
    assert_eq!(GIT.resolve(&fixture.root, "main").unwrap(), Some(next));
}

#[test]
fn a_branch_is_pushed_to_a_remote_and_fetched_again() {
    let fixture = fixture();
    let bare = fixture.root.parent().unwrap().join("bare.git");
    git(&fixture.root, &["init", "--quiet", "--bare", bare.to_str().unwrap()]);
    git(&fixture.root, &["remote", "add", "origin", bare.to_str().unwrap()]);
    let pushed = GIT.push(&fixture.root, "origin", "main").unwrap();
    assert_eq!(pushed.links, Vec::<String>::new());
    assert_eq!(GIT.fetch(&fixture.root, "origin", "main").unwrap(), fixture.base);
    assert_eq!(GIT.push(&fixture.root, "nowhere", "main").unwrap_err().fault, VersionControlFault::Remote);
    assert_eq!(GIT.fetch(&fixture.root, "origin", "none").unwrap_err().fault, VersionControlFault::Remote);
}

#[test]
fn a_trailer_is_found_as_a_whole_line_only() {
    let fixture = fixture();
    let tree = GIT.tree_of(&fixture.root, &fixture.base).unwrap();
    let other = fixture.commit(&tree, &[&fixture.base], "other\n\nPremath-Issue: bd-12\n");
    let wanted = fixture.commit(&tree, &[&other], "wanted\n\nPremath-Issue: bd-1\n");
    let found = GIT.find_trailer(&fixture.root, wanted.as_str(), "Premath-Issue: bd-1").unwrap();
    assert_eq!(found.as_ref(), Some(&wanted));
    let range = format!("{}..{}", fixture.base, other);
    assert_eq!(GIT.find_trailer(&fixture.root, &range, "Premath-Issue: bd-1").unwrap(), None);
}
