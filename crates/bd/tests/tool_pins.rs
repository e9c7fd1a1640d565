//! Pins count for the person and the place they were signed for, and for nobody else.

#![expect(clippy::disallowed_methods, reason = "the tests damage the file themselves")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

use std::sync::Arc;

use premath_bd::desk::PersonCredential;
use premath_bd::{NewToolPin, OsDisk, ToolPinStore};
use premath_kernel::{Moment, Value};

fn pin(tool: Option<&str>, digest: &str) -> NewToolPin {
    NewToolPin {
        server: "weather".to_owned(),
        tool: tool.map(str::to_owned),
        digest: digest.to_owned(),
        definition: Value::from("words"),
    }
}

fn jo() -> PersonCredential {
    PersonCredential::new("jo".to_owned(), [7; 32])
}

fn store(folder: &tempfile::TempDir) -> ToolPinStore {
    ToolPinStore::new(Arc::new(OsDisk), folder.path().join(ToolPinStore::FILE_NAME))
}

fn at() -> Moment {
    Moment::new(0, 0).unwrap()
}

#[test]
fn a_pin_counts_for_who_signed_it_where_it_was_signed_as_it_was_signed() {
    let folder = tempfile::TempDir::new().unwrap();
    let store = store(&folder);
    store.approve(&jo(), "/here", &[pin(Some("forecast"), "one")], at()).unwrap();
    let mut row = store.read().unwrap().remove(0);
    assert!(row.is_signed_by(&jo(), "/here"));
    assert!(!row.is_signed_by(&jo(), "/there"));
    assert!(!row.is_signed_by(&PersonCredential::new("jo".to_owned(), [8; 32]), "/here"));
    row.approved.definition = Value::from("other words");
    assert!(!row.is_signed_by(&jo(), "/here"));
}

#[test]
fn what_is_approved_again_takes_the_place_of_what_was_and_a_server_is_forgotten_with_its_tools() {
    let folder = tempfile::TempDir::new().unwrap();
    let store = store(&folder);
    let first = [pin(None, "server"), pin(Some("forecast"), "one"), pin(Some("storms"), "two")];
    store.approve(&jo(), "/here", &first, at()).unwrap();
    store.approve(&jo(), "/here", &[pin(Some("forecast"), "new")], at()).unwrap();
    let digests: Vec<String> = store.read().unwrap().into_iter().map(|row| row.approved.digest).collect();
    assert_eq!(digests, ["server", "new", "two"]);
    assert_eq!(store.forget("weather", Some("storms")).unwrap().len(), 1);
    assert_eq!(store.forget("weather", None).unwrap().len(), 2);
    assert!(store.read().unwrap().is_empty());
}

#[test]
fn a_file_that_is_none_of_ours_is_damage_and_is_left_alone() {
    let folder = tempfile::TempDir::new().unwrap();
    let store = store(&folder);
    store.approve(&jo(), "/here", &[pin(None, "server")], at()).unwrap();
    std::fs::write(store.path(), "{\"pinsKind\": \"premath.tool_pins.v1\", \"pins\": [{}]}").unwrap();
    let error = store.read().unwrap_err().to_string();
    assert!(error.contains("$.pins[0]"), "{error}");
    assert!(store.approve(&jo(), "/here", &[pin(None, "server")], at()).is_err());
}
