//! A repository in which a run closed one issue and a step another, so that every lane holds something.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::folder::Folder;

/// A shell command whose output is too long for a row, a change, and the end.
const SCENE: &str = r#"
name = "works"
[[turn]]
text = "I count."
[[turn.call]]
id = "count"
tool = "shell"
arguments = { command = "seq 1 20000", workdir = "." }
[[turn]]
text = "I close it."
[[turn.call]]
id = "close"
tool = "issue_update"
arguments = { id = "bd-1", status = "closed" }
[[turn]]
text = "Done."
"#;

/// What verifies the work of the run, and nothing to check before a step.
pub(crate) const SETTINGS: &str = "[mutation]\nverify = [\"seq 1 20000\"]\n[session]\nbaseline = \"none\"\n";

/// The repository, with everything that verifies.
pub(crate) fn worked() -> Folder {
    let folder = Folder::new();
    git(folder.path(), &["init", "--quiet"]);
    // A step commits what it verified, in somebody's name.
    git(folder.path(), &["config", "user.name", "x"]);
    git(folder.path(), &["config", "user.email", "x@localhost"]);
    folder.write("scene.toml", SCENE);
    folder.write("premath.toml", SETTINGS);
    assert_eq!(folder.run(&["init"]).code, Some(0));
    // What git has needs no copy before a command, and no copy is left that nothing cites.
    commit_all(&folder);
    for arguments in [
        ["issue", "add", "First"].as_slice(),
        &["run", "do it", "--issue", "bd-1", "--model", "scripted:scene.toml"],
        &["issue", "add", "Second"],
        &["step", "--work-cmd", "seq 1 5", "--verify-cmd", "true"],
    ] {
        let ran = folder.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
    }
    folder
}

/// A clone of a repository that tracks its trajectory and its witnesses, as repositories of earlier versions do.
pub(crate) fn clone_of(folder: &Folder) -> Folder {
    let tracked = [".premath/harness_trajectory.jsonl", ".premath/witnesses"];
    git(folder.path(), &[&["add", "--force"], &tracked[..]].concat());
    plain_clone_of(folder)
}

/// A clone that has what git tracks, and nothing else.
pub(crate) fn plain_clone_of(folder: &Folder) -> Folder {
    commit_all(folder);
    let clone = Folder::new();
    let from = folder.path().to_str().unwrap();
    git(clone.path(), &["clone", "--quiet", from, "."]);
    clone
}

fn commit_all(folder: &Folder) {
    let identity = ["-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "commit.gpgsign=false"];
    git(folder.path(), &["add", "--all"]);
    git(folder.path(), &[&identity[..], &["commit", "--quiet", "--message", "all"]].concat());
}

fn git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git").arg("-C").arg(folder).args(arguments).status().unwrap();
    assert!(status.success(), "git {arguments:?}");
}

/// The files below a folder, by path.
pub(crate) fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}
