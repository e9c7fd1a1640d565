//! Keys and MACs: what shares one, what does not, and what is never shown.

use std::path::Path;

use super::{CloneKey, MacPurpose, split};

fn key(place: &str) -> CloneKey {
    CloneKey::derive(&[7; 32], Path::new(place))
}

#[test]
fn a_mac_holds_for_its_clone_purpose_and_parts_only() {
    let mac = key("/a/.git").mac(MacPurpose::Row, &["log", "digest"]);
    assert!(key("/a/.git").verifies(MacPurpose::Row, &["log", "digest"], &mac));
    assert!(!key("/b/.git").verifies(MacPurpose::Row, &["log", "digest"], &mac));
    assert!(!key("/a/.git").verifies(MacPurpose::Head, &["log", "digest"], &mac));
    assert!(!key("/a/.git").verifies(MacPurpose::Row, &["logd", "igest"], &mac));
    assert!(!key("/a/.git").verifies(MacPurpose::Row, &["log", "digest"], "not a mac"));
}

#[test]
fn a_key_shows_no_byte_of_itself() {
    assert_eq!(format!("{:?}", key("/a/.git")), "CloneKey");
}

#[test]
fn a_log_is_named_from_the_folder_of_its_repository() {
    let named = |path: &str| {
        let (folder, name) = split(Path::new(path));
        (folder.to_string_lossy().into_owned(), name)
    };
    assert_eq!(named(".premath/audit.jsonl"), (String::new(), ".premath/audit.jsonl".to_owned()));
    assert_eq!(
        named("/r/.premath/runs/x/journal.jsonl"),
        ("/r".to_owned(), ".premath/runs/x/journal.jsonl".to_owned())
    );
    assert_eq!(named("memo/issues.jsonl"), ("memo".to_owned(), "issues.jsonl".to_owned()));
}
