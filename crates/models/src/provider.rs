//! Providers as they are configured, and the models they become. One adapter for all: what differs is the protocol that
//! writes the body and reads the answer. It must not read the environment or a file, and must not choose a model.

pub(crate) mod answer;
pub(crate) mod arguments;
pub(crate) mod count;
#[cfg(test)]
pub(crate) mod decoded;
pub(crate) mod encode;
pub(crate) mod json;
mod probe;
mod redaction;
mod stream;
#[cfg(test)]
mod tests;
mod wire_model;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use premath_tusk::model::{Model, ModelError};

pub use answer::{AnswerDecoder, AnswerLimits};
pub use probe::{Reachable, check};

use self::wire_model::WireModel;
use crate::anthropic;
use crate::error_kinds::{bounded, one_line, presentable};
use crate::secret::ApiKey;
use crate::transport::{Transport, WireRequest};

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protocol {
    /// Anthropic Messages.
    AnthropicMessages,
    /// OpenAI Responses.
    OpenaiResponses,
    /// OpenAI Chat Completions, and the many servers that are compatible with it.
    OpenaiChat,
}

impl Protocol {
    /// Every protocol.
    pub const ALL: [Self; 3] = [Self::AnthropicMessages, Self::OpenaiResponses, Self::OpenaiChat];

    /// The name that configurations use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AnthropicMessages => "anthropic-messages",
            Self::OpenaiResponses => "openai-responses",
            Self::OpenaiChat => "openai-chat",
        }
    }

    /// Where requests go, behind the base address.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::AnthropicMessages => "/v1/messages",
            Self::OpenaiResponses => "/v1/responses",
            Self::OpenaiChat => "/v1/chat/completions",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A name that is none of a protocol, on one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no protocol: expected `anthropic-messages`, `openai-responses` or `openai-chat`")]
pub struct UnknownProtocol {
    /// The name.
    pub name: String,
}

impl FromStr for Protocol {
    type Err = UnknownProtocol;

    fn from_str(name: &str) -> Result<Self, UnknownProtocol> {
        let found = Self::ALL.into_iter().find(|protocol| protocol.as_str() == name);
        found.ok_or_else(|| UnknownProtocol { name: bounded(one_line(name)) })
    }
}

/// A provider. Its key goes into a secret header and nowhere else.
#[derive(Debug, Clone)]
pub struct ProviderConfig {
    /// Its name: the first half of a model's reference.
    pub name: String,
    /// How it is spoken to.
    pub protocol: Protocol,
    /// Where it is, such as `https://api.anthropic.com`; with or without `/v1` at its end.
    pub base_url: String,
    /// The key; servers on the same machine often want none.
    pub key: Option<ApiKey>,
    /// Headers to send beside our own. Not for secrets.
    pub headers: Vec<(String, String)>,
}

impl ProviderConfig {
    /// The whole address of a path that begins with `/v1`.
    pub(crate) fn url(&self, path: &str) -> String {
        let base = self.base_url.trim_end_matches('/');
        let base = base.strip_suffix("/v1").unwrap_or(base).trim_end_matches('/');
        format!("{base}{path}")
    }

    /// Adds the headers that every request to this provider has.
    pub(crate) fn sign(&self, request: &mut WireRequest) {
        if self.protocol == Protocol::AnthropicMessages {
            request.headers.push(("anthropic-version".to_owned(), anthropic::VERSION.to_owned()));
        }
        let own = self.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone()));
        request.headers.extend(own);
        if let Some(key) = &self.key {
            request.secret_headers.push(match self.protocol {
                Protocol::AnthropicMessages => ("x-api-key".to_owned(), key.reveal().to_owned()),
                Protocol::OpenaiResponses | Protocol::OpenaiChat => {
                    ("authorization".to_owned(), format!("Bearer {}", key.reveal()))
                }
            });
        }
    }

    /// The error as it may be shown: without the key in it.
    pub(crate) fn presentable(&self, error: ModelError) -> ModelError {
        presentable(error, self.key.as_ref())
    }
}

/// One model of a provider, behind a transport. Its reference is `provider:model`.
#[must_use]
pub fn model(
    config: ProviderConfig,
    model_name: &str,
    transport: Arc<dyn Transport>,
    limits: AnswerLimits,
) -> Arc<dyn Model> {
    Arc::new(WireModel::new(config, model_name, transport, limits))
}
