//! The published JSON Schemas: what is committed is what the types say, and it admits what the decoder admits.
//!
//! `PREMATH_UPDATE=1` writes the files anew.

#![expect(
    clippy::disallowed_methods,
    reason = "schemas and vectors are read from files, and schemas written on request"
)]
#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

use std::path::{Path, PathBuf};
use std::{env, fs};

use jsonschema::Validator;
use premath_wire::v1::{SCHEMA_NAMES, schema};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn every_schema_is_committed_as_it_is_generated() {
    let folder = root().join("schemas");
    let is_update = env::var("PREMATH_UPDATE").is_ok_and(|value| value == "1");
    for name in SCHEMA_NAMES {
        let generated = format!("{}\n", serde_json::to_string_pretty(&schema(name).unwrap()).unwrap());
        let file = folder.join(name).with_extension("json");
        if is_update {
            fs::write(&file, &generated).unwrap();
        }
        let committed = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            committed == generated,
            "{} is not what the types say; PREMATH_UPDATE=1 writes it",
            file.display()
        );
    }
}

#[test]
fn no_schema_is_committed_that_nobody_generates() {
    let mut files: Vec<String> = fs::read_dir(root().join("schemas"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let mut named = SCHEMA_NAMES.map(|name| format!("{name}.json"));
    named.sort();
    assert_eq!(files, named);
}

#[test]
fn an_unknown_name_has_no_schema() {
    assert!(schema("turn").is_none() && schema("").is_none());
}

/// One vector: its path, its document as JSON where it is that, and its expectation.
struct Vector {
    name: String,
    case: Option<Value>,
    expect: Value,
}

fn vectors() -> Vec<Vector> {
    let mut vectors = Vec::new();
    collect(&root().join("conformance"), &mut vectors);
    vectors.sort_by(|left, right| left.name.cmp(&right.name));
    assert!(vectors.len() >= 150, "only {} vectors", vectors.len());
    vectors
}

fn collect(folder: &Path, vectors: &mut Vec<Vector>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.join("expect.json").exists() {
            vectors.push(Vector {
                name: path.display().to_string(),
                case: serde_json::from_slice(&fs::read(path.join("case.json")).unwrap()).ok(),
                expect: serde_json::from_slice(&fs::read(path.join("expect.json")).unwrap()).unwrap(),
            });
        } else if path.is_dir() {
            collect(&path, vectors);
        }
    }
}

fn validator(name: &str) -> Validator {
    jsonschema::validator_for(schema(name).unwrap().as_value()).unwrap()
}

/// What does not fit, one line each.
fn misfits(validator: &Validator, name: &str, document: &Value) -> Vec<String> {
    let errors = validator.iter_errors(document);
    errors.map(|error| format!("{name}: {error} at {}", error.instance_path())).collect()
}

#[track_caller]
fn assert_none(misfits: &[String]) {
    assert!(misfits.is_empty(), "{} misfits\n{}", misfits.len(), misfits.join("\n"));
}

#[test]
fn every_case_that_is_read_fits_the_schema_of_its_command() {
    let join_check = validator("join-check-input");
    let governance_check = validator("governance-check-input");
    let mut found = Vec::new();
    for vector in vectors().iter().filter(|vector| vector.expect["exitCode"] != 2) {
        let validator = match vector.expect["command"].as_str() {
            Some("harness-join-check") => &join_check,
            Some("governance-check") => &governance_check,
            other => panic!("{}: no schema for {other:?}", vector.name),
        };
        found.extend(misfits(validator, &vector.name, vector.case.as_ref().unwrap()));
    }
    assert_none(&found);
}

#[test]
fn every_expectation_fits_its_schema() {
    let validator = validator("conformance-expectation");
    let found = vectors()
        .iter()
        .flat_map(|vector| misfits(&validator, &vector.name, &vector.expect))
        .collect::<Vec<_>>();
    assert_none(&found);
}

/// The other groups of decoder cases are about what no schema says: syntax, rows that contradict each other, and members
/// that only `--strict` refuses.
#[test]
fn a_case_with_a_field_that_cannot_be_read_does_not_fit_either() {
    let join_check = validator("join-check-input");
    let governance_check = validator("governance-check-input");
    let mut admitted = Vec::new();
    for vector in vectors().iter().filter(|vector| vector.name.contains("/decoder/fields/")) {
        let validator = match vector.expect["command"].as_str() {
            Some("harness-join-check") => &join_check,
            _ => &governance_check,
        };
        if vector.case.as_ref().is_some_and(|case| validator.is_valid(case)) {
            admitted.push(vector.name.clone());
        }
    }
    assert_none(&admitted);
}
