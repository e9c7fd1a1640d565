//! Size and depth.

use super::{SizeSettings, find};

fn labels(text: &str) -> Vec<String> {
    find(text, SizeSettings { max_bytes: 64, max_depth: 3 })
        .into_iter()
        .map(|finding| finding.label)
        .collect()
}

#[test]
fn one_too_many_is_found_and_the_most_is_not() {
    assert_eq!(labels(&"a".repeat(64)), Vec::<String>::new());
    assert_eq!(labels(&"a".repeat(65)), ["size-bytes"]);
    assert_eq!(labels("[[[]]]"), Vec::<String>::new());
    assert_eq!(labels(r#"{"a":[[{}]]}"#), ["size-depth"]);
}

#[test]
fn brackets_in_strings_do_not_count() {
    assert_eq!(labels(r#"["[[[[\"[[["]"#), Vec::<String>::new());
}
