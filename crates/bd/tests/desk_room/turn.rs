//! A permit that a closed turn earned, from rows of our own.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use premath_bd::desk::Operation;
use premath_bd::{Disk, Issued, Permit, PermitLedger, Spend, SpentGrant, TurnGrant};
use premath_kernel::{
    ActionMode, ActionName, ActivePolicy, CallSpec, Claims, Constraints, Digest, Disposition, Document,
    ErrorMaterial, ExecutionPattern, Intent, Moment, MutationPolicy, Object, Policies, ProtocolState,
    ReminderQueue, StateView, Strictness, Text, TextSet, Token, ToolCallId, ToolRender, ToolRequest,
    ToolResult, ToolUse, Turn, TurnEvidence, Value, admit, close, normalize,
};
use premath_testkit::faulty_disk::SimDisk;

pub(crate) const INSTRUCTION: &str = "20261115T071252Z-desk";
const CAPABILITY: &str = "capabilities.change_morphisms.all";

fn text(text: &str) -> Text {
    Text::new(text).unwrap()
}

fn digest(text: &str) -> Digest {
    Digest::claimed(text).unwrap()
}

fn id() -> ToolCallId {
    ToolCallId::new("call-1").unwrap()
}

fn granting() -> Document<MutationPolicy> {
    let source = Object::from_members(vec![("title".into(), Value::from("ours"))]).unwrap();
    let terms = MutationPolicy {
        capabilities: [text(CAPABILITY)].into_iter().collect(),
        ..MutationPolicy::default()
    };
    Document::read::<()>(source, |_| Ok(terms)).unwrap()
}

fn policy_digest() -> Digest {
    granting().digest_like(&digest("pol1_")).clone()
}

/// What the turn asks for.
fn intent(operation: &Operation) -> Intent {
    Intent {
        action: ActionName::new(operation.action()).unwrap(),
        args_digest: operation.args_digest(),
        policy_digest: policy_digest(),
        instruction_ref: Text::new(&PermitLedger::reference(INSTRUCTION)),
        target_status: None,
    }
}

/// A permit is spent in the ledger of an instruction, here in one of its own.
fn spent(grant: TurnGrant) -> SpentGrant {
    let disk: Arc<dyn Disk> = Arc::new(SimDisk::new());
    disk.create_folder(Path::new("home/.premath")).unwrap();
    let now = Moment::EPOCH;
    let ledger = PermitLedger::open(disk, Path::new("home"), INSTRUCTION).unwrap();
    let issued = Issued {
        instruction_digest: "instr1_a".to_owned(),
        witness_digest: "sha256:b".to_owned(),
        policy_digest: "pol1_c".to_owned(),
        expires_at: now.plus_seconds(60),
        actor: "ada".to_owned(),
        is_accepted: true,
    };
    ledger.issue(&issued, &now).unwrap();
    ledger.spend(grant, &Spend { door: "test", issue_id: None, again: false }, &now).unwrap().unwrap()
}

/// The permit of the turn of that name for one operation, and the digests that name the two.
pub(crate) fn permit(turn: &str, operation: &Operation) -> (Permit, String, String) {
    let (grant, turn_digest, intent_digest) = grant(turn, operation);
    (Permit::Turn(spent(grant)), turn_digest, intent_digest)
}

/// What the turn of that name earned for one operation, not spent yet; and the digests that name the two.
pub(crate) fn grant(turn: &str, operation: &Operation) -> (TurnGrant, String, String) {
    let intent = intent(operation);
    let normal = normalize(rows(turn, &intent)).unwrap();
    let turn_digest = normal.digests().turn.as_str().to_owned();
    let intent_digest = intent.digest().as_str().to_owned();
    let policy = granting();
    let claims = Claims::new([text(CAPABILITY)].into_iter().collect());
    let ready = admit(close(&normal).unwrap(), &intent, &ActivePolicy::Supplied(&policy), &claims).unwrap();
    (TurnGrant::new(ready, intent).unwrap(), turn_digest, intent_digest)
}

fn rows(turn: &str, intent: &Intent) -> Turn {
    let policies = Arc::new(Policies::default());
    Turn {
        spec: spec(turn),
        evidence: evidence(intent),
        policies,
        governance: None,
        constraints: Constraints::default(),
        strictness: Strictness::Strict,
    }
}

fn spec(turn: &str) -> CallSpec {
    CallSpec {
        call_id: text(turn),
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

fn evidence(intent: &Intent) -> TurnEvidence {
    TurnEvidence {
        requests: vec![request()],
        results: vec![result()],
        uses: vec![ToolUse {
            tool_call_id: id(),
            disposition: Disposition::Consumed,
            result_digest: Some(Digest::of(&Value::from("asked for"))),
            reason: None,
            summary_ref: None,
            handoff_ref: None,
            mutation_input_ref: Text::new(intent.digest().as_str()),
        }],
        prior_uses: Vec::new(),
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
        session_refs: [text("session:1")].into_iter().collect(),
        trajectory_refs: TextSet::default(),
    }
}

fn request() -> ToolRequest {
    ToolRequest {
        tool_call_id: id(),
        tool_name: text("desk_tool"),
        arguments: Some(Value::from("arguments")),
        arguments_digest: None,
        schema_digest: None,
        approval_ref: None,
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
        payload: Some(Value::from("asked for")),
        error: ErrorMaterial::default(),
        provenance: None,
        caller_edge: None,
        shell: None,
        truncation: None,
        verdict: None,
        tokens: None,
        artifacts: Vec::new(),
        guardrails: Vec::new(),
        order: None,
    }
}
