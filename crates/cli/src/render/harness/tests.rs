//! What a person is shown: short, and safe whatever a row holds.

use premath_kernel::Moment;
use premath_wire::v1::{LineWarning, ProjectionMode, SessionAnswer, SessionDocument, TrajectoryProjection};
use serde_json::{Value, json};

use super::{projection, session};

fn now() -> Moment {
    premath_wire::time::parse_time("2026-11-15T07:15:52Z").unwrap()
}

fn bare(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

fn step(id: &str) -> Value {
    json!({
        "stepId": id,
        "action": "apply",
        "resultClass": "check_failed",
        "finishedAt": "2026-11-15T07:12:52Z",
        "failureClasses": ["tool.use_missing"],
    })
}

fn answer(items: Vec<Value>) -> TrajectoryProjection<Value> {
    let count = items.len() as u64;
    TrajectoryProjection {
        action: String::new(),
        projection_kind: String::new(),
        trajectory_path: String::new(),
        mode: ProjectionMode::Failed,
        limit: 20,
        total_count: 9,
        failed_count: count,
        retry_needed_count: 0,
        count,
        items,
        groups: None,
        group_count: None,
        warning_count: 0,
        warnings: Vec::new(),
    }
}

#[test]
fn steps_are_a_table_with_times_as_a_person_says_them() {
    let text = bare(&projection(&answer(vec![step("w1.bd-1.1")]), now(), None));
    assert_eq!(
        text,
        "FINISHED   STEP       ACTION  RESULT        WHY\n\
         3 min ago  w1.bd-1.1  apply   check_failed  tool.use_missing\n\n\
         1 of 9 steps; 1 failed, 0 worth another try\n"
    );
    let text = bare(&projection(&answer(Vec::new()), now(), None));
    assert!(text.starts_with("no failed steps\n"), "{text}");
}

#[test]
fn what_a_row_holds_cannot_act_on_the_terminal() {
    let text = projection(&answer(vec![step("\u{1b}[2Jgone\nforged")]), now(), None);
    assert!(text.contains("\\u{1b}[2Jgone\\u{a}forged"), "{text}");
}

#[test]
fn a_row_of_others_is_shown_whatever_its_members_are() {
    let row =
        json!({ "stepId": "s", "resultClass": "ok", "issueId": 7, "failureClasses": "none", "seq": "x" });
    assert!(bare(&projection(&answer(vec![row]), now(), None)).contains("s     ok"));
}

#[test]
fn warnings_are_counted_beyond_those_that_are_listed() {
    let warning =
        LineWarning { class: String::new(), line: Some(7), detail: "the line is not JSON".to_owned() };
    let answer = TrajectoryProjection { warning_count: 41, warnings: vec![warning], ..answer(Vec::new()) };
    let text = bare(&projection(&answer, now(), None));
    assert!(text.ends_with("warning: line 7: the line is not JSON\nand 40 more\n"), "{text}");
}

#[test]
fn a_session_says_what_there_is_to_say() {
    let document: SessionDocument = serde_json::from_str(
        r#"{"schema":1,"sessionKind":"k","sessionId":"hs1_x","state":"active","startedAt":"2026-11-15T05:15:52Z",
            "updatedAt":"2026-11-15T07:15:50Z","nextStep":"wire it up","witnessRefs":["w1_a","w1_b"]}"#,
    )
    .unwrap();
    let answer = SessionAnswer { action: String::new(), session_ref: "s.json".to_owned(), session: document };
    let lines = [
        "session hs1_x: active (s.json)",
        "",
        "  next step    wire it up",
        "  witnesses    w1_a",
        "               w1_b",
        "  started      2 h ago",
        "  updated      just now",
        "",
    ];
    assert_eq!(bare(&session(&answer, now())), lines.join("\n"));
}
