//! Mess in what surrounds the rows: the call spec, documents, the end of the turn, the intent.

#![expect(clippy::indexing_slicing, reason = "indexing a JSON object adds the member")]

use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use crate::generate::GeneratedTurn;
use crate::reference::policy_digest;

/// One thing that can be wrong with a turn.
#[derive(Debug, Clone)]
pub(in crate::generate) enum TurnMess {
    /// Another value in the call spec.
    Spec(&'static str, Value),
    /// The other strictness.
    Strictness,
    /// Another value in the protocol state.
    Protocol(&'static str, Value),
    /// A document less.
    ForgetDocument(Index),
    /// A document that was edited after its digest was taken.
    EditDocument(Index),
    /// Another policy, declared and supplied. Rows under the old one follow, or do not.
    Declare { field: &'static str, key: &'static str, document: Value, rows_follow: bool },
    /// Another member at the top.
    Top(&'static str, Value),
    /// Another member of the intent.
    Intent(&'static str, Value),
    /// Nobody cites the turn.
    ForgetRefs,
    /// Where a worker hangs.
    Worker(Index, u64, Option<&'static str>),
}

pub(super) fn turn_mess() -> impl Strategy<Value = TurnMess> {
    let spec = vec![
        ("actionMode", json!("JSON")),
        ("actionMode", json!(" code ")),
        ("actionMode", json!("text")),
        ("executionPattern", json!("Single")),
        ("executionPattern", json!("parallel")),
        ("normalizerId", json!("norm.v2")),
        ("toolChoice", json!("specific")),
        ("toolChoice", json!("Specific : edit ")),
        ("toolChoice", json!("any")),
        ("mutationPolicyDigest", json!("pol1_of_another_day")),
    ];
    let protocol = vec![
        ("stopReason", json!("refusal")),
        ("stopReason", json!("END_TURN")),
        ("continuationAllowed", json!(true)),
        ("continuationAllowed", json!(false)),
        ("counters", Value::Null),
        ("counters", json!({"turns": 4, "steps": 1})),
        ("counters", json!({"turns": 9})),
        ("checkpointRef", json!("  ")),
    ];
    let top = vec![
        ("capabilityClaims", json!([])),
        ("capabilityClaims", json!([" capabilities.change_morphisms.all ", ""])),
        ("capabilityClaims", json!(["capabilities.change_morphisms.issue.update"])),
        ("intent", Value::Null),
        ("intent", json!({"action": " issue.update", "argsDigest": "sha256:a", "policyDigest": "pol1_x"})),
        ("decompositionConstraints", json!({"admissible": false})),
        ("decompositionConstraints", json!({"admissible": true, "expectedExecutionPattern": "CHAIN"})),
        ("decompositionConstraints", json!({"expectedPolicyDigest": "pol1_expected"})),
    ];
    let intent = vec![
        ("action", json!("issue.close")),
        ("argsDigest", json!("sha256:others")),
        ("policyDigest", json!("pol1_of_another_day")),
        ("instructionRef", json!(" ")),
    ];
    let worker = (any::<Index>(), 0_u64..4, select(vec![None, Some("w0"), Some("w1"), Some("nobody")]));
    prop_oneof![
        4 => select(spec).prop_map(|(key, value)| TurnMess::Spec(key, value)),
        1 => Just(TurnMess::Strictness),
        4 => select(protocol).prop_map(|(key, value)| TurnMess::Protocol(key, value)),
        1 => any::<Index>().prop_map(TurnMess::ForgetDocument),
        1 => any::<Index>().prop_map(TurnMess::EditDocument),
        6 => (select(documents()), any::<bool>()).prop_map(|((field, key, document), rows_follow)| {
            TurnMess::Declare { field, key, document, rows_follow }
        }),
        2 => select(top).prop_map(|(key, value)| TurnMess::Top(key, value)),
        2 => select(intent).prop_map(|(key, value)| TurnMess::Intent(key, value)),
        1 => Just(TurnMess::ForgetRefs),
        2 => worker.prop_map(|(at, depth, parent)| TurnMess::Worker(at, depth, parent)),
    ]
}

/// Policies whose rules the reference checker knows.
fn documents() -> Vec<(&'static str, &'static str, Value)> {
    let mut documents = Vec::new();
    let mut add = |field: &'static str, key: &'static str, choices: &[Value]| {
        documents.extend(choices.iter().map(|document| (field, key, document.clone())));
    };
    add(
        "parallelPolicy",
        "parallelPolicy",
        &[
            json!({"allowed": false}),
            json!({"allowed": true, "maxBranches": 1}),
            json!({"allowed": true, "maxBranches": 2}),
            json!({"allowed": false, "maxBranches": 0}),
        ],
    );
    add(
        "protocolStatePolicy",
        "protocolStatePolicy",
        &[
            json!({"stopReasons": ["END_TURN", " refusal "]}),
            json!({"stopReasons": ["tool_use"], "continuation": ["end_turn"]}),
            json!({"stopReasons": ["tool_use", "max_tokens", "end_turn", "pause_turn"], "continuation": []}),
            json!({"stopReasons": [], "continuation": null}),
        ],
    );
    add(
        "stopPolicy",
        "stopPolicy",
        &[
            json!({}),
            json!({"maxTurns": 7}),
            json!({"checkpointEveryTurns": 4}),
            json!({"checkpointEveryTurns": 0}),
            json!({"checkpointEveryTurns": 3, "maxSteps": 100}),
            json!({"maxIdenticalCalls": 0, "maxTokens": 9000, "maxCostMicros": 1}),
        ],
    );
    add(
        "toolPolicy",
        "toolPolicy",
        &[
            json!({"tools": []}),
            json!({"tools": [{"name": "edit"}]}),
            json!({"tools": [{"name": "edit"}, {"name": "read_file", "schemaDigest": "sha256:s"}], "specificTool": " edit "}),
        ],
    );
    add(
        "decompositionPolicyDigest",
        "decompositionPolicy",
        &[
            json!({"patterns": [" Chain "]}),
            json!({"patterns": []}),
            json!({"maxWorkers": 1, "maxDepth": 1}),
            json!({"workflowTurnLimit": 3}),
            json!({"workflowTurnLimit": 3, "autonomyTrigger": "measured"}),
        ],
    );
    add(
        "toolRenderProtocolDigest",
        "toolRenderProtocol",
        &[
            json!({"injectionPoints": ["before_user"]}),
            json!({"injectionPoints": [" After_Tool_Result "]}),
            json!({"injectionPoints": []}),
        ],
    );
    add(
        "reminderQueuePolicyDigest",
        "reminderQueuePolicy",
        &[json!({"requiredQueues": ["todo", " other "]})],
    );
    add("stateViewPolicyDigest", "stateViewPolicy", &[json!({"requiredViews": ["files", ""]})]);
    add(
        "mutationPolicyDigest",
        "mutationPolicy",
        &[json!({"capabilities": []}), json!({"capabilities": [" capabilities.change_morphisms.all"]})],
    );
    documents
}

/// Makes the mess.
pub(super) fn make(turn: &mut GeneratedTurn, mess: &TurnMess) {
    let document = &mut turn.document;
    match mess {
        TurnMess::Spec(key, value) => document["evidence"]["callSpec"][*key] = value.clone(),
        TurnMess::Strictness => turn.strict = !turn.strict,
        TurnMess::Protocol(key, value) => document["evidence"]["protocolState"][*key] = value.clone(),
        TurnMess::ForgetDocument(at) => {
            if let Some(key) = some_document(document, *at) {
                document["policies"][key] = Value::Null;
            }
        }
        TurnMess::EditDocument(at) => {
            if let Some(key) = some_document(document, *at) {
                document["policies"][key]["edited"] = json!(true);
            }
        }
        TurnMess::Declare { field, key, document: policy, rows_follow } => {
            declare(document, field, key, policy, *rows_follow);
        }
        TurnMess::Top(key, value) => document[*key] = value.clone(),
        TurnMess::Intent(key, value) => {
            if document.get("intent").is_some_and(Value::is_object) {
                document["intent"][*key] = value.clone();
            }
        }
        TurnMess::ForgetRefs => {
            document["evidence"]["sessionRefs"] = json!([" "]);
            document["evidence"]["trajectoryRefs"] = Value::Null;
        }
        TurnMess::Worker(at, depth, parent) => {
            if let Some(workers) = super::list_of(document, "workers").filter(|workers| !workers.is_empty()) {
                let position = at.index(workers.len());
                if let Some(worker) = workers.get_mut(position) {
                    worker["depth"] = json!(depth);
                    worker["parentId"] = json!(parent);
                }
            }
        }
    }
}

fn some_document(document: &Value, at: Index) -> Option<String> {
    let policies = document.get("policies")?.as_object()?;
    let keys: Vec<&String> =
        policies.iter().filter(|(_, value)| value.is_object()).map(|(key, _)| key).collect();
    (!keys.is_empty()).then(|| (*at.get(&keys)).clone())
}

fn declare(document: &mut Value, field: &str, key: &str, policy: &Value, rows_follow: bool) {
    let digest = policy_digest("sha256:", policy);
    document["policies"][key] = policy.clone();
    document["evidence"]["callSpec"][field] = json!(digest);
    let list = match key {
        "toolRenderProtocol" => "toolRender",
        "reminderQueuePolicy" => "reminderQueue",
        "stateViewPolicy" => "stateViews",
        _ => return,
    };
    for row in super::list_of(document, list).filter(|_| rows_follow).into_iter().flatten() {
        row["policyDigest"] = json!(digest);
    }
}
