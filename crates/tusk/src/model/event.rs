//! What happens while a model answers. Deltas are for whoever watches; only parts that are done are to be acted on.

use super::part::AssistantPart;
use super::usage::{StopReason, Usage};

/// One event of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelEvent {
    /// The provider began to answer.
    Started {
        /// The id of the request, from the provider's header; what its support asks for.
        request_id: Option<String>,
        /// The id of the response.
        response_id: Option<String>,
        /// The model that answers, as the provider names it.
        model: Option<String>,
    },
    /// More text of part `index`.
    TextDelta {
        /// Which part.
        index: u64,
        /// The text.
        text: String,
    },
    /// More of what it thinks, where that may be read.
    ReasoningDelta {
        /// Which part.
        index: u64,
        /// The text.
        text: String,
    },
    /// More of why it does not answer.
    RefusalDelta {
        /// Which part.
        index: u64,
        /// The text.
        text: String,
    },
    /// It begins to write a tool call.
    ToolCallStarted {
        /// Which part.
        index: u64,
        /// The provider's id of the call.
        id: String,
        /// The tool.
        name: String,
    },
    /// More of the arguments: not JSON until the part is done.
    ArgumentsDelta {
        /// Which part.
        index: u64,
        /// The text.
        text: String,
    },
    /// A part is complete.
    PartDone {
        /// Which part.
        index: u64,
        /// The part.
        part: AssistantPart,
    },
    /// The answer is complete.
    Finished {
        /// Why it ended.
        stop: StopReason,
        /// What the provider called that.
        provider_stop: Option<String>,
        /// What it used.
        usage: Usage,
    },
}
