//! A model behind a transport: request out, head of the answer in, the rest as a stream. It must not retry.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use premath_tusk::model::{
    Delivery, Model, ModelError, ModelErrorKind, ModelRequest, PortFuture, ResponseStream,
};
use tokio::time::{sleep, timeout};

use super::answer::{AnswerDecoder, AnswerLimits};
use super::stream::AnswerStream;
use super::{Protocol, ProviderConfig};
use crate::error_kinds::{refused, request_id};
use crate::openai_chat::LengthField;
use crate::secret::ApiKey;
use crate::transport::{ByteStream, Method, Transport, WireRequest, WireResponse};
use crate::{anthropic, openai_chat, openai_responses};

/// How much of a refusal is read.
const LONGEST_REFUSAL: usize = 64 * 1024;
/// And for how long: its status has said what matters.
const LONGEST_WAIT_FOR_REFUSAL: Duration = Duration::from_secs(5);

/// One model of one provider.
#[derive(Debug)]
pub(super) struct WireModel {
    reference: String,
    model: String,
    config: ProviderConfig,
    transport: Arc<dyn Transport>,
    limits: AnswerLimits,
}

impl WireModel {
    pub(super) fn new(
        config: ProviderConfig,
        model: &str,
        transport: Arc<dyn Transport>,
        limits: AnswerLimits,
    ) -> Self {
        let reference = format!("{}:{model}", config.name);
        Self { reference, model: model.to_owned(), config, transport, limits }
    }

    fn wire_request(&self, request: &ModelRequest) -> Result<WireRequest, ModelError> {
        let body = match self.config.protocol {
            Protocol::AnthropicMessages => anthropic::body(&self.model, request)?,
            Protocol::OpenaiResponses => openai_responses::body(&self.model, request)?,
            Protocol::OpenaiChat => {
                openai_chat::body(&self.model, request, length_field(&self.config.base_url))?
            }
        };
        let accept = match request.delivery {
            Delivery::Streamed => "text/event-stream",
            Delivery::Whole => "application/json",
        };
        let mut wire = WireRequest {
            method: Method::Post,
            url: self.config.url(self.config.protocol.path()),
            headers: vec![
                ("accept".to_owned(), accept.to_owned()),
                ("content-type".to_owned(), "application/json".to_owned()),
            ],
            secret_headers: Vec::new(),
            body: body.into(),
        };
        self.config.sign(&mut wire);
        Ok(wire)
    }

    async fn exchange(&self, request: &ModelRequest) -> Result<ResponseStream, ModelError> {
        let wire = self.wire_request(request)?;
        let response = self.transport.send(&wire).await?;
        let response = accepted(response, self.config.key.as_ref()).await?;
        let delivery = delivery(&response, request.delivery)?;
        let request_id = request_id(&response.headers);
        let decoder = AnswerDecoder::new(self.config.protocol, delivery, request_id, self.limits);
        let decoder = decoder.hiding(self.config.key.clone());
        let patience = self.transport.first_event_timeout().map(|wait| Box::pin(sleep(wait)));
        Ok(Box::pin(AnswerStream::new(response.body, decoder, patience)))
    }
}

impl Model for WireModel {
    fn reference(&self) -> &str {
        &self.reference
    }

    fn start<'a>(&'a self, request: &'a ModelRequest) -> PortFuture<'a, Result<ResponseStream, ModelError>> {
        Box::pin(async move { self.exchange(request).await.map_err(|error| self.config.presentable(error)) })
    }
}

/// The answer, unless its status refuses or it comes in a form nobody asked for.
pub(super) async fn accepted(
    response: WireResponse,
    key: Option<&ApiKey>,
) -> Result<WireResponse, ModelError> {
    if (200..300).contains(&response.status) {
        return match encoding(&response) {
            None => Ok(response),
            Some(encoding) => {
                let message = format!("the answer is encoded as `{encoding}`, which was not asked for");
                Err(unexpected(&response, "unexpected_content_encoding", message))
            }
        };
    }
    // What can be read of the body in time explains; that it cannot be read changes nothing about the refusal.
    let WireResponse { status, headers, body } = response;
    Err(refused(status, &headers, &beginning(body).await, key))
}

fn encoding(response: &WireResponse) -> Option<&str> {
    let encoding = response.header("content-encoding")?.trim();
    let is_plain = encoding.is_empty() || encoding.eq_ignore_ascii_case("identity");
    (!is_plain).then_some(encoding)
}

/// An answer that is not in the form it should have.
pub(super) fn unexpected(response: &WireResponse, code: &str, message: String) -> ModelError {
    let mut error = ModelError::new(ModelErrorKind::Unknown, code, message);
    error.status = Some(response.status);
    error.request_id = request_id(&response.headers);
    error
}

/// What comes of a refusal before it ends, breaks, takes too long, or is longer than anybody wants to read.
async fn beginning(mut body: ByteStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let reading = async {
        while let Some(Ok(piece)) = body.next().await {
            bytes.extend_from_slice(&piece);
            if bytes.len() >= LONGEST_REFUSAL {
                break;
            }
        }
    };
    let _is_late = timeout(LONGEST_WAIT_FOR_REFUSAL, reading).await.is_err();
    bytes.truncate(LONGEST_REFUSAL);
    bytes
}

/// What the answer says it is, without what it says about that.
pub(super) fn content_type(response: &WireResponse) -> String {
    let kind = response.header("content-type").unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// How the answer comes, which is not always how it was asked for: some servers cannot stream.
fn delivery(response: &WireResponse, asked: Delivery) -> Result<Delivery, ModelError> {
    match content_type(response).as_str() {
        "text/event-stream" => Ok(Delivery::Streamed),
        "application/json" => Ok(Delivery::Whole),
        "text/html" => {
            let message = "the answer is a web page: is the base address right?".to_owned();
            Err(unexpected(response, "unexpected_content_type", message))
        }
        _ => Ok(asked),
    }
}

/// OpenAI itself wants the new name; everybody else knows the old one.
fn length_field(base_url: &str) -> LengthField {
    let host = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
    let host = host.split(['/', ':']).next().unwrap_or_default();
    let is_openai = ["openai.com", "openai.azure.com"].iter().any(|domain| {
        host.strip_suffix(domain).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    });
    if is_openai { LengthField::MaxCompletionTokens } else { LengthField::MaxTokens }
}
