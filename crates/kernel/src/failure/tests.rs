//! Facts about the table of failure classes.

use std::vec::Vec;

use super::FailureClass;

#[test]
fn there_are_forty_two_classes_sorted_and_unique() {
    let codes: Vec<&str> = FailureClass::ALL.iter().map(|class| class.code()).collect();
    let mut sorted = codes.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(codes, sorted);
    assert_eq!(codes.len(), 42);
}

#[test]
fn a_code_starts_with_its_family() {
    for class in FailureClass::ALL {
        let family = std::format!("{:?}.", class.family()).to_lowercase();
        assert!(class.code().starts_with(&family), "{class} is not of {family}");
    }
}

#[test]
fn codes_are_found_again_and_unknown_ones_are_not() {
    for class in FailureClass::ALL {
        assert_eq!(FailureClass::from_code(class.code()), Some(*class));
    }
    assert_eq!(FailureClass::from_code("tool.nonsense"), None);
}
