//! Packages: what they are known by, and who may put one into force.

use std::collections::BTreeMap;
use std::sync::Arc;

use premath_kernel::Digest;
use tempfile::TempDir;

use super::{PolicyAction, PolicyApplied, PolicyChange, PolicyFiles, PolicyStore, files};
use crate::disk::{Disk as _, OsClock, OsDisk};
use crate::permit::{OperatorBasis, OperatorGrant, Permit};

fn package(text: &str) -> PolicyFiles {
    PolicyFiles::new(BTreeMap::from([("governor/a.cedar".to_owned(), text.as_bytes().to_vec())]))
}

fn repository() -> (TempDir, PolicyStore) {
    let folder = TempDir::new().unwrap();
    OsDisk.create_folder(&folder.path().join(".premath")).unwrap();
    let store = PolicyStore::new(Arc::new(OsDisk), folder.path().to_path_buf());
    (folder, store)
}

#[test]
fn a_package_is_known_by_names_and_contents() {
    assert_eq!(package("a").digest(), package("a").digest());
    assert_ne!(package("a").digest(), package("b").digest());
    let renamed = PolicyFiles::new(BTreeMap::from([("governor/b.cedar".to_owned(), b"a".to_vec())]));
    assert_ne!(package("a").digest(), renamed.digest());
}

#[test]
fn a_folder_holds_exactly_the_package_that_was_put_there() {
    let (root, _) = repository();
    let folder = root.path().join("policies");
    files::write(&OsDisk, &folder.join("old.json"), b"{}").unwrap();
    package("a").place(&OsDisk, &folder).unwrap();
    assert_eq!(PolicyFiles::read(&OsDisk, &folder).unwrap(), package("a"));
}

fn named(names: &[&str]) -> PolicyFiles {
    PolicyFiles::new(names.iter().map(|name| ((*name).to_owned(), name.as_bytes().to_vec())).collect())
}

#[test]
fn a_file_becomes_a_folder_and_a_folder_a_file() {
    let (root, _) = repository();
    let folder = root.path().join("policies");
    for package in [named(&["notes"]), named(&["notes/a/x.md", "notes/y.md"]), named(&["notes", "z"])] {
        package.place(&OsDisk, &folder).unwrap();
        assert_eq!(PolicyFiles::read(&OsDisk, &folder).unwrap(), package);
    }
    let names: Vec<String> = OsDisk.list(&folder).unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["notes", "z"], "folders in which nothing is left go away");
}

#[test]
fn what_is_nobodys_and_in_the_way_is_said_before_anything_is_begun() {
    let (root, _) = repository();
    let folder = root.path().join("policies");
    files::write(&OsDisk, &folder.join("notes/deep/.kept"), b"mine").unwrap();
    files::write(&OsDisk, &folder.join("other/.x.md.new"), b"half").unwrap();
    assert_eq!(named(&["notes"]).obstacle(&OsDisk, &folder), Some(folder.join("notes/deep/.kept")));
    assert_eq!(named(&["notes/deep/x", "other"]).obstacle(&OsDisk, &folder), None);
    named(&["other"]).place(&OsDisk, &folder).unwrap();
    assert_eq!(PolicyFiles::read(&OsDisk, &folder).unwrap(), named(&["other"]));
}

#[test]
fn a_person_may_go_back_to_what_comes_with_premath_and_to_nothing_else() {
    let (root, store) = repository();
    let folder = root.path().join("policies");
    package("a").place(&OsDisk, &folder).unwrap();
    let permit = || Permit::Operator(OperatorGrant::new(None, OperatorBasis::Configured));
    let change = |action, package: PolicyFiles| PolicyChange {
        action,
        package,
        previous: store.working_files().unwrap().digest(),
        eval_report: None,
        red_team_report: None,
        evidence: None,
    };
    for wanted in
        [change(PolicyAction::Rollback, package("b")), change(PolicyAction::Promote, PolicyFiles::default())]
    {
        let applied = store.apply(permit(), &wanted, "somebody", &OsClock).unwrap();
        assert!(matches!(applied, PolicyApplied::Refused(_)), "{applied:?}");
    }
    let ours = change(PolicyAction::Rollback, PolicyFiles::default());
    let applied = store.apply(permit(), &ours, "somebody", &OsClock).unwrap();
    assert!(matches!(applied, PolicyApplied::InForce(_)), "{applied:?}");
    assert_eq!(store.working_files().unwrap(), PolicyFiles::default());
}

#[test]
fn a_package_without_rules_leaves_no_folder_of_rules_behind() {
    let (root, _) = repository();
    let folder = root.path().join("policies");
    package("a").place(&OsDisk, &folder).unwrap();
    files::write(&OsDisk, &folder.join("notes/.kept"), b"").unwrap();
    PolicyFiles::default().place(&OsDisk, &folder).unwrap();
    let left = OsDisk.list(&folder).unwrap();
    let names: Vec<&str> = left.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["notes"], "what is not of a package stays");
}

#[test]
fn what_a_sandbox_left_in_the_place_of_the_folder_is_no_package() {
    let (root, store) = repository();
    let folder = root.path().join("policies");
    files::write(&OsDisk, &folder, b"").unwrap();
    assert_eq!(store.working_files().unwrap(), PolicyFiles::default());
    package("a").place(&OsDisk, &folder).unwrap();
    assert_eq!(store.working_files().unwrap(), package("a"));
    let other = root.path().join("other");
    files::write(&OsDisk, &other, b"x").unwrap();
    assert!(PolicyFiles::read(&OsDisk, &other).is_err());
}

#[test]
fn a_person_alone_puts_nothing_into_force() {
    let (_root, store) = repository();
    let change = PolicyChange {
        action: PolicyAction::Promote,
        package: package("a"),
        previous: store.working_files().unwrap().digest(),
        eval_report: None,
        red_team_report: None,
        evidence: None,
    };
    let permit = Permit::Operator(OperatorGrant::new(None, OperatorBasis::Configured));
    let applied = store.apply(permit, &change, "somebody", &OsClock).unwrap();
    assert!(matches!(applied, PolicyApplied::Refused(_)), "{applied:?}");
    assert_eq!(store.working_files().unwrap(), PolicyFiles::default());
    assert!(store.history().unwrap().is_empty());
}

#[test]
fn a_digest_that_is_a_path_names_no_package() {
    let (_root, store) = repository();
    for text in ["../..", "pol1_../../../etc", "pol1_", "sha256:00"] {
        assert!(store.kept(&Digest::claimed(text).unwrap()).unwrap().is_none(), "{text}");
    }
}

#[test]
fn a_marker_without_its_row_means_nothing_and_goes_away() {
    let (_root, store) = repository();
    store.keep(&package("a")).unwrap();
    store.mark(&package("a").digest()).unwrap();
    assert!(store.is_under_way().unwrap());
    store.settle().unwrap();
    assert!(!store.is_under_way().unwrap());
    assert_eq!(store.working_files().unwrap(), PolicyFiles::default());
}
