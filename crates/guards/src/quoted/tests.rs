//! What is found behind escapes, and where.

use premath_tusk::policy::Finding;
use proptest::prelude::*;

use super::escapes::Decoded;
use super::find;

/// Finds `"key" = "…"` with its quotation marks, and a line that begins with `secret`.
fn look(text: &str) -> Vec<Finding> {
    ["\"key\"", "\nsecret"]
        .into_iter()
        .flat_map(|wanted| text.match_indices(wanted))
        .map(|(at, wanted)| Finding { label: "found".to_owned(), span: Some(at..at + wanted.len()) })
        .collect()
}

fn found(text: &str) -> Vec<&str> {
    find(text, &look).into_iter().map(|finding| text.get(finding.span.unwrap()).unwrap()).collect()
}

#[test]
fn what_escapes_hide_is_found_where_it_stands() {
    assert_eq!(found(r#"{"a": "say \"key\" now"}"#), [r#"\"key\""#]);
    assert_eq!(found(r#"{"a": "one\nsecret two"}"#), [r"\nsecret"]);
    assert_eq!(found("{\"a\": \"one\\u000asecret \\ud83d\\ude00\"}"), [r"\u000asecret"]);
    assert_eq!(found(r#"{"a": "{\"b\": \"\\\"key\\\"\"}"}"#), [r#"\\\"key\\\""#]);
}

#[test]
fn what_the_document_shows_itself_is_found_once() {
    assert_eq!(found(r#"{"key": "a\nb"}"#), [r#""key""#]);
    assert_eq!(found("no document, \"key\" and \\n"), ["\"key\""]);
}

#[test]
fn documents_deep_in_documents_end_somewhere() {
    let mut text = "\"key\"".to_owned();
    for _ in 0..8 {
        text = serde_json::to_string(&[text]).unwrap();
    }
    assert_eq!(found(&text), Vec::<&str>::new());
}

proptest! {
    #[test]
    fn a_string_reads_as_it_was_written_and_every_part_is_found_again(text in any::<String>()) {
        let quoted = serde_json::to_string(&text).unwrap();
        let raw = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap();
        match Decoded::of(raw) {
            None => prop_assert_eq!(raw, text.as_str()),
            Some(decoded) => {
                prop_assert_eq!(&decoded.text, &text);
                for (at, character) in text.char_indices() {
                    let place = decoded.place(&(at..at + character.len_utf8()));
                    let again = format!("\"{}\"", raw.get(place).unwrap());
                    prop_assert_eq!(serde_json::from_str::<String>(&again).unwrap(), character.to_string());
                }
            }
        }
    }
}
