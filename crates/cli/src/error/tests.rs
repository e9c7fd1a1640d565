//! What each accident of a store ends a command with.

use std::io;
use std::path::PathBuf;

use premath_bd::StoreError;
use premath_host::ActionError;
use premath_wire::{InputClass, InputError, JsonPath};

use super::CliError;
use crate::exit::Exit;

fn path() -> PathBuf {
    PathBuf::from(".premath/issues.jsonl")
}

fn input() -> InputError {
    InputError::new(InputClass::FieldInvalid, "no", JsonPath::root().key("status"))
}

#[test]
fn a_busy_store_is_neither_empty_nor_missing() {
    let error = CliError::action(ActionError::Store(StoreError::Busy { path: path() }));
    assert_eq!(error.exit, Exit::Busy);
    assert_eq!(error.message, "lease_store_busy: `.premath/issues.jsonl` is locked by another process");
    assert_eq!(error.hints, ["another process is writing; try again"]);
}

#[test]
fn what_is_missing_or_damaged_is_the_environment_and_has_a_way_out() {
    for (error, word) in [
        (StoreError::Missing { path: path() }, "premath init"),
        (
            StoreError::Io { doing: "open", path: path(), source: io::ErrorKind::PermissionDenied.into() },
            "permissions",
        ),
        (StoreError::Poisoned { path: path() }, "again"),
        (StoreError::Corrupt { path: path(), detail: "x".to_owned() }, "doctor"),
        (StoreError::Newer { path: path(), found: 9, known: 1 }, "newer"),
        (StoreError::DerivedDamaged { path: path(), detail: "x".to_owned() }, "doctor"),
    ] {
        let said = CliError::store(&error);
        assert_eq!(said.exit, Exit::Environment, "{error}");
        assert!(said.message.starts_with("environment: "), "{}", said.message);
        assert!(
            said.message.lines().count() == 1 && said.message.contains("issues.jsonl"),
            "{}",
            said.message
        );
        assert!(said.hints.iter().any(|hint| hint.contains(word)), "{error}: {:?}", said.hints);
    }
}

#[test]
fn the_reason_of_the_system_is_told() {
    let error = StoreError::Io { doing: "sync", path: path(), source: io::ErrorKind::StorageFull.into() };
    assert!(
        CliError::store(&error).message.ends_with(&io::Error::from(io::ErrorKind::StorageFull).to_string())
    );
}

#[test]
fn what_was_typed_wrong_points_at_the_help_of_its_command() {
    let error = CliError::command(ActionError::Input(input()), "issue update");
    assert_eq!((error.exit, error.message.as_str()), (Exit::Invalid, "input.field_invalid: no at $.status"));
    assert_eq!(error.hints, ["`premath issue update --help` says what it takes"]);
    assert_eq!(CliError::store(&StoreError::Input(input())).exit, Exit::Invalid);
}

#[test]
fn a_second_worker_of_a_name_is_told_that_one_is_running() {
    let path = PathBuf::from(".premath/workers/ann/worker.lock");
    let error = CliError::store(&StoreError::Busy { path });
    assert_eq!(error.exit, Exit::Busy);
    assert_eq!(error.message, "worker_running: a worker named `ann` is running");
}
