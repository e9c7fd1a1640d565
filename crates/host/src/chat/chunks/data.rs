//! What the data parts of a stream say. Shapes only.

use premath_kernel::Value as Canonical;
use premath_wire::Json;
use premath_wire::v1::{ApprovalRow, CallEnd, CallJudged, ProposalRow, UiChunk, UiData, UiDataKind};
use serde_json::{Value, json};

pub(super) const fn data(kind: UiDataKind, id: String, data: Json) -> UiChunk {
    UiChunk::Data(UiData { kind, id, data })
}

/// JSON as the wire has it. INVARIANT: what is built here is plain JSON, so it is read; a null would say otherwise.
pub(super) fn told(value: &Value) -> Json {
    serde_json::from_value(value.clone()).unwrap_or(Json(Canonical::Null))
}

/// What policy said about a call.
pub(super) fn judged(judged: &CallJudged) -> Value {
    json!({
        "code": judged.code,
        "hint": judged.hint,
        "policyName": judged.policy_name,
        "humanMessage": judged.human_message,
        "retryable": judged.code == "rate_limited",
        "tool": judged.tool,
        "targets": judged.targets,
    })
}

/// The card of a question.
pub(super) fn confirmation(approval: &ApprovalRow) -> Value {
    json!({
        "approvalId": approval.id,
        "kind": approval.kind,
        "runId": approval.run_id,
        "tool": approval.tool,
        "targets": approval.targets,
        "arguments": approval.arguments,
        "diff": approval.diff,
        "reason": approval.reason,
        "rule": approval.rule,
        "tier": approval.tier,
        "digest": approval.card_digest,
        "expiresAt": approval.expires_at,
        "state": approval.state,
        "decidedBy": approval.decided_by,
        "message": approval.message,
    })
}

/// The card of a plan.
pub(super) fn plan(proposal: &ProposalRow) -> Value {
    let steps: Vec<Value> = proposal
        .steps
        .iter()
        .map(|step| {
            json!({
                "tool": step.tool,
                "args": step.arguments,
                "targets": step.targets,
                "diff": step.preview,
                "rationale": step.rationale,
                "status": step.state,
                "detail": step.detail,
            })
        })
        .collect();
    json!({
        "proposalId": proposal.id,
        "runId": proposal.run_id,
        "goal": proposal.goal,
        "steps": steps,
        "rollback": proposal.rollback,
        "digest": proposal.plan_digest,
        "expiresAt": proposal.expires_at,
        "state": proposal.state,
        "decidedBy": proposal.decided_by,
        "message": proposal.message,
    })
}

/// What a call gave: as JSON where it is, as a text where it is not, by its two ends where it is long.
pub(super) fn output(end: &CallEnd, read: Option<Value>) -> Value {
    match &end.reference {
        Some(reference) => json!({
            "ref": reference, "bytes": end.bytes, "head": end.content, "tail": end.tail,
        }),
        None => read.unwrap_or_else(|| Value::from(end.content.as_str())),
    }
}

/// What a client does about a change: `kind` says what, and a file that is new has its id by now.
pub(super) fn effect(mut effect: Value, file_id: Option<&str>) -> Value {
    if let Some(members) = effect.as_object_mut() {
        if let Some(kind) = members.remove("effect") {
            members.insert("kind".to_owned(), kind);
        }
        if let Some(id) = file_id
            && members.get("kind").and_then(Value::as_str) != Some("refresh_explorer")
        {
            members.entry("fileId").or_insert_with(|| Value::from(id));
        }
    }
    effect
}

/// The stages of a search over texts, and what it found.
pub(super) fn retrieved(id: &str, read: &Value, chunks: &mut Vec<UiChunk>) {
    let stages = read.get("pipeline").and_then(Value::as_array);
    for (at, stage) in stages.into_iter().flatten().enumerate() {
        chunks.push(data(UiDataKind::DataRetrieval, format!("{id}-{at}"), told(stage)));
    }
    if let Some(found) = read.get("chunks") {
        chunks.push(data(UiDataKind::DataCitations, id.to_owned(), told(found)));
    }
}
