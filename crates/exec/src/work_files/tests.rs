//! The port on real folders.

#![expect(clippy::disallowed_methods, reason = "the test puts a file where the port will find it")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use premath_tusk::tools::files::{EntryKind, FileContent, FileError, WorkFiles};

use crate::beneath::Beneath;

#[test]
fn whole_files_are_made_replaced_read_and_removed_with_their_right_to_be_executed() {
    let place = tempfile::tempdir().unwrap();
    let beneath = Beneath::open_root(place.path()).unwrap();
    let tree: &dyn WorkFiles = &beneath;
    let script = FileContent { bytes: b"one".to_vec(), executable: true };
    tree.make_folder("sub").unwrap();
    tree.create("sub/run", &script).unwrap();
    assert_eq!(tree.read("sub/run", 3).unwrap(), script);
    assert!(matches!(tree.read("sub/run", 2), Err(FileError::TooLong { .. })));
    assert!(matches!(tree.create("sub/run", &script), Err(FileError::Exists { .. })));
    let plain = FileContent { bytes: b"two".to_vec(), executable: false };
    tree.replace("sub/run", &plain).unwrap();
    assert_eq!(tree.read("sub/run", 3).unwrap(), plain);
    assert_eq!(fs::metadata(place.path().join("sub/run")).unwrap().permissions().mode() & 0o777, 0o644);
    tree.remove("sub/run").unwrap();
    tree.remove("sub").unwrap();
    assert!(matches!(tree.metadata("sub"), Err(FileError::Missing { .. })));
}

#[test]
fn what_leads_out_is_refused_and_what_is_no_text_is_only_shown() {
    let place = tempfile::tempdir().unwrap();
    symlink("/etc", place.path().join("way")).unwrap();
    fs::write(place.path().join(OsStr::from_bytes(b"\xff")), "x").unwrap();
    let beneath = Beneath::open_root(place.path()).unwrap();
    let tree: &dyn WorkFiles = &beneath;
    assert!(matches!(tree.open("way/passwd"), Err(FileError::Outside { .. })));
    assert!(matches!(tree.open("../x"), Err(FileError::Outside { .. })));
    let kinds: Vec<_> = tree.list(".").unwrap().into_iter().map(|entry| (entry.name, entry.kind)).collect();
    assert_eq!(kinds, [("way".to_owned(), EntryKind::Link), ("\u{fffd}".to_owned(), EntryKind::Other)]);
}

#[test]
fn a_folder_that_became_a_link_since_it_was_looked_at_is_not_written_through() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("policies")).unwrap();
    fs::create_dir(place.path().join("sub")).unwrap();
    let beneath = Beneath::open_root(place.path()).unwrap();
    let tree: &dyn WorkFiles = &beneath;
    assert_eq!(tree.metadata("sub").unwrap().kind, EntryKind::Folder);
    fs::remove_dir(place.path().join("sub")).unwrap();
    symlink("policies", place.path().join("sub")).unwrap();
    let script = FileContent { bytes: b"one".to_vec(), executable: true };
    assert!(matches!(tree.create("sub/mine", &script), Err(FileError::Link { .. })));
    assert!(matches!(tree.replace("sub/mine", &script), Err(FileError::Link { .. })));
    assert!(matches!(tree.make_folder("sub/mine"), Err(FileError::Link { .. })));
    assert_eq!(fs::read_dir(place.path().join("policies")).unwrap().count(), 0);
}
