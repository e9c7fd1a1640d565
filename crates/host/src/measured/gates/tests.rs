//! Gates: what is milder than what, and which data are too few.

use std::collections::BTreeMap;

use premath_bd::PolicyFiles;
use premath_wire::v1::{ConfusionRow, GuardTimeRow, GuardrailsResult};

use super::Gates;

fn gates(evaluation: &str, red_team: &str) -> Gates {
    let files = [("gates/eval-gate.json", evaluation), ("gates/redteam-gate.json", red_team)];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    Gates::of(&PolicyFiles::new(BTreeMap::from(files))).unwrap()
}

fn counted(positive: u64, negative: u64) -> ConfusionRow {
    ConfusionRow {
        true_positives: positive,
        false_positives: 0,
        true_negatives: negative,
        false_negatives: 0,
        precision: None,
        recall: None,
        f1: None,
    }
}

fn result(positive: u64, negative: u64, guard: &str, label: &str) -> GuardrailsResult {
    GuardrailsResult {
        overall: counted(positive, negative),
        labels: BTreeMap::from([(label.to_owned(), counted(1, 0))]),
        misses: Vec::new(),
        errors: 0,
        guards: vec![GuardTimeRow { guard: guard.to_owned(), looks: 1, micros: 1 }],
        sources: Vec::new(),
        splits: Vec::new(),
    }
}

#[test]
fn each_member_that_is_milder_is_named() {
    let strict = r#"{"precision": 0.95, "recall": 0.9, "f1": 0.92}"#;
    let ours = gates(strict, r#"{"minProbes": 200}"#);
    let details = |candidate: &Gates| -> Vec<String> {
        candidate.milder_than(&ours, "is wanted").into_iter().map(|milder| milder.detail).collect()
    };
    assert!(details(&gates(strict, r#"{"minProbes": 201, "maxFailures": 0}"#)).is_empty());
    for (evaluation, red_team, member) in [
        (r#"{"precision": 0.94, "recall": 0.9, "f1": 0.92}"#, r#"{"minProbes": 200}"#, "precision"),
        (r#"{"precision": 0.95, "f1": 0.92}"#, r#"{"minProbes": 200}"#, "recall"),
        (r#"{"precision": 1, "recall": 1, "f1": 0}"#, r#"{"minProbes": 200}"#, "f1"),
        (r#"{"precision": 1, "recall": 1, "f1": 1, "minRows": 1}"#, r#"{"minProbes": 200}"#, "minRows"),
        (
            r#"{"precision": 1, "recall": 1, "f1": 1, "minPositive": 1}"#,
            r#"{"minProbes": 200}"#,
            "minPositive",
        ),
        (
            r#"{"precision": 1, "recall": 1, "f1": 1, "minNegative": 1}"#,
            r#"{"minProbes": 200}"#,
            "minNegative",
        ),
        (strict, r#"{"minProbes": 0}"#, "minProbes"),
        (strict, r#"{"minProbes": 200, "maxFailures": 1}"#, "maxFailures"),
    ] {
        let found = details(&gates(evaluation, red_team));
        assert!(
            found.len() == 1 && found.iter().all(|detail| detail.contains(member)),
            "{member}: {found:?}"
        );
    }
}

#[test]
fn few_rows_or_rows_for_other_guards_are_no_data() {
    let ours = Gates::ours().unwrap();
    assert!(ours.unmet_by_data(&result(60, 40, "secrets", "secrets")).is_empty());
    assert!(!ours.unmet_by_data(&result(1, 0, "secrets", "secrets")).is_empty());
    assert_eq!(ours.unmet_by_data(&result(99, 1, "secrets", "secrets")).len(), 1);
    assert_eq!(ours.unmet_by_data(&result(1, 99, "secrets", "secrets")).len(), 1);
    assert_eq!(ours.unmet_by_data(&result(60, 40, "injection", "secrets")).len(), 1);
}

#[test]
fn the_kernel_is_shown_thresholds_and_nothing_of_rows() {
    let thresholds = Gates::ours().unwrap().thresholds();
    let names: Vec<&str> = thresholds.as_object().unwrap().iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["f1", "precision", "recall"]);
}
