//! What the strict decoder accepts, what it refuses, and where it says the mistake is.

use std::borrow::Cow;

use premath_kernel::{Value, encode};

use super::{DEPTH_CEILING, Limits, parse};
use crate::input_error::InputClass;

fn canonical(text: &str) -> String {
    String::from_utf8(encode(&parse(text.as_bytes(), Limits::default()).unwrap())).unwrap()
}

fn refusal(bytes: impl AsRef<[u8]>) -> String {
    parse(bytes.as_ref(), Limits::default()).unwrap_err().to_string()
}

fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

#[test]
fn every_kind_of_value_is_read() {
    assert_eq!(
        canonical(
            " { \"b\" : [ 1 , -2.50 , 1E3 , true , false , null , \"x\" , { } , [ ] ] ,\r\n\t\"a\" : \"\" } "
        ),
        r#"{"a":"","b":[1,-2.5,1000,true,false,null,"x",{},[]]}"#
    );
}

#[test]
fn a_string_without_escapes_is_borrowed() {
    let value = parse("\"plain é\"".as_bytes(), Limits::default()).unwrap();
    assert!(matches!(value, Value::Text(Cow::Borrowed("plain é"))));
}

#[test]
fn every_escape_is_undone() {
    let value =
        parse(br#""\"\\\/\b\f\n\r\t\u0041\u00e9\u20AC\ud83d\uDE00\u0000 end""#, Limits::default()).unwrap();
    assert_eq!(value.as_text(), Some("\"\\/\u{8}\u{c}\n\r\tA\u{e9}\u{20ac}\u{1f600}\0 end"));
}

#[test]
fn an_error_names_the_path_the_line_and_the_column() {
    assert_eq!(
        refusal("{\n  \"evidence\": {\"toolRequests\": [0, 1, 2,\n    {\"toolCallId\": +1}]}}"),
        "input.json_invalid: expected a value (line 3, column 20) at $.evidence.toolRequests[3].toolCallId"
    );
    assert_eq!(
        refusal("{\"é\": [\"ü\", x]}"),
        "input.json_invalid: expected a value (line 1, column 13) at $[\"é\"][1]"
    );
    assert_eq!(
        refusal("{\"a b\\n\": tru}"),
        "input.json_invalid: expected a value (line 1, column 11) at $[\"a b\\n\"]"
    );
    assert_eq!(refusal("[1 2]"), "input.json_invalid: expected `,` or `]` (line 1, column 4) at $");
    assert_eq!(refusal("{\"a\" 1}"), "input.json_invalid: expected `:` (line 1, column 6) at $.a");
    assert_eq!(refusal("{\"a\":1,}"), "input.json_invalid: expected a member name (line 1, column 8) at $");
    assert_eq!(refusal("{\"a\":1]"), "input.json_invalid: expected `,` or `}` (line 1, column 7) at $");
    assert_eq!(refusal("1 2"), "input.json_invalid: text behind the document (line 1, column 3) at $");
    assert_eq!(
        refusal("\"a\nb\""),
        "input.json_invalid: control character in a string (line 1, column 3) at $"
    );
    assert_eq!(refusal(r#"["\x"]"#), "input.json_invalid: invalid escape (line 1, column 4) at $[0]");
}

#[test]
fn an_input_that_stops_early_says_so() {
    assert_eq!(refusal(""), "input.json_invalid: expected a value, found the end (line 1, column 1) at $");
    assert_eq!(
        refusal("[1,\n"),
        "input.json_invalid: expected a value, found the end (line 2, column 1) at $[1]"
    );
    assert_eq!(
        refusal("{\"a\":\"b"),
        "input.json_invalid: unfinished string, found the end (line 1, column 8) at $.a"
    );
    assert_eq!(
        refusal("[-"),
        "input.json_invalid: expected a digit, found the end (line 1, column 3) at $[0]"
    );
}

#[test]
fn duplicate_keys_are_compared_after_unescaping() {
    assert_eq!(
        refusal(r#"{"a":1,"a":1}"#),
        "input.duplicate_key: duplicate key `a` (line 1, column 8) at $.a"
    );
    assert_eq!(
        refusal("[{\"x\": {\"b\":1,\"a\":[{\"a\":1}],\n \"\\u0061\":2}}]"),
        "input.duplicate_key: duplicate key `a` (line 2, column 2) at $[0].x.a"
    );
    assert_eq!(
        refusal(r#"{"":1,"":2,"z":3}"#),
        "input.duplicate_key: duplicate key `` (line 1, column 7) at $[\"\"]"
    );
    assert_eq!(canonical(r#"{"a":{"a":1},"A":2}"#), r#"{"A":2,"a":{"a":1}}"#);
}

#[test]
fn integers_are_exact_or_refused() {
    assert_eq!(
        canonical("[9007199254740991,-9007199254740991,-0,0]"),
        "[9007199254740991,-9007199254740991,0,0]"
    );
    let beyond = ["9007199254740992", "-9007199254740992", "18446744073709551616", "9223372036854775808"];
    for literal in beyond.map(str::to_owned).into_iter().chain(["1".repeat(400)]) {
        assert_eq!(
            refusal(format!("{{\"n\":{literal}}}")),
            "input.field_invalid: integer beyond ±9007199254740991 (line 1, column 6) at $.n"
        );
    }
}

#[test]
fn floats_are_the_nearest_double_or_refused() {
    assert_eq!(canonical("[1e30,1E-400,4.50,1.5e3,0e1]"), "[1e+30,0,4.5,1500,0]");
    assert_eq!(
        refusal("[1e400]"),
        "input.json_invalid: number beyond the range of a double (line 1, column 2) at $[0]"
    );
    assert_eq!(
        parse(b"-1e999999999999999999999", Limits::default()).unwrap_err().class,
        InputClass::JsonInvalid
    );
}

#[test]
fn a_float_whose_canonical_spelling_is_an_unsafe_integer_is_refused_like_it() {
    for literal in ["1e20", "9007199254740992.0", "-9007199254740993.0", "9.99e20", "100000000000000000000"] {
        assert_eq!(
            refusal(literal),
            "input.field_invalid: integer beyond ±9007199254740991 (line 1, column 1) at $",
            "{literal}"
        );
    }
    assert_eq!(canonical("[9007199254740991.0,1e21]"), "[9007199254740991,1e+21]");
}

#[test]
fn grammar_of_numbers_is_that_of_the_rfc() {
    for literal in [
        "01", "-01", "1.", ".5", "+1", "1e", "1e+", "-", "--1", "0x1", "1_0", "NaN", "Infinity", "1.e1",
        "1e1.5",
    ] {
        let error = parse(literal.as_bytes(), Limits::default()).unwrap_err();
        assert_eq!(error.class, InputClass::JsonInvalid, "{literal}");
    }
}

#[test]
fn lone_surrogates_are_refused() {
    let lone = [
        r#""\ud800""#,
        r#""\udc00""#,
        r#""\ud800\ud800""#,
        r#""\ud800x""#,
        r#""\ud800\n""#,
        r#""\udc00\ud800""#,
    ];
    for text in lone {
        assert_eq!(refusal(text), "input.json_invalid: lone surrogate (line 1, column 3) at $", "{text}");
    }
    assert!(refusal(r#""\ud800\u12"#).contains("expected four hexadecimal digits"));
}

#[test]
fn only_utf8_without_a_byte_order_mark_is_read() {
    assert_eq!(refusal("\u{feff}{}"), "input.json_invalid: byte order mark (line 1, column 1) at $");
    assert_eq!(
        refusal(b"{\"a\":[1,\"x\xff\"]}"),
        "input.json_invalid: invalid UTF-8 (line 1, column 11) at $.a[1]"
    );
    assert_eq!(refusal(b"{}\n\xc0\x80"), "input.json_invalid: invalid UTF-8 (line 2, column 1) at $");
    assert_eq!(refusal(b"\xff\xfe"), "input.json_invalid: invalid UTF-8 (line 1, column 1) at $");
    assert_eq!(
        refusal(b"[1 2, \"\xed\xa0\x80\"]"),
        "input.json_invalid: expected `,` or `]` (line 1, column 4) at $"
    );
}

#[test]
fn depth_is_allowed_up_to_the_limit_and_not_beyond() {
    let limits = Limits::default();
    assert!(parse(nested(128).as_bytes(), limits).is_ok());
    let error = parse(nested(129).as_bytes(), limits).unwrap_err();
    assert_eq!(error.class, InputClass::TooDeep);
    assert_eq!(error.path.segments().count(), 128);
    assert!(
        error
            .to_string()
            .starts_with("input.too_deep: nested deeper than 128 (line 1, column 129) at $[0][0]")
    );
    assert_eq!(parse(b"{\"a\":{}}", Limits { max_depth: 1, ..limits }).unwrap_err().path.to_string(), "$.a");
    assert!(parse(b"1", Limits { max_depth: 0, ..limits }).is_ok());
}

#[test]
fn no_limit_can_overflow_the_stack() {
    let limits = Limits { max_depth: usize::MAX, ..Limits::default() };
    assert!(parse(nested(DEPTH_CEILING).as_bytes(), limits).is_ok());
    assert_eq!(parse(nested(100_000).as_bytes(), limits).unwrap_err().class, InputClass::TooDeep);
    assert_eq!(parse("{\"a\":".repeat(100_000).as_bytes(), limits).unwrap_err().class, InputClass::TooDeep);
}

#[test]
fn size_is_allowed_up_to_the_limit_and_not_beyond() {
    let limits = Limits { max_bytes: 4, ..Limits::default() };
    assert!(parse(b"1234", limits).is_ok());
    let error = parse(b"12345", limits).unwrap_err();
    assert_eq!(error.to_string(), "input.too_large: 5 bytes, more than the 4 allowed at $");
}

#[test]
fn the_end_of_a_string_is_found_at_every_offset() {
    for length in 0..40 {
        for filling in ["x", "!", "#", "[", "]", "\u{7f}", "é", "😀"] {
            let plain = filling.repeat(length);
            let text = format!("[\"{plain}\",\"{plain}\\n{plain}\"]");
            assert_eq!(canonical(&text), text);
            assert!(parse(format!("\"{plain}\u{1f}\"").as_bytes(), Limits::default()).is_err());
        }
    }
}

#[test]
fn memory_is_bounded_by_the_number_of_values() {
    let limits = Limits { max_values: 4, ..Limits::default() };
    assert!(parse(b"[1,2,3]", limits).is_ok());
    let error = parse(b"[1,2,[3]]", limits).unwrap_err();
    assert_eq!(error.class, InputClass::TooLarge);
    assert_eq!(error.path.to_string(), "$[2][0]");
}
