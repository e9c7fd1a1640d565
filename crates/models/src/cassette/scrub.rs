//! What is left of a request and an answer when everything secret is gone. Nothing is kept that did not pass here.

use std::collections::BTreeMap;

use bytes::Bytes;
use premath_wire::strict::{Limits, parse};
use serde_json::value::RawValue;

use super::document::{Piece, RecordedRequest};
use super::spread::is_spread;
use crate::scripted::path_of;
use crate::secret::SCRUBBED;
use crate::secret::needle::{Needle, ranges, scrubbed};
use crate::transport::WireRequest;

/// Headers worth keeping. Whatever is not here may be a cookie, a token or an organisation.
const KEPT_HEADERS: [&str; 9] = [
    "accept",
    "anthropic-beta",
    "anthropic-version",
    "content-type",
    "openai-beta",
    "request-id",
    "retry-after",
    "retry-after-ms",
    "x-request-id",
];

/// The texts that must not be kept.
#[derive(Clone)]
pub(super) struct Secrets {
    /// Longest first, so that a text is not left half.
    needles: Vec<Needle>,
}

impl Secrets {
    /// What the secret headers of a request hold, with and without the scheme before it.
    pub(super) fn of(request: &WireRequest) -> Self {
        let values = request.secret_headers.iter();
        let texts =
            values.flat_map(|(_, value)| [value.trim(), value.split_whitespace().last().unwrap_or("")]);
        let mut needles: Vec<Needle> = texts.filter_map(Needle::new).collect();
        needles.sort_by_key(|needle| std::cmp::Reverse(needle.len()));
        Self { needles }
    }

    /// A text without them.
    pub(super) fn text(&self, text: &str) -> String {
        scrubbed(&self.needles, text)
    }

    /// The headers that may be kept.
    pub(super) fn headers(&self, headers: &[(String, String)]) -> BTreeMap<String, String> {
        let kept = headers.iter().filter(|(name, _)| KEPT_HEADERS.contains(&name.as_str()));
        kept.map(|(name, value)| (name.clone(), self.text(value))).collect()
    }

    /// The pieces of a body. A secret may begin in one piece and end in another; what stands for it is where it began.
    pub(super) fn pieces(&self, pieces: &[Bytes]) -> Vec<Piece> {
        let hidden = ranges(&self.needles, &pieces.concat());
        let mut hidden = hidden.into_iter().peekable();
        let mut offset = 0;
        let mut kept = Vec::new();
        for piece in pieces {
            let mut bytes = Vec::with_capacity(piece.len());
            for byte in piece {
                while hidden.next_if(|range| range.end <= offset).is_some() {}
                match hidden.peek() {
                    Some(range) if range.start == offset => bytes.extend_from_slice(SCRUBBED.as_bytes()),
                    Some(range) if range.contains(&offset) => {}
                    Some(_) | None => bytes.push(*byte),
                }
                offset += 1;
            }
            kept.push(Piece::of(&bytes));
        }
        kept
    }

    /// Whether what is left of an answer still holds one of them, spread over its events.
    pub(super) fn are_spread_over(&self, kept: &[Piece]) -> bool {
        let bytes: Vec<Bytes> = kept.iter().filter_map(Piece::bytes).collect();
        !self.needles.is_empty() && is_spread(&self.needles, &bytes.concat())
    }

    /// A request as it may be kept, which is also the form in which it is looked for.
    pub(super) fn request(&self, request: &WireRequest) -> RecordedRequest {
        RecordedRequest {
            method: request.method.as_str().to_owned(),
            path: self.text(path_of(&request.url)),
            headers: self.headers(&request.headers),
            body: self.body(&request.body),
        }
    }

    fn body(&self, body: &[u8]) -> Option<Box<RawValue>> {
        if body.is_empty() {
            return None;
        }
        let text = self.text(&String::from_utf8_lossy(body));
        let is_json = parse(text.as_bytes(), Limits::default()).is_ok();
        let kept = if is_json { text } else { serde_json::Value::from(text).to_string() };
        RawValue::from_string(kept).ok()
    }
}
