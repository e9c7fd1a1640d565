//! What is remembered of providers: it survives, writers do not lose each other's, and what cannot be read is left alone.

#![expect(clippy::disallowed_methods, reason = "the tests look at and damage the file themselves")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use premath_bd::{ModelCircuitStore, OsDisk, StoreError};
use premath_wire::v1::CircuitRow;
use tempfile::TempDir;

fn lane() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(ModelCircuitStore::FILE_NAME);
    (folder, path)
}

fn store(path: &std::path::Path) -> ModelCircuitStore {
    ModelCircuitStore::new(Arc::new(OsDisk), path.to_owned())
}

fn failed_once_more(row: CircuitRow) -> CircuitRow {
    CircuitRow { consecutive_failures: row.consecutive_failures + 1, ..row }
}

#[test]
fn nothing_is_remembered_before_anything_was_recorded() {
    let (_folder, path) = lane();
    assert!(store(&path).read().unwrap().providers.is_empty());
    assert!(!path.exists(), "reading wrote something");
}

#[test]
fn what_is_recorded_of_one_provider_leaves_the_others_and_unknown_members_alone() {
    let (_folder, path) = lane();
    let cooling = |row| CircuitRow {
        cooling_until: Some("2026-11-15T10:00:00Z".to_owned()),
        because: Some("rate_limit".to_owned()),
        ..row
    };
    store(&path).record("one", cooling).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen('{', "{\"later\": true,", 1)).unwrap();
    let row = store(&path).record("two", failed_once_more).unwrap();
    assert_eq!(row.consecutive_failures, 1);
    let circuits = store(&path).read().unwrap();
    assert_eq!(circuits.providers["one"].because.as_deref(), Some("rate_limit"));
    assert_eq!(circuits.providers["two"].consecutive_failures, 1);
    assert!(fs::read_to_string(&path).unwrap().contains("\"later\": true"));
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let (_folder, path) = lane();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    store(&path).record("one", failed_once_more).unwrap();
                }
            });
        }
    });
    assert_eq!(store(&path).read().unwrap().providers["one"].consecutive_failures, 40);
}

#[test]
fn a_document_that_cannot_be_read_is_damage_with_a_place_and_is_not_overwritten() {
    let damaged = [
        "{",
        "{\"schema\":2,\"circuitsKind\":\"premath.model_circuits.v1\",\"providers\":{}}",
        "{\"schema\":1,\"circuitsKind\":\"other\",\"providers\":{}}",
        "{\"schema\":1,\"circuitsKind\":\"premath.model_circuits.v1\",\"providers\":{\"a\":{\"coolingUntil\":\"soon\"}}}",
    ];
    for text in damaged {
        let (_folder, path) = lane();
        fs::write(&path, text).unwrap();
        let told = store(&path).read().unwrap_err();
        assert!(matches!(told, StoreError::Corrupt { .. }), "{text}: {told}");
        assert!(store(&path).record("a", failed_once_more).is_err(), "{text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}
