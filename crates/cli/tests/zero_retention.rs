//! Runs that keep nothing: what is below `.premath` afterwards, what still works, and what is answered instead.

#![expect(clippy::disallowed_methods, reason = "the tests look at the files the command leaves")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod folder;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use folder::Folder;
use serde_json::Value;

/// Stands in the task, in what the model says, in arguments, in files and in results.
const CANARIES: [&str; 6] =
    ["canarytask", "canarysaid", "canaryargument", "canaryfile", "canaryresult", "canaryanswer"];

const SCENE: &str = r#"
name = "secretive"
[[turn]]
text = "I look: canarysaid."
[[turn.call]]
id = "read"
tool = "fs_read"
arguments = { path = "canaryargument.txt" }
[[turn.call]]
id = "missing"
tool = "fs_read"
arguments = { path = "canaryargument-none.txt" }
[[turn.call]]
id = "run"
tool = "shell"
arguments = { command = "echo canaryargument; printf 'canary%s' result", workdir = "." }
[[turn]]
text = "I write: canarysaid."
[[turn.call]]
id = "patch"
tool = "canaryargument_tool"
arguments = { text = "canaryargument" }
[[turn]]
text = "Done: canaryanswer."
"#;

fn repository() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder.write("premath.toml", "[policy]\nobservability = \"disabled\"\n");
    folder.write("scene.toml", SCENE);
    folder.write("canaryargument.txt", "canaryfile ".repeat(20_000));
    folder
}

fn found(path: &Path, hits: &mut Vec<String>) {
    for entry in std::fs::read_dir(path).unwrap() {
        let entry = entry.unwrap();
        let name = entry.path().display().to_string();
        if entry.file_type().unwrap().is_dir() {
            found(&entry.path(), hits);
            continue;
        }
        let bytes = std::fs::read(entry.path()).unwrap();
        for canary in CANARIES {
            if bytes.windows(canary.len()).any(|window| window == canary.as_bytes()) {
                hits.push(format!("{canary} in {name}"));
            }
        }
    }
}

fn hits(folder: &Folder) -> Vec<String> {
    let mut hits = Vec::new();
    found(&folder.path().join(".premath"), &mut hits);
    hits
}

fn run(folder: &Folder, more: &[&str]) -> folder::Ran {
    let run = ["run", "do canarytask", "--model", "scripted:scene.toml", "--run-id", "one"];
    folder.run(&[&run, more].concat())
}

/// What the session says is next.
fn next_step(folder: &Folder) -> String {
    let text = std::fs::read(folder.path().join(".premath/harness_session.json")).unwrap();
    let session: Value = serde_json::from_slice(&text).unwrap();
    session.get("nextStep").and_then(Value::as_str).unwrap().to_owned()
}

/// Seed: 001 §3/20, 001 §8/16
#[test]
fn a_run_that_keeps_nothing_leaves_no_word_of_it_anywhere() {
    let folder = repository();
    let ran = run(&folder, &[]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("canaryanswer"));
    assert_eq!(hits(&folder), Vec::<String>::new());
    assert!(!folder.path().join(".premath/runs/one/private").exists());
    let verified = folder.run(&["verify"]);
    assert_eq!(verified.code, Some(0), "{}{}", verified.stdout, verified.stderr);
}

#[test]
fn what_is_kept_can_be_looked_at_and_the_rest_is_answered_with_its_class() {
    let folder = repository();
    assert_eq!(run(&folder, &[]).code, Some(0));
    let (_, shown) = folder.json(&["runs", "show", "one"]);
    assert_eq!(shown["run"]["outcome"], "completed");
    assert_eq!(shown["turns"].as_array().unwrap().len(), 3);
    assert_eq!(shown["turns"][0]["tools"], serde_json::json!(["fs_read", "fs_read", "shell"]));
    assert_eq!(shown["turns"][0]["verdict"], "closed");
    assert_eq!(shown["resumable"], false);
    assert_eq!(folder.run(&["runs", "list"]).code, Some(0));
    for command in [
        &["replay", "one"][..],
        &["turn", "show", "one.t0001"],
        &["runs", "export", "one"],
        &["resume", "one"],
    ] {
        let ran = folder.run(command);
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, Some(1), "{command:?}: {said}");
        assert!(said.contains("payload_not_retained"), "{command:?}: {said}");
        assert!(said.contains("runs show one"), "{command:?}: {said}");
    }
    let (_, refused) = folder.json(&["replay", "one"]);
    assert_eq!(refused["refused"]["class"], "payload_not_retained");
}

#[test]
fn a_run_that_stopped_goes_on_from_its_private_store_and_takes_it_along() {
    let folder = repository();
    let stopped = run(&folder, &["--max-turns", "1"]);
    assert_eq!(stopped.code, Some(1), "{}{}", stopped.stdout, stopped.stderr);
    let private = folder.path().join(".premath/runs/one/private");
    assert_eq!(std::fs::metadata(&private).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(!hits(&folder).is_empty(), "nothing to go on from");
    let outside: Vec<String> = hits(&folder).into_iter().filter(|hit| !hit.contains("/private/")).collect();
    assert_eq!(outside, Vec::<String>::new());
    assert_eq!(folder.run(&["replay", "one"]).code, Some(0));
    let resumed = folder.run(&["resume", "one", "--max-turns", "9"]);
    assert_eq!(resumed.code, Some(0), "{}{}", resumed.stdout, resumed.stderr);
    assert_eq!(hits(&folder), Vec::<String>::new());
    assert!(!private.exists());
    assert_eq!(folder.run(&["verify"]).code, Some(0));
}

#[test]
fn a_stopped_run_can_be_forgotten_and_does_not_go_on() {
    let folder = repository();
    run(&folder, &["--max-turns", "1"]);
    assert_eq!(next_step(&folder), "premath resume one");
    assert_eq!(folder.run(&["runs", "forget", "one"]).code, Some(0));
    assert_eq!(hits(&folder), Vec::<String>::new());
    assert_eq!(folder.run(&["resume", "one"]).code, Some(1));
    assert_eq!(folder.run(&["verify"]).code, Some(0));
    assert_eq!(folder.run(&["runs", "forget", "none"]).code, Some(2));
    assert_eq!(next_step(&folder), "nothing: what run one said is forgotten");
    let (_, again) = folder.json(&["runs", "forget", "one"]);
    assert_eq!(again["wasThere"], false);
}

#[test]
fn the_kept_rows_catch_up_with_the_private_ones_after_a_death() {
    let folder = repository();
    run(&folder, &["--max-turns", "1"]);
    let kept = folder.path().join(".premath/runs/one/journal.jsonl");
    let text = std::fs::read_to_string(&kept).unwrap();
    let shorter: String = text.lines().take(3).map(|line| format!("{line}\n")).collect();
    // A process that died before the kept rows leaves a head that knows fewer; this one a person answers for.
    std::fs::write(&kept, shorter).unwrap();
    assert_eq!(folder.run(&["resume", "one", "--max-turns", "9"]).code, Some(4));
    assert_eq!(folder.run(&["trust", "--runs", "one", "--reason", "cut by this test"]).code, Some(0));
    assert_eq!(folder.run(&["resume", "one", "--max-turns", "9"]).code, Some(0));
    let now = std::fs::read_to_string(&kept).unwrap();
    let kinds = |text: &str| -> Vec<String> {
        let kind = |line: &str| {
            let row: Value = serde_json::from_str(line).unwrap();
            row["event"]["kind"].as_str().unwrap().to_owned()
        };
        text.lines().map(kind).collect()
    };
    assert_eq!(kinds(&now)[..kinds(&text).len()], kinds(&text)[..]);
    assert_eq!(folder.run(&["verify"]).code, Some(0));
}

#[test]
fn a_private_folder_of_a_run_that_is_over_is_reported_and_deleted() {
    let folder = repository();
    run(&folder, &[]);
    let private = folder.path().join(".premath/runs/one/private/objects");
    std::fs::create_dir_all(&private).unwrap();
    std::fs::write(private.join("left"), "canaryresult").unwrap();
    let looked = folder.run(&["doctor", "--json"]);
    assert!(looked.stdout.contains("doctor.private_left"), "{}", looked.stdout);
    assert_eq!(hits(&folder).len(), 1);
    assert_eq!(folder.run(&["doctor", "--fix"]).code, Some(0));
    assert_eq!(hits(&folder), Vec::<String>::new());
    assert!(!folder.run(&["doctor", "--json"]).stdout.contains("doctor.private_left"));
}

/// Seed: 001 §8/16
#[test]
fn a_run_for_one_processor_does_not_begin_without_one() {
    let folder = repository();
    folder.write("premath.toml", "[policy]\nobservability = \"internal_processor\"\n");
    let ran = run(&folder, &["--json"]);
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("governance.trace_mode_violation"), "{}", ran.stdout);
    assert!(!folder.path().join(".premath/runs/one").exists());
}

#[test]
fn a_run_ends_with_what_can_be_done_with_it() {
    let folder = repository();
    let stopped = run(&folder, &["--max-turns", "1"]).stdout;
    for hint in ["premath resume one", "premath replay one", "premath runs forget one"] {
        assert!(stopped.contains(hint), "{hint}: {stopped}");
    }
    let ended = folder.run(&["resume", "one", "--max-turns", "9"]).stdout;
    assert!(ended.contains("premath runs show one") && !ended.contains("premath replay"), "{ended}");
    let folder = repository();
    let last: Value = serde_json::from_str(run(&folder, &["--json"]).stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last["next"], serde_json::json!(["premath runs show one"]));
}

#[test]
fn forgetting_a_run_leaves_the_session_of_another_alone() {
    let folder = repository();
    run(&folder, &["--max-turns", "1"]);
    let two = ["run", "more", "--model", "scripted:scene.toml", "--run-id", "two", "--max-turns", "1"];
    folder.run(&two);
    assert_eq!(folder.run(&["runs", "forget", "one"]).code, Some(0));
    assert_eq!(next_step(&folder), "premath resume two");
}
