//! Each way of saying it shorter, and what is left alone because it would say something else.

use serde_json::{Value, json};

use super::{in_common, shorter};

fn is_shortened(long: Value, short: &Value) {
    assert_eq!(shorter(long), *short);
}

#[test]
fn constants_to_choose_from_are_a_list() {
    let choice = json!({"oneOf": [{"const": "a", "type": "string"}, {"const": "b", "type": "string"}]});
    is_shortened(choice, &json!({"enum": ["a", "b"]}));
    is_shortened(json!({"type": "string", "enum": ["a"]}), &json!({"enum": ["a"]}));
    let mixed = json!({"oneOf": [{"const": "a"}, {"type": "integer"}]});
    is_shortened(mixed.clone(), &mixed);
}

#[test]
fn something_or_nothing_is_one_type_unless_a_list_forbids_nothing() {
    let nullable = json!({"anyOf": [{"type": "object", "required": ["a"]}, {"type": "null"}]});
    is_shortened(nullable, &json!({"type": ["object", "null"], "required": ["a"]}));
    for kept in [
        json!({"type": "integer", "enum": [1, 2]}),
        json!({"type": "object", "anyOf": [{"required": ["a"]}]}),
    ] {
        let nullable = json!({"anyOf": [kept, {"type": "null"}]});
        is_shortened(nullable.clone(), &nullable);
    }
}

#[test]
fn a_definition_that_is_used_once_stands_where_it_is_used() {
    let once = json!({"items": {"$ref": "#/$defs/One"}, "$defs": {"One": {"type": "integer"}}});
    is_shortened(once, &json!({"items": {"type": "integer"}}));
    let one = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
    let twice = json!({
        "prefixItems": [{"$ref": "#/$defs/One"}, {"$ref": "#/$defs/One"}, {"$ref": "#/$defs/One"}],
        "$defs": {"One": one},
    });
    is_shortened(twice.clone(), &twice);
    let endless = json!({"$ref": "#/$defs/Tree", "$defs": {"Tree": {"items": {"$ref": "#/$defs/Tree"}}}});
    is_shortened(endless.clone(), &endless);
}

#[test]
fn members_that_may_be_anything_are_named_only_where_that_decides_something() {
    let open = json!({"properties": {"a": {}, "b": {}, "c": {"type": "string"}}, "required": ["b"]});
    is_shortened(open, &json!({"properties": {"b": {}, "c": {"type": "string"}}, "required": ["b"]}));
    let closed = json!({"properties": {"a": {}}, "additionalProperties": false});
    is_shortened(closed.clone(), &closed);
}

#[test]
fn what_all_choices_have_alike_is_said_once() {
    let text = json!({"type": "string"});
    let choice = |name: &str| json!({"type": "object", "properties": {"action": text, name: text}, "required": ["action", name]});
    let mut whole = json!({"anyOf": [choice("a"), choice("b")]});
    in_common(&mut whole);
    let rest = |name: &str| json!({"properties": {name: text}, "required": [name]});
    let expected = json!({
        "type": "object",
        "properties": {"action": text},
        "required": ["action"],
        "anyOf": [rest("a"), rest("b")],
    });
    assert_eq!(whole, expected);
}
