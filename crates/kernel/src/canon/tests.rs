//! What canonical bytes are, by the samples of RFC 8785 and the edges around them.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::object::compare;
use super::{DuplicateKey, Number, Object, Value, encode};

fn text_of(value: &Value<'_>) -> String {
    String::from_utf8(encode(value)).unwrap()
}

fn float(value: f64) -> Value<'static> {
    Value::Number(Number::float(value).unwrap())
}

fn object<'a>(members: &[(&'a str, Value<'a>)]) -> Object<'a> {
    Object::from_members(members.iter().map(|(name, value)| (Cow::Borrowed(*name), value.clone())).collect())
        .unwrap()
}

#[test]
fn the_sample_of_rfc_8785_section_3_2_2_has_its_published_bytes() {
    let value = Object::fields()
        .field(
            "numbers",
            vec![float(333_333_333.333_333_3), float(1E30), float(4.50), float(2e-3), float(1e-27)],
        )
        .field("string", "\u{20ac}$\u{f}\nA'B\"\\\\\"/")
        .field("literals", vec![Value::Null, Value::Bool(true), Value::Bool(false)])
        .finish();
    assert_eq!(
        text_of(&value),
        r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#
    );
}

#[test]
fn members_are_ordered_as_in_rfc_8785_section_3_2_3() {
    let value = object(&[
        ("\u{20ac}", "Euro Sign".into()),
        ("\r", "Carriage Return".into()),
        ("\u{fb33}", "Hebrew Letter Dalet With Dagesh".into()),
        ("1", "One".into()),
        ("\u{1f600}", "Emoji: Grinning Face".into()),
        ("\u{80}", "Control".into()),
        ("\u{f6}", "Latin Small Letter O With Diaeresis".into()),
    ]);
    let names: Vec<&str> = value.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["\r", "1", "\u{80}", "\u{f6}", "\u{20ac}", "\u{1f600}", "\u{fb33}"]);
}

#[test]
fn every_pair_of_edge_characters_is_ordered_by_utf16_code_units() {
    let edges = [
        "",
        "\0",
        "a",
        "a\0",
        "ab",
        "\u{7f}",
        "\u{80}",
        "\u{7ff}",
        "\u{800}",
        "\u{d7ff}",
        "\u{e000}",
        "\u{e001}",
        "\u{efff}",
        "\u{f000}",
        "\u{fb33}",
        "\u{ffff}",
        "\u{10000}",
        "\u{10001}",
        "\u{1f600}",
        "\u{10ffff}",
    ];
    for left in edges {
        for right in edges {
            for (left, right) in
                [(String::from(left), String::from(right)), (format!("x{left}y"), format!("x{right}z"))]
            {
                assert_eq!(
                    compare(&left, &right),
                    left.encode_utf16().cmp(right.encode_utf16()),
                    "{left:?} {right:?}"
                );
            }
        }
    }
}

#[test]
fn the_doubles_of_rfc_8785_appendix_b_are_spelt_as_published() {
    let samples: &[(u64, &str)] = &[
        (0x0000000000000000, "0"),
        (0x8000000000000000, "0"),
        (0x0000000000000001, "5e-324"),
        (0x8000000000000001, "-5e-324"),
        (0x7fefffffffffffff, "1.7976931348623157e+308"),
        (0xffefffffffffffff, "-1.7976931348623157e+308"),
        (0x4340000000000000, "9007199254740992"),
        (0xc340000000000000, "-9007199254740992"),
        (0x4430000000000000, "295147905179352830000"),
        (0x44b52d02c7e14af5, "9.999999999999997e+22"),
        (0x44b52d02c7e14af6, "1e+23"),
        (0x44b52d02c7e14af7, "1.0000000000000001e+23"),
        (0x444b1ae4d6e2ef4e, "999999999999999700000"),
        (0x444b1ae4d6e2ef4f, "999999999999999900000"),
        (0x444b1ae4d6e2ef50, "1e+21"),
        (0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"),
        (0x3eb0c6f7a0b5ed8d, "0.000001"),
        (0x41b3de4355555553, "333333333.3333332"),
        (0x41b3de4355555554, "333333333.33333325"),
        (0x41b3de4355555555, "333333333.3333333"),
        (0x41b3de4355555556, "333333333.3333334"),
        (0x41b3de4355555557, "333333333.33333343"),
        (0xbecbf647612f3696, "-0.0000033333333333333333"),
        (0x43143ff3c1cb0959, "1424953923781206.2"),
    ];
    for (bits, expected) in samples {
        assert_eq!(text_of(&float(f64::from_bits(*bits))), *expected, "{bits:#x}");
    }
}

#[test]
fn what_is_not_a_number_is_refused() {
    for value in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Number::float(value), None);
    }
}

#[test]
fn ten_and_ten_point_zero_are_one_number_and_minus_zero_is_zero() {
    assert_eq!(Number::integer(10), Number::float(10.0));
    assert_eq!(Number::unsigned(10), Number::float(10.0));
    assert_eq!(Number::float(-0.0).unwrap().as_f64().to_bits(), 0);
    assert_eq!(text_of(&float(-0.0)), "0");
    assert_eq!(text_of(&float(10.0)), "10");
    assert_eq!(text_of(&Value::from(4_294_967_295_u32)), "4294967295");
}

#[test]
fn integers_end_at_two_to_the_fifty_third_minus_one() {
    let most = 9_007_199_254_740_991_i64;
    for (value, expected) in
        [(most, "9007199254740991"), (-most, "-9007199254740991"), (0, "0"), (-7, "-7"), (100, "100")]
    {
        let number = Number::integer(value).unwrap();
        assert_eq!(text_of(&number.into()), expected);
        assert_eq!(number.as_i64(), Some(value));
        assert_eq!(number.as_u64(), u64::try_from(value).ok());
    }
    for value in [most + 1, -most - 1, i64::MAX, i64::MIN] {
        assert_eq!(Number::integer(value), None);
    }
    assert_eq!(Number::unsigned(most.unsigned_abs() + 1), None);
    assert_eq!(Number::unsigned(u64::MAX), None);
    let beyond = Number::float(9_007_199_254_740_992.0).unwrap();
    assert_eq!((beyond.as_i64(), beyond.as_u64()), (None, None));
    assert_eq!((Number::float(1e300).unwrap().as_i64(), Number::float(0.5).unwrap().as_i64()), (None, None));
}

#[test]
fn only_quotes_backslashes_and_control_characters_are_escaped() {
    for code in 0_u8..=0x7f {
        let character = char::from(code);
        let expected = match character {
            '"' => String::from("\"\\\"\""),
            '\\' => String::from("\"\\\\\""),
            '\u{8}' => String::from("\"\\b\""),
            '\t' => String::from("\"\\t\""),
            '\n' => String::from("\"\\n\""),
            '\u{c}' => String::from("\"\\f\""),
            '\r' => String::from("\"\\r\""),
            '\0'..'\u{20}' => format!("\"\\u{code:04x}\""),
            _ => format!("\"{character}\""),
        };
        assert_eq!(text_of(&String::from(character).into()), expected, "{code:#x}");
    }
    assert_eq!(
        text_of(&"\u{7f}\u{80}\u{2028}\u{ffff}\u{1f600}".into()),
        "\"\u{7f}\u{80}\u{2028}\u{ffff}\u{1f600}\""
    );
}

#[test]
fn an_escape_is_found_at_every_offset_and_beside_every_byte() {
    for length in 0..24 {
        for at in 0..=length {
            for neighbour in ["x", " ", "!", "#", "[", "]", "\u{7f}", "\u{e9}", "\u{1f600}"] {
                let (before, after) = (neighbour.repeat(at), neighbour.repeat(length - at));
                for (escaped, written) in [("\"", "\\\""), ("\\", "\\\\"), ("\u{1f}", "\\u001f"), ("", "")] {
                    let value = Value::from(format!("{before}{escaped}{after}"));
                    assert_eq!(text_of(&value), format!("\"{before}{written}{after}\""));
                }
            }
        }
    }
}

#[test]
fn empty_values_have_the_shortest_bytes() {
    assert_eq!(text_of(&Object::fields().finish()), "{}");
    assert_eq!(text_of(&Value::Array(Vec::new())), "[]");
    assert_eq!(text_of(&"".into()), "\"\"");
    assert_eq!(text_of(&Value::Null), "null");
}

#[test]
fn two_members_of_one_name_are_no_object() {
    let twice = |names: &[&'static str]| {
        Object::from_members(names.iter().map(|name| (Cow::Borrowed(*name), Value::Null)).collect())
    };
    assert_eq!(twice(&["a", "a"]), Err(DuplicateKey { key: "a".into() }));
    assert_eq!(twice(&["b", "c", "a", "b"]), Err(DuplicateKey { key: "b".into() }));
    assert_eq!(twice(&["b", "a", "c"]).unwrap().len(), 3);
    assert_eq!(format!("{}", DuplicateKey { key: "b".into() }), "duplicate key `b`");
}

#[test]
fn the_order_in_which_members_arrive_leaves_no_trace() {
    let forward = object(&[("a", 1_u32.into()), ("b", 2_u32.into()), ("c", 3_u32.into())]);
    let backward = object(&[("c", 3_u32.into()), ("b", 2_u32.into()), ("a", 1_u32.into())]);
    assert_eq!(forward, backward);
}

#[test]
fn a_member_is_found_by_its_name_only() {
    let object = object(&[("b", true.into()), ("\u{1f600}", false.into()), ("\u{fb33}", Value::Null)]);
    assert_eq!(object.get("b").and_then(Value::as_bool), Some(true));
    assert_eq!(object.get("\u{1f600}").and_then(Value::as_bool), Some(false));
    assert_eq!(object.get("\u{fb33}"), Some(&Value::Null));
    assert_eq!(object.get("B"), None);
    assert_eq!(object.get(""), None);
    assert!(!object.is_empty());
    assert_eq!(Object::default().get("b"), None);
}

#[test]
fn a_copy_without_a_member_borrows_the_rest() {
    let object =
        object(&[("policyDigest", "x".into()), ("kept", vec![Value::from(String::from("y"))].into())]);
    let rest = object.without("policyDigest");
    assert_eq!(text_of(&rest.clone().into()), r#"{"kept":["y"]}"#);
    let Some([Value::Text(Cow::Borrowed(_))]) = rest.get("kept").and_then(Value::as_array) else {
        panic!("the string was copied");
    };
    assert_eq!(object.without("absent"), object);
}

#[test]
fn absent_fields_leave_no_trace_and_a_later_field_replaces_an_earlier() {
    let value = Object::fields()
        .field("b", "first")
        .optional("absent", None::<&str>)
        .optional("present", Some("here"))
        .non_empty("none", Vec::new())
        .non_empty("some", vec![Value::Null])
        .field("a", false)
        .field("b", "second")
        .field("b", "third")
        .finish();
    assert_eq!(text_of(&value), r#"{"a":false,"b":"third","present":"here","some":[null]}"#);
}

#[test]
fn an_owned_and_a_borrowed_copy_equal_the_original() {
    let value = Object::fields()
        .field("list", Value::text_list(["a", "b"]))
        .field("nested", object(&[("z", Value::Null), ("y", float(1.5))]))
        .field("flag", true)
        .finish();
    assert_eq!(value.borrowed(), value);
    assert_eq!(value.clone().into_owned(), value);
}

#[test]
fn a_value_answers_only_for_its_own_kind() {
    let values =
        [Value::Null, true.into(), 1_u32.into(), "t".into(), Vec::new().into(), Object::default().into()];
    let answers: Vec<[bool; 5]> = values
        .iter()
        .map(|value| {
            [
                value.as_bool().is_some(),
                value.as_number().is_some(),
                value.as_text().is_some(),
                value.as_array().is_some(),
                value.as_object().is_some(),
            ]
        })
        .collect();
    for (row, answer) in answers.iter().enumerate() {
        for (column, said) in answer.iter().enumerate() {
            assert_eq!(*said, row == column + 1);
        }
    }
}

#[test]
fn comparing_names_is_a_total_order_with_prefixes_first() {
    assert_eq!(compare("tool", "toolCallId"), Ordering::Less);
    assert_eq!(compare("toolCallId", "tool"), Ordering::Greater);
    assert_eq!(compare("tool", "tool"), Ordering::Equal);
}
