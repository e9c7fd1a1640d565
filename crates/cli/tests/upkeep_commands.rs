//! `verify` and `doctor`: what is whole is said to be, what is damaged is named, and mending loses nothing.

#![expect(clippy::unwrap_used, reason = "a command that cannot be started fails the test")]
#![expect(clippy::disallowed_methods, reason = "the test damages and compares files")]

mod folder;

use std::fs;

use folder::Folder;
use serde_json::Value;

const ISSUES: &str = ".premath/issues.jsonl";

/// A repository with three issues and two steps.
fn repository() -> Folder {
    let folder = Folder::new();
    folder.run(&["init"]);
    for title in ["one", "two", "three"] {
        assert_eq!(folder.json(&["issue", "add", title]).0, 0);
    }
    for step in ["w.bd-1.1", "w.bd-1.2"] {
        let append = [
            "harness-trajectory",
            "append",
            "--step-id",
            step,
            "--action",
            "run",
            "--result-class",
            "accepted",
        ];
        assert_eq!(folder.json(&append).0, 0);
    }
    folder
}

fn classes(answer: &Value, list: &str) -> Vec<String> {
    let items = answer[list].as_array().unwrap();
    items.iter().map(|item| item["class"].as_str().unwrap().to_owned()).collect()
}

fn edit(folder: &Folder, name: &str, from: &str, to: &str) {
    let path = folder.path().join(name);
    let before = fs::read_to_string(&path).unwrap();
    let after = before.replacen(from, to, 1);
    assert_ne!(before, after);
    folder.write(name, after);
}

#[test]
fn what_nobody_touched_verifies() {
    let folder = repository();
    let (code, answer) = folder.json(&["verify"]);
    assert_eq!((code, &answer["ok"]), (0, &Value::Bool(true)), "{answer}");
    let (code, answer) = folder.json(&["doctor"]);
    assert_eq!(code, 0, "{answer}");
    for command in ["verify", "doctor"] {
        let ran = folder.run(&[command]);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    }
}

#[test]
fn an_edited_row_is_found_and_nothing_is_written_until_a_person_accepts_it() {
    let folder = repository();
    edit(&folder, ISSUES, "\"title\":\"two\"", "\"title\":\"TWO\"");
    let (code, answer) = folder.json(&["verify"]);
    assert_eq!(code, 1);
    assert!(classes(&answer, "problems").contains(&"verify.log_changed".to_owned()), "{answer}");
    let edited = fs::read_to_string(folder.path().join(ISSUES)).unwrap();
    let ran = folder.run(&["issue", "add", "four", "--json"]);
    assert_eq!(ran.code, Some(4), "nothing is written behind an edit of somebody else: {ran:?}");
    assert!(ran.stderr.starts_with("error: log_untrusted: "), "{ran:?}");
    assert_eq!(fs::read_to_string(folder.path().join(ISSUES)).unwrap(), edited);
    assert_eq!(folder.json(&["verify"]).0, 1);
    assert_eq!(folder.json(&["doctor", "--fix"]).0, 0);
    assert_eq!(folder.json(&["issue", "add", "four"]).0, 0);
    let (code, answer) = folder.json(&["verify"]);
    assert_eq!(code, 0, "{answer}");
}

#[test]
fn a_step_that_was_taken_out_breaks_the_chain() {
    let folder = repository();
    let path = folder.path().join(".premath/harness_trajectory.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    let (code, answer) = folder.json(&["verify"]);
    assert_eq!(code, 1);
    assert!(!classes(&answer, "problems").is_empty(), "{answer}");
}

#[test]
fn doctor_moves_garbage_out_keeps_a_copy_and_finds_nothing_the_second_time() {
    let folder = repository();
    let path = folder.path().join(ISSUES);
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str("garbage\n{\"id\":\"bd-9\",\"title\":\"torn");
    fs::write(&path, &text).unwrap();
    assert_eq!(folder.json(&["issue", "list"]).1["count"], 3);
    assert_eq!(folder.json(&["doctor"]).0, 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), text, "doctor without --fix changed something");
    assert_eq!(folder.json(&["doctor", "--fix"]).0, 0);
    let backups: Vec<String> = fs::read_dir(folder.path().join(".premath/backup"))
        .unwrap()
        .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert!(backups.iter().any(|backup| backup == &text), "no copy of what was there");
    let (code, answer) = folder.json(&["doctor"]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(folder.json(&["verify"]).0, 0);
    assert_eq!(folder.json(&["issue", "list"]).1["count"], 3);
}
