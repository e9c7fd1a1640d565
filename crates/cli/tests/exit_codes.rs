//! What each command ends with, as a table, and what stands on which stream then.

#![expect(clippy::unwrap_used, reason = "a command that cannot be started fails the test")]

mod error_document;
mod premath;

use error_document::answer_in;
use premath::premath;

const ACCEPTED: &str = "conformance/harness-typestate/golden/single_call_accept/case.json";
const REJECTED: &str = "conformance/harness-typestate/adversarial/result_orphan_reject/case.json";
const UNREADABLE: &str = "conformance/decoder/fields/evidence_missing_invalid/case.json";
const UNKNOWN_FIELD: &str = "conformance/decoder/strict/unknown_call_spec_field_invalid/case.json";
const PROFILE: &str = "conformance/governance/golden/unclaimed_accept/case.json";
const BAD_PROFILE: &str = "conformance/governance/adversarial/redteam_report_blank_reject/case.json";

/// Arguments and the exit code they end with.
const TABLE: &[(&[&str], i32)] = &[
    (&["--help"], 0),
    (&["--version"], 0),
    (&["harness-join-check", "--input", ACCEPTED], 0),
    (&["harness-join-check", "--input", REJECTED, "--exit-zero"], 0),
    (&["harness-join-check", "--input", UNKNOWN_FIELD], 0),
    (&["governance-check", "--input", PROFILE], 0),
    (&["governance-check", "--input", BAD_PROFILE, "--exit-zero"], 0),
    (&["conformance-run", "--suite", "governance"], 0),
    (&["explain"], 0),
    (&["explain", "tool.result_orphan"], 0),
    (&["explain", " Tool.Result_Orphan "], 0),
    (&["schema"], 0),
    (&["schema", "join-check-input"], 0),
    (&["completions", "bash"], 0),
    (&["help"], 0),
    (&["help", "exit-codes"], 0),
    (&["help", "explain"], 0),
    (&["help", "issue", "add"], 0),
    (&["config", "show"], 0),
    (&["issue", "backend-status", "--issues", "no/such.jsonl"], 0),
    (&["harness-join-check", "--input", REJECTED], 1),
    (&["governance-check", "--input", BAD_PROFILE], 1),
    (&[], 2),
    (&["levitate"], 2),
    (&["harness-join-check"], 2),
    (&["harness-join-check", "--input"], 2),
    (&["harness-join-check", "--input", ACCEPTED, "--levitate"], 2),
    (&["harness-join-check", "--input", UNREADABLE], 2),
    (&["harness-join-check", "--input", UNREADABLE, "--exit-zero"], 2),
    (&["harness-join-check", "--input", UNKNOWN_FIELD, "--strict"], 2),
    (&["harness-join-check", "--input", PROFILE], 2),
    (&["governance-check", "--input", ACCEPTED], 2),
    (&["explain", "tool.levitated"], 2),
    (&["schema", "levitation"], 2),
    (&["completions", "levitation"], 2),
    (&["help", "levitation"], 2),
    (&["bench"], 2),
    (&["run"], 2),
    (&["run", " "], 2),
    (&["run", "x", "--pattern", "swarm"], 2),
    (&["run", "x", "--max-cost", "much"], 2),
    (&["run", "--demo", "x"], 2),
    (&["run", "--demo", "--keep", "conformance"], 2),
    (&["replay"], 2),
    (&["runs"], 2),
    (&["runs", "show"], 2),
    (&["turn", "show"], 2),
    (&["issue"], 2),
    (&["dep"], 2),
    (&["config"], 2),
    (&["help", "issue", "levitate"], 2),
    (&["issue", "levitate"], 2),
    (&["issue", "add"], 2),
    (&["issue", "add", " ", "--issues", "no/such.jsonl"], 2),
    (&["issue", "claim", "bd-1"], 2),
    (&["issue", "list", "--status", "levitating", "--issues", "no/such.jsonl"], 2),
    (&["issue", "update", "bd-1", "--priority", "5", "--issues", "no/such.jsonl"], 2),
    (&["issue", "show", "", "--issues", "no/such.jsonl"], 2),
    (&["dep", "add", "bd-1"], 2),
    (&["dep", "add", "bd-1", "bd-2", "--type", "levitates", "--issues", "no/such.jsonl"], 2),
    (&["dep", "diagnostics", "--graph-scope", "half", "--issues", "no/such.jsonl"], 2),
    (&["issue", "list", "--issues", "no/such.jsonl"], 4),
    (&["issue", "add", "T", "--issues", "no/such.jsonl"], 4),
    (&["issue", "claim-next", "--assignee", "jo", "--issues", "no/such.jsonl"], 4),
    (&["issue", "import", "no/such.jsonl", "--issues", "no/such.jsonl"], 4),
    (&["issue", "check", "--exit-zero", "--issues", "no/such.jsonl"], 4),
    (&["dep", "project", "--issues", "no/such.jsonl"], 4),
    (&["issue", "list", "--issues", "conformance"], 4),
    (&["harness-join-check", "--input", "no/such/file.json"], 4),
    (&["harness-join-check", "--input", "conformance"], 4),
    (&["governance-check", "--input", "no/such/file.json"], 4),
    (&["conformance-run", "--path", "no/such/folder"], 4),
    (&["conformance-run", "--suite", "no-such-suite"], 2),
];

#[test]
fn commands_end_with_the_codes_of_the_table() {
    for (arguments, code) in TABLE {
        let ran = premath(arguments, b"");
        assert_eq!(ran.code, Some(*code), "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        if *code <= 1 {
            assert_eq!(ran.stderr, "", "{arguments:?}");
            assert_ne!(ran.stdout, "", "{arguments:?}");
        }
    }
}

/// Whether a command takes `--json` after what is typed already.
fn takes_json(arguments: &[&str]) -> bool {
    let first = arguments.first().copied().unwrap_or_default();
    let is_family = arguments.len() == 1 && ["issue", "dep", "config", "runs", "turn"].contains(&first);
    !is_family
        && !["", "--help", "--version", "levitate", "completions", "bench"].contains(&first)
        && !arguments.contains(&"levitate")
        && !arguments.contains(&"--levitate")
        && arguments.last() != Some(&"--input")
}

#[test]
fn the_code_is_the_same_with_json_and_the_answer_is_one_document() {
    for (arguments, code) in TABLE.iter().filter(|(arguments, _)| takes_json(arguments)) {
        let arguments = [arguments, ["--json"].as_slice()].concat();
        let ran = premath(&arguments, b"");
        assert_eq!(ran.code, Some(*code), "{arguments:?}: {}", ran.stderr);
        let document = serde_json::from_str::<serde_json::Value>(&ran.stdout);
        assert!(ran.stdout.ends_with('\n') && ran.stdout.lines().count() == 1, "{arguments:?}");
        let error = &document.unwrap()["error"];
        if *code > 1 {
            let text = |name: &str| error[name].as_str().unwrap_or_else(|| panic!("{arguments:?}: {error}"));
            assert!(ran.stderr.contains(text("class")), "{arguments:?}: {error}");
            assert_ne!((text("message"), text("hint")), ("", ""), "{arguments:?}: {error}");
        }
    }
}

#[test]
fn without_an_answer_standard_error_says_why_and_what_to_do() {
    for (arguments, code) in TABLE.iter().filter(|(arguments, code)| *code >= 2 && takes_json(arguments)) {
        for format in [[].as_slice(), &["--json"], &["--envelope"]] {
            if !format.is_empty() && arguments.first() == Some(&"help") {
                continue;
            }
            let arguments = [arguments, format].concat();
            let ran = premath(&arguments, b"");
            assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(*code), ""), "{arguments:?}");
            assert_eq!(ran.stdout.is_empty(), format.is_empty(), "{arguments:?}");
            let mut lines = ran.stderr.lines();
            let error = lines.next().unwrap_or_default();
            let class = error.strip_prefix("error: ").and_then(|rest| rest.split_once(": ")).unzip().0;
            let is_class = class
                .is_some_and(|class| matches!(class, "usage" | "environment") || class.starts_with("input."));
            assert!(is_class, "{arguments:?}: {}", ran.stderr);
            let hint = ran.stderr.lines().last().unwrap_or_default();
            assert!(hint.starts_with("hint: "), "{arguments:?}: {}", ran.stderr);
        }
    }
}

#[test]
fn an_input_error_names_class_and_path_and_the_schema_to_look_at() {
    let ran = premath(&["harness-join-check", "--input", UNREADABLE, "--json"], b"");
    insta::assert_snapshot!(ran.stderr, @r"
    error: input.field_missing: missing field at $.evidence
    hint: `premath schema join-check-input` prints what is expected
    ");
    let ran = premath(&["harness-join-check", "--input", UNKNOWN_FIELD, "--strict", "--json"], b"");
    let first = ran.stderr.lines().next().unwrap();
    assert!(
        first.starts_with("error: input.field_invalid: unknown field at $.evidence.callSpec."),
        "{first}"
    );
}

#[test]
fn an_input_error_reads_the_same_through_the_envelope() {
    for (command, file) in [("harness-join-check", UNREADABLE), ("governance-check", ACCEPTED)] {
        let first = |format: &str| {
            let ran = premath(&[command, "--input", file, format], b"");
            ran.stderr.lines().next().map(str::to_owned)
        };
        assert_eq!(first("--envelope"), first("--json"), "{command}");
    }
}

#[test]
fn a_file_that_is_not_there_and_a_folder_are_the_environment() {
    let missing = premath(&["harness-join-check", "--input", "no/such.json", "--json"], b"");
    insta::assert_snapshot!(missing.stderr, @r"
    error: environment: cannot read `no/such.json`: No such file or directory (os error 2)
    hint: --input takes a readable file, or - for standard input
    ");
    let folder = premath(&["harness-join-check", "--input", "conformance", "--json"], b"");
    insta::assert_snapshot!(folder.stderr, @r"
    error: environment: cannot read `conformance`: Is a directory (os error 21)
    hint: --input takes a readable file, or - for standard input
    ");
}

#[test]
fn a_dash_reads_standard_input() {
    let turn = br#"{"evidence":1}"#;
    let ran = premath(&["harness-join-check", "--input", "-"], turn);
    assert_eq!(ran.code, Some(2));
    let first = ran.stderr.lines().next();
    assert_eq!(first, Some("error: input.field_invalid: expected an object, found an integer at $.evidence"));
}

#[test]
fn every_exit_code_is_listed() {
    let ran = premath(&["help", "exit-codes"], b"");
    let listed: Vec<&str> =
        ran.stdout.lines().filter_map(|line| line.split_whitespace().next()).take(6).collect();
    assert_eq!(listed, ["0", "1", "2", "3", "4", "130"]);
    let ran = premath(&["help", "exit-codes", "--json"], b"");
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let codes: Vec<i64> =
        document["items"].as_array().unwrap().iter().map(|row| row["code"].as_i64().unwrap()).collect();
    assert_eq!(codes, [0, 1, 2, 3, 4, 130]);
}
