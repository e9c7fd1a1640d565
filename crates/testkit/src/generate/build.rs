//! From a plan to the document it describes.

mod calls;
mod policies;

use serde_json::{Map, Value, json};

use super::GeneratedTurn;
use super::plan::{Declared, GuardrailPlan, IntentPlan, Supplied, TurnPlan};
use crate::reference::digest;

pub(super) const NORMALIZER: &str = "norm.v1";
const STAGES: [&str; 3] = ["pre_flight", "input", "output"];

/// An object under way: members are added where they apply.
#[derive(Debug, Default)]
struct Row(Map<String, Value>);

impl Row {
    fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.insert(key.to_owned(), value.into());
        self
    }

    fn maybe(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Adds a list unless it is empty.
    fn list(self, key: &str, items: Vec<Value>) -> Self {
        if items.is_empty() { self } else { self.with(key, items) }
    }

    fn done(self) -> Value {
        Value::Object(self.0)
    }
}

/// What follows from a plan, before its rows are written.
struct Facts<'p> {
    plan: &'p TurnPlan,
    ids: Vec<String>,
    intent: Option<Value>,
    claims: Vec<Value>,
    claimed: Option<bool>,
    role: Option<&'static str>,
    needs_context: bool,
}

impl<'p> Facts<'p> {
    fn of(plan: &'p TurnPlan) -> Self {
        let ids: Vec<String> =
            plan.calls.iter().enumerate().map(|(at, call)| format!("{}-{at}", call.id)).collect();
        let intent = plan.intent.as_ref().filter(|_| !ids.is_empty());
        let action = intent.map(|intent| action(plan, intent));
        let role = plan.around.role.or_else(|| plan.declares(Declared::Scope).then_some("orchestrator"));
        let consumes = plan.calls.iter().any(|call| call.usage.disposition == "consumed");
        let claimed = if action == Some("policy.update") { Some(true) } else { plan.claimed };
        Self {
            plan,
            claims: intent.zip(action).map(|(intent, action)| claims(intent, action)).unwrap_or_default(),
            needs_context: plan.context.continuation == Some(true) || consumes || intent.is_some(),
            intent: intent.zip(action).map(|(intent, action)| {
                let spec = policies::mandatory_digest(plan, Supplied::Mutation);
                let row = Row::default()
                    .with("action", action)
                    .with("argsDigest", digest(&json!({"title": "new"})));
                let row = row.with("policyDigest", spec);
                row.maybe("instructionRef", intent.instruction.then_some("instr1_7")).done()
            }),
            ids,
            claimed,
            role,
        }
    }

    fn intent_digest(&self) -> Option<String> {
        self.intent.as_ref().map(digest)
    }
}

/// A transfer needs a contract and a packet; without them another action takes its place.
fn action(plan: &TurnPlan, intent: &IntentPlan) -> &'static str {
    let can_transfer = plan.declares(Declared::Contract) && plan.around.handoff.is_some();
    match intent.action {
        "" => "issue.update",
        "handoff.transfer" if !can_transfer => "issue.update",
        action => action,
    }
}

fn claims(intent: &IntentPlan, action: &str) -> Vec<Value> {
    let claim = if intent.claims_all { "all".to_owned() } else { action.replace('.', "_") };
    let further = (0..intent.further_claims).map(|at| format!("capabilities.change_morphisms.other_{at}"));
    std::iter::once(format!("capabilities.change_morphisms.{claim}"))
        .chain(further)
        .map(Value::from)
        .collect()
}

/// The document of a plan.
pub(super) fn turn(plan: &TurnPlan) -> GeneratedTurn {
    let facts = Facts::of(plan);
    let evidence = Row::default()
        .with("callSpec", policies::call_spec(&facts))
        .list("toolRequests", calls::requests(&facts))
        .list("toolResults", calls::results(&facts))
        .list("toolUse", calls::uses(&facts))
        .list("toolRender", calls::renders(&facts))
        .list("reminderQueue", queues(&facts))
        .list("stateViews", views(&facts))
        .with("protocolState", protocol_state(plan))
        .list("guardrails", turn_guardrails(plan))
        .list("codeExecutions", calls::programs(&facts))
        .list("workers", workers(plan))
        .list(
            "sessionRefs",
            refs("session", plan.context.session_refs.max(usize::from(facts.intent.is_some()))),
        )
        .list("trajectoryRefs", refs("trajectory", plan.context.trajectory_refs))
        .maybe("handoff", handoff(&facts))
        .maybe(
            "handoffProjection",
            facts.role.map(|_| json!({"incomingArtifactRefs": ["brief"], "allowedTargets": ["reviewer"]})),
        )
        .maybe("compaction", compaction(plan))
        .maybe("observations", observations(&facts));
    let document = Row::default()
        .with("evidence", evidence.done())
        .with("policies", policies::documents(&facts))
        .maybe("governanceProfile", policies::profile(&facts))
        .list("capabilityClaims", facts.claims.clone())
        .maybe("intent", facts.intent.clone());
    let document = if plan.around.asserted { assertions(&facts, document) } else { document };
    GeneratedTurn { document: document.done(), strict: plan.strict }
}

/// What a caller asserts where it is true.
fn assertions(facts: &Facts<'_>, document: Row) -> Row {
    let plan = facts.plan;
    let expected = json!({
        "admissible": true,
        "expectedExecutionPattern": plan.pattern,
        "expectedPolicyDigest": policies::mandatory_digest(plan, Supplied::Decomposition)
    });
    let handoff = plan.around.handoff.map(|_| json!({"allowedTargets": ["reviewer", "tester"]}));
    document
        .with("decompositionConstraints", expected)
        .with("protocolConstraints", json!({"parallelTransportOrderValid": true}))
        .with("truncationConstraints", json!({"required": true, "valid": true}))
        .maybe("handoffConstraints", handoff)
}

fn refs(kind: &str, count: usize) -> Vec<Value> {
    (0..count).map(|at| Value::from(format!("{kind}:{at}"))).collect()
}

fn named(names: &[&str], planned: usize, needed: bool) -> Vec<String> {
    let count = planned.max(usize::from(needed));
    names.iter().take(count).map(|name| (*name).to_owned()).collect()
}

fn queues(facts: &Facts<'_>) -> Vec<Value> {
    let policy = policies::mandatory_digest(facts.plan, Supplied::Queue);
    let names = named(&["reminders", "todo"], facts.plan.context.queues, facts.needs_context);
    let row = |name: String| json!({"queueId": name, "reducedDigest": digest(&json!("left")), "policyDigest": policy});
    names.into_iter().map(row).collect()
}

fn views(facts: &Facts<'_>) -> Vec<Value> {
    let policy = policies::mandatory_digest(facts.plan, Supplied::View);
    let names = named(&["conversation", "files"], facts.plan.context.views, facts.needs_context);
    let row = |name: String| {
        let row =
            Row::default().with("viewDigest", digest(&json!("shown"))).with("policyDigest", policy.as_str());
        row.list("sourceRefs", refs("source", name.len() % 3)).with("viewId", name).done()
    };
    names.into_iter().map(row).collect()
}

fn protocol_state(plan: &TurnPlan) -> Value {
    let counted =
        plan.context.counters || plan.declares(Declared::Stop) || plan.supplies(Supplied::Decomposition);
    let counters = json!({
        "turns": 8, "steps": 40, "toolCalls": 30, "tokens": 9000, "costMicros": 2500, "wallMillis": 6000,
        "identicalCalls": 0
    });
    Row::default()
        .with("stopReason", plan.context.stop_reason)
        .maybe("continuationAllowed", plan.context.continuation)
        .maybe("counters", counted.then_some(counters))
        .maybe("checkpointRef", plan.declares(Declared::Stop).then_some("checkpoint:8"))
        .done()
}

fn guardrails(plans: &[GuardrailPlan]) -> Vec<Value> {
    let mut seen: Vec<(&str, usize)> = Vec::new();
    let mut rows = Vec::new();
    for plan in plans {
        if seen.contains(&(plan.id, plan.stage)) {
            continue;
        }
        seen.push((plan.id, plan.stage));
        let order = u64::try_from(plan.stage).unwrap_or_default() * 10 + plan.late;
        let row = Row::default().with("id", plan.id).with("triggered", plan.late > 2).with("order", order);
        let row = row.maybe("stage", STAGES.get(plan.stage).copied());
        rows.push(row.maybe("score", plan.score).maybe("threshold", plan.score).done());
    }
    rows
}

fn turn_guardrails(plan: &TurnPlan) -> Vec<Value> {
    let mut rows = guardrails(&plan.around.guardrails);
    if plan.declares(Declared::Guardrails) {
        for (at, stage) in STAGES.into_iter().enumerate() {
            rows.push(json!({"id": "always", "stage": stage, "triggered": false, "order": at * 10}));
        }
    }
    rows
}

/// How deep each worker is; the parent of one is always before it.
fn depths(plan: &TurnPlan) -> Vec<(Option<usize>, u64)> {
    let mut depths: Vec<(Option<usize>, u64)> = Vec::new();
    for parent in &plan.around.workers {
        let parent = parent.filter(|_| !depths.is_empty()).map(|parent| parent.index(depths.len()));
        let above = parent.and_then(|parent| depths.get(parent)).map_or(0, |(_, depth)| *depth);
        depths.push((parent, above + 1));
    }
    depths
}

fn workers(plan: &TurnPlan) -> Vec<Value> {
    let row = |(at, (parent, depth)): (usize, (Option<usize>, u64))| {
        let row = Row::default().with("id", format!("w{at}")).with("depth", depth);
        row.maybe("parentId", parent.map(|parent| format!("w{parent}"))).done()
    };
    depths(plan).into_iter().enumerate().map(row).collect()
}

fn handoff(facts: &Facts<'_>) -> Option<Value> {
    let (needs, returns) = facts.plan.around.handoff?;
    let contract = facts.plan.declares(Declared::Contract);
    let needs = needs || contract;
    let packet = json!([{"ref": "plan", "digest": digest(&json!("plan"))}]);
    let row = Row::default()
        .with("target", "reviewer")
        .maybe("requiredArtifactRefs", needs.then(|| json!(["plan"])))
        .maybe("artifacts", (needs && looks_up_artifacts(facts)).then_some(packet))
        .maybe("returnPathRef", (returns || contract).then_some("return:1"))
        .maybe("fromRole", (contract || returns).then_some(facts.role.unwrap_or("orchestrator")))
        .maybe("intent", returns.then_some("review this"));
    Some(row.list("constraints", refs("constraint", usize::from(returns))).done())
}

fn looks_up_artifacts(facts: &Facts<'_>) -> bool {
    facts.plan.strict || facts.plan.around.observed
}

fn compaction(plan: &TurnPlan) -> Option<Value> {
    (plan.declares(Declared::Compaction) && plan.around.compaction).then(|| {
        json!({
            "policyDigest": policies::declared_digest(plan, Declared::Compaction),
            "priorStateDigest": digest(&json!("before")),
            "stateDigest": digest(&json!("after")),
            "kept": ["rule:1", "call-9", "owed:1"],
            "dropped": ["chatter"],
            "openCallIds": ["call-9"],
            "obligations": ["owed:1"]
        })
    })
}

fn observations(facts: &Facts<'_>) -> Option<Value> {
    let plan = facts.plan;
    let artifacts = json!([
        {"ref": "brief", "digest": digest(&json!("brief"))},
        {"ref": "plan", "digest": digest(&json!("plan"))},
        {"ref": "nowhere", "digest": null}
    ]);
    let files = plan.around.observed && plan.declares(Declared::Boundary);
    let row = Row::default()
        .maybe("artifacts", looks_up_artifacts(facts).then_some(artifacts))
        .maybe("files", files.then(|| calls::written_files(plan)))
        .maybe(
            "sinks",
            plan.declares(Declared::Observability)
                .then(|| json!([{"mode": "internal_processor"}, {"mode": "disabled"}])),
        );
    (plan.around.observed || !row.0.is_empty()).then(|| row.done())
}
