//! A scripted run that must be refused: its scene, its settings, and the classes that its turns carry.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use crate::folder::Folder;

/// A scripted run and the classes it provokes.
#[derive(Default)]
pub(crate) struct Scenario {
    pub(crate) classes: &'static [&'static str],
    /// The turns of the scripted model.
    pub(crate) turns: Vec<String>,
    /// `premath.toml`.
    pub(crate) settings: &'static str,
    /// The user's own configuration.
    pub(crate) own: &'static str,
    pub(crate) files: Vec<(&'static str, String)>,
    pub(crate) arguments: Vec<&'static str>,
    /// Issues that the run may add: those of its workers.
    pub(crate) workers: usize,
}

impl Scenario {
    pub(crate) fn new(classes: &'static [&'static str], turns: Vec<String>) -> Self {
        Self { classes, turns, ..Self::default() }
    }
}

pub(crate) fn turn(calls: &[String]) -> String {
    format!("[[turn]]\ntext = \"now\"\n{}", calls.concat())
}

pub(crate) fn call(tool: &str, arguments: &str) -> String {
    format!("[[turn.call]]\ntool = \"{tool}\"\narguments = {{ {arguments} }}\n")
}

pub(crate) fn read(path: &str) -> String {
    call("fs_read", &format!("path = \"{path}\""))
}

pub(crate) fn end() -> String {
    "[[turn]]\ntext = \"done\"\n".to_owned()
}

/// One turn with these calls, then the end.
pub(crate) fn calls_then_end(calls: &[String]) -> Vec<String> {
    vec![turn(calls), end()]
}

pub(crate) fn script(turns: &[String]) -> String {
    format!("name = \"scene\"\n{}", turns.concat())
}

/// A repository with two issues and a file.
pub(crate) fn repository() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    for id in ["bd-1", "bd-2"] {
        let added = ["issue", "add", "work", "--id", id, "--description", "Verification: test -e a.txt"];
        assert_eq!(folder.run(&added).code, Some(0));
    }
    folder.write("a.txt", "one\n");
    folder
}

/// The data set that guards are measured with.
pub(crate) fn write_data_set(folder: &Folder) {
    let rows = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/guardrails/dataset.jsonl");
    folder.write("rows.jsonl", hard_rows(&std::fs::read_to_string(rows).unwrap()));
}

/// The rows without some that the guards in force find: without guards of their own, packages miss the gate on what is left.
fn hard_rows(rows: &str) -> String {
    let mut left_out = 0;
    let is_kept = |row: &&str| {
        let is_easy = left_out < 25 && row.contains("\"labels\": [\"secrets\"");
        left_out += usize::from(is_easy);
        !is_easy
    };
    rows.lines().filter(is_kept).map(|row| format!("{row}\n")).collect()
}

/// Guards that find what the data set has in it.
pub(crate) const GUARDRAILS: &str =
    r#"{"pii": {"input": "flag", "output": "redact"}, "hosts": ["*.example.org"]}"#;

/// Runs the scenario, and fails unless its classes come up and nothing is changed.
pub(crate) fn provoke(folder: &Folder, run_id: &str, scenario: &Scenario) {
    folder.write("scene.toml", script(&scenario.turns));
    folder.write("premath.toml", scenario.settings);
    folder.write("own.toml", scenario.own);
    for (name, text) in &scenario.files {
        folder.write(name, text);
    }
    let before = issues(folder);
    let run = ["run", "do it", "--model", "scripted:scene.toml", "--run-id", run_id, "--json"];
    let mut command = folder.command(&[&run[..], &scenario.arguments].concat());
    let output = command.env("PATH", "/usr/bin:/bin").env("PREMATH_CONFIG", "own.toml").output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let answer: Value =
        serde_json::from_str(stdout.lines().last().unwrap_or_default()).unwrap_or(Value::Null);
    let found = classes(folder, run_id, &answer);
    for class in scenario.classes {
        assert!(found.contains(*class), "{class}: {found:?}\n{stdout}{stderr}");
    }
    let after = issues(folder);
    let unchanged: Vec<&Value> = after.iter().filter(|issue| before.contains(issue)).collect();
    assert_eq!(unchanged.len(), before.len(), "{:?}: an issue was changed: {after:?}", scenario.classes);
    assert_eq!(after.len(), before.len() + scenario.workers, "{:?}: {after:?}", scenario.classes);
}

/// What of each issue a refused run must leave alone. A claim, which precedes the first turn, is no change of these.
fn issues(folder: &Folder) -> Vec<Value> {
    let (code, listed) = folder.json(&["issue", "list"]);
    assert_eq!(code, 0, "{listed}");
    let items = listed["items"].as_array().unwrap().iter();
    let kept = |issue: &Value| {
        let shown = folder.json(&["issue", "show", issue["id"].as_str().unwrap()]).1["issue"].clone();
        json!({
            "id": shown["id"], "title": shown["title"], "notes": shown["notes"],
            "dependencies": shown["dependencies"], "closed": shown["status"] == "closed",
        })
    };
    items.map(kept).collect()
}

/// The classes that the answer of a run, and the turns, intents and applications of it and its workers, carry.
pub(crate) fn classes(folder: &Folder, run_id: &str, answer: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    found.extend(answer["refused"]["class"].as_str().map(ToOwned::to_owned));
    add_classes(&answer["failureClasses"], &mut found);
    let runs = std::fs::read_dir(folder.path().join(".premath/runs"));
    let names = runs.into_iter().flatten().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    for run in names.filter(|name| name == run_id || name.starts_with(&format!("{run_id}."))) {
        let card = folder.json(&["runs", "show", &run]).1;
        for turn in card["turns"].as_array().unwrap() {
            let shown = folder.json(&["turn", "show", turn["callId"].as_str().unwrap()]).1;
            for member in ["reasons", "applied"] {
                let rows = shown[member].as_array().into_iter().flatten();
                found.extend(rows.filter_map(|row| row["class"].as_str()).map(ToOwned::to_owned));
            }
            for intent in shown["intents"].as_array().into_iter().flatten() {
                add_classes(&intent["failureClasses"], &mut found);
            }
        }
    }
    found
}

fn add_classes(classes: &Value, found: &mut BTreeSet<String>) {
    found.extend(classes.as_array().into_iter().flatten().filter_map(Value::as_str).map(ToOwned::to_owned));
}
