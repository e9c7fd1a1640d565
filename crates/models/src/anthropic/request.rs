//! A request as the protocol wants it: the same request gives the same bytes, so that a cached prefix stays one.

use premath_tusk::model::{
    AssistantPart, CacheMarker, Delivery, Message, ModelError, ModelRequest, ParallelCalls, ReasoningEffort,
    SystemBlock, ToolChoice, ToolOffer, ToolOutcome, UserPart,
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::PROTOCOL;
use crate::provider::encode::{self, unsendable};

/// The protocol takes no more marks in one request.
const MOST_MARKS: usize = 4;

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<Choice<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Block<'a>>,
    messages: Vec<Turn<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    stop_sequences: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Thinking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
    stream: bool,
}

#[derive(Serialize)]
struct Tool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
struct Choice<'a> {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    disable_parallel_tool_use: Option<bool>,
}

#[derive(Serialize)]
struct Turn<'a> {
    role: &'static str,
    content: Vec<Block<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Block<'a> {
    Text {
        r#type: &'static str,
        text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    ToolUse {
        r#type: &'static str,
        id: &'a str,
        name: &'a str,
        input: Box<RawValue>,
    },
    ToolResult {
        r#type: &'static str,
        tool_use_id: &'a str,
        content: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        is_error: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Verbatim(Box<RawValue>),
}

#[derive(Serialize)]
struct CacheControl {
    r#type: &'static str,
}

#[derive(Serialize)]
struct Thinking {
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_tokens: Option<u64>,
}

#[derive(Serialize)]
struct OutputConfig {
    effort: &'static str,
}

/// The body of a request to `model`.
///
/// # Errors
/// `request_invalid` when a verbatim part cannot be written.
pub(crate) fn body(model: &str, request: &ModelRequest) -> Result<Vec<u8>, ModelError> {
    let mut marks = Marks::of(request);
    let (thinking, output_config) = thinking(model, request);
    encode::body(&Body {
        model,
        max_tokens: request.max_output_tokens,
        tools: request.tools.iter().map(|tool| offer(tool, &mut marks)).collect::<Result<_, _>>()?,
        tool_choice: choice(request),
        system: request.system.iter().filter_map(|block| system(block, &mut marks)).collect(),
        messages: turns(&request.messages, &mut marks)?,
        stop_sequences: &request.stop_sequences,
        thinking,
        output_config,
        stream: request.delivery == Delivery::Streamed,
    })
}

fn offer<'a>(tool: &'a ToolOffer, marks: &mut Marks) -> Result<Tool<'a>, ModelError> {
    let input_schema = tool.input_schema.raw().map_err(unsendable)?;
    let cache_control = marks.next(tool.cache);
    Ok(Tool { name: &tool.name, description: &tool.description, input_schema, cache_control })
}

/// `auto` is what the protocol does anyway; it is named only where something is said beside it.
fn choice(request: &ModelRequest) -> Option<Choice<'_>> {
    if request.tools.is_empty() {
        return None;
    }
    let one_at_a_time = request.parallel_calls == ParallelCalls::OneAtATime;
    let (kind, name) = match &request.tool_choice {
        ToolChoice::Auto if !one_at_a_time => return None,
        ToolChoice::Auto => ("auto", None),
        ToolChoice::Forbidden => {
            return Some(Choice { r#type: "none", name: None, disable_parallel_tool_use: None });
        }
        ToolChoice::Required => ("any", None),
        ToolChoice::Named(name) => ("tool", Some(name.as_str())),
    };
    Some(Choice { r#type: kind, name, disable_parallel_tool_use: one_at_a_time.then_some(true) })
}

fn system<'a>(block: &'a SystemBlock, marks: &mut Marks) -> Option<Block<'a>> {
    let cache_control = marks.next(block.cache);
    text(&block.text, cache_control)
}

/// The protocol refuses empty texts, so they are not sent.
fn text(text: &str, cache_control: Option<CacheControl>) -> Option<Block<'_>> {
    (!text.is_empty()).then_some(Block::Text { r#type: "text", text, cache_control })
}

fn turns<'a>(messages: &'a [Message], marks: &mut Marks) -> Result<Vec<Turn<'a>>, ModelError> {
    let mut turns = Vec::with_capacity(messages.len());
    for message in messages {
        let (role, content) = match message {
            Message::User(parts) => ("user", user(parts, marks)),
            Message::Assistant(parts) => ("assistant", assistant(parts)?),
        };
        if !content.is_empty() {
            turns.push(Turn { role, content });
        }
    }
    Ok(turns)
}

/// The protocol wants the results of tools before anything else in a message.
fn user<'a>(parts: &'a [UserPart], marks: &mut Marks) -> Vec<Block<'a>> {
    let mut results = Vec::with_capacity(parts.len());
    let mut texts = Vec::new();
    for part in parts {
        match part {
            UserPart::Text { text: said, cache } => {
                let cache_control = marks.next(*cache);
                texts.extend(text(said, cache_control));
            }
            UserPart::ToolResult(result) => results.push(Block::ToolResult {
                r#type: "tool_result",
                tool_use_id: &result.call_id,
                content: &result.content,
                is_error: match result.outcome {
                    ToolOutcome::Ok => None,
                    ToolOutcome::Error => Some(true),
                },
                cache_control: marks.next(result.cache),
            }),
        }
    }
    results.append(&mut texts);
    results
}

fn assistant(parts: &[AssistantPart]) -> Result<Vec<Block<'_>>, ModelError> {
    let mut blocks = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            AssistantPart::Text(said) | AssistantPart::Refusal(said) => blocks.extend(text(said, None)),
            AssistantPart::ToolCall(call) => blocks.push(Block::ToolUse {
                r#type: "tool_use",
                id: &call.id,
                name: &call.name,
                input: call.arguments.raw().map_err(unsendable)?,
            }),
            AssistantPart::Reasoning(reasoning) => {
                let own = reasoning.verbatim.as_ref().and_then(|block| encode::own(PROTOCOL, block));
                blocks.extend(own.transpose()?.map(Block::Verbatim));
            }
            AssistantPart::Opaque(block) => {
                blocks.extend(encode::own(PROTOCOL, block).transpose()?.map(Block::Verbatim));
            }
        }
    }
    Ok(blocks)
}

/// Models before 4.6 take a budget of tokens, later ones decide for themselves and refuse a budget.
fn thinking(model: &str, request: &ModelRequest) -> (Option<Thinking>, Option<OutputConfig>) {
    const LEAST_BUDGET: u64 = 1024;
    const WITH_BUDGET: [&str; 10] = [
        "claude-3",
        "claude-opus-4-0",
        "claude-opus-4-1",
        "claude-opus-4-2",
        "claude-opus-4-5",
        "claude-sonnet-4-0",
        "claude-sonnet-4-2",
        "claude-sonnet-4-5",
        "claude-haiku-4-2",
        "claude-haiku-4-5",
    ];
    let Some(effort) = request.reasoning else { return (None, None) };
    if !WITH_BUDGET.iter().any(|prefix| model.starts_with(prefix)) {
        let adaptive = Thinking { r#type: "adaptive", budget_tokens: None };
        return (Some(adaptive), Some(OutputConfig { effort: encode::effort(effort) }));
    }
    let share = match effort {
        ReasoningEffort::Low => 4,
        ReasoningEffort::Medium => 2,
        ReasoningEffort::High => 1,
    };
    // A budget has to leave room for an answer; where there is none, the model does not think.
    let budget = (request.max_output_tokens.saturating_mul(3) / 4 / share).max(LEAST_BUDGET);
    let fits = budget < request.max_output_tokens;
    (fits.then_some(Thinking { r#type: "enabled", budget_tokens: Some(budget) }), None)
}

/// Which of the marks of a request are sent. Beyond the most the protocol takes these are the first two, which
/// conversations share, and the last two, which the next turn reads.
struct Marks {
    total: usize,
    seen: usize,
}

impl Marks {
    fn of(request: &ModelRequest) -> Self {
        let messages = request.messages.iter().flat_map(|message| match message {
            Message::User(parts) => parts.as_slice(),
            Message::Assistant(_) => &[],
        });
        let in_messages = messages.map(|part| match part {
            UserPart::Text { cache, .. } => *cache,
            UserPart::ToolResult(result) => result.cache,
        });
        let tools = request.tools.iter().map(|tool| tool.cache);
        let system = request.system.iter().map(|block| block.cache);
        let all = tools.chain(system).chain(in_messages);
        Self { total: all.filter(|mark| *mark == CacheMarker::Here).count(), seen: 0 }
    }

    fn next(&mut self, mark: CacheMarker) -> Option<CacheControl> {
        match mark {
            CacheMarker::None => None,
            CacheMarker::Here => {
                let place = self.seen;
                self.seen += 1;
                let half = MOST_MARKS / 2;
                let is_sent = self.total <= MOST_MARKS || place < half || place + half >= self.total;
                is_sent.then_some(CacheControl { r#type: "ephemeral" })
            }
        }
    }
}
