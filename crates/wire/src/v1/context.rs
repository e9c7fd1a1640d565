//! Uses, renderings, queues, views, guardrails, programs, workers, compaction and protocol state on the wire.

use premath_kernel as kernel;

use super::row::row;
use super::scalar::{
    CallId, Decimal, DigestText, DispositionToken, GuardrailStageToken, Name, Refs, Whole, Word,
};

row! {
    /// What became of one result.
    ToolUse = kernel::ToolUse
    {
        /// The call whose result this is about.
        tool_call_id: CallId,
        /// What became of it.
        disposition: DispositionToken,
    }
    {
        /// The result that was used.
        result_digest: Option<DigestText>,
        /// Why it was discarded.
        reason: Option<Name>,
        /// The summary it went into.
        summary_ref: Option<Name>,
        /// The handoff it went into.
        handoff_ref: Option<Name>,
        /// The digest of the intent it went into.
        mutation_input_ref: Option<Name>,
    }
}

row! {
    /// A result of an earlier turn that something of this turn rests on.
    PriorUse = kernel::PriorUse
    {
        /// The turn that has the result.
        turn_digest: DigestText,
        /// The call whose result it is.
        tool_call_id: CallId,
        /// The result that was used.
        result_digest: DigestText,
        /// What rests on it: the digest of an intent, of the arguments of a patch, of a summary or of a handoff.
        #[serde(rename = "ref")]
        reference: Name,
    }
    {}
}

row! {
    /// The two renderings of one result.
    ToolRender = kernel::ToolRender
    {
        /// The call whose result was rendered.
        tool_call_id: CallId,
        /// What the operator can read.
        operator_payload_digest: DigestText,
        /// What the model was shown.
        reminder_render_digest: DigestText,
        /// Where in the context it was put.
        injection_point: Word,
        /// The protocol it was rendered under.
        policy_digest: DigestText,
    }
    {}
}

row! {
    /// One reminder queue, reduced.
    ReminderQueue = kernel::ReminderQueue
    {
        /// Which queue.
        queue_id: Name,
        /// What was left of it.
        reduced_digest: DigestText,
        /// The policy it was reduced under.
        policy_digest: DigestText,
    }
    {}
}

row! {
    /// One view of the conversation state.
    StateView = kernel::StateView
    {
        /// Which view.
        view_id: Name,
        /// What it showed.
        view_digest: DigestText,
        /// The policy it was computed under.
        policy_digest: DigestText,
    }
    {
        /// What it was computed from.
        source_refs: Refs,
    }
}

row! {
    /// How the model call ended.
    ProtocolState = kernel::ProtocolState
    {
        /// The provider's reason, mapped: `tool_use`, `pause_turn`, `max_tokens`, `end_turn`, or another.
        stop_reason: Word,
    }
    {
        /// Whether the loop means to go on.
        continuation_allowed: bool,
        /// What the run has used so far.
        counters: Option<Counters>,
        /// The human checkpoint that was passed.
        checkpoint_ref: Option<Name>,
    }
}

row! {
    /// What a run has used, this turn included.
    Counters = kernel::Counters
    {}
    {
        /// Model turns.
        turns: Option<Whole>,
        /// Steps.
        steps: Option<Whole>,
        /// Tool calls.
        tool_calls: Option<Whole>,
        /// Tokens.
        tokens: Option<Whole>,
        /// Cost, in millionths of the currency unit.
        cost_micros: Option<Whole>,
        /// Wall time, in milliseconds.
        wall_millis: Option<Whole>,
        /// The longest run of identical calls.
        identical_calls: Option<Whole>,
    }
}

row! {
    /// One decision of one guardrail.
    GuardrailDecision = kernel::GuardrailDecision
    {
        /// Which guardrail.
        id: Name,
        /// When it looked.
        stage: GuardrailStageToken,
        /// Whether it fired.
        triggered: bool,
        /// Its place in the order of decisions.
        order: Whole,
    }
    {
        /// What it measured.
        score: Option<Decimal>,
        /// What it measured against.
        threshold: Option<Decimal>,
        /// The model it asked.
        model_ref: Option<Name>,
    }
}

row! {
    /// One program run in `code` mode.
    CodeExecution = kernel::CodeExecution
    {
        /// What caller edges name as parent.
        id: Name,
        /// The program.
        program_digest: DigestText,
        /// The calls it made.
        tool_call_ids: Refs,
    }
    {
        /// What it wrote to standard output.
        stdout_digest: Option<DigestText>,
        /// What it wrote to standard error.
        stderr_digest: Option<DigestText>,
        /// How it failed.
        traceback: Option<Name>,
    }
}

row! {
    /// One compaction of the context.
    Compaction = kernel::Compaction
    {}
    {
        /// The policy it ran under.
        policy_digest: Option<DigestText>,
        /// The state it started from.
        prior_state_digest: Option<DigestText>,
        /// The state it left.
        state_digest: Option<DigestText>,
        /// What was carried forward.
        kept: Refs,
        /// What was let go.
        dropped: Refs,
        /// Calls that had no result yet.
        open_call_ids: Refs,
        /// What was still owed.
        obligations: Refs,
        /// What had to be respected.
        constraints: Refs,
    }
}

row! {
    /// One spawned worker.
    Worker = kernel::Worker
    {
        /// Which worker.
        id: Name,
        /// How deep: 1 below the turn itself.
        depth: Whole,
    }
    {
        /// The worker that spawned it.
        parent_id: Option<Name>,
    }
}
