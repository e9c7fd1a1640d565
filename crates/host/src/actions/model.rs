//! `model.list` and `model.ask`: which models there are, and one plain question without tools.

use premath_kernel::Value;
use premath_tusk::model::{
    AssistantPart, CacheMarker, Delivery, ModelEvent, ModelRequest, ReasoningEffort, StopReason, SystemBlock,
    Usage,
};
use premath_wire::v1::{AskAnswer, UsageRow};
use premath_wire::{InputClass, InputError, JsonPath};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, told};
use crate::outside::{Asked, ListedPrices, Probe, Question};
use crate::table::{ActionError, Answer, Host};

/// How long an answer may be when nobody says.
const MAX_TOKENS: u64 = 4_096;

/// What `model.list` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ListArgs {
    /// Whether each provider is asked whether it is there.
    check: bool,
    /// Whether every known price is listed, not only those of the default models and of the configuration.
    prices: bool,
}

/// What `model.ask` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AskArgs {
    /// The question.
    #[schemars(required)]
    prompt: Option<String>,
    /// The models to try, in order.
    #[serde(default)]
    models: Vec<String>,
    /// What the model is told before the question.
    system: Option<String>,
    /// The most tokens of the answer.
    max_tokens: Option<u64>,
    /// `low`, `medium` or `high`.
    reasoning: Option<String>,
    /// Whether the answer is asked for in one piece.
    #[serde(default)]
    whole: bool,
}

/// `model.list`
pub(crate) fn list(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ListArgs = arguments(args)?;
    let probe = if args.check { Probe::Reach } else { Probe::Configuration };
    let prices = if args.prices { ListedPrices::All } else { ListedPrices::InUse };
    Answer::new("ok", &host.models.list(probe, prices)?)
}

/// `model.ask`
pub(crate) fn ask(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let answer = self::run(host, args, &mut |_| {})?;
    if answer.stop == StopReason::Refusal.to_string() {
        return Answer::refused("model.refusal", &answer);
    }
    Answer::new("ok", &answer)
}

/// Asks, and shows `watch` the answer as it comes.
///
/// # Errors
/// Arguments that cannot be read, a model that does not exist, or no answer.
pub fn run(
    host: &Host<'_>,
    args: &Value<'_>,
    watch: &mut dyn FnMut(&ModelEvent),
) -> Result<AskAnswer, ActionError> {
    let question = question(arguments(args)?)?;
    Ok(answered(host.models.ask(&question, watch)?))
}

fn question(args: AskArgs) -> Result<Question, InputError> {
    let place = |key: &str| JsonPath::root().key(key);
    let prompt = told(args.prompt.as_deref()).ok_or_else(|| {
        InputError::new(InputClass::FieldMissing, "a question must not be blank", place("prompt"))
    })?;
    let max_tokens = args.max_tokens.unwrap_or(MAX_TOKENS);
    if max_tokens == 0 {
        let what = "must be at least 1";
        return Err(InputError::new(InputClass::FieldInvalid, what, place("maxTokens")));
    }
    let reasoning = match told(args.reasoning.as_deref()) {
        None => None,
        Some("low") => Some(ReasoningEffort::Low),
        Some("medium") => Some(ReasoningEffort::Medium),
        Some("high") => Some(ReasoningEffort::High),
        Some(_) => {
            let what = "expected low, medium or high";
            return Err(InputError::new(InputClass::FieldInvalid, what, place("reasoning")));
        }
    };
    let system = told(args.system.as_deref());
    let request = ModelRequest {
        system: system
            .map(|text| SystemBlock { text: text.to_owned(), cache: CacheMarker::None })
            .into_iter()
            .collect(),
        reasoning,
        delivery: if args.whole { Delivery::Whole } else { Delivery::Streamed },
        ..ModelRequest::of_text(prompt, max_tokens)
    };
    Ok(Question { references: args.models, request })
}

fn answered(asked: Asked) -> AskAnswer {
    let response = asked.response;
    let collected = |pick: fn(&AssistantPart) -> Option<&str>| {
        let texts: Vec<&str> =
            response.parts.iter().filter_map(pick).filter(|text| !text.is_empty()).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    };
    let reasoning = collected(|part| match part {
        AssistantPart::Reasoning(reasoning) => Some(&reasoning.text),
        AssistantPart::Text(_)
        | AssistantPart::ToolCall(_)
        | AssistantPart::Refusal(_)
        | AssistantPart::Opaque(_) => None,
    });
    let refusal = collected(|part| match part {
        AssistantPart::Refusal(text) => Some(text),
        AssistantPart::Text(_)
        | AssistantPart::ToolCall(_)
        | AssistantPart::Reasoning(_)
        | AssistantPart::Opaque(_) => None,
    });
    AskAnswer {
        action: "model.ask".to_owned(),
        model: asked.reference,
        text: response.text(),
        reasoning,
        refusal,
        provider_model: response.model,
        request_id: response.request_id,
        response_id: response.response_id,
        stop: response.stop.to_string(),
        provider_stop: response.provider_stop,
        usage: usage_row(response.usage),
        cost_micro_usd: asked.cost_micro_usd,
        attempts: asked.attempts,
    }
}

const fn usage_row(usage: Usage) -> UsageRow {
    UsageRow {
        input_tokens: usage.input_tokens,
        cache_read_tokens: usage.cache_read_tokens,
        cache_write_tokens: usage.cache_write_tokens,
        output_tokens: usage.output_tokens,
        reasoning_tokens: usage.reasoning_tokens,
    }
}
