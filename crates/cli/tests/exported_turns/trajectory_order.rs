//! The order of a projection, and the window of the throughput figure: one file gives one answer.

use serde_json::json;

use super::live_run::{Project, shown};

fn append(project: &Project, step: &str, action: &str, class: &str, at: &str) {
    let issue = step.split('.').nth(1).unwrap();
    project.accepted(&[
        "harness-trajectory",
        "append",
        "--step-id",
        step,
        "--action",
        action,
        "--result-class",
        class,
        "--issue-id",
        issue,
        "--finished-at",
        at,
    ]);
}

/// Seed: 002 §12/10, 002 §12/9
#[test]
fn ties_are_ordered_descending_by_step_then_action() {
    let project = Project::empty();
    let at = "2024-05-01T10:00:00Z";
    for (step, action) in
        [("a.bd-1.1", "run"), ("b.bd-1.2", "run"), ("b.bd-1.2", "stop"), ("a.bd-1.1", "boot")]
    {
        append(&project, step, action, "completed", at);
    }
    append(&project, "c.bd-1.3", "run", "completed", "2024-05-01T09:00:00Z");
    let items = project.json(&["harness-trajectory", "query", "--mode", "latest", "--json"])["items"].clone();
    let order: Vec<(&str, &str)> = items
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["stepId"].as_str().unwrap(), row["action"].as_str().unwrap()))
        .collect();
    let expected = [
        ("b.bd-1.2", "stop"),
        ("b.bd-1.2", "run"),
        ("a.bd-1.1", "run"),
        ("a.bd-1.1", "boot"),
        ("c.bd-1.3", "run"),
    ];
    assert_eq!(order, expected);
}

/// Seed: 002 §13/1, 002 §13/2, 002 §13/4
#[test]
fn the_window_ends_at_the_newest_row_unless_a_time_is_named() {
    let project = Project::empty();
    for (step, at) in [("w.bd-1.1", "01"), ("w.bd-2.2", "02"), ("w.bd-3.3", "03")] {
        append(&project, step, "run", "completed", &format!("2020-01-01T10:{at}:00Z"));
    }
    let report = project.json(&["harness-kpi", "--json"]);
    assert_eq!(report["window"]["end"], json!("2020-01-01T10:03:00Z"), "{report}");
    assert_eq!(report["counts"]["windowRows"], json!(3), "{report}");
    assert_eq!(report["decision"]["state"], json!("pass"), "{report}");
    let named = project.json(&["harness-kpi", "--json", "--as-of", "2020-01-01T10:03:00Z"]);
    assert_eq!(named, report, "the end that is printed gives the same answer");
    let later = project.json(&["harness-kpi", "--json", "--as-of", "2020-03-01T00:00:00Z"]);
    assert_eq!(later["decision"]["state"], json!("insufficient_data"), "{later}");
    let earlier = project.json(&["harness-kpi", "--json", "--as-of", "2020-01-01T10:01:30Z"]);
    assert_eq!(earlier["counts"]["futureRows"], json!(2), "{earlier}");
    let wrong = project.premath(&["harness-kpi", "--json", "--as-of", "yesterday"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", shown(&wrong));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("input.field_invalid"), "{}", shown(&wrong));
}
