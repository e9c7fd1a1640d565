//! What stands in the strings of a JSON document, read as it is meant: behind escapes too.
//!
//! A quotation mark before a token is `\"` in JSON and a line break is `\n`, so that what looks only at the document misses
//! both. Places are those of the document. It must not decide what is a finding.

mod escapes;
#[cfg(test)]
mod tests;

use premath_tusk::policy::Finding;

use self::escapes::Decoded;
use crate::redact::{Token, is_json, tokens};

/// Documents in strings of documents, to this depth.
const DEEPEST: usize = 3;

/// What is found in a text, and in the strings of it when it is JSON.
pub(crate) fn find(text: &str, look: &dyn Fn(&str) -> Vec<Finding>) -> Vec<Finding> {
    let mut found = look(text);
    for finding in in_strings(text, look, DEEPEST) {
        if !found.contains(&finding) {
            found.push(finding);
        }
    }
    found
}

fn in_strings(text: &str, look: &dyn Fn(&str) -> Vec<Finding>, depth: usize) -> Vec<Finding> {
    let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
    // Without an escape there is nothing that the document itself does not show.
    if memchr::memchr(b'\\', text.as_bytes()).is_none() || !is_json(text) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for token in tokens(text.as_bytes()) {
        let Token::Text(range) = token else { continue };
        let Some(decoded) = text.get(range.clone()).and_then(Decoded::of) else { continue };
        let inner = look(&decoded.text).into_iter().chain(in_strings(&decoded.text, look, depth));
        found.extend(inner.map(|finding| Finding {
            span: finding.span.map(|span| {
                let raw = decoded.place(&span);
                range.start + raw.start..range.start + raw.end
            }),
            ..finding
        }));
    }
    found
}
