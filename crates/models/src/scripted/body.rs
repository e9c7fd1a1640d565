//! Reading request bodies and framing events: what the protocols share.
//!
//! Requests come from anybody's client. What a protocol does not name is passed over; what it needs and is not there is
//! an error that names the field.

use serde_json::{Map, Value};

use super::reply::Failure;

/// One event of a stream, as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    event: Option<&'static str>,
    data: String,
}

impl Frame {
    /// An event with a name, as Messages and Responses send them: the name is the type of the data.
    pub(super) fn named(event: &'static str, data: &Value) -> Self {
        Self { event: Some(event), data: data.to_string() }
    }

    /// An event without a name.
    pub(super) fn plain(data: impl Into<String>) -> Self {
        Self { event: None, data: data.into() }
    }

    /// Whether its data is JSON.
    pub(super) fn is_json(&self) -> bool {
        self.data.starts_with('{')
    }

    /// Breaks its JSON.
    pub(super) fn break_json(&mut self) {
        self.data.pop();
    }

    /// The bytes.
    pub(super) fn text(&self) -> String {
        let name = self.event.map_or_else(String::new, |event| format!("event: {event}\n"));
        format!("{name}data: {}\n\n", self.data)
    }
}

/// The text in pieces of so many characters; none of an empty text.
pub(super) fn pieces(text: &str, chunk: usize) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(chunk.max(1)).map(|piece| piece.iter().collect()).collect()
}

/// The body as an object.
pub(super) fn object(body: &[u8]) -> Result<Map<String, Value>, Failure> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Failure::bad_request("the body is not a JSON object")),
        Err(error) => Err(Failure::bad_request(format!("the body is not valid JSON: {error}"))),
    }
}

/// A text that must be there.
pub(super) fn need_text(object: &Map<String, Value>, name: &str) -> Result<String, Failure> {
    match object.get(name) {
        Some(Value::String(text)) if !text.is_empty() => Ok(text.clone()),
        Some(_) => Err(Failure::bad_request(format!("{name}: must be a text"))),
        None => Err(Failure::bad_request(format!("{name}: field required"))),
    }
}

/// A list that must be there, and hold something.
pub(super) fn need_list<'a>(object: &'a Map<String, Value>, name: &str) -> Result<&'a [Value], Failure> {
    match object.get(name) {
        Some(Value::Array(items)) if !items.is_empty() => Ok(items),
        Some(_) => Err(Failure::bad_request(format!("{name}: must be a list that holds something"))),
        None => Err(Failure::bad_request(format!("{name}: field required"))),
    }
}

/// Whether a field is `true`.
pub(super) fn flag(object: &Map<String, Value>, name: &str) -> bool {
    object.get(name).and_then(Value::as_bool).unwrap_or_default()
}

/// A text of a value, or nothing.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A list of a value, or nothing.
pub(super) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Content that is a text or a list of parts with texts.
pub(super) fn content_text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().map(|part| text(part, "text")).collect::<Vec<_>>().join("\n")
        }
        Some(_) | None => String::new(),
    }
}
