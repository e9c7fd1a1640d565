//! The examples of the reference page and of the cheat sheet come to what they say.
//!
//! A line that ends in `; => text` says what everything since the last such line comes to, `; error: kind` how it fails.

use premath_repl::{CHEAT_SHEET, HostFunction, Limits, Session};

use crate::run::{Host, functions};

const REFERENCE: &str = include_str!("../../../../docs/reference/scheme.md");

#[test]
fn the_examples_of_the_reference_hold() {
    let checked: usize = programs(REFERENCE).iter().map(|program| check(program, functions())).sum();
    assert!(checked >= 40, "only {checked} examples say what they come to");
}

#[test]
fn the_examples_of_the_cheat_sheet_hold() {
    // Whoever shows the sheet has functions of their own: nothing on it may need any.
    let checked: usize = programs(CHEAT_SHEET).iter().map(|program| check(program, Vec::new())).sum();
    assert!(checked >= 10, "only {checked} examples say what they come to");
    assert!(CHEAT_SHEET.lines().count() <= 70, "a sheet is one screen");
}

/// The blocks of a page that are Scheme.
fn programs(page: &str) -> Vec<String> {
    let blocks = page.split("```scheme\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap_or_default().to_owned()).collect()
}

fn check(program: &str, functions: Vec<HostFunction>) -> usize {
    let mut session = Session::new(Limits::default(), functions).unwrap();
    let mut host = Host::default();
    let mut source = String::new();
    let mut checked = 0;
    for line in program.lines() {
        let (code, expected) = match (line.split_once("; => "), line.split_once("; error: ")) {
            (Some((code, text)), _) => (code, Some(Ok(text.trim()))),
            (None, Some((code, kind))) => (code, Some(Err(kind.trim()))),
            (None, None) => (line, None),
        };
        source.push_str(code);
        source.push('\n');
        let Some(expected) = expected else { continue };
        let result = session.evaluate(&source, &mut host).result;
        let got = result.map(|answer| answer.text).map_err(|error| error.kind.code());
        assert_eq!(got.as_deref().map_err(|kind| *kind), expected, "{source}");
        source.clear();
        checked += 1;
    }
    if !source.trim().is_empty() {
        let result = session.evaluate(&source, &mut host).result;
        assert!(result.is_ok(), "{source}: {result:?}");
    }
    checked
}
