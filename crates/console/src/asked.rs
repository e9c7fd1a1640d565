//! One request, taken apart: what the address, the query and the body say.
//!
//! A body is JSON in which nothing is said twice, within the limits of its route and its time. It must not know what an
//! action means.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, StatusCode, header};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt as _;
use premath_wire::InputClass;
use premath_wire::strict::{Limits as Strict, parse};
use serde_json::{Map, Value};

use crate::failure::{Failure, Origin};
use crate::options::Limits;
use crate::plan::Plan;
use crate::route::Body as Takes;

/// The longest query that is looked at.
const LONGEST_QUERY: usize = 8_192;
/// The most parameters of one.
const MOST_PARAMETERS: usize = 64;

/// One request.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) plan: Arc<Plan>,
    /// What the address names.
    pub(crate) address: BTreeMap<String, String>,
    /// What the query says, in order.
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    /// What the body says; an empty object without one.
    pub(crate) body: Map<String, Value>,
    /// What ends the connection it came over.
    pub(crate) connection: Option<crate::connections::ConnectionEnd>,
}

impl Asked {
    /// Reads a request to its end.
    pub(crate) async fn read(
        plan: Arc<Plan>,
        address: Vec<(String, String)>,
        request: Request,
        limits: &Limits,
    ) -> Result<Self, Failure> {
        let (head, body) = request.into_parts();
        let query = query(head.uri.query().unwrap_or_default())?;
        let most = if plan.route.is_chat { limits.chat_bytes } else { limits.body_bytes };
        let is_read = head.method == Method::GET || head.method == Method::HEAD;
        let bytes = if is_read {
            Bytes::new()
        } else {
            refuse_declared(&head.headers, most)?;
            received(body, most, limits.body).await?
        };
        let body = if bytes.trim_ascii().is_empty() { Map::new() } else { object(&bytes, &head.headers)? };
        // An object that says nothing is as good as none.
        if matches!(plan.route.body, Takes::Nothing) && !body.is_empty() {
            return Err(Failure::new(StatusCode::BAD_REQUEST, "body_unexpected", "this takes no body"));
        }
        let connection = head.extensions.get().cloned();
        Ok(Self {
            plan,
            address: address.into_iter().collect(),
            query,
            headers: head.headers,
            body,
            connection,
        })
    }

    /// One parameter of the query that is no argument.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// What the address names, by the name of the parameter.
    pub(crate) fn named(&self, name: &str) -> &str {
        self.address.get(name).map_or("", String::as_str)
    }

    /// The arguments of the action that the request asks for.
    pub(crate) fn arguments(&self) -> Result<Map<String, Value>, Failure> {
        let mut arguments = self.plan.of_query(&self.query)?;
        let members = self.plan.members();
        for (name, value) in &self.body {
            if members.iter().all(|(known, _)| known != name) {
                let name: String = name.chars().take(64).flat_map(char::escape_debug).collect();
                return Err(unusable(InputClass::FieldInvalid, &format!("$.{name}"), "unknown field"));
            }
            arguments.insert(name.clone(), value.clone());
        }
        for (name, _) in members.iter().filter(|(_, is_needed)| *is_needed) {
            if matches!(self.body.get(name), None | Some(Value::Null)) {
                return Err(unusable(InputClass::FieldMissing, &format!("$.{name}"), "missing field"));
            }
        }
        for (parameter, argument) in self.plan.route.address_pairs() {
            arguments.insert(argument.to_owned(), Value::String(self.named(parameter).to_owned()));
        }
        Ok(arguments)
    }
}

/// A member of a body that is well formed and means nothing.
pub(crate) fn unusable(class: InputClass, path: &str, what: &str) -> Failure {
    Failure::field(StatusCode::UNPROCESSABLE_ENTITY, class, path, what)
}

/// Refuses a body that is too large by what its head says, before any of it is read.
fn refuse_declared(headers: &HeaderMap, most: usize) -> Result<(), Failure> {
    let declared =
        headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    let is_too_large = declared.is_some_and(|length| length > u64::try_from(most).unwrap_or(u64::MAX));
    if is_too_large { Err(Failure::too_large(most)) } else { Ok(()) }
}

/// The whole body, if it comes in time and is not too large.
async fn received(body: Body, most: usize, patience: Duration) -> Result<Bytes, Failure> {
    let receiving = async {
        let mut whole = BytesMut::new();
        let mut pieces = body.into_data_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|_| {
                Failure::new(StatusCode::BAD_REQUEST, "body_broken_off", "the body broke off")
            })?;
            if whole.len().saturating_add(piece.len()) > most {
                return Err(Failure::too_large(most));
            }
            whole.extend_from_slice(&piece);
        }
        Ok(whole.freeze())
    };
    let late = || Failure::new(StatusCode::REQUEST_TIMEOUT, "body_too_slow", "the body took too long");
    tokio::time::timeout(patience, receiving).await.map_err(|_| late())?
}

fn object(bytes: &[u8], headers: &HeaderMap) -> Result<Map<String, Value>, Failure> {
    let media = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    if !media.eq_ignore_ascii_case("application/json") {
        let what = "a body is JSON here, and says so";
        return Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media_type_unsupported", what)
            .hinting("send `Content-Type: application/json`"));
    }
    let strict =
        parse(bytes, Strict::default()).map_err(|error| Failure::input(&error, Origin::default()))?;
    if strict.as_object().is_none() {
        return Err(unusable(InputClass::FieldInvalid, "$", "expected an object"));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        Failure::field(StatusCode::BAD_REQUEST, InputClass::JsonInvalid, "$", &error.to_string())
    })
}

/// A query, taken apart.
fn query(text: &str) -> Result<Vec<(String, String)>, Failure> {
    let wrong = |what: &str| Failure::field(StatusCode::BAD_REQUEST, InputClass::FieldInvalid, "$", what);
    if text.len() > LONGEST_QUERY {
        return Err(wrong("the query is too long"));
    }
    let mut pairs = Vec::new();
    for pair in text.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let read = decoded(name).zip(decoded(value));
        pairs.push(read.ok_or_else(|| wrong("the query is no UTF-8 text"))?);
        if pairs.len() > MOST_PARAMETERS {
            return Err(wrong("the query has too many parameters"));
        }
    }
    Ok(pairs)
}

/// A text as it stands in a query: percent signs and two hexadecimal digits stand for a byte, a plus for a space.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit =
                    |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
                high * 16 + low
            }
            b'+' => b' ',
            plain => plain,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
