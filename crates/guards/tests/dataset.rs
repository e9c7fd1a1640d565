//! The data sets that come with the repository: what they are made of and how the guards that are built in do on them.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test reads its data and prints what it counted"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use premath_guards::{
    Confusion, GuardSettings, PathSettings, PiiSettings, Redactor, Row, Split, StageActions, UrlSettings,
    built_in, evaluate, read_dataset,
};
use premath_tusk::policy::{GuardAction, Guards};

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/guardrails").join(name);
    std::fs::read_to_string(path).unwrap()
}

fn text() -> String {
    file("dataset.jsonl")
}

fn measured() -> Vec<Row> {
    read_dataset(&file("measured.jsonl")).unwrap()
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
    for name in ["dataset.jsonl", "measured.jsonl"] {
        for (number, line) in file(name).lines().enumerate() {
            let findings = Redactor::new().redact(line).findings;
            assert!(findings.is_empty(), "{name}, line {}: {findings:?}", number + 1);
        }
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

#[test]
fn the_measured_rows_are_many_of_many_sources_and_none_is_there_twice() {
    let rows = measured();
    let is_about_orders = |row: &&Row| !row.id.contains("-secret-");
    assert!(rows.iter().filter(is_about_orders).count() >= 1_000);
    let mut sources: BTreeMap<(&str, Split), [usize; 4]> = BTreeMap::new();
    for row in &rows {
        let source = row.source.as_ref().unwrap();
        let counts = sources.entry((&source.name, source.split)).or_default();
        counts[usize::from(row.id.contains("-secret-")) * 2 + usize::from(row.expected)] += 1;
    }
    assert!(sources.keys().filter(|(_, split)| *split == Split::Tuned).count() >= 6);
    assert!(sources.keys().filter(|(_, split)| *split == Split::HeldOut).count() >= 4);
    for (source, counts) in sources {
        assert!(counts.iter().all(|count| *count >= 12), "{source:?}: {counts:?}");
    }
    let mut texts = BTreeSet::new();
    for row in &rows {
        assert!(texts.insert(row.text.split_whitespace().collect::<String>().to_lowercase()), "{}", row.id);
    }
}

/// Tuned rows say what the patterns were made for; held-out ones, that they hold beyond it.
#[test]
fn held_out_sources_have_the_precision_and_recall_that_are_promised() {
    let guards =
        Guards::boot(built_in(&GuardSettings::default()).unwrap().into_iter().map(Arc::from).collect());
    let evaluation = evaluate(&guards, &measured());
    let shares =
        |count: &Confusion| (count.precision().millionths().unwrap(), count.recall().millionths().unwrap());
    for counted in &evaluation.sources {
        for (guard, count) in &counted.guards {
            eprintln!(
                "{guard} {} {}: {:?}",
                counted.source.name,
                counted.source.split.token(),
                shares(count)
            );
            assert!(shares(count).1 >= 400_000, "{guard} on {} without a reason", counted.source.name);
        }
    }
    for counted in &evaluation.splits {
        assert_eq!(counted.guards.keys().collect::<Vec<_>>(), ["injection", "secrets"]);
        for (guard, count) in &counted.guards {
            let (precision, recall) = shares(count);
            eprintln!("{guard} {}: {count:?}", counted.split.token());
            assert!(
                precision >= 980_000 && recall >= 750_000,
                "{guard} {}: {count:?}",
                counted.split.token()
            );
        }
    }
    assert_eq!(evaluation.splits.len(), 2);
}
