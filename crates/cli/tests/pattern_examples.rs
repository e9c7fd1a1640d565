//! The examples of the patterns: every scenario can be read, every workflow names what is there, and each says how it is run.

#![expect(clippy::disallowed_methods, reason = "the examples are files of the repository")]
#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use premath_models::scenario::Scenario;
use toml::{Table, Value};

/// Every example and its pattern.
const EXAMPLES: [(&str, &str); 7] = [
    ("chain", "chain"),
    ("evaluator_model", "evaluator_optimizer"),
    ("evaluator_optimizer", "evaluator_optimizer"),
    ("orchestrator_workers", "orchestrator_workers"),
    ("parallel", "parallel"),
    ("route", "route"),
    ("single", "single"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/patterns")
}

fn files(ending: &str) -> BTreeSet<String> {
    let names =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| name.strip_suffix(ending).map(ToOwned::to_owned)).collect()
}

fn read(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap()
}

#[test]
fn every_example_has_a_scenario_that_says_how_it_is_run() {
    for (name, _) in EXAMPLES {
        let text = read(&format!("{name}.toml"));
        let mut lines = text.lines();
        let command = format!("# sh examples/patterns/run.sh {name}");
        assert_eq!(lines.next(), Some(command.as_str()));
        assert!(
            lines.next().is_some_and(|line| line.len() > "# task: ".len() && line.starts_with("# task: "))
        );
    }
}

#[test]
fn every_scenario_can_be_read_and_is_named_as_its_file() {
    let names: BTreeSet<String> =
        files(".toml").into_iter().filter(|name| !name.ends_with(".workflow")).collect();
    assert!(names.len() > EXAMPLES.len(), "{names:?}");
    for name in names {
        let file = format!("{name}.toml");
        let scenario = Scenario::parse(&file, &read(&file)).unwrap();
        assert_eq!(scenario.name, name);
    }
}

/// Every text behind the key `model`, however deep.
fn models(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Table(table) => {
            found.extend(table.get("model").and_then(Value::as_str).map(ToOwned::to_owned));
            table.values().for_each(|value| models(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| models(value, found)),
        Value::String(_) | Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {}
    }
}

#[test]
fn every_workflow_is_of_its_pattern_and_names_scenarios_that_are_there() {
    let with_workflow = EXAMPLES.into_iter().filter(|(name, _)| *name != "single");
    let expected: BTreeSet<String> = with_workflow.clone().map(|(name, _)| name.to_owned()).collect();
    assert_eq!(files(".workflow.toml"), expected);
    for (name, pattern) in with_workflow {
        let table: Table = read(&format!("{name}.workflow.toml")).parse().unwrap();
        assert_eq!(table.get("pattern").and_then(Value::as_str), Some(pattern));
        let mut named = Vec::new();
        models(&Value::Table(table), &mut named);
        for model in named {
            let file = model.strip_prefix("scripted:").unwrap();
            assert!(folder().join(file).is_file(), "{name} names {model}");
        }
    }
}
