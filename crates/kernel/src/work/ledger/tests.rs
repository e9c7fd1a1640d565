//! Facts about the feature ledger.

use std::string::{String, ToString as _};
use std::vec;
use std::vec::Vec;

use super::{Closure, Feature, FeatureStatus, LedgerClass, check_ledger, closure_complete, next_feature};

const NOW: Option<&str> = Some("2026-01-01T00:00:00Z");

fn feature(id: &str, status: FeatureStatus) -> Feature {
    Feature {
        feature_id: String::from(id),
        status: Some(status),
        session_ref: None,
        instruction_refs: Vec::new(),
        verification_refs: vec![String::from("artifacts/ok.json")],
        updated_at: NOW.map(String::from),
    }
}

fn completed(id: &str) -> Feature {
    feature(id, FeatureStatus::Completed)
}

fn found(features: &[Feature], closure: Closure) -> Vec<(LedgerClass, String)> {
    check_ledger(features, NOW, closure)
}

fn one(class: LedgerClass, subject: &str) -> Vec<(LedgerClass, String)> {
    vec![(class, String::from(subject))]
}

#[test]
fn a_completed_ledger_has_no_problem() {
    assert_eq!(found(&[completed("f-1"), completed("f-2")], Closure::Required), []);
    let going_on = [completed("f-1"), feature("f-2", FeatureStatus::InProgress)];
    assert_eq!(found(&going_on, Closure::NotRequired), []);
}

#[test]
fn an_empty_ledger_is_a_problem_and_is_not_closed() {
    assert_eq!(found(&[], Closure::NotRequired), one(LedgerClass::Empty, "features"));
    let required: Vec<LedgerClass> =
        found(&[], Closure::Required).into_iter().map(|(class, _)| class).collect();
    assert_eq!(required, [LedgerClass::ClosureIncomplete, LedgerClass::Empty]);
    assert!(!closure_complete(&[]));
}

#[test]
fn each_broken_field_has_its_class() {
    let row = || feature("f-1", FeatureStatus::Pending);
    let blank = || vec![String::from(" ")];
    let cases = [
        (Feature { feature_id: String::from(" "), ..row() }, LedgerClass::FeatureIdEmpty, "features[0]"),
        (Feature { status: None, ..row() }, LedgerClass::StatusInvalid, "f-1"),
        (Feature { instruction_refs: blank(), ..row() }, LedgerClass::InstructionRefEmpty, "f-1"),
        (Feature { verification_refs: blank(), ..row() }, LedgerClass::VerificationRefEmpty, "f-1"),
        (Feature { updated_at: None, ..row() }, LedgerClass::FeatureUpdatedAtEmpty, "f-1"),
        (Feature { updated_at: Some(String::new()), ..row() }, LedgerClass::FeatureUpdatedAtEmpty, "f-1"),
    ];
    for (feature, class, subject) in cases {
        assert_eq!(found(&[feature], Closure::NotRequired), one(class, subject));
    }
}

#[test]
fn a_ledger_without_a_time_is_a_problem() {
    for absent in [None, Some(""), Some("  ")] {
        let problems = check_ledger(&[completed("f-1")], absent, Closure::Required);
        assert_eq!(problems, one(LedgerClass::UpdatedAtEmpty, "updatedAt"));
    }
}

#[test]
fn completion_needs_a_reference_that_says_something() {
    let unverified = Feature { verification_refs: Vec::new(), ..completed("f-1") };
    let class = LedgerClass::CompletedMissingVerificationRef;
    assert_eq!(found(core::slice::from_ref(&unverified), Closure::NotRequired), one(class, "f-1"));
    assert!(!closure_complete(&[unverified]));
    let blank = Feature { verification_refs: vec![String::from("\t")], ..completed("f-1") };
    assert!(!closure_complete(core::slice::from_ref(&blank)));
    let classes: Vec<LedgerClass> =
        found(&[blank], Closure::Required).into_iter().map(|(class, _)| class).collect();
    assert_eq!(classes, [LedgerClass::ClosureIncomplete, class, LedgerClass::VerificationRefEmpty]);
}

#[test]
fn one_id_names_one_feature() {
    let twice = [completed("f-1"), completed("f-2"), completed(" f-1")];
    assert_eq!(found(&twice, Closure::Required), one(LedgerClass::FeatureIdDuplicate, "f-1"));
}

#[test]
fn a_session_works_on_one_feature_at_a_time() {
    let under = |id, session: Option<&str>| Feature {
        session_ref: session.map(String::from),
        ..feature(id, FeatureStatus::InProgress)
    };
    assert_eq!(
        found(&[under("a", Some("s1")), under("b", Some("s2")), under("c", None)], Closure::NotRequired),
        []
    );
    let class = LedgerClass::InProgressNonContractible;
    let both = |one: &str, other: &str| vec![(class, String::from(one)), (class, String::from(other))];
    assert_eq!(
        found(&[under("b", Some("s1")), under("a", Some(" s1 "))], Closure::NotRequired),
        both("a", "b")
    );
    assert_eq!(found(&[under("a", None), under("b", Some(" "))], Closure::NotRequired), both("a", "b"));
}

#[test]
fn a_required_closure_names_each_feature_that_is_not_done() {
    let features =
        [completed("a"), feature("c", FeatureStatus::Blocked), feature("b", FeatureStatus::Pending)];
    let class = LedgerClass::ClosureIncomplete;
    assert_eq!(found(&features, Closure::Required), [(class, String::from("b")), (class, String::from("c"))]);
    assert!(!closure_complete(&features));
    assert!(closure_complete(&features[..1]));
}

#[test]
fn the_next_feature_is_the_smallest_in_progress_else_the_smallest_pending() {
    let pending = |id| feature(id, FeatureStatus::Pending);
    let in_progress = |id| feature(id, FeatureStatus::InProgress);
    assert_eq!(next_feature(&[pending("f-1"), in_progress("f-10"), in_progress("f-9")]), Some("f-9"));
    assert_eq!(next_feature(&[pending("f-10"), pending("f-2"), completed("f-1")]), Some("f-2"));
    assert_eq!(next_feature(&[completed("f-1"), feature("f-2", FeatureStatus::Blocked)]), None);
    assert_eq!(next_feature(&[in_progress(" "), pending("f-3")]), Some("f-3"));
    assert_eq!(next_feature(&[]), None);
}

#[test]
fn a_status_is_read_back_from_its_token_and_nothing_else() {
    for status in FeatureStatus::ALL {
        assert_eq!(FeatureStatus::from_token(status.token()), Some(status));
    }
    assert_eq!(FeatureStatus::from_token(" Completed "), Some(FeatureStatus::Completed));
    assert_eq!(FeatureStatus::from_token("done"), None);
}

#[test]
fn the_classes_are_sorted_and_carry_the_prefix_of_the_ledger() {
    assert!(LedgerClass::ALL.is_sorted_by(|one, next| one.code() < next.code() && one < next));
    assert!(LedgerClass::ALL.iter().all(|class| class.code().starts_with("harness_feature_ledger.")));
    assert_eq!(LedgerClass::ALL.len(), 11);
    assert_eq!(LedgerClass::Empty.to_string(), "harness_feature_ledger.empty");
}
