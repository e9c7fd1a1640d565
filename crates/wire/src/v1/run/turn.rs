//! One turn of a run, with everything that is known of it: what the model saw, what it answered, the rows, the digests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{FilteredTokens, IntentResult, TurnVerdict};
use crate::v1::ReasonRow;

/// The answer of `turn show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnCard {
    /// `turn.show`
    pub action: String,
    /// The turn.
    pub call_id: String,
    /// Its run.
    pub run_id: String,
    /// Which turn of it, from 1.
    pub turn: u64,
    /// Who answered.
    pub model: String,
    /// Why the answer ended.
    pub stop: String,
    /// What the model was shown in this turn and not before, as it was rendered.
    pub saw: Vec<MessageRow>,
    /// What it answered.
    pub answered: Vec<MessageRow>,
    /// The calls it asked for and what came of them, in order.
    pub calls: Vec<CallRow>,
    /// The digests of its parts; absent while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digests: Option<TurnDigests>,
    /// What became of it.
    pub verdict: TurnVerdict,
    /// What speaks against it.
    pub reasons: Vec<ReasonRow>,
    /// The witness of the check; absent while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness_id: Option<String>,
    /// What became of the changes it asked for.
    pub applied: Vec<IntentResult>,
    /// The request that was sent to the model, whole; absent where the harness answered itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<SentRequest>,
    /// The call spec and every evidence row, as `turn export` writes them; absent while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<crate::Json>,
    /// The changes it asked for, each judged with the turn; `turn export --intent N` writes the case of one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intents: Vec<JudgedIntent>,
    /// The witnesses of its call spec, of what became of its results, and of its join check.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub witness_ids: Vec<String>,
}

/// A request to a model, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentRequest {
    /// The blocks of the system text, in order.
    pub system: Vec<String>,
    /// The messages, in order.
    pub messages: Vec<SentMessage>,
    /// The tools that could be called, in the order they were shown.
    pub tools: Vec<SentTool>,
    /// `auto`, `none`, `required` or `named:<tool>`
    pub tool_choice: String,
    /// Whether one answer could call several tools.
    pub parallel_calls: bool,
    /// The most tokens of the answer.
    pub max_output_tokens: u64,
    /// The digest over the messages, as the journal records it when the turn begins.
    pub context_digest: String,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentMessage {
    /// `user` or `assistant`
    pub role: String,
    /// Its parts, as they are hashed: `text`, `result`, `call`, `reasoning`, `refusal` or `opaque`.
    pub parts: Vec<crate::Json>,
}

/// One tool of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SentTool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub input_schema: crate::Json,
}

/// A change that a turn asked for, judged with the turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JudgedIntent {
    /// Which change of the turn, from 1.
    pub intent: u64,
    /// The call that asked for it.
    pub tool_call_id: String,
    /// The host action.
    pub action: String,
    /// The digest of the intent.
    pub intent_digest: String,
    /// Whether the kernel admits it.
    pub mutation_ready: bool,
    /// Why it does not.
    pub failure_classes: Vec<String>,
    /// The witness of the check of the turn with this intent.
    pub witness_id: String,
}

/// One piece of what a model was shown or said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MessageRow {
    /// `system`, `user`, `tool`, `assistant`, `reasoning` or `refusal`
    pub role: String,
    /// The call it answers, for `tool`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The text, as the model had it before it.
    pub text: String,
}

/// One call and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallRow {
    /// The call.
    pub tool_call_id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments, as the model wrote them.
    pub arguments: crate::Json,
    /// `ok`, `error`, or `pending` when nothing came of it.
    pub status: String,
    /// Why it did not do what was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// The code of a command that ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// What the model was shown of it.
    pub rendered: String,
    /// What was cut for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncation: Option<CallTruncation>,
    /// The files that were read or written.
    pub artifacts: Vec<CallArtifact>,
    /// How the files that a command changed were found; absent for what is no command, or did not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<ObservedCommand>,
    /// The call whose program made it; absent for a call of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// What a program kept out of the context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filtered: Option<FilteredTokens>,
}

/// What was cut of a payload before a model was shown it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallTruncation {
    /// How many bytes there are.
    pub original_bytes: u64,
    /// How many of them were shown.
    pub kept_bytes: u64,
    /// The object that has all of them.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// A file that a call read or wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallArtifact {
    /// Its path below the workdir.
    pub path: String,
    /// `read` or `write`
    pub access: String,
    /// The digest of its bytes; absent when it is gone, or was not read as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// What a command did to it: `created`, `changed`, `removed` or `mode`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// Its mode after a command: kind and permission bits in octal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// What it was before a command, and where its bytes are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<EarlierFile>,
}

/// What a file was before a command, and where its bytes are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EarlierFile {
    /// The digest of its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Its mode: kind and permission bits in octal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The git blob that has its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_blob: Option<String>,
    /// The object that has its bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_ref: Option<String>,
    /// Why its bytes are nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_restorable: Option<String>,
}

/// How the files that a command changed were found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ObservedCommand {
    /// `git` when git said which files there are, `walk` when every folder was listed.
    pub source: String,
    /// `excluded` when paths that git ignores were not compared, else `included`.
    pub ignored: String,
    /// Calls that ran at the same time: a change may be theirs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overlaps: Vec<String>,
    /// Why the comparison is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<String>,
}

/// The digests of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TurnDigests {
    /// Of the call spec.
    pub call_spec_digest: String,
    /// Of the sorted requests.
    pub request_set_digest: String,
    /// Of the sorted results.
    pub result_set_digest: String,
    /// Of the sorted uses.
    pub use_set_digest: String,
    /// Of the set of renderings.
    pub tool_render_set_digest: String,
    /// Of the set of reminder queues.
    pub reminder_queue_set_digest: String,
    /// Of the set of state views.
    pub state_view_set_digest: String,
    /// Of how the model call ended.
    pub protocol_state_digest: String,
    /// Of the sets and what their join found.
    pub join_set_digest: String,
    /// Of call spec and join set.
    pub turn_digest: String,
}
