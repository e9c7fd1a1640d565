//! The law of requests: every call of the model is answered before it is asked again, and nothing else is.

use std::collections::BTreeSet;

use premath_tusk::model::{AssistantPart, Message, ModelRequest, UserPart};

/// What is wrong with the calls and results of a request; nothing when they pair up.
pub(crate) fn unpaired(request: &ModelRequest) -> Option<String> {
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for message in request.messages.iter() {
        match message {
            Message::Assistant(parts) => {
                if let Some(id) = open.first() {
                    return Some(format!("`{id}` was not answered before the model spoke again"));
                }
                for part in parts {
                    if let AssistantPart::ToolCall(call) = part
                        && !open.insert(&call.id)
                    {
                        return Some(format!("`{}` stands for two calls of one answer", call.id));
                    }
                }
            }
            Message::User(parts) => {
                for part in parts {
                    if let UserPart::ToolResult(result) = part
                        && !open.remove(result.call_id.as_str())
                    {
                        return Some(format!("`{}` is answered and was not asked for", result.call_id));
                    }
                }
            }
        }
    }
    open.first().map(|id| format!("`{id}` is not answered"))
}
