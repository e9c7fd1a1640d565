//! Policy documents whose members are the kernel's terms, one for one.

use premath_kernel as kernel;

use super::Terms;
use crate::input_error::InputError;
use crate::v1::row::{Wire, row};
use crate::v1::scalar::{
    ActionText, CutToken, ExecutionPatternToken, Name, OrderingToken, Refs, Verbatim, Whole, Word,
};

/// Terms whose fields are the kernel's fields.
macro_rules! plain_terms {
    ($($name:ident),+) => {$(
        impl Terms for $name {
            type Kernel = <$name as Wire>::Kernel;

            fn terms(self) -> Result<Self::Kernel, InputError> {
                Ok(self.into_kernel())
            }
        }
    )+};
}

plain_terms!(
    DeferPolicy,
    PreContextFilterPolicy,
    EvalProfile,
    ParallelPolicy,
    TransportPolicy,
    TruncationPolicy,
    ToolRenderProtocol,
    ReminderQueuePolicy,
    StateViewPolicy,
    ExecutionBoundaryPolicy,
    RuntimeSandbox,
    CompactionPolicy,
    DecompositionPolicy,
    RedTeamPolicy,
    HandoffContract,
    MutationPolicy,
    StopPolicy,
    ProtocolStatePolicy,
    ObservabilityPolicy
);

row! {
    /// Tools that are not loaded until they are searched for.
    DeferPolicy = kernel::DeferPolicy
    {
        /// Their names.
        deferred: Refs,
    }
    {}
}

row! {
    /// Which tools filter before their results reach the context.
    PreContextFilterPolicy = kernel::PreContextFilterPolicy
    {
        /// Their names.
        filtering_tools: Refs,
    }
    {}
}

row! {
    /// The benchmark that default choices were measured with.
    EvalProfile = kernel::EvalProfile
    {}
    {
        /// Its name.
        profile_id: Option<Name>,
        /// The data set.
        dataset_lineage_ref: Option<Name>,
        /// The grader.
        grader_config_lineage_ref: Option<Name>,
    }
}

row! {
    /// Whether calls may run at the same time.
    ParallelPolicy = kernel::ParallelPolicy
    {
        /// False: no group of two or more.
        allowed: bool,
    }
    {
        /// The largest group.
        max_branches: Option<Whole>,
    }
}

row! {
    /// How calls and results travel.
    TransportPolicy = kernel::TransportPolicy
    {
        /// Whether results follow the order of requests.
        ordering: OrderingToken,
    }
    {
        /// False: one call per message.
        parallel_tool_calls: Option<bool>,
    }
}

row! {
    /// How large a result may be and how it is cut.
    TruncationPolicy = kernel::TruncationPolicy
    {
        /// The budget.
        max_bytes: Whole,
        /// What stands where bytes were cut.
        marker: Verbatim,
    }
    {
        /// Where it may be cut.
        cut: CutToken,
    }
}

row! {
    /// Where renderings may be injected.
    ToolRenderProtocol = kernel::ToolRenderProtocol
    {}
    {
        /// Absent: anywhere.
        injection_points: Option<Vec<Word>>,
    }
}

row! {
    /// Which queues must be reduced.
    ReminderQueuePolicy = kernel::ReminderQueuePolicy
    {}
    {
        /// Their ids.
        required_queues: Refs,
    }
}

row! {
    /// Which views must exist.
    StateViewPolicy = kernel::StateViewPolicy
    {}
    {
        /// Their ids.
        required_views: Refs,
    }
}

row! {
    /// Where commands may run and what may change files.
    ExecutionBoundaryPolicy = kernel::ExecutionBoundaryPolicy
    {
        /// Folders a command may run in.
        workdir_roots: Refs,
        /// Tools that may change files.
        edit_surfaces: Refs,
    }
    {}
}

row! {
    /// The sandbox commands must run in.
    RuntimeSandbox = kernel::RuntimeSandbox
    {
        /// Its profile's name.
        profile: Name,
    }
    {}
}

row! {
    /// Whether context may be compacted and what must survive it.
    CompactionPolicy = kernel::CompactionPolicy
    {}
    {
        /// False: never.
        enabled: Option<bool>,
        /// What must always be kept.
        must_keep: Refs,
    }
}

row! {
    /// How work may be split.
    DecompositionPolicy = kernel::DecompositionPolicy
    {}
    {
        /// Absent: any pattern.
        patterns: Option<Vec<ExecutionPatternToken>>,
        /// How many workers.
        max_workers: Option<Whole>,
        /// How deep.
        max_depth: Option<Whole>,
        /// How many turns a workflow may take.
        workflow_turn_limit: Option<Whole>,
        /// The measured reason for running past that limit.
        autonomy_trigger: Option<Name>,
    }
}

row! {
    /// What a red team must have tried.
    RedTeamPolicy = kernel::RedTeamPolicy
    {
        /// The fewest probes.
        min_probes: Whole,
    }
    {
        /// The most that may get through.
        max_failures: Option<Whole>,
    }
}

row! {
    /// Who may hand work to whom, and what goes along.
    HandoffContract = kernel::HandoffContract
    {
        /// Roles that may hand over.
        roles: Refs,
        /// Who may receive.
        targets: Refs,
    }
    {
        /// What must go along.
        required_artifact_refs: Refs,
        /// Whether a return path is needed.
        require_return_path: Option<bool>,
    }
}

row! {
    /// What mutations may be made.
    MutationPolicy = kernel::MutationPolicy
    {
        /// Granted capabilities.
        capabilities: Refs,
    }
    {
        /// Which mutations need a verification result. Absent: none does.
        verification: Option<VerificationRule>,
    }
}

row! {
    /// Which mutations need a verification result, and what is one.
    VerificationRule = kernel::VerificationRule
    {
        /// The mutations.
        actions: Vec<VerifiedAction>,
    }
    {
        /// Commands that verify when they end with code 0 in the workdir of the run.
        commands: Refs,
        /// Tools that verify when their call ends well.
        tools: Refs,
        /// Whether the verdict `pass` of a judge verifies.
        verdicts: bool,
        /// Whether a person who agreed to the call itself is enough.
        approvals: bool,
    }
}

row! {
    /// One kind of mutation.
    VerifiedAction = kernel::VerifiedAction
    {
        /// The action.
        action: ActionText,
    }
    {
        /// The status whose mutations are meant. Absent: every mutation of the action.
        target_status: Option<Word>,
    }
}

row! {
    /// How much a run may use.
    StopPolicy = kernel::StopPolicy
    {}
    {
        /// Model turns.
        max_turns: Option<Whole>,
        /// Steps.
        max_steps: Option<Whole>,
        /// Tool calls.
        max_tool_calls: Option<Whole>,
        /// Tokens.
        max_tokens: Option<Whole>,
        /// Cost, in millionths of the currency unit.
        max_cost_micros: Option<Whole>,
        /// Wall time, in milliseconds.
        max_wall_millis: Option<Whole>,
        /// Identical calls in a row.
        max_identical_calls: Option<Whole>,
        /// A person is asked every so many turns.
        checkpoint_every_turns: Option<Whole>,
    }
}

row! {
    /// Which ends of a model call are handled.
    ProtocolStatePolicy = kernel::ProtocolStatePolicy
    {
        /// Handled stop reasons.
        stop_reasons: Vec<Word>,
    }
    {
        /// Stop reasons after which the loop may go on. Absent: all.
        continuation: Option<Vec<Word>>,
        /// Stop reasons that announce at least one tool call.
        requests_required: Vec<Word>,
    }
}

row! {
    /// Where traces may go.
    ObservabilityPolicy = kernel::ObservabilityPolicy
    {
        /// Allowed modes.
        allowed: Vec<Word>,
    }
    {}
}
