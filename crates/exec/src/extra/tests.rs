//! Which further paths count in which workdir.

#![expect(clippy::disallowed_methods, reason = "the tests prepare the files that are looked for")]

use std::path::{Path, PathBuf};

use premath_tusk::tools::WorkPath;

use super::further;
use crate::{OsSandbox, SandboxConfig};

fn paths(all: &[&str]) -> Vec<PathBuf> {
    all.iter().map(PathBuf::from).collect()
}

#[test]
fn a_kept_file_counts_below_the_workdir_and_only_when_it_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let top = std::fs::canonicalize(folder.path()).unwrap();
    std::fs::create_dir(top.join("memo")).unwrap();
    std::fs::write(top.join("memo/issues.jsonl"), "").unwrap();
    let (there, absent) = (top.join("memo/issues.jsonl"), top.join("memo/issues.jsonl.lock"));
    let extra =
        [PathBuf::from("other"), there, absent, PathBuf::from("/elsewhere/issues.jsonl"), top.clone()];
    assert_eq!(further(&top, &extra), paths(&["other", "memo/issues.jsonl"]));
    assert_eq!(further(&top.join("memo"), &extra), paths(&["other", "issues.jsonl"]));
    assert_eq!(further(Path::new("/nowhere"), &extra), paths(&["other"]));
}

#[test]
fn tools_do_not_make_a_kept_file_either() {
    let folder = tempfile::tempdir().unwrap();
    let top = std::fs::canonicalize(folder.path()).unwrap();
    let extra_protected = vec![PathBuf::from("memo"), top.join("issues.history.jsonl")];
    let sandbox = OsSandbox::new(SandboxConfig { extra_protected, ..SandboxConfig::default() });
    let protected = sandbox.protected_paths(folder.path()).unwrap();
    let covers = |path: &str| protected.cover(&WorkPath::read(path, &top).unwrap());
    assert!(covers("memo/issues.jsonl") && covers("issues.history.jsonl") && covers(".premath/issues.jsonl"));
    assert!(!covers("issues.txt"));
}
