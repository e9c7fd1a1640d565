//! One turn that closes, for tests that hand the kernel a row of ours and ask what it thinks.

use std::collections::BTreeMap;

use premath_kernel::{
    ActionMode, CallSpec, CompactionPolicy, Constraints, Count, Cut, Digest, Disposition, Document,
    ErrorMaterial, ExecutionPattern, FailureClass, Object, Policies, PolicyKind, ProtocolState,
    ReminderQueue, StateView, Strictness, Text, TextSet, Token, ToolCallId, ToolRender, ToolRequest,
    ToolResult, ToolUse, Truncation, TruncationPolicy, Turn, TurnEvidence, Value, close, normalize,
};

pub(super) fn text(text: &str) -> Text {
    Text::new(text).unwrap()
}

pub(super) fn digest(text: &str) -> Digest {
    Digest::claimed(text).unwrap()
}

pub(super) fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn id() -> ToolCallId {
    ToolCallId::new("call-1").unwrap()
}

/// The classes of everything that speaks against a turn.
pub(super) fn classes(turn: Turn) -> Vec<FailureClass> {
    let turn = normalize(turn).unwrap();
    match close(&turn) {
        Ok(_) => Vec::new(),
        Err(refusal) => refusal.reasons().iter().map(|reason| reason.class).collect(),
    }
}

/// Declares a policy of our own terms, and gives its digest.
fn declare<Terms>(turn: &mut Turn, kind: PolicyKind, terms: Terms) -> Document<Terms> {
    let source = Object::from_members(vec![("title".into(), Value::from(kind.field()))]).unwrap();
    let document = Document::read::<()>(source, |_| Ok(terms)).unwrap();
    turn.spec.declared.insert(kind, document.digest_like(&digest("pol1_")).clone());
    document
}

/// The digest of the truncation policy of [`truncated`].
pub(super) fn truncation_policy() -> Digest {
    let mut turn = turn();
    let terms = CompactionPolicy::default();
    declare(&mut turn, PolicyKind::Truncation, terms);
    turn.spec.declared[&PolicyKind::Truncation].clone()
}

/// The digest of the compaction policy of [`compacted`].
pub(super) fn compaction_policy() -> Digest {
    let mut turn = turn();
    declare(&mut turn, PolicyKind::Compaction, CompactionPolicy::default());
    turn.spec.declared[&PolicyKind::Compaction].clone()
}

/// A turn whose one result was cut like this, under a policy with these terms.
pub(super) fn truncated(truncation: Truncation, max_bytes: u64, marker: &str) -> Turn {
    let mut turn = turn();
    let terms = TruncationPolicy {
        max_bytes: Count::new(max_bytes).unwrap(),
        marker: marker.to_owned(),
        cut: Cut::Middle,
    };
    let document = declare(&mut turn, PolicyKind::Truncation, terms);
    policies(&mut turn).truncation_policy = Some(document);
    turn.evidence.results[0].truncation = Some(truncation);
    turn
}

/// A turn after a compaction, under a policy that wants these kept.
pub(super) fn compacted(compaction: premath_kernel::Compaction, must_keep: &[&str]) -> Turn {
    let mut turn = turn();
    let must_keep = must_keep.iter().map(|one| text(one)).collect();
    let terms = CompactionPolicy { enabled: Some(true), must_keep };
    let document = declare(&mut turn, PolicyKind::Compaction, terms);
    policies(&mut turn).compaction_policy = Some(document);
    turn.evidence.compaction = Some(compaction);
    turn
}

pub(super) fn turn() -> Turn {
    Turn {
        spec: spec(),
        evidence: evidence(),
        policies: std::sync::Arc::new(Policies::default()),
        governance: None,
        constraints: Constraints::default(),
        strictness: Strictness::Strict,
    }
}

fn spec() -> CallSpec {
    CallSpec {
        call_id: text("turn-1"),
        model_ref: text("model/a"),
        action_mode: ActionMode::Json,
        execution_pattern: ExecutionPattern::Single,
        normalizer_id: text("norm.v1"),
        mutation_policy: digest("pol1_mutation"),
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

fn result() -> ToolResult {
    ToolResult {
        tool_call_id: id(),
        status: None,
        result_digest: Some(digest("sha256:payload")),
        payload: None,
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

fn request() -> ToolRequest {
    ToolRequest {
        tool_call_id: id(),
        tool_name: text("shell"),
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

fn evidence() -> TurnEvidence {
    TurnEvidence {
        requests: vec![request()],
        results: vec![result()],
        uses: vec![ToolUse {
            tool_call_id: id(),
            disposition: Disposition::Consumed,
            result_digest: Some(digest("sha256:payload")),
            reason: None,
            summary_ref: text("turn-2").into(),
            handoff_ref: None,
            mutation_input_ref: None,
        }],
        renders: vec![ToolRender {
            tool_call_id: id(),
            operator_payload_digest: digest("sha256:operator"),
            reminder_render_digest: digest("sha256:model"),
            injection_point: Token::new("tool_response").unwrap(),
            policy_digest: digest("pol1_render"),
        }],
        queues: vec![ReminderQueue {
            queue_id: text("reminders"),
            reduced_digest: digest("sha256:left"),
            policy_digest: digest("pol1_queue"),
        }],
        views: vec![StateView {
            view_id: text("budget"),
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
        session_refs: TextSet::default(),
        trajectory_refs: TextSet::default(),
    }
}

/// The policies of a turn, to be added to.
fn policies(turn: &mut Turn) -> &mut Policies {
    std::sync::Arc::make_mut(&mut turn.policies)
}
