//! The digests of a turn: one per set, one that joins them, one that binds them to the call spec.

use super::{NormalizedTurn, ResultRow};
use crate::canon::{Fields, Object, Value};
use crate::digest::Digest;
use crate::evidence::{
    CodeExecution, Compaction, HandoffProjection, Observations, PriorUse, ReminderQueue, StateView,
    ToolRender, ToolRequest, ToolUse, Worker,
};
use crate::governance::GovernanceProfile;

/// The digests of every part of one turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Digests {
    /// Of the call spec.
    pub call_spec: Digest,
    /// Of the set of requests.
    pub request_set: Digest,
    /// Of the set of results.
    pub result_set: Digest,
    /// Of the set of uses.
    pub use_set: Digest,
    /// Of the set of uses of earlier results, if there are any.
    pub prior_use_set: Option<Digest>,
    /// Of the set of renderings.
    pub tool_render_set: Digest,
    /// Of the set of reminder queues.
    pub reminder_queue_set: Digest,
    /// Of the set of state views.
    pub state_view_set: Digest,
    /// Of the protocol state.
    pub protocol_state: Digest,
    /// Of the handoff packet, if there is one.
    pub handoff: Option<Digest>,
    /// Of the sets and what their join found.
    pub join_set: Digest,
    /// Of call spec and join set together.
    pub turn: Digest,
    /// Of all other input that a verdict depends on, if there is any.
    pub supplement: Option<Digest>,
}

impl Digests {
    /// Before anything is hashed.
    pub(super) fn unset() -> Self {
        let unset = Digest::unset();
        Self {
            call_spec: unset.clone(),
            request_set: unset.clone(),
            result_set: unset.clone(),
            use_set: unset.clone(),
            prior_use_set: None,
            tool_render_set: unset.clone(),
            reminder_queue_set: unset.clone(),
            state_view_set: unset.clone(),
            protocol_state: unset.clone(),
            handoff: None,
            join_set: unset.clone(),
            turn: unset,
            supplement: None,
        }
    }

    pub(super) fn of(turn: &NormalizedTurn) -> Self {
        let mut digests = Self {
            call_spec: Digest::of(&turn.spec.canonical()),
            request_set: Digest::of_array(turn.requests.iter().map(ToolRequest::canonical)),
            result_set: Digest::of_array(turn.results.iter().map(ResultRow::canonical)),
            use_set: Digest::of_array(turn.uses.iter().map(ToolUse::canonical)),
            prior_use_set: prior_use_set(&turn.prior_uses),
            tool_render_set: Digest::of_array(turn.renders.iter().map(ToolRender::canonical)),
            reminder_queue_set: Digest::of_array(turn.queues.iter().map(ReminderQueue::canonical)),
            state_view_set: Digest::of_array(turn.views.iter().map(StateView::canonical)),
            protocol_state: Digest::of(&turn.protocol.canonical()),
            handoff: turn.handoff.as_ref().map(|handoff| Digest::of(&handoff.canonical())),
            supplement: supplement(turn),
            join_set: Digest::unset(),
            turn: Digest::unset(),
        };
        digests.join_set = digests.join_set(turn);
        digests.turn = Digest::of(
            &Object::fields()
                .field("callSpecDigest", &digests.call_spec)
                .field("joinSetDigest", &digests.join_set)
                .finish(),
        );
        digests
    }

    fn join_set(&self, turn: &NormalizedTurn) -> Digest {
        let handoff = self.handoff.as_ref().map_or(Value::Null, Value::from);
        let fields = turn.context.flags(self.sets(Object::fields()).field("handoffDigest", handoff));
        let lists = turn.join.lists(turn).into_iter().chain(turn.context.lists(turn));
        Digest::of(&lists.fold(fields, |fields, (key, ids)| fields.field(key, ids)).finish())
    }

    fn sets<'d>(&'d self, fields: Fields<'d>) -> Fields<'d> {
        fields
            .optional("priorUseSetDigest", self.prior_use_set.as_ref())
            .field("protocolStateDigest", &self.protocol_state)
            .field("reminderQueueSetDigest", &self.reminder_queue_set)
            .field("requestSetDigest", &self.request_set)
            .field("resultSetDigest", &self.result_set)
            .field("stateViewSetDigest", &self.state_view_set)
            .field("toolRenderSetDigest", &self.tool_render_set)
            .field("useSetDigest", &self.use_set)
    }

    /// Every digest but that of the call spec.
    pub(crate) fn without_call_spec<'d>(&'d self, fields: Fields<'d>) -> Fields<'d> {
        self.sets(fields)
            .optional("handoffDigest", self.handoff.as_ref())
            .field("joinSetDigest", &self.join_set)
            .optional("supplementDigest", self.supplement.as_ref())
            .field("turnDigest", &self.turn)
    }

    /// Every digest, as fields of an object under way.
    pub(crate) fn all<'d>(&'d self, fields: Fields<'d>) -> Fields<'d> {
        self.without_call_spec(fields).field("callSpecDigest", &self.call_spec)
    }

    /// The object that is shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        self.all(Object::fields()).finish()
    }
}

/// Rows that are not there leave no trace in the turn.
fn prior_use_set(uses: &[PriorUse]) -> Option<Digest> {
    (!uses.is_empty()).then(|| Digest::of_array(uses.iter().map(PriorUse::canonical)))
}

/// What else a verdict depends on. Absent input leaves no trace, so that a minimal turn's witness names nothing more
/// than its sets.
fn supplement(turn: &NormalizedTurn) -> Option<Digest> {
    let mut fields = Object::fields()
        .non_empty("codeExecutions", turn.code_executions.iter().map(CodeExecution::canonical).collect())
        .optional("compaction", turn.compaction.as_ref().map(Compaction::canonical))
        .optional("constraints", turn.constraints.canonical())
        .optional("governanceProfile", turn.governance.as_ref().map(GovernanceProfile::canonical))
        .non_empty("guardrails", crate::evidence::guardrail_rows(&turn.guardrails))
        .optional("handoffProjection", turn.handoff_projection.as_ref().map(HandoffProjection::canonical))
        .optional("observations", turn.observations.as_ref().map(Observations::canonical))
        .non_empty("workers", turn.workers.iter().map(Worker::canonical).collect());
    for (key, document) in turn.policies.undigested() {
        fields = fields.field(key, document);
    }
    let supplement = fields.finish();
    supplement.as_object().is_some_and(|object| !object.is_empty()).then(|| Digest::of(&supplement))
}
