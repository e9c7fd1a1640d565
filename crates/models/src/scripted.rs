//! A model that follows a script: a scenario answers requests of three protocols, as their servers would.
//!
//! The engine does no I/O; the transport here answers adapters in memory, and `server` answers anybody on loopback.
//! It must not repair a request or an answer: what a scenario breaks stays broken.

mod answer;
mod body;
mod chat;
mod expect;
mod messages;
mod openai;
mod reply;
mod responses;
mod route;
mod script;
mod shown;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::unfold;
use premath_tusk::model::{Model, ModelError, ModelErrorKind};

pub use answer::Served;
pub(crate) use answer::{Caller, Ending, HttpAnswer, HttpRequest, answer, too_large};

pub use reply::{Failure, FailureKind, ReplyOutcome, ScriptedReply, Spoken, SpokenUsage};
pub use script::Script;
pub use shown::{AnswerForm, ShownCall, ShownMessage, ShownPart, ShownRequest};

use crate::provider::{AnswerLimits, Protocol, ProviderConfig, model};
use crate::transport::{ByteStream, Transport, TransportFuture, WireRequest, WireResponse};

/// A transport that answers from a script, in memory. Only the path of an address matters.
#[derive(Debug, Clone)]
pub struct ScriptedTransport {
    script: Arc<Script>,
    idle: Option<Duration>,
}

impl ScriptedTransport {
    /// A transport over a script. A stall lasts for ever: it is the caller who gives up.
    #[must_use]
    pub fn new(script: Arc<Script>) -> Self {
        Self { script, idle: None }
    }

    /// The same, with a stall ending after so long as one over HTTP does.
    #[must_use]
    pub fn with_idle_timeout(self, idle: Duration) -> Self {
        Self { idle: Some(idle), ..self }
    }
}

impl Transport for ScriptedTransport {
    fn send<'a>(&'a self, request: &'a WireRequest) -> TransportFuture<'a> {
        Box::pin(async move {
            let known = request.headers.iter().any(|(name, _)| name == "anthropic-version");
            let asked = HttpRequest {
                method: request.method.as_str(),
                path: path_of(&request.url),
                caller: if known { Caller::Anthropic } else { Caller::Other },
                body: &request.body,
            };
            let answer = answer(&self.script, asked);
            Ok(WireResponse {
                status: answer.served.status,
                headers: answer
                    .headers
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), value.clone()))
                    .collect(),
                body: body(answer, self.idle),
            })
        })
    }
}

/// The model of a script: the adapter of Anthropic Messages over it. Its reference is `scripted:` and the name, which is
/// also the model that conversations may be bound to.
#[must_use]
pub fn scripted_model(transport: ScriptedTransport, name: &str) -> Arc<dyn Model> {
    let config = ProviderConfig {
        name: "scripted".to_owned(),
        protocol: Protocol::AnthropicMessages,
        base_url: "http://localhost".to_owned(),
        key: None,
        headers: Vec::new(),
    };
    model(config, name, Arc::new(transport), AnswerLimits::default())
}

/// The path of an address, without what comes before and after it.
pub(crate) fn path_of(url: &str) -> &str {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = after_scheme.find('/').and_then(|slash| after_scheme.get(slash..)).unwrap_or("/");
    path.split(['?', '#']).next().unwrap_or(path)
}

struct Sending {
    pieces: std::vec::IntoIter<Bytes>,
    delay: Duration,
    ending: Ending,
    idle: Option<Duration>,
}

fn body(answer: HttpAnswer, idle: Option<Duration>) -> ByteStream {
    let HttpAnswer { pieces, delay, ending, .. } = answer;
    let sending = Sending { pieces: pieces.into_iter(), delay, ending, idle };
    let pieces = unfold(Some(sending), |sending| async move {
        let mut sending = sending?;
        if let Some(piece) = sending.pieces.next() {
            if !sending.delay.is_zero() {
                tokio::time::sleep(sending.delay).await;
            }
            return Some((Ok(piece), Some(sending)));
        }
        Some((Err(failed_end(sending.ending, sending.idle).await?), None))
    });
    // A reader may look once more behind the end, as one that gives a connection back does.
    Box::pin(pieces.fuse())
}

/// What a peer sees at the end, as the transport over HTTP would say it.
async fn failed_end(ending: Ending, idle: Option<Duration>) -> Option<ModelError> {
    match ending {
        Ending::Complete => None,
        Ending::Cut => {
            let message = "the connection broke before the answer was complete";
            Some(ModelError::new(ModelErrorKind::Unavailable, "stream_cut", message))
        }
        Ending::Stalled => {
            match idle {
                Some(idle) => tokio::time::sleep(idle).await,
                None => std::future::pending().await,
            }
            let message = "nothing more came in time";
            Some(ModelError::new(ModelErrorKind::Timeout, "idle_timeout", message))
        }
    }
}
