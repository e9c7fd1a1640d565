//! Requests on the wire.

use premath_kernel as kernel;

use super::context::GuardrailDecision;
use super::row::row;
use super::scalar::{AnyJson, CallId, DigestText, Name, Whole};

row! {
    /// One requested tool call.
    ToolRequest = kernel::ToolRequest
    {
        /// Ties the request to its result, use and rendering.
        tool_call_id: CallId,
        /// The tool that was asked for.
        tool_name: Name,
    }
    {
        /// The arguments; replaced by their digest when the turn is normalised.
        arguments: Option<AnyJson>,
        /// `sha256:` over the canonical arguments.
        arguments_digest: Option<DigestText>,
        /// The schema the arguments were validated with.
        schema_digest: Option<DigestText>,
        /// The approval of a person who agreed to this call.
        approval_ref: Option<Name>,
        /// Who called.
        caller_id: Option<Name>,
        /// How a deferred tool was found.
        search_ref: Option<SearchRef>,
        /// `sha256:` over the canonical `searchRef`.
        search_ref_digest: Option<DigestText>,
        /// Calls of one group were issued together.
        call_group: Option<Name>,
        /// Position within the group.
        order: Option<Whole>,
        /// `structured`, or `adapter:<profile>` for text that an adapter normalised.
        source: Option<Name>,
        /// Guardrail decisions about this call.
        guardrails: Vec<GuardrailDecision>,
    }
}

row! {
    /// How a deferred tool was found.
    SearchRef = kernel::SearchRef
    {
        /// What was searched for.
        query: Name,
    }
    {
        /// `sha256:` over the canonical list of names that were found.
        result_set_digest: Option<DigestText>,
        /// The names that were found, in rank order.
        result_set: Option<Vec<Name>>,
        /// The one that was chosen.
        resolved_tool: Option<Name>,
    }
}
