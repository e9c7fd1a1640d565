//! What an instruction about one issue reaches: that issue, and nobody else's state, through whichever door.

#![expect(clippy::unwrap_used, reason = "a command that cannot be started fails the test")]
#![expect(clippy::indexing_slicing, reason = "a member that is not there fails the test")]
#![expect(clippy::disallowed_methods, reason = "files are read and removed behind premath's back")]

mod folder;

use std::fs;

use folder::Folder;
use serde_json::{Value, json};

const ID: &str = "20261116T120000Z-first";
const MISSING: &str = "mutation.use_evidence_missing";

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

/// A repository with three issues, and an instruction about the first that may discover and link.
fn instructed() -> Folder {
    let folder = Folder::new();
    folder.run(&["init"]);
    for title in ["First", "Second", "Third"] {
        folder.run(&["issue", "add", title]);
    }
    let policy: Value = serde_json::from_str(&read(&folder, "policies/instruction/default.json")).unwrap();
    let claims = ["issue_discover", "dep_add", "dep_remove", "dep_replace"];
    let envelope = json!({
        "schema": 1,
        "intent": "work on bd-1",
        "scope": {"issueId": "bd-1"},
        "normalizerId": "premath.normalizer.v1",
        "policyDigest": policy["policyDigest"],
        "requestedChecks": ["store"],
        "capabilityClaims": claims.map(|claim| format!("capabilities.change_morphisms.{claim}")),
    });
    let path = format!("instructions/{ID}.json");
    folder.write(&path, envelope.to_string());
    let (code, answer) = folder.json(&["instruction-run", &path]);
    assert_eq!(code, 0, "{answer}");
    folder
}

fn linked(folder: &Folder, arguments: &[&str]) -> (i32, Value) {
    folder.json(&[arguments, &["--instruction", ID]].concat())
}

#[track_caller]
fn refused(folder: &Folder, arguments: &[&str]) {
    let before = read(folder, ".premath/issues.jsonl");
    let (code, answer) = linked(folder, arguments);
    assert_eq!((code, &answer["refused"]["class"]), (1, &json!(MISSING)), "{arguments:?}: {answer}");
    assert!(answer["refused"]["detail"].as_str().unwrap().contains("not for `bd-2`"), "{answer}");
    assert_eq!(read(folder, ".premath/issues.jsonl"), before, "{arguments:?} changed something");
}

#[test]
fn an_instruction_for_one_issue_gives_no_other_a_child_and_takes_none_away() {
    let folder = instructed();
    refused(&folder, &["issue", "discover", "bd-1", "Found", "--parent", "bd-2"]);
    refused(&folder, &["dep", "add", "bd-1", "bd-2", "--type", "parent-child"]);
    folder.run(&["dep", "add", "bd-1", "bd-2", "--type", "parent-child"]);
    refused(&folder, &["dep", "remove", "bd-1", "bd-2"]);
    refused(&folder, &["dep", "remove", "bd-1", "bd-2", "--type", "parent-child"]);
    refused(&folder, &["dep", "replace", "bd-1", "bd-2", "--type", "related"]);
    refused(&folder, &["dep", "replace", "bd-1", "bd-2", "--type", "parent-child", "--from-type", "blocks"]);
}

#[test]
fn an_instruction_for_one_issue_may_say_what_that_issue_waits_for() {
    let folder = instructed();
    for arguments in [
        &["issue", "discover", "bd-1", "Found", "--parent", "bd-1", "--depends-on", "bd-2"][..],
        &["dep", "add", "bd-1", "bd-3"],
        &["dep", "replace", "bd-1", "bd-3", "--from-type", "blocks", "--type", "related"],
        &["dep", "remove", "bd-1", "bd-3", "--type", "related"],
    ] {
        let (code, answer) = linked(&folder, arguments);
        assert_eq!(code, 0, "{arguments:?}: {answer}");
    }
    let (code, closed) = folder.json(&["issue", "update", "bd-2", "--status", "closed"]);
    assert_eq!(code, 0, "{closed}");
}

#[test]
fn a_run_under_an_instruction_for_one_issue_gives_no_other_a_child() {
    let folder = instructed();
    folder.write(
        "linking.toml",
        r#"
name = "linking"
[[turn]]
text = "I link it."
[[turn.call]]
id = "link"
tool = "dep_add"
[turn.call.arguments]
id = "bd-1"
dependsOn = "bd-2"
type = "parent-child"
[[turn]]
text = "Done."
"#,
    );
    let ran =
        folder.run(&["run", "Link it", "--model", "scripted:linking.toml", "--instruction", ID, "--json"]);
    let said = ran.stdout + &ran.stderr;
    assert!(said.contains(MISSING), "{said}");
    assert!(!read(&folder, ".premath/issues.jsonl").contains("parent-child"), "{said}");
}

fn of_class<'a>(answer: &'a Value, class: &str) -> Vec<&'a Value> {
    answer["problems"].as_array().unwrap().iter().filter(|problem| problem["class"] == class).collect()
}

/// A clone that has what git tracks, and nothing else.
fn clone_of(folder: &Folder) -> Folder {
    let clone = Folder::new();
    let from = folder.path().to_str().unwrap();
    let identity = ["-c", "user.name=x", "-c", "user.email=x@localhost", "-c", "commit.gpgsign=false"];
    for (place, arguments) in [
        (folder, &["init", "--quiet"][..]),
        (folder, &["add", "--all"]),
        (folder, &[&identity[..], &["commit", "--quiet", "--message", "all"]].concat()),
        (&clone, &["clone", "--quiet", from, "."]),
    ] {
        let git = std::process::Command::new("git").arg("-C").arg(place.path()).args(arguments).status();
        assert!(git.unwrap().success(), "git {arguments:?}");
    }
    clone
}

#[test]
fn a_permit_whose_turn_is_gone_does_not_verify() {
    let folder = instructed();
    assert_eq!(linked(&folder, &["dep", "add", "bd-1", "bd-3"]).0, 0);
    let program = "(issue-discover \"bd-1\" \"Found\")";
    assert_eq!(linked(&folder, &["scheme-eval", "-e", program]).0, 0);
    assert_eq!(folder.json(&["verify"]).0, 0);
    fs::remove_dir_all(folder.path().join(".premath/doors")).unwrap();
    let (code, answer) = folder.json(&["verify"]);
    let turns: Vec<&Value> = of_class(&answer, "permit.turn_missing");
    assert_eq!((code, turns.len()), (1, 1), "{answer}");
    assert!(turns[0]["detail"].as_str().unwrap().contains("2 permits"), "{answer}");
    // Whoever deletes the ledgers too has made no clone of it: this one knows what it wrote.
    fs::remove_dir_all(folder.path().join(".premath/permits")).unwrap();
    let (code, answer) = folder.json(&["verify"]);
    assert_eq!(code, 1, "{answer}");
    let ledger = format!(".premath/permits/{ID}.jsonl");
    let gone = of_class(&answer, "verify.rolled_back");
    assert!(gone.iter().any(|problem| problem["path"] == ledger.as_str()), "{answer}");
    // A clone has neither ledgers nor journals, and nothing to miss.
    let (code, answer) = clone_of(&folder).json(&["verify"]);
    assert_eq!((code, &answer["state"]), (0, &json!("not_here")), "{answer}");
}
