//! The programs in `examples/scheme`, and the prompt, on the example repository.

#![expect(clippy::unwrap_used, reason = "a command that cannot be started fails the test")]
#![expect(clippy::indexing_slicing, reason = "a member that is not there fails the test")]
#![expect(clippy::disallowed_methods, reason = "examples are read, and a terminal is started")]

mod folder;

use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use folder::Folder;
use serde_json::{Value, json};

const SPLIT: &str = "20261116T090000Z-split";

fn example(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/scheme")
        .join(name)
        .to_str()
        .unwrap()
        .to_owned()
}

/// The example repository.
fn repository() -> Folder {
    let folder = Folder::new();
    let ran = folder.run(&["init", "--example", "."]);
    assert_eq!(ran.code, Some(0), "{} {}", ran.stdout, ran.stderr);
    folder
}

#[test]
fn triage_says_what_to_take_and_changes_nothing() {
    let folder = repository();
    let before = std::fs::read(folder.path().join(".premath/issues.jsonl")).unwrap();
    let (code, answer) = folder.json(&["scheme-eval", "--read-only", "--program", &example("triage.scm")]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(answer["value"], json!({"take": ["bd-2", "bd-4", "bd-6"], "ready": 3, "blocked": 2}));
    assert!(answer["output"].as_str().unwrap().starts_with("P0 bd-2     Greet by name (frees 1)\n"));
    assert_eq!(std::fs::read(folder.path().join(".premath/issues.jsonl")).unwrap(), before);
}

#[test]
fn a_report_is_markdown_and_nothing_else() {
    let folder = repository();
    folder.run(&["observe-build"]);
    let program = example("nightly-report.scm");
    let (code, answer) = folder.json(&["scheme-eval", "--read-only", "--program", &program]);
    assert_eq!((code, &answer["text"]), (0, &json!("")), "{answer}");
    let report = answer["output"].as_str().unwrap();
    assert!(report.starts_with("# Report\n") && report.contains("\n- open: 6\n"), "{report}");
    assert!(report.contains("- bd-5 Announce it in the README: waits for bd-3, bd-4\n"), "{report}");
}

#[test]
fn an_epic_is_split_once_on_the_strength_of_an_instruction() {
    let folder = repository();
    let description = "In two parts:\n- Say goodbye\n- Say goodbye by name\n";
    let (_, added) = folder.json(&[
        "issue",
        "add",
        "Say goodbye properly",
        "--type",
        "epic",
        "--description",
        description,
    ]);
    let epic = added["issue"]["id"].as_str().unwrap();
    let program = example("split-epic.scm");
    let split = ["scheme-eval", "--instruction", SPLIT, "--program", &program];
    let (code, refused) = folder.json(&split);
    assert_eq!((code, &refused["error"]["class"]), (1, &json!("mutation.use_evidence_missing")), "{refused}");

    instruct(&folder);
    let (code, answer) = folder.json(&split);
    assert_eq!(code, 0, "{answer}");
    let made = answer["value"][0].as_array().unwrap();
    assert_eq!((made.len(), made[0].as_str()), (3, Some(epic)), "{answer}");
    let (_, second) = folder.json(&["issue", "show", made[2].as_str().unwrap()]);
    let depends = json!([
        {"dependsOnId": epic, "issueId": made[2], "type": "parent-child"},
        {"dependsOnId": made[1], "issueId": made[2], "type": "blocks"},
    ]);
    let mut found: Vec<Value> = second["issue"]["dependencies"].as_array().unwrap().clone();
    found.sort_by_key(|one| std::cmp::Reverse(one["type"].to_string()));
    assert_eq!(json!(found), depends);

    let (code, again) = folder.json(&split);
    assert_eq!((code, &again["value"]), (0, &json!([])), "{again}");
}

#[test]
fn a_split_that_was_stopped_goes_on_where_it_was() {
    let folder = repository();
    let description = "In three:\n- One\n- Two\n- Three\n";
    let (_, added) =
        folder.json(&["issue", "add", "In parts", "--type", "epic", "--description", description]);
    let epic = added["issue"]["id"].as_str().unwrap();
    // What only waits for the epic is no part of it, whatever it is called.
    folder.json(&["issue", "add", "Two", "--depends-on", epic]);
    instruct(&folder);
    let program = example("split-epic.scm");
    let split = ["scheme-eval", "--instruction", SPLIT, "--program", &program];
    let (code, stopped) = folder.json(&[&split[..], &["--max-calls", "3"]].concat());
    assert_eq!((code, &stopped["error"]["class"]), (1, &json!("host_call_budget_exceeded")), "{stopped}");

    let (code, answer) = folder.json(&split);
    assert_eq!((code, answer["value"][0].as_array().unwrap().len()), (0, 2), "{answer}");
    let (_, listed) = folder.json(&["issue", "list"]);
    let is_part = |issue: &&Value| {
        let all = issue["dependencies"].as_array();
        all.is_some_and(|all| {
            all.iter().any(|one| one["type"] == "parent-child" && one["dependsOnId"] == epic)
        })
    };
    let parts: Vec<&Value> = listed["items"].as_array().unwrap().iter().filter(is_part).collect();
    let mut titles: Vec<&str> = parts.iter().map(|part| part["title"].as_str().unwrap()).collect();
    titles.sort_unstable();
    assert_eq!(titles, ["One", "Three", "Two"]);
    let id_of = |title: &str| parts.iter().find(|part| part["title"] == title).unwrap()["id"].clone();
    let (_, third) = folder.json(&["issue", "show", id_of("Three").as_str().unwrap()]);
    assert!(third["issue"]["dependencies"].to_string().contains(&id_of("Two").to_string()), "{third}");
    let (code, again) = folder.json(&split);
    assert_eq!((code, &again["value"]), (0, &json!([])), "{again}");
}

fn instruct(folder: &Folder) {
    let policy = std::fs::read_to_string(folder.path().join("policies/instruction/default.json")).unwrap();
    let policy: Value = serde_json::from_str(&policy).unwrap();
    let envelope = json!({
        "schema": 1,
        "intent": "split epics",
        "scope": "repository",
        "normalizerId": "normalizer.v1",
        "policyDigest": policy["policyDigest"],
        "requestedChecks": ["store", "graph"],
        "capabilityClaims": ["capabilities.change_morphisms.issue_add"],
    });
    folder.write(&format!("instructions/{SPLIT}.json"), envelope.to_string());
    let (code, answer) = folder.json(&["instruction-run", &format!("instructions/{SPLIT}.json")]);
    assert_eq!(code, 0, "{answer}");
}

/// What a person sees who types these at the prompt, each when what they wait for has come.
fn typed(folder: &Folder, entries: &[(&str, &str)]) -> String {
    let command = format!("{} scheme-eval", env!("CARGO_BIN_EXE_premath"));
    let mut child = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .current_dir(folder.path())
        .env("XDG_STATE_HOME", folder.state())
        .env("TERM", "xterm")
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut seen = String::new();
    let mut from = wait(&mut screen, &mut seen, 0, "premath> ");
    for (entry, answer) in entries {
        keys.write_all(entry.as_bytes()).unwrap();
        let answered = wait(&mut screen, &mut seen, from, answer);
        from = wait(&mut screen, &mut seen, answered, "premath> ");
    }
    keys.write_all(b",quit\r").unwrap();
    assert!(child.wait().unwrap().success(), "{seen}");
    seen
}

/// Reads on until this has come; where it ends.
fn wait(screen: &mut impl Read, seen: &mut String, from: usize, what: &str) -> usize {
    loop {
        if let Some(at) = seen.get(from..).and_then(|rest| rest.find(what)) {
            return from + at + what.len();
        }
        let mut piece = [0; 4096];
        let read = screen.read(&mut piece).unwrap();
        assert!(read > 0, "`{what}` never came: {seen}");
        seen.push_str(&String::from_utf8_lossy(&piece[..read]));
    }
}

#[test]
fn the_prompt_evaluates_whole_expressions_keeps_definitions_and_survives_mistakes() {
    let folder = repository();
    let seen = typed(
        &folder,
        &[
            ("(define (twice x)\r  (* x 2)) (twice 21)\r", "\n42\r"),
            ("(car 5)\r", "type: `car` needs a pair, got `5`"),
            ("(map issue-id (issue-ready))\r", "(\"bd-2\" \"bd-1\" \"bd-4\" \"bd-6\")"),
            ("(twice 4)\r", "\n8\r"),
            (",nothing\r", "`,nothing` is no command here"),
        ],
    );
    assert!(seen.contains("which may read; --instruction lets it change something"), "{seen}");
    let history = std::fs::read_to_string(folder.state().join("premath/scheme.history")).unwrap();
    assert!(history.contains("(twice 4)"), "{history}");
}
