//! What the host answers fits the JSON Schemas that are published for it.

#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

mod repository;
mod vectors;

use jsonschema::Validator;
use premath_host::{ACTIONS, VectorSource, explain, governance_check, join_check, run_conformance};
use premath_kernel::{FailureClass, Object, Strictness};
use premath_wire::v1::schema;
use repository::Repository;
use serde::Serialize;
use serde_json::Value;
use vectors::Vectors;

fn validator(name: &str) -> Validator {
    jsonschema::validator_for(schema(name).unwrap().as_value()).unwrap()
}

/// What does not fit, one line each.
fn misfits(validator: &Validator, subject: &str, answer: &impl Serialize) -> Vec<String> {
    let answer = serde_json::to_value(answer).unwrap();
    let errors = validator.iter_errors(&answer);
    errors.map(|error| format!("{subject}: {error} at {}", error.instance_path())).collect()
}

#[track_caller]
fn assert_none(misfits: &[String]) {
    assert!(misfits.is_empty(), "\n{}", misfits.join("\n"));
}

/// Name, document and strictness of every case of a command that can be read.
fn readable(command: &str) -> Vec<(String, Vec<u8>, Strictness)> {
    let cases = Vectors.cases().unwrap().into_iter().filter_map(|case| {
        let expect: Value = serde_json::from_slice(&case.expect).unwrap();
        let says = |name: &str, value: Value| expect.get(name) == Some(&value);
        let strictness = if says("strict", true.into()) { Strictness::Strict } else { Strictness::Lenient };
        let is_readable = says("command", command.into()) && !says("exitCode", 2.into());
        is_readable.then_some((case.name, case.case, strictness))
    });
    cases.collect()
}

#[test]
fn a_hundred_join_check_reports_fit_their_schema() {
    let validator = validator("join-check-report");
    let cases = readable("harness-join-check");
    // Every n-th, so that all groups are among them.
    let stride = cases.len() / 100;
    let sample: Vec<_> = cases.into_iter().step_by(stride).collect();
    assert!(sample.len() >= 100, "only {} cases", sample.len());
    let misfits = sample.into_iter().flat_map(|(name, case, strictness)| {
        misfits(&validator, &name, &join_check(&case, strictness).unwrap().report())
    });
    assert_none(&misfits.collect::<Vec<_>>());
}

#[test]
fn every_governance_report_fits_its_schema() {
    let validator = validator("governance-check-report");
    let cases = readable("governance-check");
    assert!(cases.len() >= 10, "only {} cases", cases.len());
    let misfits = cases.into_iter().flat_map(|(name, case, strictness)| {
        misfits(&validator, &name, &governance_check(&case, strictness).unwrap().report())
    });
    assert_none(&misfits.collect::<Vec<_>>());
}

#[test]
fn explanations_and_conformance_reports_fit_their_schemas() {
    let explanations = validator("explanation");
    let mut found: Vec<String> = FailureClass::ALL
        .iter()
        .flat_map(|class| misfits(&explanations, class.code(), &explain(*class)))
        .collect();
    let report = run_conformance(&Vectors, None).unwrap();
    found.extend(misfits(&validator("conformance-report"), "report", &report));
    assert_none(&found);
}

#[test]
fn the_envelope_fits_its_schema() {
    let arguments = |action: &str| match action {
        "failure.explain" => Object::fields().field("class", "tool.result_orphan").finish(),
        "schema.show" => Object::fields().field("name", "explanation").finish(),
        _ => Object::fields().finish(),
    };
    let validator = validator("host-effect");
    let repository = Repository::new();
    let mut answered = 0;
    for action in ACTIONS {
        if let Ok(effect) = repository.host(&Vectors).call(action.name, &arguments(action.name)) {
            assert_none(&misfits(&validator, action.name, &effect));
            answered += 1;
        }
    }
    assert!(answered >= 10, "{answered} actions answered");
}
