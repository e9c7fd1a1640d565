//! Which paths of a workdir are protected, by what is in it.

#![expect(clippy::disallowed_methods, reason = "a workdir is arranged directly")]

use std::fs;
use std::path::{Path, PathBuf};

use premath_tusk::tools::{ProtectedPaths, WorkPath};

use super::{Kind, plain, protected, protected_paths};

fn workdir() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(folder.path()).unwrap();
    (folder, path)
}

#[test]
fn every_standard_name_is_protected_when_it_is_absent() {
    let (_folder, workdir) = workdir();
    let found = protected(&workdir, &[]);
    for name in ProtectedPaths::names() {
        let path = Path::new(name.path);
        let covering = |held: &&PathBuf| path.starts_with(held);
        let held = found.all.iter().find(covering).unwrap();
        assert!(found.absent.paths.iter().any(|(absent, _)| absent == held), "{}", name.path);
    }
    assert_eq!(found.absent.parents, [PathBuf::from(".cargo"), PathBuf::from(".github")]);
    assert!(!found.has_links);
}

#[test]
fn what_no_tool_changes_no_command_changes_either() {
    let (_folder, workdir) = workdir();
    let outermost: Vec<&str> = ProtectedPaths::names()
        .iter()
        .map(|name| name.path)
        .filter(|path| !path.starts_with(".git/"))
        .collect();
    for name in &outermost {
        fs::create_dir_all(workdir.join(name).parent().unwrap()).unwrap();
        fs::write(workdir.join(name), "").unwrap();
    }
    let found = protected(&workdir, &[]);
    let names: Vec<&Path> = found.all.iter().map(PathBuf::as_path).collect();
    let mut expected: Vec<&Path> = outermost.iter().map(Path::new).collect();
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert!(found.absent.paths.is_empty() && found.absent.parents.is_empty());
}

#[test]
fn an_absent_name_below_a_link_is_held_with_the_link() {
    let (_folder, workdir) = workdir();
    fs::create_dir(workdir.join("forge")).unwrap();
    std::os::unix::fs::symlink("forge", workdir.join(".github")).unwrap();
    let found = protected(&workdir, &[]);
    assert!(found.has_links && found.all.contains(&PathBuf::from(".github")), "{found:?}");
    assert!(found.all.contains(&PathBuf::from("forge")), "{found:?}");
}

#[test]
fn what_a_run_left_behind_counts_as_absent() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_folder, workdir) = workdir();
    fs::create_dir_all(workdir.join(".github/workflows")).unwrap();
    fs::set_permissions(workdir.join(".github/workflows"), fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(workdir.join(".github"), fs::Permissions::from_mode(0o1755)).unwrap();
    let found = protected(&workdir, &[]).absent;
    assert!(found.paths.contains(&(PathBuf::from(".github/workflows"), Kind::Folder)), "{found:?}");
    assert!(found.parents.contains(&PathBuf::from(".github")), "{found:?}");
}

#[test]
fn a_stand_in_for_our_own_names_never_has_the_kind_that_makes_a_root() {
    let (_folder, workdir) = workdir();
    let kind = |name: &str| {
        protected(&workdir, &[])
            .absent
            .paths
            .into_iter()
            .find(|(path, _)| path == Path::new(name))
            .map(|(_, kind)| kind)
    };
    assert_eq!((kind(".premath"), kind("premath.toml")), (Some(Kind::File), Some(Kind::Folder)));
    fs::create_dir(workdir.join(".premath")).unwrap();
    assert_eq!((kind(".premath"), kind("premath.toml")), (None, Some(Kind::File)));
}

#[test]
fn a_link_is_protected_with_what_it_leads_to() {
    let (_folder, workdir) = workdir();
    fs::create_dir_all(workdir.join("config/editor")).unwrap();
    std::os::unix::fs::symlink("config/editor", workdir.join(".vscode")).unwrap();
    let found = protected(&workdir, &[]);
    assert!(found.has_links);
    assert!(
        found.all.contains(&PathBuf::from(".vscode")) && found.all.contains(&PathBuf::from("config/editor"))
    );
}

#[test]
fn submodules_and_hooks_in_the_working_tree_are_found() {
    let (_folder, workdir) = workdir();
    fs::create_dir_all(workdir.join("libs/one")).unwrap();
    fs::create_dir_all(workdir.join(".githooks")).unwrap();
    fs::create_dir_all(workdir.join(".git")).unwrap();
    fs::write(workdir.join(".gitmodules"), "[submodule \"one\"]\n\tpath = libs/one\n\turl = ../one\n")
        .unwrap();
    fs::write(workdir.join(".git/config"), "[core]\n\thooksPath = .githooks\n").unwrap();
    let found = protected(&workdir, &[]);
    assert!(found.all.contains(&PathBuf::from("libs/one/.git")), "{found:?}");
    assert!(found.all.contains(&PathBuf::from(".githooks")), "{found:?}");
}

#[test]
fn what_a_hook_is_a_link_to_is_protected() {
    let (_folder, workdir) = workdir();
    fs::create_dir_all(workdir.join(".git/hooks")).unwrap();
    fs::create_dir(workdir.join("scripts")).unwrap();
    fs::write(workdir.join("scripts/check"), "").unwrap();
    std::os::unix::fs::symlink("../../scripts/check", workdir.join(".git/hooks/pre-commit")).unwrap();
    let found = protected(&workdir, &[]);
    assert!(found.all.contains(&PathBuf::from("scripts/check")), "{found:?}");
    assert!(!found.has_links, "{found:?}");
    fs::remove_dir_all(workdir.join(".git/hooks")).unwrap();
    std::os::unix::fs::symlink("../scripts", workdir.join(".git/hooks")).unwrap();
    assert!(protected(&workdir, &[]).all.contains(&PathBuf::from("scripts")));
}

#[test]
fn a_path_that_leads_out_is_none() {
    assert_eq!(plain(Path::new("../x")), None);
    assert_eq!(plain(Path::new("/x")), None);
    assert_eq!(plain(Path::new(".")), None);
    assert_eq!(plain(Path::new("a/../b/./c")), Some(PathBuf::from("b/c")));
}

#[test]
fn what_a_protected_name_leads_to_is_changed_by_no_tool() {
    let (_folder, workdir) = workdir();
    fs::create_dir_all(workdir.join("conf/policies")).unwrap();
    fs::write(workdir.join("conf/settings.toml"), "").unwrap();
    std::os::unix::fs::symlink("conf/policies", workdir.join("policies")).unwrap();
    std::os::unix::fs::symlink("conf/settings.toml", workdir.join("premath.toml")).unwrap();
    let protected = protected_paths(&workdir).unwrap();
    let covers = |path: &str| protected.cover(&WorkPath::read(path, &workdir).unwrap());
    for path in ["policies/a", "conf/policies/a", "conf/policies", "conf/settings.toml", ".config/x"] {
        assert!(covers(path), "{path}");
    }
    assert!(!covers("conf/other") && !covers("conf"));
}
