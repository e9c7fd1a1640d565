//! Which ids belong to what, and whether the next context can be built. Facts only; verdicts are in `checks`.

use alloc::vec::Vec;

use super::{NormalizedTurn, ResultRow};
use crate::canon::{Fields, Object, Value};
use crate::evidence::{ToolRender, ToolRequest, ToolUse};
use crate::scalar::ToolCallId;

/// Everything a turn says about one call. At least one of the rows is there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call<'t> {
    pub(crate) id: &'t ToolCallId,
    pub(crate) request: Option<&'t ToolRequest>,
    pub(crate) result: Option<&'t ResultRow>,
    pub(crate) used: Option<&'t ToolUse>,
    pub(crate) render: Option<&'t ToolRender>,
}

impl<'t> Call<'t> {
    /// The result, if the call has ended.
    pub(crate) fn terminal(&self) -> Option<&'t ResultRow> {
        self.result.filter(|result| result.is_terminal())
    }

    /// Whether the use cites another digest than that of the terminal row.
    pub(crate) fn cites_another_result(&self) -> bool {
        let cited = self.used.and_then(|used| used.result_digest.as_ref());
        let actual = self.terminal().and_then(|result| result.result_digest.as_ref());
        match (cited, self.terminal()) {
            (Some(_), Some(_)) => cited != actual,
            _ => false,
        }
    }
}

impl NormalizedTurn {
    /// One entry per call id, in id order: a merge of the four sorted lists.
    pub(crate) fn calls(&self) -> Vec<Call<'_>> {
        let mut requests = self.requests.iter().peekable();
        let mut results = self.results.iter().peekable();
        let mut uses = self.uses.iter().peekable();
        let mut renders = self.renders.iter().peekable();
        let mut calls = Vec::with_capacity(self.requests.len().max(self.results.len()));
        loop {
            let heads = [
                requests.peek().map(|row| &row.tool_call_id),
                results.peek().map(|row| &row.tool_call_id),
                uses.peek().map(|row| &row.tool_call_id),
                renders.peek().map(|row| &row.tool_call_id),
            ];
            let Some(id) = heads.into_iter().flatten().min() else {
                return calls;
            };
            calls.push(Call {
                id,
                request: requests.next_if(|row| row.tool_call_id == *id),
                result: results.next_if(|row| row.tool_call_id == *id),
                used: uses.next_if(|row| row.tool_call_id == *id),
                render: renders.next_if(|row| row.tool_call_id == *id),
            });
        }
    }
}

/// Which call ids are missing where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JoinState {
    /// Requested, but no terminal result.
    pub missing_results: Vec<ToolCallId>,
    /// A result that nobody requested.
    pub orphan_results: Vec<ToolCallId>,
    /// A terminal result without a use.
    pub missing_uses: Vec<ToolCallId>,
    /// A use without a terminal result, or of another one.
    pub unknown_uses: Vec<ToolCallId>,
}

impl JoinState {
    pub(super) fn of(turn: &NormalizedTurn) -> Self {
        let mut state = Self::default();
        for call in turn.calls() {
            if call.request.is_some() && call.terminal().is_none() {
                state.missing_results.push(call.id.clone());
            }
            if call.request.is_none() && call.result.is_some() {
                state.orphan_results.push(call.id.clone());
            }
            if call.terminal().is_some() && call.used.is_none() {
                state.missing_uses.push(call.id.clone());
            }
            if call.used.is_some() && (call.terminal().is_none() || call.cites_another_result()) {
                state.unknown_uses.push(call.id.clone());
            }
        }
        state
    }

    /// The object that is shown; empty lists leave no trace.
    pub(super) fn canonical<'t>(&'t self, turn: &'t NormalizedTurn, join_closed: bool) -> Value<'t> {
        self.fields(turn, join_closed, Object::fields()).finish()
    }

    /// The same as fields of an object under way.
    pub(crate) fn fields<'t>(
        &'t self,
        turn: &'t NormalizedTurn,
        join_closed: bool,
        fields: Fields<'t>,
    ) -> Fields<'t> {
        let fields = fields.field("joinClosed", join_closed);
        self.lists(turn).into_iter().fold(fields, |fields, (key, ids)| fields.non_empty(key, ids))
    }

    /// Every list with its key.
    pub(super) fn lists<'t>(&'t self, turn: &'t NormalizedTurn) -> [(&'static str, Vec<Value<'t>>); 7] {
        [
            ("missingResultCallIds", ids(&self.missing_results)),
            ("missingUseCallIds", ids(&self.missing_uses)),
            ("orphanResultCallIds", ids(&self.orphan_results)),
            ("requestedCallIds", turn.requests.iter().map(|row| Value::from(&row.tool_call_id)).collect()),
            ("resultCallIds", turn.results.iter().map(|row| Value::from(&row.tool_call_id)).collect()),
            ("unknownUseCallIds", ids(&self.unknown_uses)),
            ("usedCallIds", turn.uses.iter().map(|row| Value::from(&row.tool_call_id)).collect()),
        ]
    }
}

/// Whether the next context can be built from this turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "six independent facts that the contract names one by one")]
pub struct ContextState {
    /// Terminal results without a rendering.
    pub missing_renders: Vec<ToolCallId>,
    /// At least one reminder queue was reduced.
    pub queue_reduction_present: bool,
    /// At least one state view exists.
    pub state_view_present: bool,
    /// Every rendering is under the declared protocol.
    pub render_policy_valid: bool,
    /// Every queue is under the declared policy.
    pub queue_policy_valid: bool,
    /// Every view is under the declared policy.
    pub state_view_policy_valid: bool,
    /// All of the above.
    pub continuation_context_ready: bool,
}

impl ContextState {
    pub(super) fn of(turn: &NormalizedTurn) -> Self {
        let calls = turn.calls();
        let unrendered = calls.iter().filter(|call| call.terminal().is_some() && call.render.is_none());
        let mut state = Self {
            missing_renders: unrendered.map(|call| call.id.clone()).collect(),
            queue_reduction_present: !turn.queues.is_empty(),
            state_view_present: !turn.views.is_empty(),
            render_policy_valid: turn
                .renders
                .iter()
                .all(|row| row.policy_digest == turn.spec.tool_render_protocol),
            queue_policy_valid: turn
                .queues
                .iter()
                .all(|row| row.policy_digest == turn.spec.reminder_queue_policy),
            state_view_policy_valid: turn
                .views
                .iter()
                .all(|row| row.policy_digest == turn.spec.state_view_policy),
            continuation_context_ready: false,
        };
        state.continuation_context_ready = state.missing_renders.is_empty()
            && state.queue_reduction_present
            && state.state_view_present
            && state.render_policy_valid
            && state.queue_policy_valid
            && state.state_view_policy_valid;
        state
    }

    /// The object that is shown; empty lists leave no trace.
    pub(super) fn canonical<'t>(&'t self, turn: &'t NormalizedTurn) -> Value<'t> {
        self.fields(turn, Object::fields()).finish()
    }

    /// The same as fields of an object under way.
    pub(crate) fn fields<'t>(&'t self, turn: &'t NormalizedTurn, fields: Fields<'t>) -> Fields<'t> {
        self.flags(self.lists(turn).into_iter().fold(fields, |fields, (key, ids)| fields.non_empty(key, ids)))
    }

    /// Every list with its key.
    pub(super) fn lists<'t>(&'t self, turn: &'t NormalizedTurn) -> [(&'static str, Vec<Value<'t>>); 4] {
        [
            ("missingRenderCallIds", ids(&self.missing_renders)),
            ("queueIds", turn.queues.iter().map(|row| Value::from(&row.queue_id)).collect()),
            ("renderCallIds", turn.renders.iter().map(|row| Value::from(&row.tool_call_id)).collect()),
            ("stateViewIds", turn.views.iter().map(|row| Value::from(&row.view_id)).collect()),
        ]
    }

    /// The six facts.
    pub(super) fn flags<'t>(&self, fields: Fields<'t>) -> Fields<'t> {
        fields
            .field("continuationContextReady", self.continuation_context_ready)
            .field("queuePolicyValid", self.queue_policy_valid)
            .field("queueReductionPresent", self.queue_reduction_present)
            .field("renderPolicyValid", self.render_policy_valid)
            .field("stateViewPolicyValid", self.state_view_policy_valid)
            .field("stateViewPresent", self.state_view_present)
    }
}

fn ids(ids: &[ToolCallId]) -> Vec<Value<'_>> {
    ids.iter().map(Value::from).collect()
}
