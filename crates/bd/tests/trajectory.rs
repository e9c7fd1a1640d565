//! The trajectory on a real file system: what is appended, how the chain is followed, and what queries answer.

#![expect(clippy::disallowed_methods, reason = "the tests look at, damage and restore the files themselves")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod steps;

use std::fs;
use std::sync::Arc;

use premath_bd::{
    Chaining, Grouping, Log, NewStep, OsDisk, ProblemClass, Query, RemediationLog, StoreError, Trajectory,
    verify_log,
};
use premath_kernel::{Moment, Value};
use premath_wire::v1::ProjectionMode;
use steps::Lane;

fn at(seconds: i64) -> Moment {
    Moment::new(1_700_000_000 + seconds, 0).unwrap()
}

fn step(id: &str, result: &str) -> NewStep {
    NewStep { step_id: id.into(), action: "step".into(), result_class: result.into(), ..NewStep::default() }
}

fn text<'v>(row: &'v Value<'_>, name: &str) -> &'v str {
    row.as_object().unwrap().get(name).and_then(Value::as_text).unwrap_or_default()
}

fn number(row: &Value<'_>, name: &str) -> Option<u64> {
    row.as_object().unwrap().get(name)?.as_number()?.as_u64()
}

fn query(mode: ProjectionMode, limit: usize) -> Query {
    Query { mode, limit, grouping: Grouping::None }
}

fn problems(trajectory: &Trajectory) -> Vec<(ProblemClass, Option<u64>)> {
    let report = trajectory.verify().unwrap();
    report.problems.kept().iter().map(|problem| (problem.class, problem.line)).collect()
}

/// A lane with rows 1 to `count`, written by us.
fn written(count: i64) -> (Lane, Trajectory) {
    let lane = Lane::new();
    let trajectory = lane.trajectory();
    for index in 0..count {
        trajectory.append(&step(&format!("w1.bd-1.{index}"), "ok"), &at(index)).unwrap();
    }
    (lane, trajectory)
}

#[test]
fn rows_are_numbered_from_one_and_name_the_row_before() {
    let lane = Lane::new();
    let trajectory = lane.trajectory();
    let first = trajectory.append(&step("w1.bd-1.1", "accepted"), &at(0)).unwrap();
    let second = trajectory.append(&step("w1.bd-1.2", "check_failed"), &at(1)).unwrap();
    assert_eq!((number(&first, "seq"), number(&second, "seq")), (Some(1), Some(2)));
    assert_eq!(first.as_object().unwrap().get("prev"), None);
    assert_eq!(text(&second, "prev"), text(&first, "rowDigest"));
    let unsealed = Value::Object(second.as_object().unwrap().without("rowDigest"));
    assert_eq!(text(&second, "rowDigest"), premath_kernel::Digest::of(&unsealed).as_str());
    assert_eq!(problems(&trajectory), []);
}

/// Seed: 002 §12/6, 002 §12/7
#[test]
fn a_row_is_normal_whatever_the_caller_hands_in() {
    let lane = Lane::new();
    let refs = |refs: &[&str]| refs.iter().map(|reference| (*reference).to_owned()).collect::<Vec<_>>();
    let row = lane.trajectory().append(
        &NewStep {
            step_id: "  w1.bd-1.1 ".into(),
            action: "\tstep\n".into(),
            result_class: " OK ".into(),
            finished_at: Some("2026-11-15T09:12:52.5+02:00".into()),
            started_at: Some("   ".into()),
            issue_id: Some(" ".into()),
            next_step: Some(" go on ".into()),
            witness_refs: refs(&["b", " a ", "b", "", "a"]),
            lineage_refs: refs(&[" ", ""]),
            ..NewStep::default()
        },
        &at(0),
    );
    let row = row.unwrap();
    assert_eq!(
        (text(&row, "stepId"), text(&row, "action"), text(&row, "resultClass")),
        ("w1.bd-1.1", "step", "OK")
    );
    assert_eq!((text(&row, "finishedAt"), text(&row, "nextStep")), ("2026-11-15T07:12:52.5Z", "go on"));
    let members: Vec<&str> = row.as_object().unwrap().iter().map(|(name, _)| name).collect();
    for absent in ["startedAt", "issueId", "lineageRefs", "failureClasses"] {
        assert!(!members.contains(&absent), "{absent} in {members:?}");
    }
    assert_eq!(row.as_object().unwrap().get("witnessRefs"), Some(&Value::text_list(["a", "b"])));
}

/// Seed: 002 §12/8, 002 §12/2
#[test]
fn what_is_missing_or_malformed_is_refused_by_its_path_and_nothing_is_written() {
    let lane = Lane::new();
    let good = NewStep { finished_at: Some("2026-11-15T07:12:52Z".into()), ..step("s", "ok") };
    let cases = [
        ("$.stepId", NewStep { step_id: " ".into(), ..good.clone() }),
        ("$.action", NewStep { action: String::new(), ..good.clone() }),
        ("$.resultClass", NewStep { result_class: "\t".into(), ..good.clone() }),
        ("$.finishedAt", NewStep { finished_at: Some("2026-11-15 07:12:52Z".into()), ..good.clone() }),
        ("$.finishedAt", NewStep { finished_at: Some("yesterday".into()), ..good.clone() }),
        ("$.startedAt", NewStep { started_at: Some("2026-02-30T00:00:00Z".into()), ..good.clone() }),
    ];
    for (path, case) in cases {
        let error = lane.trajectory().append(&case, &at(0)).unwrap_err();
        assert!(
            matches!(&error, StoreError::Input(input) if input.path.to_string() == path),
            "{path}: {error}"
        );
    }
    assert!(!lane.path.exists());
    lane.trajectory().append(&good, &at(0)).unwrap();
}

#[test]
fn an_edited_row_is_found_by_its_line() {
    let (lane, trajectory) = written(5);
    lane.edit(|lines| lines[2] = lines[2].replace("\"ok\"", "\"no\""));
    let found = problems(&trajectory);
    assert!(found.contains(&(ProblemClass::RowDigestMismatch, Some(3))), "{found:?}");
    assert!(found.contains(&(ProblemClass::LogChanged, None)), "{found:?}");
}

#[test]
fn a_removed_row_is_found_where_it_is_missing() {
    let (lane, trajectory) = written(5);
    lane.edit(|lines| drop(lines.remove(2)));
    let found = problems(&trajectory);
    assert!(found.contains(&(ProblemClass::ChainBroken, Some(3))), "{found:?}");
    assert!(found.contains(&(ProblemClass::LogShorter, None)), "{found:?}");
}

#[test]
fn swapped_and_duplicated_rows_are_found() {
    let (lane, trajectory) = written(5);
    lane.edit(|lines| lines.swap(1, 2));
    assert!(problems(&trajectory).contains(&(ProblemClass::ChainBroken, Some(2))));
    let (lane, trajectory) = written(5);
    lane.edit(|lines| lines.insert(3, lines[2].clone()));
    assert!(problems(&trajectory).contains(&(ProblemClass::ChainBroken, Some(4))));
}

#[test]
fn a_log_cut_behind_its_head_is_shorter_though_its_chain_holds() {
    let (lane, trajectory) = written(5);
    lane.edit(|lines| lines.truncate(3));
    assert_eq!(problems(&trajectory), [(ProblemClass::LogShorter, None)]);
}

#[test]
fn rows_of_others_are_a_prefix_that_the_chain_begins_behind() {
    let lane = Lane::new();
    let row = r#"{"schema":1,"stepKind":"premath.harness.step.v1","stepId":"old","action":"a","resultClass":"ok","finishedAt":"2020-01-01T00:00:00Z"}"#;
    lane.write(&format!("{row}\n{row}\n"));
    let trajectory = lane.trajectory();
    let first = trajectory.append(&step("new", "ok"), &at(0)).unwrap();
    let second = trajectory.append(&step("newer", "ok"), &at(1)).unwrap();
    assert_eq!((number(&first, "seq"), first.as_object().unwrap().get("prev")), (Some(1), None));
    assert_eq!((number(&second, "seq"), text(&second, "prev")), (Some(2), text(&first, "rowDigest")));
    let report = trajectory.verify().unwrap();
    assert_eq!((report.unverified, report.chained, report.problems.total()), (2, 2, 0));
    assert_eq!(trajectory.query(&query(ProjectionMode::Latest, 9)).unwrap().total, 4);
}

#[test]
fn the_chain_goes_on_behind_a_line_that_is_none_and_behind_a_missing_newline() {
    let (lane, trajectory) = written(2);
    lane.append("garbage\n");
    let third = trajectory.append(&step("third", "ok"), &at(9)).unwrap();
    assert_eq!(number(&third, "seq"), Some(3));
    let mut bytes = fs::read(&lane.path).unwrap();
    assert_eq!(bytes.pop(), Some(b'\n'));
    fs::write(&lane.path, &bytes).unwrap();
    let fourth = trajectory.append(&step("fourth", "ok"), &at(10)).unwrap();
    assert_eq!((number(&fourth, "seq"), text(&fourth, "prev")), (Some(4), text(&third, "rowDigest")));
    // Both were done by others, and both are said; the chain itself holds.
    assert_eq!(problems(&trajectory), [(ProblemClass::BadLine, Some(3)), (ProblemClass::LogChanged, None)]);
}

#[test]
fn lines_that_are_no_steps_are_named_and_passed_over() {
    let lane = Lane::new();
    let row = |id: &str| {
        format!(
            r#"{{"schema":1,"stepKind":"premath.harness.step.v1","stepId":"{id}","action":"a","resultClass":"ok","finishedAt":"2020-01-01T00:00:00Z"}}"#
        )
    };
    let lines = [
        format!("\u{feff}{}\r", row("one")),
        "not json".into(),
        String::new(),
        r#"{"stepId":"no kind"}"#.into(),
        row("two").replace(r#""schema":1"#, r#""schema":2"#),
        row("three").replace("2020-01-01", "2020-13-01"),
        row(" "),
        "[1]".into(),
        row("four"),
        "{\"torn".into(),
    ];
    lane.write(&lines.join("\n"));
    let answer = lane.trajectory().query(&query(ProjectionMode::Latest, 9)).unwrap();
    let ids: Vec<&str> = answer.items.iter().map(|row| text(row, "stepId")).collect();
    assert_eq!((ids, answer.total), (vec!["one", "four"], 2));
    let named: Vec<(&str, Option<u64>)> =
        answer.warnings.iter().map(|warning| (warning.class, warning.line)).collect();
    let expected = [
        ("harness_trajectory.line.json_invalid", Some(2)),
        ("harness_trajectory.line.kind_unknown", Some(4)),
        ("harness_trajectory.line.schema_unknown", Some(5)),
        ("harness_trajectory.line.time_invalid", Some(6)),
        ("harness_trajectory.line.field_invalid", Some(7)),
        ("harness_trajectory.line.kind_unknown", Some(8)),
        ("harness_trajectory.tail.torn", Some(10)),
    ];
    assert_eq!((named.as_slice(), answer.warning_count), (expected.as_slice(), 7));
}

#[test]
fn a_last_line_without_its_newline_is_a_row() {
    let (lane, trajectory) = written(2);
    let whole = fs::read_to_string(&lane.path).unwrap();
    fs::write(&lane.path, whole.trim_end()).unwrap();
    let answer = trajectory.query(&query(ProjectionMode::Latest, 9)).unwrap();
    assert_eq!((answer.total, answer.items.len()), (2, 2));
    assert_eq!(text(&answer.items[0], "stepId"), "w1.bd-1.1");
}

/// Seed: 002 §12/10
#[test]
fn the_order_is_descending_by_instant_then_step_then_action() {
    let lane = Lane::new();
    let rows = [
        ("b", "x", "2026-01-01T00:00:00Z"),
        ("a", "y", "2026-01-01T01:00:00+01:00"),
        ("a", "x", "2026-01-01T00:00:00.000Z"),
        ("c", "x", "2026-01-01T00:00:00.5Z"),
        ("a10", "x", "2026-01-01T00:00:00Z"),
        ("a2", "x", "2026-01-01T00:00:00Z"),
        ("z", "x", "2025-12-31T23:59:59Z"),
    ];
    for (id, action, time) in rows {
        let step = NewStep { action: action.into(), finished_at: Some(time.into()), ..step(id, "ok") };
        lane.trajectory().append(&step, &at(0)).unwrap();
    }
    let answer = lane.trajectory().query(&query(ProjectionMode::Latest, 99)).unwrap();
    let order: Vec<(&str, &str)> =
        answer.items.iter().map(|row| (text(row, "stepId"), text(row, "action"))).collect();
    assert_eq!(
        order,
        [("c", "x"), ("b", "x"), ("a2", "x"), ("a10", "x"), ("a", "y"), ("a", "x"), ("z", "x")]
    );
    let limited = lane.trajectory().query(&query(ProjectionMode::Latest, 3)).unwrap();
    assert_eq!((&limited.items[..], limited.total), (&answer.items[..3], 7));
    assert!(lane.trajectory().query(&query(ProjectionMode::Latest, 0)).unwrap().items.is_empty());
}

/// Seed: 002 §12/9, 002 §12/11, 002 §13/3
#[test]
fn modes_count_what_they_mean() {
    let lane = Lane::new();
    for (index, class) in ["ok", "ACCEPTED", "check-failed", "network_error", "failed.no_retry", "rate.limit"]
        .into_iter()
        .enumerate()
    {
        lane.trajectory().append(&step(&format!("s{index}"), class), &at(0)).unwrap();
    }
    let ids = |mode| {
        let answer = lane.trajectory().query(&query(mode, 99)).unwrap();
        assert_eq!((answer.total, answer.failed, answer.retry_needed), (6, 4, 2));
        answer.items.iter().map(|row| text(row, "stepId").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(ProjectionMode::Latest), ["s5", "s4", "s3", "s2", "s1", "s0"]);
    assert_eq!(ids(ProjectionMode::Failed), ["s5", "s4", "s3", "s2"]);
    assert_eq!(ids(ProjectionMode::RetryNeeded), ["s5", "s3"]);
}

/// Seed: 002 §6/3
#[test]
fn failures_are_put_together_by_their_class() {
    let lane = Lane::new();
    let append = |id: &str, result: &str, classes: &[&str], second: i64| {
        let classes = classes.iter().map(|class| (*class).to_owned()).collect();
        lane.trajectory()
            .append(&NewStep { failure_classes: classes, ..step(id, result) }, &at(second))
            .unwrap();
    };
    append("a", "rejected", &["tool.result_missing", "tool.use_missing"], 1);
    append("b", "rejected", &["tool.use_missing"], 3);
    append("c", "network_error", &[], 2);
    append("d", "ok", &["tool.use_missing"], 9);
    let grouped = |mode, limit| {
        let query = Query { mode, limit, grouping: Grouping::ByFailureClass };
        let (groups, count) = lane.trajectory().query(&query).unwrap().groups.unwrap();
        let groups: Vec<(String, u64, String)> = groups
            .into_iter()
            .map(|group| (group.failure_class, group.count, group.latest_step_id))
            .collect();
        (groups, count)
    };
    let group = |class: &str, count, step: &str| (class.to_owned(), count, step.to_owned());
    let all = vec![
        group("tool.use_missing", 2, "b"),
        group("network_error", 1, "c"),
        group("tool.result_missing", 1, "a"),
    ];
    assert_eq!(grouped(ProjectionMode::Failed, 9), (all.clone(), 3));
    assert_eq!(grouped(ProjectionMode::Latest, 2), (all[..2].to_vec(), 3));
    assert_eq!(grouped(ProjectionMode::RetryNeeded, 9), (vec![all[1].clone()], 1));
    assert_eq!(lane.trajectory().query(&query(ProjectionMode::Failed, 9)).unwrap().groups, None);
}

/// Seed: 002 §13/2
#[test]
fn a_window_counts_both_its_ends_and_names_workers_not_their_namesakes() {
    let lane = Lane::new();
    let append = |id: &str, issue: Option<&str>, result: &str, second: i64| {
        lane.trajectory()
            .append(&NewStep { issue_id: issue.map(Into::into), ..step(id, result) }, &at(second))
            .unwrap();
    };
    append("worker.bd-1.1", Some("bd-1"), "ok", -1);
    append("worker.bd-1.2", Some("bd-1"), "ok", 0);
    append("worker.3.bd-1.1", Some("bd-1"), "failed", 50);
    append("worker.bd-2.1", Some("bd-2"), "completed", 100);
    append("nobody.bd-2.9", None, "ok", 60);
    append("late.bd-2.1", Some("bd-2"), "ok", 101);
    let counts = lane.trajectory().window(at(0), at(100)).unwrap();
    assert_eq!((counts.total_rows, counts.window_rows, counts.completed_rows), (6, 4, 2));
    assert_eq!((counts.active_workers, counts.future_rows), (2, 1));
}

#[test]
fn a_missing_trajectory_and_a_missing_folder_are_missing_not_empty() {
    let lane = Lane::new();
    let missing = |error: StoreError| matches!(error, StoreError::Missing { .. });
    assert!(missing(lane.trajectory().query(&query(ProjectionMode::Latest, 1)).unwrap_err()));
    assert!(missing(lane.trajectory().verify().unwrap_err()));
    let nowhere = Trajectory::new(Arc::new(OsDisk), lane.path.join("no/such/folder.jsonl"));
    assert!(missing(nowhere.append(&step("s", "ok"), &at(0)).unwrap_err()));
    assert!(!lane.path.exists());
}

#[test]
fn writers_in_several_threads_make_one_chain() {
    let lane = Lane::new();
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let trajectory = lane.trajectory();
            scope.spawn(move || {
                for index in 0..25 {
                    trajectory.append(&step(&format!("w{worker}.bd-1.{index}"), "ok"), &at(index)).unwrap();
                }
            });
        }
    });
    let report = lane.trajectory().verify().unwrap();
    assert_eq!((report.chained, report.problems.total()), (100, 0), "{:?}", report.problems.kept());
}

#[test]
fn remediations_are_chained_beside_the_trajectory_and_the_last_one_is_named() {
    let lane = Lane::new();
    let remediations = RemediationLog::beside(Arc::new(OsDisk), &lane.path);
    assert_eq!(remediations.path(), lane.folder.path().join("harness_kpi_remediations.jsonl"));
    assert_eq!(remediations.latest().unwrap(), None);
    let blank = remediations.append(" ", &at(0)).unwrap_err();
    assert!(matches!(&blank, StoreError::Input(error) if error.path.to_string() == "$.note"), "{blank}");
    let first = remediations.append(" first ", &at(0)).unwrap();
    let second = remediations.append("second", &at(1)).unwrap();
    assert_eq!((first.note.as_str(), first.seq, first.prev), ("first", 1, None));
    assert_eq!((second.seq, second.prev.as_deref()), (2, Some(first.row_digest.as_str())));
    assert_eq!(remediations.latest().unwrap().as_ref(), Some(&second));
    let log = Log::new(Arc::new(OsDisk), remediations.path().to_owned());
    assert_eq!(verify_log(&log, Chaining::Chained).unwrap().problems.total(), 0);
    let text = fs::read_to_string(remediations.path()).unwrap();
    fs::write(remediations.path(), text + "garbage\n{\"torn").unwrap();
    assert_eq!(remediations.latest().unwrap(), Some(second));
}
