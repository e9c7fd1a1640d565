//! `premath desk`: a person fills, reads and repairs the desk, and every change is on record.

#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]
#![expect(clippy::disallowed_methods, reason = "a test looks at the files that the command leaves")]

mod folder;

use std::path::Path;

use folder::Folder;
use serde_json::{Value, json};

fn repository() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder
}

fn fits(name: &str, document: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas").join(name);
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{document}: {errors:?}");
}

#[test]
fn a_person_fills_reads_and_repairs_the_desk() {
    let folder = repository();
    folder.write("notes.md", "# Notes\nthe budget is short\n");
    folder.write("cells.json", r#"{"A1": {"value": "Rent", "format": "@"}}"#);
    let (code, made) = folder.json(&["desk", "add", "Reports", "--type", "folder"]);
    assert_eq!((code, &made["type"]), (0, &json!("folder")));
    fits("desk-changed.json", &made);
    let (code, notes) =
        folder.json(&["desk", "add", "notes.md", "--file", "notes.md", "--folder", "Reports"]);
    assert_eq!((code, &notes["version"]), (0, &json!(1)));
    let sheet = ["desk", "add", "budget", "--type", "spreadsheet", "--file", "cells.json"];
    assert_eq!(folder.json(&sheet).0, 0);

    let (_, listed) = folder.json(&["desk", "list"]);
    fits("desk-listing.json", &listed);
    assert_eq!((&listed["total"], &listed["items"][0]["origin"]), (&json!(2), &json!("person")));
    let (_, shown) = folder.json(&["desk", "show", "notes.md"]);
    fits("desk-document.json", &shown);
    assert_eq!(shown["content"], json!("# Notes\nthe budget is short\n"));
    let (_, tree) = folder.json(&["desk", "tree"]);
    fits("desk-tree.json", &tree);
    let names: Vec<_> = tree["items"].as_array().unwrap().iter().map(|item| &item["name"]).collect();
    assert_eq!(names, ["Reports", "notes.md", "budget"]);
    let (_, found) = folder.json(&["desk", "search", "budget"]);
    fits("desk-matches.json", &found);
    assert_eq!(found["count"], json!(2));

    assert_eq!(folder.json(&["desk", "restore", "notes.md", "--version", "1"]).0, 0);
    let (_, history) = folder.json(&["desk", "history", "notes.md"]);
    fits("desk-history.json", &history);
    assert_eq!(history["count"], json!(2));
    assert_eq!(history["items"][1]["changedBy"], json!("desk.restore_file"));
    let human = folder.run(&["desk", "history", "notes.md"]);
    assert!(human.stdout.contains("desk.create_markdown"), "{}", human.stdout);
    for command in
        [&["desk", "list"][..], &["desk", "tree"], &["desk", "show", "budget"], &["desk", "search", "rent"]]
    {
        let human = folder.run(command);
        assert_eq!((human.code, human.stderr.as_str()), (Some(0), ""), "{command:?}");
        assert!(human.stdout.contains("budget"), "{command:?}: {}", human.stdout);
    }
    // Every change is on record.
    let (_, audit) = folder.json(&["audit", "query", "--kind", "mutation", "--tool", "desk.create_markdown"]);
    assert_eq!(audit["items"][0]["targets"], json!(["notes.md"]), "{audit}");
    let (_, audit) = folder.json(&["audit", "query", "--kind", "mutation"]);
    let of_desk = audit["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["tool"].as_str().unwrap().starts_with("desk."));
    assert_eq!(of_desk.count(), 4);
    assert_eq!(folder.run(&["audit", "verify"]).code, Some(0));
}

#[test]
fn what_cannot_be_done_is_refused_with_a_way_out() {
    let folder = repository();
    let refused = |arguments: &[&str], class: &str| {
        let (code, answer) = folder.json(arguments);
        assert_eq!((code, &answer["refused"]["class"]), (1, &json!(class)), "{arguments:?}: {answer}");
        assert!(!answer["refused"]["hint"].as_str().unwrap().is_empty());
    };
    // Looking makes no desk.
    assert_eq!(folder.json(&["desk", "list"]).1["total"], json!(0));
    refused(&["desk", "show", "notes.md"], "desk_not_found");
    assert!(!folder.path().join(".premath/desk.db").exists());
    assert_eq!(folder.json(&["desk", "add", "twin"]).0, 0);
    assert_eq!(folder.json(&["desk", "add", "twin"]).0, 0);
    refused(&["desk", "show", "twin"], "desk_invalid");
    refused(&["desk", "add", "x", "--folder", "nowhere"], "desk_not_found");
    folder.write("bad.json", r#"{"a1": {"value": 1}}"#);
    refused(&["desk", "add", "x", "--type", "spreadsheet", "--file", "bad.json"], "desk_invalid");
    let (_, listed) = folder.json(&["desk", "list"]);
    let id = listed["items"][0]["id"].as_str().unwrap();
    refused(&["desk", "restore", id], "desk_not_deleted");
    refused(&["desk", "show", id, "--version", "9"], "desk_not_found");
    refused(&["desk", "list", "--cursor", "fil_none"], "desk_invalid");
    assert_eq!(folder.run(&["desk", "add", "x", "--type", "drawing"]).code, Some(2));
    folder.write("latin.md", [0xE9, 0x0A]);
    assert_eq!(folder.run(&["desk", "add", "x", "--file", "latin.md"]).code, Some(2));
}

#[test]
fn the_configuration_decides_who_may_change_the_desk() {
    let folder = repository();
    assert_eq!(folder.json(&["desk", "add", "notes.md"]).0, 0);
    folder.write("premath.toml", "[mutation]\ncli = \"instruction-linked\"\n");
    for arguments in [&["desk", "add", "more.md"][..], &["desk", "restore", "notes.md", "--version", "1"]] {
        let (code, answer) = folder.json(arguments);
        assert_eq!(
            (code, &answer["refused"]["class"]),
            (1, &json!("mutation.use_evidence_missing")),
            "{answer}"
        );
    }
    folder.write("premath.toml", "[mutation]\ncli = \"human-override\"\n");
    assert_eq!(folder.json(&["desk", "add", "more.md"]).0, 1);
    assert_eq!(folder.json(&["desk", "add", "more.md", "--override-reason", "it is needed"]).0, 0);
    let (_, audit) = folder.json(&["audit", "query", "--tool", "desk.create_markdown", "--limit", "1"]);
    assert_eq!(audit["items"][0]["reason"], json!("it is needed"));
    assert_eq!(folder.json(&["desk", "list"]).1["total"], json!(2));
}

#[test]
fn a_damaged_or_newer_desk_is_the_environments_and_nothing_is_made_of_it() {
    let folder = repository();
    assert_eq!(folder.json(&["desk", "add", "notes.md"]).0, 0);
    folder.write(".premath/desk.db", b"this was a database");
    for arguments in [&["desk", "list"][..], &["desk", "add", "more.md"]] {
        let ran = folder.run(arguments);
        assert_eq!(ran.code, Some(4), "{ran:?}");
        assert!(ran.stderr.contains("desk.db` is damaged"), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint: put a backup"), "{}", ran.stderr);
    }
    assert_eq!(std::fs::read(folder.path().join(".premath/desk.db")).unwrap(), b"this was a database");
    let nowhere = Folder::new();
    let ran = nowhere.run(&["desk", "add", "notes.md"]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.stderr.contains("premath init"), "{}", ran.stderr);
}

#[test]
fn a_file_that_was_changed_behind_the_desk_is_found_by_verify() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder.write("text", "what a person wrote\n");
    assert_eq!(folder.run(&["desk", "add", "notes.md", "--file", "text"]).code, Some(0));
    let (code, sound) = folder.json(&["verify"]);
    assert_eq!((code, &sound["ok"]), (0, &json!(true)), "{sound}");
    let path = folder.path().join(".premath/desk.db");
    let mut bytes = std::fs::read(&path).unwrap();
    let written = b"what a person wrote";
    let places: Vec<usize> = bytes
        .windows(written.len())
        .enumerate()
        .filter(|(_, window)| window == written)
        .map(|(at, _)| at)
        .collect();
    assert!(!places.is_empty(), "the text is in the database");
    for at in places {
        bytes[at..at + 4].copy_from_slice(b"that");
    }
    std::fs::write(&path, bytes).unwrap();
    let (code, found) = folder.json(&["verify"]);
    assert_eq!((code, &found["problems"][0]["class"]), (1, &json!("verify.desk_damaged")), "{found}");
}
