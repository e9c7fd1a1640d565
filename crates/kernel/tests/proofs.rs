//! The way from rows to permission, on the kernel's own types: normalise, close, admit.

#![expect(clippy::unwrap_used, reason = "what these rows are made of is known here")]

use std::collections::BTreeMap;

use premath_kernel::{
    ActionMode, ActionName, ActivePolicy, CallSpec, Claims, Constraints, Digest, Disposition, Document,
    ErrorMaterial, ExecutionPattern, FailureClass, Intent, JoinClosed, MutationPolicy, NormalizedTurn,
    Object, Outcome, Policies, ProtocolState, Refusal, ReminderQueue, StateView, Strictness, Text, TextSet,
    Token, ToolCallId, ToolRender, ToolRequest, ToolResult, ToolUse, Turn, TurnEvidence, Value, Witness,
    admit, assess, close, normalize,
};

fn text(text: &str) -> Text {
    Text::new(text).unwrap()
}

fn digest(text: &str) -> Digest {
    Digest::claimed(text).unwrap()
}

fn id() -> ToolCallId {
    ToolCallId::new("call-1").unwrap()
}

fn set(texts: &[&str]) -> TextSet {
    texts.iter().copied().map(text).collect()
}

const CAPABILITY: &str = "capabilities.change_morphisms.issue_update";

/// A policy that grants these capabilities, under some title.
fn policy(title: &'static str, granted: &[&str]) -> Document<MutationPolicy> {
    let source = Object::from_members(vec![("title".into(), Value::from(title))]).unwrap();
    let terms = MutationPolicy { capabilities: set(granted) };
    Document::read::<()>(source, |_| Ok(terms)).unwrap()
}

fn granting() -> Document<MutationPolicy> {
    policy("ours", &[CAPABILITY])
}

fn policy_digest() -> Digest {
    granting().digest_like(&digest("pol1_")).clone()
}

fn intent() -> Intent {
    Intent {
        action: ActionName::new("issue.update").unwrap(),
        args_digest: digest("sha256:args"),
        policy_digest: policy_digest(),
        instruction_ref: None,
    }
}

fn claims() -> Claims {
    Claims::new(set(&[CAPABILITY]))
}

fn spec() -> CallSpec {
    CallSpec {
        call_id: text("turn-1"),
        model_ref: text("model/a"),
        action_mode: ActionMode::Json,
        execution_pattern: ExecutionPattern::Single,
        normalizer_id: text("norm.v1"),
        mutation_policy: policy_digest(),
        governance_policy: digest("pol1_governance"),
        tool_render_protocol: digest("pol1_render"),
        reminder_queue_policy: digest("pol1_queue"),
        state_view_policy: digest("pol1_view"),
        decomposition_policy: digest("pol1_split"),
        tool_choice: None,
        observability_mode: None,
        risk_tier: None,
        orchestration_role: None,
        declared: BTreeMap::new(),
    }
}

fn request() -> ToolRequest {
    ToolRequest {
        tool_call_id: id(),
        tool_name: text("read_file"),
        arguments: Some(Value::from("a.rs")),
        arguments_digest: None,
        schema_digest: None,
        caller_id: None,
        search_ref: None,
        search_ref_digest: None,
        call_group: None,
        order: None,
        source: None,
        guardrails: Vec::new(),
    }
}

fn result() -> ToolResult {
    ToolResult {
        tool_call_id: id(),
        status: None,
        result_digest: None,
        payload: Some(Value::from("fn main() {}")),
        error: ErrorMaterial::default(),
        provenance: None,
        caller_edge: None,
        shell: None,
        truncation: None,
        tokens: None,
        artifacts: Vec::new(),
        issue_targets: Vec::new(),
        guardrails: Vec::new(),
        order: None,
    }
}

fn evidence() -> TurnEvidence {
    TurnEvidence {
        requests: vec![request()],
        results: vec![result()],
        uses: vec![ToolUse {
            tool_call_id: id(),
            disposition: Disposition::Consumed,
            result_digest: Some(Digest::of(&Value::from("fn main() {}"))),
            reason: None,
            summary_ref: None,
            handoff_ref: None,
            mutation_input_ref: Text::new(intent().digest().as_str()),
        }],
        renders: vec![ToolRender {
            tool_call_id: id(),
            operator_payload_digest: digest("sha256:operator"),
            reminder_render_digest: digest("sha256:model"),
            injection_point: Token::new("after_tool_result").unwrap(),
            policy_digest: digest("pol1_render"),
        }],
        queues: vec![ReminderQueue {
            queue_id: text("reminders"),
            reduced_digest: digest("sha256:left"),
            policy_digest: digest("pol1_queue"),
        }],
        views: vec![StateView {
            view_id: text("conversation"),
            view_digest: digest("sha256:shown"),
            policy_digest: digest("pol1_view"),
            source_refs: TextSet::default(),
        }],
        protocol: ProtocolState {
            stop_reason: Token::new("tool_use").unwrap(),
            continuation_allowed: true,
            counters: None,
            checkpoint_ref: None,
        },
        handoff: None,
        guardrails: Vec::new(),
        code_executions: Vec::new(),
        compaction: None,
        workers: Vec::new(),
        handoff_projection: None,
        observations: None,
        session_refs: set(&["session:1"]),
        trajectory_refs: TextSet::default(),
    }
}

fn turn() -> Turn {
    Turn {
        spec: spec(),
        evidence: evidence(),
        policies: std::sync::Arc::new(Policies::default()),
        governance: None,
        constraints: Constraints::default(),
        strictness: Strictness::Strict,
    }
}

fn normalized() -> NormalizedTurn {
    normalize(turn()).unwrap()
}

fn closed() -> JoinClosed {
    close(&normalized()).unwrap()
}

fn pairs(refusal: &Refusal) -> Vec<(FailureClass, &str)> {
    refusal.reasons().iter().map(|reason| (reason.class, reason.subject.as_str())).collect()
}

#[test]
fn a_turn_of_kernel_types_is_normalised_closed_and_admitted() {
    let turn = normalized();
    assert!(turn.strictness().is_strict());
    assert!(turn.join_state().missing_results.is_empty());
    assert!(turn.context_state().continuation_context_ready);
    assert_eq!(turn.spec(), &spec());
    let join = close(&turn).unwrap();
    assert_eq!(join.turn_digest(), &turn.digests().turn);
    let policy = granting();
    let ready = admit(join, &intent(), &ActivePolicy::Supplied(&policy), &claims()).unwrap();
    assert_eq!(ready.turn_digest(), &turn.digests().turn);
    assert_eq!(ready.intent_digest(), &intent().digest());
    assert_eq!(ready.policy_digest(), &policy_digest());
}

#[test]
fn an_intent_formed_under_another_policy_is_not_admitted() {
    let other = Intent { policy_digest: digest("pol1_of_another_day"), ..intent() };
    let refusal = admit(closed(), &other, &ActivePolicy::NotSupplied, &claims()).unwrap_err();
    let expected = [
        (FailureClass::PolicyDigestMismatch, "intent.policyDigest"),
        // Another intent has another digest, which no use row names.
        (FailureClass::UseEvidenceMissing, "intent"),
    ];
    assert_eq!(pairs(&refusal), expected);
}

#[test]
fn an_active_policy_with_another_digest_admits_nothing() {
    let active = policy("edited", &[CAPABILITY]);
    let refusal = admit(closed(), &intent(), &ActivePolicy::Supplied(&active), &claims()).unwrap_err();
    assert_eq!(pairs(&refusal), [(FailureClass::PolicyDigestMismatch, "policies.mutationPolicy")]);
}

#[test]
fn neither_claim_nor_grant_is_enough_alone() {
    let unclaimed = admit(closed(), &intent(), &ActivePolicy::NotSupplied, &Claims::default()).unwrap_err();
    assert_eq!(pairs(&unclaimed), [(FailureClass::CapabilityClaimMissing, "intent.action")]);
    let policy = policy("ours", &[]);
    let ungranted = admit(closed(), &intent(), &ActivePolicy::Supplied(&policy), &claims()).unwrap_err();
    assert_eq!(pairs(&ungranted), [(FailureClass::CapabilityClaimMissing, "intent.action")]);
}

#[test]
fn an_open_turn_gives_no_proof_and_says_why() {
    let mut turn = turn();
    turn.evidence.results.clear();
    let refusal = close(&normalize(turn).unwrap()).unwrap_err();
    let expected = [
        (FailureClass::JoinIncomplete, "call-1"),
        (FailureClass::JoinIncomplete, "call-1"),
        (FailureClass::ResultMissing, "call-1"),
        (FailureClass::UseWithoutResult, "call-1"),
    ];
    assert_eq!(pairs(&refusal), expected);
    assert_eq!(refusal.to_string(), "tool.join_incomplete, tool.result_missing, tool.use_without_result");
}

#[test]
fn rows_that_contradict_each_other_are_not_normalised() {
    let mut turn = turn();
    turn.evidence.results.push(ToolResult { payload: Some(Value::from("another")), ..result() });
    let duplicate = normalize(turn).unwrap_err();
    assert_eq!((duplicate.list.name(), duplicate.index), ("toolResults", 1));
}

#[test]
fn an_assessment_tells_what_the_proofs_would() {
    let turn = normalized();
    let (intent, claims) = (intent(), claims());
    let granted = assess(&turn, Some(&intent), &claims);
    assert_eq!(
        (granted.outcome(), granted.join_closed(), granted.mutation_ready()),
        (Outcome::Accepted, true, Some(true))
    );
    let nothing = Claims::default();
    let refused = assess(&turn, Some(&intent), &nothing);
    assert_eq!(
        (refused.outcome(), refused.join_closed(), refused.mutation_ready()),
        (Outcome::Rejected, true, Some(false))
    );
    let asked_nothing = assess(&turn, None, &nothing);
    assert_eq!(asked_nothing.mutation_ready(), None);
    let ids = [
        Witness::of(&turn, &granted, Some(&intent), &claims).id().to_owned(),
        Witness::of(&turn, &refused, Some(&intent), &nothing).id().to_owned(),
        Witness::of(&turn, &asked_nothing, None, &nothing).id().to_owned(),
    ];
    assert!(ids.iter().all(|id| id.starts_with("w1_") && id.len() == 55));
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2], "{ids:?}");
}
