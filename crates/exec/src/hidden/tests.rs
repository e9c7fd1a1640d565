//! Which files of a workdir are hidden, by what is in it.

#![expect(clippy::disallowed_methods, reason = "a workdir is arranged directly")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use tempfile::TempDir;

use premath_tusk::sandbox::{Profile, StateAccess};

use super::{hidden, hidden_folders, state};
use crate::plan::State;

fn workdir(files: &[&str]) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    for file in files {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), "x").unwrap();
    }
    (folder, root)
}

#[test]
fn files_that_hold_credentials_by_their_name_are_hidden_wherever_they_lie() {
    let (_folder, root) = workdir(&[
        ".env",
        ".env.example",
        "services/api/.env.local",
        "keys/id_rsa",
        "keys/id_rsa.pub",
        "src/environment.rs",
        "node_modules/x/.npmrc",
    ]);
    let expected = [".env", "keys/id_rsa", "services/api/.env.local"].map(PathBuf::from);
    assert_eq!(hidden(&root, &[], &[]), expected);
}

#[test]
fn a_link_is_hidden_with_what_it_leads_to_and_what_is_outside_is_not_ours() {
    let (_folder, root) = workdir(&["settings/live.txt"]);
    let (_outside, other) = workdir(&["secret.txt"]);
    symlink(root.join("settings/live.txt"), root.join(".env")).unwrap();
    symlink(other.join("secret.txt"), root.join(".netrc")).unwrap();
    assert_eq!(hidden(&root, &[], &[]), [PathBuf::from("settings/live.txt")]);
}

#[test]
fn what_a_person_made_readable_stays_so() {
    let (_folder, root) = workdir(&[".env", "a/.env"]);
    assert_eq!(hidden(&root, &[root.join("a")], &[]), [PathBuf::from(".env")]);
}

#[test]
fn sockets_are_hidden_but_for_those_that_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(folder.path()).unwrap();
    let _one = std::os::unix::net::UnixListener::bind(root.join("one.sock")).unwrap();
    let _other = std::os::unix::net::UnixListener::bind(root.join("other.sock")).unwrap();
    assert_eq!(hidden(&root, &[], &[PathBuf::from("one.sock")]), [PathBuf::from("other.sock")]);
}

#[test]
fn only_the_isolated_profile_hides_history_and_only_where_there_is_some() {
    let folder = tempfile::tempdir().unwrap();
    assert!(hidden_folders(folder.path(), Profile::Isolated).is_empty());
    std::fs::create_dir_all(folder.path().join(".git/objects")).unwrap();
    assert_eq!(hidden_folders(folder.path(), Profile::Isolated), [PathBuf::from(".git/objects")]);
    assert!(hidden_folders(folder.path(), Profile::WorkspaceWrite).is_empty());
}

#[test]
fn state_is_hidden_where_there_is_any_unless_a_command_may_read_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let files = StateAccess::Files(vec![".premath/issues.jsonl".to_owned()]);
    assert_eq!(state(folder.path(), &files), State::All);
    std::fs::create_dir(folder.path().join(".premath")).unwrap();
    assert_eq!(state(folder.path(), &files), State::Files(vec![PathBuf::from(".premath/issues.jsonl")]));
    assert_eq!(state(folder.path(), &StateAccess::All), State::All);
}
