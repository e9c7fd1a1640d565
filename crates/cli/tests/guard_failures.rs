//! Everything that can go wrong with `premath guard`, one thing at a time: each ends in an answer that blocks.

#![expect(clippy::unwrap_used, reason = "what is not there fails the test")]
#![expect(
    clippy::disallowed_methods,
    reason = "a test prepares the files and processes that the command finds"
)]

mod folder;

use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use folder::Folder;

const FORMATS: [&str; 2] = ["claude-code", "codex"];
/// A call that is allowed where nothing is wrong.
const CALL: &str =
    r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
/// One that a person is asked about.
const ASKED: &str = r#"{"session_id":"s","hook_event_name":"PreToolUse","permission_mode":"default","tool_name":"Read","tool_input":{"file_path":".env"}}"#;

fn project() -> Folder {
    let folder = Folder::new();
    let ran = folder.run(&["init"]);
    assert_eq!(ran.code, Some(0), "{} {}", ran.stdout, ran.stderr);
    folder
}

fn spawned(folder: &Folder, arguments: &[&str], stdout: Stdio, stderr: Stdio) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_premath"));
    command.env_clear().env("XDG_STATE_HOME", folder.state());
    command.current_dir(folder.path()).args(arguments);
    command.stdin(Stdio::piped()).stdout(stdout).stderr(stderr).spawn().unwrap()
}

/// What both agents take for a block: the code 2, and a reason on standard error.
#[track_caller]
fn blocks(folder: &Folder, what: &str, input: &[u8], more: &[&str]) {
    for format in FORMATS {
        let arguments = [&["guard", "--format", format], more].concat();
        let mut child = spawned(folder, &arguments, Stdio::piped(), Stdio::piped());
        // Whoever denies without reading on may be gone by now.
        drop(child.stdin.take().unwrap().write_all(input));
        let output = child.wait_with_output().unwrap();
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{what} ({format}): {words}");
        assert!(!words.trim().is_empty(), "{what} ({format}) blocks without a reason");
        assert!(output.stdout.is_empty(), "{what} ({format}) says something else besides");
    }
}

#[test]
fn the_call_that_is_spoilt_below_goes_on_where_nothing_is_wrong() {
    let folder = project();
    for format in FORMATS {
        let mut child = spawned(&folder, &["guard", "--format", format], Stdio::piped(), Stdio::piped());
        child.stdin.take().unwrap().write_all(CALL.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), output.stdout.len(), output.stderr.len()),
            (Some(0), 0, 0),
            "{format}"
        );
    }
}

#[test]
fn events_that_cannot_be_read_block() {
    let folder = project();
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let large = format!(
        r#"{{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"{}"}}}}"#,
        "a".repeat(20 << 20)
    );
    let inputs: [(&str, &[u8]); 13] = [
        ("nothing", b""),
        ("half an event", CALL.get(..40).unwrap().as_bytes()),
        ("two events", &[CALL.as_bytes(), CALL.as_bytes()].concat()),
        ("no object", b"[]"),
        ("a wrong event", br#"{"hook_event_name":"Levitate","tool_name":"Bash","tool_input":{"command":"ls"}}"#),
        ("no event", br#"{"tool_name":"Bash","tool_input":{"command":"ls"}}"#),
        ("no tool", br#"{"hook_event_name":"PreToolUse","tool_input":{"command":"ls"}}"#),
        ("no arguments", br#"{"hook_event_name":"PreToolUse","tool_name":"Bash"}"#),
        ("arguments of another kind", br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":"ls"}"#),
        ("a member twice", br#"{"hook_event_name":"PreToolUse","tool_name":"Read","tool_name":"Bash","tool_input":{"command":"ls"}}"#),
        ("no UTF-8", b"{\"hook_event_name\":\"\xff\"}"),
        ("too deep", deep.as_bytes()),
        ("too large", large.as_bytes()),
    ];
    for (what, input) in inputs {
        blocks(&folder, what, input, &[]);
    }
}

#[test]
fn a_repository_that_cannot_decide_blocks() {
    let elsewhere = Folder::new();
    blocks(&elsewhere, "no repository", CALL.as_bytes(), &[]);
    blocks(&elsewhere, "a repository that is not there", CALL.as_bytes(), &["--root", "nowhere"]);
    let spoilt = |what: &str, spoil: &dyn Fn(&Folder)| {
        let folder = project();
        spoil(&folder);
        blocks(&folder, what, CALL.as_bytes(), &[]);
    };
    spoilt("a broken configuration", &|folder| folder.write("premath.toml", "policy = ["));
    spoilt("an unknown setting", &|folder| folder.write("premath.toml", "policy.levitate = true\n"));
    spoilt("a role that does not exist", &|folder| {
        folder.write("premath.toml", "policy.role = \"nobody\"\n")
    });
    spoilt("a configuration that is a link to nowhere", &|folder| {
        std::fs::remove_file(folder.path().join("premath.toml")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("premath.toml")).unwrap();
    });
    spoilt("rules that do not load", &|folder| folder.write("policies/governor/mine.cedar", "permit("));
    spoilt("a rule without examples", &|folder| {
        folder.write(
            "policies/governor/mine.cedar",
            "@id(\"a\")\n@reason(\"b\")\npermit (principal, action, resource);",
        );
    });
    spoilt("rules that are a link to nowhere", &|folder| {
        std::os::unix::fs::symlink("nowhere", folder.path().join("policies/governor")).unwrap();
    });
    spoilt("controls that cannot be read", &|folder| folder.write("policies/risk/high.json", "{"));
    spoilt("guards that cannot be set up", &|folder| {
        folder.write("policies/guardrails.json", "{\"levitate\":1}")
    });
}

#[test]
fn a_decision_that_cannot_be_recorded_blocks() {
    let folder = project();
    let log = folder.path().join(".premath/audit.jsonl");
    drop(std::fs::remove_file(&log));
    std::fs::create_dir(&log).unwrap();
    blocks(&folder, "a folder in the place of the log", CALL.as_bytes(), &[]);
    let folder = project();
    std::fs::remove_dir_all(folder.path().join(".premath")).unwrap();
    folder.write(".premath", "");
    blocks(&folder, "a file in the place of the folder of the log", CALL.as_bytes(), &[]);
}

#[test]
fn what_cannot_be_read_is_on_record_as_a_denial() {
    let folder = project();
    blocks(&folder, "half an event", b"{", &[]);
    let (_, page) = folder.json(&["audit", "query", "--effect", "deny", "--code", "policy_denied"]);
    assert_eq!(page.pointer("/count").unwrap(), FORMATS.len());
    assert_eq!(page.pointer("/items/0/data/door").unwrap(), "hook:codex");
}

#[test]
fn a_log_that_somebody_else_holds_blocks() {
    let folder = project();
    let mut first = spawned(&folder, &["guard", "--format", "codex"], Stdio::null(), Stdio::null());
    first.stdin.take().unwrap().write_all(CALL.as_bytes()).unwrap();
    assert!(first.wait().unwrap().success());
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.path().join(".premath/audit.jsonl.lock"));
    let lock = lock.unwrap();
    lock.lock().unwrap();
    blocks(&folder, "a log that is held", CALL.as_bytes(), &["--timeout", "2"]);
}

#[test]
fn usage_that_is_none_blocks() {
    let folder = project();
    for arguments in [
        &["guard"][..],
        &["guard", "--format", "levitate"],
        &["guard", "--format", "codex", "--root", ""],
        &["guard", "--format", "codex", "--levitate"],
    ] {
        let output = spawned(&folder, arguments, Stdio::piped(), Stdio::piped()).wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn an_event_that_never_ends_is_denied_in_time() {
    let folder = project();
    for format in FORMATS {
        let arguments = ["guard", "--format", format, "--timeout", "1"];
        let mut child = spawned(&folder, &arguments, Stdio::piped(), Stdio::piped());
        let mut held = child.stdin.take().unwrap();
        held.write_all(CALL.as_bytes()).unwrap();
        // Held open until the answer is there.
        let mut words = String::new();
        child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(2), "{format}");
        assert!(words.contains("no decision within 1 s"), "{words}");
        drop(held);
    }
}

#[test]
fn a_guard_outside_that_hangs_is_denied_in_time() {
    let folder = project();
    let person = "[[guardrails.command]]\nname = \"slow\"\nrun = [\"sleep\", \"60\"]\ndeadline_ms = 60000\n";
    folder.write("mine.toml", person);
    let mut command = Command::new(env!("CARGO_BIN_EXE_premath"));
    command.env_clear().env("PREMATH_CONFIG", "mine.toml").current_dir(folder.path());
    command.args(["guard", "--format", "claude-code", "--timeout", "1"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(CALL.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_question_that_nobody_hears_blocks() {
    let folder = project();
    let full = || Stdio::from(OpenOptions::new().write(true).open("/dev/full").unwrap());
    for (what, stdout) in [("a full disk", full()), ("a device that swallows everything", Stdio::null())] {
        let mut child = spawned(&folder, &["guard", "--format", "claude-code"], stdout, Stdio::piped());
        child.stdin.take().unwrap().write_all(ASKED.as_bytes()).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(2), "{what}");
    }
    // The other end is closed before anything is written.
    let mut child = spawned(&folder, &["guard", "--format", "claude-code"], Stdio::piped(), Stdio::piped());
    drop(child.stdout.take());
    child.stdin.take().unwrap().write_all(ASKED.as_bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2), "a pipe without a reader");
}

#[test]
fn codex_is_told_in_a_document_where_standard_error_is_not_heard() {
    let folder = project();
    let mut child = spawned(&folder, &["guard", "--format", "codex"], Stdio::piped(), Stdio::null());
    child.stdin.take().unwrap().write_all(b"{").unwrap();
    let output = child.wait_with_output().unwrap();
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said.pointer("/decision").unwrap(), "block");
    assert_eq!(output.status.code(), Some(0), "with another code the document would not be read");
}

/// Sends an event in parts to a guard that may have 400 MB of addresses, and returns what it says while it blocks.
fn blocked_in_bounded_memory(folder: &Folder, format: &str, part: &[u8], parts: usize) -> String {
    let mut command = Command::new("sh");
    let script = "ulimit -v 400000; exec \"$0\" guard --format \"$1\"";
    command.args(["-c", script, env!("CARGO_BIN_EXE_premath"), format]);
    command.env_clear().env("XDG_STATE_HOME", folder.state()).current_dir(folder.path());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let start =
        br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","more":[0"#;
    input.write_all(start).unwrap();
    for _ in 0..parts {
        input.write_all(part).unwrap();
    }
    input.write_all(b"]}}").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{format}: {words}");
    words
}

#[test]
fn an_event_of_any_size_is_denied_in_bounded_memory() {
    let folder = project();
    let text = format!(",\"{}\"", "a".repeat(1 << 20));
    for format in FORMATS {
        let words = blocked_in_bounded_memory(&folder, format, text.as_bytes(), 100);
        assert!(words.contains("input.too_large"), "{format}: {words}");
    }
}

#[test]
fn an_event_of_many_small_values_is_denied_in_bounded_memory() {
    let folder = project();
    let values = b",{\"a\":1}".repeat(1_000);
    let words = blocked_in_bounded_memory(&folder, "claude-code", &values, 800);
    assert!(words.contains("could not be checked"), "{words}");
}
