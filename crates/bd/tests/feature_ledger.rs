//! The feature ledger on a real file system: rows that are written, refused, checked, and kept as others left them.

#![expect(clippy::disallowed_methods, reason = "the tests look at and damage the files themselves")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::{FeatureChange, FeatureLedgerStore, FeatureWritten, Ledger, OsDisk, StoreError};
use premath_kernel::{Closure, FeatureStatus, LedgerClass, Moment, Value};
use tempfile::TempDir;

struct Lane {
    _folder: TempDir,
    path: PathBuf,
}

impl Lane {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("harness_feature_ledger.json");
        Self { _folder: folder, path }
    }

    fn of(rows: &str) -> Self {
        let lane = Self::new();
        lane.put(&format!(
            r#"{{"schema":1,"ledgerKind":"premath.harness.feature_ledger.v1","updatedAt":"2026-01-01T00:00:00Z","features":[{rows}]}}"#
        ));
        lane
    }

    fn put(&self, text: &str) {
        fs::write(&self.path, text).unwrap();
    }

    fn store(&self) -> FeatureLedgerStore {
        FeatureLedgerStore::new(Arc::new(OsDisk), self.path.clone())
    }

    fn write(&self, change: &FeatureChange) -> FeatureWritten {
        self.store().write(change, &Moment::new(1_763_190_772, 0).unwrap()).unwrap()
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.path).unwrap()
    }
}

fn change(id: &str, status: FeatureStatus) -> FeatureChange {
    FeatureChange {
        feature_id: id.to_owned(),
        status,
        issue_id: None,
        summary: None,
        session_ref: None,
        instruction_refs: None,
        verification_refs: None,
    }
}

fn verified(id: &str) -> FeatureChange {
    FeatureChange { verification_refs: Some(vec!["w1_x".to_owned()]), ..change(id, FeatureStatus::Completed) }
}

fn ids(ledger: &Ledger) -> Vec<&str> {
    ledger.document.features.iter().map(|row| row.feature_id.as_str()).collect()
}

fn problems(rows: &str, closure: Closure) -> Vec<(LedgerClass, String)> {
    Lane::of(rows).store().read().unwrap().problems(closure)
}

/// A row that nothing is wrong with, and `with` in place of its last members.
fn row(with: &str) -> String {
    format!(r#"{{"featureId":"f1","status":"pending","updatedAt":"2026-01-01T00:00:00Z"{with}}}"#)
}

#[test]
fn rows_are_unique_and_in_natural_order() {
    let lane = Lane::new();
    for id in ["f10", "f2", "f1", "f2"] {
        assert_eq!(lane.write(&change(&format!(" {id} "), FeatureStatus::Pending)).refused, []);
    }
    let ledger = lane.store().read().unwrap();
    assert_eq!(
        (ids(&ledger), ledger.next(), ledger.is_closed()),
        (vec!["f1", "f2", "f10"], Some("f1"), false)
    );
    assert_eq!(ledger.document.updated_at.as_deref(), Some("2025-11-15T07:12:52Z"));
    assert_eq!(ledger.problems(Closure::NotRequired), []);
}

#[test]
fn what_is_in_progress_comes_next_then_what_is_pending_then_nothing() {
    let lane = Lane::new();
    lane.write(&change("f1", FeatureStatus::Pending));
    lane.write(&change("f2", FeatureStatus::InProgress));
    assert_eq!(lane.store().read().unwrap().next(), Some("f2"));
    lane.write(&verified("f2"));
    assert_eq!(lane.store().read().unwrap().next(), Some("f1"));
    lane.write(&change("f1", FeatureStatus::Blocked));
    assert_eq!(lane.store().read().unwrap().next(), None);
    lane.write(&verified("f1"));
    let ledger = lane.store().read().unwrap();
    assert!(ledger.is_closed() && ledger.problems(Closure::Required).is_empty());
}

#[test]
fn a_row_keeps_what_is_not_said_and_loses_what_is_blank() {
    let lane = Lane::new();
    let full = FeatureChange {
        issue_id: Some("bd-1".into()),
        summary: Some(" sum ".into()),
        session_ref: Some("s".into()),
        instruction_refs: Some(vec!["b".into(), " a".into(), "b".into()]),
        ..verified("f1")
    };
    lane.write(&full);
    let kept = lane.write(&change("f1", FeatureStatus::Blocked));
    let expected = r#"{"featureId":"f1","instructionRefs":["a","b"],"issueId":"bd-1","sessionRef":"s","status":"blocked","summary":"sum","updatedAt":"2025-11-15T07:12:52Z","verificationRefs":["w1_x"]}"#;
    assert_eq!(String::from_utf8(premath_kernel::encode(&kept.row)).unwrap(), expected);
    let cleared = FeatureChange {
        issue_id: Some(" ".into()),
        summary: Some(String::new()),
        session_ref: Some(String::new()),
        instruction_refs: Some(vec![String::new()]),
        verification_refs: Some(Vec::new()),
        ..change("f1", FeatureStatus::Pending)
    };
    let row = lane.write(&cleared).row;
    assert_eq!(
        String::from_utf8(premath_kernel::encode(&row)).unwrap(),
        r#"{"featureId":"f1","status":"pending","updatedAt":"2025-11-15T07:12:52Z"}"#
    );
}

#[test]
fn a_write_that_would_break_a_rule_is_refused_and_writes_nothing() {
    let lane = Lane::new();
    let unverified = lane.write(&change("f1", FeatureStatus::Completed));
    assert_eq!(unverified.refused, [(LedgerClass::CompletedMissingVerificationRef, "f1".to_owned())]);
    assert!(unverified.ledger.is_none() && !lane.path.exists());
    lane.write(&change("f1", FeatureStatus::InProgress));
    let before = lane.text();
    let second = lane.write(&change("f2", FeatureStatus::InProgress));
    let crowded = |id: &str| (LedgerClass::InProgressNonContractible, id.to_owned());
    assert_eq!(second.refused, [crowded("f1"), crowded("f2")]);
    assert_eq!((ids(second.ledger.as_ref().unwrap()), lane.text()), (vec!["f1"], before));
    let elsewhere =
        FeatureChange { session_ref: Some("s2".into()), ..change("f2", FeatureStatus::InProgress) };
    assert_eq!(lane.write(&elsewhere).refused, []);
}

#[test]
fn what_is_broken_already_does_not_stand_in_the_way_of_another_row() {
    let lane = Lane::of(r#"{"featureId":"f1","status":"completed","updatedAt":"2026-01-01T00:00:00Z"}"#);
    assert_eq!(lane.write(&change("f2", FeatureStatus::Pending)).refused, []);
    assert_eq!(lane.write(&verified("f1")).refused, []);
    assert_eq!(lane.store().read().unwrap().problems(Closure::NotRequired), []);
}

#[test]
fn a_feature_that_is_there_twice_is_not_written() {
    let lane = Lane::of(&format!("{},{}", row(""), row(r#","summary":"the other""#)));
    let before = lane.text();
    let written = lane.write(&change("f1", FeatureStatus::Blocked));
    assert_eq!(written.refused, [(LedgerClass::FeatureIdDuplicate, "f1".to_owned())]);
    assert_eq!(lane.text(), before);
    assert_eq!(lane.write(&change("f2", FeatureStatus::Pending)).refused, []);
    assert_eq!(ids(&lane.store().read().unwrap()), ["f1", "f1", "f2"]);
}

#[test]
fn each_class_has_its_trigger_and_the_nearest_row_without_it() {
    use LedgerClass as Class;
    let updated = r#","updatedAt":"2026-01-01T00:00:00Z"}"#;
    let in_progress =
        |id: &str, session: &str| format!(r#"{{"featureId":"{id}","status":"in_progress"{session}{updated}"#);
    let cases: Vec<(Class, String, String)> = vec![
        (Class::Empty, String::new(), row("")),
        (Class::FeatureIdEmpty, row("").replace("f1", " "), row("")),
        (Class::FeatureIdEmpty, row("").replace(r#""featureId":"f1","#, ""), row("")),
        (
            Class::FeatureIdDuplicate,
            format!("{},{}", row(""), row("").replace("f1", " f1 ")),
            format!("{},{}", row(""), row("").replace("f1", "F1")),
        ),
        (Class::StatusInvalid, row("").replace("pending", "done"), row("").replace("pending", " Pending ")),
        (Class::StatusInvalid, row("").replace(r#""status":"pending","#, ""), row("")),
        (
            Class::CompletedMissingVerificationRef,
            row("").replace("pending", "completed"),
            row(r#","verificationRefs":["w"]"#).replace("pending", "completed"),
        ),
        (
            Class::InstructionRefEmpty,
            row(r#","instructionRefs":["a"," "]"#),
            row(r#","instructionRefs":["a"]"#),
        ),
        (
            Class::VerificationRefEmpty,
            row(r#","verificationRefs":["a",""]"#),
            row(r#","verificationRefs":["a"]"#),
        ),
        (
            Class::InProgressNonContractible,
            format!("{},{}", in_progress("f1", ""), in_progress("f2", r#","sessionRef":" ""#)),
            format!("{},{}", in_progress("f1", ""), in_progress("f2", r#","sessionRef":"s""#)),
        ),
        (Class::FeatureUpdatedAtEmpty, row("").replace("2026-01-01T00:00:00Z", ""), row("")),
        (
            Class::FeatureUpdatedAtEmpty,
            row("").replace(r#","updatedAt":"2026-01-01T00:00:00Z""#, ""),
            row(""),
        ),
    ];
    for (class, trigger, neighbour) in cases {
        let classes: Vec<Class> =
            problems(&trigger, Closure::NotRequired).into_iter().map(|(class, _)| class).collect();
        assert!(!classes.is_empty() && classes.iter().all(|found| *found == class), "{class}: {classes:?}");
        assert_eq!(problems(&neighbour, Closure::NotRequired), [], "{class}");
    }
    let done = row(r#","verificationRefs":["w"]"#).replace("pending", "completed");
    assert_eq!(problems(&row(""), Closure::Required), [(Class::ClosureIncomplete, "f1".to_owned())]);
    assert_eq!(problems(&done, Closure::Required), []);
    let lane = Lane::of(&row(""));
    lane.put(&lane.text().replacen(r#""updatedAt":"2026-01-01T00:00:00Z","#, "", 1));
    assert_eq!(
        lane.store().read().unwrap().problems(Closure::NotRequired),
        [(Class::UpdatedAtEmpty, "updatedAt".to_owned())]
    );
}

#[test]
fn fields_that_are_not_ours_stay_in_the_ledger_and_in_its_rows() {
    let lane = Lane::of(&row(r#","theirs":{"a":[1]}"#));
    lane.put(&lane.text().replacen('{', r#"{"alsoTheirs":true,"#, 1));
    lane.write(&change("f1", FeatureStatus::Blocked));
    lane.write(&change("f0", FeatureStatus::Pending));
    let ledger = lane.store().read().unwrap();
    assert_eq!(ledger.whole.as_object().unwrap().get("alsoTheirs"), Some(&Value::Bool(true)));
    let theirs = ledger.row("f1").unwrap().as_object().unwrap().get("theirs").unwrap();
    assert_eq!(premath_kernel::encode(theirs), br#"{"a":[1]}"#);
    assert_eq!(ids(&ledger), ["f0", "f1"]);
}

#[test]
fn damage_is_named_by_its_place_and_left_alone() {
    let cases = [
        ("nonsense".to_owned(), "input.json_invalid"),
        (Lane::of(r#"{"featureId":7}"#).text(), "at $.features[0].featureId"),
        (Lane::of(&format!("{},3", row(""))).text(), "at $.features[1]"),
        (Lane::of(&row("").replace("2026-01-01T", "1 Jan ")).text(), "at $.features[0].updatedAt"),
        (Lane::of("").text().replace("feature_ledger.v1", "feature_ledger.v2"), "at $.ledgerKind"),
        (Lane::of("").text().replace(r#""schema":1"#, r#""schema":3"#), "at $.schema"),
    ];
    for (damaged, place) in cases {
        let lane = Lane::new();
        lane.put(&damaged);
        let write = lane.store().write(&change("f1", FeatureStatus::Pending), &Moment::EPOCH);
        for error in [lane.store().read().unwrap_err(), write.unwrap_err()] {
            assert!(
                matches!(&error, StoreError::Corrupt { detail, .. } if detail.contains(place)),
                "{place}: {error}"
            );
        }
        assert_eq!(lane.text(), damaged);
    }
}

#[test]
fn a_blank_id_and_a_missing_ledger_are_different_errors() {
    let lane = Lane::new();
    let blank = lane.store().write(&change(" ", FeatureStatus::Pending), &Moment::EPOCH).unwrap_err();
    assert!(matches!(&blank, StoreError::Input(error) if error.path.to_string() == "$.featureId"), "{blank}");
    assert!(matches!(lane.store().read().unwrap_err(), StoreError::Missing { .. }));
}
