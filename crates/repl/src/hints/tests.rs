//! The hints: found by name, and about nothing that is bound.

use super::{FORMS, HINTS, instead_of};

const BOUND: &str = include_str!("../../tests/names.txt");

#[test]
fn every_hint_is_found_and_about_a_name_that_is_not_bound() {
    for (name, hint) in HINTS {
        assert_eq!(instead_of(name), Some(*hint), "{name}: the hints are not sorted");
        assert!(!BOUND.lines().any(|bound| bound == *name), "{name} is bound");
    }
    for form in FORMS {
        assert!(instead_of(form).is_some(), "{form} has no hint");
    }
}

#[test]
fn what_a_hint_names_is_bound() {
    for (name, hint) in HINTS {
        let quoted = hint.split('`').skip(1).step_by(2);
        for part in quoted.filter(|part| !part.starts_with(['(', '#', '\''])) {
            assert!(BOUND.lines().any(|bound| bound == part), "{name}: `{part}` is not bound");
        }
    }
}
