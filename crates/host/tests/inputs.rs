//! The schema of what an action takes says what the action reads: nothing more, nothing less.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what cannot be read fails the test"
)]

mod repository;
mod vectors;

use premath_host::{ACTIONS, Action, ActionError};
use premath_wire::strict::{Limits, parse};
use premath_wire::{InputClass, InputError};
use repository::Repository;
use serde_json::{Map, Value, json};
use vectors::Vectors;

fn input(action: &Action) -> Value {
    (action.input)().to_value()
}

fn properties(schema: &Value) -> &Map<String, Value> {
    schema.get("properties").and_then(Value::as_object).unwrap()
}

fn required(schema: &Value) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().map(|name| name.as_str().unwrap()).collect()
}

/// What an action says to arguments that it must refuse.
fn refusal(action: &Action, arguments: &Value) -> InputError {
    let text = arguments.to_string();
    let read = parse(text.as_bytes(), Limits::default()).unwrap();
    match Repository::new().host(&Vectors).call(action.name, &read) {
        Err(ActionError::Input(error)) => error,
        other => panic!("{} took {text}: {other:?}", action.name),
    }
}

/// A value for every member that must be there.
fn needed(schema: &Value) -> Map<String, Value> {
    let sample = |name: &&str| {
        let kind = &properties(schema)[*name]["type"];
        let value = match kind.as_str().unwrap() {
            "string" => json!("text"),
            "array" => json!(["text"]),
            "object" => json!({}),
            "integer" => json!(1),
            other => panic!("a sample of {other} is missing here"),
        };
        ((*name).to_owned(), value)
    };
    required(schema).iter().map(sample).collect()
}

#[test]
fn every_schema_is_one_closed_object_and_says_what_each_member_is_for() {
    for action in ACTIONS {
        let schema = input(action);
        assert_eq!(schema["type"], "object", "{}", action.name);
        assert_eq!(schema["additionalProperties"], false, "{}", action.name);
        assert!(!schema.to_string().contains("$ref"), "{} refers elsewhere", action.name);
        jsonschema::validator_for(&schema).unwrap();
        for (name, property) in properties(&schema) {
            let described = property.get("description").and_then(Value::as_str);
            assert!(described.is_some_and(|text| !text.is_empty()), "{}: {name}", action.name);
        }
    }
}

#[test]
fn an_unknown_member_is_refused_by_name_whatever_the_action() {
    for action in ACTIONS {
        let mut arguments = needed(&input(action));
        arguments.insert("nobodyKnows".to_owned(), json!(1));
        let error = refusal(action, &Value::Object(arguments));
        assert_eq!(error.path.to_string(), "$.nobodyKnows", "{}: {error}", action.name);
        assert_eq!(error.class, InputClass::FieldInvalid, "{}", action.name);
    }
}

#[test]
fn a_member_that_must_be_there_is_missed_by_name() {
    for action in ACTIONS {
        let schema = input(action);
        for missed in required(&schema) {
            let mut arguments = needed(&schema);
            arguments.remove(missed);
            let error = refusal(action, &Value::Object(arguments));
            assert_eq!(error.path.to_string(), format!("$.{missed}"), "{}: {error}", action.name);
        }
    }
}

#[test]
fn a_member_of_another_type_is_refused_where_the_schema_refuses_it() {
    let mut tried = 0;
    for action in ACTIONS {
        let schema = input(action);
        let validator = jsonschema::validator_for(&schema).unwrap();
        // A document that has a schema of its own is told about by paths of its own.
        for name in properties(&schema).keys().filter(|name| *name != "document") {
            for wrong in [json!({"a": {"b": {}}}), json!(-1.5), json!([[1]])] {
                let mut arguments = needed(&schema);
                arguments.insert(name.clone(), wrong);
                let arguments = Value::Object(arguments);
                if validator.is_valid(&arguments) {
                    continue;
                }
                let error = refusal(action, &arguments);
                let path = error.path.to_string();
                assert!(path.starts_with(&format!("$.{name}")), "{} {arguments}: {error}", action.name);
                tried += 1;
            }
        }
    }
    assert!(tried > 800, "only {tried}");
}

#[test]
fn nothing_at_all_is_enough_where_nothing_must_be_there() {
    for name in
        ["issue.list", "issue.ready", "dep.diagnostics", "observe.projection", "run.list", "desk.tree"]
    {
        let action = ACTIONS.iter().find(|action| action.name == name).unwrap();
        assert!(required(&input(action)).is_empty(), "{name}");
        let read = parse(b"{}", Limits::default()).unwrap();
        let called = Repository::new().host(&Vectors).call(name, &read);
        assert!(!matches!(called, Err(ActionError::Input(_))), "{name}: {called:?}");
    }
}
