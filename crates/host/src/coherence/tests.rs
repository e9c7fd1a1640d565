//! Every class that is given is documented, and every documented one is given; so is every reason to look.

use std::collections::BTreeSet;

const CLASSES: &str = include_str!("../coherence.rs");
const PAGE: &str = include_str!("../../../../docs/reference/coherence.md");
const REASONS: &str = include_str!("../observation/attention.rs");
const OBSERVED: &str = include_str!("../../../../docs/reference/observe.md");

fn words<'t>(text: &'t str, between: char, start: &str) -> BTreeSet<&'t str> {
    text.split(between).filter(|word| word.starts_with(start) && !word.contains(' ')).collect()
}

#[test]
fn every_class_is_on_the_page() {
    let given = words(CLASSES, '"', "coherence_");
    assert!(given.len() > 10, "{given:?}");
    assert_eq!(given, words(PAGE, '`', "coherence_"));
}

#[test]
fn every_reason_is_on_the_page() {
    let reasons: Vec<&str> = REASONS
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Self::"))
        .filter_map(|line| line.split_once("=> \"")?.1.strip_suffix("\","))
        .collect();
    assert_eq!(reasons.len(), 10, "{reasons:?}");
    for reason in reasons {
        assert!(OBSERVED.contains(&format!("| `{reason}` |")), "{reason}");
    }
}
