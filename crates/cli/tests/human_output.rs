//! What a person reads: snapshots of a turn, no colours where nobody sees them, nothing that a terminal would act on.

#![expect(clippy::disallowed_methods, reason = "a reader that goes away needs a process of its own")]
#![expect(clippy::unwrap_used, reason = "a command that cannot be started fails the test")]

mod premath;

use std::io::Read as _;
use std::process::{Command, Stdio};

use premath::{PROGRAM, Ran, premath, root};
use serde_json::{Value, json};

fn vector(name: &str) -> String {
    format!("conformance/harness-typestate/{name}/case.json")
}

#[test]
fn an_admitted_turn_shows_its_whole_chain() {
    let ran =
        premath(&["harness-join-check", "--input", &vector("golden/mutation_by_action_claim_accept")], b"");
    insta::assert_snapshot!(ran.stdout, @r"
    turn turn-1 (model/a@2025-01, json, single): accepted

      ✓ CallSpec → ✓ ToolRequests → ✓ ToolResults → ✓ ToolUse → ✓ JoinClosed → ✓ MutationReady

      turn    sha256:f16a47aa6b3f2dbe13287a2688d927af4a6df3d8764a0393464e36a3c7ebdddb
      witness w1_m1g1sedrhrsqcf786o6810gb1n4frf5e8ftmq0fuq23g4e1hnnm0
    ");
}

#[test]
fn an_accepted_turn_without_intent_asks_for_no_mutation() {
    let ran = premath(&["harness-join-check", "--input", &vector("golden/single_call_accept")], b"");
    insta::assert_snapshot!(ran.stdout, @r"
    turn turn-1 (model/a@2025-01, json, single): accepted

      ✓ CallSpec → ✓ ToolRequests → ✓ ToolResults → ✓ ToolUse → ✓ JoinClosed → · MutationReady

      turn    sha256:af647f783b5b6ba5078d205d0cdada9f24f55c0488cb0c2829409654c150ab7a
      witness w1_0l27so8dngue7eemhp8au1si4k1vjhb1fski9q58m6a5kohs28g0
    ");
}

#[test]
fn a_rejected_turn_shows_where_it_broke_why_and_what_to_do() {
    let ran = premath(&["harness-join-check", "--input", &vector("adversarial/result_orphan_reject")], b"");
    insta::assert_snapshot!(ran.stdout, @r"
    turn turn-1 (model/a@2025-01, code, single): rejected

      ✓ CallSpec → ✓ ToolRequests → ✗ ToolResults → ✓ ToolUse → ✗ JoinClosed → · MutationReady

      tool.result_orphan
          call-2: nobody requested the call that this result answers
          hint: Find where the extra result came from, and give it to the turn that requested it.
      tool.join_incomplete
          call-2: nobody requested the call that this result answers
          hint: Fix the other `tool.*` reasons first; if there are none, find out why a result came twice.

      `premath explain <class>` says more.

      turn    sha256:76d1faebe0876e632c5f3ffb9792f4dd71d7390c13bf1e9903db699a749e28ff
      witness w1_utcnop0ulqjv6a8ame69ut5cf53ljnq99o0trgtfv7sip87f0ne0
    ");
}

#[test]
fn a_governance_profile_shows_its_reasons() {
    let profile = br#"{"governanceProfile":{"claimed":true,"claimId":"other"}}"#;
    let ran = premath(&["governance-check", "--input", "-"], profile);
    insta::assert_snapshot!(ran.stdout, @r"
    governance profile (claimed): rejected

      governance.claim_id_invalid
          governanceProfile.claimId: `other` is no profile we know
          hint: Set `claimId` to `profile.doctrine_inf_governance.v0`, or leave the field out.

      `premath explain <class>` says more.
    ");
    let ran = premath(&["governance-check", "--input", "-"], br#"{"governanceProfile":{"claimed":false}}"#);
    insta::assert_snapshot!(ran.stdout, @"governance profile (not claimed): accepted");
}

#[test]
fn nothing_is_coloured_in_a_pipe() {
    let rejected = vector("adversarial/result_orphan_reject");
    for arguments in [
        ["--help"].as_slice(),
        &["help", "explain"],
        &["help", "exit-codes"],
        &["explain"],
        &["explain", "tool.use_missing"],
        &["explain", "nothing"],
        &["levitate"],
        &["conformance-run", "--suite", "governance"],
        &["harness-join-check", "--input", &rejected],
        &["harness-join-check", "--input", "no/such/file"],
    ] {
        let ran = premath(arguments, b"");
        assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{arguments:?}: {ran:?}");
    }
}

/// What a terminal would act on: clear the screen, set the title, ring, turn text around, hide it, begin a line.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}\u{200b}\u{9b}31m\r\nturn forged: accepted";

fn golden() -> Value {
    let text =
        include_str!("../../../conformance/harness-typestate/golden/everything_declared_accept/case.json");
    serde_json::from_str(text).unwrap()
}

/// The same document with every string but the tokens of closed lists followed by `tail`.
fn tainted(value: &Value, tail: &str) -> Value {
    const TOKENS: [&str; 10] = [
        "action",
        "actionMode",
        "executionPattern",
        "orchestrationRole",
        "toolChoice",
        "disposition",
        "stage",
        "access",
        "ordering",
        "cut",
    ];
    const TOKEN_LISTS: [&str; 2] = ["stages", "patterns"];
    match value {
        Value::String(text) => json!(format!("{text}{tail}")),
        Value::Array(items) => items.iter().map(|item| tainted(item, tail)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| {
                let is_token = TOKENS.contains(&name.as_str()) || TOKEN_LISTS.contains(&name.as_str());
                (name.clone(), if is_token { value.clone() } else { tainted(value, tail) })
            })
            .collect::<serde_json::Map<String, Value>>()
            .into(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Runs a check as on a terminal that shows colours.
fn on_a_terminal(command: &str, document: &Value) -> Ran {
    let mut run = assert_cmd::Command::new(PROGRAM);
    run.env_clear().env("CLICOLOR_FORCE", "1").current_dir(root());
    run.args([command, "--input", "-"]).write_stdin(document.to_string());
    Ran::from(run.output().unwrap())
}

/// Our own colours taken away; whatever is left came from the document.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ';');
        match digits.strip_prefix('m') {
            Some(after) => rest.push_str(after),
            None => rest.push_str(&format!("\u{1b}[{part}")),
        }
    }
    rest
}

#[track_caller]
fn assert_harmless(ran: &Ran, lines: usize) {
    let shown = without_colours(&ran.stdout);
    let is_harmful = |letter: &char| {
        (letter.is_control() && *letter != '\n')
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let harmful: Vec<char> = shown.chars().filter(is_harmful).collect();
    assert!(harmful.is_empty(), "{harmful:?} in {shown:?}");
    assert!(!shown.lines().any(|line| line.starts_with("turn forged")), "{shown}");
    assert_eq!(shown.lines().count(), lines, "{shown}");
}

#[test]
fn a_document_full_of_escapes_shows_none_of_them() {
    let clean = on_a_terminal("harness-join-check", &tainted(&golden(), "x"));
    let ran = on_a_terminal("harness-join-check", &tainted(&golden(), HOSTILE));
    assert_eq!((clean.code, ran.code), (Some(1), Some(1)), "{} {}", clean.stderr, ran.stderr);
    assert_harmless(&ran, clean.stdout.lines().count());
}

#[test]
fn an_accepted_turn_with_escapes_in_its_names_shows_none_of_them() {
    let text = include_str!("../../../conformance/harness-typestate/golden/single_call_accept/case.json");
    let mut turn: Value = serde_json::from_str(text).unwrap();
    let clean = on_a_terminal("harness-join-check", &turn);
    for field in ["callId", "modelRef"] {
        turn["evidence"]["callSpec"][field] = json!(format!("x{HOSTILE}"));
    }
    let ran = on_a_terminal("harness-join-check", &turn);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_harmless(&ran, clean.stdout.lines().count());
}

#[test]
fn a_profile_full_of_escapes_shows_none_of_them() {
    let profile =
        json!({ "governanceProfile": golden()["governanceProfile"], "policies": golden()["policies"] });
    let clean = on_a_terminal("governance-check", &tainted(&profile, "x"));
    let ran = on_a_terminal("governance-check", &tainted(&profile, HOSTILE));
    assert_eq!((clean.code, ran.code), (Some(1), Some(1)), "{} {}", clean.stderr, ran.stderr);
    assert_harmless(&ran, clean.stdout.lines().count());
}

#[test]
fn an_input_error_shows_no_escapes_either() {
    let ran = on_a_terminal(
        "harness-join-check",
        &json!({ "evidence": { "callSpec": { "callId": 1, HOSTILE: 1 } } }),
    );
    assert_eq!(ran.code, Some(2));
    let stderr = without_colours(&ran.stderr);
    assert!(!stderr.chars().any(|letter| letter.is_control() && letter != '\n'), "{stderr:?}");
    assert_eq!(stderr.lines().count(), 2, "{stderr}");
}

#[test]
fn a_reader_that_went_away_ends_the_command_quietly() {
    for arguments in [
        ["explain"].as_slice(),
        &["explain", "--json"],
        &["schema", "join-check-input"],
        &["schema", "join-check-input", "--json"],
        &["schema", "join-check-input", "--envelope"],
        &["completions", "bash"],
        &["help"],
        &["--help"],
    ] {
        // A pipe whose read end is closed before the program starts: the first write fails.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = Command::new(PROGRAM)
            .args(arguments)
            .current_dir(root())
            .stdin(Stdio::null())
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let status = child.wait().unwrap();
        assert_eq!((status.code(), stderr.as_str()), (Some(0), ""), "{arguments:?}: {status}");
    }
}

#[test]
fn a_refusal_keeps_its_exit_code_when_the_reader_went_away() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Command::new(PROGRAM)
        .args(["harness-join-check", "--json", "--input", &vector("adversarial/result_orphan_reject")])
        .current_dir(root())
        .stdout(writer)
        .output()
        .unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), b"".as_slice()));
}

#[test]
fn a_full_disk_is_told() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(PROGRAM).arg("explain").stdout(full).output().unwrap();
    let ran = Ran::from(output);
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("error: environment: cannot write to standard output"), "{}", ran.stderr);
}
