//! From the chunks of a stream to the parts of the message they make, as clients of the protocol do it.

use premath_wire::Json;
use premath_wire::v1::{UiChunk, UiData, UiPart};

const STREAMING: &str = "streaming";
const DONE: &str = "done";

/// The parts that chunks make, in order. Data of one type and id is there once, as it was last.
#[must_use]
pub fn folded(chunks: impl IntoIterator<Item = UiChunk>) -> Vec<UiPart> {
    let mut parts: Vec<UiPart> = Vec::new();
    for chunk in chunks {
        take(&mut parts, chunk);
    }
    parts
}

fn take(parts: &mut Vec<UiPart>, chunk: UiChunk) {
    match chunk {
        UiChunk::StartStep => parts.push(UiPart::StepStart),
        UiChunk::TextStart { .. } => {
            parts.push(UiPart::Text { text: String::new(), state: Some(STREAMING.to_owned()) });
        }
        UiChunk::ReasoningStart { .. } => {
            parts.push(UiPart::Reasoning { text: String::new(), state: STREAMING.to_owned() });
        }
        UiChunk::TextDelta { delta, .. } | UiChunk::ReasoningDelta { delta, .. } => {
            if let Some(UiPart::Text { text, .. } | UiPart::Reasoning { text, .. }) = last_text(parts) {
                text.push_str(&delta);
            }
        }
        UiChunk::TextEnd { .. } | UiChunk::ReasoningEnd { .. } => end(parts),
        UiChunk::ToolInputStart { tool_call_id, tool_name, .. } => {
            if call(parts, &tool_call_id).is_none() {
                let state = "input-streaming".to_owned();
                parts.push(UiPart::DynamicTool {
                    tool_name,
                    tool_call_id,
                    state,
                    input: None,
                    output: None,
                    error_text: None,
                });
            }
        }
        UiChunk::ToolInputAvailable { tool_call_id, input, .. } => {
            came(parts, &tool_call_id, "input-available", Came::Input(input));
        }
        UiChunk::ToolOutputAvailable { tool_call_id, output, .. } => {
            came(parts, &tool_call_id, "output-available", Came::Output(output));
        }
        UiChunk::ToolOutputError { tool_call_id, error_text, .. } => {
            came(parts, &tool_call_id, "output-error", Came::Error(error_text));
        }
        UiChunk::Data(data) => put(parts, data),
        UiChunk::Start { .. }
        | UiChunk::FinishStep
        | UiChunk::Finish
        | UiChunk::Abort
        | UiChunk::Error { .. } => {}
    }
}

/// The text or the thought that is being written.
fn last_text(parts: &mut [UiPart]) -> Option<&mut UiPart> {
    parts.iter_mut().rfind(|part| matches!(part, UiPart::Text { .. } | UiPart::Reasoning { .. }))
}

fn end(parts: &mut [UiPart]) {
    match last_text(parts) {
        Some(UiPart::Text { state, .. }) => *state = Some(DONE.to_owned()),
        Some(UiPart::Reasoning { state, .. }) => DONE.clone_into(state),
        Some(UiPart::StepStart | UiPart::DynamicTool { .. } | UiPart::Data(_)) | None => {}
    }
}

fn call<'p>(parts: &'p mut [UiPart], id: &str) -> Option<&'p mut UiPart> {
    parts
        .iter_mut()
        .find(|part| matches!(part, UiPart::DynamicTool { tool_call_id, .. } if tool_call_id == id))
}

/// Something of a call that has come.
enum Came {
    Input(Json),
    Output(Json),
    Error(String),
}

fn came(parts: &mut [UiPart], id: &str, now: &str, what: Came) {
    let Some(UiPart::DynamicTool { state, input, output, error_text, .. }) = call(parts, id) else { return };
    now.clone_into(state);
    match what {
        Came::Input(value) => *input = Some(value),
        Came::Output(value) => *output = Some(value),
        Came::Error(text) => *error_text = Some(text),
    }
}

fn put(parts: &mut Vec<UiPart>, data: UiData) {
    let is_same =
        |part: &&mut UiPart| matches!(part, UiPart::Data(old) if old.kind == data.kind && old.id == data.id);
    match parts.iter_mut().find(is_same) {
        Some(part) => *part = UiPart::Data(data),
        None => parts.push(UiPart::Data(data)),
    }
}
