//! Session, feature ledger, trajectory and throughput figure through the command: shapes, exit codes, what stays.

#![expect(clippy::disallowed_methods, reason = "a test looks at the files that the command leaves")]
#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

mod error_document;
mod folder;

use error_document::answer_in;
use folder::Folder;
use premath_kernel::Moment;
use premath_wire::time::format_time;
use serde_json::{Value, json};

fn ready() -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder
}

fn keys(document: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = document.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

fn member<'d>(document: &'d Value, pointer: &str) -> &'d Value {
    let found = document.pointer(pointer);
    assert!(found.is_some(), "no {pointer} in {document}");
    found.unwrap()
}

fn append(folder: &Folder, step: &str, class: &str, more: &[&str]) -> Value {
    let words =
        ["harness-trajectory", "append", "--step-id", step, "--action", "apply", "--result-class", class];
    let (code, answer) = folder.json(&[&words, more].concat());
    assert_eq!(code, 0, "{answer}");
    answer
}

#[track_caller]
fn refused(folder: &Folder, arguments: &[&str], code: i32, first_line: &str) {
    let ran = folder.run(&[arguments, &["--json"]].concat());
    assert_eq!((ran.code, answer_in(ran.code, &ran.stdout)), (Some(code), ""), "{arguments:?}: {ran:?}");
    let mut lines = ran.stderr.lines();
    assert!(lines.next().unwrap().starts_with(first_line), "{arguments:?}: {}", ran.stderr);
    assert!(lines.next().unwrap().starts_with("hint: "), "{arguments:?}: {}", ran.stderr);
}

/// Seed: 002 §11/1, 002 §11/2, 002 §11/3, 002 §11/4, 002 §11/7, 002 §11/9, 002 §3.3/1
#[test]
fn flags_of_a_session_that_are_absent_keep_blank_clear_and_repeated_replace() {
    let folder = ready();
    let (code, new) = folder.json(&[
        "harness-session",
        "write",
        "--issue-id",
        "bd-7",
        "--summary",
        "half",
        "--next-step",
        "rest",
        "--witness-ref",
        "w2",
        "--witness-ref",
        " w1 ",
        "--witness-ref",
        "w2",
        "--lineage-ref",
        "ctx://a",
    ]);
    assert_eq!((code, keys(&new)), (0, vec!["action", "session", "sessionRef"]));
    assert_eq!(member(&new, "/session/state"), "stopped");
    assert_eq!(member(&new, "/session/witnessRefs"), &json!(["w1", "w2"]));
    let id = member(&new, "/session/sessionId").as_str().unwrap();
    assert!(id.starts_with("hs1_") && id.ends_with("Z_bd-7"), "{id}");
    let (_, kept) = folder.json(&["harness-session", "write", "--state", " Active "]);
    for same in [
        "sessionId",
        "startedAt",
        "issueId",
        "summary",
        "nextStep",
        "witnessRefs",
        "lineageRefs",
        "issuesPath",
    ] {
        let pointer = format!("/session/{same}");
        assert_eq!(member(&kept, &pointer), member(&new, &pointer));
    }
    assert_eq!(
        (member(&kept, "/session/state"), kept.pointer("/session/stoppedAt")),
        (&json!("active"), None)
    );
    let (_, cleared) = folder.json(&[
        "harness-session",
        "write",
        "--summary",
        " ",
        "--next-step",
        "",
        "--witness-ref",
        "",
        "--lineage-ref",
        "ctx://b",
    ]);
    for gone in ["summary", "nextStep", "witnessRefs"] {
        assert_eq!(cleared.pointer(&format!("/session/{gone}")), None);
    }
    assert_eq!(member(&cleared, "/session/lineageRefs"), &json!(["ctx://b"]));
    let (_, read) = folder.json(&["harness-session", "read"]);
    assert_eq!(
        (member(&read, "/session"), member(&read, "/action")),
        (member(&cleared, "/session"), &json!("harness.session.read"))
    );
}

/// Seed: 002 §11/4, 002 §11/5, 002 §11/6, 002 §3.1/3, 002 §7/1, 002 §7/2
#[test]
fn bootstrap_says_everything_a_fresh_process_needs() {
    let folder = ready();
    folder.json(&["issue", "add", "one"]);
    folder.json(&["harness-session", "write", "--issue-id", "bd-1", "--next-step", "go on"]);
    let ran = folder.run(&["harness-session", "bootstrap", "--json"]);
    let names = [
        "action",
        "bootstrapKind",
        "sessionRef",
        "sessionId",
        "mode",
        "resumeIssueId",
        "nextStep",
        "summary",
        "instructionRefs",
        "witnessRefs",
        "lineageRefs",
        "issuesPath",
        "issuesSnapshotRef",
        "snapshotMatches",
        "featureLedgerRef",
        "nextFeatureId",
        "featureClosureComplete",
        "featureCount",
        "startedAt",
        "updatedAt",
        "stoppedAt",
    ];
    let mut behind = 0;
    for name in names {
        let at = ran.stdout.find(&format!("\"{name}\":")).unwrap_or_else(|| panic!("no {name}"));
        assert!(at >= behind, "{name} is out of order");
        behind = at;
    }
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(keys(&answer).len(), names.len());
    assert_eq!(
        (member(&answer, "/mode"), member(&answer, "/snapshotMatches")),
        (&json!("resume"), &json!(true))
    );
    assert_eq!((member(&answer, "/featureCount"), member(&answer, "/summary")), (&Value::Null, &Value::Null));
    folder.json(&["issue", "add", "two"]);
    folder.json(&["harness-feature", "write", "--feature-id", "f1", "--status", "pending"]);
    folder.json(&["harness-session", "write", "--state", "active", "--issues", ""]);
    let (_, other) = folder.json(&["harness-session", "bootstrap"]);
    assert_eq!(
        (member(&other, "/mode"), member(&other, "/snapshotMatches")),
        (&json!("attach"), &Value::Null)
    );
    assert_eq!(
        (member(&other, "/nextFeatureId"), member(&other, "/featureCount")),
        (&json!("f1"), &json!(1))
    );
    assert_eq!(member(&other, "/featureLedgerRef"), ".premath/harness_feature_ledger.json");
}

/// Seed: 002 §11/8
#[test]
fn a_snapshot_stays_the_same_with_the_issues_and_no_longer() {
    let folder = ready();
    folder.json(&["issue", "add", "one"]);
    let snapshot =
        || folder.json(&["harness-session", "write"]).1.pointer("/session/issuesSnapshotRef").cloned();
    let first = snapshot();
    assert!(first.is_some());
    assert_eq!(snapshot(), first);
    folder.json(&["issue", "add", "two"]);
    assert_eq!(member(&folder.json(&["harness-session", "bootstrap"]).1, "/snapshotMatches"), &json!(false));
    assert_ne!(snapshot(), first);
}

/// Seed: 002 §7/2
#[test]
fn a_ledger_is_written_read_and_checked() {
    let folder = ready();
    let write = |id: &str, status: &str, more: &[&str]| {
        folder.json(&[&["harness-feature", "write", "--feature-id", id, "--status", status], more].concat())
    };
    let (code, refused) = write("f1", "completed", &[]);
    let class = "harness_feature_ledger.completed_missing_verification_ref";
    assert_eq!((code, member(&refused, "/failureClasses")), (1, &json!([class])));
    assert_eq!(member(&refused, "/reasons"), &json!([{ "class": class, "subject": "f1" }]));
    assert_eq!(write("f10", "Pending", &[]).0, 0);
    assert_eq!(write("f2", "in_progress", &[]).0, 0);
    let (code, crowded) = write("f3", "in_progress", &[]);
    assert_eq!(
        (code, member(&crowded, "/failureClasses/0")),
        (1, &json!("harness_feature_ledger.in_progress.non_contractible"))
    );
    assert_eq!(member(&folder.json(&["harness-feature", "next"]).1, "/nextFeatureId"), "f2");
    assert_eq!(folder.json(&["harness-feature", "check"]).0, 0);
    let (code, open) = folder.json(&["harness-feature", "check", "--require-closure"]);
    assert_eq!(
        (code, member(&open, "/failureClasses")),
        (1, &json!(["harness_feature_ledger.closure_incomplete"]))
    );
    assert_eq!(folder.json(&["harness-feature", "check", "--require-closure", "--exit-zero"]).0, 0);
    for id in ["f2", "f10"] {
        assert_eq!(write(id, "completed", &["--verification-ref", "w1_x"]).0, 0);
    }
    let (code, closed) = folder.json(&["harness-feature", "check", "--require-closure"]);
    assert_eq!((code, member(&closed, "/featureClosureComplete")), (0, &json!(true)));
    assert_eq!(member(&folder.json(&["harness-feature", "next"]).1, "/nextFeatureId"), &Value::Null);
    let (_, read) = folder.json(&["harness-feature", "read"]);
    assert_eq!(
        (member(&read, "/ledger/features/0/featureId"), member(&read, "/featureCount")),
        (&json!("f2"), &json!(2))
    );
}

/// Seed: 002 §12/1, 002 §12/2, 002 §12/3, 002 §12/9, 002 §12/11, 002 §12/12, 002 §6/1, 002 §7/6
#[test]
fn steps_are_appended_and_asked_for() {
    let folder = ready();
    let first = append(
        &folder,
        "w1.bd-1.1",
        "accepted",
        &["--finished-at", "2026-01-01T00:00:00Z", "--witness-ref", "w"],
    );
    append(
        &folder,
        "w1.bd-1.2",
        "network-timeout",
        &["--finished-at", "2026-01-01T00:00:02Z", "--failure-class", "x.y"],
    );
    let last = append(&folder, "w1.bd-1.3", "check_failed", &["--finished-at", "2026-01-01T02:00:01+02:00"]);
    assert_eq!((member(&first, "/row/seq"), member(&last, "/row/seq")), (&json!(1), &json!(3)));
    assert_eq!(member(&last, "/row/finishedAt"), "2026-01-01T00:00:01Z");
    let ids = |words: &[&str]| {
        let (code, answer) = folder.json(&[&["harness-trajectory", "query"], words].concat());
        assert_eq!(
            (code, member(&answer, "/projectionKind")),
            (0, &json!("premath.harness.trajectory.projection.v1"))
        );
        let counts =
            ["totalCount", "failedCount", "retryNeededCount"].map(|name| answer[name].as_u64().unwrap());
        assert_eq!(counts, [3, 2, 1]);
        let items = answer["items"].as_array().unwrap();
        items.iter().map(|row| row["stepId"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&[]), ["w1.bd-1.2", "w1.bd-1.3", "w1.bd-1.1"]);
    assert_eq!(ids(&["--mode", "failed", "--limit", "1"]), ["w1.bd-1.2"]);
    assert_eq!(ids(&["--mode", "retry-needed"]), ["w1.bd-1.2"]);
    let (_, grouped) =
        folder.json(&["harness-trajectory", "query", "--mode", "failed", "--group-by", "failure-class"]);
    let classes: Vec<&Value> =
        grouped["groups"].as_array().unwrap().iter().map(|group| &group["failureClass"]).collect();
    assert_eq!(classes, ["check_failed", "x.y"]);
    let ran = folder.run(&["harness-trajectory", "query", "--mode", "failed"]);
    assert!(ran.stdout.contains("2 of 3 steps; 2 failed, 1 worth another try"), "{ran:?}");
}

#[test]
fn lines_that_are_no_steps_are_warnings_and_never_an_error() {
    let folder = ready();
    append(&folder, "w1.bd-1.1", "ok", &[]);
    let sound = std::fs::read_to_string(folder.path().join(".premath/harness_trajectory.jsonl")).unwrap();
    folder.write(".premath/harness_trajectory.jsonl", format!("garbage\n{sound}{{\"half"));
    let (code, answer) = folder.json(&["harness-trajectory", "query"]);
    assert_eq!((code, member(&answer, "/totalCount")), (0, &json!(1)));
    let lines: Vec<&Value> =
        answer["warnings"].as_array().unwrap().iter().map(|warning| &warning["line"]).collect();
    assert!(lines.contains(&&json!(1)) && lines.contains(&&json!(3)), "{answer}");
    assert_eq!(folder.json(&["harness-kpi"]).0, 0);
}

#[test]
fn the_figure_has_a_history_window_by_window() {
    let folder = ready();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    for (step, class, hours) in [
        ("w.bd-1.1", "ok", 60),
        ("w.bd-1.2", "ok", 36),
        ("w.bd-1.3", "failed", 35),
        ("w.bd-1.4", "ok", 34),
        ("w.bd-1.5", "ok", 1),
    ] {
        let ended = Moment::new(i64::try_from(now - hours * 3600).unwrap(), 0).unwrap();
        append(&folder, step, class, &["--issue-id", "bd-1", "--finished-at", &format_time(ended)]);
    }
    let (code, answer) = folder.json(&["harness-kpi", "--history", "3"]);
    assert_eq!(code, 0);
    let rows = |member: &str| {
        let history = answer["history"].as_array().unwrap().iter();
        history.map(|point| point[member].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!((rows("windowRows"), rows("completedRows")), (vec![0, 1, 3], vec![0, 1, 2]), "{answer}");
    assert_eq!(member(&answer, "/counts/windowRows"), &json!(1));
    assert_eq!(member(&answer, "/history/2/state"), &json!("pass"));
    assert!(folder.json(&["harness-kpi"]).1.get("history").is_none());
    let ran = folder.run(&["harness-kpi", "--history", "3"]);
    assert!(ran.stdout.contains("2 of 3 completed"), "{ran:?}");
    refused(&folder, &["harness-kpi", "--history", "367"], 2, "error: input.field_invalid: ");
}

/// Seed: 002 §13/1, 002 §13/4, 002 §13/5
#[test]
fn the_figure_is_computed_decided_and_remedied() {
    let folder = ready();
    for (step, class) in
        [("w.bd-1.1", "ok"), ("w.bd-1.2", "passed"), ("w.bd-1.3", "completed"), ("w.bd-1.4", "failed")]
    {
        append(&folder, step, class, &["--issue-id", "bd-1"]);
    }
    let report = |words: &[&str]| {
        let ran = folder.run(&[&["harness-kpi", "--json"], words].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stdout
    };
    let state = |words: &[&str]| {
        let answer: Value = serde_json::from_str(&report(words)).unwrap();
        member(&answer, "/decision/state").as_str().unwrap().to_owned()
    };
    let text = report(&[]);
    let ratios = r#""ratios":{"gatePassRate":0.750000,"completedRowsPerDay":3.000000,"throughputPerWorkerPerDay":3.000000,"kpi":2.250000}"#;
    assert!(text.contains(ratios), "{text}");
    assert!(text.contains(r#""thresholds":{"target":0.800000,"rollback":0.400000,"minRows":3}"#), "{text}");
    assert!(
        text.contains(r#""kpiKind":"premath.multithread.throughput.v1""#)
            && text.contains(r#""latestRemediation":null"#),
        "{text}"
    );
    assert_eq!(state(&[]), "pass");
    assert_eq!(state(&["--target", "2.25"]), "pass");
    assert_eq!(state(&["--target", "2.250001"]), "watch");
    assert_eq!(state(&["--target", "3", "--rollback", "2.250001"]), "rollback");
    assert_eq!(state(&["--min-rows", "5"]), "insufficient_data");
    let (code, noted) = folder.json(&["harness-kpi", "remediate", "--note", " slower now "]);
    assert_eq!((code, member(&noted, "/remediation/note")), (0, &json!("slower now")));
    let after: Value = serde_json::from_str(&report(&[])).unwrap();
    assert_eq!(member(&after, "/latestRemediation"), member(&noted, "/remediation"));
}

#[test]
fn what_cannot_be_read_or_is_not_there_ends_with_its_code_and_prints_nothing() {
    let folder = ready();
    let invalid = "error: input.field_invalid: ";
    refused(&folder, &["harness-session", "write", "--state", "paused"], 2, invalid);
    refused(&folder, &["harness-feature", "write", "--feature-id", "f", "--status", "done"], 2, invalid);
    refused(&folder, &["harness-feature", "write", "--feature-id", " ", "--status", "pending"], 2, invalid);
    refused(
        &folder,
        &["harness-trajectory", "append", "--step-id", "", "--action", "a", "--result-class", "ok"],
        2,
        invalid,
    );
    let time = [
        "harness-trajectory",
        "append",
        "--step-id",
        "s",
        "--action",
        "a",
        "--result-class",
        "ok",
        "--finished-at",
        "now",
    ];
    refused(&folder, &time, 2, invalid);
    refused(&folder, &["harness-kpi", "remediate", "--note", " "], 2, invalid);
    refused(&folder, &["harness-session", "read"], 4, "error: environment: ");
    refused(&folder, &["harness-feature", "next"], 4, "error: environment: ");
    refused(&folder, &["harness-trajectory", "query", "--path", "mine.jsonl"], 4, "error: environment: ");
    append(&folder, "s", "ok", &[]);
    for words in [&["--mode", "best"][..], &["--group-by", "colour"]] {
        refused(&folder, &[&["harness-trajectory", "query"], words].concat(), 2, invalid);
    }
    for words in [&["--window-hours", "0"][..], &["--rollback", "0.9"]] {
        refused(&folder, &[&["harness-kpi"], words].concat(), 2, invalid);
    }
    for number in ["x", "-1", "0.1234567", "1e3", ""] {
        refused(&folder, &["harness-kpi", &format!("--target={number}")], 2, "error: usage: ");
    }
    folder.write(".premath/harness_session.json", "{");
    refused(&folder, &["harness-session", "write", "--summary", "s"], 4, "error: environment: ");
    assert_eq!(std::fs::read_to_string(folder.path().join(".premath/harness_session.json")).unwrap(), "{");
}

#[test]
fn the_envelope_carries_the_payload_and_why_it_was_refused() {
    let folder = ready();
    let ran =
        folder.run(&["harness-feature", "write", "--feature-id", "f", "--status", "completed", "--envelope"]);
    let effect: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, member(&effect, "/schema")), (Some(1), &json!("premath.host_effect.v0")));
    assert_eq!(
        (member(&effect, "/action"), member(&effect, "/resultClass")),
        (&json!("harness.feature.write"), &json!("rejected"))
    );
    assert_eq!(member(&effect, "/failureClasses"), member(&effect, "/payload/failureClasses"));
}

#[test]
fn workers_have_lanes_of_their_own() {
    let folder = ready();
    std::fs::create_dir_all(folder.path().join(".premath/workers/w1")).unwrap();
    let lane = |name: &str| format!(".premath/workers/w1/{name}");
    let (session, ledger) = (lane("harness_session.json"), lane("harness_feature_ledger.json"));
    folder.json(&["harness-session", "write", "--path", &session, "--state", "active"]);
    folder.json(&[
        "harness-feature",
        "write",
        "--path",
        &ledger,
        "--feature-id",
        "f9",
        "--status",
        "pending",
    ]);
    let (_, answer) = folder.json(&["harness-session", "bootstrap", "--path", &session]);
    assert_eq!(
        (member(&answer, "/nextFeatureId"), member(&answer, "/featureLedgerRef")),
        (&json!("f9"), &json!(ledger))
    );
    assert!(!folder.path().join(".premath/harness_session.json").exists());
}

/// Every file below a folder, with what is in it.
fn files(folder: &std::path::Path) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut found = std::collections::BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), std::fs::read(&path).unwrap_or_default());
        }
    }
    found
}

/// Seed: 002 §6/4, 002 §13/8
#[test]
fn no_lane_is_written_over_what_has_another_meaning() {
    let folder = ready();
    folder.run(&["issue", "add", "First"]);
    std::os::unix::fs::symlink(".premath/issues.jsonl", folder.path().join("link.jsonl")).unwrap();
    std::os::unix::fs::symlink("policies", folder.path().join("rules")).unwrap();
    let absolute = folder.path().join(".premath/issues.jsonl").display().to_string();
    let session = ["harness-session", "write", "--state", "active", "--path"];
    let feature = ["harness-feature", "write", "--feature-id", "f", "--status", "pending", "--path"];
    let step =
        ["harness-trajectory", "append", "--step-id", "s", "--action", "a", "--result-class", "ok", "--path"];
    let remedy = ["harness-kpi", "remediate", "--note", "x", "--path"];
    let lanes: [(&[&str], &str); 4] = [
        (&session, ".premath/harness_session.json"),
        (&feature, ".premath/harness_feature_ledger.json"),
        (&step, ".premath/harness_trajectory.jsonl"),
        (&remedy, ".premath/harness_trajectory.jsonl"),
    ];
    let taken = [
        ".premath/issues.jsonl",
        "./.premath/../.premath/issues.jsonl",
        absolute.as_str(),
        "link.jsonl",
        ".premath/issues.jsonl.head",
        ".premath/issues.history.jsonl",
        ".premath/audit.jsonl",
        ".premath/permits/new.jsonl",
        ".premath/runs/new/journal.jsonl",
        "policies/instruction/new.json",
        "rules/instruction/new.json",
        "premath.toml",
    ];
    let before = files(folder.path());
    for (command, own) in lanes {
        let others = lanes.iter().map(|(_, other)| *other).filter(|other| *other != own);
        for path in taken.into_iter().chain(others) {
            refused(&folder, &[command, &[path]].concat(), 2, "error: input.field_invalid: ");
            assert_eq!(files(folder.path()), before, "{command:?} {path}");
        }
    }
    let elsewhere = folder.path().join("policies");
    let mut command = folder.command(&[&step[..], &["../.premath/issues.jsonl"]].concat());
    let output = command.current_dir(&elsewhere).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(files(folder.path()), before);
    for (command, own) in lanes {
        let ran = folder.run(&[command, &[own]].concat());
        assert_eq!(ran.code, Some(0), "{command:?} {own}: {ran:?}");
    }
}
