//! Whether a provider can be reached and takes the key, without paying for an answer: it is asked which models it has.

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use premath_tusk::model::{ModelError, ModelErrorKind};
use serde::Deserialize;
use tokio::time::timeout;

use super::ProviderConfig;
use super::wire_model::{accepted, content_type, unexpected};
use crate::error_kinds::{bounded, one_line, request_id};
use crate::secret::ApiKey;
use crate::transport::{ByteStream, Method, Transport, WireRequest, WireResponse};

/// How much of a list of models is read.
const LONGEST_LIST: usize = 8 * 1024 * 1024;
/// How long all of it may take.
const LONGEST_CHECK: Duration = Duration::from_secs(15);

/// A provider that answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reachable {
    /// The id of the request.
    pub request_id: Option<String>,
    /// The models of the first page, sorted.
    pub models: Vec<String>,
}

#[derive(Deserialize)]
struct List {
    data: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
}

/// Asks a provider for its models.
///
/// # Errors
/// What an answer of a model would fail with, `check_timeout` when it takes too long, however lively, and
/// `list_malformed` or `unexpected_content_type` when what answers is no provider of models.
pub async fn check(config: &ProviderConfig, transport: &dyn Transport) -> Result<Reachable, ModelError> {
    let mut request = WireRequest {
        method: Method::Get,
        url: config.url("/v1/models"),
        headers: vec![("accept".to_owned(), "application/json".to_owned())],
        secret_headers: Vec::new(),
        body: Bytes::new(),
    };
    config.sign(&mut request);
    let asked = timeout(LONGEST_CHECK, ask(config.key.as_ref(), &request, transport)).await;
    asked.unwrap_or_else(|_| Err(check_timeout())).map_err(|error| config.presentable(error))
}

async fn ask(
    key: Option<&ApiKey>,
    request: &WireRequest,
    transport: &dyn Transport,
) -> Result<Reachable, ModelError> {
    let mut response = accepted(transport.send(request).await?, key).await?;
    let body = whole(&mut response.body).await?;
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&body);
    let Ok(List { data }) = serde_json::from_slice::<List>(body) else { return Err(no_list(&response)) };
    let shown = |text: &str| {
        let text = one_line(text);
        bounded(key.map_or_else(|| text.clone(), |key| key.scrub(&text)))
    };
    let mut models: Vec<String> = data.iter().map(|entry| shown(&entry.id)).collect();
    models.sort_unstable();
    Ok(Reachable { request_id: request_id(&response.headers).map(|id| shown(&id)), models })
}

/// All of a body; that it broke, stalled or has no end is what is wrong with it, and not its form.
async fn whole(body: &mut ByteStream) -> Result<Vec<u8>, ModelError> {
    let mut bytes = Vec::new();
    while let Some(piece) = body.next().await {
        bytes.extend_from_slice(&piece?);
        if bytes.len() > LONGEST_LIST {
            let message = format!("the list of models is longer than {LONGEST_LIST} bytes");
            return Err(ModelError::new(ModelErrorKind::Unknown, "too_large", message));
        }
    }
    Ok(bytes)
}

fn no_list(response: &WireResponse) -> ModelError {
    let kind = content_type(response);
    if kind.is_empty() || kind == "application/json" || kind.ends_with("+json") {
        let message = "the provider answered, but not with a list of models".to_owned();
        return unexpected(response, "list_malformed", message);
    }
    let message = format!("the list of models is of type `{kind}`: is the base address right?");
    unexpected(response, "unexpected_content_type", message)
}

fn check_timeout() -> ModelError {
    let message = format!("the provider did not list its models within {} seconds", LONGEST_CHECK.as_secs());
    ModelError::new(ModelErrorKind::Timeout, "check_timeout", message)
}
