//! `premath scheme-eval` from outside: what programs read, what they change and on whose strength, what they are refused,
//! how their traces run again.

#![expect(clippy::unwrap_used, reason = "a command that cannot be started fails the test")]
#![expect(clippy::indexing_slicing, reason = "a member that is not there fails the test")]
#![expect(clippy::disallowed_methods, reason = "files are edited behind premath's back")]

mod error_document;
mod folder;

use std::fs;

use error_document::answer_in;
use folder::Folder;
use serde_json::{Value, json};

const ID: &str = "20261115T071252Z-all";
const ONE: &str = "20261115T071253Z-one";
const MISSING: &str = "mutation.use_evidence_missing";

fn read(folder: &Folder, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

fn instruct(folder: &Folder, id: &str, scope: &Value, claims: &[&str]) {
    let policy: Value = serde_json::from_str(&read(folder, "policies/instruction/default.json")).unwrap();
    let envelope = json!({
        "schema": 1,
        "intent": "work on issues",
        "scope": scope,
        "normalizerId": "premath.normalizer.v1",
        "policyDigest": policy["policyDigest"],
        "requestedChecks": ["graph"],
        "capabilityClaims": claims,
    });
    folder.write(&format!("instructions/{id}.json"), envelope.to_string());
}

/// A repository with three issues and an instruction about all of them.
fn repository() -> Folder {
    let folder = Folder::new();
    folder.run(&["init"]);
    for title in ["First", "Second", "Third"] {
        assert_eq!(folder.run(&["issue", "add", title]).code, Some(0));
    }
    instruct(&folder, ID, &json!("repository"), &["capabilities.change_morphisms.all"]);
    assert_eq!(folder.run(&["instruction-run", &format!("instructions/{ID}.json")]).code, Some(0));
    folder
}

fn eval(folder: &Folder, program: &str, more: &[&str]) -> (i32, Value) {
    folder.json(&[["scheme-eval", "-e", program].as_slice(), more].concat())
}

/// The value of a program that must come to one.
#[track_caller]
fn value(folder: &Folder, program: &str, more: &[&str]) -> Value {
    let (code, answer) = eval(folder, program, more);
    assert_eq!(code, 0, "{program}: {answer}");
    answer["value"].clone()
}

/// A program that must fail with this class, and change nothing.
#[track_caller]
fn refused(folder: &Folder, program: &str, more: &[&str], class: &str) -> Value {
    let before = read(folder, ".premath/issues.jsonl");
    let (code, answer) = eval(folder, program, more);
    assert_eq!((code, &answer["error"]["class"]), (1, &json!(class)), "{program}: {answer}");
    assert_eq!(read(folder, ".premath/issues.jsonl"), before, "{program} changed something");
    let caught = format!("(guard (e (#t (error-class e))) {program})");
    assert_eq!(value(folder, &caught, more), class, "{program} is no condition");
    answer
}

fn rows(folder: &Folder) -> Vec<Value> {
    let journal = read(folder, ".premath/doors/scheme/journal.jsonl");
    journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].clone()).collect()
}

#[test]
fn a_program_reads_and_prints_what_it_wrote_and_then_its_value() {
    let folder = repository();
    let ran = folder.run(&["scheme-eval", "-e", "(display \"ready:\") (map issue-id (issue-ready))"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "ready:\n(\"bd-1\" \"bd-2\" \"bd-3\")\n"),
        "{}",
        ran.stderr
    );
    folder.write("triage.scm", "; a comment\n(length (issue-list))\n");
    let ran = folder.run(&["scheme-eval", "--program", "triage.scm"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "3\n"));
}

/// Seed: 002 §14.2/1, 002 §14.2/2, 002 §14.2/3, 002 §14.2/4, 002 §14.2/5, 002 §14.2/6, 002 §14.4/1
#[test]
fn every_reading_function_answers_a_program() {
    let folder = repository();
    let programs = [
        ("(length (audit-query))", json!(4)),
        ("(json-ref (audit-why \"bd-1\") \"action\")", json!("audit.why")),
        ("(json-ref (coherence-check) \"action\")", json!("coherence.check")),
        ("(json-ref (dep-diagnostics) \"action\")", json!("dep.diagnostics")),
        ("(json-ref (dep-project) \"action\")", json!("dep.project")),
        ("(json-ref (failure-explain \"tool.result_orphan\") \"class\")", json!("tool.result_orphan")),
        ("(json-ref (harness-kpi-report) \"action\")", json!("harness.kpi.report")),
        ("(harness-trajectory-query)", json!([])),
        (
            "(json-ref (instruction-check \"instructions/20261115T071252Z-all.json\") \"decision\")",
            json!("execute"),
        ),
        ("(json-ref (instruction-witness \"20261115T071252Z-all\") \"isValid\")", json!(true)),
        ("(json-ref (issue-backend-status) \"action\")", json!("issue.backend_status")),
        ("(issue-blocked)", json!([])),
        ("(json-ref (issue-check) \"action\")", json!("issue.check")),
        ("(length (issue-history \"bd-1\"))", json!(1)),
        ("(issue-lease-projection)", json!([])),
        ("(map issue-title (issue-list (hash-table \"limit\" 2)))", json!(["First", "Second"])),
        ("(issue-status (issue-show \"bd-2\"))", json!("open")),
        ("(json-ref (metrics-read) \"action\")", json!("metrics.read")),
        ("(length (permit-list))", json!(1)),
        ("(policy-history)", json!([])),
        ("(json-ref (policy-show) \"action\")", json!("policy.show")),
        ("(run-list)", json!([])),
        ("(json-ref (schema-show \"host-effect\") \"title\")", json!("HostEffect")),
        ("(json-ref (workspace-verify) \"ok\")", json!(true)),
        (
            "(json-ref (host-call \"issue.ready\" (hash-table \"limit\" 1)) \"schema\")",
            json!("premath.host_effect.v0"),
        ),
    ];
    for (program, expected) in programs {
        assert_eq!(value(&folder, program, &["--read-only"]), expected, "{program}");
    }
    folder.run(&["observe-build"]);
    assert_eq!(value(&folder, "(json-ref (observe-latest) \"action\")", &[]), "observe.latest");
    assert!(value(&folder, "(observe-needs-attention)", &[]).is_array());
    assert!(value(&folder, "(observe-projection)", &[]).is_array());
    let about = format!("(json-ref (observe-instruction \"{ID}\") \"instruction\" \"verdictClass\")");
    assert_eq!(value(&folder, &about, &[]), "accepted");
}

/// Seed: 002 §14.2/7, 002 §14.2/8, 002 §14.2/9, 002 §14.2/10, 002 §14.4/3
#[test]
fn every_changing_function_changes_on_the_strength_of_an_instruction() {
    let folder = repository();
    let by = ["--instruction", ID];
    let programs = [
        ("(issue-id (issue-add \"Fourth\" (hash-table \"id\" \"bd-4\" \"labels\" '(\"x\"))))", json!("bd-4")),
        ("(issue-status (issue-update \"bd-4\" (hash-table \"status\" \"blocked\")))", json!("blocked")),
        ("(issue-assignee (issue-claim \"bd-1\" \"ann\"))", json!("ann")),
        ("(issue-id (issue-lease-renew \"bd-1\" (hash-table \"owner\" \"ann\" \"fence\" 1)))", json!("bd-1")),
        (
            "(issue-id (issue-lease-release \"bd-1\" (hash-table \"owner\" \"ann\" \"fence\" 1)))",
            json!("bd-1"),
        ),
        ("(issue-id (issue-claim-next \"bob\"))", json!("bd-1")),
        ("(issue-title (issue-discover \"bd-2\" \"Found\"))", json!("Found")),
        ("(issue-dependencies (dep-add \"bd-3\" \"bd-2\"))", json!(["bd-2"])),
        ("(issue-id (dep-replace \"bd-3\" \"bd-2\" (hash-table \"type\" \"related\")))", json!("bd-3")),
        ("(issue-dependencies (dep-remove \"bd-3\" \"bd-2\"))", json!([])),
        (
            "(json-ref (harness-session-write (hash-table \"summary\" \"S\" \"state\" \"active\")) \"session\" \"summary\")",
            json!("S"),
        ),
        ("(json-ref (harness-feature-write \"one\" \"pending\") \"result\")", json!("accepted")),
        (
            "(json-ref (harness-trajectory-append \"s.1\" \"issue.update\" \"accepted\") \"row\" \"stepId\")",
            json!("s.1"),
        ),
        (
            "(json-ref (instruction-run \"instructions/20261115T071252Z-all.json\") \"witness\" \"verdictClass\")",
            json!("accepted"),
        ),
    ];
    for (program, expected) in programs {
        let (code, answer) = eval(&folder, program, &by);
        assert_eq!((code, &answer["value"]), (0, &expected), "{program}: {answer}");
        let effect = &answer["effects"][0];
        assert_eq!(effect["schema"], "premath.host_effect.v0");
        assert_eq!(effect["instructionRef"], format!("instruction://{ID}"), "{program}: {effect}");
        assert!(effect["policyDigest"].as_str().unwrap().starts_with("pol1_"), "{program}: {effect}");
        assert!(effect["argsDigest"].as_str().unwrap().starts_with("he1_"), "{program}: {effect}");
    }
    assert_eq!(value(&folder, "(json-ref (harness-session-read) \"session\" \"summary\")", &[]), "S");
    assert_eq!(value(&folder, "(json-ref (harness-session-bootstrap) \"mode\")", &[]), "attach");
    assert_eq!(value(&folder, "(json-ref (harness-feature-next) \"nextFeatureId\")", &[]), "one");
    assert_eq!(value(&folder, "(json-ref (harness-feature-read) \"featureCount\")", &[]), 1);
    assert_eq!(value(&folder, "(json-ref (harness-feature-check) \"result\")", &[]), "accepted");
    let (_, permits) = folder.json(&["permits", "list"]);
    let doors: Vec<&str> =
        permits["items"].as_array().unwrap().iter().filter_map(|row| row["door"].as_str()).collect();
    assert!(doors.iter().any(|door| door.starts_with("scheme:sp1_")), "{doors:?}");
    assert_eq!(folder.json(&["verify"]).0, 0);
    assert_eq!(folder.json(&["audit", "verify"]).0, 0);
}

/// Seed: 002 §14/3
#[test]
fn a_change_without_an_instruction_is_refused_whatever_a_person_may_do() {
    let folder = repository();
    for program in [
        "(issue-update \"bd-1\" (hash-table \"notes\" \"x\"))",
        "(issue-claim \"bd-1\" \"ann\")",
        "(issue-add \"New\")",
        "(dep-add \"bd-1\" \"bd-2\")",
        "(harness-session-write (hash-table \"summary\" \"x\"))",
        "(harness-feature-write \"one\" \"pending\")",
        "(harness-trajectory-append \"s\" \"a\" \"accepted\")",
        "(host-call \"issue.update\" (hash-table \"id\" \"bd-1\" \"notes\" \"x\"))",
    ] {
        let answer = refused(&folder, program, &[], MISSING);
        let effect = &answer["effects"][0];
        assert_eq!(
            (&effect["resultClass"], &effect["failureClasses"]),
            (&json!("rejected"), &json!([MISSING]))
        );
        let (_, rows) = folder.json(&["audit", "query", "--limit", "1"]);
        assert_eq!(
            (&rows["items"][0]["effect"], &rows["items"][0]["code"]),
            (&json!("deny"), &json!(MISSING))
        );
    }
    assert!(!folder.path().join(".premath/harness_session.json").exists());
}

#[test]
fn an_instruction_covers_its_issue_and_its_actions_and_an_edited_witness_nothing() {
    let folder = repository();
    instruct(&folder, ONE, &json!({"issueId": "bd-1"}), &["capabilities.change_morphisms.issue_update"]);
    folder.run(&["instruction-run", &format!("instructions/{ONE}.json")]);
    let by = ["--instruction", ONE];
    let update = |id: &str| format!("(issue-update \"{id}\" (hash-table \"notes\" \"x\"))");
    assert_eq!(eval(&folder, &update("bd-1"), &by).0, 0);
    refused(&folder, &update("bd-2"), &by, MISSING);
    refused(&folder, "(issue-claim \"bd-1\" \"ann\")", &by, "mutation.capability_claim_missing");
    // A record needs no claim, for it is nobody's authority; but its instruction must reach what it names.
    let record =
        |id: &str| format!("(harness-session-write (hash-table \"issueId\" \"{id}\" \"summary\" \"x\"))");
    refused(&folder, &record("bd-2"), &by, MISSING);
    assert_eq!(eval(&folder, &record("bd-1"), &by).0, 0);
    refused(&folder, &update("bd-1"), &["--instruction", "20261115T071254Z-none"], MISSING);
    let place = format!("artifacts/ciwitness/{ONE}.json");
    folder.write(&place, read(&folder, &place).replace("\"bd-1\"", "\"bd-2\""));
    refused(&folder, &update("bd-1"), &by, MISSING);
    refused(&folder, &update("bd-2"), &by, MISSING);
}

/// Seed: 002 §14/4, 002 §14/2
#[test]
fn what_programs_do_not_have_is_denied_with_its_class() {
    let folder = repository();
    let by = ["--instruction", ID];
    let denied = "effect_denied";
    for action in [
        "model.ask",
        "run.start",
        "sandbox.run",
        "harness.step",
        "policy.promote",
        "approval.approve",
        "workspace.init",
        "workspace.doctor",
        "workspace.trust",
        "issue.import",
        "issue.export",
        "scheme.eval",
        "config.show",
        "desk.show",
    ] {
        let answer = refused(&folder, &format!("(host-call \"{action}\")"), &by, denied);
        assert!(answer["error"]["message"].as_str().unwrap().contains(action), "{answer}");
    }
    refused(&folder, "(host-call \"issue.fly\")", &by, "host_action_unknown");
    for program in [
        "(issue-list (hash-table \"issues\" \"/etc/passwd\"))",
        "(issue-add \"x\" (hash-table \"issues\" \"other.jsonl\"))",
        "(harness-session-read (hash-table \"path\" \"premath.toml\"))",
        "(harness-session-bootstrap (hash-table \"featureLedger\" \"x\"))",
        "(harness-trajectory-append \"s\" \"a\" \"accepted\" (hash-table \"path\" \"x\"))",
        "(required-gate-ref (hash-table \"outcome\" \"/etc/passwd\"))",
        "(required-decision-verify (hash-table \"witness\" \"x\"))",
        "(instruction-check \"../secret.json\")",
        "(instruction-run \"/tmp/20261115T071252Z-x.json\")",
        "(instruction-check \"instructions/../premath.toml\")",
        "(host-call \"issue.list\" (hash-table \"issues\" \"x\"))",
    ] {
        refused(&folder, program, &by, denied);
    }
    for program in [
        "(issue-update \"bd-1\" (hash-table \"notes\" \"x\"))",
        "(instruction-run \"x\")",
        "(harness-session-write (hash-table \"summary\" \"x\"))",
        "(issue-claim \"bd-1\" (hash-table \"issues\" \"x\"))",
    ] {
        refused(&folder, program, &["--read-only", "--instruction", ID], denied);
    }
}

#[test]
fn arguments_that_are_wrong_are_conditions_with_the_class_of_input() {
    let folder = repository();
    for (program, class) in [
        ("(issue-show)", "input.field_missing"),
        ("(issue-show 5)", "input.field_invalid"),
        ("(issue-show \"bd-1\" (hash-table \"id\" \"bd-2\"))", "input.field_invalid"),
        ("(issue-list (hash-table \"statsu\" \"open\"))", "input.field_invalid"),
        ("(issue-list \"open\")", "input.field_invalid"),
        ("(host-call \"issue.list\" 5)", "input.field_invalid"),
        ("(host-call 5)", "input.field_invalid"),
        ("(issue-show \"zz\")", "issue_not_found"),
        ("(harness-session-read)", "environment"),
    ] {
        refused(&folder, program, &[], class);
    }
}

#[test]
fn a_used_up_budget_has_its_class_and_nothing_catches_it() {
    let folder = repository();
    let (code, answer) =
        eval(&folder, "(guard (e (#t 1)) (let loop () (issue-ready) (loop)))", &["--max-calls", "3"]);
    assert_eq!((code, &answer["error"]["class"]), (1, &json!("host_call_budget_exceeded")), "{answer}");
    assert_eq!((&answer["callCount"], &answer["error"]["kind"]), (&json!(3), &json!("budget.host_calls")));
    let (code, answer) = eval(&folder, "(let loop () (loop))", &["--fuel", "1000"]);
    assert_eq!((code, &answer["error"]["class"]), (1, &json!("budget.fuel")), "{answer}");
}

#[test]
fn a_text_that_is_no_program_is_unusable_input() {
    let folder = repository();
    let ran = folder.run(&["scheme-eval", "-e", "(car '(1 2)", "--json"]);
    assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(2), ""));
    assert!(ran.stderr.starts_with("error: scheme_syntax: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 | (car '(1 2)"), "{}", ran.stderr);
    let ran = folder.run(&["scheme-eval"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("--program"), "{}", ran.stderr);
    let ran = folder.run(&["scheme-eval", "-e", "\n(define (f x) (+ 1 (car x)))\n(f 5)"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.contains("error: scheme_type: ") && ran.stderr.contains("--> 2:20"), "{}", ran.stderr);
}

/// Seed: 002 §14.3/2
#[test]
fn a_program_leaves_its_rows_and_one_that_calls_nothing_leaves_none() {
    let folder = repository();
    assert_eq!(value(&folder, "(* 6 7)", &[]), 42);
    assert!(!folder.path().join(".premath/doors/scheme").exists());
    let program = "(issue-list) (issue-update \"bd-1\" (hash-table \"notes\" \"x\")) (issue-ready)";
    let (_, answer) = eval(&folder, program, &["--instruction", ID]);
    let rows = rows(&folder);
    let kinds: Vec<&str> = rows.iter().map(|row| row["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "scheme.begin",
            "scheme.call",
            "scheme.intent",
            "harness.turn",
            "harness.applied",
            "scheme.call",
            "scheme.call",
            "scheme.end"
        ]
    );
    assert_eq!((&rows[0]["program"], &rows[0]["instruction"]), (&json!(program), &json!(ID)));
    assert_eq!(rows[0]["programDigest"], answer["programDigest"]);
    assert_eq!((&rows[2]["action"], &rows[2]["index"]), (&json!("issue.update"), &json!(1)));
    assert_eq!(rows[4]["callId"], format!("{}.1", answer["evaluationId"].as_str().unwrap()));
    assert_eq!(
        (&rows[7]["traceDigest"], &rows[7]["resultDigest"]),
        (&answer["traceDigest"], &answer["resultDigest"])
    );
    assert_eq!(folder.json(&["verify"]).0, 0);
    let nowhere = Folder::new();
    assert_eq!(
        nowhere.json(&["scheme-eval", "-e", "(guard (e (#t (error-class e))) (issue-list))"]).1["value"],
        "environment"
    );
    assert!(!nowhere.path().join(".premath").exists());
}

#[test]
fn a_long_program_is_kept_as_an_object_that_verify_looks_for() {
    let folder = repository();
    let program = format!("(string-length \"{}\") (length (issue-list))", "x".repeat(20_000));
    assert_eq!(value(&folder, &program, &[]), 3);
    let begin = rows(&folder).remove(0);
    assert_eq!(begin["program"], Value::Null);
    let kept = begin["objectRef"].as_str().unwrap().strip_prefix("object://sha256:").unwrap().to_owned();
    let (shelf, name) = kept.split_at(2);
    assert_eq!(read(&folder, &format!(".premath/objects/{shelf}/{name}")), program);
    assert_eq!(folder.json(&["verify"]).0, 0);
    fs::remove_file(folder.path().join(format!(".premath/objects/{shelf}/{name}"))).unwrap();
    assert_eq!(folder.json(&["verify"]).0, 1);
}

#[test]
fn a_check_that_says_no_is_an_answer_and_not_a_failure() {
    let folder = repository();
    let row = json!({
        "id": "web-1", "title": "Theirs", "status": "open",
        "dependencies": [{"issue_id": "web-1", "depends_on_id": "gone", "type": "blocks"}],
    });
    folder.write("rows.jsonl", format!("{row}\n"));
    assert_eq!(folder.run(&["issue", "import", "rows.jsonl"]).code, Some(0));
    let envelope = value(&folder, "(host-call \"dep.diagnostics\")", &["--read-only"]);
    assert_eq!(envelope["resultClass"], "rejected", "{envelope}");
    assert_eq!(value(&folder, "(dep-diagnostics)", &["--read-only"]), envelope["payload"]);
}

#[test]
fn where_the_journal_cannot_be_written_a_program_reads_and_changes_nothing() {
    let folder = repository();
    fs::create_dir_all(folder.path().join(".premath/doors/scheme/journal.jsonl")).unwrap();
    let by = ["--instruction", ID];
    let ran = folder.run(&["scheme-eval", "-e", "(length (issue-list))"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "3\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("not in the journal"), "{}", ran.stderr);
    refused(&folder, "(issue-update \"bd-1\" (hash-table \"notes\" \"x\"))", &by, "environment");
    refused(&folder, "(harness-session-write (hash-table \"summary\" \"x\"))", &by, "environment");
    assert!(!folder.path().join(".premath/harness_session.json").exists());
}

#[test]
fn a_process_that_premath_started_changes_nothing_by_a_program() {
    let folder = repository();
    let program = "(list (guard (e (#t (error-class e))) (issue-update \"bd-1\" (hash-table \"notes\" \"x\"))) \
                   (guard (e (#t (error-class e))) (harness-session-write (hash-table \"summary\" \"x\"))) \
                   (guard (e (#t (error-class e))) (instruction-run \"instructions/20261115T071252Z-all.json\")))";
    let mut command = folder.command(&["scheme-eval", "-e", program, "--instruction", ID, "--json"]);
    let output = command.env("PREMATH_STEP_TOKEN", "a-step").output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["value"], json!([MISSING, MISSING, MISSING]), "{answer}");
}

#[test]
fn a_trace_runs_again_to_the_same_bytes_without_a_repository() {
    let folder = repository();
    let program = "(display \"x\") (issue-update \"bd-1\" (hash-table \"notes\" \"n\")) \
                   (list (map issue-id (issue-ready)) (guard (e (#t (error-class e))) (issue-show \"zz\")))";
    let (code, first) = eval(&folder, program, &["--instruction", ID, "--trace", "one.json"]);
    assert_eq!(code, 0, "{first}");
    let elsewhere = Folder::new();
    elsewhere.write("one.json", read(&folder, "one.json"));
    let (code, again) = elsewhere.json(&["scheme-eval", "--replay", "one.json", "--trace", "two.json"]);
    assert_eq!(code, 0, "{again}");
    for member in ["programDigest", "resultDigest", "traceDigest", "value", "output", "usage", "effects"] {
        assert_eq!(first[member], again[member], "{member}");
    }
    assert_eq!(read(&elsewhere, "one.json"), read(&elsewhere, "two.json"));
    let spaced = format!("; another look\n{program}");
    assert_eq!(elsewhere.json(&["scheme-eval", "--replay", "one.json", "-e", &spaced]).0, 0);
    let ran = elsewhere.run(&["scheme-eval", "--replay", "one.json", "-e", "(issue-ready)"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.starts_with("error: scheme_replay_diverged: "), "{}", ran.stderr);
    assert!(!elsewhere.path().join(".premath").exists());
}

#[test]
fn a_trace_that_was_changed_anywhere_is_refused() {
    let folder = repository();
    eval(&folder, "(display \"x\") (length (issue-ready))", &["--trace", "one.json"]);
    let trace = read(&folder, "one.json");
    // One byte of every hundred, and whole members.
    let places = (0..trace.len() - 1).step_by(97);
    for place in places {
        let mut bytes = trace.clone().into_bytes();
        bytes[place] = if bytes[place] == b'0' { b'1' } else { b'0' };
        folder.write("changed.json", &bytes);
        let ran = folder.run(&["scheme-eval", "--replay", "changed.json"]);
        assert_eq!(
            (ran.code, answer_in(ran.code, &ran.stdout)),
            (Some(2), ""),
            "byte {place}: {}",
            ran.stderr
        );
        assert!(ran.stderr.starts_with("error: scheme_trace_invalid: "), "byte {place}: {}", ran.stderr);
    }
    for (from, to) in
        [("\"schema\":1", "\"schema\": 1"), ("\"readOnly\":false", "\"readOnly\":false,\"x\":1"), ("}\n", "")]
    {
        folder.write("changed.json", trace.replacen(from, to, usize::MAX));
        assert_eq!(folder.run(&["scheme-eval", "--replay", "changed.json"]).code, Some(2), "{from}");
    }
}
