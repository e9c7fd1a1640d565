//! `premath sandbox check|run` from outside: what a command gets and gives, what is refused, and what evidence says.

#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at what a command leaves, and take system calls away"
)]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod folder;

use std::process::Command;

use folder::Folder;
use serde_json::{Value, json};

#[test]
fn every_layer_is_enforced_on_this_machine() {
    let folder = Folder::new();
    let (code, report) = folder.json(&["sandbox", "check"]);
    assert_eq!((code, &report["ok"]), (0, &json!(true)), "{report}");
    let layers = report["items"].as_array().unwrap();
    assert!(layers.len() >= 10, "{report}");
    assert!(layers.iter().all(|layer| layer["state"] == "enforced"), "{report}");
    assert_eq!(report["usableProfiles"], json!(["read-only", "workspace-write", "network", "isolated"]));
    let shown = folder.run(&["sandbox", "check"]);
    assert!(
        shown.stdout.contains("landlock") && shown.stdout.contains("every profile can run here"),
        "{shown:?}"
    );
}

/// Runs a command in the sandbox and returns what premath ended with and its document.
#[track_caller]
fn run(folder: &Folder, arguments: &[&str]) -> (Option<i32>, Value) {
    let ran = folder.run(&[&["sandbox", "run", "--json"][..], arguments].concat());
    let answer = serde_json::from_str(&ran.stdout);
    assert!(answer.is_ok(), "{ran:?}");
    (ran.code, answer.unwrap())
}

#[test]
fn a_command_has_its_input_output_code_and_evidence() {
    let folder = Folder::new();
    folder.write("in.txt", "from a file\n");
    let script = "cat; echo \"$GREETING $HOME_SECRET\"; echo oops >&2; echo x > made; exit 7";
    let mut command = folder.command(&["sandbox", "run", "--json", "--stdin", "in.txt"]);
    command.args(["--env", "GREETING=hello", "--", "sh", "-c", script]).env("HOME_SECRET", "mine");
    let output = command.output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{answer}");
    assert_eq!((&answer["exitCode"], &answer["ending"]), (&json!(7), &json!("exited")), "{answer}");
    assert_eq!(answer["stdout"]["text"], "from a file\nhello \n");
    assert_eq!(answer["stderr"]["text"], "oops\n");
    let evidence = &answer["evidence"];
    assert_eq!(evidence["sandboxProfile"], "workspace-write");
    for (field, prefix) in [("profileDigest", "sbx1_"), ("commandDigest", "cmd1_")] {
        assert!(evidence[field].as_str().unwrap().starts_with(prefix), "{evidence}");
    }
    assert!(evidence["layers"].as_array().unwrap().contains(&json!("landlock")), "{evidence}");
    assert!(folder.path().join("made").exists());
}

#[test]
fn a_read_only_command_writes_nothing_and_no_command_writes_what_is_protected() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    let touch = "echo x > made; echo x >> .premath/issues.jsonl; echo x > premath.toml; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit";
    let files = || {
        let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
        (read(".premath/issues.jsonl"), read("premath.toml"))
    };
    let before = files();
    for profile in ["read-only", "workspace-write", "network", "isolated"] {
        folder.run(&["sandbox", "run", "--profile", profile, "--", "sh", "-c", touch]);
        assert!(files() == before, "{profile}");
        assert!(!folder.path().join(".git").exists(), "{profile}");
        assert_eq!(folder.path().join("made").exists(), profile != "read-only", "{profile}");
    }
}

#[test]
fn a_process_in_the_sandbox_is_never_the_operator() {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    let program = env!("CARGO_BIN_EXE_premath");
    std::fs::copy(program, folder.path().join("premath")).unwrap();
    let ran = folder.run(&["sandbox", "run", "--", "./premath", "issue", "add", "From inside"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(folder.json(&["issue", "list"]).1["items"].as_array().unwrap().is_empty());
}

#[test]
fn a_time_out_ends_the_whole_tree() {
    let folder = Folder::new();
    let script = "(setsid sh -c 'sleep 3; echo late > late' &) ; sleep 60";
    let (code, answer) = run(&folder, &["--timeout", "0.3", "--", "sh", "-c", script]);
    assert_eq!((code, &answer["ending"]), (Some(1), &json!("timed_out")), "{answer}");
    let of = |entry: std::fs::DirEntry| std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
    let left: Vec<String> = std::fs::read_dir("/proc")
        .unwrap()
        .map(|entry| String::from_utf8_lossy(&of(entry.unwrap())).into_owned())
        .filter(|words| words.contains("echo late > late"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn what_cannot_run_is_refused_and_says_why() {
    let folder = Folder::new();
    let cases: [(&[&str], &str); 2] = [
        (&["--", "no-such-program"], "sandbox.program_invalid"),
        (&["--workdir", "no-such-folder", "--", "true"], "sandbox.workdir_invalid"),
    ];
    for (arguments, class) in cases {
        let (code, answer) = run(&folder, arguments);
        assert_eq!((code, &answer["refused"]["class"]), (Some(1), &json!(class)), "{arguments:?}: {answer}");
        assert!(answer["refused"]["hint"].is_string());
    }
    let shown = folder.run(&["sandbox", "run", "--", "no-such-program"]);
    assert_eq!(shown.stderr, "", "{shown:?}");
    assert!(shown.stdout.contains("refused") && shown.stdout.contains("hint:"), "{shown:?}");
    for arguments in [&["--timeout", "0"][..], &["--env", "novalue"], &["--profile", "open"]] {
        let ran = folder.run(&[&["sandbox", "run"][..], arguments, &["--", "true"]].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{arguments:?}: {ran:?}");
    }
}

/// The command with one system call taken away from everything it starts.
fn without(call: &str, folder: &Folder, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = Command::new("strace")
        .args(["-f", "-q", "-o", "/dev/null", "-e", &format!("trace={call}")])
        .args(["-e", &format!("inject={call}:error=ENOSYS")])
        .arg(env!("CARGO_BIN_EXE_premath"))
        .args(arguments)
        .current_dir(folder.path())
        .env_clear()
        .env("XDG_STATE_HOME", folder.state())
        .output()
        .unwrap();
    let answer = serde_json::from_slice(&output.stdout);
    assert!(answer.is_ok(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code(), answer.unwrap())
}

#[test]
fn a_layer_that_is_missing_refuses_the_command_and_is_named() {
    let folder = Folder::new();
    let attempt = |profile: &str, call: &str| {
        without(call, &folder, &["sandbox", "run", "--json", "--profile", profile, "--", "touch", "made"])
    };
    for profile in ["read-only", "workspace-write", "network", "isolated"] {
        let (code, answer) = attempt(profile, "landlock_create_ruleset");
        assert_eq!((code, &answer["layer"]), (Some(1), &json!("landlock")), "{profile}: {answer}");
    }
    let (code, answer) = attempt("isolated", "unshare");
    assert_eq!((code, &answer["layer"]), (Some(1), &json!("user-namespace")), "{answer}");
    let (code, answer) = without("landlock_create_ruleset", &folder, &["sandbox", "check", "--json"]);
    assert_eq!(
        (code, &answer["ok"], &answer["usableProfiles"]),
        (Some(1), &json!(false), &json!([])),
        "{answer}"
    );
    assert!(!folder.path().join("made").exists(), "it ran");
}
