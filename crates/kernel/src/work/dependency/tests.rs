//! Facts about the types of dependencies.

use std::vec::Vec;

use super::DependencyKind;

#[test]
fn a_kind_is_read_back_from_its_token_and_an_unknown_one_is_other() {
    for kind in DependencyKind::ALL {
        assert_eq!(DependencyKind::from_token(kind.token()), kind);
    }
    assert_eq!(DependencyKind::from_token(" Parent-Child "), DependencyKind::ParentChild);
    for token in ["", "parent child", "parentchild", "other", "tracks"] {
        assert_eq!(DependencyKind::from_token(token), DependencyKind::Other, "{token:?}");
    }
    assert_eq!(DependencyKind::Other.token(), "other");
}

#[test]
fn a_kind_is_read_with_underscores_for_its_hyphens() {
    for kind in DependencyKind::ALL {
        assert_eq!(DependencyKind::from_token(&kind.token().replace('-', "_")), kind);
    }
    assert_eq!(DependencyKind::from_token("Parent_Child"), DependencyKind::ParentChild);
}

#[test]
fn four_kinds_order_work_and_three_of_them_hold_back() {
    let tokens_of = |is_one: fn(DependencyKind) -> bool| -> Vec<&str> {
        DependencyKind::ALL.into_iter().filter(|kind| is_one(*kind)).map(DependencyKind::token).collect()
    };
    assert_eq!(
        tokens_of(DependencyKind::is_blocking),
        ["blocks", "parent-child", "conditional-blocks", "waits-for"]
    );
    assert_eq!(tokens_of(DependencyKind::holds_back), ["blocks", "conditional-blocks", "waits-for"]);
    assert!(!DependencyKind::Other.is_blocking());
    assert!(!DependencyKind::Other.holds_back());
}
