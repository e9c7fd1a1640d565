//! Where external test data lies: `$PREMATH_TEST_DATA`, else `../shared/data` beside the repository.
//!
//! It must not download anything, and must not let a missing folder pass unseen: a skip is named, and fails in CI.

#![expect(clippy::disallowed_methods, reason = "test data is found through the environment, in tests only")]
#![expect(clippy::print_stderr, reason = "a skipped test says so where the runner shows it")]
#![expect(clippy::panic, reason = "in CI a missing folder fails the test that needs it")]

use std::path::{Path, PathBuf};
use std::{env, fs, thread};

/// The folder of one data set, such as `jcs-rfc8785`; `None` after a named skip.
///
/// # Panics
/// When the folder is missing and `CI=true`.
#[must_use]
pub fn test_data(set: &str) -> Option<PathBuf> {
    let folder = root().join(set);
    if folder.is_dir() {
        return Some(folder);
    }
    let test = thread::current().name().unwrap_or("a test").to_owned();
    let message = format!("{test}: no test data at {} (set PREMATH_TEST_DATA)", folder.display());
    if env::var("CI").is_ok_and(|value| value == "true") {
        panic!("{message}");
    }
    eprintln!("SKIPPED {message}");
    None
}

/// Every file of a folder by its path, sorted.
///
/// # Panics
/// When one cannot be read: a case that is passed over is a test that says nothing.
#[must_use]
pub fn files_in(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            entry
                .map(|entry| entry.path())
                .and_then(|path| Ok((path.display().to_string(), fs::read(&path)?)))
        })
        .map(|read| read.unwrap_or_else(|error| panic!("{}: {error}", folder.display())))
        .collect();
    files.sort();
    files
}

/// Gives every seed of a fuzz target that is committed to its body.
///
/// # Panics
/// When there are too few of them to mean anything, or the body does.
pub fn replay_corpus(target: &str, body: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let seeds = files_in(&folder);
    assert!(seeds.len() >= 20, "{} holds {} seeds", folder.display(), seeds.len());
    seeds.iter().for_each(|(_, seed)| body(seed));
}

fn root() -> PathBuf {
    env::var_os("PREMATH_TEST_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from)
}
