//! Facts about what lies under what.

use super::Roots;

fn is_under(path: &str, roots: &[&str]) -> bool {
    Roots::new(roots.iter().copied()).cover(path)
}

#[test]
fn a_root_covers_itself_and_what_is_below_it() {
    assert!(is_under("src", &["src"]));
    assert!(is_under("src/a.rs", &["docs", "src/"]));
    assert!(is_under("./src//a.rs", &["src"]));
    assert!(is_under("/srv/src/a", &["/srv"]));
}

#[test]
fn a_root_does_not_cover_a_longer_name() {
    assert!(!is_under("srcs/a.rs", &["src"]));
    assert!(!is_under("sr", &["src"]));
    assert!(!is_under("a/src", &["src"]));
}

#[test]
fn a_dot_covers_every_relative_path_and_a_slash_every_absolute_one() {
    assert!(is_under("any/file", &["."]));
    assert!(!is_under("/any/file", &["."]));
    assert!(is_under("/any/file", &["/"]));
    assert!(!is_under("any/file", &["/"]));
}

#[test]
fn a_climbing_path_lies_under_nothing() {
    assert!(!is_under("src/../secret", &["src", "."]));
    assert!(is_under("src/..hidden", &["src"]));
}

#[test]
fn a_path_spelled_for_another_system_lies_under_nothing() {
    for path in ["src\\..\\secret", "C:/Windows", "file:///etc/passwd", "~/.ssh/id", "src/a\u{0}", "src/\n"] {
        assert!(!is_under(path, &["src", ".", "/"]), "{path:?}");
    }
}

#[test]
fn no_roots_and_climbing_roots_cover_nothing() {
    assert!(!is_under("src", &[]));
    assert!(!is_under("src", &[".."]));
}
