//! Whether two requests are the same, and where they first differ. The order of members means nothing, spelling neither:
//! what is compared is canonical JSON.

use std::borrow::Cow;

use premath_kernel::{Value, encode};
use premath_wire::JsonPath;
use premath_wire::strict::{Limits, parse};

use super::document::RecordedRequest;

/// How much of a value a message repeats, in characters.
const ECHO: usize = 80;

/// What a request is known by.
pub(super) fn key(request: &RecordedRequest) -> Vec<u8> {
    let mut key = format!("{} {}\n", request.method, request.path).into_bytes();
    key.extend(encode(&body(request)));
    key
}

fn body(request: &RecordedRequest) -> Value<'_> {
    let Some(body) = &request.body else { return Value::Null };
    let read = parse(body.get().as_bytes(), Limits::default());
    // A cassette that somebody edited may hold what the strict decoder refuses; then it is compared as it is.
    read.unwrap_or_else(|_| Value::Text(Cow::Borrowed(body.get())))
}

/// Where the bodies of two requests first differ, in words.
pub(super) fn difference(recorded: &RecordedRequest, asked: &RecordedRequest) -> String {
    if (&recorded.method, &recorded.path) != (&asked.method, &asked.path) {
        let (was, is) =
            (format!("{} {}", recorded.method, recorded.path), format!("{} {}", asked.method, asked.path));
        return format!("recorded is `{was}`, asked for `{is}`");
    }
    let (recorded, asked) = (body(recorded), body(asked));
    match first(Some(&recorded), Some(&asked), JsonPath::root()) {
        Some((path, was, is)) => format!("differs at {path}: recorded `{was}`, asked for `{is}`"),
        None => "does not differ".to_owned(),
    }
}

fn first(
    recorded: Option<&Value<'_>>,
    asked: Option<&Value<'_>>,
    path: JsonPath,
) -> Option<(JsonPath, String, String)> {
    match (recorded, asked) {
        (Some(recorded), Some(asked)) if recorded == asked => None,
        (Some(Value::Array(recorded)), Some(Value::Array(asked))) => {
            let length = recorded.len().max(asked.len());
            (0..length)
                .find_map(|index| first(recorded.get(index), asked.get(index), path.clone().index(index)))
        }
        (Some(Value::Object(recorded)), Some(Value::Object(asked))) => {
            let names = recorded.iter().chain(asked.iter()).map(|(name, _)| name);
            let names: std::collections::BTreeSet<&str> = names.collect();
            names
                .into_iter()
                .find_map(|name| first(recorded.get(name), asked.get(name), path.clone().key(name)))
        }
        (recorded, asked) => Some((path, echo(recorded), echo(asked))),
    }
}

fn echo(value: Option<&Value<'_>>) -> String {
    let Some(value) = value else { return "nothing".to_owned() };
    let text = String::from_utf8_lossy(&encode(value)).into_owned();
    let mut characters = text.chars();
    let kept: String = characters.by_ref().take(ECHO).collect();
    if characters.next().is_some() { kept + "…" } else { kept }
}
