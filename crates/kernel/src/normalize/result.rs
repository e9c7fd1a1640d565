//! Result rows in their normal form: a status, a digest, a typed error; no payload, no free text.

use alloc::vec::Vec;

use super::rows::{self, DuplicateRow, RowList};
use crate::canon::{Object, Value, encode};
use crate::digest::Digest;
use crate::evidence::{
    Artifact, CallerEdge, ErrorEnvelope, ErrorMaterial, GuardrailDecision, IssueTarget, Provenance,
    ResultStatus, Shell, Tokens, ToolResult, Truncation, is_said,
};
use crate::failure::FailureClass;
use crate::refusal::Reason;
use crate::scalar::{Count, Text, Token, ToolCallId};

const UNKNOWN_ERROR: &str = "unknown_error";

/// One result in its normal form.
#[derive(Debug, Clone, PartialEq)]
pub struct ResultRow {
    pub(crate) tool_call_id: ToolCallId,
    pub(crate) status: ResultStatus,
    pub(crate) result_digest: Option<Digest>,
    pub(crate) error: Option<ErrorEnvelope>,
    /// The size of the payload where it was given. Not part of the normal form.
    pub(crate) payload_bytes: Option<usize>,
    pub(crate) provenance: Option<Provenance>,
    pub(crate) caller_edge: Option<CallerEdge>,
    pub(crate) shell: Option<Shell>,
    pub(crate) truncation: Option<Truncation>,
    pub(crate) verdict: Option<Token>,
    pub(crate) tokens: Option<Tokens>,
    pub(crate) artifacts: Vec<Artifact>,
    pub(crate) issue_targets: Vec<IssueTarget>,
    pub(crate) guardrails: Vec<GuardrailDecision>,
    pub(crate) order: Option<Count>,
}

impl ResultRow {
    /// Whether the call has ended.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        self.status != ResultStatus::Pending
    }

    /// The normal form that is hashed and shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        Object::fields()
            .non_empty("artifacts", self.artifacts.iter().map(Artifact::canonical).collect())
            .optional("callerEdge", self.caller_edge.as_ref().map(CallerEdge::canonical))
            .optional("error", self.error.as_ref().map(ErrorEnvelope::canonical))
            .non_empty("guardrails", crate::evidence::guardrail_rows(&self.guardrails))
            .non_empty("issueTargets", self.issue_targets.iter().map(IssueTarget::canonical).collect())
            .optional("order", self.order)
            .optional("provenance", self.provenance.as_ref().map(Provenance::canonical))
            .optional("resultDigest", self.result_digest.as_ref())
            .optional("shell", self.shell.as_ref().map(Shell::canonical))
            .field("status", self.status.token())
            .optional("tokens", self.tokens.as_ref().map(Tokens::canonical))
            .field("toolCallId", &self.tool_call_id)
            .optional("truncation", self.truncation.as_ref().map(Truncation::canonical))
            .optional("verdict", self.verdict.as_ref())
            .finish()
    }
}

/// Brings the result at `index` into its normal form, noting what its row contradicts or leaves out.
pub(super) fn normal_result(
    index: usize,
    mut row: ToolResult,
    defects: &mut Vec<Reason>,
) -> Result<ResultRow, DuplicateRow> {
    row.payload = row.payload.filter(|payload| *payload != Value::Null);
    let implied = if row.error.is_empty() { ResultStatus::Ok } else { ResultStatus::Error };
    let status = row.status.unwrap_or(implied);
    let result_digest = payload_digest(&row, defects);
    let error = (status == ResultStatus::Error).then(|| envelope(&row.tool_call_id, &row.error, defects));
    Ok(ResultRow {
        status,
        result_digest,
        error,
        payload_bytes: row.payload.as_ref().map(payload_size),
        artifacts: normal_artifacts(row.artifacts),
        issue_targets: normal_targets(row.issue_targets),
        guardrails: rows::merge_nested(RowList::Results, index, row.guardrails)?,
        tool_call_id: row.tool_call_id,
        provenance: row.provenance,
        caller_edge: row.caller_edge,
        shell: row.shell,
        truncation: row.truncation,
        verdict: row.verdict,
        tokens: row.tokens,
        order: row.order,
    })
}

/// One order whatever the order they were given in, and each said once.
fn normal_artifacts(mut artifacts: Vec<Artifact>) -> Vec<Artifact> {
    artifacts.sort_by(|left, right| {
        left.path
            .cmp(&right.path)
            .then_with(|| left.digest.cmp(&right.digest))
            .then_with(|| left.access.cmp(&right.access))
            .then_with(|| left.change.cmp(&right.change))
            .then_with(|| left.mode.cmp(&right.mode))
            .then_with(|| left.before.cmp(&right.before))
    });
    artifacts.dedup();
    artifacts
}

/// One order, and each said once.
fn normal_targets(mut targets: Vec<IssueTarget>) -> Vec<IssueTarget> {
    targets.sort_by(|left, right| {
        left.issue_id.cmp(&right.issue_id).then_with(|| left.lineage.iter().cmp(right.lineage.iter()))
    });
    targets.dedup();
    targets
}

/// A string counts as its own bytes, anything else as its canonical ones.
fn payload_size(payload: &Value<'_>) -> usize {
    payload.as_text().map_or_else(|| encode(payload).len(), str::len)
}

fn payload_digest(row: &ToolResult, defects: &mut Vec<Reason>) -> Option<Digest> {
    let Some(payload) = &row.payload else {
        return row.result_digest.clone();
    };
    let computed = Digest::of(payload);
    if row.result_digest.as_ref().is_some_and(|given| *given != computed) {
        defects.push(Reason::new(
            FailureClass::SchemaInvalid,
            row.tool_call_id.as_str(),
            "the payload does not hash to resultDigest",
        ));
        return row.result_digest.clone();
    }
    Some(computed)
}

fn envelope(id: &ToolCallId, material: &ErrorMaterial, defects: &mut Vec<Reason>) -> ErrorEnvelope {
    let code = pick(material.code.as_ref(), material, ["errorCode", "code"])
        .and_then(Value::as_text)
        .and_then(Text::new);
    let retryable =
        pick(material.retryable.as_ref(), material, ["retryable", "retryable"]).and_then(Value::as_bool);
    let message = pick(material.message.as_ref(), material, ["errorMessage", "message"])
        .and_then(Value::as_text)
        .map(|text| Digest::of_bytes(text.trim().as_bytes()));
    let mut defect = |detail: &str| {
        defects.push(Reason::new(FailureClass::SchemaInvalid, id.as_str(), detail));
    };
    if code.is_none() {
        defect("the error row has no errorCode");
    }
    if retryable.is_none() {
        defect("the error row has no boolean retryable");
    }
    match (&message, &material.message_digest) {
        (None, None) => defect("the error row has no errorMessage"),
        (Some(computed), Some(given)) if computed != given => {
            defect("the errorMessage does not hash to errorMessageDigest");
        }
        _ => {}
    }
    ErrorEnvelope {
        code: code.unwrap_or_else(|| Text::literal(UNKNOWN_ERROR)),
        retryable: retryable.unwrap_or(false),
        message_digest: material.message_digest.clone().or(message),
    }
}

/// The field itself or, where it is absent or blank, the first of `keys` in an object `rawError`.
fn pick<'m>(
    own: Option<&'m Value<'static>>,
    material: &'m ErrorMaterial,
    keys: [&str; 2],
) -> Option<&'m Value<'static>> {
    own.filter(|value| is_said(value)).or_else(|| {
        let raw = material.raw.as_ref().and_then(Value::as_object)?;
        keys.into_iter().filter_map(|key| raw.get(key)).find(|value| is_said(value))
    })
}
