//! Policy documents on the wire.
//!
//! A document is kept whole, because its digest covers every member, and its terms are read beside it.

mod documents;
mod plain;

use std::collections::BTreeMap;

pub use documents::PolicyDocuments;
pub(crate) use plain::{
    CompactionPolicy, DecompositionPolicy, DeferPolicy, EvalProfile, ExecutionBoundaryPolicy,
    HandoffContract, MutationPolicy, ObservabilityPolicy, ParallelPolicy, PreContextFilterPolicy,
    ProtocolStatePolicy, RedTeamPolicy, ReminderQueuePolicy, RuntimeSandbox, StateViewPolicy, StopPolicy,
    ToolRenderProtocol, TransportPolicy, TruncationPolicy,
};
use premath_kernel as kernel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::row::Wire;
use super::scalar::{AnyJson, Decimal, DigestText, GuardrailStageToken, Name, Refs, Word};
use crate::input_error::{InputClass, InputError, JsonPath};

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
        #[serde(default, deserialize_with = "Wire::read")]
        specific_tool: Option<Name>,
    }
    /// One allowed tool.
    ToolEntry {
        /// Its name.
        name: Name,
        /// The schema its arguments must be validated with.
        #[serde(default, deserialize_with = "Wire::read")]
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
        #[serde(default, deserialize_with = "Wire::read")]
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
        /// Issues it may change, with everything that descends from them; absent: any.
        issues: Option<Refs>,
        /// Tools that ask for changes of issues: with `issues`, their rows name what they change.
        #[serde(default)]
        issue_tools: Refs,
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
        #[serde(default, deserialize_with = "Wire::read")]
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
    ///
    /// # Errors
    /// Two entries with one name: nothing says which of them counts.
    fn terms(self) -> Result<Self::Kernel, InputError>;
}

/// Entries of `list` by their key.
fn by_key<Entry, Key: Ord, Terms>(
    list: &str,
    entries: Vec<Entry>,
    split: fn(Entry) -> (Key, Terms),
) -> Result<BTreeMap<Key, Terms>, InputError> {
    let mut found = BTreeMap::new();
    for (index, entry) in entries.into_iter().enumerate() {
        let (key, terms) = split(entry);
        if found.insert(key, terms).is_some() {
            let path = JsonPath::root().key(list).index(index);
            return Err(InputError::new(InputClass::DuplicateRow, "names what an earlier entry names", path));
        }
    }
    Ok(found)
}

impl Terms for ToolPolicy {
    type Kernel = kernel::ToolPolicy;

    fn terms(self) -> Result<Self::Kernel, InputError> {
        let entry = |entry: ToolEntry| {
            let terms = kernel::ToolEntry {
                schema_digest: entry.schema_digest.into_kernel(),
                is_shell: entry.shell.unwrap_or(false),
            };
            (entry.name.0, terms)
        };
        let tools = by_key("tools", self.tools, entry)?;
        Ok(kernel::ToolPolicy { tools, specific_tool: self.specific_tool.into_kernel() })
    }
}

impl Terms for ToolCatalog {
    type Kernel = kernel::ToolCatalog;

    fn terms(self) -> Result<Self::Kernel, InputError> {
        let split = |entry: CatalogEntry| (entry.name.0, entry.example_digest.into_kernel());
        Ok(kernel::ToolCatalog { tools: by_key("tools", self.tools, split)? })
    }
}

impl Terms for ToolExamples {
    type Kernel = kernel::ToolExamples;

    fn terms(self) -> Result<Self::Kernel, InputError> {
        let split = |entry: ExampleEntry| (entry.name.0, entry.examples.into_kernel());
        Ok(kernel::ToolExamples::new(by_key("tools", self.tools, split)?))
    }
}

impl Terms for AllowedCallers {
    type Kernel = kernel::AllowedCallers;

    fn terms(self) -> Result<Self::Kernel, InputError> {
        let split = |entry: CallerEntry| (entry.name.0, entry.callers.into_kernel());
        Ok(kernel::AllowedCallers { tools: by_key("tools", self.tools, split)? })
    }
}

impl Terms for GuardrailStagePolicy {
    type Kernel = kernel::GuardrailStagePolicy;

    fn terms(self) -> Result<Self::Kernel, InputError> {
        let stages = self.stages.into_kernel();
        Ok(stages.map_or_else(kernel::GuardrailStagePolicy::default, |stages| kernel::GuardrailStagePolicy {
            stages,
        }))
    }
}

impl Terms for EvalGatePolicy {
    type Kernel = kernel::EvalGatePolicy;

    fn terms(self) -> Result<Self::Kernel, InputError> {
        let thresholds = kernel::Metrics {
            precision: self.precision.into_kernel(),
            recall: self.recall.into_kernel(),
            f1: self.f1.into_kernel(),
        };
        Ok(kernel::EvalGatePolicy { thresholds })
    }
}

impl Terms for ContextScope {
    type Kernel = kernel::ContextScope;

    fn terms(self) -> Result<Self::Kernel, InputError> {
        let split = |scope: RoleScope| {
            let terms = kernel::RoleScope {
                read: scope.read.into_kernel(),
                write: scope.write.into_kernel(),
                issues: scope.issues.into_kernel(),
                issue_tools: scope.issue_tools.into_kernel(),
            };
            (scope.role.0, terms)
        };
        Ok(kernel::ContextScope { roles: by_key("roles", self.roles, split)? })
    }
}

impl Terms for RiskTierPolicy {
    type Kernel = kernel::RiskTierPolicy;

    fn terms(self) -> Result<Self::Kernel, InputError> {
        let split = |entry: TierEntry| (entry.tier.0, entry.profile.into_kernel());
        Ok(kernel::RiskTierPolicy { tiers: by_key("tiers", self.tiers, split)? })
    }
}

impl Terms for GovernancePolicy {
    type Kernel = kernel::GovernancePolicy;

    fn terms(self) -> Result<Self::Kernel, InputError> {
        Ok(kernel::GovernancePolicy)
    }
}
