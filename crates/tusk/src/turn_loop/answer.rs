//! What a model answered, as the journal keeps it: every part byte for byte, so that the next request is the same again.

use premath_kernel::{Fields, Object, Value};

use crate::JsonText;
use crate::evidence::Unreadable;
use crate::evidence::row::{Row, count, unreadable};
use crate::model::{AssistantPart, MalformedArguments, Reasoning, StopReason, ToolCall, Usage, Verbatim};

/// What a model answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Who answered: `provider:model`, or `harness:` and the pattern when nobody was asked.
    pub model_ref: String,
    /// What it said, in order.
    pub parts: Vec<AssistantPart>,
    /// Why it ended.
    pub stop: StopReason,
    /// What it used.
    pub usage: Usage,
    /// What it cost, in millionths of a dollar; none where no price is known.
    pub cost_micros: Option<u64>,
    /// The provider's id of the response.
    pub response_id: Option<String>,
    /// Models that were tried or skipped before, one line each.
    pub attempts: Vec<String>,
    /// Since the run began.
    pub elapsed_millis: u64,
}

impl Answer {
    /// The calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            AssistantPart::ToolCall(call) => Some(call),
            AssistantPart::Text(_)
            | AssistantPart::Reasoning(_)
            | AssistantPart::Refusal(_)
            | AssistantPart::Opaque(_) => None,
        })
    }

    /// All text, in order; what it said instead of an answer when there is none.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            AssistantPart::Text(text) | AssistantPart::Refusal(text) => Some(text.as_str()),
            AssistantPart::ToolCall(_) | AssistantPart::Reasoning(_) | AssistantPart::Opaque(_) => None,
        });
        texts.collect()
    }
}

pub(super) fn answer_fields<'v>(fields: Fields<'v>, answer: &'v Answer) -> Fields<'v> {
    fields
        .non_empty("attempts", answer.attempts.iter().map(|text| Value::from(text.as_str())).collect())
        .optional("costMicros", answer.cost_micros.map(count))
        .field("elapsedMillis", count(answer.elapsed_millis))
        .field("modelRef", answer.model_ref.as_str())
        .field("parts", answer.parts.iter().map(part_value).collect::<Vec<_>>())
        .optional("responseId", answer.response_id.as_deref())
        .field("stop", answer.stop.to_string())
        .field("usage", usage_value(answer.usage))
}

pub(super) fn read_answer(row: Row<'_>) -> Result<Answer, Unreadable> {
    Ok(Answer {
        model_ref: row.owned("modelRef")?,
        parts: row.rows("parts", read_part)?,
        stop: read_stop(row.text("stop")?),
        usage: read_usage(row.row("usage")?)?,
        cost_micros: row.optional_count("costMicros")?,
        response_id: row.optional("responseId")?,
        attempts: row.texts("attempts")?,
        elapsed_millis: row.count("elapsedMillis")?,
    })
}

/// One part, as journals and digests of the context name it.
pub(super) fn part_value(part: &AssistantPart) -> Value<'_> {
    let fields = Object::fields();
    match part {
        AssistantPart::Text(text) => fields.field("text", text.as_str()).field("type", "text"),
        AssistantPart::ToolCall(call) => fields
            .field("arguments", call.arguments.as_str())
            .field("id", call.id.as_str())
            .optional("malformed", call.malformed.as_ref().map(malformed_value))
            .field("name", call.name.as_str())
            .field("type", "call"),
        AssistantPart::Reasoning(reasoning) => fields
            .optional("block", reasoning.verbatim.as_ref().map(|block| block.block.as_str()))
            .optional("protocol", reasoning.verbatim.as_ref().map(|block| block.protocol.as_str()))
            .field("text", reasoning.text.as_str())
            .field("type", "reasoning"),
        AssistantPart::Refusal(text) => fields.field("text", text.as_str()).field("type", "refusal"),
        AssistantPart::Opaque(block) => fields
            .field("block", block.block.as_str())
            .field("protocol", block.protocol.as_str())
            .field("type", "opaque"),
    }
    .finish()
}

fn read_part(row: Row<'_>) -> Result<AssistantPart, Unreadable> {
    Ok(match row.text("type")? {
        "text" => AssistantPart::Text(row.owned("text")?),
        "call" => AssistantPart::ToolCall(ToolCall {
            id: row.owned("id")?,
            name: row.owned("name")?,
            arguments: json(row, "arguments")?,
            malformed: row.optional_row("malformed")?.map(read_malformed).transpose()?,
        }),
        "reasoning" => {
            let verbatim = match row.optional("protocol")? {
                None => None,
                Some(protocol) => Some(Verbatim { protocol, block: json(row, "block")? }),
            };
            AssistantPart::Reasoning(Reasoning { text: row.owned("text")?, verbatim })
        }
        "refusal" => AssistantPart::Refusal(row.owned("text")?),
        "opaque" => {
            AssistantPart::Opaque(Verbatim { protocol: row.owned("protocol")?, block: json(row, "block")? })
        }
        _other => return Err(unreadable("type")),
    })
}

fn malformed_value(malformed: &MalformedArguments) -> Value<'_> {
    Object::fields()
        .field("reason", malformed.reason.as_str())
        .field("text", malformed.text.as_str())
        .finish()
}

fn read_malformed(row: Row<'_>) -> Result<MalformedArguments, Unreadable> {
    Ok(MalformedArguments { reason: row.owned("reason")?, text: row.owned("text")? })
}

fn json(row: Row<'_>, member: &str) -> Result<JsonText, Unreadable> {
    JsonText::new(row.text(member)?).map_err(|_| unreadable(member))
}

fn read_stop(token: &str) -> StopReason {
    match token {
        "end_turn" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" => StopReason::MaxTokens,
        "pause_turn" => StopReason::PauseTurn,
        "refusal" => StopReason::Refusal,
        other => StopReason::Other(other.to_owned()),
    }
}

fn usage_value(usage: Usage) -> Value<'static> {
    Object::fields()
        .field("cacheRead", count(usage.cache_read_tokens))
        .field("cacheWrite", count(usage.cache_write_tokens))
        .field("input", count(usage.input_tokens))
        .field("output", count(usage.output_tokens))
        .field("reasoning", count(usage.reasoning_tokens))
        .finish()
}

fn read_usage(row: Row<'_>) -> Result<Usage, Unreadable> {
    Ok(Usage {
        input_tokens: row.count("input")?,
        cache_read_tokens: row.count("cacheRead")?,
        cache_write_tokens: row.count("cacheWrite")?,
        output_tokens: row.count("output")?,
        reasoning_tokens: row.count("reasoning")?,
    })
}
