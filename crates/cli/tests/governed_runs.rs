//! Runs that ask people, through the command: what nobody agreed to does not happen, and what somebody agreed to happens once.

#![expect(clippy::disallowed_methods, reason = "a test deletes what a finding is about")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what cannot be done, or is not in an answer, fails the test"
)]

mod folder;

use folder::{Folder, Ran};
use serde_json::Value;

/// The command with a place for the person's credential, outside the repository.
trait Attended {
    fn ask(&self, arguments: &[&str]) -> Ran;
}

impl Attended for Folder {
    fn ask(&self, arguments: &[&str]) -> Ran {
        let state = self.path().with_extension("state");
        let output = self.command(arguments).env("XDG_STATE_HOME", state).output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap()
}

/// A desk with one file of a person, a model that deletes it, and the file's id.
fn desk(more: &str) -> (Folder, String) {
    let folder = Folder::new();
    let made = folder.run(&["init"]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    folder.write("notes.txt", "hello\n");
    assert_eq!(folder.ask(&["desk", "add", "notes.md", "--file", "notes.txt"]).code, Some(0));
    let listed = json(&folder.ask(&["desk", "list", "--json"]));
    let id = listed["items"][0]["id"].as_str().unwrap().to_owned();
    let scene = format!(
        "name = \"deletes\"\n[[turn]]\ntext = \"I delete it.\"\n[[turn.call]]\ntool = \"desk_delete_file\"\n\
         arguments = {{ id = \"{id}\"{more} }}\n[[turn]]\ntext = \"Done.\"\n"
    );
    folder.write("scene.toml", &scene);
    (folder, id)
}

const RUN: [&str; 7] = ["run", "delete it", "--desk", "--model", "scripted:scene.toml", "--run-id", "del"];

fn deleted(folder: &Folder) -> usize {
    json(&folder.ask(&["desk", "list", "--deleted", "--json"]))["items"].as_array().unwrap().len()
}

fn pending(folder: &Folder) -> String {
    let page = json(&folder.ask(&["approvals", "list", "--state", "pending", "--json"]));
    page["items"][0]["id"].as_str().unwrap().to_owned()
}

/// Seed: 003 §5/4, 003 §4/2
#[test]
fn a_delete_waits_for_a_person_happens_once_and_can_be_taken_back() {
    let (folder, _) = desk("");
    assert_eq!(folder.ask(&RUN).code, Some(3));
    assert_eq!(deleted(&folder), 0, "nobody has agreed");
    let id = pending(&folder);
    assert_eq!(folder.ask(&["approvals", "approve", &id]).code, Some(0));
    assert_eq!(folder.ask(&["approvals", "approve", &id]).code, Some(1), "it is decided once");
    assert_eq!(deleted(&folder), 0, "a yes is used by the run that asked");
    assert_eq!(folder.ask(&["resume", "del"]).code, Some(0));
    assert_eq!(deleted(&folder), 1);
    assert_eq!(folder.ask(&["desk", "restore", "notes.md"]).code, Some(0));
    assert_eq!(deleted(&folder), 0);
    for command in [&["replay", "del"][..], &["verify"], &["audit", "verify"]] {
        assert_eq!(folder.json(command).0, 0, "{command:?}");
    }
}

#[test]
fn an_approval_whose_run_is_gone_is_named() {
    let (folder, _) = desk("");
    assert_eq!(folder.ask(&RUN).code, Some(3));
    assert_eq!(folder.ask(&["approvals", "approve", &pending(&folder)]).code, Some(0));
    assert_eq!(folder.ask(&["resume", "del"]).code, Some(0));
    std::fs::remove_dir_all(folder.path().join(".premath/runs")).unwrap();
    let (code, answer) = folder.json(&["verify"]);
    assert_eq!((code, answer["state"].as_str()), (1, Some("damaged")), "{answer}");
    let cites = |one: &Value| one["path"] == ".premath/desk.db" && one["missing"] == "run://del";
    assert!(answer["problems"].as_array().unwrap().iter().any(cites), "{answer}");
}

#[test]
fn a_no_deletes_nothing() {
    let (folder, _) = desk("");
    folder.ask(&RUN);
    assert_eq!(folder.ask(&["approvals", "deny", &pending(&folder)]).code, Some(0));
    assert_eq!(folder.ask(&["resume", "del"]).code, Some(0));
    assert_eq!(deleted(&folder), 0);
}

#[test]
fn a_model_that_confirms_its_own_delete_is_blocked() {
    let (folder, _) = desk(", confirmed = true");
    let ran = folder.ask(&[&RUN[..], &["--json"]].concat());
    assert!(ran.stdout.contains("tool.schema_invalid"), "{}", ran.stdout);
    assert_eq!(deleted(&folder), 0);
    assert!(json(&folder.ask(&["approvals", "list", "--json"]))["items"].as_array().unwrap().is_empty());
}
