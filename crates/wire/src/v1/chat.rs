//! A conversation as chat clients read it: the chunks of UI message stream v1, and the messages that come of them.
//!
//! The names are those of the protocol, so that its clients work unchanged. Must not decide anything.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Json;

/// One chunk of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum UiChunk {
    /// A message of the assistant begins, or goes on.
    Start {
        /// The message: the run that answers.
        message_id: String,
    },
    /// A turn begins.
    StartStep,
    /// A turn has ended.
    FinishStep,
    /// A text begins.
    TextStart {
        /// The text.
        id: String,
    },
    /// More of a text.
    TextDelta {
        /// The text.
        id: String,
        /// What is added.
        delta: String,
    },
    /// A text has ended.
    TextEnd {
        /// The text.
        id: String,
    },
    /// A thought begins.
    ReasoningStart {
        /// The thought.
        id: String,
    },
    /// More of a thought.
    ReasoningDelta {
        /// The thought.
        id: String,
        /// What is added.
        delta: String,
    },
    /// A thought has ended.
    ReasoningEnd {
        /// The thought.
        id: String,
    },
    /// A call is being written.
    ToolInputStart {
        /// The call: its turn and its id in it.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// Always true: the client does not know our tools by name.
        dynamic: bool,
    },
    /// The arguments of a call.
    ToolInputAvailable {
        /// The call.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// Its arguments.
        input: Json,
        /// Always true.
        dynamic: bool,
    },
    /// What a call gave.
    ToolOutputAvailable {
        /// The call.
        tool_call_id: String,
        /// What it gave: JSON, a text, or `{ref, bytes, head, tail}` where it is long.
        output: Json,
        /// Always true.
        dynamic: bool,
    },
    /// Why a call gave nothing.
    ToolOutputError {
        /// The call.
        tool_call_id: String,
        /// Why.
        error_text: String,
        /// Always true.
        dynamic: bool,
    },
    /// The answer is whole, or waits for a person.
    Finish,
    /// Somebody stopped it.
    Abort,
    /// No answer came.
    Error {
        /// One fixed sentence for each kind.
        error_text: String,
    },
    /// Something that is not said.
    #[serde(untagged)]
    Data(UiData),
}

/// Something that is not said: a later one with the same type and id takes the place of an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UiData {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: UiDataKind,
    /// Which one.
    pub id: String,
    /// What it says.
    pub data: Json,
}

/// What data is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UiDataKind {
    /// Something happened that a person should know of: `text`, `effect`, `fileId`.
    DataNotice,
    /// A call waits for a person, or did: the card of the question.
    DataConfirmation,
    /// A plan waits for a person, or did: the card of the plan.
    DataPlan,
    /// What was deleted or changed can be taken back: `fileId`, `name`, `version`, `state`.
    DataUndo,
    /// What a client with a screen does: `kind` and what it is about.
    DataEffect,
    /// Policy or the store said no: `code`, `hint`, `policyName`, `humanMessage`, `retryable`.
    DataPolicy,
    /// A stage of a search over texts: `stage`, `status`.
    DataRetrieval,
    /// The passages that a search found.
    DataCitations,
    /// How a turn was judged: `callId`, `verdict`, `reasons`, `turnDigest`, `runId`.
    DataTurn,
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UiMessage {
    /// Its id: what its client called it, or the run.
    pub id: String,
    /// `user` or `assistant`
    pub role: String,
    /// Where it comes from.
    pub metadata: UiMetadata,
    /// What it consists of, in order.
    pub parts: Vec<UiPart>,
}

/// Where a message comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UiMetadata {
    /// The run that answers, or answered.
    pub run_id: String,
    /// When it was said, or the run began.
    pub at: String,
    /// How the run ended; absent while it has not, and for messages of people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

/// A part of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum UiPart {
    /// A turn begins.
    StepStart,
    /// What was said.
    Text {
        /// The text.
        text: String,
        /// `streaming` or `done`
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<String>,
    },
    /// What was thought.
    Reasoning {
        /// The text.
        text: String,
        /// `streaming` or `done`
        state: String,
    },
    /// A call.
    DynamicTool {
        /// The tool.
        tool_name: String,
        /// The call.
        tool_call_id: String,
        /// `input-streaming`, `input-available`, `output-available` or `output-error`
        state: String,
        /// Its arguments.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Json>,
        /// What it gave.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<Json>,
        /// Why it gave nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_text: Option<String>,
    },
    /// Something that is not said.
    #[serde(untagged)]
    Data(UiData),
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationRow {
    /// `cnv_` and twelve hexadecimal digits, or what its client calls it.
    pub id: String,
    /// What people call it; empty until somebody says something.
    pub title: String,
    /// Who began it.
    pub created_by: String,
    /// When.
    pub created_at: String,
    /// When somebody last said something in it.
    pub updated_at: String,
    /// How many messages of people there are.
    pub message_count: u64,
}

/// The answer of `conversations list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationListing {
    /// `conversation.list`
    pub action: String,
    /// How many there are.
    pub count: u64,
    /// The one that was last spoken in first.
    pub items: Vec<ConversationRow>,
}

/// The answer of `conversations start`, `rename` and `delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationChanged {
    /// The host action.
    pub action: String,
    /// The conversation, as it is now or was.
    #[serde(flatten)]
    pub conversation: ConversationRow,
}

/// The answer of `conversations show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationCard {
    /// `conversation.show`
    pub action: String,
    /// The conversation.
    #[serde(flatten)]
    pub conversation: ConversationRow,
    /// Whether a run answers in it now.
    pub active: bool,
    /// The newest messages, oldest first, made from the journals of their runs.
    pub messages: Vec<UiMessage>,
    /// Where older ones are: what `before` takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<u64>,
}

/// One call of a tool, as the log of a conversation has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CallLogRow {
    /// Which message of the conversation it answers, from 1.
    pub position: u64,
    /// The run.
    pub run_id: String,
    /// The turn.
    pub call_id: String,
    /// The call.
    pub tool_call_id: String,
    /// When its turn was answered.
    pub at: String,
    /// The tool.
    pub tool: String,
    /// `read`, `create`, `write` or `destructive`; empty for a tool that the run did not have.
    pub risk: String,
    /// `allow`, `ask` or `deny`, and what a person said: `allow`, `deny`, `approved`, `denied`, `expired`, `pending`, …
    pub decision: String,
    /// Its arguments.
    pub arguments: Json,
    /// The digest of the arguments.
    pub args_digest: String,
    /// `ok`, `error`, or `open` while nothing has come of it.
    pub status: String,
    /// The code of its failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// All that it gave; absent where it is longer than a megabyte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Where what it gave is kept, where that is long.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// What became of the change it asked for: `applied`, `unchanged` or `refused`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied: Option<String>,
    /// What takes it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<UndoRow>,
}

/// What takes a change back: `desk restore` with this file or folder, and this version where there is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoRow {
    /// The file or the folder.
    pub file_id: String,
    /// What people call it.
    pub name: String,
    /// The version before the change; absent where only a deletion is taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// `available` or `undone`
    pub state: String,
}

/// The answer of `conversations log`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationLog {
    /// `conversation.log`
    pub action: String,
    /// The conversation.
    pub id: String,
    /// How many calls are here.
    pub count: u64,
    /// The calls, oldest first.
    pub items: Vec<CallLogRow>,
    /// Where the next page begins; absent at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
