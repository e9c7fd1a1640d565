//! What git prints, read.

use premath_wire::v1::{DeltaStatus, RangeEnd};

use super::{described, entries};

fn end(tree: &str) -> RangeEnd {
    RangeEnd { name: "x".to_owned(), commit: "c".to_owned(), tree: tree.to_owned() }
}

#[test]
fn renames_and_deletions_and_names_with_any_byte_are_read() {
    let found = entries(b"R087\0old\nname\0new name\0D\0gone\0A\0\xff\0M\0src/a.rs\0").unwrap();
    let told: Vec<_> = found
        .iter()
        .map(|entry| (entry.status, entry.path.as_str(), entry.previous_path.as_deref()))
        .collect();
    assert_eq!(
        told,
        [
            (DeltaStatus::Renamed, "new name", Some("old\nname")),
            (DeltaStatus::Deleted, "gone", None),
            (DeltaStatus::Added, "bytes:ff", None),
            (DeltaStatus::Modified, "src/a.rs", None),
        ]
    );
    let delta = described(end("1"), end("2"), found).unwrap();
    assert_eq!(delta.changed_paths, ["bytes:ff", "gone", "new name", "old\nname", "src/a.rs"]);
}

#[test]
fn output_that_ends_in_the_middle_is_no_delta() {
    for cut in [b"M\0src/a.rs".as_slice(), b"M\0", b"R100\0one\0", b"X\0what\0"] {
        assert!(entries(cut).is_err(), "{cut:?}");
    }
    assert!(entries(b"").unwrap().is_empty());
}

#[test]
fn the_digest_is_over_trees_and_paths_not_over_names() {
    let digest = |from: &str, bytes: &[u8]| {
        described(end(from), end("2"), entries(bytes).unwrap()).unwrap().delta_digest
    };
    let one = digest("1", b"M\0a\0M\0b\0");
    assert_eq!(one, digest("1", b"M\0b\0M\0a\0"));
    assert_ne!(one, digest("3", b"M\0a\0M\0b\0"));
    assert_ne!(one, digest("1", b"M\0a\0D\0b\0"));
}
