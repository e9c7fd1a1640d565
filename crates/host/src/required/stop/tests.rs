//! Every class that is given is documented, and every documented one is given.

use std::collections::BTreeSet;

const SOURCE: &str = include_str!("../stop.rs");
const PAGE: &str = include_str!("../../../../../docs/reference/required.md");

fn classes(text: &str, between: char) -> BTreeSet<&str> {
    text.split(between).filter(|word| word.starts_with("required_") && !word.contains(' ')).collect()
}

#[test]
fn every_class_is_on_the_page() {
    let given = classes(SOURCE, '"');
    assert!(given.len() > 20, "{given:?}");
    assert_eq!(given, classes(PAGE, '`'));
}
