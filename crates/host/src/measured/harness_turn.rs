//! The turn on whose strength a package comes into force: one call of the harness, as evidence that the kernel reads.
//!
//! It must not claim what nobody counted: what is not there is left out, and the kernel refuses what is left out.

use std::sync::Arc;

use premath_bd::{TurnGrant, Witnesses, witnesses_folder};
use premath_kernel::{
    ActionName, ActivePolicy, Assessment, Claims, Digest, Intent, NormalizedTurn, Strictness, Text, Witness,
    admit, assess, close,
};
use premath_wire::Canonical;
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{JoinCheck, ReasonRow};
use serde_json::{Map, Value, json};

use super::promotion::{Evidence, Promotion, reason};
use crate::authority::Linked;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// A turn of the harness, with the one intent it asks for.
#[derive(Debug)]
pub(super) struct HarnessTurn {
    turn: NormalizedTurn,
    assessment: Assessment,
    intent: Intent,
    claims: Claims,
    again: Value,
}

/// The policy of mutations under which packages come into force.
fn mutation_policy(action: &str) -> Value {
    json!({"capabilities": [format!("capabilities.change_morphisms.{}", action.replace('.', "_"))]})
}

/// The turn that asks for a change.
pub(super) fn turn(
    wanted: &Promotion<'_>,
    evidence: &Evidence,
    linked: &Linked,
) -> Result<HarnessTurn, ActionError> {
    let action = wanted.change.action.name();
    let policy = mutation_policy(action);
    let policy_digest = digest_of(&policy)?;
    let intent = Intent {
        action: ActionName::new(action).ok_or_else(|| fault("the action has no name"))?,
        args_digest: wanted.change.args_digest(),
        policy_digest,
        instruction_ref: Text::new(linked.instruction_ref()),
        target_status: None,
    };
    let document = document(wanted, evidence, &intent, &policy)?;
    let read = JoinCheck::read(document.to_string().as_bytes(), Strictness::Strict)?;
    let turn = JoinCheck::normalize(read.turn)?;
    let assessment = assess(&turn, Some(&intent), &read.claims);
    Ok(HarnessTurn { turn, assessment, intent, claims: read.claims, again: document })
}

fn fault(what: &str) -> ActionError {
    ActionError::Unavailable { what: what.to_owned(), hint: "this is a fault of premath".to_owned() }
}

fn digest_of(document: &Value) -> Result<Digest, ActionError> {
    Ok(Digest::prefixed("pol1_", &parse(document.to_string().as_bytes(), Limits::default())?))
}

fn as_json(value: &premath_kernel::Value<'_>) -> Result<Value, ActionError> {
    serde_json::to_value(Canonical(value.borrowed())).map_err(|source| ActionError::Unwritable { source })
}

/// What the harness's own turn is bound by: it renders the package, reminds of nothing and spawns nobody.
struct Own {
    render: Digest,
    reminders: Digest,
    views: Digest,
    decomposition: Digest,
}

impl Own {
    fn new() -> Result<Self, ActionError> {
        let named = |name: &str| digest_of(&json!({"harness": "promote", "policy": name}));
        Ok(Self {
            render: named("render")?,
            reminders: named("reminders")?,
            views: named("views")?,
            decomposition: named("decomposition")?,
        })
    }
}

/// The turn as the kernel reads it: one call of the harness whose result asks for the change.
fn document(
    wanted: &Promotion<'_>,
    evidence: &Evidence,
    intent: &Intent,
    policy: &Value,
) -> Result<Value, ActionError> {
    let change = &wanted.change;
    let package = change.package.describe();
    let digest = change.package.digest();
    let call = format!("promote-{}", intent.args_digest.as_str());
    let nothing = Digest::of_bytes(b"");
    let own = Own::new()?;
    Ok(json!({
        "evidence": {
            "callSpec": {
                "callId": call,
                "modelRef": "harness:promote",
                "actionMode": "json",
                "executionPattern": "single",
                "normalizerId": "harness.v1",
                "mutationPolicyDigest": intent.policy_digest.as_str(),
                "governancePolicyDigest": digest.as_str(),
                "evalGatePolicyDigest": Digest::prefixed("pol1_", &wanted.gates.thresholds()).as_str(),
                "redTeamPolicyDigest": wanted.gates.red_team_digest().as_str(),
                "toolRenderProtocolDigest": own.render.as_str(),
                "reminderQueuePolicyDigest": own.reminders.as_str(),
                "stateViewPolicyDigest": own.views.as_str(),
                "decompositionPolicyDigest": own.decomposition.as_str(),
            },
            "toolRequests": [{"toolCallId": "promote", "toolName": change.action.name().replace('.', "_")}],
            "toolResults": [{
                "toolCallId": "promote",
                "status": "ok",
                "resultDigest": Digest::of(&package).as_str(),
            }],
            "toolUse": [{
                "toolCallId": "promote",
                "disposition": "consumed",
                "mutationInputRef": intent.digest().as_str(),
            }],
            "toolRender": [{
                "toolCallId": "promote",
                "operatorPayloadDigest": Digest::of(&package).as_str(),
                "reminderRenderDigest": nothing.as_str(),
                "injectionPoint": "after_tool_result",
                "policyDigest": own.render.as_str(),
            }],
            "reminderQueue": [{
                "queueId": "harness",
                "reducedDigest": nothing.as_str(),
                "policyDigest": own.reminders.as_str(),
            }],
            "stateViews": [{
                "viewId": "policy-package",
                "viewDigest": Digest::of(&package).as_str(),
                "policyDigest": own.views.as_str(),
            }],
            "protocolState": {"stopReason": "end_turn"},
            "trajectoryRefs": [format!("policy://{}", digest.as_str())],
        },
        "intent": as_json(&intent.canonical())?,
        "capabilityClaims": policy.get("capabilities"),
        "governanceProfile": profile(wanted, evidence, &digest),
        "policies": {
            "mutationPolicy": policy,
            "governancePolicy": as_json(&package)?,
            "evalGatePolicy": as_json(&wanted.gates.thresholds())?,
            "redTeamPolicy": as_json(&wanted.gates.red_team)?,
        },
    }))
}

/// What is claimed of governance. What is not there is left out.
fn profile(wanted: &Promotion<'_>, evidence: &Evidence, bound: &Digest) -> Value {
    let mut profile = Map::new();
    profile.insert("claimId".to_owned(), json!(premath_kernel::GOVERNANCE_CLAIM_ID));
    profile.insert("claimed".to_owned(), json!(true));
    // What was measured is what is pinned; a package that nobody measured is pinned as it lies there.
    let pinned = evidence.evaluation.as_ref().map(|found| found.report.lineage.package_digest.as_str());
    let provenance = json!({
        "pinned": true,
        "packageRef": format!("policy://{}", bound.as_str()),
        "expectedDigest": pinned.unwrap_or(bound.as_str()),
        "boundDigest": bound.as_str(),
    });
    profile.insert("policyProvenance".to_owned(), provenance);
    if let (Some(found), Some(measured)) = (&evidence.evaluation, &evidence.measured) {
        let figures = &measured.overall;
        let gate = json!({
            "passed": wanted.gates.unmet_by(figures).is_empty() && wanted.gates.unmet_by_data(measured).is_empty(),
            "metrics": {"precision": figures.precision, "recall": figures.recall, "f1": figures.f1},
        });
        profile.insert("evalGate".to_owned(), gate);
        let lineage = &found.report.lineage;
        let refs = json!({
            "datasetLineageRef": lineage.dataset_digest,
            "graderConfigLineageRef": lineage.grader_digest,
            "metricThresholdsRef": wanted.gates.evaluation_digest().as_str(),
        });
        profile.insert("evalEvidence".to_owned(), refs);
    }
    if let Some(found) = &evidence.red_team {
        let result = &found.report.result;
        let team = json!({
            "probes": result.probes.len(),
            "failures": result.failures(),
            "reportRef": found.digest.as_str(),
        });
        profile.insert("redTeam".to_owned(), team);
    }
    Value::Object(profile)
}

impl HarnessTurn {
    /// Keeps the record of the check.
    pub(super) fn witness(&self, workspace: &Workspace) -> Result<String, ActionError> {
        let witness = Witness::of(&self.turn, &self.assessment, Some(&self.intent), &self.claims);
        let (disk, ids) = (Arc::clone(&workspace.disk), Arc::clone(&workspace.ids));
        let witnesses = Witnesses::new(disk, ids, witnesses_folder(&workspace.root));
        let id = witnesses.put_record(&witness.into_value())?;
        Ok(format!("witness://{id}"))
    }

    /// What the turn earned, from the evidence; or everything that speaks against it.
    pub(super) fn grant(&self) -> Result<TurnGrant, Vec<ReasonRow>> {
        let rows = |refusal: premath_kernel::Refusal| {
            let row = |one: &premath_kernel::Reason| reason(one.class.code(), &one.subject, &one.detail);
            refusal.reasons().iter().map(row).collect::<Vec<_>>()
        };
        if let Some(refusal) = self.assessment.refusal() {
            return Err(rows(refusal.clone()));
        }
        let join = close(&self.turn).map_err(rows)?;
        let policies = JoinCheck::read(self.again.to_string().as_bytes(), Strictness::Strict)
            .map(|read| read.turn.policies)
            .map_err(|error| vec![reason("input", "turn", &error.to_string())])?;
        let active =
            policies.mutation_policy.as_ref().map_or(ActivePolicy::NotSupplied, ActivePolicy::Supplied);
        let ready = admit(join, &self.intent, &active, &self.claims).map_err(rows)?;
        TurnGrant::new(ready, self.intent.clone())
            .map_err(|refusal| vec![reason("permit_mismatch", "intent", &refusal.detail)])
    }
}
