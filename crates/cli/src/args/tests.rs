//! What other files say that can be typed: every task of `.mise.toml` parses.

use std::collections::BTreeMap;

use clap::Parser as _;

use super::Cli;

const TASKS: &str = include_str!("../../../../.mise.toml");
/// The names that agents and scripts know.
const NAMES: [&str; 6] = [
    "ci-instruction",
    "ci-required-attested",
    "conformance-run",
    "harness-coordinator-loop",
    "harness-kpi-report",
    "harness-worker-loop",
];

fn tasks() -> BTreeMap<String, String> {
    let file: toml::Table = TASKS.parse().unwrap();
    let tasks = file.get("tasks").and_then(toml::Value::as_table).unwrap();
    tasks.iter().map(|(name, task)| (name.clone(), task["run"].as_str().unwrap().to_owned())).collect()
}

/// The words that a shell makes of a line: variables have their defaults, or stand for a word.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(std::mem::take(&mut word)),
            '$' => {
                let inside: String = letters.by_ref().skip(1).take_while(|letter| *letter != '}').collect();
                word.push_str(inside.split_once(":-").map_or("word", |(_, default)| default));
            }
            other => word.push(other),
        }
    }
    words.push(word);
    words
}

/// What the scripts under `tools` make of a line that runs one of them.
fn command(words: &[String]) -> Option<Vec<String>> {
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let (program, arguments) = match texts.as_slice() {
        ["sh", "tools/premath", arguments @ ..] => (&["premath"][..], arguments),
        ["sh", "tools/ci/run_instruction.sh", arguments @ ..] => {
            (&["premath", "instruction-run", "--instruction"][..], arguments)
        }
        _other => return None,
    };
    Some(program.iter().chain(arguments).map(|&word| word.to_owned()).collect())
}

#[test]
fn every_task_that_the_seeds_name_is_there_and_parses() {
    let tasks = tasks();
    assert_eq!(tasks.keys().map(String::as_str).collect::<Vec<_>>(), NAMES);
    for (name, line) in tasks {
        let words = words(&line);
        let words = command(&words).unwrap_or_else(|| panic!("{name}: {words:?} runs no command of ours"));
        let parsed = Cli::try_parse_from(&words);
        assert!(parsed.is_ok(), "{name}: {words:?}: {}", parsed.unwrap_err());
    }
}

#[test]
fn every_variable_of_a_task_is_quoted() {
    for (name, line) in tasks() {
        let bare = line.split('"').step_by(2).find(|outside| outside.contains('$'));
        assert_eq!(bare, None, "{name}");
    }
}

#[test]
fn words_are_what_a_shell_makes_of_them() {
    let made = words("premath a --x ${X:-main} --y \"${Y:?say it now}\" b");
    assert_eq!(made, ["premath", "a", "--x", "main", "--y", "word", "b"]);
}
