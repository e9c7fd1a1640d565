//! The redactor: what goes, what stays, and that JSON stays JSON.

use premath_tusk::policy::Finding;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Redactor, placeholders, replace};
use crate::pii::PiiKinds;

fn token() -> String {
    format!("gh{}{}", "p_", "9aB3dE6gH1jK4mN7pQ0rS2tU5vW8xYzA1bC4")
}

#[test]
fn a_clean_text_is_borrowed() {
    let redacted = Redactor::new().redact("nothing to see");
    assert!(matches!(redacted.text, std::borrow::Cow::Borrowed(_)));
    assert!(redacted.findings.is_empty());
}

#[test]
fn a_secret_is_replaced_by_its_label() {
    let text = format!("push with {} now", token());
    assert_eq!(Redactor::new().redact(&text).text, "push with [redacted:github-pat] now");
}

#[test]
fn json_stays_json_with_secrets_in_strings_escapes_and_numbers() {
    let document = json!({
        "text": format!("line\n{}\n\"quoted\" é", token()),
        "nested": format!("{{\"key\": \"{}\"}}", token()),
        "card": 4_111_111_111_111_111_u64,
        "list": [token(), 1, null],
    });
    let redactor = Redactor::new().with_personal_data(PiiKinds::default());
    for text in [document.to_string(), serde_json::to_string_pretty(&document).unwrap()] {
        let redacted = redactor.redact(&text);
        let read: Value = serde_json::from_str(&redacted.text).unwrap();
        assert_eq!(read["card"], json!("[redacted:card]"), "{}", redacted.text);
        assert_eq!(read["list"][0], json!("[redacted:github-pat]"));
        assert_eq!(read["text"], json!("line\n[redacted:github-pat]\n\"quoted\" é"));
        assert!(!redacted.text.contains(&token()));
    }
}

#[test]
fn an_escape_is_never_cut_in_two() {
    // The n belongs to the escape, not to the token.
    let text = format!(r#"{{"a":"x\npm_{}"}}"#, "9aB3dE6gH1jK4mN7pQ0rS2tU5vW8xYzA1bC4");
    let redacted = Redactor::new().redact(&text).text.into_owned();
    assert!(serde_json::from_str::<Value>(&redacted).is_ok(), "{redacted}");
    let findings = [Finding { label: "x".to_owned(), span: Some(7..10) }];
    let replaced = replace(r#"{"a":"\u00e9bc"}"#, &findings);
    assert!(serde_json::from_str::<Value>(&replaced).is_ok(), "{replaced}");
}

#[test]
fn places_that_overlap_or_lie_outside_are_replaced_once_or_not_at_all() {
    let finding = |start, end| Finding { label: "x".to_owned(), span: Some(start..end) };
    assert_eq!(replace("abcdef", &[finding(2, 4), finding(1, 3)]), "a[redacted:x]ef");
    assert_eq!(replace("aéb", &[finding(2, 3)]), "a[redacted:x]b");
    assert_eq!(replace("ab", &[finding(5, 9)]), "ab");
}

#[test]
fn placeholders_are_known_again() {
    assert_eq!(placeholders("a [redacted:jwt] b [redacted:] [redacted:x y]"), vec![2..16]);
}

proptest! {
    #[test]
    fn redacting_twice_is_redacting_once(parts in prop::collection::vec(piece(), 1..8)) {
        let text = parts.concat();
        let redactor = Redactor::new().with_personal_data(PiiKinds { ip: true, ..PiiKinds::default() });
        let once = redactor.redact(&text).text.into_owned();
        let twice = redactor.redact(&once);
        prop_assert_eq!(twice.text.as_ref(), once.as_str());
        prop_assert!(twice.findings.is_empty(), "{:?}", twice.findings);
    }

    #[test]
    fn a_json_document_is_one_afterwards(parts in prop::collection::vec(piece(), 1..6), number in any::<u64>()) {
        let document = json!({ "a": parts.concat(), "b": [number, parts], "token": number });
        let redactor = Redactor::new().with_personal_data(PiiKinds { ip: true, ..PiiKinds::default() });
        let redacted = redactor.redact(&document.to_string()).text.into_owned();
        prop_assert!(serde_json::from_str::<Value>(&redacted).is_ok(), "{}", redacted);
    }
}

/// What secrets are made of, and what stands around them.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(token()),
        Just("curl -u \"admin:".to_owned()),
        Just("\" ".to_owned()),
        Just("password = \"".to_owned()),
        Just("adafruit_key: ".to_owned()),
        Just("0a1b2c3d4e5f60718293a4b5c6d7e8f9".to_owned()),
        Just("https://me:s3cr3tp4ss@host/ ".to_owned()),
        Just("someone@premath.invalid".to_owned()),
        Just("4111 1111 1111 1111".to_owned()),
        Just("[redacted:jwt]".to_owned()),
        "[ -~\n\\\\\"é]{0,24}",
    ]
}
