//! Facts about what lies under what.

use super::is_under_any;

#[test]
fn a_root_covers_itself_and_what_is_below_it() {
    assert!(is_under_any("src", ["src"]));
    assert!(is_under_any("src/a.rs", ["docs", "src/"]));
    assert!(is_under_any("./src/a.rs", ["src"]));
}

#[test]
fn a_root_does_not_cover_a_longer_name() {
    assert!(!is_under_any("srcs/a.rs", ["src"]));
    assert!(!is_under_any("sr", ["src"]));
}

#[test]
fn a_dot_covers_every_relative_path_and_a_slash_every_absolute_one() {
    assert!(is_under_any("any/file", ["."]));
    assert!(!is_under_any("/any/file", ["."]));
    assert!(is_under_any("/any/file", ["/"]));
    assert!(!is_under_any("any/file", ["/"]));
}

#[test]
fn a_climbing_path_lies_under_nothing() {
    assert!(!is_under_any("src/../secret", ["src", "."]));
    assert!(!is_under_any("src\\..\\secret", ["src", "."]));
    assert!(is_under_any("src/..hidden", ["src"]));
}

#[test]
fn no_roots_cover_nothing() {
    assert!(!is_under_any("src", []));
}
