//! A model behind a transport: request out, head of the answer in, the rest as a stream. It must not retry.

use std::sync::Arc;

use futures_util::StreamExt;
use premath_tusk::model::{
    Delivery, Model, ModelError, ModelErrorKind, ModelRequest, PortFuture, ResponseStream,
};

use super::answer::{AnswerDecoder, AnswerLimits};
use super::stream::AnswerStream;
use super::{Protocol, ProviderConfig};
use crate::error_kinds::{refused, request_id};
use crate::openai_chat::LengthField;
use crate::transport::{ByteStream, Method, Transport, WireRequest, WireResponse};
use crate::{anthropic, openai_chat, openai_responses};

/// How much of a refusal is read.
const LONGEST_REFUSAL: usize = 64 * 1024;

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
        let response = accepted(response).await?;
        let delivery = delivery(&response, request.delivery)?;
        let request_id = request_id(&response.headers);
        let decoder = AnswerDecoder::new(self.config.protocol, delivery, request_id, self.limits);
        Ok(Box::pin(AnswerStream::new(response.body, decoder, self.config.key.clone())))
    }
}

impl Model for WireModel {
    fn reference(&self) -> &str {
        &self.reference
    }

    fn start<'a>(&'a self, request: &'a ModelRequest) -> PortFuture<'a, Result<ResponseStream, ModelError>> {
        Box::pin(async move { self.exchange(request).await.map_err(|error| self.config.scrub(error)) })
    }
}

/// The answer, unless its status refuses.
pub(super) async fn accepted(response: WireResponse) -> Result<WireResponse, ModelError> {
    let WireResponse { status, headers, body } = response;
    if (200..300).contains(&status) {
        return Ok(WireResponse { status, headers, body });
    }
    // What can be read of the body explains; that it cannot be read changes nothing about the refusal.
    let body = beginning(body, LONGEST_REFUSAL).await;
    Err(refused(status, &headers, &body))
}

/// What comes of a body before it ends, breaks, or is longer than anybody wants to read.
pub(super) async fn beginning(mut body: ByteStream, most: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(Ok(piece)) = body.next().await {
        bytes.extend_from_slice(&piece);
        if bytes.len() >= most {
            bytes.truncate(most);
            break;
        }
    }
    bytes
}

/// How the answer comes, which is not always how it was asked for: some servers cannot stream.
fn delivery(response: &WireResponse, asked: Delivery) -> Result<Delivery, ModelError> {
    let kind = response.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "text/event-stream" => Ok(Delivery::Streamed),
        "application/json" => Ok(Delivery::Whole),
        "text/html" => {
            let message = "the answer is a web page: is the base address right?";
            let mut error = ModelError::new(ModelErrorKind::Unknown, "unexpected_content_type", message);
            error.status = Some(response.status);
            Err(error)
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
