//! Policy documents on the wire.
//!
//! A document is kept whole, because its digest covers every member, and its terms are read beside it.

mod documents;

use std::collections::BTreeMap;

pub use documents::PolicyDocuments;
use premath_kernel as kernel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::row::{Wire, row};
use super::scalar::{
    AnyJson, CutToken, Decimal, DigestText, ExecutionPatternToken, GuardrailStageToken, Name, OrderingToken,
    Refs, Whole, Word,
};

/// A plain struct of terms, read by derive and turned into the kernel's by hand.
macro_rules! terms {
    ($($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* })+) => {$(
        $(#[$meta])*
        #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub(crate) struct $name {
            $($(#[$field_meta])* pub(crate) $field: $type,)*
        }
    )+};
}

terms! {
    /// Which tools may be called.
    ToolPolicy {
        /// The allow-list.
        tools: Vec<ToolEntry>,
        /// The tool that a bare `specific` choice means.
        specific_tool: Option<Name>,
    }
    /// One allowed tool.
    ToolEntry {
        /// Its name.
        name: Name,
        /// The schema its arguments must be validated with.
        schema_digest: Option<DigestText>,
        /// Whether its results are shell rows.
        shell: Option<bool>,
    }
    /// Every tool that can be discovered.
    ToolCatalog {
        /// The tools.
        tools: Vec<CatalogEntry>,
    }
    /// One discoverable tool.
    CatalogEntry {
        /// Its name.
        name: Name,
        /// `sha256:` over the canonical list of its usage examples.
        example_digest: Option<DigestText>,
    }
    /// The usage examples that were shown.
    ToolExamples {
        /// Examples by tool.
        tools: Vec<ExampleEntry>,
    }
    /// The usage examples of one tool.
    ExampleEntry {
        /// The tool.
        name: Name,
        /// Its examples.
        examples: Vec<AnyJson>,
    }
    /// Who may call which tool.
    AllowedCallers {
        /// Callers by tool.
        tools: Vec<CallerEntry>,
    }
    /// Who may call one tool.
    CallerEntry {
        /// The tool.
        name: Name,
        /// Its callers; `code_execution` is any program of the turn.
        callers: Refs,
    }
    /// Which guardrail stages must decide; absent: all three.
    GuardrailStagePolicy {
        /// The stages.
        stages: Option<Vec<GuardrailStageToken>>,
    }
    /// What an evaluation must reach.
    EvalGatePolicy {
        /// The least precision.
        precision: Option<Decimal>,
        /// The least recall.
        recall: Option<Decimal>,
        /// The least F1.
        f1: Option<Decimal>,
    }
    /// What each role may read and write.
    ContextScope {
        /// Scopes by role.
        roles: Vec<RoleScope>,
    }
    /// What one role may read and write.
    RoleScope {
        /// The role.
        role: Name,
        /// Folders and files it may read.
        #[serde(default)]
        read: Refs,
        /// Folders and files it may write.
        #[serde(default)]
        write: Refs,
    }
    /// Control profiles by tier.
    RiskTierPolicy {
        /// The tiers.
        tiers: Vec<TierEntry>,
    }
    /// The control profile of one tier.
    TierEntry {
        /// The tier.
        tier: Word,
        /// Its profile.
        profile: Option<Name>,
    }
    /// The governance package; only its identity matters.
    GovernancePolicy {}
}

/// How terms become the kernel's.
pub(crate) trait Terms {
    /// The kernel's terms.
    type Kernel;
    /// The kernel's terms.
    fn terms(self) -> Self::Kernel;
}

/// Entries by name. INVARIANT of the caller: a later entry of the same name would win, so it is refused before.
fn by_name<Entry, Kernel>(
    entries: Vec<Entry>,
    split: fn(Entry) -> (kernel::Text, Kernel),
) -> BTreeMap<kernel::Text, Kernel> {
    entries.into_iter().map(split).collect()
}

impl Terms for ToolPolicy {
    type Kernel = kernel::ToolPolicy;

    fn terms(self) -> Self::Kernel {
        let entry = |entry: ToolEntry| {
            let terms = kernel::ToolEntry {
                schema_digest: entry.schema_digest.into_kernel(),
                is_shell: entry.shell.unwrap_or(false),
            };
            (entry.name.0, terms)
        };
        kernel::ToolPolicy {
            tools: by_name(self.tools, entry),
            specific_tool: self.specific_tool.into_kernel(),
        }
    }
}

impl Terms for ToolCatalog {
    type Kernel = kernel::ToolCatalog;

    fn terms(self) -> Self::Kernel {
        kernel::ToolCatalog {
            tools: by_name(self.tools, |entry| (entry.name.0, entry.example_digest.into_kernel())),
        }
    }
}

impl Terms for ToolExamples {
    type Kernel = kernel::ToolExamples;

    fn terms(self) -> Self::Kernel {
        kernel::ToolExamples {
            tools: by_name(self.tools, |entry| (entry.name.0, entry.examples.into_kernel())),
        }
    }
}

impl Terms for AllowedCallers {
    type Kernel = kernel::AllowedCallers;

    fn terms(self) -> Self::Kernel {
        kernel::AllowedCallers {
            tools: by_name(self.tools, |entry| (entry.name.0, entry.callers.into_kernel())),
        }
    }
}

impl Terms for GuardrailStagePolicy {
    type Kernel = kernel::GuardrailStagePolicy;

    fn terms(self) -> Self::Kernel {
        self.stages.map_or_else(kernel::GuardrailStagePolicy::default, |stages| {
            kernel::GuardrailStagePolicy { stages: stages.into_kernel() }
        })
    }
}

impl Terms for EvalGatePolicy {
    type Kernel = kernel::EvalGatePolicy;

    fn terms(self) -> Self::Kernel {
        let thresholds = kernel::Metrics {
            precision: self.precision.into_kernel(),
            recall: self.recall.into_kernel(),
            f1: self.f1.into_kernel(),
        };
        kernel::EvalGatePolicy { thresholds }
    }
}

impl Terms for ContextScope {
    type Kernel = kernel::ContextScope;

    fn terms(self) -> Self::Kernel {
        let scope = |scope: RoleScope| {
            let terms =
                kernel::RoleScope { read: scope.read.into_kernel(), write: scope.write.into_kernel() };
            (scope.role.0, terms)
        };
        kernel::ContextScope { roles: by_name(self.roles, scope) }
    }
}

impl Terms for RiskTierPolicy {
    type Kernel = kernel::RiskTierPolicy;

    fn terms(self) -> Self::Kernel {
        let tiers = self.tiers.into_iter().map(|entry| (entry.tier.0, entry.profile.into_kernel()));
        kernel::RiskTierPolicy { tiers: tiers.collect() }
    }
}

impl Terms for GovernancePolicy {
    type Kernel = kernel::GovernancePolicy;

    fn terms(self) -> Self::Kernel {
        kernel::GovernancePolicy
    }
}

/// Terms whose fields are the kernel's fields.
macro_rules! plain_terms {
    ($($name:ident),+) => {$(
        impl Terms for $name {
            type Kernel = <$name as Wire>::Kernel;

            fn terms(self) -> Self::Kernel {
                self.into_kernel()
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
        marker: Name,
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
    {}
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
