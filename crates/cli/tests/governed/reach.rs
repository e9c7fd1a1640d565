//! How far an approval reaches, how it is revoked, and that every count of open questions is the same.

use serde_json::{Value, json};

use crate::room::Room;

fn run_state(room: &Room, run: &str) -> (String, u64) {
    let runs = room.items(&["runs", "list"]);
    let row = runs.iter().find(|row| row["runId"] == run).unwrap();
    (row["state"].as_str().unwrap().to_owned(), row["openQuestions"].as_u64().unwrap_or_default())
}

/// How many attention rows have a reason.
fn attention(room: &Room, reason: &str) -> usize {
    let rows = room.items(&["observe", "needs_attention", "--now"]);
    rows.iter().filter(|row| row["reason"] == reason).count()
}

/// A sample of a metric; 0 where there is none.
fn metric(room: &Room, name: &str, label: (&str, &str)) -> u64 {
    let families = room.json(&["metrics"]);
    let families = families["families"].as_array().unwrap();
    let family = families.iter().find(|family| family["name"] == name).unwrap();
    let samples = family["samples"].as_array().unwrap();
    let sample = samples.iter().find(|sample| sample["labels"][label.0] == label.1);
    sample.and_then(|sample| sample["value"].as_u64()).unwrap_or_default()
}

#[test]
fn counts_of_open_questions_agree_while_one_waits_and_after_it_expired() {
    let room = Room::new(&["notes.md"], "policy.approval_seconds = 600\n");
    assert_eq!(room.begin("asks", &room.deleting(&[0])).code, Some(3));
    assert_eq!(room.pending("approvals").len(), 1);
    assert_eq!(run_state(&room, "asks"), ("waiting".to_owned(), 1));
    assert_eq!((attention(&room, "question_pending"), attention(&room, "question_expired")), (1, 0));
    assert_eq!(metric(&room, "premath_approvals", ("state", "pending")), 1);
    assert_eq!(metric(&room, "premath_runs", ("outcome", "needs_person")), 1);
    room.done(&["approvals", "approve", &room.only("approvals")]);
    assert_eq!(run_state(&room, "asks"), ("answered".to_owned(), 0), "nothing is left to answer");
    assert_eq!(attention(&room, "question_pending"), 0);

    let room = Room::new(&["notes.md"], "policy.approval_seconds = 1\n");
    assert_eq!(room.begin("asks", &room.deleting(&[0])).code, Some(3));
    let id = room.items(&["approvals", "list"])[0]["id"].as_str().unwrap().to_owned();
    room.until("approvals", &id, "expired");
    assert!(room.pending("approvals").is_empty());
    assert_eq!(run_state(&room, "asks"), ("expired".to_owned(), 0), "no run waits with nothing to answer");
    assert_eq!(room.json(&["runs", "show", "asks"])["run"]["state"], "expired");
    assert_eq!((attention(&room, "question_pending"), attention(&room, "question_expired")), (0, 1));
    assert_eq!(metric(&room, "premath_approvals", ("state", "pending")), 0);
    assert_eq!(metric(&room, "premath_approvals", ("state", "expired")), 1);
    assert_eq!(metric(&room, "premath_runs", ("outcome", "needs_person")), 0);
    assert_eq!(metric(&room, "premath_runs", ("outcome", "question_expired")), 1);
}

/// Approves the one question that waits for every file whose name fits a pattern.
fn approve_pattern(room: &Room, glob: &str) -> String {
    let id = room.only("approvals");
    let (code, shown) = room.ended(&["approvals", "approve", &id, "--pattern-name", glob]);
    assert_eq!(code, Some(1), "nothing is agreed to before its examples were shown: {shown}");
    let digest = shown["shownDigest"].as_str().unwrap();
    room.done(&["approvals", "approve", &id, "--pattern-name", glob, "--digest", digest]);
    id
}

#[test]
fn a_revoked_approval_is_listed_with_its_reach_before_and_covers_nothing_after() {
    let room = Room::new(&["draft-a.md", "draft-b.md", "draft-c.md"], "");
    assert_eq!(room.begin("first", &room.deleting(&[0])).code, Some(3));
    let id = approve_pattern(&room, "draft-*.md");
    let active = room.items(&["approvals", "list", "--active"]);
    let reach = "every call of desk_delete_file with names like `draft-*.md`, in any run";
    assert_eq!((active.len(), &active[0]["reach"]), (1, &json!(reach)));
    let listed = room.done(&["approvals", "list", "--active"]);
    assert!(listed.contains("draft-*.md") && listed.contains("premath approvals revoke"), "{listed}");
    assert_eq!(room.begin("second", &room.deleting(&[1])).code, Some(0), "the pattern covers it");
    assert_eq!(room.deleted(), ["draft-b.md"]);

    let revoked = room.json(&["approvals", "revoke", &id, "--message", "enough"]);
    assert_eq!(
        (&revoked["approval"]["state"], &revoked["approval"]["revokedBy"]),
        (&json!("revoked"), &json!("jo"))
    );
    assert!(room.items(&["approvals", "list", "--active"]).is_empty());
    assert_eq!(room.begin("third", &room.deleting(&[2])).code, Some(3), "it asks again");
    assert_eq!(room.refused(&["approvals", "revoke", &id]), "approval_revoked");
    // The call that it was given for does not run on it either.
    room.done(&["resume", "first"]);
    assert_eq!(room.deleted(), ["draft-b.md"]);
    assert_eq!(room.audit(&["--kind", "approval", "--effect", "revoked"]).len(), 1);
    room.is_sound(&["first", "second"]);
}

#[test]
fn a_pattern_without_history_shows_a_name_that_it_does_not_cover() {
    let room = Room::new(&["draft-a.md"], "");
    assert_eq!(room.begin("one", &room.deleting(&[0])).code, Some(3));
    let id = room.only("approvals");
    let seen = room.json(&["approvals", "show", &id, "--pattern-name", "draft-*.md"]);
    assert_eq!(seen["patternMatches"], json!(["draft-a.md"]));
    let misses: Vec<&Value> = seen["patternMisses"].as_array().unwrap().iter().collect();
    assert!(misses.contains(&&json!("other-draft-a.md (not asked so far)")), "{misses:?}");
}
