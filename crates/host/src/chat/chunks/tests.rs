//! Chunks of recorded lists of events: what `premath run --json` printed, line by line.

use premath_kernel::Value as Canonical;
use premath_wire::v1::{ApprovalRow, NamedTarget, ProposalRow, UiPart, UndoRow};

use super::*;
use crate::chat::folded;

/// A desk that knows one question, one plan and one change.
#[derive(Debug, Default)]
struct Known {
    state: &'static str,
}

impl Cards for Known {
    fn turn(&self, run_id: &str) -> Option<String> {
        Some(format!("{run_id}.t0001"))
    }

    fn approval(&self, id: &str) -> Option<ApprovalRow> {
        let text = str::to_owned;
        (id == "apr_1").then(|| ApprovalRow {
            id: text(id),
            kind: text("confirmation"),
            state: text(self.state),
            run_id: text("run-1"),
            tool_call_id: text("c1"),
            tool: text("desk_delete_file"),
            arguments: Json(Canonical::Null),
            arguments_digest: text("sha256:a"),
            card_digest: text("crd1_a"),
            targets: vec![NamedTarget { kind: text("desk_file"), id: text("fil_1"), name: text("a.md") }],
            diff: Some(text("-gone")),
            reason: text("it deletes"),
            rule: text("desk.delete.asked"),
            tier: text("high"),
            requested_at: String::new(),
            expires_at: String::new(),
            scope: text("once"),
            pattern: None,
            decided_by: None,
            decided_at: None,
            message: None,
            folder: None,
            offers: Vec::new(),
            reach: None,
            revoked_by: None,
            revoked_at: None,
        })
    }

    fn waiting(&self, _: &str) -> Vec<ApprovalRow> {
        Vec::new()
    }

    fn proposal(&self, _: &str) -> Option<ProposalRow> {
        None
    }

    fn change(&self, turn_digest: &str, _: &str) -> Option<ChangeCard> {
        let (file_id, name) = ("fil_1".to_owned(), "a.md".to_owned());
        let undo = UndoRow {
            file_id: file_id.clone(),
            name: name.clone(),
            version: Some(1),
            state: "available".to_owned(),
        };
        (turn_digest == "sha256:t").then_some(ChangeCard { id: file_id, name, undo: Some(undo) })
    }

    fn changes_of_plan(&self, _: &ProposalRow) -> Vec<ChangeCard> {
        Vec::new()
    }
}

fn chunks(lines: &[&str], cards: &Known) -> Vec<UiChunk> {
    let mut chunker = Chunker::new("run-1");
    let events = lines.iter().map(|line| serde_json::from_str::<RunEventRow>(line).unwrap());
    events.flat_map(|event| chunker.take(&event, cards)).collect()
}

fn written(chunks: &[UiChunk]) -> String {
    chunks.iter().map(|chunk| serde_json::to_string(chunk).unwrap()).collect::<Vec<_>>().join("\n")
}

const STARTED: &str = r#"{"event":"run.started","runId":"run-1","task":"t","models":[],"pattern":"chain","resumed":false,"depth":0}"#;
const TURN: &str = r#"{"event":"turn.started","callId":"run-1.t0001","turn":1}"#;
const ANSWERED: &str = r#"{"event":"turn.answered","callId":"run-1.t0001","model":"m","stop":"end_turn","usage":{"inputTokens":1,"cacheReadTokens":0,"cacheWriteTokens":0,"outputTokens":1,"reasoningTokens":0}}"#;
const DONE: &str = r#"{"event":"run.stopped","runId":"run-1","outcome":"completed"}"#;

#[test]
fn a_text_begins_grows_and_ends_inside_its_turn() {
    let lines = [
        STARTED,
        TURN,
        r#"{"event":"model.text","kind":"reasoning","text":"hm"}"#,
        r#"{"event":"model.text","kind":"text","text":"Hel"}"#,
        r#"{"event":"model.text","kind":"text","text":"lo"}"#,
        ANSWERED,
        r#"{"event":"turn.closed","callId":"run-1.t0001","closed":true,"reasons":[],"turnDigest":"sha256:t","witnessId":"w"}"#,
        DONE,
    ];
    let chunks = chunks(&lines, &Known::default());
    insta::assert_snapshot!(written(&chunks), @r#"
    {"type":"start","messageId":"run-1"}
    {"type":"start-step"}
    {"type":"reasoning-start","id":"run-1.t0001-1"}
    {"type":"reasoning-delta","id":"run-1.t0001-1","delta":"hm"}
    {"type":"reasoning-end","id":"run-1.t0001-1"}
    {"type":"text-start","id":"run-1.t0001-2"}
    {"type":"text-delta","id":"run-1.t0001-2","delta":"Hel"}
    {"type":"text-delta","id":"run-1.t0001-2","delta":"lo"}
    {"type":"text-end","id":"run-1.t0001-2"}
    {"type":"data-turn","id":"run-1.t0001","data":{"callId":"run-1.t0001","reasons":[],"runId":"run-1","turnDigest":"sha256:t","verdict":"closed"}}
    {"type":"finish-step"}
    {"type":"finish"}
    "#);
    for chunk in &chunks {
        let text = serde_json::to_string(chunk).unwrap();
        assert_eq!(&serde_json::from_str::<UiChunk>(&text).unwrap(), chunk, "{text}");
    }
}

#[test]
fn a_card_follows_its_call_and_is_the_same_card_when_it_is_decided() {
    let pending = r#"{"event":"person.confirmed","confirmations":[{"toolCallId":"c1","approvalId":"apr_1","answer":"pending"}]}"#;
    let waits = r#"{"event":"run.stopped","runId":"run-1","outcome":"needs_person"}"#;
    let mut first = chunks(&[STARTED, TURN, ANSWERED, pending, waits], &Known { state: "pending" });
    assert_eq!(first.last(), Some(&UiChunk::Finish));
    let resumed = STARTED.replace("\"resumed\":false", "\"resumed\":true");
    let approved = pending.replace("\"answer\":\"pending\"", "\"answer\":\"approved\"");
    let later = [
        resumed.as_str(),
        approved.as_str(),
        r#"{"event":"call.started","toolCallId":"c1","tool":"desk_delete_file","arguments":{}}"#,
        r#"{"event":"call.finished","toolCallId":"c1","tool":"desk_delete_file","status":"ok","content":"{\"effects\":[{\"effect\":\"refresh_explorer\"},{\"effect\":\"tab_indicator\",\"state\":\"deleted\"}]}","bytes":2,"intent":"desk.delete_file","millis":3}"#,
        r#"{"event":"turn.closed","callId":"run-1.t0001","closed":true,"reasons":[],"turnDigest":"sha256:t","witnessId":"w"}"#,
        r#"{"event":"intent.applied","toolCallId":"c1","action":"desk.delete_file","intentDigest":"sha256:i","result":"applied","subjectId":"fil_1"}"#,
        DONE,
    ];
    let second = chunks(&later, &Known { state: "consumed" });
    assert_eq!(second.first(), Some(&UiChunk::Start { message_id: "run-1".to_owned() }));
    let effects: Vec<String> = second
        .iter()
        .filter(|chunk| matches!(chunk, UiChunk::Data(data) if data.kind == UiDataKind::DataEffect))
        .map(|chunk| serde_json::to_string(chunk).unwrap())
        .collect();
    assert!(effects.iter().any(|text| text.contains(r#""kind":"tab_indicator""#)), "{effects:?}");
    assert!(effects.iter().any(|text| text.contains(r#""fileId":"fil_1""#)), "{effects:?}");
    first.extend(second);
    let parts = folded(first);
    let cards = |kind: UiDataKind| {
        parts.iter().filter(|part| matches!(part, UiPart::Data(data) if data.kind == kind)).count()
    };
    assert_eq!((cards(UiDataKind::DataConfirmation), cards(UiDataKind::DataUndo)), (1, 1), "{parts:?}");
    let tools = parts.iter().filter(|part| matches!(part, UiPart::DynamicTool { .. })).count();
    assert_eq!(tools, 1, "{parts:?}");
}

#[test]
fn whatever_ends_a_run_ends_the_stream_and_a_failed_model_is_one_sentence() {
    let stopped = |outcome: &str| {
        format!(
            r#"{{"event":"run.stopped","runId":"run-1","outcome":"{outcome}","errorKind":"authentication"}}"#
        )
    };
    for (outcome, last) in [
        ("completed", UiChunk::Finish),
        ("needs_person", UiChunk::Finish),
        ("declined", UiChunk::Finish),
        ("limit", UiChunk::Finish),
        ("interrupted", UiChunk::Abort),
    ] {
        let lines = [STARTED, TURN, &stopped(outcome)];
        assert_eq!(chunks(&lines, &Known::default()).last(), Some(&last), "{outcome}");
    }
    let failed = chunks(&[STARTED, TURN, &stopped("model_failed")], &Known::default());
    let Some(UiChunk::Error { error_text }) = failed.last() else { panic!("{failed:?}") };
    assert_eq!(error_text, failure_sentence("authentication"));
    let refused = chunks(&[STARTED, TURN, &stopped("failed_closed")], &Known::default());
    assert!(matches!(refused.last(), Some(UiChunk::Error { .. })), "{refused:?}");
}

#[test]
fn an_interrupted_text_is_ended_before_the_stream_is() {
    let lines = [
        STARTED,
        TURN,
        r#"{"event":"model.text","kind":"text","text":"Hel"}"#,
        r#"{"event":"run.stopped","runId":"run-1","outcome":"interrupted"}"#,
    ];
    let chunks = chunks(&lines, &Known::default());
    let ends = [UiChunk::TextEnd { id: "run-1.t0001-1".to_owned() }, UiChunk::FinishStep, UiChunk::Abort];
    assert!(chunks.ends_with(&ends), "{chunks:?}");
}

#[test]
fn calls_of_two_turns_that_are_named_alike_are_two_calls() {
    let call = r#"{"event":"call.started","toolCallId":"c1","tool":"desk_file_tree","arguments":{}}"#;
    let end = r#"{"event":"call.finished","toolCallId":"c1","tool":"desk_file_tree","status":"ok","content":"plain words","bytes":11,"millis":0}"#;
    let second = r#"{"event":"turn.started","callId":"run-1.t0002","turn":2}"#;
    let parts =
        folded(chunks(&[STARTED, TURN, ANSWERED, call, end, second, call, end, DONE], &Known::default()));
    let calls: Vec<&UiPart> =
        parts.iter().filter(|part| matches!(part, UiPart::DynamicTool { .. })).collect();
    assert_eq!(calls.len(), 2, "{parts:?}");
    let text = serde_json::to_string(&calls).unwrap();
    assert!(text.contains(r#""output":"plain words""#), "{text}");
}

#[test]
fn what_happens_in_a_worker_is_not_shown() {
    let inside = r#"{"workers":["bd-1"],"event":"model.text","kind":"text","text":"secretly"}"#;
    let chunks = chunks(&[STARTED, TURN, inside, DONE], &Known::default());
    assert!(!written(&chunks).contains("secretly"));
}
