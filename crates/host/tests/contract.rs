//! What belongs together exists together: classes with pages, vectors and emitters; actions with schemas and answers.

#![expect(clippy::disallowed_methods, reason = "pages and sources are read from files")]
#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

mod repository;
mod vectors;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use premath_host::{
    ACTIONS, ActionError, VectorSource, explain, governance_check, join_check, run_conformance,
};
use premath_kernel::{FailureClass, Object, Strictness, Value};
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{HOST_EFFECT_SCHEMA, SCHEMA_NAMES, schema};
use repository::Repository;
use serde::Serialize;
use vectors::Vectors;

/// Where a class may be given as the reason of a refusal.
const EMITTERS: [&str; 5] = [
    "crates/kernel/src/checks.rs",
    "crates/kernel/src/checks",
    "crates/kernel/src/normalize.rs",
    "crates/kernel/src/normalize",
    "crates/kernel/src/policy/kind.rs",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn codes() -> BTreeSet<String> {
    FailureClass::ALL.iter().map(|class| class.code().to_owned()).collect()
}

#[test]
fn every_class_has_a_page_and_every_page_a_class() {
    let folder = root().join("docs/failures");
    let pages: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|name| name.strip_suffix(".md").map_or_else(|| format!("{name} is no page"), str::to_owned))
        .collect();
    assert_eq!(pages, codes());
}

#[test]
fn every_class_has_a_vector_that_is_its_trigger() {
    let mut covered = BTreeSet::new();
    for case in Vectors.cases().unwrap() {
        let expect: serde_json::Value = serde_json::from_slice(&case.expect).unwrap();
        let covers = expect.get("covers").and_then(serde_json::Value::as_array);
        covered.extend(covers.into_iter().flatten().map(|code| code.as_str().unwrap().to_owned()));
    }
    assert_eq!(covered, codes());
}

/// Seed: 001 §7/*, 004 §8/*, 001 §6.1/1
#[test]
fn every_class_has_an_emitter_in_the_kernel() {
    let mut sources = String::new();
    for place in EMITTERS {
        collect(&root().join(place), &mut sources);
    }
    let words: BTreeSet<&str> =
        sources.split(|letter: char| !letter.is_alphanumeric() && letter != ':').collect();
    let silent: Vec<&FailureClass> = FailureClass::ALL
        .iter()
        .filter(|class| !words.contains(format!("FailureClass::{class:?}").as_str()))
        .collect();
    assert!(silent.is_empty(), "nothing emits {silent:?}");
}

/// The sources of the kernel without its tests: a test that expects a class does not emit it.
fn collect(path: &Path, sources: &mut String) {
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), sources);
        }
    } else if path.file_name().is_some_and(|name| name != "tests.rs") {
        sources.push_str(&fs::read_to_string(path).unwrap());
    }
}

/// Seed: 002 §9/3, 002 §14.2/*
#[test]
fn actions_are_sorted_and_unique_and_each_answers_in_a_schema_that_exists() {
    assert!(ACTIONS.is_sorted_by(|left, right| left.name < right.name), "names");
    let commands: BTreeSet<&str> = ACTIONS.iter().map(|action| action.command).collect();
    assert_eq!(commands.len(), ACTIONS.len(), "two actions share a command");
    assert!(SCHEMA_NAMES.is_sorted_by(|left, right| left < right), "schema names");
    for name in SCHEMA_NAMES {
        assert!(schema(name).is_some(), "{name} has no schema");
    }
    for action in ACTIONS {
        let is_known = action.output_schema == "json-schema" || SCHEMA_NAMES.contains(&action.output_schema);
        assert!(is_known, "{}: {}", action.name, action.output_schema);
    }
}

#[test]
fn an_action_answers_by_name_what_its_function_answers() {
    let profile = br#"{"governanceProfile":{"claimed":true}}"#;
    let turn = Vectors
        .cases()
        .unwrap()
        .into_iter()
        .find(|case| case.name.ends_with("/single_call_accept"))
        .unwrap()
        .case;
    let document = |bytes: &'static [u8]| parse(bytes, Limits::default()).unwrap();
    let turn: &'static [u8] = turn.leak();
    let repository = Repository::new();
    for action in ACTIONS.iter().filter(|action| !works_on_a_repository(action.name)) {
        let (arguments, typed) = match action.name {
            "conformance.run" => (
                Object::fields().field("suite", "governance"),
                written(&run_conformance(&Vectors, Some("governance")).unwrap()),
            ),
            "failure.explain" => (
                Object::fields().field("class", "tool.result_orphan"),
                written(&explain(FailureClass::ResultOrphan)),
            ),
            "governance.check" => (
                Object::fields().field("document", document(profile)),
                written(&governance_check(profile, Strictness::Lenient).unwrap().report()),
            ),
            "harness.join_check" => (
                Object::fields().field("document", document(turn)).field("strict", true),
                written(&join_check(turn, Strictness::Strict).unwrap().report()),
            ),
            "schema.show" => {
                (Object::fields().field("name", "host-effect"), written(&schema("host-effect").unwrap()))
            }
            other => panic!("{other} is not compared with a function: add it here"),
        };
        let effect = repository.host(&Vectors).call(action.name, &arguments.finish()).unwrap();
        assert_eq!(effect.payload.get(), typed, "{}", action.name);
        assert_eq!((effect.action, effect.schema), (action.name, HOST_EFFECT_SCHEMA));
        assert!(is_host_digest(&effect.args_digest), "{}: {}", action.name, effect.args_digest);
    }
}

/// What these answer depends on a repository; other tests compare it with their schemas.
fn works_on_a_repository(name: &str) -> bool {
    const FAMILIES: [&str; 33] = [
        "approval.",
        "audit.",
        "coherence.",
        "config.",
        "conversation.",
        "dep.",
        "desk.",
        "eval.",
        "guard.",
        "harness.boot",
        "harness.feature.",
        "harness.kpi.",
        "harness.session.",
        "harness.step",
        "harness.stop",
        "harness.trajectory.",
        "instruction.",
        "issue.",
        "metrics.",
        "model.",
        "observe.",
        "permit.",
        "policy.",
        "proposal.",
        "redteam.",
        "required.",
        "run.",
        "sandbox.",
        "scheme.",
        "step.",
        "tool.",
        "turn.",
        "workspace.",
    ];
    FAMILIES.iter().any(|family| name.starts_with(family))
}

fn written(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap()
}

fn is_host_digest(text: &str) -> bool {
    text.strip_prefix("he1_").is_some_and(|hex| {
        hex.len() == 64 && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Seed: 002 §14.1/1, 002 §14.1/2
#[test]
fn an_envelope_carries_the_verdict_and_its_witness() {
    let repository = Repository::new();
    let call = |name: &str, document: &'static [u8]| {
        let document = parse(document, Limits::default()).unwrap();
        repository.host(&Vectors).call(name, &Object::fields().field("document", document).finish()).unwrap()
    };
    let refused = call("governance.check", br#"{"governanceProfile":{"claimed":true}}"#);
    assert_eq!(refused.result_class, "rejected");
    assert!(refused.failure_classes.contains(&"governance.policy_package_unpinned".to_owned()));
    let case =
        Vectors.cases().unwrap().into_iter().find(|case| case.name.ends_with("/single_call_accept")).unwrap();
    let accepted = call("harness.join_check", case.case.leak());
    assert_eq!((accepted.result_class.as_str(), accepted.failure_classes.len()), ("accepted", 0));
    let report: serde_json::Value = serde_json::from_str(accepted.payload.get()).unwrap();
    assert_eq!(accepted.witness_refs, [report["witness"]["witnessId"].as_str().unwrap()]);
}

/// Seed: 002 §14.1/1
#[test]
fn equal_arguments_have_equal_digests_and_others_have_others() {
    let repository = Repository::new();
    let digest = |name: &'static str| {
        let arguments = Object::fields().field("name", name).finish();
        repository.host(&Vectors).call("schema.show", &arguments).unwrap().args_digest
    };
    assert_eq!(digest("host-effect"), digest("host-effect"));
    assert_ne!(digest("host-effect"), digest("explanation"));
}

#[test]
fn an_unknown_action_is_named() {
    let repository = Repository::new();
    let error = repository.host(&Vectors).call("issue.levitate", &Value::Null).unwrap_err();
    assert!(matches!(&error, ActionError::Unknown { name } if name == "issue.levitate"));
    assert_eq!(error.to_string(), "host_action_unknown: no action `issue.levitate`");
}

#[test]
fn arguments_that_are_missing_are_an_input_error_with_a_path() {
    let repository = Repository::new();
    for (action, argument) in [
        ("failure.explain", "class"),
        ("governance.check", "document"),
        ("harness.join_check", "document"),
        ("schema.show", "name"),
        ("issue.add", "title"),
        ("issue.claim", "id"),
        ("issue.claim_next", "assignee"),
        ("issue.discover", "title"),
        ("issue.history", "id"),
        ("issue.import", "source"),
        ("issue.lease_release", "id"),
        ("issue.lease_renew", "id"),
        ("issue.show", "id"),
        ("issue.update", "id"),
        ("dep.add", "id"),
        ("dep.remove", "id"),
        ("dep.replace", "id"),
    ] {
        let error = repository.host(&Vectors).call(action, &Object::fields().finish()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("input.field_missing: missing field at $.{argument}"),
            "{action}"
        );
    }
}
