//! What models say and what comes of their calls, each in a few words.

use premath_tusk::JsonText;
use premath_tusk::evidence::{CallOutcome, CallStatus, IntentRow, Payload};
use premath_tusk::model::{AssistantPart, StopReason, ToolCall, Usage};
use premath_tusk::turn_loop::{Answer, PlannedCall, WorkerReturn};
use serde_json::{Value, json};

/// An answer of these parts.
pub(crate) fn said(parts: Vec<AssistantPart>, stop: StopReason) -> Answer {
    Answer {
        model_ref: "scripted:maker".to_owned(),
        parts,
        stop,
        usage: Usage { input_tokens: 100, output_tokens: 10, ..Usage::default() },
        cost_micros: Some(50),
        response_id: None,
        attempts: Vec::new(),
        elapsed_millis: 1,
    }
}

/// The model is done.
pub(crate) fn done(text: &str) -> Answer {
    said(vec![AssistantPart::Text(text.to_owned())], StopReason::EndTurn)
}

/// The answer was cut off at its longest.
pub(crate) fn cut_off(text: &str) -> Answer {
    said(vec![AssistantPart::Text(text.to_owned())], StopReason::MaxTokens)
}

/// The provider paused.
pub(crate) fn paused(text: &str) -> Answer {
    said(vec![AssistantPart::Text(text.to_owned())], StopReason::PauseTurn)
}

/// The model does not want to.
pub(crate) fn refusal(text: &str) -> Answer {
    said(vec![AssistantPart::Refusal(text.to_owned())], StopReason::Refusal)
}

/// The model calls tools: id, name, arguments.
pub(crate) fn calls<const N: usize>(calls: [(&str, &str, Value); N]) -> Answer {
    let part = |(id, name, arguments): (&str, &str, Value)| {
        AssistantPart::ToolCall(ToolCall::new(id, name, JsonText::new(arguments.to_string()).unwrap()))
    };
    said(calls.into_iter().map(part).collect(), StopReason::ToolUse)
}

/// A call that runs a program.
pub(crate) fn program<'c>(id: &'c str, text: &str) -> (&'c str, &'c str, Value) {
    (id, "code_execution", json!({ "program": text }))
}

/// A call that only looks.
pub(crate) fn lookup(id: &str) -> (&str, &str, Value) {
    (id, "fs_read", json!({"path": format!("{id}.txt")}))
}

/// A call that has an effect.
pub(crate) fn note(id: &str) -> (&str, &str, Value) {
    (id, "shell", json!({"command": format!("echo {id} >> notes"), "workdir": "."}))
}

/// A call that asks for a worker.
pub(crate) fn spawn(id: &str) -> (&str, &str, Value) {
    (id, "spawn_worker", json!({"title": format!("part {id}"), "task": "do your part"}))
}

/// A call that asks for a change of issue memory.
pub(crate) fn forged(id: &str) -> (&str, &str, Value) {
    (id, "issue_add", json!({"text": id}))
}

/// A verdict.
pub(crate) fn judge(id: &str, pass: bool) -> (&str, &str, Value) {
    (id, "give_verdict", json!({"pass": pass, "critique": "because"}))
}

/// A command whose files were compared before and after it.
fn observed(mut shell: premath_tusk::evidence::ShellRow) -> premath_tusk::evidence::ShellRow {
    shell.observed = Some(premath_kernel::ObservedChanges {
        source: premath_kernel::ChangeSource::Git,
        ignored: premath_kernel::IgnoredPaths::Excluded,
        overlaps: premath_kernel::TextSet::default(),
        incomplete: None,
    });
    shell
}

/// What a call comes to when it does what it should; a refused one stays refused.
pub(crate) fn ok(call: &PlannedCall) -> CallOutcome {
    if let Some(refusal) = &call.refusal {
        return refusal.clone();
    }
    let mut outcome = CallOutcome::empty(&call.call.id, CallStatus::Ok);
    outcome.payload = Payload::Inline(format!("what {} gives", call.call.id));
    match call.call.name.as_str() {
        "shell" => {
            outcome.exit_code = Some(0);
            // Behind the walls that were asked for.
            outcome.shell = call.shell.clone().map(observed);
        }
        "issue_add" | "spawn_worker" => {
            let digest = premath_kernel::Digest::of_bytes(call.call.id.as_bytes());
            let args_digest = digest.as_str().to_owned();
            outcome.intent = Some(IntentRow {
                action: "issue.add".to_owned(),
                args_digest,
                targets: Vec::new(),
                target_status: None,
            });
        }
        "tool_search" => outcome.found = Some(("rare".to_owned(), vec!["rare".to_owned()])),
        _other => {}
    }
    outcome
}

/// What a command comes to when it ends with a code.
pub(crate) fn failed(call: &PlannedCall, code: i64) -> CallOutcome {
    let mut outcome = ok(call);
    outcome.exit_code = Some(code);
    outcome
}

/// A worker that returned.
pub(crate) fn worker(tool_call_id: &str, issue_id: &str, text: &str) -> WorkerReturn {
    let digest = premath_kernel::Digest::of_bytes(text.as_bytes());
    WorkerReturn {
        tool_call_id: tool_call_id.to_owned(),
        issue_id: issue_id.to_owned(),
        run_id: format!("play.{issue_id}"),
        outcome: "completed".to_owned(),
        text: text.to_owned(),
        artifact_ref: Some(digest.as_str().to_owned()),
        turns: 2,
        tool_calls: 3,
        tokens: 40,
        cost_micros: 5,
        workers: 0,
        verdict: None,
    }
}
