//! Where work is after each mode, and what becomes of conflicts.

use std::fs;
use std::io::Write as _;
use std::thread;

use serde_json::json;

use crate::crash::text;
use crate::repository::{Planned, Repository, events, git_at};

fn planned(needs: &[usize], is_shared: bool) -> Planned {
    Planned { needs: needs.to_vec(), is_shared }
}

#[test]
fn a_step_commits_on_a_branch_over_its_dependencies_and_land_brings_the_branches_to_main_in_order() {
    let repository = Repository::with(&[planned(&[2], false), planned(&[], false), planned(&[1], false)]);
    let before = repository.git(&["rev-parse", "main"]);
    let (answer, rows) = repository.worker(&[]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    assert_eq!(events(&rows, "landed").len(), 3, "{rows:?}");
    // Nothing moved but the branches; the person's checkout is as it was.
    assert_eq!(repository.git(&["rev-parse", "main"]), before);
    assert_eq!(repository.git(&["symbolic-ref", "--short", "HEAD"]).trim(), "main");
    assert!(!repository.path().join("parts").exists());
    assert_eq!(repository.landed("premath/bd-3"), ["bd-2", "bd-1", "bd-3"]);
    // Exactly the change of the issue, and nothing that premath keeps.
    let changed = repository.git(&["diff", "--name-only", "premath/bd-1~1", "premath/bd-1"]);
    assert_eq!(changed, "parts/bd-1\n");
    let (answer, rows) = repository.ran(&["land", "--json", "--verify-cmd", "sh check.sh"]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    let order: Vec<&str> = events(&rows, "landed").iter().map(|row| text(row, "/issueId")).collect();
    assert_eq!(order, ["bd-2", "bd-1", "bd-3"]);
    assert_eq!(repository.landed("main"), ["bd-2", "bd-1", "bd-3"]);
    assert!(repository.path().join("parts/bd-3").is_file());
    assert_eq!(repository.git(&["branch", "--list", "premath/*"]), "");
    // A second time there is nothing to land.
    let (answer, rows) = repository.ran(&["land", "--json", "--verify-cmd", "sh check.sh"]);
    assert_eq!((answer.code(), &rows.last().unwrap()["items"]), (Some(0), &json!([])));
    assert_eq!(repository.place.unsound(), None);
}

#[test]
fn a_commit_is_that_of_the_person_and_names_issue_step_and_evidence() {
    let repository = Repository::independent(1);
    let (answer, _) = repository.worker(&[]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    let shown = repository.git(&[
        "log",
        "-1",
        "--format=%an <%ae>|%cn|%s|%(trailers:key=Premath-Run,valueonly)",
        "premath/bd-1",
    ]);
    assert_eq!(shown.trim(), "Test <test@example.org>|Test|Part 1|w.bd-1.1-1");
    let witness =
        repository.git(&["log", "-1", "--format=%(trailers:key=Premath-Witness,valueonly)", "premath/bd-1"]);
    let digest = witness.trim().strip_prefix("sha256:").unwrap().to_owned();
    let object = repository
        .path()
        .join(".premath/objects")
        .join(digest.get(..2).unwrap())
        .join(digest.get(2..).unwrap());
    let object = fs::read_to_string(object).unwrap();
    let tree = repository.git(&["rev-parse", "premath/bd-1^{tree}"]);
    assert!(object.contains(tree.trim()) && object.contains("\"purpose\":\"verify\""), "{object}");
    // The trajectory cites the commit and its tree.
    let rows = fs::read_to_string(repository.place.lane("harness_trajectory.jsonl")).unwrap();
    let commit = repository.git(&["rev-parse", "premath/bd-1"]);
    assert!(rows.contains(&format!("git://commit/{}", commit.trim())), "{rows}");
    assert!(rows.contains(&format!("git://tree/{}", tree.trim())), "{rows}");
}

#[test]
fn three_workers_merge_dependent_and_conflicting_issues_into_main() {
    let shared = |needs: &[usize]| planned(needs, true);
    let repository =
        Repository::with(&[shared(&[]), shared(&[]), shared(&[]), planned(&[1, 2], false), shared(&[4])]);
    let (answer, rows) = repository.coordinator(&["--workers", "3", "--land", "merge"]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    let mut landed = repository.landed("main");
    let at = |id: &str| landed.iter().position(|one| one == id).unwrap();
    assert!(at("bd-4") > at("bd-1") && at("bd-4") > at("bd-2") && at("bd-5") > at("bd-4"), "{landed:?}");
    landed.sort();
    assert_eq!(landed, ["bd-1", "bd-2", "bd-3", "bd-4", "bd-5"]);
    // The checkout followed, all parts are there, and nobody's line was lost.
    let lines = fs::read_to_string(repository.path().join("shared.txt")).unwrap();
    for id in ["bd-1", "bd-2", "bd-3", "bd-5"] {
        assert!(lines.lines().any(|line| line == id), "{lines}");
    }
    assert_eq!(repository.git(&["status", "--porcelain", "--", "parts", "shared.txt"]), "");
    assert_eq!(rows.last().unwrap()["stuck"], json!(null), "{}", rows.last().unwrap());
    repository.git(&["fsck", "--strict", "--no-dangling"]);
    assert_eq!(repository.place.unsound(), None);
}

#[test]
fn a_conflict_goes_back_to_the_worker_once_and_then_to_a_person_with_its_paths() {
    let repository = Repository::independent(2);
    // Both write the same file, and nobody resolves.
    let work = "echo \"$PREMATH_ISSUE_ID $PREMATH_CONFLICT_PATHS\" > same.txt";
    let first = ["--work-cmd", work, "--land", "branch", "--steps", "2"];
    let base = ["worker", "--worker-id", "w", "--json", "--verify-cmd", "! grep -q '<<<' same.txt"];
    let (answer, _) = repository.ran(&[base.as_slice(), first.as_slice()].concat());
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    let (answer, rows) = repository.ran(&["land", "--json", "--verify-cmd", "true"]);
    assert_eq!(answer.code(), Some(1), "{answer:?}");
    let items = &rows.last().unwrap()["items"];
    assert_eq!(
        (&items[0]["outcome"], &items[1]["outcome"]),
        (&json!("landed"), &json!("reopened")),
        "{items}"
    );
    assert_eq!(items[1]["paths"], json!(["same.txt"]));
    assert_eq!(repository.status("bd-2"), "open");
    // The worker gets the conflict as its task, and solves it.
    let solve =
        "test \"$PREMATH_CONFLICT_PATHS\" = same.txt && grep -q '<<<<<<<' same.txt && echo both > same.txt";
    let again = [base.as_slice(), &["--work-cmd", solve]].concat();
    let (answer, _) = repository.ran(&again);
    assert_eq!((answer.code(), repository.status("bd-2").as_str()), (Some(0), "closed"), "{answer:?}");
    let (answer, _) = repository.ran(&["land", "--json", "--verify-cmd", "true"]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    assert_eq!(fs::read_to_string(repository.path().join("same.txt")).unwrap(), "both\n");
}

#[test]
fn a_conflict_that_stays_ends_as_an_escalation_that_names_the_paths() {
    let repository = Repository::independent(1);
    // The target moves while the worker works, and the worker leaves the markers where they are.
    let work = "[ -n \"${PREMATH_CONFLICT_PATHS:-}\" ] || echo mine > shared.txt; while [ ! -e \"$(git rev-parse --git-common-dir)/moved\" ]; do sleep 0.05; done";
    let path = repository.path().to_owned();
    let moving = thread::spawn(move || {
        while !git_at(&path, &["branch", "--list", "premath/bd-1"]).contains("bd-1") {
            thread::sleep(std::time::Duration::from_millis(20));
        }
        fs::write(path.join("shared.txt"), "theirs\n").unwrap();
        git_at(&path, &["commit", "--quiet", "--message=theirs", "--", "shared.txt"]);
        fs::write(path.join(".git/moved"), "").unwrap();
    });
    let base = [
        "worker",
        "--worker-id",
        "w",
        "--json",
        "--land",
        "merge",
        "--verify-cmd",
        "true",
        "--work-cmd",
        work,
    ];
    let (answer, rows) = repository.ran(&base);
    moving.join().unwrap();
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    // It was given back once. A check that passes over the markers does not make them a resolution.
    assert!(text(events(&rows, "not_landed")[0], "/detail").contains("`shared.txt`"), "{rows:?}");
    assert_eq!(events(&rows, "escalated").len(), 1, "{rows:?}");
    assert_eq!(repository.status("bd-1"), "blocked");
    let escalation = repository.place.accepted(&["issue", "show", "bd-1-esc-landing-conflict-1", "--json"]);
    let shown = text(&escalation, "/issue/description");
    assert!(shown.contains("`shared.txt`") && shown.contains("conflict markers"), "{shown}");
    assert_eq!(fs::read_to_string(repository.path().join("shared.txt")).unwrap(), "theirs\n");
}

#[test]
fn work_that_fails_on_top_of_the_target_twice_becomes_an_escalation() {
    let repository = Repository::independent(1);
    let work =
        "echo x > mine.txt; while [ ! -e \"$(git rev-parse --git-common-dir)/moved\" ]; do sleep 0.05; done";
    let path = repository.path().to_owned();
    let moving = thread::spawn(move || {
        while !git_at(&path, &["branch", "--list", "premath/bd-1"]).contains("bd-1") {
            thread::sleep(std::time::Duration::from_millis(20));
        }
        fs::write(path.join("theirs.txt"), "y\n").unwrap();
        git_at(&path, &["add", "theirs.txt"]);
        git_at(&path, &["commit", "--quiet", "--message=theirs", "--", "theirs.txt"]);
        fs::write(path.join(".git/moved"), "").unwrap();
    });
    let check = "! { [ -e mine.txt ] && [ -e theirs.txt ]; }";
    let base = [
        "worker",
        "--worker-id",
        "w",
        "--json",
        "--land",
        "merge",
        "--verify-cmd",
        check,
        "--work-cmd",
        work,
    ];
    let (_, rows) = repository.ran(&base);
    moving.join().unwrap();
    assert_eq!(events(&rows, "not_landed").len(), 1, "{rows:?}");
    assert_eq!(repository.status("bd-1"), "blocked");
    assert!(!repository.path().join("mine.txt").exists());
}

#[test]
fn verification_sees_the_tree_that_is_committed_and_not_what_was_left_lying_about() {
    let repository = Repository::independent(1);
    repository.write(".gitignore", "built/\n");
    repository.git(&["add", ".gitignore"]);
    repository.git(&["commit", "--quiet", "--message=ignore"]);
    let work = "mkdir -p built && echo yes > built/result && echo part > part.txt";
    let base =
        ["worker", "--worker-id", "w", "--json", "--work-cmd", work, "--verify-cmd", "test -e built/result"];
    let (_, rows) = repository.ran(&base);
    assert_eq!(events(&rows, "verified")[0]["result"], "failed", "{rows:?}");
    assert_ne!(repository.status("bd-1"), "closed");
}

#[test]
fn work_that_changes_nothing_closes_its_issue_without_a_commit() {
    let repository = Repository::independent(1);
    let base = ["worker", "--worker-id", "w", "--json", "--work-cmd", "true", "--verify-cmd", "true"];
    let (answer, _) = repository.ran(&base);
    assert_eq!((answer.code(), repository.status("bd-1").as_str()), (Some(0), "closed"));
    assert_eq!(repository.landed("premath/bd-1"), Vec::<String>::new());
    let rows = fs::read_to_string(repository.place.lane("harness_trajectory.jsonl")).unwrap();
    assert!(rows.contains("git://unchanged/"), "{rows}");
}

#[test]
fn a_verification_that_fails_and_then_passes_on_the_same_tree_is_listed_as_flaky() {
    let repository = Repository::independent(1);
    // Verdicts come through a pipe, one for each verification: before the work, after it, and once more.
    let pipe = repository.path().join(".git/verdicts");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let writing = thread::spawn(move || {
        for verdict in ["true\n", "false\n", "true\n"] {
            // Opened, somebody reads it: whoever comes next finds another pipe under its name.
            let mut opened = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
            fs::remove_file(&pipe).unwrap();
            nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
            opened.write_all(verdict.as_bytes()).unwrap();
        }
    });
    let check = "$(head -n 1 < \"$(git rev-parse --git-common-dir)/verdicts\")";
    let base =
        ["coordinator", "--json", "--workers", "1", "--work-cmd", "echo x > x.txt", "--verify-cmd", check];
    let (answer, rows) = repository.ran(&base);
    writing.join().unwrap();
    assert_eq!((answer.code(), repository.status("bd-1").as_str()), (Some(0), "closed"), "{answer:?}");
    assert_eq!(rows.last().unwrap()["flaky"], json!(["bd-1"]));
}

#[test]
fn a_pushed_branch_waits_for_a_person_and_closes_when_they_merged_it_however_they_did() {
    let repository = Repository::with(&[planned(&[], false), planned(&[1], false)]);
    let bare = repository.path().with_extension("worktrees").join("origin.git");
    fs::create_dir_all(bare.parent().unwrap()).unwrap();
    repository.git(&["init", "--quiet", "--bare", "--initial-branch=main", bare.to_str().unwrap()]);
    repository.git(&["remote", "add", "origin", bare.to_str().unwrap()]);
    repository.git(&["push", "--quiet", "origin", "main"]);
    let (answer, rows) = repository.coordinator(&["--workers", "1", "--land", "push"]);
    // The second issue waits for the first, which waits for a person.
    assert_eq!(answer.code(), Some(1), "{answer:?}");
    let last = rows.last().unwrap();
    assert_eq!(
        (&last["submitted"], &last["stuck"][1]["behind"]),
        (&json!(["bd-1"]), &json!(["bd-1"])),
        "{last}"
    );
    assert!(text(events(&rows, "pushed")[0], "/detail").contains("git merge origin/premath/bd-1"));
    assert_eq!(repository.status("bd-1"), "blocked");
    // Nothing is left uncommitted in the worktree.
    assert_eq!(repository.git(&["for-each-ref", "refs/premath/leftover"]), "");
    assert_eq!(git_at(&repository.trees().join("w1"), &["status", "--porcelain"]), "");
    let (answer, rows) = repository.ran(&["land", "--accept", "--json"]);
    assert_eq!((answer.code(), &rows.last().unwrap()["items"][0]["outcome"]), (Some(1), &json!("review")));
    // A person squashes the branch on the remote.
    let review = bare.with_file_name("review");
    git_at(bare.parent().unwrap(), &["clone", "--quiet", bare.to_str().unwrap(), review.to_str().unwrap()]);
    let message = git_at(&review, &["log", "-1", "--format=%B", "origin/premath/bd-1"]);
    git_at(&review, &["merge", "--quiet", "--squash", "origin/premath/bd-1"]);
    git_at(
        &review,
        &["-c", "user.name=P", "-c", "user.email=p@example.org", "commit", "--quiet", "--message", &message],
    );
    git_at(&review, &["push", "--quiet", "origin", "main"]);
    let (answer, rows) = repository.ran(&["land", "--accept", "--json"]);
    assert_eq!(
        (answer.code(), &rows.last().unwrap()["items"][0]["outcome"]),
        (Some(0), &json!("accepted")),
        "{answer:?}"
    );
    assert_eq!(repository.status("bd-1"), "closed");
    // What depends on it is free now.
    repository.git(&["pull", "--quiet", "--ff-only", "origin", "main"]);
    let (answer, _) = repository.coordinator(&["--workers", "1", "--land", "push"]);
    assert_eq!(repository.status("bd-2"), "blocked", "{answer:?}");
    assert!(git_at(&bare, &["log", "--format=%s", "premath/bd-2"]).starts_with("Part 2\n"));
}

#[test]
fn an_issue_that_is_opened_again_is_worked_on_again() {
    let repository = Repository::independent(1);
    let (answer, _) = repository.worker(&["--land", "merge"]);
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    repository.place.accepted(&["issue", "update", "bd-1", "--status", "open", "--json"]);
    let base =
        ["worker", "--worker-id", "w", "--json", "--land", "merge", "--work-cmd", "echo more > more.txt"];
    let (answer, rows) = repository.ran(&[base.as_slice(), &["--verify-cmd", "true"]].concat());
    assert_eq!(answer.code(), Some(0), "{answer:?}");
    assert_eq!(events(&rows, "adopted").len(), 0, "{rows:?}");
    assert_eq!(repository.landed("main"), ["bd-1", "bd-1"]);
    assert!(repository.path().join("more.txt").is_file());
}
