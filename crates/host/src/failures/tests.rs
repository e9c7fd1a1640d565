//! Every page has the shape that `explain` and the hints rely on.

use premath_kernel::FailureClass;

use super::{explain, page};

#[test]
fn every_page_carries_its_code_and_all_sections() {
    for class in FailureClass::ALL {
        let page = page(*class);
        assert!(page.starts_with(&format!("# {class}\n")), "{class}: title");
        let mut rest = page;
        for heading in ["## What happened", "## Why we refuse", "## What to do", "## Example"] {
            let (_, after) =
                rest.split_once(heading).unwrap_or_else(|| panic!("{class}: no `{heading}` in its place"));
            rest = after;
        }
    }
}

#[test]
fn summaries_and_hints_are_one_short_sentence() {
    for class in FailureClass::ALL {
        let explanation = explain(*class);
        for sentence in [explanation.summary, explanation.hint] {
            assert!(sentence.ends_with('.') && sentence.len() <= 120, "{class}: `{sentence}`");
        }
    }
}

#[test]
fn no_two_classes_share_a_hint() {
    let hints: std::collections::BTreeSet<&str> =
        FailureClass::ALL.iter().map(|class| explain(*class).hint).collect();
    assert_eq!(hints.len(), FailureClass::ALL.len());
}
