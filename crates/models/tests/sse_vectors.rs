//! The vectors of the event stream standard: every one gives its events whole, byte by byte, and split at every offset.

#![expect(clippy::disallowed_methods, reason = "vectors are read from files")]
#![expect(clippy::unwrap_used, reason = "a vector that cannot be read fails the test")]

use std::fs;

use premath_models::sse::{SseDecoder, SseError, SseLimits};
use premath_testkit::test_data;
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    id: String,
    input_b64: String,
    events: Vec<Event>,
    retry_ms: Option<u64>,
    final_last_event_id: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Event {
    event: String,
    data: String,
    #[serde(rename = "lastEventId")]
    last_event_id: String,
}

fn decode<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<Event>, Option<u64>, String) {
    let mut decoder = SseDecoder::new(SseLimits::default());
    let mut events = Vec::new();
    for piece in pieces {
        let taken = decoder.push(piece, &mut |event| {
            events.push(Event {
                event: event.name.to_owned(),
                data: event.data.to_owned(),
                last_event_id: event.last_event_id.to_owned(),
            });
            Ok::<(), SseError>(())
        });
        taken.unwrap();
    }
    (events, decoder.retry_millis(), decoder.last_event_id().to_owned())
}

fn check(vector: &Vector, how: &str, pieces: &[&[u8]]) {
    let (events, retry, last_id) = decode(pieces.iter().copied());
    assert_eq!(events, vector.events, "{} {how}", vector.id);
    assert_eq!(retry, vector.retry_ms, "{} {how}", vector.id);
    if let Some(expected) = &vector.final_last_event_id {
        assert_eq!(&last_id, expected, "{} {how}", vector.id);
    }
}

#[test]
fn every_vector_holds_at_every_split() {
    let Some(folder) = test_data("sse/wpt") else { return };
    let text = fs::read_to_string(folder.join("sse-vectors.json")).unwrap();
    let Vectors { vectors } = serde_json::from_str(&text).unwrap();
    assert_eq!(vectors.len(), 24);
    for vector in &vectors {
        let input = from_base64(&vector.input_b64);
        check(vector, "byte by byte", &input.chunks(1).collect::<Vec<_>>());
        for first in 0..=input.len() {
            check(vector, &format!("split at {first}"), &[&input[..first], &input[first..]]);
            for second in (first..=input.len()).take(5) {
                let pieces = [&input[..first], &input[first..second], &input[second..]];
                check(vector, &format!("split at {first} and {second}"), &pieces);
            }
        }
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0u32, 0u32);
    for symbol in text.bytes().filter(|symbol| *symbol != b'=') {
        let value = ALPHABET.iter().position(|known| *known == symbol).unwrap();
        held = (held << 6) | u32::try_from(value).unwrap();
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((held >> bits) & 0xff).unwrap());
        }
    }
    bytes
}
