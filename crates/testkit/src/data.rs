//! Where external test data lies: `$PREMATH_TEST_DATA`, else `../shared/data` beside the repository.
//!
//! It must not download anything, and must not let a missing folder pass unseen: a skip is named, and fails in CI.

#![expect(clippy::disallowed_methods, reason = "test data is found through the environment, in tests only")]
#![expect(clippy::print_stderr, reason = "a skipped test says so where the runner shows it")]
#![expect(clippy::panic, reason = "in CI a missing folder fails the test that needs it")]

use std::env;
use std::path::{Path, PathBuf};
use std::thread;

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

fn root() -> PathBuf {
    env::var_os("PREMATH_TEST_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from)
}
