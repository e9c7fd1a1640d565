//! `init`, import and export, the configuration, and who may change what under it.

#![expect(clippy::unwrap_used, reason = "a command that cannot be started fails the test")]
#![expect(
    clippy::disallowed_methods,
    reason = "what is on the disk is compared, and the example's checks are run"
)]

mod error_document;
mod folder;

use std::fs;
use std::process::Command;

use error_document::answer_in;
use folder::Folder;
use serde_json::{Value, json};

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

/// Every file below a folder with what is in it.
fn content(folder: &Folder) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut open = vec![folder.path().to_path_buf()];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            files.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}

#[test]
fn an_empty_folder_is_made_ready_and_the_first_issue_is_ready() {
    let folder = Folder::new();
    let (code, answer) = folder.json(&["init"]);
    assert_eq!((code, &answer["action"], &answer["changed"]), (0, &json!("workspace.init"), &json!(true)));
    let made: Vec<&str> =
        answer["steps"].as_array().unwrap().iter().map(|step| step["path"].as_str().unwrap()).collect();
    let expected = [
        ".premath",
        ".premath/.gitignore",
        "premath.toml",
        "policies",
        "policies/control",
        "policies/control/harness-retry-policy-v1.json",
        "policies/instruction",
        "policies/instruction/default.json",
        ".premath/issues.jsonl",
    ];
    assert_eq!(made, expected);
    for line in ["*.lock", "*.head", "*.index", "*.tmp", "/objects/", "/runs/", "/backup/"] {
        assert!(read(&folder, ".premath/.gitignore").lines().any(|one| one == line), "{line}");
    }
    assert_eq!(folder.json(&["issue", "add", "T"]).0, 0);
    assert_eq!(folder.json(&["issue", "ready"]).1["items"][0]["id"], "bd-1");
}

#[test]
fn a_second_init_changes_nothing_and_says_so() {
    let folder = Folder::new();
    folder.run(&["init"]);
    folder.run(&["issue", "add", "T"]);
    folder.write("premath.toml", "# mine\n");
    let before = content(&folder);
    let (code, answer) = folder.json(&["init"]);
    assert_eq!((code, &answer["changed"]), (0, &json!(false)));
    assert!(answer["steps"].as_array().unwrap().iter().all(|step| step["made"] == false), "{answer}");
    assert!(folder.run(&["init"]).stdout.ends_with("nothing to do: everything is there\n"));
    assert_eq!(content(&folder), before);
}

/// A file as beads writes it.
const BEADS: &str = concat!(
    r#"{"id":"web-1","content_hash":"9f2c","title":"Login page","description":"Show a form","design":"","status":"in_progress","priority":1,"issue_type":"feature","assignee":"ana","estimated_minutes":90,"created_at":"2025-10-14T12:34:56.789012345-07:00","created_by":"ana","updated_at":"2025-10-15T08:00:00+02:00","external_ref":"gh-42","labels":["auth","ui"],"dependencies":[{"issue_id":"web-1","depends_on_id":"web-2","type":"blocks","created_at":"2025-10-14T12:40:00-07:00","created_by":"ana"}],"comments":[{"id":1,"issue_id":"web-1","author":"bo","text":"soon?\nplease","created_at":"2025-10-14T13:00:00Z"}]}"#,
    "\n",
    r#"{"id":"web-2","title":"Sessions","status":"open","priority":0,"issue_type":"epic","created_at":"2025-10-13T00:00:00Z","updated_at":"2025-10-13T00:00:00Z","compaction_level":0,"original_size":1.25,"metadata":{"nested":{"deep":[null,true,{"x":1}]},"unicode":"žluťoučký \u0001 🐎"}}"#,
    "\n",
    r#"{"id":"web-3","title":"Gone","status":"tombstone","priority":2,"issue_type":"bug","created_at":"2025-10-12T00:00:00Z","updated_at":"2025-10-13T00:00:00Z","deleted_at":"2025-10-13T00:00:00Z","deleted_by":"ana","delete_reason":"duplicate"}"#,
    "\n",
);

/// The rows of an export without what we put on them ourselves.
fn exported(folder: &Folder) -> Vec<Value> {
    let text = folder.run(&["issue", "export"]).stdout;
    text.lines()
        .map(|line| {
            let mut row: Value = serde_json::from_str(line).unwrap();
            let object = row.as_object_mut().unwrap();
            object.remove("rev");
            object.remove("write_witness");
            row
        })
        .collect()
}

fn beads_rows() -> Vec<Value> {
    BEADS.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn issues_of_beads_are_taken_over_by_init_once() {
    let folder = Folder::new();
    folder.write(".beads/issues.jsonl", BEADS);
    let (code, answer) = folder.json(&["init"]);
    assert_eq!(code, 0, "{answer}");
    let imported = &answer["imported"][0];
    assert_eq!(
        (&imported["source"], &imported["read"], &imported["written"]),
        (&json!(".beads/issues.jsonl"), &json!(3), &json!(3))
    );
    assert_eq!(exported(&folder), beads_rows());
    let (_, ready) = folder.json(&["issue", "ready"]);
    assert_eq!(ready["items"][0]["id"], "web-2");
    assert_eq!(ready["count"], 1);
    // What was done since is not undone by another init.
    folder.run(&["issue", "update", "web-2", "--title", "Better"]);
    assert_eq!(folder.json(&["init"]).1["changed"], false);
    assert_eq!(folder.json(&["issue", "show", "web-2"]).1["issue"]["title"], "Better");
}

#[test]
fn an_import_and_an_export_keep_every_member_of_other_tools() {
    let folder = Folder::new();
    folder.run(&["init"]);
    folder.write("theirs.jsonl", BEADS);
    let (code, first) = folder.json(&["issue", "import", "theirs.jsonl"]);
    assert_eq!(
        (code, &first["read"], &first["written"], &first["unchanged"]),
        (0, &json!(3), &json!(3), &json!(0))
    );
    assert_eq!(exported(&folder), beads_rows());
    let (_, again) = folder.json(&["issue", "import", "theirs.jsonl"]);
    assert_eq!((&again["written"], &again["unchanged"]), (&json!(0), &json!(3)));
    // A change touches what it names, and nothing else.
    folder.run(&["issue", "update", "web-1", "--priority", "3"]);
    let mut expected = beads_rows().remove(0);
    let after = exported(&folder).remove(0);
    expected["priority"] = json!(3);
    expected["updated_at"] = after["updated_at"].clone();
    assert_eq!(after, expected);
    // Out and in again: equal content, equal ref.
    assert_eq!(folder.json(&["issue", "export", "--output", "ours.jsonl"]).1["output"], "ours.jsonl");
    let other = Folder::new();
    other.run(&["init"]);
    other.write("ours.jsonl", read(&folder, "ours.jsonl"));
    other.run(&["issue", "import", "ours.jsonl"]);
    let snapshot = |folder: &Folder| folder.json(&["issue", "backend-status"]).1["snapshotRef"].clone();
    assert_eq!(snapshot(&other), snapshot(&folder));
}

#[test]
fn an_import_names_the_lines_it_left_out_and_takes_the_rest() {
    let folder = Folder::new();
    folder.run(&["init"]);
    let mut command = folder.command(&["issue", "import", "-", "--json"]);
    let output = command
        .write_stdin("\u{feff}{\"id\":\"a\"}\r\nnonsense\n{\"no\":\"id\"}\n\n{\"id\":\"b\"}")
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["read"], &answer["written"]), (&json!(2), &json!(2)));
    let lines: Vec<u64> =
        answer["problems"].as_array().unwrap().iter().map(|one| one["line"].as_u64().unwrap()).collect();
    assert_eq!(lines, [1, 2, 3]);
    let missing = folder.run(&["issue", "import", "no.jsonl"]);
    assert_eq!((missing.code, answer_in(missing.code, &missing.stdout)), (Some(4), ""));
    assert!(missing.stderr.contains("no.jsonl"), "{}", missing.stderr);
    let fresh = Folder::new();
    assert_eq!(fresh.run(&["init", "--import", "no.jsonl"]).code, Some(4));
    assert_eq!(content(&fresh), [], "a failed init left something behind");
}

#[test]
fn an_export_does_not_overwrite_what_it_exports() {
    let folder = Folder::new();
    folder.run(&["init"]);
    folder.run(&["issue", "add", "T"]);
    let before = read(&folder, ".premath/issues.jsonl");
    for name in [".premath/issues.jsonl", "./.premath/../.premath/issues.jsonl"] {
        let ran = folder.run(&["issue", "export", "--output", name]);
        assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(2), ""), "{name}");
        assert!(ran.stderr.contains(" at $.output\n"), "{}", ran.stderr);
    }
    assert_eq!(read(&folder, ".premath/issues.jsonl"), before);
    assert_eq!(folder.run(&["issue", "export", "--output", "no/such/folder.jsonl"]).code, Some(4));
}

#[test]
fn an_init_imports_the_file_that_is_named() {
    let folder = Folder::new();
    folder.write("theirs.jsonl", BEADS);
    let (code, answer) = folder.json(&["init", "--import", "theirs.jsonl"]);
    assert_eq!((code, &answer["imported"][0]["written"]), (0, &json!(3)));
    let (_, again) = folder.json(&["init", "--import", "theirs.jsonl"]);
    assert_eq!((&again["changed"], &again["imported"][0]["unchanged"]), (&json!(false), &json!(3)));
}

#[test]
fn the_example_is_a_repository_in_which_everything_is_in_order_but_one_check() {
    let folder = Folder::new();
    let path = std::env::var("PATH").unwrap_or_default();
    let made = folder.command(&["init", "--example", "try", "--json"]).env("PATH", &path).output().unwrap();
    assert_eq!((made.status.code(), made.stderr.as_slice()), (Some(0), b"".as_slice()), "{made:?}");
    let example = Folder::new();
    let at = |arguments: &[&str]| {
        let mut command = example.command(arguments);
        let output = command.current_dir(folder.path().join("try")).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(at(&["issue", "check"]).0, Some(0), "{}", at(&["issue", "check"]).1);
    assert_eq!(at(&["dep", "diagnostics"]).0, Some(0));
    let ready: Value = serde_json::from_str(&at(&["issue", "ready", "--json"]).1).unwrap();
    let ids: Vec<&str> =
        ready["items"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["bd-2", "bd-1", "bd-4", "bd-6"]);
    let check = |name: &str| {
        let status = Command::new("sh")
            .arg(format!("checks/{name}.sh"))
            .current_dir(folder.path().join("try"))
            .output();
        status.unwrap().status.success()
    };
    assert!(check("usage") && !check("greeting"));
    let git = |arguments: &[&str]| {
        let output =
            Command::new("git").args(arguments).current_dir(folder.path().join("try")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(git(&["status", "--porcelain"]), "", "something is left uncommitted");
    assert!(git(&["ls-files"]).lines().any(|file| file == ".premath/issues.jsonl"));
    let again = folder.json(&["init", "--example", "try"]);
    assert_eq!((again.0, &again.1["refused"]["class"]), (1, &json!("example_folder_occupied")));
}

#[test]
fn every_value_of_the_configuration_says_where_it_comes_from() {
    let folder = Folder::new();
    let (code, defaults) = folder.json(&["config", "show"]);
    assert_eq!((code, &defaults["count"]), (0, &json!(63)));
    assert!(defaults["items"].as_array().unwrap().iter().all(|row| row["layer"] == "default"), "{defaults}");
    folder.write("premath.toml", "[issues]\nprefix = \"web\"\n");
    let (_, shown) = folder.json(&["config", "show", "--issues", "x.jsonl"]);
    let of_a_run = |row: &&Value| {
        let key = row["key"].as_str().unwrap();
        ["guardrails.", "loop.", "policy.", "telemetry.", "tools."]
            .iter()
            .any(|section| key.starts_with(section))
    };
    let others: Vec<&Value> =
        shown["items"].as_array().unwrap().iter().filter(|row| !of_a_run(row)).collect();
    assert_eq!(
        json!(others),
        json!([
            { "key": "guard.agent_sandbox", "value": "none", "layer": "default" },
            { "key": "issues.ids", "value": "sequential", "layer": "default" },
            { "key": "issues.outside", "value": "", "layer": "default" },
            { "key": "issues.path", "value": "x.jsonl", "layer": "flag", "place": "--issues" },
            { "key": "issues.prefix", "value": "web", "layer": "file", "place": "premath.toml:2" },
            { "key": "models.chain", "value": "", "layer": "default" },
            { "key": "mutation.cli", "value": "operator", "layer": "default" },
            { "key": "mutation.closing", "value": "verified", "layer": "default" },
            { "key": "mutation.verify", "value": "none", "layer": "default" },
            { "key": "mutation.verify_tools", "value": "none", "layer": "default" },
            { "key": "retention.max_size", "value": "none", "layer": "default" },
            { "key": "retention.min_age", "value": "1d", "layer": "default" },
            { "key": "session.baseline", "value": "not set", "layer": "default" },
            {
                "key": "work.land",
                "value": "branch where there is a git repository, else off",
                "layer": "default"
            },
            { "key": "work.remote", "value": "origin", "layer": "default" },
            { "key": "work.target", "value": "the branch that is checked out", "layer": "default" },
        ])
    );
    assert!(folder.run(&["config", "show"]).stdout.contains("premath.toml:2"));
}

#[test]
fn the_configuration_counts() {
    let folder = Folder::new();
    folder.write("premath.toml", "[issues]\nprefix = \"web\"\npath = \"work/memory.jsonl\"\n");
    folder.run(&["init"]);
    let (_, added) = folder.json(&["issue", "add", "T"]);
    assert_eq!((&added["issue"]["id"], &added["issuesPath"]), (&json!("web-1"), &json!("work/memory.jsonl")));
    assert!(folder.path().join("work/memory.jsonl").exists());
}

#[test]
fn unknown_keys_are_warned_about_and_wrong_values_refused() {
    let folder = Folder::new();
    folder.run(&["init"]);
    folder.write("premath.toml", "[issues]\nprefixx = \"web\"\n");
    let ran = folder.run(&["issue", "list", "--json"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (Some(0), "warning: premath.toml:2: `issues.prefixx` is unknown and has no effect\n")
    );
    folder.write("premath.toml", "[mutation]\ncli = \"root\"\n");
    let ran = folder.run(&["issue", "list", "--json"]);
    assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(2), ""));
    assert!(ran.stderr.starts_with("error: input.field_invalid: `root` is none of "), "{}", ran.stderr);
    assert!(ran.stderr.contains("(premath.toml, line 2) at $.mutation.cli\nhint: "), "{}", ran.stderr);
}

#[test]
fn who_may_change_issue_memory_is_configured() {
    let folder = Folder::new();
    folder.run(&["init"]);
    let refused = |arguments: &[&str]| {
        let (code, answer) = folder.json(arguments);
        assert_eq!(
            (code, &answer["refused"]["class"]),
            (1, &json!("mutation.use_evidence_missing")),
            "{arguments:?}"
        );
    };
    folder.write("premath.toml", "[mutation]\ncli = \"instruction-linked\"\n");
    refused(&["issue", "add", "T"]);
    refused(&["issue", "add", "T", "--override-reason", "please"]);
    assert_eq!(folder.json(&["issue", "list"]).0, 0);
    folder.write("premath.toml", "[mutation]\ncli = \"human-override\"\n");
    refused(&["issue", "add", "T"]);
    refused(&["issue", "claim-next", "--assignee", "jo"]);
    let (code, added) = folder.json(&["issue", "add", "T", "--override-reason", "the worker is down"]);
    assert_eq!((code, &added["issue"]["writeWitness"]["overrideReason"]), (0, &json!("the worker is down")));
}

#[test]
fn a_step_of_premath_is_not_a_person() {
    let folder = Folder::new();
    let attempt = |arguments: &[&str]| {
        let output = folder.command(arguments).env("PREMATH_STEP_TOKEN", "step-1").output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, said) = attempt(&["init"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(!folder.path().join(".premath").exists());
    folder.run(&["init"]);
    folder.run(&["issue", "add", "T"]);
    for arguments in [
        ["issue", "add", "T"].as_slice(),
        &["issue", "update", "bd-1", "--title", "X"],
        &["issue", "claim-next", "--assignee", "jo"],
        &["issue", "compact"],
        &["dep", "add", "bd-1", "bd-1"],
    ] {
        let (code, said) = attempt(arguments);
        assert_eq!(code, Some(1), "{arguments:?}: {said}");
        assert!(said.contains("mutation.use_evidence_missing"), "{arguments:?}: {said}");
    }
    assert_eq!(attempt(&["issue", "list"]).0, Some(0));
}
