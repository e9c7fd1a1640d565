//! How survivors are matched with their explanations.

use super::{Outcome, stable_name};

const MISSED: &str = "crates/kernel/src/checks/join.rs:12:5: replace closed -> bool with true";

fn surviving(missed: &[&str]) -> Outcome {
    Outcome { caught: 9, missed: missed.iter().map(|&name| name.to_owned()).collect(), ..Outcome::default() }
}

#[test]
fn the_stable_name_has_no_line_and_column() {
    assert_eq!(stable_name(MISSED), "crates/kernel/src/checks/join.rs: replace closed -> bool with true");
    assert_eq!(
        stable_name("a.rs:1:2: replace f -> Result<()> with Ok(a: b)"),
        "a.rs: replace f -> Result<()> with Ok(a: b)"
    );
}

#[test]
fn an_explained_survivor_passes() {
    let document = "- `crates/kernel/src/checks/join.rs: replace closed -> bool with true`: equal by I11.\n";
    surviving(&[MISSED]).compare(document).unwrap();
}

#[test]
fn a_survivor_without_an_explanation_fails_and_is_named() {
    let error = surviving(&[MISSED]).compare("").unwrap_err().to_string();
    assert!(
        error.contains("`crates/kernel/src/checks/join.rs: replace closed -> bool with true`"),
        "{error}"
    );
}

#[test]
fn two_survivors_of_one_name_need_two_explanations() {
    let other = MISSED.replace(":12:5:", ":40:9:");
    let document = "`crates/kernel/src/checks/join.rs: replace closed -> bool with true`\n";
    assert!(surviving(&[MISSED, &other]).compare(document).is_err());
    surviving(&[MISSED, &other]).compare(&document.repeat(2)).unwrap();
}

#[test]
fn a_name_outside_backticks_explains_nothing() {
    let document = "crates/kernel/src/checks/join.rs: replace closed -> bool with true\n";
    assert!(surviving(&[MISSED]).compare(document).is_err());
}

#[test]
fn the_score_counts_every_kind() {
    assert_eq!(surviving(&[MISSED]).score(), "mutants: 9 caught, 1 missed, 0 timed out, 0 unviable");
}
