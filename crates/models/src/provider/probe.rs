//! Whether a provider can be reached and takes the key, without paying for an answer: it is asked which models it has.

use bytes::Bytes;
use premath_tusk::model::{ModelError, ModelErrorKind};
use serde::Deserialize;

use super::ProviderConfig;
use super::wire_model::{accepted, beginning};
use crate::error_kinds::request_id;
use crate::transport::{Method, Transport, WireRequest};

/// How much of a list of models is read.
const LONGEST_LIST: usize = 8 * 1024 * 1024;

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
/// What an answer of a model would fail with, and `list_malformed` when what answers is no provider of models.
pub async fn check(config: &ProviderConfig, transport: &dyn Transport) -> Result<Reachable, ModelError> {
    let mut request = WireRequest {
        method: Method::Get,
        url: config.url("/v1/models"),
        headers: vec![("accept".to_owned(), "application/json".to_owned())],
        secret_headers: Vec::new(),
        body: Bytes::new(),
    };
    config.sign(&mut request);
    ask(&request, transport).await.map_err(|error| config.scrub(error))
}

async fn ask(request: &WireRequest, transport: &dyn Transport) -> Result<Reachable, ModelError> {
    let response = accepted(transport.send(request).await?).await?;
    let request_id = request_id(&response.headers);
    let body = beginning(response.body, LONGEST_LIST).await;
    let Ok(List { data }) = serde_json::from_slice::<List>(&body) else {
        let message = "the provider answered, but not with a list of models";
        return Err(ModelError::new(ModelErrorKind::Unknown, "list_malformed", message));
    };
    let mut models: Vec<String> = data.into_iter().map(|entry| entry.id).collect();
    models.sort_unstable();
    Ok(Reachable { request_id, models })
}
