//! Issue memory in git, with real git and the real command: merge, rebase, cherry-pick, stash and checkout are normal life.
//! A slice of R30; the bulk is `crates/bd/tests/issue_merges.rs`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a command that cannot be started, or answers something else, fails the test"
)]
#![expect(clippy::disallowed_methods, reason = "git is started, and what it leaves is compared")]

mod folder;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use folder::Folder;
use serde_json::{Value, json};

const ISSUES: &str = ".premath/issues.jsonl";

/// Git in a folder, as a person who has set nothing.
fn git_in(folder: &Path, state: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]);
    command.args(["-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"]).args(arguments);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_EDITOR", "true");
    // The driver is a command of the person: it finds their keys where their other commands do.
    command.env("XDG_STATE_HOME", state).env_remove("HOME");
    command.output().unwrap()
}

#[track_caller]
fn git(folder: &Folder, arguments: &[&str]) -> String {
    let output = git_in(folder.path(), &folder.state(), arguments);
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn run(folder: &Folder, arguments: &[&str]) -> String {
    let ran = folder.run(arguments);
    assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
    ran.stdout
}

/// A repository with issue memory in its first commit, whose ids are counted.
fn repository() -> Folder {
    let folder = Folder::new();
    git(&folder, &["init", "--quiet"]);
    folder.write("premath.toml", "[session]\nbaseline = \"none\"\n");
    run(&folder, &["init"]);
    for title in ["Parser", "Printer", "Reader"] {
        run(&folder, &["issue", "add", title]);
    }
    commit(&folder, "issues");
    folder
}

fn commit(folder: &Folder, message: &str) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", message]);
}

fn issue(folder: &Folder, id: &str) -> Value {
    folder.json(&["issue", "show", id]).1["issue"].clone()
}

fn titles(folder: &Folder) -> BTreeSet<String> {
    let (_, listed) = folder.json(&["issue", "list"]);
    listed["items"].as_array().unwrap().iter().map(|row| row["title"].as_str().unwrap().to_owned()).collect()
}

/// Nothing is damaged, and issue memory can be changed.
#[track_caller]
fn is_sound(folder: &Folder) {
    let (code, verified) = folder.json(&["verify"]);
    assert_eq!((code, &verified["state"]), (0, &json!("ok")), "{verified}");
}

#[track_caller]
fn is_writable(folder: &Folder) {
    run(folder, &["issue", "update", "bd-3", "--append-notes", "seen"]);
    is_sound(folder);
}

/// Two branches that both changed and added issues.
fn diverged() -> Folder {
    let folder = repository();
    git(&folder, &["checkout", "--quiet", "-b", "other"]);
    run(&folder, &["issue", "update", "bd-1", "--priority", "0"]);
    run(&folder, &["issue", "update", "bd-2", "--status", "closed"]);
    run(&folder, &["issue", "add", "Of other"]);
    run(&folder, &["dep", "add", "bd-4", "bd-1"]);
    commit(&folder, "other");
    git(&folder, &["checkout", "--quiet", "main"]);
    run(&folder, &["issue", "update", "bd-1", "--title", "Parser of expressions"]);
    run(&folder, &["issue", "claim", "bd-2", "--assignee", "ana"]);
    run(&folder, &["issue", "add", "Of main"]);
    commit(&folder, "main");
    folder
}

fn is_merged(folder: &Folder) {
    let expected = ["Parser of expressions", "Printer", "Reader", "Of other", "Of main"];
    assert_eq!(titles(folder), expected.iter().map(|title| (*title).to_owned()).collect());
    let parser = issue(folder, "bd-1");
    assert_eq!((&parser["title"], &parser["priority"]), (&json!("Parser of expressions"), &json!(0)));
    // Closed here, claimed there: nothing is closed by a merge, and both are listed.
    assert_eq!(issue(folder, "bd-2")["status"], "in_progress");
    let (_, listed) = folder.json(&["issue", "list"]);
    let row = |title: &str| {
        listed["items"].as_array().unwrap().iter().find(|row| row["title"] == title).unwrap().clone()
    };
    assert_eq!(row("Of other")["dependencies"][0]["dependsOnId"], "bd-1");
    let ids = [row("Of main")["id"].clone(), row("Of other")["id"].clone()];
    assert!(ids.contains(&json!("bd-4")) && ids[0] != ids[1], "{ids:?}");
    let (code, checked) = folder.json(&["issue", "check"]);
    let classes: BTreeSet<&str> =
        checked["problems"].as_array().unwrap().iter().map(|one| one["class"].as_str().unwrap()).collect();
    assert_eq!(code, 1, "{checked}");
    assert!(
        classes.contains("issue_merge.conflict") && classes.contains("issue_merge.id_taken"),
        "{checked}"
    );
}

#[test]
fn a_merge_keeps_both_sides_and_lists_what_is_left_to_decide() {
    let folder = diverged();
    let said = git(&folder, &["merge", "--no-edit", "other"]);
    assert!(said.contains("`premath issue check` lists what to settle"), "{said}");
    is_merged(&folder);
    is_sound(&folder);
    run(&folder, &["issue", "update", "bd-2", "--status", "closed"]);
    let (_, checked) = folder.json(&["issue", "check"]);
    let problems = checked["problems"].as_array().unwrap();
    assert!(problems.iter().all(|one| one["class"] != "issue_merge.conflict"), "{checked}");
    is_writable(&folder);
}

#[test]
fn a_merge_can_be_worked_on_before_it_is_committed() {
    let folder = diverged();
    git(&folder, &["merge", "--no-commit", "--no-ff", "other"]);
    is_merged(&folder);
    is_writable(&folder);
    commit(&folder, "merged");
    is_writable(&folder);
}

#[test]
fn rebase_and_cherry_pick_merge_like_merge() {
    let folder = diverged();
    git(&folder, &["branch", "picked"]);
    git(&folder, &["rebase", "--quiet", "other"]);
    is_merged(&folder);
    is_writable(&folder);
    commit(&folder, "noted");
    git(&folder, &["checkout", "--quiet", "picked"]);
    is_sound(&folder);
    git(&folder, &["cherry-pick", "other"]);
    is_merged(&folder);
    is_writable(&folder);
}

#[test]
fn branches_are_checked_out_and_stashes_come_back_without_a_complaint() {
    let folder = diverged();
    for branch in ["other", "main", "other"] {
        git(&folder, &["checkout", "--quiet", branch]);
        is_sound(&folder);
    }
    is_writable(&folder);
    git(&folder, &["stash"]);
    is_sound(&folder);
    git(&folder, &["stash", "pop"]);
    is_writable(&folder);
    // A stash on top of something else: the driver brings both together, and no commit has it.
    git(&folder, &["stash"]);
    run(&folder, &["issue", "add", "While it was away"]);
    commit(&folder, "more");
    git(&folder, &["stash", "pop"]);
    assert!(titles(&folder).contains("While it was away"));
    assert!(issue(&folder, "bd-3")["notes"].as_str().unwrap().contains("seen"));
    is_writable(&folder);
}

#[test]
fn both_directions_of_a_merge_come_to_the_same_file() {
    let folder = diverged();
    git(&folder, &["checkout", "--quiet", "-b", "back", "other"]);
    git(&folder, &["merge", "--no-edit", "main"]);
    let back = fs::read(folder.path().join(ISSUES)).unwrap();
    git(&folder, &["checkout", "--quiet", "main"]);
    git(&folder, &["merge", "--no-edit", "other"]);
    assert_eq!(fs::read(folder.path().join(ISSUES)).unwrap(), back);
    // Merges of merges add nothing.
    git(&folder, &["merge", "--no-edit", "back"]);
    assert_eq!(fs::read(folder.path().join(ISSUES)).unwrap(), back);
}

#[test]
fn a_clone_without_the_driver_is_told_and_a_file_with_markers_is_never_written_over() {
    let folder = diverged();
    let clone = Folder::new();
    let source = folder.path().to_str().unwrap();
    git(&clone, &["clone", "--quiet", source, "."]);
    let (_, verified) = clone.json(&["verify"]);
    let classes: Vec<&Value> =
        verified["problems"].as_array().unwrap().iter().map(|one| &one["class"]).collect();
    assert!(classes.contains(&&json!("verify.merge_driver_missing")), "{verified}");

    let merged = git_in(clone.path(), &clone.state(), &["merge", "--no-edit", "origin/other"]);
    assert!(!merged.status.success(), "{merged:?}");
    let path = clone.path().join(ISSUES);
    let before = fs::read(&path).unwrap();
    assert!(String::from_utf8_lossy(&before).contains("<<<<<<< "));
    for command in [
        ["issue", "add", "One more"].as_slice(),
        &["issue", "update", "bd-3", "--priority", "1"],
        &["issue", "compact"],
        &["doctor", "--fix"],
    ] {
        let ran = clone.run(command);
        assert_ne!(ran.code, Some(0), "{command:?}: {ran:?}");
        assert_eq!(fs::read(&path).unwrap(), before, "{command:?}");
    }
    let refused = clone.run(&["issue", "add", "One more"]);
    assert_eq!(refused.code, Some(4), "{refused:?}");
    assert!(refused.stderr.contains(ISSUES) && refused.stderr.contains("conflict marker"), "{refused:?}");
    assert!(refused.stderr.contains("git checkout --merge"), "{refused:?}");
    // What the sentence says works.
    run(&clone, &["init"]);
    git(&clone, &["checkout", "--merge", ISSUES]);
    git(&clone, &["add", ISSUES]);
    is_merged(&clone);
    is_writable(&clone);
    git(&clone, &["commit", "--quiet", "--all", "--no-edit"]);
    is_writable(&clone);
}

#[test]
fn the_doctor_installs_a_missing_driver() {
    let folder = diverged();
    let clone = Folder::new();
    git(&clone, &["clone", "--quiet", folder.path().to_str().unwrap(), "."]);
    run(&clone, &["doctor", "--fix"]);
    let driver = git(&clone, &["config", "--get", "merge.premath.driver"]);
    assert!(driver.contains(" merge-driver %O %A %B %L %P || git merge-file "), "{driver}");
    git(&clone, &["merge", "--no-edit", "origin/other"]);
    is_merged(&clone);
}

#[test]
fn a_driver_that_is_gone_leaves_the_file_to_the_text_merge_of_git() {
    let folder = diverged();
    let driver = git(&folder, &["config", "--get", "merge.premath.driver"]);
    let (_, rest) = driver.trim().split_once(" merge-driver ").unwrap();
    git(&folder, &["config", "merge.premath.driver", &format!("'/nowhere/premath' merge-driver {rest}")]);
    let merged = git_in(folder.path(), &folder.state(), &["merge", "--no-edit", "other"]);
    assert!(!merged.status.success(), "{merged:?}");
    let text = fs::read_to_string(folder.path().join(ISSUES)).unwrap();
    assert!(text.contains("<<<<<<< ours") && text.contains(">>>>>>> theirs"), "{text}");
    assert!(text.contains("Of main") && text.contains("Of other"));
}

#[test]
fn lines_that_a_union_merge_put_together_are_not_lost() {
    let folder = diverged();
    folder.write(".gitattributes", ".premath/issues.jsonl merge=union\n");
    commit(&folder, "union");
    git(&folder, &["merge", "--no-edit", "other"]);
    let parser = issue(&folder, "bd-1");
    assert_eq!((&parser["title"], &parser["priority"]), (&json!("Parser of expressions"), &json!(0)));
    let found = titles(&folder);
    assert!(found.contains("Of main") && found.contains("Of other"), "{found:?}");
    is_sound(&folder);
    is_writable(&folder);
    let rows = fs::read_to_string(folder.path().join(ISSUES)).unwrap();
    assert!(rows.contains("\"action\":\"issue.merge\""), "{rows}");
    assert_eq!(issue(&folder, "bd-1")["priority"], 0);
}

#[test]
fn after_a_day_of_work_git_sees_issue_memory_only() {
    let folder = Folder::new();
    git(&folder, &["init", "--quiet"]);
    run(&folder, &["init"]);
    let config = fs::read_to_string(folder.path().join("premath.toml")).unwrap();
    assert!(config.contains("\nids = \"short\"\n"), "{config}");
    folder.write("premath.toml", config.replace("# baseline = \"make test\"", "baseline = \"true\""));
    commit(&folder, "ready");
    assert_eq!(git(&folder, &["status", "--porcelain"]), "");
    let (_, added) = folder.json(&["issue", "add", "First", "--acceptance", "It is done"]);
    let id = added["issue"]["id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("bd-") && id[3..].starts_with(|first: char| first.is_ascii_lowercase()), "{id}");
    run(&folder, &["issue", "add", "Second"]);
    run(&folder, &["issue", "claim", &id, "--assignee", "ana"]);
    run(&folder, &["issue", "update", &id, "--status", "open"]);
    let step = ["step", "--work-cmd", "true", "--verify-cmd", "true"];
    let ran = folder.run(&step);
    assert!(ran.code.is_some_and(|code| code < 2), "{ran:?}");
    run(&folder, &["verify"]);
    run(&folder, &["observe-build"]);
    run(&folder, &["issue", "compact"]);
    let status = git(&folder, &["status", "--porcelain", "--untracked-files=all"]);
    let seen: BTreeSet<&str> = status.lines().map(|line| line[3..].trim()).collect();
    let allowed = BTreeSet::from([ISSUES, ".premath/issues.history.jsonl"]);
    assert!(seen.is_subset(&allowed) && seen.contains(ISSUES), "{status}");
    commit(&folder, "worked");
    let (_, verified) = folder.json(&["verify"]);
    assert_eq!(verified["state"], "ok", "{verified}");
}
