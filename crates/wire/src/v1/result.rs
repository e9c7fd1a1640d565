//! Results on the wire.
//!
//! The error fields are loosely typed: a badly typed envelope is a refusal of the kernel, not unreadable input.

use premath_kernel as kernel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::context::GuardrailDecision;
use super::row::{Wire, row};
use super::scalar::{
    AccessToken, AnyJson, CallId, DigestText, Name, ProvenanceKindToken, ResultStatusToken, Verbatim, Whole,
    Word,
};

/// One result row.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolResult {
    /// The call it answers.
    tool_call_id: CallId,
    /// `ok`, `error` or `pending`; absent: `error` if there is any error material, else `ok`.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    status: Option<ResultStatusToken>,
    /// `sha256:` over the canonical payload.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    result_digest: Option<DigestText>,
    /// The payload; replaced by its digest when the turn is normalised.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    payload: Option<AnyJson>,
    /// Machine-readable error code.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    error_code: Option<AnyJson>,
    /// Whether trying again may help.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    retryable: Option<AnyJson>,
    /// The message; replaced by its digest when the turn is normalised.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    error_message: Option<AnyJson>,
    /// `sha256:` over the UTF-8 of the trimmed message.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    error_message_digest: Option<DigestText>,
    /// The error in its normal form, as a normalised turn has it.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    error: Option<TypedError>,
    /// The provider's own error, whatever its shape.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    raw_error: Option<AnyJson>,
    /// Where the result came from.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    provenance: Option<Provenance>,
    /// The program that made the call.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    caller_edge: Option<CallerEdge>,
    /// What a shell command ran in.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    shell: Option<Shell>,
    /// What was cut from the payload.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    truncation: Option<Truncation>,
    /// What a judge said: `pass` or `fail`.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    verdict: Option<Word>,
    /// Token cost with and without filtering.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    tokens: Option<Tokens>,
    /// Files the call read or wrote.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    artifacts: Vec<Artifact>,
    /// Guardrail decisions about this result.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    guardrails: Vec<GuardrailDecision>,
    /// Position within the call group.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    order: Option<Whole>,
}

/// A blank field says nothing, and so does not stand before one that does.
fn said(field: Option<AnyJson>) -> Option<AnyJson> {
    field.filter(|json| json.0.0.as_text().is_none_or(|text| !text.trim().is_empty()))
}

impl Wire for ToolResult {
    type Kernel = kernel::ToolResult;

    fn into_kernel(self) -> Self::Kernel {
        let typed = self.error.unwrap_or_default();
        kernel::ToolResult {
            tool_call_id: self.tool_call_id.into_kernel(),
            status: self.status.into_kernel(),
            result_digest: self.result_digest.into_kernel(),
            payload: self.payload.into_kernel(),
            error: kernel::ErrorMaterial {
                code: said(self.error_code).or(typed.error_code).into_kernel(),
                retryable: said(self.retryable).or(typed.retryable).into_kernel(),
                message: self.error_message.into_kernel(),
                message_digest: self.error_message_digest.or(typed.error_message_digest).into_kernel(),
                raw: self.raw_error.into_kernel(),
            },
            provenance: self.provenance.into_kernel(),
            caller_edge: self.caller_edge.into_kernel(),
            shell: self.shell.into_kernel(),
            truncation: self.truncation.into_kernel(),
            verdict: self.verdict.into_kernel(),
            tokens: self.tokens.into_kernel(),
            artifacts: self.artifacts.into_kernel(),
            guardrails: self.guardrails.into_kernel(),
            order: self.order.into_kernel(),
        }
    }

    fn from_kernel(row: Self::Kernel) -> Self {
        Self {
            tool_call_id: Wire::from_kernel(row.tool_call_id),
            status: Wire::from_kernel(row.status),
            result_digest: Wire::from_kernel(row.result_digest),
            payload: Wire::from_kernel(row.payload),
            error_code: Wire::from_kernel(row.error.code),
            retryable: Wire::from_kernel(row.error.retryable),
            error_message: Wire::from_kernel(row.error.message),
            error_message_digest: Wire::from_kernel(row.error.message_digest),
            error: None,
            raw_error: Wire::from_kernel(row.error.raw),
            provenance: Wire::from_kernel(row.provenance),
            caller_edge: Wire::from_kernel(row.caller_edge),
            shell: Wire::from_kernel(row.shell),
            truncation: Wire::from_kernel(row.truncation),
            verdict: Wire::from_kernel(row.verdict),
            tokens: Wire::from_kernel(row.tokens),
            artifacts: Wire::from_kernel(row.artifacts),
            guardrails: Wire::from_kernel(row.guardrails),
            order: Wire::from_kernel(row.order),
        }
    }
}

/// The error in its normal form.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TypedError {
    /// Machine-readable code.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    error_code: Option<AnyJson>,
    /// Whether trying again may help.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    retryable: Option<AnyJson>,
    /// Digest of the message.
    #[serde(default, deserialize_with = "Wire::read", skip_serializing_if = "Wire::is_absent")]
    error_message_digest: Option<DigestText>,
}

impl Wire for TypedError {
    type Kernel = Self;

    fn into_kernel(self) -> Self {
        self
    }

    fn from_kernel(kernel: Self) -> Self {
        kernel
    }
}

row! {
    /// Where a result came from.
    Provenance = kernel::Provenance
    {
        /// The kind of source.
        kind: ProvenanceKindToken,
    }
    {
        /// Which one.
        #[serde(rename = "ref")]
        reference: Option<Name>,
    }
}

row! {
    /// The edge from a program to the call it made.
    CallerEdge = kernel::CallerEdge
    {
        /// The code execution that called.
        parent_tool_call_id: Name,
    }
    {}
}

row! {
    /// What a shell command ran in.
    Shell = kernel::Shell
    {}
    {
        /// Where it ran.
        workdir: Option<Name>,
        /// The sandbox profile it ran under.
        sandbox_profile: Option<Name>,
        /// Digest of the command.
        command_digest: Option<DigestText>,
        /// `sha256:` over the trimmed text of the command alone.
        script_digest: Option<DigestText>,
        /// The code it ended with; absent when it did not end by itself.
        exit_code: Option<Whole>,
    }
}

row! {
    /// What was cut from a payload.
    Truncation = kernel::Truncation
    {
        /// Size before.
        original_bytes: Whole,
        /// Size after, marker included.
        kept_bytes: Whole,
    }
    {
        /// The policy it was cut under.
        policy_digest: Option<DigestText>,
        /// What stands where bytes were cut.
        marker: Option<Verbatim>,
        /// Bytes kept before the marker.
        head_bytes: Option<Whole>,
        /// Bytes kept after the marker.
        tail_bytes: Option<Whole>,
    }
}

row! {
    /// Token cost of a result with and without filtering.
    Tokens = kernel::Tokens
    {
        /// As it entered the context.
        filtered: Whole,
        /// As it would have entered it.
        unfiltered: Whole,
    }
    {}
}

row! {
    /// A file a call read or wrote.
    Artifact = kernel::Artifact
    {
        /// Where.
        path: Name,
    }
    {
        /// What it held afterwards.
        digest: Option<DigestText>,
        /// How it was touched.
        access: Option<AccessToken>,
    }
}
