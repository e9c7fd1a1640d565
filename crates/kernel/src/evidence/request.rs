//! What the model asked for.

use alloc::vec::Vec;

use super::guardrail::{self, GuardrailDecision};
use crate::canon::{Object, Value};
use crate::digest::Digest;
use crate::scalar::{Count, Text, ToolCallId};

/// One requested tool call.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolRequest {
    /// Ties the request to its result, use and rendering.
    pub tool_call_id: ToolCallId,
    /// The tool that was asked for.
    pub tool_name: Text,
    /// The arguments; only their digest stays in the normal form.
    pub arguments: Option<Value<'static>>,
    /// Digest of the arguments.
    pub arguments_digest: Option<Digest>,
    /// Digest of the schema the arguments were validated with.
    pub schema_digest: Option<Digest>,
    /// The approval of a person who agreed to this call.
    pub approval_ref: Option<Text>,
    /// Who called: the model, or a program.
    pub caller_id: Option<Text>,
    /// How a deferred tool was found.
    pub search_ref: Option<SearchRef>,
    /// Digest of the search, for rows that do not carry it.
    pub search_ref_digest: Option<Digest>,
    /// Calls of one group were issued together.
    pub call_group: Option<Text>,
    /// Position within the group.
    pub order: Option<Count>,
    /// `structured`, or `adapter:<profile>` for normalised text.
    pub source: Option<Text>,
    /// Guardrail decisions about this call.
    pub guardrails: Vec<GuardrailDecision>,
}

impl ToolRequest {
    /// The normal form that is hashed and shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("approvalRef", self.approval_ref.as_ref())
            .optional("argumentsDigest", self.arguments_digest.as_ref())
            .optional("callGroup", self.call_group.as_ref())
            .optional("callerId", self.caller_id.as_ref())
            .non_empty("guardrails", guardrail::rows(&self.guardrails))
            .optional("order", self.order)
            .optional("schemaDigest", self.schema_digest.as_ref())
            .optional("searchRef", self.search_ref.as_ref().map(SearchRef::canonical))
            .optional("searchRefDigest", self.search_ref_digest.as_ref())
            .optional("source", self.source.as_ref())
            .field("toolCallId", &self.tool_call_id)
            .field("toolName", &self.tool_name)
            .finish()
    }
}

/// How a deferred tool was found: the query and what it returned.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRef {
    /// What was searched for.
    pub query: Text,
    /// Digest of the names that were found.
    pub result_set_digest: Option<Digest>,
    /// The names that were found, in rank order.
    pub result_set: Option<Vec<Text>>,
    /// The one that was chosen.
    pub resolved_tool: Option<Text>,
}

impl SearchRef {
    /// The names that were found as one canonical list.
    pub(crate) fn result_set_values(&self) -> Option<Vec<Value<'_>>> {
        self.result_set.as_ref().map(|names| names.iter().map(Value::from).collect())
    }

    /// The normal form that is hashed and shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("query", &self.query)
            .optional("resolvedTool", self.resolved_tool.as_ref())
            .optional("resultSet", self.result_set_values())
            .optional("resultSetDigest", self.result_set_digest.as_ref())
            .finish()
    }
}
