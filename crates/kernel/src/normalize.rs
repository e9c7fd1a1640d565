//! Normalisation: one turn in the form that is hashed, shown and checked.
//!
//! Equal meaning gives equal bytes here: rows sorted by key, equal repeats merged, payloads replaced by digests, errors
//! typed. What cannot be normalised without a finding keeps the finding. Must not decide whether the turn is closed.

mod digests;
mod result;
mod rows;
mod state;

use alloc::sync::Arc;
use alloc::vec::Vec;

pub use digests::Digests;
pub use result::ResultRow;
pub use rows::{DuplicateRow, RowList};
pub(crate) use state::Call;
pub use state::{ContextState, JoinState};

use crate::call_spec::CallSpec;
use crate::canon::{Object, Value};
use crate::constraints::Constraints;
use crate::digest::Digest;
use crate::evidence::{
    CodeExecution, Compaction, GuardrailDecision, Handoff, HandoffProjection, Observations, PriorUse,
    ProtocolState, ReminderQueue, StateView, ToolRender, ToolRequest, ToolUse, Worker,
};
use crate::failure::FailureClass;
use crate::governance::GovernanceProfile;
use crate::policy::Policies;
use crate::refusal::Reason;
use crate::scalar::{TextSet, ToolCallId};
use crate::turn::{Strictness, Turn};
use rows::{Merged, merge};

/// One turn in its normal form. Made by [`normalize`] only.
#[derive(Debug)]
pub struct NormalizedTurn {
    pub(crate) spec: CallSpec,
    pub(crate) requests: Vec<ToolRequest>,
    pub(crate) results: Vec<ResultRow>,
    pub(crate) uses: Vec<ToolUse>,
    pub(crate) prior_uses: Vec<PriorUse>,
    pub(crate) renders: Vec<ToolRender>,
    pub(crate) queues: Vec<ReminderQueue>,
    pub(crate) views: Vec<StateView>,
    pub(crate) protocol: ProtocolState,
    pub(crate) handoff: Option<Handoff>,
    pub(crate) guardrails: Vec<GuardrailDecision>,
    pub(crate) code_executions: Vec<CodeExecution>,
    pub(crate) compaction: Option<Compaction>,
    pub(crate) workers: Vec<Worker>,
    pub(crate) handoff_projection: Option<HandoffProjection>,
    pub(crate) observations: Option<Observations>,
    pub(crate) session_refs: TextSet,
    pub(crate) trajectory_refs: TextSet,
    pub(crate) policies: Arc<Policies>,
    pub(crate) governance: Option<GovernanceProfile>,
    pub(crate) constraints: Constraints,
    pub(crate) strictness: Strictness,
    /// What normalisation itself found.
    pub(crate) defects: Vec<Reason>,
    /// Calls with two equal terminal rows.
    pub(crate) repeated_results: Vec<ToolCallId>,
    join: JoinState,
    context: ContextState,
    digests: Digests,
}

/// Brings a turn into its normal form.
///
/// # Errors
/// Two rows with one key that say different things.
pub fn normalize(turn: Turn) -> Result<NormalizedTurn, DuplicateRow> {
    let Turn { spec, evidence, policies, governance, constraints, strictness } = turn;
    let mut defects = Vec::new();
    let requests = evidence.requests.into_iter().enumerate();
    let requests: Vec<_> =
        requests.map(|(index, row)| normal_request(index, row, &mut defects)).collect::<Result<_, _>>()?;
    let results = evidence.results.into_iter().enumerate();
    let results: Vec<_> = results
        .map(|(index, row)| result::normal_result(index, row, &mut defects))
        .collect::<Result<_, _>>()?;
    let results: Merged<ResultRow> = merge(results)?;
    let repeated = results.repeated.iter().filter(|row| row.is_terminal());
    let mut turn = NormalizedTurn {
        repeated_results: repeated.map(|row| row.tool_call_id.clone()).collect(),
        results: results.rows,
        join: JoinState::default(),
        context: ContextState::default(),
        digests: Digests::unset(),
        handoff: evidence.handoff.map(rows::normal_handoff),
        observations: evidence.observations.map(rows::normal_observations),
        protocol: evidence.protocol,
        compaction: evidence.compaction,
        handoff_projection: evidence.handoff_projection,
        session_refs: evidence.session_refs,
        trajectory_refs: evidence.trajectory_refs,
        requests: merge(requests)?.rows,
        uses: merge(evidence.uses)?.rows,
        prior_uses: merge(evidence.prior_uses)?.rows,
        renders: merge(evidence.renders)?.rows,
        queues: merge(evidence.queues)?.rows,
        views: merge(evidence.views)?.rows,
        guardrails: merge(evidence.guardrails)?.rows,
        code_executions: merge(evidence.code_executions)?.rows,
        workers: merge(evidence.workers)?.rows,
        spec,
        policies,
        governance,
        constraints,
        strictness,
        defects,
    };
    turn.join = JoinState::of(&turn);
    turn.context = ContextState::of(&turn);
    turn.digests = Digests::of(&turn);
    Ok(turn)
}

impl NormalizedTurn {
    /// What the model was called with.
    #[must_use]
    pub const fn spec(&self) -> &CallSpec {
        &self.spec
    }

    /// How much a row was allowed to leave out.
    #[must_use]
    pub const fn strictness(&self) -> Strictness {
        self.strictness
    }

    /// Which ids belong to what.
    #[must_use]
    pub const fn join_state(&self) -> &JoinState {
        &self.join
    }

    /// Whether the next context can be built.
    #[must_use]
    pub const fn context_state(&self) -> &ContextState {
        &self.context
    }

    /// The digests of every part.
    #[must_use]
    pub const fn digests(&self) -> &Digests {
        &self.digests
    }

    /// The document that is shown; its rows are the ones that were hashed.
    #[must_use]
    pub fn canonical(&self, join_closed: bool) -> Value<'_> {
        let guardrails = crate::evidence::guardrail_rows(&self.guardrails);
        Object::fields()
            .field("callSpec", self.spec.canonical())
            .non_empty("codeExecutions", self.code_executions.iter().map(CodeExecution::canonical).collect())
            .optional("compaction", self.compaction.as_ref().map(Compaction::canonical))
            .field("contextState", self.context.canonical(self))
            .field("digests", self.digests.canonical())
            .non_empty("guardrails", guardrails)
            .optional("handoff", self.handoff.as_ref().map(Handoff::canonical))
            .optional("handoffProjection", self.handoff_projection.as_ref().map(HandoffProjection::canonical))
            .field("joinState", self.join.canonical(self, join_closed))
            .field("kind", "premath.harness.typestate_normalized.v1")
            .optional("observations", self.observations.as_ref().map(Observations::canonical))
            .non_empty("priorUse", self.prior_uses.iter().map(PriorUse::canonical).collect())
            .field("protocolState", self.protocol.canonical())
            .non_empty("reminderQueue", self.queues.iter().map(ReminderQueue::canonical).collect())
            .field("schema", 1)
            .non_empty("sessionRefs", self.session_refs.canonical())
            .non_empty("stateViews", self.views.iter().map(StateView::canonical).collect())
            .non_empty("toolRender", self.renders.iter().map(ToolRender::canonical).collect())
            .non_empty("toolRequests", self.requests.iter().map(ToolRequest::canonical).collect())
            .non_empty("toolResults", self.results.iter().map(ResultRow::canonical).collect())
            .non_empty("toolUse", self.uses.iter().map(ToolUse::canonical).collect())
            .non_empty("trajectoryRefs", self.trajectory_refs.canonical())
            .non_empty("workers", self.workers.iter().map(Worker::canonical).collect())
            .finish()
    }
}

/// Replaces arguments by their digest and notes what contradicts itself.
fn normal_request(
    index: usize,
    mut request: ToolRequest,
    defects: &mut Vec<Reason>,
) -> Result<ToolRequest, DuplicateRow> {
    if let Some(arguments) = request.arguments.take().filter(|arguments| *arguments != Value::Null) {
        let computed = Digest::of(&arguments);
        if request.arguments_digest.as_ref().is_some_and(|given| *given != computed) {
            defects.push(Reason::new(
                FailureClass::SchemaInvalid,
                request.tool_call_id.as_str(),
                "the arguments do not hash to argumentsDigest",
            ));
        }
        request.arguments_digest.get_or_insert(computed);
    }
    if let (Some(search), Some(given)) = (&request.search_ref, &request.search_ref_digest)
        && Digest::of(&search.canonical()) != *given
    {
        defects.push(Reason::new(
            FailureClass::DiscoveryMismatch,
            request.tool_call_id.as_str(),
            "the searchRef does not hash to searchRefDigest",
        ));
    }
    request.guardrails = rows::merge_nested(RowList::Requests, index, request.guardrails)?;
    Ok(request)
}
