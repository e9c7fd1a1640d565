//! Terms of the policies about tools, callers, groups and transport.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::canon::Value;
use crate::digest::Digest;
use crate::scalar::{Count, Text, TextSet};

/// Which tools may be called, and with which schema.
#[derive(Debug, Clone, Default)]
pub struct ToolPolicy {
    /// The allow-list, by name.
    pub tools: BTreeMap<Text, ToolEntry>,
    /// The tool that a bare `specific` choice means.
    pub specific_tool: Option<Text>,
}

/// One allowed tool.
#[derive(Debug, Clone, Default)]
pub struct ToolEntry {
    /// The schema its arguments must be validated with.
    pub schema_digest: Option<Digest>,
    /// Whether its results are shell rows.
    pub is_shell: bool,
}

/// Every tool that can be discovered, with the digest of its usage examples where it has some.
#[derive(Debug, Clone, Default)]
pub struct ToolCatalog {
    /// Example digests by tool name.
    pub tools: BTreeMap<Text, Option<Digest>>,
}

/// Tools that are not loaded until they are searched for.
#[derive(Debug, Clone, Default)]
pub struct DeferPolicy {
    /// Their names.
    pub deferred: TextSet,
}

/// The usage examples that were shown, by tool. They are the same for every turn, so they are hashed when they are read.
#[derive(Debug, Clone, Default)]
pub struct ToolExamples {
    digests: BTreeMap<Text, Digest>,
}

impl ToolExamples {
    /// Takes examples by tool name.
    #[must_use]
    pub fn new(tools: BTreeMap<Text, Vec<Value<'static>>>) -> Self {
        let digest = |(tool, shown)| (tool, Digest::of_array(shown));
        Self { digests: tools.into_iter().map(digest).collect() }
    }

    /// The digest of the list of a tool's examples.
    pub(crate) fn digest(&self, tool: &Text) -> Option<&Digest> {
        self.digests.get(tool)
    }
}

/// Who may call which tool.
#[derive(Debug, Clone, Default)]
pub struct AllowedCallers {
    /// Callers by tool name. A tool without a list has no callers.
    pub tools: BTreeMap<Text, TextSet>,
}

/// Whether calls may run at the same time.
#[derive(Debug, Clone)]
pub struct ParallelPolicy {
    /// False: no group of two or more.
    pub allowed: bool,
    /// The largest group.
    pub max_branches: Option<Count>,
}

/// Whether results must come in the order of their requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ordering {
    /// They must.
    Strict,
    /// They need not.
    Any,
}

impl Ordering {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Strict, Self::Any];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Any => "any",
        }
    }
}

/// How calls and results travel.
#[derive(Debug, Clone)]
pub struct TransportPolicy {
    /// Whether results must come in the order of their requests.
    pub ordering: Ordering,
    /// False: one call per message.
    pub parallel_tool_calls: Option<bool>,
}
