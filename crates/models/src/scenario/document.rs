//! The shape of a scenario file, as TOML has it. Everything keeps its place; nothing is checked beyond its type.

use serde::Deserialize;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScenarioDocument {
    pub(super) name: Spanned<String>,
    #[serde(default)]
    pub(super) turn: Vec<Spanned<TurnDocument>>,
    #[serde(default)]
    pub(super) conversation: Vec<Spanned<ConversationDocument>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ConversationDocument {
    pub(super) when: Spanned<WhenDocument>,
    #[serde(default)]
    pub(super) turn: Vec<Spanned<TurnDocument>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WhenDocument {
    pub(super) system_contains: Option<String>,
    pub(super) model: Option<String>,
    pub(super) asked_matches: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnDocument {
    pub(super) text: Option<String>,
    pub(super) reasoning: Option<String>,
    pub(super) refusal: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) call: Vec<Spanned<CallDocument>>,
    pub(super) stop: Option<Spanned<String>>,
    pub(super) usage: Option<UsageDocument>,
    pub(super) chunk: Option<Spanned<u64>>,
    pub(super) expect: Option<ExpectationDocument>,
    #[serde(default)]
    pub(super) fault: Vec<Spanned<FaultDocument>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallDocument {
    pub(super) id: Option<Spanned<String>>,
    pub(super) tool: Spanned<String>,
    pub(super) arguments: Option<Spanned<toml::Table>>,
    pub(super) arguments_raw: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UsageDocument {
    pub(super) input: Option<u64>,
    pub(super) output: Option<u64>,
    #[serde(default)]
    pub(super) cache_read: u64,
    #[serde(default)]
    pub(super) cache_write: u64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectationDocument {
    pub(super) user_contains: Option<String>,
    pub(super) system_contains: Option<String>,
    #[serde(default)]
    pub(super) tools_include: Vec<String>,
    #[serde(default)]
    pub(super) tools_exclude: Vec<String>,
    #[serde(default)]
    pub(super) tool_result: Vec<Spanned<ResultDocument>>,
    pub(super) messages: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResultDocument {
    pub(super) id: Option<String>,
    pub(super) contains: Option<String>,
    pub(super) outcome: Option<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FaultDocument {
    pub(super) kind: Spanned<String>,
    pub(super) times: Option<Spanned<u64>>,
    pub(super) always: Option<Spanned<bool>>,
    pub(super) retry_after: Option<Spanned<u64>>,
    pub(super) status: Option<Spanned<u64>>,
    pub(super) at_byte: Option<Spanned<u64>>,
    pub(super) at_event: Option<Spanned<u64>>,
    pub(super) after_byte: Option<Spanned<u64>>,
    pub(super) delay_ms: Option<Spanned<u64>>,
}
