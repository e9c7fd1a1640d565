//! `premath guard install` and `uninstall`: the file of another agent changes in one place, after it was shown, and the command
//! that stands in it then blocks also where the program is missing or killed.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "what is not there fails the test")]
#![expect(clippy::disallowed_methods, reason = "a test looks at the files that the command leaves")]

mod folder;

use std::io::Write as _;
use std::process::{Command, Stdio};

use folder::Folder;
use serde_json::{Value, json};

const CALL: &str =
    r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
const MINE: &str = "{\n    \"model\": \"opus\",\n    \"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"./mine.sh\"}]}]}\n}\n";

fn project() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder
}

fn text(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn installed_twice_it_is_there_once_and_taken_out_nothing_is_left() {
    for (format, file) in [("claude-code", ".claude/settings.json"), ("codex", ".codex/hooks.json")] {
        let folder = project();
        folder.write(file, MINE);
        let install = ["guard", "install", "--format", format, "--yes"];
        let (code, answer) = folder.json(&install);
        assert_eq!(
            (code, &answer["written"], &answer["changed"]),
            (0, &json!(true), &json!(true)),
            "{answer}"
        );
        let installed = text(&folder, file);
        assert!(answer["diff"].as_str().unwrap().contains("+++ "), "{answer}");
        let settings: Value = serde_json::from_str(&installed).unwrap();
        for event in ["PreToolUse", "PostToolUse", "UserPromptSubmit"] {
            let command = settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
            assert!(
                command.contains(&format!("guard --format {format}")) && command.ends_with("|| exit 2"),
                "{command}"
            );
        }
        let (_, again) = folder.json(&install);
        assert_eq!((&again["changed"], &again["written"]), (&json!(false), &json!(false)));
        assert_eq!(text(&folder, file), installed);
        let (code, _) = folder.json(&["guard", "uninstall", "--format", format, "--yes"]);
        assert_eq!((code, text(&folder, file).as_str()), (0, MINE));
        let (_, page) = folder.json(&["audit", "query", "--kind", "mutation"]);
        let tools: Vec<&Value> = page["items"].as_array().unwrap().iter().map(|row| &row["tool"]).collect();
        assert!(
            tools.contains(&&json!("guard.install")) && tools.contains(&&json!("guard.uninstall")),
            "{page}"
        );
    }
}

#[test]
fn nothing_is_written_that_nobody_agreed_to() {
    let folder = project();
    let shown = folder.run(&["guard", "install", "--format", "claude-code", "--dry-run"]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(shown.stdout.contains("+++ ") && shown.stdout.contains("nothing was written"), "{shown:?}");
    // Nobody sits here.
    let asked = folder.run(&["guard", "install", "--format", "claude-code"]);
    assert_eq!(asked.code, Some(2), "{asked:?}");
    assert!(asked.stderr.contains("+++ ") && asked.stderr.contains("--yes"), "{asked:?}");
    assert!(!folder.path().join(".claude").exists());
}

#[test]
fn a_file_that_is_something_else_is_left_alone() {
    for file in ["{", "// mine\n{}", "[]", "{\"hooks\": []}"] {
        let folder = project();
        folder.write(".claude/settings.json", file);
        let ran = folder.run(&["guard", "install", "--format", "claude-code", "--yes"]);
        assert_eq!((ran.code, text(&folder, ".claude/settings.json").as_str()), (Some(4), file), "{ran:?}");
        assert!(ran.stderr.contains("nothing was written"), "{ran:?}");
    }
    let elsewhere = Folder::new();
    assert_eq!(elsewhere.run(&["guard", "install", "--format", "codex", "--yes"]).code, Some(4));
    assert!(!elsewhere.path().join(".codex").exists());
}

#[test]
fn a_link_is_followed_and_another_file_can_be_named() {
    let folder = project();
    folder.write("kept/mine.json", MINE);
    std::os::unix::fs::symlink("kept/mine.json", folder.path().join("linked.json")).unwrap();
    let ran = folder.run(&["guard", "install", "--format", "codex", "--path", "linked.json", "--yes"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(folder.path().join("linked.json").is_symlink());
    assert!(text(&folder, "kept/mine.json").contains("guard --format codex"));
}

#[test]
fn whoever_may_change_nothing_does_not_take_the_guard_away() {
    let folder = project();
    assert_eq!(folder.run(&["guard", "install", "--format", "codex", "--yes"]).code, Some(0));
    folder.write("premath.toml", "mutation.cli = \"instruction-linked\"\n");
    let ran = folder.run(&["guard", "uninstall", "--format", "codex", "--yes"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(text(&folder, ".codex/hooks.json").contains("guard --format codex"));
}

/// What an agent does with the command that stands in its file.
fn hooked(folder: &Folder, program: &str) -> (Option<i32>, String) {
    let install = ["guard", "install", "--format", "codex", "--yes", "--program", program];
    assert_eq!(folder.run(&install).code, Some(0));
    let settings: Value = serde_json::from_str(&text(folder, ".codex/hooks.json")).unwrap();
    let line = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap().to_owned();
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(folder.path()).env("XDG_STATE_HOME", folder.state());
    shell.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = shell.stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdin.take().unwrap().write_all(CALL.as_bytes()));
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn the_installed_command_blocks_where_the_program_is_missing_broken_or_killed() {
    let folder = project();
    assert_eq!(hooked(&folder, env!("CARGO_BIN_EXE_premath")), (Some(0), String::new()));
    let script = |name: &str, body: &str| {
        folder.write(name, format!("#!/bin/sh\n{body}\n"));
        let path = folder.path().join(name);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&path, mode).unwrap();
        path.to_str().unwrap().to_owned()
    };
    folder.write("premath-plain", "no program");
    for (what, program) in [
        ("missing", folder.path().join("premath-missing").to_str().unwrap().to_owned()),
        ("not executable", folder.path().join("premath-plain").to_str().unwrap().to_owned()),
        ("killed", script("premath-killed", "kill -9 $$")),
        ("aborted", script("premath-aborted", "kill -ABRT $$")),
        ("failing", script("premath-failing", "echo broken >&2; exit 1")),
        ("with a space in its name", script("premath failing", "echo broken >&2; exit 101")),
    ] {
        let (code, words) = hooked(&folder, &program);
        assert_eq!(code, Some(2), "{what}: {words}");
        assert!(!words.trim().is_empty(), "{what}: Codex wants a reason with its block");
    }
}
