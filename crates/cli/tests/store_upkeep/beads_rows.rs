//! Rows of older files and of beads: leases without a fence, assignees, tombstones, `parent_child`.

use std::fs;

use serde_json::{Value, json};

use crate::folder::Folder;

/// A repository with these rows.
fn with_rows(rows: &[&str]) -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder.write("beads.jsonl", rows.join("\n"));
    assert_eq!(folder.run(&["issue", "import", "beads.jsonl"]).code, Some(0));
    folder
}

fn ids(answer: &Value) -> Vec<String> {
    answer["items"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

const OPEN: &str = r#"{"id":"bd-a1","title":"Open","status":"open","priority":1,"issue_type":"task","created_at":"2026-01-05T10:00:00.123456-08:00","updated_at":"2026-01-05T10:00:00.123456-08:00","content_hash":"c0ffee","source_repo":"."}"#;
const DELETED: &str = r#"{"id":"bd-d1","title":"Gone","status":"tombstone","priority":0,"issue_type":"bug","created_at":"2026-01-02T10:00:00Z","updated_at":"2026-01-06T10:00:00Z","deleted_at":"2026-01-06T10:00:00Z","deleted_by":"jo","delete_reason":"duplicate of bd-a1","original_type":"bug"}"#;
const WAITING: &str = r#"{"id":"bd-w1","title":"Waits for what was deleted","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-03T10:00:00Z","updated_at":"2026-01-03T10:00:00Z","dependencies":[{"issue_id":"bd-w1","depends_on_id":"bd-d1","type":"blocks","created_at":"2026-01-03T10:00:00Z","created_by":"jo"}]}"#;

#[test]
fn a_tombstone_is_kept_and_is_no_issue_any_more() {
    let folder = with_rows(&[OPEN, DELETED, WAITING]);
    assert_eq!(ids(&folder.json(&["issue", "list"]).1), ["bd-a1", "bd-w1"]);
    assert_eq!(ids(&folder.json(&["issue", "ready"]).1), ["bd-a1", "bd-w1"], "it blocks nothing");
    assert_eq!(ids(&folder.json(&["issue", "list", "--status", "tombstone"]).1), ["bd-d1"]);
    let (_, graph) = folder.json(&["issue", "graph", "--graph-scope", "full"]);
    assert_eq!(graph["count"], 2, "{graph}");
    let (_, counts) = folder.json(&["issue", "list", "--status", "closed"]);
    assert_eq!(counts["standing"]["closed"], 0, "deleted is not closed: {counts}");
    for arguments in [
        &["issue", "update", "bd-d1", "--title", "x"][..],
        &["issue", "claim", "bd-d1", "--assignee", "al"],
        &["issue", "discover", "bd-d1", "Found"],
    ] {
        let (code, answer) = folder.json(arguments);
        assert_eq!(code, 1, "{answer}");
        let class = answer["refused"]["class"].as_str().unwrap();
        assert!(class.ends_with("not_found"), "{answer}");
        assert!(answer["refused"]["detail"].as_str().unwrap().contains("deleted"), "{answer}");
    }
    let (code, answer) = folder.json(&["dep", "add", "bd-a1", "bd-d1"]);
    let class = &answer["refused"]["class"];
    assert_eq!((code, class), (1, &json!("issue_graph.dependency.unknown")), "{answer}");
    assert_eq!(folder.json(&["issue", "add", "Again", "--id", "bd-d1"]).0, 1, "its name is taken");
}

#[test]
fn a_tombstone_survives_compaction_export_and_import() {
    let folder = with_rows(&[OPEN, DELETED, WAITING]);
    assert_eq!(folder.run(&["issue", "compact"]).code, Some(0));
    assert_eq!(folder.run(&["issue", "export", "--output", "out.jsonl"]).code, Some(0));
    let other = with_rows(&[OPEN]);
    fs::copy(folder.path().join("out.jsonl"), other.path().join("in.jsonl")).unwrap();
    assert_eq!(other.run(&["issue", "import", "in.jsonl"]).code, Some(0));
    let (_, listed) = other.json(&["issue", "list", "--status", "tombstone"]);
    let row = &listed["items"][0];
    assert_eq!((&row["id"], &row["status"]), (&json!("bd-d1"), &json!("tombstone")), "{listed}");
    let rows = fs::read_to_string(other.path().join(".premath/issues.jsonl")).unwrap();
    let kept = rows.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let kept = kept.into_iter().find(|row| row["id"] == "bd-d1").unwrap();
    let before: Value = serde_json::from_str(DELETED).unwrap();
    for (member, value) in before.as_object().unwrap() {
        assert_eq!(&kept[member], value, "{member}");
    }
}

#[test]
fn a_later_tombstone_deletes_what_is_here_and_an_earlier_one_does_not() {
    let live = DELETED.replace("tombstone", "open").replace("2026-01-06", "2026-01-05");
    let live = live.replace("deleted_at", "seen_at");
    let folder = with_rows(&[&live]);
    assert_eq!(ids(&folder.json(&["issue", "list"]).1), ["bd-d1"]);
    folder.write("late.jsonl", DELETED.replace("\"updated_at\":\"2026-01-06T10:00:00Z\",", ""));
    let (_, imported) = folder.json(&["issue", "import", "late.jsonl"]);
    assert_eq!(ids(&folder.json(&["issue", "list"]).1), [""; 0], "{imported}");
    let newer = live.replace("2026-01-05", "2026-02-01");
    let folder = with_rows(&[&newer]);
    folder.write("early.jsonl", DELETED);
    folder.run(&["issue", "import", "early.jsonl"]);
    assert_eq!(ids(&folder.json(&["issue", "list"]).1), ["bd-d1"]);
}

#[test]
fn claim_next_and_workers_leave_what_is_assigned_to_somebody_else() {
    let assigned = OPEN.replace("bd-a1", "bd-a0").replace("\"title\"", "\"assignee\":\"carol\",\"title\"");
    let folder = with_rows(&[&assigned, OPEN]);
    let (_, taken) = folder.json(&["issue", "claim-next", "--assignee", "al"]);
    assert_eq!(taken["issue"]["id"], "bd-a1", "{taken}");
    let (_, nothing) = folder.json(&["issue", "claim-next", "--assignee", "bo"]);
    assert_eq!(nothing["claimed"], false, "{nothing}");
    let step = folder.json(&["step", "--work-cmd", "true", "--verify-cmd", "true"]).1;
    assert_ne!(step["issueId"], "bd-a0", "{step}");
    let (_, taken) = folder.json(&["issue", "claim-next", "--assignee", "carol"]);
    assert_eq!(taken["issue"]["id"], "bd-a0", "{taken}");
    // By name anybody may claim what nobody holds.
    let folder = with_rows(&[&assigned]);
    assert_eq!(folder.json(&["issue", "claim", "bd-a0", "--assignee", "bo"]).0, 0);
}

#[test]
fn work_that_was_given_back_is_for_everybody_again() {
    let folder = with_rows(&[OPEN]);
    assert_eq!(folder.json(&["issue", "claim", "bd-a1", "--assignee", "al"]).0, 0);
    assert_eq!(folder.json(&["issue", "update", "bd-a1", "--status", "open"]).0, 0);
    let (_, taken) = folder.json(&["issue", "claim-next", "--assignee", "bo"]);
    assert_eq!(taken["issue"]["id"], "bd-a1", "{taken}");
}

#[test]
fn a_lease_without_a_fence_is_renewed_by_its_owner_and_by_nobody_else() {
    let leased = OPEN.replace("\"open\"", "\"in_progress\"").replace(
        "\"title\"",
        r#""assignee":"al","lease":{"lease_id":"lease1_bd-a1_al","owner":"al","acquired_at":"2026-01-05T18:00:00Z","expires_at":"2099-01-01T00:00:00Z"},"title""#,
    );
    let folder = with_rows(&[&leased]);
    let (code, checked) = folder.json(&["issue", "check"]);
    let classes: Vec<&Value> =
        checked["problems"].as_array().unwrap().iter().map(|one| &one["class"]).collect();
    assert!(!classes.contains(&&json!("issue_graph.lease.invalid")), "{code} {checked}");
    let (code, answer) = folder.json(&["issue", "lease-renew", "bd-a1", "--assignee", "bo"]);
    assert_eq!((code, &answer["refused"]["class"]), (1, &json!("lease_owner_mismatch")), "{answer}");
    let (code, renewed) = folder.json(&["issue", "lease-renew", "bd-a1", "--assignee", "al"]);
    assert_eq!((code, &renewed["issue"]["lease"]["fence"]), (0, &json!(1)), "{renewed}");
    let fenced = ["--lease-owner", "al", "--fence", "1"];
    let update = [&["issue", "update", "bd-a1", "--title", "Mine"][..], &fenced].concat();
    assert_eq!(folder.json(&update).0, 0);
}

#[test]
fn parent_child_with_an_underscore_is_parent_child() {
    let parent = OPEN.replace("bd-a1", "bd-p1");
    let child = WAITING.replace("bd-d1", "bd-p1").replace("\"blocks\"", "\"parent_child\"");
    let folder = with_rows(&[&parent, &child]);
    let (code, answer) = folder.json(&["issue", "update", "bd-p1", "--status", "closed"]);
    assert_eq!((code, &answer["refused"]["class"]), (1, &json!("issue_children_open")), "{answer}");
    let (code, answer) = folder.json(&["dep", "add", "bd-p1", "bd-w1"]);
    assert_eq!((code, &answer["refused"]["class"]), (1, &json!("issue_graph.cycle")), "{answer}");
    assert_eq!(folder.json(&["issue", "update", "bd-w1", "--status", "closed"]).0, 0);
    assert_eq!(folder.json(&["issue", "update", "bd-p1", "--status", "closed"]).0, 0);
    let rows = fs::read_to_string(folder.path().join(".premath/issues.jsonl")).unwrap();
    assert!(rows.contains("parent_child"), "the spelling of the row is kept");
}
