//! Programs: what an evaluation answers, and the trace that it can be run from again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Json;

/// The kind of every trace.
pub const SCHEME_TRACE_KIND: &str = "premath.scheme_trace.v1";

/// Everything that went into an evaluation and came out of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemeTrace {
    /// `1`
    pub schema: u32,
    /// `premath.scheme_trace.v1`
    pub kind: String,
    /// The program as it was given.
    pub program: String,
    /// `sp1_…`: over the normal text of the program.
    pub program_digest: String,
    /// The host functions and what they mean.
    pub functions_digest: String,
    /// The budgets.
    pub limits: SchemeLimits,
    /// Whether everything but reading was denied.
    pub read_only: bool,
    /// Who takes work when the program names nobody.
    pub actor: String,
    /// The instruction that changes were linked to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// The digests of what the session had evaluated before.
    pub after: Vec<String>,
    /// Every call, in order.
    pub calls: Vec<SchemeTraceCall>,
    /// What the program wrote.
    pub output: String,
    /// What it came to.
    pub result: SchemeResult,
    /// `sr1_…`: over the result.
    pub result_digest: String,
    /// What it used.
    pub usage: SchemeUsage,
    /// `st1_…`: over everything else.
    pub trace_digest: String,
}

/// One call and what it came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemeTraceCall {
    /// How many came before it.
    pub index: u64,
    /// The action.
    pub action: String,
    /// Its arguments.
    pub args: Json,
    /// Their digest.
    pub args_digest: String,
    /// Where it stands in the program.
    pub position: SchemePosition,
    /// The envelope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Json>,
    /// What the program was told where there is no envelope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<SchemeFailure>,
}

/// A failed call, as a program catches it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemeFailure {
    /// The failure class.
    pub class: String,
    /// What went wrong.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
}

/// A place in a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemePosition {
    /// The line, from 1.
    pub line: u64,
    /// The character of the line, from 1.
    pub column: u64,
    /// The byte, from 0.
    pub byte: u64,
}

/// The budgets of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemeLimits {
    /// Steps.
    pub fuel: u64,
    /// Bytes that are alive at once.
    pub memory: u64,
    /// Calls that wait for another.
    pub depth: u64,
    /// Bytes written.
    pub output: u64,
    /// Calls of host functions.
    pub host_calls: u64,
    /// Bytes of source text.
    pub source: u64,
}

/// What an evaluation used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemeUsage {
    /// Steps taken.
    pub steps: u64,
    /// Bytes allocated, alive or not.
    pub allocated: u64,
    /// The most bytes that were held at once.
    pub peak: u64,
    /// The most calls that waited at once.
    pub depth: u64,
    /// Calls of host functions.
    pub host_calls: u64,
}

/// What a program came to: a value, or an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemeResult {
    /// The value as the reader would read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The value as JSON, where JSON can say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Json>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<SchemeError>,
}

/// Why a program failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemeError {
    /// `syntax`, `unbound`, `arity`, `type`, `range`, `raised`, `assertion`, `host`, `interrupted` or `budget.…`.
    pub kind: String,
    /// The failure class.
    pub class: String,
    /// What went wrong.
    pub message: String,
    /// Where: the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Where: the character of the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// Whether the host says that the same may succeed later.
    pub retryable: bool,
    /// The calls around it, the innermost first.
    pub trace: Vec<SchemeTraceEntry>,
}

/// A call that had not returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemeTraceEntry {
    /// The procedure.
    pub procedure: String,
    /// Where it stood: the line.
    pub line: u64,
    /// Where it stood: the character of the line.
    pub column: u64,
}

/// How often an action was called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemeCallCount {
    /// The action.
    pub action: String,
    /// How often.
    pub count: u64,
}

/// What `scheme.eval` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SchemeEvalAnswer {
    /// The host action.
    pub action: String,
    /// The evaluation; none in a replay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation_id: Option<String>,
    /// Whether it was run from a trace.
    pub replayed: bool,
    /// `sp1_…`: over the normal text of the program.
    pub program_digest: String,
    /// `sr1_…`: over what it came to.
    pub result_digest: String,
    /// `st1_…`: over the whole trace.
    pub trace_digest: String,
    /// The value as the reader would read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The value as JSON; null where JSON cannot say it.
    pub value: Json,
    /// What the program wrote.
    pub output: String,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<SchemeError>,
    /// The failure for people: position, source line, trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pretty: Option<String>,
    /// What it used.
    pub usage: SchemeUsage,
    /// How many calls of the host it made.
    pub call_count: u64,
    /// How many of them changed something, or may have.
    pub change_count: u64,
    /// The same by action.
    pub calls: Vec<SchemeCallCount>,
    /// The first envelopes; the trace has all.
    pub effects: Vec<Json>,
    /// How many are left out.
    pub effects_omitted: u64,
    /// Where the rows of the evaluation are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal_ref: Option<String>,
    /// Why rows could not be written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal_failure: Option<String>,
    /// The trace, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Json>,
}
