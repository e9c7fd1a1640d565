//! Journey 2: a team over the weekend. Twelve dependent issues become twelve commits on main, and a commit leads back to its check.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The command.
const PROGRAM: &str = env!("CARGO_BIN_EXE_premath");

/// A program in a folder, with the environment of a person who has nothing configured.
fn prepared(program: &str, folder: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("USER", "jo")
        .env("HOME", home)
        .env("TMPDIR", home)
        .env("PREMATH", PROGRAM)
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}

#[track_caller]
fn printed(program: &str, arguments: &[&str], folder: &Path, home: &Path) -> String {
    let output = prepared(program, folder, home).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {text} {}",
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/coordinator/run.sh")
}

/// The project that the example made.
fn project(output: &str) -> PathBuf {
    let line = output.lines().find_map(|line| line.strip_prefix("in ")).unwrap();
    PathBuf::from(line)
}

#[test]
fn twelve_dependent_issues_become_twelve_verified_commits_on_main() {
    let home = TempDir::new().unwrap();
    let script = example();
    let output = printed("sh", &[script.to_str().unwrap()], home.path(), home.path());
    assert!(output.contains("the check passes on main"), "{output}");
    let project = project(&output);
    let git = |arguments: &[&str]| printed("git", arguments, &project, home.path());
    assert_eq!(git(&["rev-list", "--count", "main"]).trim(), "13");
    let issues = git(&["log", "--format=%(trailers:key=Premath-Issue,valueonly,separator=%x2C)", "main"]);
    let mut issues: Vec<&str> = issues.lines().filter(|line| !line.is_empty()).collect();
    issues.sort_unstable();
    issues.dedup();
    assert_eq!(issues.len(), 12, "{issues:?}");
    git(&["fsck", "--strict", "--no-dangling"]);
    let premath = |arguments: &[&str]| printed(PROGRAM, arguments, &project, home.path());
    premath(&["verify"]);
    // From the newest commit back to its step and its check, and into what that printed.
    let head = git(&["rev-parse", "main"]);
    let why: serde_json::Value =
        serde_json::from_str(&premath(&["audit", "why", head.trim(), "--json"])).unwrap();
    assert_eq!(why["subjectKind"], "commit");
    let steps = why["steps"].as_array().unwrap();
    let step = steps.iter().find_map(|step| step["ref"].as_str()?.strip_prefix("step://")).unwrap();
    assert!(steps.iter().all(|step| step["kind"] != "unknown"), "{why}");
    let shown: serde_json::Value = serde_json::from_str(&premath(&["step", "show", step, "--json"])).unwrap();
    assert_eq!(shown["commit"], head.trim());
    assert_eq!(shown["commands"].as_array().unwrap().len(), 3, "{shown}");
    assert!(shown["diff"].as_str().unwrap().contains("+++ b/chapters/"), "{shown}");
    assert!(premath(&["step", "show", step]).contains("verify"));
    // Only issue memory is changed in the checkout of the team.
    let changed = git(&["status", "--porcelain", "--untracked-files=all"]);
    assert!(changed.lines().all(|line| line.contains(".premath/issues")), "{changed}");
}

#[test]
fn with_reviews_every_branch_is_on_the_remote_and_waits_for_a_person() {
    let home = TempDir::new().unwrap();
    let script = example();
    let output = prepared("sh", home.path(), home.path()).arg(&script).env("REVIEW", "1").output().unwrap();
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let project = project(&output);
    let branches = printed("git", &["ls-remote", "--heads", "origin"], &project, home.path());
    // Every third issue waits for two reviews.
    assert_eq!(branches.lines().filter(|line| line.contains("refs/heads/premath/")).count(), 8, "{output}");
    assert!(output.contains("waits for bd-1, bd-2") && output.contains("(ended with 1)"), "{output}");
}
