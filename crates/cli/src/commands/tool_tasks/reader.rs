//! A model that works on one task: it makes the calls it would like to make as far as their tools are offered, searches for
//! a tool that is not, and reads only so much of what it is shown.

use premath_tusk::JsonText;
use premath_tusk::model::{
    AssistantPart, Message, ModelEvent, ModelRequest, ModelResponse, PortFuture, StopReason, ToolCall, Usage,
    UserPart,
};
use premath_tusk::turn_loop::{AnswerError, AnswerPort, Answered};

use super::ToolTask;

/// What is further in than this is lost on it.
const ATTENTION: usize = 24_000;
/// How tools that are not offered are found.
const SEARCH: &str = "tool_search";

/// The model.
#[derive(Debug)]
pub(in crate::commands) struct Reader {
    task: ToolTask,
    /// The step that comes next.
    next: usize,
    /// The step whose tool was searched for.
    searched: Option<usize>,
    calls: usize,
}

impl Reader {
    pub(in crate::commands) const fn new(task: ToolTask) -> Self {
        Self { task, next: 0, searched: None, calls: 0 }
    }

    fn parts(&mut self, request: &ModelRequest) -> Vec<AssistantPart> {
        if let Some(found) = self.found(request) {
            return vec![AssistantPart::Text(found)];
        }
        let offered = |name: &str| request.tools.iter().any(|offer| offer.name == name);
        while let Some((tool, arguments)) = self.task.steps.get(self.next).cloned() {
            if offered(&tool) {
                self.next += 1;
                return self.call(&tool, &arguments);
            }
            if offered(SEARCH) && self.searched != Some(self.next) {
                self.searched = Some(self.next);
                let query = serde_json::json!({"query": self.task.ask});
                return self.call(SEARCH, &query);
            }
            self.next += 1;
        }
        vec![AssistantPart::Text("I could not find it.".to_owned())]
    }

    /// The line of a result that answers what was asked, if it was shown and read.
    fn found(&self, request: &ModelRequest) -> Option<String> {
        let Some(Message::User(parts)) = request.messages.iter().next_back() else { return None };
        parts.iter().find_map(|part| {
            let UserPart::ToolResult(result) = part else { return None };
            let read: String = result.content.chars().take(ATTENTION).collect();
            read.lines().find(|line| line.contains(&self.task.answer)).map(|line| {
                let text: String = line.chars().take(400).collect();
                if text.contains(&self.task.answer) { text } else { self.task.answer.clone() }
            })
        })
    }

    fn call(&mut self, tool: &str, arguments: &serde_json::Value) -> Vec<AssistantPart> {
        self.calls += 1;
        let arguments = JsonText::new(arguments.to_string()).unwrap_or_else(|_| JsonText::empty_object());
        let call = ToolCall::new(format!("call_{}", self.calls), tool, arguments);
        vec![AssistantPart::ToolCall(call)]
    }
}

/// Four characters are a token, and nothing is free.
fn tokens(characters: usize) -> u64 {
    u64::try_from(characters.div_ceil(4).max(1)).unwrap_or(u64::MAX)
}

/// Everything that is sent: tools, what is said before, the conversation.
fn characters(request: &ModelRequest) -> usize {
    let offers: usize = request
        .tools
        .iter()
        .map(|offer| offer.name.len() + offer.description.len() + offer.input_schema.as_str().len())
        .sum();
    let system: usize = request.system.iter().map(|block| block.text.len()).sum();
    let of_user = |part: &UserPart| match part {
        UserPart::Text { text, .. } => text.len(),
        UserPart::ToolResult(result) => result.content.len(),
    };
    let messages: usize = request
        .messages
        .iter()
        .map(|message| match message {
            Message::User(parts) => parts.iter().map(of_user).sum(),
            Message::Assistant(parts) => said(parts),
        })
        .sum();
    offers + system + messages
}

fn said(parts: &[AssistantPart]) -> usize {
    let of_part = |part: &AssistantPart| match part {
        AssistantPart::Text(text) | AssistantPart::Refusal(text) => text.len(),
        AssistantPart::ToolCall(call) => call.name.len() + call.arguments.as_str().len(),
        AssistantPart::Reasoning(_) | AssistantPart::Opaque(_) => 0,
    };
    parts.iter().map(of_part).sum()
}

impl AnswerPort for Reader {
    fn answer<'a>(
        &'a mut self,
        request: &'a ModelRequest,
        _: &'a mut (dyn FnMut(&ModelEvent) + Send),
    ) -> PortFuture<'a, Result<Answered, AnswerError>> {
        let parts = self.parts(request);
        let is_call = parts.iter().any(|part| matches!(part, AssistantPart::ToolCall(_)));
        let usage = Usage {
            input_tokens: tokens(characters(request)),
            output_tokens: tokens(said(&parts)),
            ..Usage::default()
        };
        let response = ModelResponse {
            request_id: None,
            response_id: None,
            model: None,
            parts,
            stop: if is_call { StopReason::ToolUse } else { StopReason::EndTurn },
            provider_stop: None,
            usage,
        };
        let answered =
            Answered { reference: "reader".to_owned(), response, cost_micros: None, attempts: Vec::new() };
        Box::pin(async move { Ok(answered) })
    }
}
