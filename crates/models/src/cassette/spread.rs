//! A secret that an answer repeats in pieces, a few characters an event: no piece of the body holds it, but whoever puts
//! the texts together has it. It is only found here; it cannot be blotted out where it is spread.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::secret::needle::{Needle, ranges};
use crate::sse::{SseDecoder, SseError, SseLimits};

/// Whether the texts of a stream, each put together over all its events, hold a secret. A body that is no stream of JSON
/// has no such texts.
pub(super) fn is_spread(needles: &[Needle], body: &[u8]) -> bool {
    let mut texts = BTreeMap::new();
    let mut decoder = SseDecoder::new(SseLimits::default());
    let read = decoder.push::<SseError>(body, &mut |event| {
        if let Ok(value) = serde_json::from_str::<Value>(event.data) {
            let mut numbers = String::new();
            indexes(&value, &mut numbers);
            collect(&value, &mut numbers, &mut texts);
        }
        Ok(())
    });
    // What is beyond the limits of a stream was not read as one by anybody else either.
    read.is_ok() && texts.values().any(|text| !ranges(needles, text.as_bytes()).is_empty())
}

/// Which part of an answer an event belongs to: texts of different parts come by turns.
fn indexes(value: &Value, numbers: &mut String) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if let Value::Number(number) = member
                    && name.ends_with("index")
                {
                    numbers.push_str(&format!("{name}={number};"));
                }
                indexes(member, numbers);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| indexes(item, numbers)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Adds every text to the one that stood at the same place in the events before.
fn collect(value: &Value, place: &mut String, texts: &mut BTreeMap<String, String>) {
    let length = place.len();
    match value {
        Value::String(text) => texts.entry(place.clone()).or_default().push_str(text),
        Value::Object(members) => {
            for (name, member) in members {
                place.push('/');
                place.push_str(name);
                collect(member, place, texts);
                place.truncate(length);
            }
        }
        Value::Array(items) => {
            for item in items {
                place.push_str("/-");
                collect(item, place, texts);
                place.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
