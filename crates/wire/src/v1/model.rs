//! What is answered about models, and the document that remembers which provider is to be left alone for a while.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of the document of circuits.
pub const MODEL_CIRCUITS_KIND: &str = "premath.model_circuits.v1";

/// Which providers are cooling down, as it is kept on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelCircuits {
    /// Always 1.
    pub schema: u32,
    /// `premath.model_circuits.v1`
    pub circuits_kind: String,
    /// One circuit for each provider that was ever asked.
    pub providers: BTreeMap<String, CircuitRow>,
}

/// What is remembered of one provider.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct CircuitRow {
    /// Until when it is skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cooling_until: Option<String>,
    /// The kind of error it is skipped for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// How many attempts failed in a row.
    pub consecutive_failures: u64,
    /// When the last attempt failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_failure_at: Option<String>,
    /// When the last answer came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_success_at: Option<String>,
}

/// The answer of `models`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ModelListing {
    /// `model.list`
    pub action: String,
    /// The models that a request goes to when none is named, in order.
    pub chain: Vec<String>,
    /// How many providers are listed.
    pub count: u64,
    /// The providers, sorted by name.
    pub items: Vec<ProviderRow>,
    /// The prices of the default models and of the configuration, or every known one; sorted by model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prices: Vec<PriceRow>,
}

/// What one model costs, in millionths of a dollar per million tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceRow {
    /// The model, as its provider names it; a prefix when it ends with `*`.
    pub model: String,
    /// Input that no cache had a part in; absent when no price is known, as are the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_micro_usd: Option<u64>,
    /// Input read from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_micro_usd: Option<u64>,
    /// Input written to a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_micro_usd: Option<u64>,
    /// Output, reasoning included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_micro_usd: Option<u64>,
    /// The day on which the price was looked up, or the line of the configuration that says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// Where the price comes from: `default` for the shipped table.
    pub layer: String,
    /// Whether a cost limit relies on it. One that only a repository names does not count.
    pub limits_rely_on_it: bool,
}

/// One provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderRow {
    /// The first half of a model reference.
    pub provider: String,
    /// `anthropic-messages`, `openai-responses` or `openai-chat`.
    pub protocol: String,
    /// Where it is.
    pub base_url: String,
    /// Where the provider was configured.
    pub layer: String,
    /// Whether a key is there. The key itself is shown nowhere.
    pub key: KeyState,
    /// Where the key comes from, without the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_source: Option<String>,
    /// Whether a request would be sent to it now.
    pub state: ProviderState,
    /// What is remembered of it.
    pub circuit: CircuitRow,
    /// What came of asking it, when that was wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<ProviderCheck>,
}

/// Whether a key is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// It is.
    Set,
    /// It is needed and is not.
    Missing,
    /// None is needed.
    NotNeeded,
}

/// Whether a request would be sent to a provider now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderState {
    /// Yes.
    Ready,
    /// No: it asked to be left alone.
    CoolingDown,
    /// No: its key is missing.
    KeyMissing,
}

/// What came of asking a provider for its models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProviderCheck {
    /// Whether it answered as it should.
    pub reachable: bool,
    /// How long that took.
    pub duration_ms: u64,
    /// How many models it has, when it said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub models: Option<u64>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AttemptError>,
}

/// The answer of `ask`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AskAnswer {
    /// `model.ask`
    pub action: String,
    /// The model that answered, as it is configured.
    pub model: String,
    /// The model that answered, as the provider names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_model: Option<String>,
    /// The id of the request: what the provider's support asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The id of the response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_id: Option<String>,
    /// What it said.
    pub text: String,
    /// What it thought, where that may be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Why it does not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Why it ended: `end_turn`, `max_tokens`, `refusal` …
    pub stop: String,
    /// What the provider called that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_stop: Option<String>,
    /// What it used.
    pub usage: UsageRow,
    /// What it cost, in millionths of a dollar, rounded up; absent when no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_micro_usd: Option<u64>,
    /// Models that were tried or skipped before this one.
    pub attempts: Vec<AttemptRow>,
}

/// Tokens of one answer. The three kinds of input do not overlap; reasoning is a part of the output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageRow {
    /// Input that was neither read from nor written to a cache.
    pub input_tokens: u64,
    /// Input read from a cache.
    pub cache_read_tokens: u64,
    /// Input written to a cache.
    pub cache_write_tokens: u64,
    /// Output, reasoning included.
    pub output_tokens: u64,
    /// The part of the output that was reasoning.
    pub reasoning_tokens: u64,
}

/// One model that did not answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttemptRow {
    /// The model.
    pub model: String,
    /// Until when it is skipped, when it was not even asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cooling_until: Option<String>,
    /// What went wrong, when it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<AttemptError>,
}

/// Why a model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttemptError {
    /// `authentication`, `rate_limit`, `model`, `context_length`, `timeout`, `unavailable`, `overloaded` or `unknown`.
    pub kind: String,
    /// The provider's code, or one of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The HTTP status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// One line for a person.
    pub message: String,
    /// When to try again, if the provider said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// The id of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}
