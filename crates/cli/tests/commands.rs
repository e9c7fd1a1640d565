//! The commands from outside: help, names, versions, envelopes, explanations.

#![expect(clippy::unwrap_used, reason = "a command that cannot be started fails the test")]

mod premath;

use std::collections::BTreeSet;

use premath::premath;
use premath_host::ACTIONS;
use premath_kernel::FailureClass;
use premath_wire::v1::SCHEMA_NAMES;
use serde_json::Value;

const ACCEPTED: &str = "conformance/harness-typestate/golden/single_call_accept/case.json";
const REJECTED: &str = "conformance/harness-typestate/adversarial/result_orphan_reject/case.json";

/// The commands as `--help` of a command lists them.
fn below(command: &[String]) -> Vec<String> {
    let words: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
    let help = premath(&words, b"").stdout;
    let Some((_, commands)) = help.split_once("Commands:\n") else { return Vec::new() };
    let rows = commands.lines().take_while(|line| !line.is_empty());
    // A row begins two columns in; what is further in continues the row above.
    let names = rows.filter_map(|row| row.strip_prefix("  ").filter(|name| !name.starts_with(' ')));
    names
        .map(|name| name.split_whitespace().next().unwrap().to_owned())
        .filter(|name| name != "help")
        .collect()
}

/// The commands that stand alone or name a family.
fn listed() -> Vec<String> {
    let mut listed = below(&[]);
    listed.push("help".to_owned());
    listed
}

/// Every command, those of the families with the family before them.
fn all() -> Vec<Vec<String>> {
    let mut all = Vec::new();
    for name in listed() {
        let members = below(std::slice::from_ref(&name));
        all.extend(members.into_iter().map(|member| vec![name.clone(), member]));
        all.push(vec![name]);
    }
    all
}

#[test]
fn every_action_of_the_host_has_its_command() {
    let all: BTreeSet<String> = all().iter().map(|words| words.join(" ")).collect();
    for action in ACTIONS {
        assert!(all.contains(action.command), "{} has no command `{}`", action.name, action.command);
    }
}

#[test]
fn every_command_has_help_with_an_example() {
    let all = all();
    assert!(all.len() >= 40, "{all:?}");
    for words in &all {
        let name = words.join(" ");
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let help = premath(&[words.as_slice(), &["--help"]].concat(), b"");
        assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""), "{name}");
        assert!(help.stdout.contains(&format!("Example:\n  premath {name}")), "{name}: {}", help.stdout);
        assert!(help.stdout.contains(&format!("Usage: premath {name}")), "{name}: {}", help.stdout);
        let topic = premath(&[["help"].as_slice(), &words].concat(), b"");
        assert_eq!(topic.code, Some(0), "{name}");
        assert!(topic.stdout.contains(&format!("Usage: premath {name}")), "{name}: {}", topic.stdout);
    }
}

/// Seed: 002 §9/3
#[test]
fn every_command_that_answers_takes_json() {
    for words in all() {
        let is_family = words.len() == 1 && !below(&words).is_empty() && words != ["harness-kpi"];
        if is_family || words == ["completions"] {
            continue;
        }
        let words: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let help = premath(&words, b"").stdout;
        assert!(help.contains("--json"), "{words:?}: {help}");
    }
}

#[test]
fn the_version_names_a_commit() {
    for flag in ["--version", "-V"] {
        let ran = premath(&[flag], b"");
        let rest = ran.stdout.strip_prefix("premath ").and_then(|rest| rest.strip_suffix(")\n")).unwrap();
        let (version, commit) = rest.split_once(" (").unwrap();
        let numbers: Vec<u32> = version.split('.').map(|number| number.parse().unwrap()).collect();
        assert_eq!(numbers.len(), 3, "{version}");
        assert!(!commit.is_empty() && !commit.contains('\n'), "{commit:?}");
    }
}

#[test]
fn every_schema_is_listed_and_printed() {
    let list = premath(&["schema"], b"");
    assert_eq!(list.stdout.lines().collect::<Vec<_>>(), SCHEMA_NAMES);
    let list = premath(&["schema", "--json"], b"");
    assert_eq!(serde_json::from_str::<Vec<String>>(&list.stdout).unwrap(), SCHEMA_NAMES);
    for name in SCHEMA_NAMES {
        let pretty = premath(&["schema", name], b"");
        let compact = premath(&["schema", name, "--json"], b"");
        let pretty: Value = serde_json::from_str(&pretty.stdout).unwrap();
        assert_eq!(pretty, serde_json::from_str::<Value>(&compact.stdout).unwrap(), "{name}");
        assert_eq!(pretty["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
    }
}

#[test]
fn every_class_is_explained() {
    assert_eq!(FailureClass::ALL.len(), 42);
    for class in FailureClass::ALL {
        let ran = premath(&["explain", class.code()], b"");
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{class}");
        assert_eq!(ran.stdout.lines().next(), Some(class.code()), "{class}");
        for heading in ["What happened", "Why we refuse", "What to do", "Example"] {
            assert!(ran.stdout.lines().any(|line| line == heading), "{class}: no `{heading}`");
        }
        let ran = premath(&["explain", class.code(), "--json"], b"");
        let explanation: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(explanation["class"], class.code());
    }
}

#[test]
fn the_list_of_classes_has_a_line_for_each() {
    let ran = premath(&["explain"], b"");
    let codes: Vec<&str> = ran.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let expected: Vec<&str> = FailureClass::ALL.iter().map(|class| class.code()).collect();
    assert_eq!(codes, expected);
    let ran = premath(&["explain", "--json"], b"");
    assert_eq!(serde_json::from_str::<Vec<Value>>(&ran.stdout).unwrap().len(), expected.len());
}

#[test]
fn an_unknown_class_is_answered_with_the_nearest() {
    let ran = premath(&["explain", "tool.result_orphans"], b"");
    insta::assert_snapshot!(ran.stderr, @r"
    error: usage: there is no failure class `tool.result_orphans`
    hint: did you mean `tool.result_orphan`? `premath explain` lists all
    ");
    for class in FailureClass::ALL {
        // One letter less.
        let typo = class.code().strip_suffix(|_: char| true).unwrap();
        let ran = premath(&["explain", typo], b"");
        assert!(ran.stderr.contains(&format!("did you mean `{class}`?")), "{typo}: {}", ran.stderr);
    }
}

#[test]
fn what_was_typed_is_shown_without_its_control_characters() {
    for arguments in [["explain", "\u{1b}[31m\nx"], ["schema", "\u{1b}[31m\nx"], ["help", "\u{1b}[31m\nx"]] {
        let ran = premath(&arguments, b"");
        assert_eq!(ran.code, Some(2));
        assert!(!ran.stderr.contains('\u{1b}') && ran.stderr.lines().count() == 2, "{:?}", ran.stderr);
    }
}

#[test]
fn the_envelope_goes_around_the_document_that_json_prints() {
    for (arguments, action, class) in [
        (["harness-join-check", "--input", ACCEPTED].as_slice(), "harness.join_check", "accepted"),
        (&["harness-join-check", "--input", REJECTED, "--exit-zero"], "harness.join_check", "rejected"),
        (&["conformance-run", "--suite", "governance"], "conformance.run", "accepted"),
        (&["explain", "tool.result_orphan"], "failure.explain", "ok"),
        (&["schema", "explanation"], "schema.show", "ok"),
    ] {
        let json = premath(&[arguments, &["--json"]].concat(), b"");
        let envelope = premath(&[arguments, &["--envelope"]].concat(), b"");
        assert_eq!((envelope.code, envelope.stderr.as_str()), (json.code, ""), "{arguments:?}");
        let effect: Value = serde_json::from_str(&envelope.stdout).unwrap();
        assert_eq!(effect["payload"], serde_json::from_str::<Value>(&json.stdout).unwrap(), "{arguments:?}");
        assert_eq!(effect["schema"], "premath.host_effect.v0");
        assert_eq!((&effect["action"], &effect["resultClass"]), (&action.into(), &class.into()));
        assert!(effect["argsDigest"].as_str().unwrap().starts_with("he1_"), "{arguments:?}");
    }
}

#[test]
fn a_refusal_has_the_same_exit_code_through_the_envelope() {
    let ran = premath(&["harness-join-check", "--input", REJECTED, "--envelope"], b"");
    assert_eq!(ran.code, Some(1));
    let effect: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(effect["failureClasses"], serde_json::json!(["tool.join_incomplete", "tool.result_orphan"]));
}

/// Seed: 004 §9/1, 001 §8/2
#[test]
fn a_check_says_the_same_from_a_file_and_from_standard_input() {
    let turn = include_bytes!("../../../conformance/harness-typestate/golden/single_call_accept/case.json");
    let piped = premath(&["harness-join-check", "--input", "-", "--json"], turn);
    let read = premath(&["harness-join-check", "--input", ACCEPTED, "--json"], b"");
    assert_eq!((piped.code, &piped.stdout), (read.code, &read.stdout));
}

#[test]
fn the_vectors_end_with_their_counts() {
    let ran = premath(&["conformance-run"], b"");
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    let last = ran.stdout.lines().last().unwrap();
    let passed: usize = last.strip_suffix(" passed, 0 failed").unwrap().parse().unwrap();
    assert!(passed >= 150, "{last}");
}

#[test]
fn every_shell_has_completions_for_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = premath(&["completions", shell], b"").stdout;
        for name in listed() {
            assert!(script.contains(&name), "{shell}: {name}");
        }
    }
}
