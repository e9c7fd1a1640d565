//! Issue memory that is not where it usually is: nothing but its store writes it, and every name of it is the same memory.

#![expect(clippy::disallowed_methods, reason = "the tests look at the files the command leaves")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what cannot be done fails the test")]

mod error_document;
mod folder;

use std::fs;

use error_document::answer_in;
use folder::Folder;
use serde_json::{Value, json};

const FORGED: &str = "{\"id\":\"bd-9\",\"title\":\"forged\",\"status\":\"open\"}";

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

/// A repository whose issue memory is elsewhere, with an issue.
fn repository(path: &str) -> Folder {
    let folder = Folder::new();
    folder.write("premath.toml", format!("[issues]\npath = \"{path}\"\n"));
    assert_eq!(folder.run(&["init"]).code, Some(0));
    let (code, answer) = folder.json(&["issue", "add", "First"]);
    assert_eq!((code, &answer["issue"]["id"]), (0, &json!("bd-1")), "{answer}");
    folder
}

/// Runs a command line in the sandbox, in a folder of the repository; issue memory is what it was.
#[track_caller]
fn tried(folder: &Folder, memory: &str, workdir: &str, line: &str) {
    let before = read(folder, memory);
    let ran = folder.run(&["sandbox", "run", "--workdir", workdir, "--", "sh", "-c", line]);
    assert_eq!(ran.code, Some(1), "`{line}`: {ran:?}");
    assert_eq!(read(folder, memory), before, "`{line}` changed it");
}

#[test]
fn a_step_writes_no_issue_memory_wherever_it_is() {
    for memory in ["memo/../memo/issues.jsonl", "issues.jsonl"] {
        let folder = repository(memory);
        let work = format!("printf '%s\\n' '{FORGED}' >> {memory}");
        let (code, answer) = folder.json(&["step", "--work-cmd", &work, "--verify-cmd", "true"]);
        assert!(!read(&folder, memory).contains("forged"), "{memory}: {answer}");
        assert_eq!((code, &answer["failureClasses"]), (1, &json!(["work_failed"])), "{memory}: {answer}");
        assert_eq!(folder.json(&["verify"]).0, 0, "{memory}");
        folder.json(&["issue", "add", "Second"]);
        let fine = folder.json(&["step", "--work-cmd", "echo done > done.txt", "--verify-cmd", "true"]).1;
        assert_eq!(fine["outcome"], "completed", "{memory}: {fine}");
    }
}

#[test]
fn a_command_neither_moves_replaces_nor_removes_it() {
    let folder = repository("a/b/issues.jsonl");
    for line in ["mv a z", "mv a/b a/z", "rm a/b/issues.jsonl", "touch a/b/new", "touch made && rm -r a"] {
        tried(&folder, "a/b/issues.jsonl", ".", line);
    }
    assert!(folder.path().join("made").exists());
    tried(&folder, "a/b/issues.jsonl", "a/b", "echo forged >> issues.jsonl");
    tried(&folder, "a/b/issues.jsonl", "a", "echo forged >> b/issues.jsonl");
    let folder = repository("issues.jsonl");
    for line in ["mv issues.jsonl z", "rm issues.jsonl", "echo forged > issues.jsonl.head"] {
        tried(&folder, "issues.jsonl", ".", line);
    }
}

#[test]
fn a_link_to_it_is_no_way_to_it() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path().join("real")).unwrap();
    std::os::unix::fs::symlink("real", folder.path().join("memo")).unwrap();
    folder.write("premath.toml", "[issues]\npath = \"memo/issues.jsonl\"\n");
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder.run(&["issue", "add", "First"]);
    tried(&folder, "real/issues.jsonl", ".", "echo forged >> real/issues.jsonl");
    tried(&folder, "real/issues.jsonl", ".", "echo forged >> memo/issues.jsonl");
}

#[test]
fn the_tools_of_an_agent_do_not_write_it_either() {
    let folder = repository("memo/issues.jsonl");
    let patch = |path: &str| format!("*** Begin Patch\n*** Add File: {path}\n+forged\n*** End Patch\n");
    let call = |id: &str, path: &str| {
        let patch = patch(path).replace('\n', "\\n");
        format!(
            "[[turn.call]]\nid = \"{id}\"\ntool = \"apply_patch\"\narguments = {{ patch = \"{patch}\" }}\n"
        )
    };
    let calls = [call("forge", "memo/new.txt"), call("work", "other/new.txt")].concat();
    let scene =
        format!("name = \"forges\"\n[[turn]]\ntext = \"I write.\"\n{calls}[[turn]]\ntext = \"Done.\"\n");
    folder.write("scene.toml", scene);
    let ran = folder.run(&["run", "forge it", "--model", "scripted:scene.toml"]);
    assert!(folder.path().join("other/new.txt").exists(), "{}{}", ran.stdout, ran.stderr);
    assert!(!folder.path().join("memo/new.txt").exists(), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_name_with_a_detour_is_the_same_memory_with_the_same_audit_log() {
    let folder = repository("memo/issues.jsonl");
    let (code, answer) = folder.json(&["issue", "add", "Second", "--issues", "memo/../memo/issues.jsonl"]);
    assert_eq!((code, &answer["issue"]["id"]), (0, &json!("bd-2")), "{answer}");
    assert!(!folder.path().join("memo/issues.audit.jsonl").exists());
    let rows: Vec<Value> = read(&folder, ".premath/audit.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(rows.iter().any(|row| row["issueId"] == "bd-2"), "{rows:?}");
}

/// What is there beside these files.
fn strays(folder: &Folder, beginning: &str, known: &[&str]) -> Vec<String> {
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(beginning) && !known.contains(&name.as_str())).collect()
}

#[test]
fn a_link_is_another_name_of_the_same_memory_and_has_no_lock_of_its_own() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder.run(&["issue", "add", "First"]);
    std::os::unix::fs::symlink(".premath/issues.jsonl", folder.path().join("lnk.jsonl")).unwrap();
    std::os::unix::fs::symlink(".premath", folder.path().join("lnk")).unwrap();
    let claim = ["issue", "claim", "bd-1", "--assignee"];
    let (code, answer) = folder.json(&[&claim[..], &["jo", "--issues", "lnk.jsonl"]].concat());
    assert_eq!((code, &answer["issuesPath"]), (0, &json!(".premath/issues.jsonl")), "{answer}");
    let (code, answer) = folder.json(&[&claim[..], &["al", "--issues", "lnk/issues.jsonl"]].concat());
    assert_eq!((code, &answer["refused"]["class"]), (1, &json!("lease_contention_active")), "{answer}");
    assert_eq!(answer["issuesPath"], ".premath/issues.jsonl");
    assert_eq!(strays(&folder, "lnk", &["lnk", "lnk.jsonl"]), [""; 0]);
    // Names without links stay as they were typed.
    let (_, answer) = folder.json(&["issue", "list", "--issues", "./.premath/issues.jsonl"]);
    assert_eq!(answer["issuesPath"], "./.premath/issues.jsonl");
}

#[test]
fn a_configured_link_has_no_lock_of_its_own_either() {
    let folder = repository("real.jsonl");
    std::os::unix::fs::symlink("real.jsonl", folder.path().join("lnk.jsonl")).unwrap();
    folder.write("premath.toml", "[issues]\npath = \"lnk.jsonl\"\n");
    let (code, answer) = folder.json(&["issue", "add", "Second"]);
    assert_eq!((code, &answer["issuesPath"]), (0, &json!("real.jsonl")), "{answer}");
    assert_eq!(strays(&folder, "lnk", &["lnk.jsonl"]), [""; 0]);
}

#[test]
fn a_file_of_several_names_and_a_link_that_leads_nowhere_are_refused() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder.run(&["issue", "add", "First"]);
    fs::hard_link(folder.path().join(".premath/issues.jsonl"), folder.path().join("hard.jsonl")).unwrap();
    std::os::unix::fs::symlink("nowhere.jsonl", folder.path().join("lost.jsonl")).unwrap();
    for name in ["hard.jsonl", "lost.jsonl"] {
        let ran = folder.run(&["issue", "claim", "bd-1", "--assignee", "jo", "--issues", name]);
        assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.contains("input.field_invalid") && ran.stderr.contains("$.issues"), "{ran:?}");
        assert!(ran.stderr.contains("hint"), "{ran:?}");
        assert_eq!(strays(&folder, name, &[name]), [""; 0]);
    }
    assert_eq!(folder.run(&["issue", "claim", "bd-1", "--assignee", "jo"]).code, Some(0));
}
