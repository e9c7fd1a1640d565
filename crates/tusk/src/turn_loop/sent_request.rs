//! A request to a model as people and programs read it afterwards. Nothing here is sent.

use premath_wire::Json;
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{SentMessage, SentRequest, SentTool};

use super::state::message_value;
use crate::JsonText;
use crate::model::{Message, ModelRequest, ParallelCalls, ToolChoice, ToolOffer};

/// A request, whole, with the digest over its messages.
#[must_use]
pub fn sent_request(request: &ModelRequest, context_digest: &str) -> SentRequest {
    SentRequest {
        system: request.system.iter().map(|block| block.text.clone()).collect(),
        messages: request.messages.iter().map(sent_message).collect(),
        tools: request.tools.iter().map(sent_tool).collect(),
        tool_choice: match &request.tool_choice {
            ToolChoice::Auto => "auto".to_owned(),
            ToolChoice::Forbidden => "none".to_owned(),
            ToolChoice::Required => "required".to_owned(),
            ToolChoice::Named(tool) => format!("named:{tool}"),
        },
        parallel_calls: request.parallel_calls == ParallelCalls::Allowed,
        max_output_tokens: request.max_output_tokens,
        context_digest: context_digest.to_owned(),
    }
}

fn sent_message(message: &Message) -> SentMessage {
    let value = message_value(message);
    let member = |name: &str| value.as_object().and_then(|members| members.get(name));
    SentMessage {
        role: member("role").and_then(premath_kernel::Value::as_text).unwrap_or_default().to_owned(),
        parts: match member("parts") {
            Some(premath_kernel::Value::Array(parts)) => {
                parts.iter().map(|part| Json(part.borrowed().into_owned())).collect()
            }
            _no_list => Vec::new(),
        },
    }
}

fn sent_tool(offer: &ToolOffer) -> SentTool {
    SentTool {
        name: offer.name.clone(),
        description: offer.description.clone(),
        input_schema: read_json(&offer.input_schema),
    }
}

/// The JSON of a text that was checked to be JSON when it was made.
fn read_json(text: &JsonText) -> Json {
    let read = parse(text.as_str().as_bytes(), Limits::default());
    Json(read.map_or(premath_kernel::Value::Null, premath_kernel::Value::into_owned))
}
