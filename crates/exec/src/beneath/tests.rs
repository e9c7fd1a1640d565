//! Names that try to leave their root, and what is done with those that do not.

#![expect(clippy::disallowed_methods, reason = "outside and inside are arranged and looked at directly")]

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use premath_testkit::test_data;

use super::{Access, Beneath, EntryKind, PathError};

const SECRET: &str = "secret of the outside";
const LIMIT: u64 = 1 << 20;

/// A folder with a secret in it, and the root below it.
fn root() -> (tempfile::TempDir, PathBuf, Beneath) {
    // In memory where that is possible: every file is synced, thousands of them.
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let root = folder.path().join("root");
    fs::create_dir_all(root.join("folder/deep")).unwrap();
    fs::write(folder.path().join("secret"), SECRET).unwrap();
    fs::write(root.join("folder/file"), "contents").unwrap();
    let beneath = Beneath::open_root(&root).unwrap();
    (folder, root, beneath)
}

fn path(text: &str) -> &Path {
    Path::new(text)
}

#[test]
fn files_below_the_root_are_read_replaced_listed_and_removed() {
    let (_folder, root, beneath) = root();
    assert_eq!(beneath.read(path("folder/file"), LIMIT).unwrap(), b"contents");
    assert_eq!(beneath.read(path("folder/deep/../file"), LIMIT).unwrap(), b"contents");
    beneath.replace(path("folder/file"), b"new").unwrap();
    beneath.create(path("folder/other"), b"other").unwrap();
    beneath.make_dir(path("made")).unwrap();
    let names: Vec<_> = beneath.list(path("folder")).unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["deep", "file", "other"]);
    let entry = beneath.metadata(path("folder/other")).unwrap();
    assert_eq!((entry.kind, entry.length), (EntryKind::File, 5));
    assert!(matches!(beneath.create(path("folder/other"), b"x"), Err(PathError::Exists { .. })));
    beneath.remove(path("folder/other")).unwrap();
    beneath.remove(path("made")).unwrap();
    assert!(matches!(beneath.read(path("folder/other"), LIMIT), Err(PathError::Missing { .. })));
    assert_eq!(fs::read_to_string(root.join("folder/file")).unwrap(), "new");
    assert_eq!(beneath.list(path(".")).unwrap().len(), 1);
    assert_eq!(fs::read_dir(root.join("folder")).unwrap().count(), 2, "no temporary file is left");
}

#[test]
fn a_link_that_stays_inside_is_followed_and_one_that_leads_out_is_not() {
    let (folder, root, beneath) = root();
    symlink("folder/file", root.join("inside")).unwrap();
    symlink("../secret", root.join("outside")).unwrap();
    symlink(folder.path().join("secret"), root.join("absolute")).unwrap();
    symlink("..", root.join("up")).unwrap();
    symlink("/proc/self/root", root.join("magic")).unwrap();
    assert_eq!(beneath.read(path("inside"), LIMIT).unwrap(), b"contents");
    for name in ["outside", "absolute", "up/secret", "magic/etc/passwd"] {
        assert!(matches!(beneath.read(path(name), LIMIT), Err(PathError::Outside { .. })), "{name}");
    }
    // Nothing is changed behind a link, wherever it leads.
    symlink("folder", root.join("near")).unwrap();
    for name in ["up/new", "magic/new", "near/new", "near/deep/new"] {
        assert!(matches!(beneath.replace(path(name), b"x"), Err(PathError::Link { .. })), "{name}");
        assert!(matches!(beneath.create(path(name), b"x"), Err(PathError::Link { .. })), "{name}");
        assert!(matches!(beneath.make_dir(path(name)), Err(PathError::Link { .. })), "{name}");
    }
    assert!(matches!(beneath.remove(path("up/secret")), Err(PathError::Link { .. })));
    assert!(matches!(beneath.remove(path("near/file")), Err(PathError::Link { .. })));
    for name in ["inside", "near/file"] {
        for access in [Access::Write, Access::Append] {
            assert!(matches!(beneath.open(path(name), access), Err(PathError::Link { .. })), "{name}");
        }
    }
    // Replacing a link replaces the link, not what it leads to.
    beneath.replace(path("outside"), b"mine").unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("secret")).unwrap(), SECRET);
    assert_eq!(fs::read_to_string(root.join("outside")).unwrap(), "mine");
}

#[test]
fn what_is_no_path_is_named() {
    let (_folder, _root, beneath) = root();
    let long = "x/".repeat(5000);
    for name in ["", "a\0b", long.as_str(), &"x".repeat(300)] {
        let refused = beneath.read(path(name), LIMIT).unwrap_err();
        assert!(
            matches!(&refused, PathError::Invalid { path: named, .. } if named == path(name)),
            "{refused:?}"
        );
    }
    for name in ["/etc/passwd", "..", "../secret", "folder/../../secret", "folder/deep/../../../secret"] {
        assert!(matches!(beneath.read(path(name), LIMIT), Err(PathError::Outside { .. })), "{name}");
    }
    for name in [".", "..", "folder/..", "folder/", "folder/.", "new/"] {
        assert!(beneath.replace(path(name), b"x").is_err(), "{name}");
        assert!(beneath.remove(path(name)).is_err(), "{name}");
    }
}

#[test]
fn pipes_devices_folders_and_sockets_are_no_files() {
    let (_folder, root, beneath) = root();
    nix::unistd::mkfifo(&root.join("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let _listener = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
    for name in ["pipe", "socket", "folder"] {
        let refused = beneath.open(path(name), Access::Read).unwrap_err();
        assert!(matches!(refused, PathError::NotAFile { .. }), "{name}: {refused:?}");
        assert!(beneath.open(path(name), Access::Write).is_err(), "{name}");
    }
}

#[test]
fn a_file_that_is_too_long_is_not_read() {
    let (_folder, _root, beneath) = root();
    assert_eq!(beneath.read(path("folder/file"), 8).unwrap(), b"contents");
    assert!(matches!(beneath.read(path("folder/file"), 7), Err(PathError::TooLong { limit: 7, .. })));
}

/// Everything outside of the root: the secret, and nothing else.
fn assert_intact(folder: &Path, what: &str) {
    assert_eq!(fs::read_to_string(folder.join("secret")).unwrap(), SECRET, "{what}");
    assert_eq!(fs::read_dir(folder).unwrap().count(), 2, "{what}");
}

#[test]
fn no_line_of_the_traversal_lists_leaves_the_root() {
    let Some(lists) = test_data("path-and-cmd-payloads") else { return };
    let (folder, root, beneath) = root();
    let mut tried = 0;
    for list in ["deep_traversal.txt", "directory_traversal.txt", "traversals-8-deep-exotic-encoding.txt"] {
        for line in fs::read(lists.join(list)).unwrap().split(|byte| *byte == b'\n') {
            let plain = Path::new(std::ffi::OsStr::from_bytes(line));
            let to_secret = String::from_utf8_lossy(line).replace("{FILE}", "secret");
            let below = Path::new("folder/deep").join(plain.strip_prefix("/").unwrap_or(plain));
            for name in [plain, Path::new(&to_secret), &below] {
                let what = format!("{}", name.display());
                if let Ok(bytes) = beneath.read(name, LIMIT) {
                    assert_eq!(bytes, b"contents", "{what}");
                }
                for outcome in [beneath.create(name, b"x"), beneath.make_dir(name)] {
                    if outcome.is_ok() {
                        beneath.remove(name).unwrap();
                    }
                }
                assert_intact(folder.path(), &what);
                tried += 1;
            }
        }
    }
    assert!(tried > 1000, "{tried}");
    assert_eq!(fs::read_to_string(root.join("folder/file")).unwrap(), "contents");
}

/// How often folders are swapped for links.
fn swaps() -> usize {
    if std::env::var("PREMATH_PROVE").is_ok_and(|value| value == "1") { 10_000 } else { 500 }
}

#[test]
fn swapping_a_folder_for_a_link_leads_nobody_out() {
    let (folder, root, beneath) = root();
    fs::create_dir(folder.path().join("root/real")).unwrap();
    fs::write(root.join("real/secret"), "inner").unwrap();
    symlink("../..", root.join("folder/link")).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..swaps() {
                // One name is now a folder, now a link that leads out.
                fs::rename(root.join("real"), root.join("swapped")).unwrap();
                fs::rename(root.join("swapped"), root.join("real")).unwrap();
                symlink("..", root.join("swapped")).unwrap();
                fs::remove_file(root.join("swapped")).unwrap();
            }
            is_over.store(true, Ordering::SeqCst);
        });
        let mut reads = 0;
        while !is_over.load(Ordering::SeqCst) || reads == 0 {
            for name in ["swapped/secret", "swapped/../real/secret", "folder/link/secret"] {
                if let Ok(bytes) = beneath.read(path(name), LIMIT) {
                    assert_eq!(bytes, b"inner", "{name}");
                }
            }
            for name in ["swapped/new", "folder/link/new"] {
                // What is put into the folder while it has that name may be removed under its other one.
                if beneath.replace(path(name), b"x").is_ok() {
                    assert!(!folder.path().join("new").exists(), "{name}");
                }
            }
            reads += 1;
        }
    });
    assert!(!folder.path().join("new").exists());
    assert_intact(folder.path(), "after the race");
}
