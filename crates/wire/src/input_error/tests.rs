//! How an input error reads.

use super::{Echo, InputClass, InputError, JsonPath, Position, Segment};

#[test]
fn an_error_names_its_class_what_is_wrong_and_where() {
    let mut error =
        InputError::new(InputClass::JsonInvalid, "expected a value", JsonPath::root().key("a").index(0));
    assert_eq!(error.to_string(), "input.json_invalid: expected a value at $.a[0]");
    error.position = Some(Position { line: 3, column: 7 });
    assert_eq!(error.to_string(), "input.json_invalid: expected a value (line 3, column 7) at $.a[0]");
}

#[test]
fn a_path_reads_the_same_built_from_either_end() {
    let inward = JsonPath::root().key("evidence").key("toolRequests").index(3).key("toolCallId");
    let mut outward = JsonPath::root();
    for segment in [Segment::Key("toolCallId".into()), Segment::Index(3), Segment::Key("toolRequests".into())]
    {
        outward.push_outer(segment);
    }
    outward.push_outer(Segment::Key("evidence".into()));
    assert_eq!(inward, outward);
    assert_eq!(inward.to_string(), "$.evidence.toolRequests[3].toolCallId");
    assert_eq!(inward.segments().count(), 4);
    assert_eq!(JsonPath::root().to_string(), "$");
}

#[test]
fn a_key_that_is_no_identifier_is_quoted_escaped_and_cut() {
    let shown = |key: &str| JsonPath::root().key(key).to_string();
    assert_eq!(shown("odd key"), "$[\"odd key\"]");
    assert_eq!(shown(""), "$[\"\"]");
    assert_eq!(shown("1st"), "$[\"1st\"]");
    assert_eq!(shown("a'b"), "$[\"a'b\"]");
    assert_eq!(shown("a\"]\\"), "$[\"a\\\"]\\\\\"]");
    assert_eq!(shown("é"), "$[\"é\"]");
    assert_eq!(shown("\u{1b}[31m\n\u{202e}"), "$[\"\\u{1b}[31m\\n\\u{202e}\"]");
    assert_eq!(shown(&"k".repeat(65)), format!("$.{}…", "k".repeat(64)));
    assert_eq!(shown(&"k".repeat(64)), format!("$.{}", "k".repeat(64)));
    assert_eq!(shown(&" ".repeat(1000)), format!("$[\"{}…\"]", " ".repeat(64)));
}

#[test]
fn every_class_has_its_own_code() {
    let codes: Vec<&str> = InputClass::ALL.iter().map(|class| class.code()).collect();
    let expected = [
        "input.json_invalid",
        "input.field_missing",
        "input.field_invalid",
        "input.duplicate_key",
        "input.duplicate_row",
        "input.too_deep",
        "input.too_large",
    ];
    assert_eq!(codes, expected);
}

#[test]
fn an_echo_stays_on_one_line() {
    assert_eq!(Echo("a\r\nb\u{2028}c\u{0}").to_string(), "a\\r\\nb\\u{2028}c\\0");
}
