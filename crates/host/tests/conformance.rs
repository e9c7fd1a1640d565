//! Every conformance vector against this build, and the promise that the vectors pin each failure class down.

#![expect(clippy::unwrap_used, reason = "a vector that cannot be read fails the test")]

mod vectors;

use std::collections::BTreeMap;

use premath_host::{Case, VectorSource, governance_check, join_check, run_conformance};
use premath_kernel::{FailureClass, Refusal, Strictness};
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{Expectation, VectorCommand};
use premath_wire::{UnknownFields, decode};
use vectors::Vectors;

/// Classes that a turn which is not joined reports beside `tool.join_incomplete`.
const JOIN_CLASSES: [FailureClass; 5] = [
    FailureClass::ResultMissing,
    FailureClass::ResultOrphan,
    FailureClass::UseMissing,
    FailureClass::UseUnknownResult,
    FailureClass::UseWithoutResult,
];

/// Seed: 001 §8/2, 001 §8/4, 001 §6.3/7, 001 §8/17, 001 §8/18, 004 §5/*, 004 §7/*, 001 §4.5/*, 001 §4.4/*
#[test]
fn every_vector_gives_what_it_expects() {
    let report = run_conformance(&Vectors, None).unwrap();
    for failure in &report.failures {
        for difference in &failure.differences {
            eprintln!("{}: {difference}", failure.name);
        }
    }
    assert_eq!(report.failed, 0, "{} passed", report.passed);
    assert_eq!(report.uncovered_classes, [""; 0], "classes that no vector is the trigger for");
    assert!(report.passed >= 150, "only {} vectors", report.passed);
}

/// Seed: 001 §7/1-41, 004 §8/*
#[test]
fn every_class_has_a_vector_that_triggers_exactly_it_beside_an_accepted_neighbour() {
    let cases = Vectors.cases().unwrap();
    let all: BTreeMap<&str, (&Case, Expectation)> =
        cases.iter().map(|case| (case.name.as_str(), (case, expectation(case)))).collect();
    let is_accepted = |name: &String| {
        all.get(name.as_str()).is_some_and(|(case, expected)| classes(case, expected).as_deref() == Some(&[]))
    };
    let mut without = Vec::new();
    for class in FailureClass::ALL {
        let exact = alone(*class);
        let triggers =
            all.values().filter(|(_, expected)| expected.covers.iter().any(|code| code == class.code()));
        let pinned = triggers
            .filter(|(_, expected)| expected.neighbour.as_ref().is_some_and(is_accepted))
            .any(|(case, expected)| classes(case, expected).as_ref() == Some(&exact));
        if !pinned {
            without.push(class.code());
        }
    }
    assert_eq!(without, [""; 0], "no vector triggers exactly these, next to an accepted one");
}

/// The classes of a turn with nothing wrong but `class`.
fn alone(class: FailureClass) -> Vec<FailureClass> {
    let mut classes = vec![class];
    if JOIN_CLASSES.contains(&class) {
        classes.push(FailureClass::JoinIncomplete);
        classes.sort();
    }
    classes
}

fn expectation(case: &Case) -> Expectation {
    decode(&parse(&case.expect, Limits::default()).unwrap(), UnknownFields::Ignore).unwrap()
}

/// What the case is refused for, nothing when it is accepted; none when it cannot be read.
fn classes(case: &Case, expected: &Expectation) -> Option<Vec<FailureClass>> {
    let strictness = if expected.strict { Strictness::Strict } else { Strictness::Lenient };
    let of = |refusal: Option<&Refusal>| refusal.map(Refusal::classes).unwrap_or_default();
    if expected.command == VectorCommand::GovernanceCheck {
        let checked = governance_check(&case.case, strictness).ok()?;
        Some(of(checked.refusal.as_ref()))
    } else {
        let checked = join_check(&case.case, strictness).ok()?;
        Some(of(checked.assessment.refusal()))
    }
}
