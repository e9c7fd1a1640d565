//! Paths against a list.

use super::{PathSettings, Paths};

fn label(path: &str) -> Option<String> {
    let allowed = ["src/**", "docs/*.md"].map(str::to_owned).to_vec();
    let paths = Paths::new(&PathSettings { allowed }).unwrap();
    paths.find(&[path.to_owned()]).into_iter().map(|finding| finding.label).next()
}

#[test]
fn listed_paths_are_allowed_however_they_are_written() {
    for path in ["src/a.rs", "./src//b/c.rs", "docs/a.md", "src/..a/b"] {
        assert_eq!(label(path), None, "{path}");
    }
}

#[test]
fn everything_else_is_not() {
    for (path, expected) in [
        ("docs/sub/a.md", "path-not-listed"),
        ("Cargo.toml", "path-not-listed"),
        ("", "path-not-listed"),
        ("src/../Cargo.toml", "path-traversal"),
        ("src/%2e%2e/Cargo.toml", "path-traversal"),
        ("src/%252e%252e/x", "path-traversal"),
        ("src\\..\\x", "path-traversal"),
        ("src/\u{ff0e}\u{ff0e}/x", "path-traversal"),
        ("/etc/passwd", "path-absolute"),
        ("~/x", "path-absolute"),
        ("C:\\x", "path-absolute"),
        ("file://x", "path-absolute"),
        ("src/a\0b", "path-control"),
    ] {
        assert_eq!(label(path).as_deref(), Some(expected), "{path}");
    }
}

#[test]
fn a_pattern_that_is_none_is_named() {
    let settings = PathSettings { allowed: vec!["src/[".to_owned()] };
    assert_eq!(Paths::new(&settings).unwrap_err(), "src/[");
}
