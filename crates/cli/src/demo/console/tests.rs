//! The lines of the example are lines that its models can say, about files that are there.

use premath_models::scenario::Scenario;

use super::{DESK, LINES, RUNS};

#[test]
fn every_script_is_read_and_names_only_files_of_the_desk() {
    for (name, lines) in LINES {
        let scenario = Scenario::parse(name, lines).unwrap();
        assert!(!scenario.conversations.is_empty(), "{name}");
        for mark in lines.split('"').filter(|text| text.len() > 1 && text.starts_with('@')) {
            let file = mark.trim_matches('@');
            assert!(DESK.iter().any(|(_, known, _, _)| *known == file), "{name} names `{file}`");
        }
    }
}

#[test]
fn the_assistant_has_an_answer_to_whatever_is_asked() {
    let (_, lines) = LINES.iter().find(|(name, _)| *name == "assistant").unwrap();
    let assistant = Scenario::parse("assistant", lines).unwrap();
    assert_eq!(assistant.conversations.last().unwrap().when.asked.as_ref().unwrap().as_str(), "");
}

#[test]
fn every_run_has_a_script_and_a_name_of_its_own() {
    let mut names: Vec<&str> = RUNS.iter().map(|run| run.id).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), RUNS.len());
    for run in &RUNS {
        assert!(LINES.iter().any(|(name, _)| *name == run.script), "{}", run.script);
    }
}
