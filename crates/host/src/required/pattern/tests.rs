//! Which paths fit which patterns.

use super::{fits, problem};

#[test]
fn patterns_fit_what_they_say_and_nothing_else() {
    for (pattern, path, wanted) in [
        ("**", "a", true),
        ("**", "a/b/c", true),
        ("crates/**", "crates/a/b.rs", true),
        ("crates/**", "crate/a.rs", false),
        ("crates/**/*.rs", "crates/b.rs", true),
        ("crates/**/*.rs", "crates/a/src/b.rs", true),
        ("crates/**/*.rs", "crates/a/src/b.rsx", false),
        ("*.md", "README.md", true),
        ("*.md", "docs/README.md", false),
        ("docs/*/a?.md", "docs/x/ab.md", true),
        ("docs/*/a?.md", "docs/x/a.md", false),
        ("a*b*c", "aXbYbZc", true),
        ("a*b*c", "aXbYbZ", false),
        ("Cargo.toml", "Cargo.toml", true),
        ("Cargo.toml", "Cargo.tomls", false),
        ("*", ".hidden", true),
    ] {
        assert_eq!(fits(pattern, path), wanted, "{pattern} {path}");
    }
}

#[test]
fn a_hostile_pattern_takes_no_time() {
    let (pattern, path) = ("a*".repeat(200), "a".repeat(4000));
    assert!(!fits(&format!("{pattern}b"), &path));
    let folders = vec!["**"; 100].join("/");
    assert!(!fits(&format!("{folders}/b"), &vec!["a"; 1000].join("/")));
}

#[test]
fn what_is_no_pattern_is_named() {
    for bad in ["", "/a", "a//b", "../a", "a/./b", "a**b", "crates/**.rs"] {
        assert!(problem(bad).is_some(), "{bad}");
    }
    assert_eq!(problem("crates/**/*.rs"), None);
}
