//! What is refused with a sentence before anything is lost.

use std::fs;

use serde_json::{Value, json};

use crate::crash::{Answer, Started, text};
use crate::repository::{Repository, git_at};

#[track_caller]
fn refused(answer: &Answer, rows: &[Value], class: &str) -> String {
    assert_eq!(answer.code(), Some(1), "{answer:?}");
    let last = rows.last().unwrap();
    assert_eq!(text(last, "/refused/class"), class, "{last}");
    text(last, "/refused/detail").to_owned()
}

#[test]
fn a_target_with_local_changes_is_refused_with_their_names_before_any_work() {
    let repository = Repository::independent(1);
    repository.write("shared.txt", "edited\n");
    let (answer, rows) = repository.worker(&["--land", "merge"]);
    let detail = refused(&answer, &rows, "landing_target_dirty");
    assert!(detail.contains("`shared.txt`") && detail.contains("commit or stash them"), "{detail}");
    assert_eq!(repository.status("bd-1"), "open");
    let (answer, rows) = repository.ran(&["land", "--json", "--verify-cmd", "true"]);
    refused(&answer, &rows, "landing_target_dirty");
    // On a branch of its own the work is in nobody's way.
    let (answer, _) = repository.worker(&["--land", "branch"]);
    assert_eq!((answer.code(), repository.status("bd-1").as_str()), (Some(0), "closed"), "{answer:?}");
    assert_eq!(fs::read_to_string(repository.path().join("shared.txt")).unwrap(), "edited\n");
}

#[test]
fn a_worktree_of_a_person_with_changes_is_not_overwritten() {
    let repository = Repository::independent(1);
    let mine = repository.trees().with_extension("mine");
    repository.git(&["worktree", "add", "--quiet", "--detach", mine.to_str().unwrap()]);
    fs::write(mine.join("shared.txt"), "mine\n").unwrap();
    let (_, rows) = repository.worker(&["--worktree", mine.to_str().unwrap()]);
    let published: Vec<&Value> = rows.iter().filter(|row| row["event"] == "published").collect();
    assert_eq!(published[0]["failureClasses"], json!(["landing_worktree_dirty"]), "{rows:?}");
    assert_eq!(fs::read_to_string(mine.join("shared.txt")).unwrap(), "mine\n");
    assert_ne!(repository.status("bd-1"), "closed");
    fs::remove_dir_all(mine).unwrap();
}

#[test]
fn without_an_author_and_where_signing_fails_nothing_is_begun() {
    let repository = Repository::independent(1);
    repository.git(&["config", "--unset", "user.email"]);
    let (answer, rows) = repository.worker(&[]);
    let detail = refused(&answer, &rows, "landing_identity_missing");
    assert!(detail.contains("git config user.email"), "{detail}");
    repository.git(&["config", "user.email", "test@example.org"]);
    repository.git(&["config", "commit.gpgSign", "true"]);
    repository.git(&["config", "gpg.program", "false"]);
    let (answer, rows) = repository.worker(&[]);
    refused(&answer, &rows, "landing_signing_failed");
    assert_eq!(repository.status("bd-1"), "open");
}

#[test]
fn a_mode_that_needs_git_is_refused_without_it_and_a_misspelt_one_always() {
    let place = crate::crash::Workplace::initialised();
    let base = ["worker", "--worker-id", "w", "--json", "--work-cmd", "true", "--verify-cmd", "true"];
    let answer = place.run(&[base.as_slice(), &["--land", "merge"]].concat());
    assert!(answer.is_refused_as(&["landing_no_repository"]), "{answer:?}");
    let answer = place.run(&[base.as_slice(), &["--land", "master"]].concat());
    assert_eq!(answer.code(), Some(2), "{answer:?}");
    assert!(answer.stdout.contains("off, branch, merge, push"), "{answer:?}");
    fs::write(place.path().join("premath.toml"), "[work]\ntarget = \"--upload-pack=x\"\n").unwrap();
    assert_eq!(place.run(&base).code(), Some(2));
}

#[test]
fn a_target_that_does_not_exist_and_a_foreign_worktree_are_refused() {
    let repository = Repository::independent(1);
    let (answer, rows) = repository.worker(&["--target", "nowhere"]);
    assert!(refused(&answer, &rows, "landing_target_missing").contains("`nowhere`"));
    let other = Repository::independent(1);
    let folder = other.path().to_str().unwrap().to_owned();
    let (answer, rows) = repository.worker(&["--land", "branch", "--worktree", &folder]);
    refused(&answer, &rows, "landing_worktree_foreign");
    assert_eq!(git_at(other.path(), &["status", "--porcelain", "--", "parts"]), "");
}

#[test]
fn a_second_coordinator_is_refused_while_the_first_works() {
    let repository = Repository::independent(1);
    let slow = ["coordinator", "--json", "--workers", "1", "--work-cmd", "sleep 3", "--verify-cmd", "true"];
    let first = Started::new(&mut repository.place.command(&slow));
    while repository.status("bd-1") != "in_progress" {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let mut seen = false;
    for _ in 0..3 {
        let (answer, rows) = repository.coordinator(&["--workers", "1", "--rounds", "0"]);
        if answer.code() == Some(1) {
            let detail = refused(&answer, &rows, "coordinator_running");
            assert!(detail.contains("another coordinator"), "{detail}");
            seen = true;
            break;
        }
    }
    assert!(seen, "the second coordinator was never refused");
    let answer = first.finish(std::time::Duration::from_secs(60));
    assert_eq!(answer.code(), Some(0), "{answer:?}");
}

#[test]
fn a_coordinator_that_leaves_something_undone_ends_with_1_and_says_what_waits_for_what() {
    let repository = Repository::with(&[
        crate::repository::Planned { needs: Vec::new(), is_shared: false },
        crate::repository::Planned { needs: vec![1], is_shared: false },
    ]);
    let base = [
        "coordinator",
        "--json",
        "--workers",
        "1",
        "--work-cmd",
        "true",
        "--verify-cmd",
        "test ! -e shared.txt",
    ];
    let (answer, rows) = repository.ran(&base);
    assert_eq!(answer.code(), Some(1), "{answer:?}");
    let stuck = &rows.last().unwrap()["stuck"];
    assert_eq!((&stuck[0]["status"], &stuck[1]["behind"]), (&json!("blocked"), &json!(["bd-1"])), "{stuck}");
    assert!(text(&stuck[0], "/reason").contains("check_failed"), "{stuck}");
    let shown = repository.place.run(&[
        "coordinator",
        "--workers",
        "1",
        "--work-cmd",
        "true",
        "--verify-cmd",
        "true",
    ]);
    assert!(shown.code() == Some(1) && shown.stdout.contains("waits for bd-1"), "{shown:?}");
}

#[test]
fn a_worktree_that_vanishes_ends_its_slot_with_a_sentence() {
    let repository = Repository::independent(3);
    let tree = repository.trees().join("gone");
    let work = format!("rm -rf '{}' 2>/dev/null; exit 0", tree.display());
    repository.git(&["worktree", "add", "--quiet", "--detach", tree.to_str().unwrap()]);
    let path = tree.clone();
    let remover = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(700));
        drop(fs::remove_dir_all(path));
    });
    let base = ["coordinator", "--json", "--work-cmd", &work, "--verify-cmd", "sleep 0.4", "--worktree"];
    let (answer, rows) = repository.ran(&[base.as_slice(), &[tree.to_str().unwrap()]].concat());
    remover.join().unwrap();
    assert_eq!(answer.code(), Some(1), "{answer:?}");
    let last = rows.last().unwrap();
    assert_eq!(last["action"], "coordinator.run", "{answer:?}");
    assert!(last["failureClasses"].as_array().is_some_and(|classes| !classes.is_empty()), "{last}");
}
