//! Facts about the files that a tree is compared by.

#![expect(clippy::disallowed_methods, reason = "a test makes files")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use premath_kernel::Digest;
use premath_tusk::tools::WorkTree;
use premath_tusk::tools::files::{EntryKind, FileError};

use crate::beneath::Beneath;

#[test]
fn a_link_is_an_entry_with_its_target_as_content_and_is_never_followed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("real"), "secret").unwrap();
    symlink("real", folder.path().join("link")).unwrap();
    fs::create_dir(folder.path().join("inner")).unwrap();
    symlink("inner", folder.path().join("way")).unwrap();
    let tree = Beneath::open_root(folder.path()).unwrap();
    let entries = WorkTree::entries(&tree, ".").unwrap();
    let kinds: Vec<_> = entries.iter().map(|entry| (entry.name.as_str(), entry.stamp.kind)).collect();
    assert_eq!(
        kinds,
        [
            ("inner", EntryKind::Folder),
            ("link", EntryKind::Link),
            ("real", EntryKind::File),
            ("way", EntryKind::Link)
        ]
    );
    let content = tree.content("link", 100).unwrap();
    assert_eq!(content.bytes, b"real");
    assert_eq!(tree.digest("link").unwrap().0, Digest::of_bytes(b"real"));
    assert!(matches!(WorkTree::entries(&tree, "way"), Err(FileError::Link { .. })));
}

#[test]
fn every_write_and_every_change_of_mode_gives_another_stamp() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "one").unwrap();
    let tree = Beneath::open_root(folder.path()).unwrap();
    let stamp = || WorkTree::entries(&tree, ".").unwrap().first().unwrap().stamp;
    let first = stamp();
    assert_eq!(first, stamp());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let second = stamp();
    assert_ne!(first, second);
    assert_eq!(second.mode & 0o777, 0o755);
    fs::remove_file(&path).unwrap();
    fs::write(&path, "one").unwrap();
    assert_ne!(second, stamp());
}

#[test]
fn a_long_file_is_hashed_and_not_read_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = vec![7_u8; 600_000];
    fs::write(folder.path().join("long"), &bytes).unwrap();
    let tree = Beneath::open_root(folder.path()).unwrap();
    assert_eq!(tree.digest("long").unwrap().0, Digest::of_bytes(&bytes));
    assert!(matches!(tree.content("long", 1_000), Err(FileError::TooLong { .. })));
    assert_eq!(tree.content("long", 600_000).unwrap().bytes, bytes);
}
