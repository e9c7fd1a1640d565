//! Paths below the workdir, and all the others.

use super::*;

fn places() -> Places {
    Places::new(PathBuf::from("/real/repo"), &["/link/repo".to_owned()], Some("/real/repo/crates"))
}

#[test]
fn a_path_is_told_from_the_workdir_whatever_it_is_told_from() {
    let places = places();
    assert_eq!(places.below("/real/repo/src/a.rs").unwrap(), "src/a.rs");
    assert_eq!(places.below("/link/repo/src/a.rs").unwrap(), "src/a.rs");
    assert_eq!(places.below("kernel/./a.rs").unwrap(), "crates/kernel/a.rs");
    assert_eq!(places.here().unwrap(), "crates");
    assert_eq!(Places::new(PathBuf::from("/real/repo"), &[], None).here().unwrap(), ".");
    assert_eq!(places.pattern("/real/repo/**/*.rs").unwrap(), "**/*.rs");
    assert_eq!(places.pattern("**/*.rs").unwrap(), "**/*.rs");
}

#[test]
fn what_lies_elsewhere_is_denied() {
    let places = places();
    for path in [
        "/etc/passwd",
        "/real/repository/a",
        "/link/repository/a",
        "../a",
        "a/../../b",
        "~/.ssh/id_rsa",
        "~",
        "",
        "a\nb",
    ] {
        let denied =
            if path.is_empty() { places.below("/").unwrap_err() } else { places.below(path).unwrap_err() };
        assert_eq!(denied.code, PolicyCode::Denied, "{path}");
    }
    for pattern in ["/etc/*", "../**", "a/../b", "~/*"] {
        assert!(places.pattern(pattern).is_err(), "{pattern}");
    }
    assert!(Places::new(PathBuf::from("/real/repo"), &[], Some("/tmp")).here().is_err());
}
