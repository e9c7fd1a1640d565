//! What a run holds of its secrets, and what it does not.

use super::RunSecrets;
use crate::JsonText;
use crate::model::ToolCall;
use crate::policy::{Redaction, RemovedText, SecretOrigin};

fn redaction(pairs: &[(&str, &str)]) -> Redaction {
    let removed = pairs.iter().map(|(placeholder, value)| RemovedText {
        placeholder: (*placeholder).to_owned(),
        value: (*value).to_owned(),
    });
    Redaction { text: String::new(), removed: removed.collect() }
}

fn call(arguments: &str) -> ToolCall {
    ToolCall {
        id: "one".to_owned(),
        name: "shell".to_owned(),
        arguments: JsonText::new(arguments).unwrap(),
        malformed: None,
    }
}

#[test]
fn a_placeholder_of_the_task_becomes_its_value_and_names_its_place() {
    let secrets = RunSecrets::holding();
    secrets.hold_given(&redaction(&[("[redacted:password]", "a \"b\" c")]));
    let restored = secrets.restore(&call(r#"{"a":[{"b/c":"x [redacted:password] y"}]}"#)).unwrap();
    assert_eq!(restored.arguments.as_str(), r#"{"a":[{"b/c":"x a \"b\" c y"}]}"#);
    let [place] = restored.places.as_slice() else { panic!("{:?}", restored.places) };
    assert_eq!((place.label.as_str(), place.pointer.as_str()), ("password", "/a/0/b~1c"));
    assert_eq!(place.origin, SecretOrigin::Task);
}

#[test]
fn arguments_that_the_model_wrote_come_back_until_the_next_turn() {
    let secrets = RunSecrets::holding();
    let written = JsonText::new(r#"{"command":"echo \"tok\""}"#).unwrap();
    secrets.note_written(&redaction(&[("[redacted:token]", "\\\"tok\\\"")]));
    secrets.hold_written("one", written);
    let shown = call(r#"{"command":"echo [redacted:token]"}"#);
    let restored = secrets.restore(&shown).unwrap();
    assert_eq!(restored.arguments.as_str(), r#"{"command":"echo \"tok\""}"#);
    assert_eq!(restored.places[0].origin, SecretOrigin::Model);
    assert_eq!(
        secrets.scrub("it said \"tok\" and \\\"tok\\\""),
        "it said [redacted:token] and [redacted:token]"
    );
    secrets.begin_turn();
    assert!(secrets.restore(&shown).is_none());
}

#[test]
fn what_is_not_known_for_sure_is_not_restored() {
    let secrets = RunSecrets::holding();
    secrets.hold_given(&redaction(&[("[redacted:token]", "first"), ("[redacted:token]", "second")]));
    secrets.hold_given(&redaction(&[("[redacted:key]", "third")]));
    for arguments in [
        r#"{"a":"[redacted:token]"}"#,
        r#"{"a":"[redacted:other]"}"#,
        r#"{"a":"[redacted:key] [redacted:other]"}"#,
        r#"{"[redacted:key]":"x"}"#,
        r#"{"a":"nothing"}"#,
    ] {
        assert!(secrets.restore(&call(arguments)).is_none(), "{arguments}");
    }
    assert!(secrets.restore(&call(r#"{"a":"[redacted:key]"}"#)).is_some());
    let none = RunSecrets::default();
    none.hold_given(&redaction(&[("[redacted:key]", "third")]));
    assert!(none.restore(&call(r#"{"a":"[redacted:key]"}"#)).is_none());
    assert!(none.is_empty());
}

#[test]
fn its_debug_output_has_no_value() {
    let secrets = RunSecrets::holding();
    secrets.hold_given(&redaction(&[("[redacted:key]", "third")]));
    assert!(!format!("{secrets:?}").contains("third"));
}
