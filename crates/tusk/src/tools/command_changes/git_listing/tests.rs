//! Facts about reading what git lists.

use premath_kernel::Digest;

use super::{GitListing, read_blobs};

const BLOB: &str = "587be6b4c3f93f93c489c0111bba5596147a26cb";

fn listing(index: &[&str], status: &[&str]) -> GitListing {
    let mut output = Vec::new();
    for field in index.iter().chain([&""]).chain(status) {
        output.extend_from_slice(field.as_bytes());
        output.push(0);
    }
    GitListing::read(&output).unwrap()
}

#[test]
fn a_file_of_the_index_that_status_does_not_name_is_clean() {
    let listing = listing(&[&format!("H 100644 {BLOB} 0\ta/sp ace")], &[]);
    assert_eq!(listing.clean_blob("a/sp ace"), Some(BLOB));
}

#[test]
fn what_differs_on_disk_is_not_clean_and_what_is_only_staged_is() {
    let index = [&*format!("H 100644 {BLOB} 0\tdirty"), &format!("H 100644 {BLOB} 0\tstaged file")];
    let changed =
        |state: &str, path: &str| format!("1 {state} N... 100644 100644 100644 {BLOB} {BLOB} {path}");
    let listing = listing(&index, &[&changed(".M", "dirty"), &changed("M.", "staged file")]);
    assert_eq!(listing.clean_blob("dirty"), None);
    assert_eq!(listing.clean_blob("staged file"), Some(BLOB));
}

#[test]
fn a_file_that_git_was_told_to_look_away_from_is_not_taken_for_clean() {
    let index = [
        &*format!("h 100644 {BLOB} 0\tassumed"),
        &format!("S 100644 {BLOB} 0\tskipped"),
        &format!("H 160000 {BLOB} 0\tmodule"),
        &format!("M 100644 {BLOB} 2\tunmerged"),
    ];
    let listing = listing(&index, &[]);
    for path in ["assumed", "skipped", "module", "unmerged"] {
        assert_eq!(listing.clean_blob(path), None, "{path}");
    }
}

#[test]
fn ignored_folders_and_files_are_told_apart() {
    let listing = listing(&[], &["? new", "! target/", "! logs/x.log"]);
    assert!(listing.ignores_folder("target") && !listing.ignores_file("target"));
    assert!(listing.ignores_file("logs/x.log") && !listing.ignores_file("new"));
}

#[test]
fn a_blob_of_another_length_than_the_file_had_gives_no_digest() {
    let output = b"aaaa blob 3\none\nbbbb missing\ncccc blob 4\ntwo\r\n";
    let digests = read_blobs(output, &[("aaaa", 3), ("bbbb", 9), ("cccc", 3)]);
    assert_eq!(digests.get("aaaa"), Some(&Digest::of_bytes(b"one")));
    assert_eq!(digests.len(), 1);
}
