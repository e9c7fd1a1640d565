//! Which class and which path a value that does not fit its type is refused with.

use std::borrow::Cow;
use std::collections::BTreeMap;

use premath_kernel::{Number, Object, Value, encode};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Canonical, Json, UnknownFields, decode};
use crate::strict::{Limits, parse};

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Turn {
    call_id: Id,
    #[serde(default, alias = "mode")]
    action_mode: Option<Mode>,
    #[serde(default)]
    rows: Vec<Row>,
    #[serde(default)]
    named: BTreeMap<Id, u8>,
    #[serde(default)]
    shape: Option<Shape>,
    #[serde(default)]
    pair: Option<(i64, f64)>,
    #[serde(default)]
    any: Option<Json>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
struct Id(String);

impl TryFrom<String> for Id {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.is_empty() { Err("must not be blank") } else { Ok(Id(text)) }
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Read,
    Write,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Row {
    tool_call_id: String,
    #[serde(default)]
    order: Option<u32>,
    #[serde(default)]
    flag: Option<bool>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Shape {
    Unit,
    Newtype(u8),
    Tuple(u8, u8),
    Struct { side: u8 },
}

fn read(text: &str, unknown: UnknownFields) -> Result<Turn, String> {
    decode(&parse(text.as_bytes(), Limits::default()).unwrap(), unknown).map_err(|error| error.to_string())
}

fn refusal(text: &str) -> String {
    read(text, UnknownFields::Ignore).unwrap_err()
}

#[test]
fn a_value_that_fits_is_decoded() {
    let turn = read(
        r#"{"callId":"c","actionMode":"write","rows":[{"toolCallId":"t","order":3.0,"flag":null}],"named":{"a":1},
            "pair":[-1,2],"any":{"b":[1.5,null],"a":"x"},"shape":"unit"}"#,
        UnknownFields::Refuse,
    )
    .unwrap();
    assert_eq!(turn.rows, [Row { tool_call_id: "t".into(), order: Some(3), flag: None }]);
    assert_eq!(
        (turn.action_mode, turn.pair, turn.shape),
        (Some(Mode::Write), Some((-1, 2.0)), Some(Shape::Unit))
    );
    assert_eq!(turn.named, BTreeMap::from([(Id("a".into()), 1)]));
    assert_eq!(encode(&turn.any.unwrap().0), br#"{"a":"x","b":[1.5,null]}"#);
}

#[test]
fn a_missing_field_is_named_in_the_path() {
    assert_eq!(refusal("{}"), "input.field_missing: missing field at $.callId");
    assert_eq!(
        refusal(r#"{"callId":"c","rows":[{"toolCallId":"t"},{}]}"#),
        "input.field_missing: missing field at $.rows[1].toolCallId"
    );
}

#[test]
fn a_value_of_the_wrong_kind_is_refused_where_it_stands() {
    let cases = [
        (r#"{"callId":7}"#, "expected a string, found an integer at $.callId"),
        (r#"{"callId":""}"#, "must not be blank at $.callId"),
        (r#"{"callId":"c","rows":{}}"#, "expected an array, found an object at $.rows"),
        (r#"{"callId":"c","rows":[["t"]]}"#, "expected an object, found an array at $.rows[0]"),
        (
            r#"{"callId":"c","rows":[{"toolCallId":"t","flag":"yes"}]}"#,
            "expected a boolean, found a string at $.rows[0].flag",
        ),
        (
            r#"{"callId":"c","rows":[{"toolCallId":"t","order":1.5}]}"#,
            "expected u32, found a number that is no safe integer at $.rows[0].order",
        ),
        (
            r#"{"callId":"c","rows":[{"toolCallId":"t","order":-1}]}"#,
            "expected u32, found `-1` at $.rows[0].order",
        ),
        (r#"{"callId":"c","named":{"":1}}"#, "must not be blank at $.named[\"\"]"),
        (r#"{"callId":"c","named":{"odd key":256}}"#, "expected u8, found `256` at $.named[\"odd key\"]"),
        (
            r#"{"callId":"c","actionMode":"delete"}"#,
            "unknown value `delete`, expected one of `read`, `write` at $.actionMode",
        ),
        (r#"{"callId":"c","pair":[1]}"#, "expected a tuple of size 2, found 1 items at $.pair"),
        (r#"{"callId":"c","pair":[1,2,3]}"#, "expected fewer items, found 3 items at $.pair"),
    ];
    for (text, expected) in cases {
        assert_eq!(refusal(text), format!("input.field_invalid: {expected}"), "{text}");
    }
}

#[test]
fn a_null_field_is_an_absent_field() {
    assert_eq!(refusal(r#"{"callId":null}"#), "input.field_missing: missing field at $.callId");
    assert_eq!(refusal("[]"), "input.field_invalid: expected an object, found an array at $");
}

#[test]
fn an_unknown_field_is_ignored_or_refused_as_asked() {
    let text = r#"{"callId":"c","evidence":{"deep":[1]}}"#;
    assert!(read(text, UnknownFields::Ignore).is_ok());
    let error = read(text, UnknownFields::Refuse).unwrap_err();
    assert_eq!(error, "input.field_invalid: unknown field at $.evidence");
    let denied = r#"{"callId":"c","rows":[{"toolCallId":"t","extra":1}]}"#;
    assert_eq!(refusal(denied), "input.field_invalid: unknown field at $.rows[0].extra");
}

#[test]
fn a_field_given_by_name_and_by_alias_is_a_duplicate() {
    assert_eq!(
        refusal(r#"{"callId":"c","actionMode":"read","mode":"read"}"#),
        "input.duplicate_key: given twice, under this name and an alias at $.actionMode"
    );
}

#[test]
fn variants_are_strings_or_objects_of_one_member() {
    let shape = |text: &str| {
        let text = format!("{{\"callId\":\"c\",\"shape\":{text}}}");
        read(&text, UnknownFields::Refuse).map(|turn| turn.shape.unwrap())
    };
    assert_eq!(shape(r#"{"unit":null}"#), Ok(Shape::Unit));
    assert_eq!(shape(r#"{"newtype":1}"#), Ok(Shape::Newtype(1)));
    assert_eq!(shape(r#"{"tuple":[1,2]}"#), Ok(Shape::Tuple(1, 2)));
    assert_eq!(shape(r#"{"struct":{"side":1}}"#), Ok(Shape::Struct { side: 1 }));
    let cases = [
        (r#"{"newtype":"x"}"#, "expected u8, found a string at $.shape.newtype"),
        (r#"{"tuple":[1,"x"]}"#, "expected u8, found a string at $.shape.tuple[1]"),
        (r#"{"struct":{"side":1,"x":1}}"#, "unknown field at $.shape.struct.x"),
        (r#"{"struct":[1]}"#, "expected an object, found an array at $.shape.struct"),
        (r#""newtype""#, "expected an object of one member, found a string at $.shape"),
        (r#"{}"#, "expected a string or an object of one member, found an object at $.shape"),
        (
            r#"{"unit":null,"newtype":1}"#,
            "expected a string or an object of one member, found an object at $.shape",
        ),
        ("1", "expected a string or an object of one member, found an integer at $.shape"),
    ];
    for (text, expected) in cases {
        assert_eq!(shape(text).unwrap_err(), format!("input.field_invalid: {expected}"), "{text}");
    }
    assert!(
        shape(r#"{"struct":{}}"#)
            .unwrap_err()
            .starts_with("input.field_missing: missing field at $.shape.struct.side")
    );
}

#[test]
fn a_message_never_repeats_input_uncut_or_unescaped() {
    let long = format!("{{\"callId\":\"c\",\"actionMode\":\"\\u001b[31m\\n{}\"}}", "x".repeat(10_000));
    let message = refusal(&long);
    assert!(message.len() < 250 && !message.contains(['\u{1b}', '\n']), "{message}");
}

#[test]
fn any_json_is_rebuilt_as_it_was_and_its_schema_allows_everything() {
    for text in ["null", "[]", "{}", "[1,-1,1.5,1e+30,\"é\",{\"a\":[true,false]}]"] {
        let value = parse(text.as_bytes(), Limits::default()).unwrap();
        let json: Json = decode(&value, UnknownFields::Refuse).unwrap();
        assert_eq!(json.0, value);
        let foreign: Json = serde_json::from_str(text).unwrap();
        assert_eq!(foreign.0, value);
    }
    assert!(serde_json::from_str::<Json>("9007199254740992").is_err());
    assert!(serde_json::from_str::<Json>(r#"{"a":1,"a":2}"#).is_err());
    assert_eq!(Json::json_schema(&mut schemars::SchemaGenerator::default()).as_bool(), Some(true));
}

#[test]
fn a_value_is_written_in_member_order() {
    let members =
        vec![(Cow::Borrowed("\u{fb33}"), Value::Null), (Cow::Borrowed("\u{1f600}"), Value::Bool(true))];
    let value = Value::Object(Object::from_members(members).unwrap());
    let list =
        Value::Array(vec![value, Number::integer(-3).unwrap().into(), Number::float(0.5).unwrap().into()]);
    let written = serde_json::to_string(&Canonical(list.borrowed())).unwrap();
    assert_eq!(written, "[{\"\u{1f600}\":true,\"\u{fb33}\":null},-3,0.5]");
    assert_eq!(serde_json::to_string(&Json(list.clone().into_owned())).unwrap(), written);
}
