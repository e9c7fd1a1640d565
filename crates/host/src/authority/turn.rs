//! The turn of a door that has no model: one call of the harness, as evidence that the kernel reads.
//!
//! The call asks for one change, or says what came of checks. It is closed and admitted like any other turn; nothing here is
//! a shortcut. It must not claim what nobody did.

use std::sync::Arc;

use premath_bd::{JournalEvent, StoreError, TurnGrant, Witnesses, witnesses_folder};
use premath_kernel::{
    ActivePolicy, Assessment, Claims, Digest, Intent, NormalizedTurn, Object, Strictness, Witness, admit,
    assess, close,
};
use premath_wire::Canonical;
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::JoinCheck;
use serde_json::{Value, json};

use super::refusal::refused;
use crate::agent::RunRefused;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// What a door asks for.
#[derive(Debug)]
pub(super) struct HarnessCall<'c> {
    /// `harness:<worker>`, `harness:retry`, `external:<client>`, `harness:instruction`.
    pub(super) model_ref: &'c str,
    /// The turn, unique to what asks: the same call twice is the same turn.
    pub(super) call_id: &'c str,
    /// The action.
    pub(super) action: &'c str,
    /// The digest of its arguments.
    pub(super) args: &'c Digest,
    /// The result it stands on.
    pub(super) result: &'c Digest,
    /// The change that is asked for.
    pub(super) intent: Option<&'c Intent>,
    /// The policy of mutations, and what is claimed under it.
    pub(super) policy: &'c Object<'static>,
    pub(super) policy_digest: &'c Digest,
    pub(super) claims: &'c [String],
    /// Where the turn is cited.
    pub(super) refs: &'c [String],
    /// The command that verified the work before the change was asked for.
    pub(super) verified: Option<&'c VerifiedCommand>,
}

/// A command that ended with code 0, and the object that says so.
#[derive(Debug, Clone)]
pub(crate) struct VerifiedCommand {
    /// The command, as `sh` was given it.
    pub(crate) script: String,
    /// The profile of its sandbox.
    pub(crate) profile: &'static str,
    /// The object that says how it ended.
    pub(crate) evidence: Digest,
}

/// The turn, read and judged.
#[derive(Debug)]
pub(super) struct HarnessTurn {
    document: Value,
    turn: NormalizedTurn,
    assessment: Assessment,
    intent: Option<Intent>,
    claims: Claims,
}

fn digest_of(document: &Value) -> Result<Digest, ActionError> {
    Ok(Digest::prefixed("pol1_", &parse(document.to_string().as_bytes(), Limits::default())?))
}

fn as_json(value: &premath_kernel::Value<'_>) -> Result<Value, ActionError> {
    serde_json::to_value(Canonical(value.borrowed())).map_err(|source| ActionError::Unwritable { source })
}

impl HarnessTurn {
    /// The turn that a call is.
    pub(super) fn of(call: &HarnessCall<'_>) -> Result<Self, ActionError> {
        let document = document(call)?;
        let read = JoinCheck::read(document.to_string().as_bytes(), Strictness::Strict)?;
        let turn = JoinCheck::normalize(read.turn)?;
        let assessment = assess(&turn, call.intent, &read.claims);
        Ok(Self { document, turn, assessment, intent: call.intent.cloned(), claims: read.claims })
    }

    /// The evidence as a journal keeps it, before anything is done on its strength.
    pub(super) fn event(&self) -> Result<JournalEvent, ActionError> {
        let event = json!({"kind": "harness.turn", "turn": self.document});
        Ok(JournalEvent::of(&parse(event.to_string().as_bytes(), Limits::default())?)?)
    }

    /// Keeps the record of the check.
    pub(super) fn witness(&self, workspace: &Workspace) -> Result<String, StoreError> {
        let witness = Witness::of(&self.turn, &self.assessment, self.intent.as_ref(), &self.claims);
        let (disk, ids) = (Arc::clone(&workspace.disk), Arc::clone(&workspace.ids));
        let witnesses = Witnesses::new(disk, ids, witnesses_folder(&workspace.root));
        Ok(format!("witness://{}", witnesses.put_record(&witness.into_value())?))
    }

    /// The first thing that speaks against it.
    pub(super) fn refusal(&self) -> Option<RunRefused> {
        let refusal = self.assessment.refusal()?;
        let classes: Vec<&str> = refusal.classes().iter().map(|class| class.code()).collect();
        let detail = refusal.reasons().first().map(|reason| reason.detail.clone()).unwrap_or_default();
        Some(refused(&classes.join(", "), detail, "`premath explain` says what each class means"))
    }

    /// What the closed turn earned; or why it earned nothing.
    pub(super) fn grant(&self) -> Result<Result<TurnGrant, RunRefused>, ActionError> {
        if let Some(refused) = self.refusal() {
            return Ok(Err(refused));
        }
        let Some(intent) = self.intent.clone() else {
            return Ok(Err(refused("mutation.use_evidence_missing", "the turn asks for nothing", "")));
        };
        let policies =
            JoinCheck::read(self.document.to_string().as_bytes(), Strictness::Strict)?.turn.policies;
        let active =
            policies.mutation_policy.as_ref().map_or(ActivePolicy::NotSupplied, ActivePolicy::Supplied);
        let earned = close(&self.turn).and_then(|join| admit(join, &intent, &active, &self.claims));
        Ok(match earned {
            Ok(ready) => TurnGrant::new(ready, intent)
                .map_err(|mismatch| refused("permit_mismatch", mismatch.detail, "")),
            Err(refusal) => {
                let class = refusal.classes().first().map(|class| class.code()).unwrap_or_default();
                let detail = refusal.reasons().first().map(|reason| reason.detail.clone());
                Err(refused(class, detail.unwrap_or_default(), ""))
            }
        })
    }
}

fn document(call: &HarnessCall<'_>) -> Result<Value, ActionError> {
    let own = |name: &str| digest_of(&json!({"harness": "door", "policy": name}));
    let (render, reminders) = (own("render")?, own("reminders")?);
    let (views, decomposition) = (own("views")?, own("decomposition")?);
    let nothing = Digest::of_bytes(b"");
    let tool_use = match call.intent {
        Some(intent) => json!({
            "toolCallId": "call", "disposition": "consumed", "mutationInputRef": intent.digest().as_str(),
        }),
        None => json!({"toolCallId": "call", "disposition": "observed_only"}),
    };
    let mut document = json!({
        "evidence": {
            "callSpec": {
                "callId": call.call_id,
                "modelRef": call.model_ref,
                "actionMode": "json",
                "executionPattern": "single",
                "normalizerId": "premath.harness.v1",
                "mutationPolicyDigest": call.policy_digest.as_str(),
                "governancePolicyDigest": call.policy_digest.as_str(),
                "toolRenderProtocolDigest": render.as_str(),
                "reminderQueuePolicyDigest": reminders.as_str(),
                "stateViewPolicyDigest": views.as_str(),
                "decompositionPolicyDigest": decomposition.as_str(),
            },
            "toolRequests": [{
                "toolCallId": "call",
                "toolName": call.action.replace('.', "_"),
                "argumentsDigest": call.args.as_str(),
            }],
            "toolResults": [{"toolCallId": "call", "status": "ok", "resultDigest": call.result.as_str()}],
            "toolUse": [tool_use],
            "toolRender": [{
                "toolCallId": "call",
                "operatorPayloadDigest": call.result.as_str(),
                "reminderRenderDigest": nothing.as_str(),
                "injectionPoint": "after_tool_result",
                "policyDigest": render.as_str(),
            }],
            "reminderQueue": [{
                "queueId": "harness",
                "reducedDigest": nothing.as_str(),
                "policyDigest": reminders.as_str(),
            }],
            "stateViews": [{
                "viewId": "harness",
                "viewDigest": call.result.as_str(),
                "policyDigest": views.as_str(),
            }],
            "protocolState": {"stopReason": "end_turn"},
            "trajectoryRefs": call.refs,
        },
        "capabilityClaims": call.claims,
        "policies": {"mutationPolicy": as_json(&premath_kernel::Value::Object(call.policy.clone()))?},
    });
    if let (Some(verified), Some(intent)) = (call.verified, call.intent) {
        add_verification(&mut document, verified, intent, &render)?;
    }
    if let (Some(intent), Some(members)) = (call.intent, document.as_object_mut()) {
        members.insert("intent".to_owned(), as_json(&intent.canonical())?);
    }
    Ok(document)
}

/// Adds the call that verified the work: the change rests on its result.
fn add_verification(
    document: &mut Value,
    verified: &VerifiedCommand,
    intent: &Intent,
    render: &Digest,
) -> Result<(), ActionError> {
    let parallel = json!({"allowed": true, "maxBranches": 2});
    let script = Digest::of_bytes(verified.script.trim().as_bytes());
    let evidence = verified.evidence.as_str();
    let rows = [
        (
            "toolRequests",
            json!({"toolCallId": "verify", "toolName": "shell", "argumentsDigest": script.as_str()}),
        ),
        (
            "toolResults",
            json!({
                "toolCallId": "verify", "status": "ok", "resultDigest": evidence,
                "provenance": {"kind": "command", "ref": "verify"},
                "shell": {
                    "workdir": ".", "sandboxProfile": verified.profile, "commandDigest": script.as_str(),
                    "scriptDigest": script.as_str(), "exitCode": 0,
                },
            }),
        ),
        (
            "toolUse",
            json!({
                "toolCallId": "verify", "disposition": "consumed", "resultDigest": evidence,
                "mutationInputRef": intent.digest().as_str(),
            }),
        ),
        (
            "toolRender",
            json!({
                "toolCallId": "verify", "operatorPayloadDigest": evidence, "reminderRenderDigest": evidence,
                "injectionPoint": "after_tool_result", "policyDigest": render.as_str(),
            }),
        ),
    ];
    for (list, row) in rows {
        if let Some(list) = document.pointer_mut(&format!("/evidence/{list}")).and_then(Value::as_array_mut) {
            list.push(row);
        }
    }
    let digest = digest_of(&parallel)?;
    let mut insert = |path: &str, key: &str, value: Value| {
        if let Some(members) = document.pointer_mut(path).and_then(Value::as_object_mut) {
            members.insert(key.to_owned(), value);
        }
    };
    insert("/evidence/callSpec", "parallelPolicy", json!(digest.as_str()));
    insert("/policies", "parallelPolicy", parallel);
    Ok(())
}
