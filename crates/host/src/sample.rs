//! A turn of any size, for measuring. Must not be used as a test's expectation: it is accepted by construction.

use premath_kernel::{hex, sha256};
use serde_json::json;

/// A parallel turn of `calls` calls, each with request, result, use and rendering.
#[must_use]
pub fn sample_turn(calls: usize) -> Vec<u8> {
    let digest =
        |kind: &str, index: usize| format!("sha256:{}", hex(&sha256(format!("{kind}{index}").as_bytes())));
    let ids: Vec<String> = (0..calls).map(|index| format!("call_{index:08}")).collect();
    let rows = |row: &dyn Fn(usize, &String) -> serde_json::Value| {
        ids.iter().enumerate().map(|(index, id)| row(index, id)).collect::<Vec<_>>()
    };
    let turn = json!({ "evidence": {
        "callSpec": {
            "callId": "bench", "modelRef": "bench:1", "actionMode": "code", "executionPattern": "parallel",
            "normalizerId": "n1", "mutationPolicyDigest": "pol1_m", "governancePolicyDigest": "pol1_g",
            "toolRenderProtocolDigest": "pol1_r", "reminderQueuePolicyDigest": "pol1_q",
            "stateViewPolicyDigest": "pol1_v", "decompositionPolicyDigest": "pol1_d",
        },
        "toolRequests": rows(&|index, id| json!({
            "toolCallId": id, "toolName": "fs_read", "argumentsDigest": digest("arguments", index), "callGroup": "g", "order": index,
        })),
        "toolResults": rows(&|index, id| json!({
            "toolCallId": id, "status": "ok", "resultDigest": digest("result", index), "order": index,
        })),
        "toolUse": rows(&|index, id| json!({
            "toolCallId": id, "disposition": "consumed", "resultDigest": digest("result", index), "summaryRef": "sum://1",
        })),
        "toolRender": rows(&|index, id| json!({
            "toolCallId": id, "operatorPayloadDigest": digest("result", index),
            "reminderRenderDigest": digest("render", index), "injectionPoint": "tool_response", "policyDigest": "pol1_r",
        })),
        "reminderQueue": [{ "queueId": "q", "reducedDigest": "sha256:q", "policyDigest": "pol1_q" }],
        "stateViews": [{ "viewId": "v", "viewDigest": "sha256:v", "policyDigest": "pol1_v" }],
        "protocolState": { "stopReason": "tool_use", "continuationAllowed": true },
    }});
    turn.to_string().into_bytes()
}
