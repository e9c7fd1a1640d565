//! The data set that comes with the repository: what it is made of and how the guards that are built in do on it.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads its data and prints what it counted"
)]

use std::path::Path;
use std::sync::Arc;

use premath_guards::{
    GuardSettings, PathSettings, PiiSettings, Redactor, StageActions, UrlSettings, built_in, evaluate,
    read_dataset,
};
use premath_tusk::policy::{GuardAction, Guards};

fn text() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/guardrails/dataset.jsonl");
    std::fs::read_to_string(path).unwrap()
}

fn guards() -> Guards {
    let flag = Some(GuardAction::Flag);
    let pii = PiiSettings {
        actions: StageActions { input: flag, output: flag, ..StageActions::NONE },
        ..PiiSettings::default()
    };
    let settings = GuardSettings {
        pii: Some(pii),
        urls: Some(UrlSettings { hosts: vec!["*.example.org".to_owned()], schemes: Vec::new() }),
        paths: Some(PathSettings { allowed: vec!["src/**".to_owned()] }),
        ..GuardSettings::default()
    };
    let guards = Guards::boot(built_in(&settings).unwrap().into_iter().map(Arc::from).collect());
    assert!(guards.health().all(|(_, why)| why.is_none()));
    guards
}

#[test]
fn it_is_large_enough_and_half_of_it_is_harmless() {
    let rows = read_dataset(&text()).unwrap();
    let harmless = rows.iter().filter(|row| !row.expected).count();
    assert!(rows.len() >= 120, "{}", rows.len());
    assert!(harmless * 5 >= rows.len() * 2, "{harmless} of {}", rows.len());
}

#[test]
fn no_line_of_it_is_taken_for_a_secret_as_it_is_kept() {
    let text = text();
    for (number, line) in text.lines().enumerate() {
        let findings = Redactor::new().redact(line).findings;
        assert!(findings.is_empty(), "line {}: {findings:?}", number + 1);
    }
}

#[test]
fn the_guards_that_are_built_in_miss_nothing_of_it() {
    let evaluation = evaluate(&guards(), &read_dataset(&text()).unwrap());
    eprintln!("{}", serde_json::to_string_pretty(&evaluation.to_json()["overall"]).unwrap());
    assert_eq!(evaluation.misses, []);
    for row in &evaluation.labels {
        assert_eq!(row.confusion.false_negatives, 0, "{}", row.label);
    }
}
