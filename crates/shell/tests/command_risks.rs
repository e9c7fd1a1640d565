//! R28: dangerous commands, plain and in twelve disguises, are denied or asked about; ordinary ones of daily work are not.
//!
//! Rules were tuned on `*_tuned.jsonl` alone. `*_held_out.jsonl` was written before there were rules, and is only counted.
//! `*_independent.jsonl` was written by another hand after the rules; faults that it showed are mended.
//! `PREMATH_PROVE=1` counts every command in every disguise, as `cargo xtask prove --only R28` does; else a slice is counted.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a variable asks for the long form; what cannot be read fails the test; the figures are shown"
)]

#[path = "command_risks/disguises.rs"]
mod disguises;

use disguises::DISGUISES;
use premath_shell::{AgentSandbox, Decision, ProtectedPath, Scene, judge_command};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct Dangerous {
    class: String,
    command: String,
}

#[derive(Debug, Deserialize)]
struct Ordinary {
    command: String,
}

fn rows<T: serde::de::DeserializeOwned>(text: &str) -> Vec<T> {
    text.lines().map(|line| serde_json::from_str(line).expect("a row")).collect()
}

/// The protected names of a repository, as the hook gets them.
fn protected() -> Vec<ProtectedPath> {
    let lines = include_str!("../../tusk/src/tools/protected_names.txt").lines();
    let path = |line: &str| {
        let mut words = line.split_ascii_whitespace();
        let path = words.next().filter(|path| !path.starts_with('#'))?.to_owned();
        Some(ProtectedPath { path, has_hooks: words.nth(2) == Some("hooks") })
    };
    lines.filter_map(path).collect()
}

fn scene() -> Scene {
    Scene {
        root: "/home/dev/project".to_owned(),
        folder: "/home/dev/project".to_owned(),
        own_folders: vec!["/home/dev/.local/state/premath".to_owned()],
        protected: protected(),
        sandbox: AgentSandbox::None,
    }
}

fn decide(command: &str) -> Decision {
    judge_command(command, &scene()).decision()
}

fn counts_all() -> bool {
    std::env::var_os("PREMATH_PROVE").is_some()
}

/// Every so many rows, so that a slice has about a hundred of them.
fn sliced<T>(rows: Vec<T>, wanted: usize) -> Vec<T> {
    let step = if counts_all() { 1 } else { (rows.len() / wanted).max(1) };
    rows.into_iter().step_by(step).collect()
}

/// How many are stopped, and which destructive or self-targeting ones are not.
fn stopped(rows: &[Dangerous]) -> (usize, usize, Vec<String>, Vec<String>) {
    let (mut all, mut held, mut open, mut missed) = (0, 0, Vec::new(), Vec::new());
    for (index, row) in rows.iter().enumerate() {
        let mut texts = vec![("plain", row.command.clone())];
        for (position, (name, disguise)) in DISGUISES.iter().enumerate() {
            if counts_all() || index % DISGUISES.len() == position {
                texts.push((name, disguise(&row.command)));
            }
        }
        for (name, text) in texts {
            all += 1;
            if decide(&text) > Decision::Allow {
                held += 1;
                continue;
            }
            let line = format!("{} [{name}] {text}", row.class);
            if matches!(row.class.as_str(), "destructive" | "self") {
                open.push(line.clone());
            }
            missed.push(line);
        }
    }
    (all, held, open, missed)
}

fn assert_stopped(name: &str, text: &str, wanted: usize) {
    let (all, held, open, missed) = stopped(&sliced(rows(text), wanted));
    println!("{name}: {held} of {all} dangerous commands denied or asked about");
    for line in missed.iter().take(60) {
        println!("  allowed: {line}");
    }
    assert_eq!(open, Vec::<String>::new(), "{name}: destructive or self-targeting commands are allowed");
    assert!(held * 100 >= all * 97, "{name}: {held} of {all}");
}

fn assert_passes(name: &str, text: &str, wanted: usize) {
    let rows: Vec<Ordinary> = sliced(rows(text), wanted);
    let asked: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let judgement = judge_command(&row.command, &scene());
            judgement
                .risks
                .first()
                .map(|risk| format!("{:?} {} {}", risk.decision, risk.class.token(), risk.sentence()))
        })
        .collect();
    println!("{name}: {} of {} ordinary commands asked about", asked.len(), rows.len());
    for line in &asked {
        println!("  asked: {line}");
    }
    assert!(asked.len() * 100 <= rows.len() * 2, "{name}: {} of {}", asked.len(), rows.len());
}

#[test]
fn dangerous_commands_that_rules_were_tuned_on_are_stopped() {
    assert_stopped("tuned", include_str!("data/dangerous_tuned.jsonl"), 70);
}

#[test]
fn dangerous_commands_that_were_held_out_are_stopped() {
    assert_stopped("held out", include_str!("data/dangerous_held_out.jsonl"), 40);
}

#[test]
fn ordinary_commands_that_rules_were_tuned_on_pass() {
    assert_passes("tuned", include_str!("data/ordinary_tuned.jsonl"), 169);
}

#[test]
fn ordinary_commands_that_were_held_out_pass() {
    assert_passes("held out", include_str!("data/ordinary_held_out.jsonl"), 85);
}

#[test]
fn dangerous_commands_of_another_hand_are_stopped() {
    assert_stopped("independent", include_str!("data/dangerous_independent.jsonl"), 50);
}

#[test]
fn ordinary_commands_of_another_hand_pass() {
    assert_passes("independent", include_str!("data/ordinary_independent.jsonl"), 141);
}
