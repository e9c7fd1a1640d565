//! Who may change what from a terminal: the repository that owns the file decides, a step is nobody, and an override
//! leaves its reason.

#![expect(clippy::disallowed_methods, reason = "a test looks at the files that the command leaves")]
#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

mod folder;

use folder::Folder;
use serde_json::{Value, json};
use tempfile::TempDir;

const INSTRUCTION_LINKED: &str = "[mutation]\ncli = \"instruction-linked\"\n";
const HUMAN_OVERRIDE: &str = "[mutation]\ncli = \"human-override\"\n";

/// A repository with one issue, and then this configuration.
fn repository(configuration: &str) -> Folder {
    let folder = Folder::new();
    for arguments in [["init"].as_slice(), &["issue", "add", "One"]] {
        let ran = folder.run(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    }
    folder.write("premath.toml", configuration);
    folder
}

/// The issue memory of a repository, for whoever stands elsewhere.
fn issues(folder: &Folder) -> String {
    folder.path().join(".premath/issues.jsonl").to_str().unwrap().to_owned()
}

/// Runs a command with a variable.
fn json_with(folder: &Folder, arguments: &[&str], variable: (&str, &str)) -> (i32, Value) {
    let mut command = folder.command(&[arguments, &["--json"]].concat());
    let output = command.env(variable.0, variable.1).output().unwrap();
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap())
}

#[track_caller]
fn assert_shut((code, answer): &(i32, Value)) {
    let class = answer.pointer("/refused/class");
    assert_eq!((*code, class), (1, Some(&json!("mutation.use_evidence_missing"))), "{answer}");
}

/// What somebody edited is not compacted, whoever asks.
#[track_caller]
fn assert_untrusted(folder: &Folder) {
    let ran = folder.run(&["issue", "compact"]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.stderr.starts_with("error: log_untrusted: "), "{ran:?}");
}

/// The same in a repository whose person allows issue memory in that file, although it is outside.
fn json_allowing(folder: &Folder, allowed: &str, arguments: &[&str]) -> (i32, Value) {
    let own = TempDir::new().unwrap();
    let config = own.path().join("config.toml");
    std::fs::write(&config, format!("[issues]\noutside = ['{allowed}']\n")).unwrap();
    json_with(folder, arguments, ("PREMATH_CONFIG", config.to_str().unwrap()))
}

#[test]
fn the_repository_that_owns_issue_memory_decides_wherever_the_person_stands() {
    let (locked, free, nowhere) = (repository(INSTRUCTION_LINKED), repository(""), Folder::new());
    let path = issues(&locked);
    let before = std::fs::read(&path).unwrap();
    for place in [&free, &nowhere] {
        assert_shut(&json_allowing(place, &path, &["issue", "add", "Two", "--issues", &path]));
        assert_shut(&json_allowing(place, &path, &["dep", "remove", "bd-1", "bd-1", "--issues", &path]));
    }
    let (code, listed) = json_allowing(&free, &path, &["issue", "list", "--issues", &path]);
    assert_eq!((code, listed["items"].as_array().unwrap().len()), (0, 1), "reading is free");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let path = issues(&free);
    assert_shut(&json_allowing(&locked, &path, &["issue", "add", "Two", "--issues", &path]));
    // The same person, who has the key of the repository.
    let state = free.state();
    let person = ("XDG_STATE_HOME", state.to_str().unwrap());
    assert_eq!(json_with(&nowhere, &["issue", "add", "Two", "--issues", &path], person).0, 0);
}

#[test]
fn a_configured_path_into_another_repository_is_not_a_way_around_it() {
    let locked = repository(INSTRUCTION_LINKED);
    let free = Folder::new();
    free.write("premath.toml", format!("[issues]\npath = '{}'\n", issues(&locked)));
    assert_shut(&json_allowing(&free, &issues(&locked), &["issue", "add", "Two"]));
}

#[cfg(unix)]
#[test]
fn a_link_to_issue_memory_is_not_a_way_around_it() {
    let (locked, free) = (repository(INSTRUCTION_LINKED), repository(""));
    std::os::unix::fs::symlink(issues(&locked), free.path().join("link.jsonl")).unwrap();
    let linked = ["issue", "add", "Two", "--issues", "link.jsonl"];
    assert_shut(&json_allowing(&free, &issues(&locked), &linked));
}

#[test]
fn a_step_writes_no_lane() {
    let folder = repository("");
    let commands: [&[&str]; 4] = [
        &["harness-session", "write", "--summary", "x"],
        &["harness-feature", "write", "--feature-id", "f1", "--status", "pending"],
        &["harness-trajectory", "append", "--step-id", "s", "--action", "a", "--result-class", "ok"],
        &["harness-kpi", "remediate", "--note", "x"],
    ];
    for arguments in commands {
        assert_shut(&json_with(&folder, arguments, ("PREMATH_STEP_TOKEN", "")));
    }
    let lanes = std::fs::read_dir(folder.path().join(".premath")).unwrap();
    let names: Vec<_> = lanes.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|name| !name.starts_with("harness")), "{names:?}");
    folder.write("premath.toml", INSTRUCTION_LINKED);
    for arguments in commands {
        assert_eq!(folder.json(arguments).0, 0, "{arguments:?}");
    }
}

#[test]
fn without_an_instruction_nothing_is_compacted_or_mended() {
    let folder = repository(INSTRUCTION_LINKED);
    let changed = std::fs::read_to_string(issues(&folder)).unwrap().replace("One", "Won");
    folder.write(".premath/issues.jsonl", &changed);
    assert_shut(&folder.json(&["issue", "compact"]));
    assert_shut(&folder.json(&["doctor", "--fix"]));
    assert_eq!(std::fs::read_to_string(issues(&folder)).unwrap(), changed);
    folder.write("premath.toml", HUMAN_OVERRIDE);
    assert_untrusted(&folder);
    assert_eq!(std::fs::read_to_string(issues(&folder)).unwrap(), changed);
    assert_eq!(folder.json(&["doctor", "--fix"]).0, 0);
    assert_eq!(folder.json(&["issue", "compact"]).0, 0);
}

#[test]
fn an_import_that_overrides_says_who_and_why() {
    let folder = repository(HUMAN_OVERRIDE);
    folder.write("rows.jsonl", "{\"id\":\"x-1\",\"title\":\"From elsewhere\"}\n");
    assert_shut(&folder.json(&["issue", "import", "rows.jsonl"]));
    let import = ["issue", "import", "rows.jsonl", "--override-reason", "the move"];
    let (code, imported) = json_with(&folder, &import, ("USER", "jo"));
    assert_eq!((code, &imported["written"]), (0, &json!(1)));
    let rows = std::fs::read_to_string(issues(&folder)).unwrap();
    let row: Value = serde_json::from_str(rows.lines().last().unwrap()).unwrap();
    let witness = &row["write_witness"];
    assert_eq!(
        (&witness["authority"], &witness["actor"], &witness["override_reason"]),
        (&json!("maintenance"), &json!("jo"), &json!("the move"))
    );
    let at = witness["at"].as_str().unwrap();
    assert!(at.len() <= "2026-11-15T07:12:52.123Z".len(), "{at}");
}
