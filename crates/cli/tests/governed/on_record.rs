//! What was refused is on record as that, whoever refused it.

use serde_json::Value;

use crate::room::{Room, call};

const FILES: [&str; 2] = ["a.md", "b.md"];

#[test]
fn a_change_beside_a_plan_is_refused_on_record() {
    let room = Room::new(&FILES, "");
    let delete =
        format!("[[turn.call]]\ntool = \"desk_delete_file\"\narguments = {{ id = \"{}\" }}\n", room.files[0]);
    room.begin("beside", &format!("{}{delete}", room.planning()));
    assert!(room.pending("approvals").is_empty());
    let rows = room.audit(&["--run", "beside", "--kind", "decision", "--tool", "desk_delete_file"]);
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!((row["effect"].as_str(), row["policyName"].as_str()), (Some("deny"), Some("plan-first")));
    let rows = room.audit(&["--run", "beside", "--kind", "decision", "--tool", "desk_propose_plan"]);
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_ne!(rows[0]["effect"], "deny");
}

/// Seed: 003 §2/1, 003 §1/14
#[test]
fn the_calls_of_an_answer_that_a_guard_blocks_are_refused_on_record() {
    let room = Room::new(&FILES, "[guardrails]\npii = \"block\"\n");
    let turn = call("fs_list", "path = \".\"").replace("Now.", "mail jo@example.com now");
    room.work("blocked", &turn, &[]);
    let rows = room.audit(&["--run", "blocked"]);
    let effects = |kind: &str| -> Vec<(String, String)> {
        let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let of_kind = rows.iter().filter(|row| row["kind"] == kind);
        of_kind.map(|row| (text(row, "effect"), text(row, "policyName"))).collect()
    };
    let refused = vec![("deny".to_owned(), "pii".to_owned())];
    assert_eq!(effects("decision"), refused, "{rows:?}");
    assert_eq!(effects("guard"), refused, "{rows:?}");
    let results = room.results("blocked");
    assert_eq!(results[0]["errorCode"], "policy_denied", "{results:?}");
    room.is_sound(&["blocked"]);
}

#[test]
fn a_search_does_not_give_out_what_reading_asks_about() {
    let room = Room::new(&[], "");
    room.write(".env", "GREETING=hello\n");
    room.write("notes/a.md", "GREETING is set elsewhere\n");
    let turns = [
        call("fs_search", "pattern = \"GREETING\""),
        call("fs_search", "pattern = \"GREETING\", glob = \".en?\""),
    ];
    room.work("searching", &turns.concat(), &[]);
    let results = room.results("searching");
    assert_eq!(results.len(), 2, "{results:?}");
    for result in &results {
        let shown = result.to_string();
        assert!(!shown.contains("hello") && shown.contains("1 files were skipped"), "{shown}");
    }
    room.work("naming", &call("fs_search", "pattern = \"GREETING\", path = \".env\""), &[]);
    let rows = room.audit(&["--run", "naming", "--kind", "decision"]);
    assert_eq!(
        (rows[0]["effect"].as_str(), rows[0]["policyName"].as_str()),
        (Some("ask"), Some("secrets.named"))
    );
}

/// The way back from a subject: whether it is complete, and what its steps say.
#[track_caller]
fn way_back(room: &Room, subject: &str) -> (bool, Vec<String>) {
    let why = room.json(&["audit", "why", subject]);
    let step =
        |step: &Value| format!("{} {}", step["kind"].as_str().unwrap(), step["detail"].as_str().unwrap());
    let steps: Vec<String> = why["steps"].as_array().unwrap().iter().map(step).collect();
    (why["complete"] == true, steps)
}

#[test]
fn the_way_back_from_a_file_of_the_desk_leads_to_who_agreed_and_who_asked() {
    let room = Room::new(&FILES, "");
    room.begin("one", &room.deleting(&[0]));
    let id = room.only("approvals");
    room.done(&["approvals", "approve", &id]);
    room.done(&["resume", "one"]);
    for subject in ["a.md", &room.files[0], &id] {
        let (complete, steps) = way_back(&room, subject);
        for said in ["approval approved desk_delete_file by jo", "run one: tidy up", "person jo"] {
            assert!(steps.iter().any(|step| step == said), "{subject}: no `{said}` in {steps:?}");
        }
        assert!(complete, "{subject}: {steps:?}");
    }
    std::fs::remove_dir_all(room.path().join(".premath/runs")).unwrap();
    let (complete, steps) = way_back(&room, "a.md");
    assert!(!complete, "it leads to nobody any more: {steps:?}");
}

#[test]
fn the_way_back_from_a_step_of_a_plan_leads_to_who_agreed_to_the_plan() {
    let room = Room::new(&FILES, "");
    room.begin("many", &room.planning());
    let id = room.only("proposals");
    let (complete, steps) = way_back(&room, &id);
    assert!(complete && steps.iter().any(|step| step == "proposal proposed by many"), "{steps:?}");
    room.done(&["proposals", "approve", &id]);
    for subject in ["a.md", &room.files[1], &id] {
        let (complete, steps) = way_back(&room, subject);
        for said in ["proposal approved by jo", "run many: tidy up", "person jo"] {
            assert!(steps.iter().any(|step| step == said), "{subject}: no `{said}` in {steps:?}");
        }
        assert!(complete, "{subject}: {steps:?}");
    }
}
