//! The shipped package, overlays and drift.

use std::collections::BTreeMap;

use premath_bd::PolicyFiles;

use super::{PolicyPackages, differences, shipped_package};

fn files(rows: &[(&str, &str)]) -> PolicyFiles {
    let rows = rows.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec()));
    PolicyFiles::new(rows.collect::<BTreeMap<_, _>>())
}

fn shipped() -> PolicyFiles {
    shipped_package([("governor/allow.cedar".to_owned(), "permit one;\n".to_owned())])
}

fn names(package: &PolicyFiles) -> Vec<String> {
    package.iter().map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn the_shipped_package_has_rules_controls_and_gates() {
    assert_eq!(
        names(&shipped()),
        [
            "gates/eval-gate.json",
            "gates/redteam-gate.json",
            "governor/allow.cedar",
            "risk/high.json",
            "risk/low.json",
            "risk/moderate.json",
        ]
    );
}

#[test]
fn rules_of_a_package_replace_the_shipped_ones_as_a_whole_and_other_files_one_by_one() {
    let packages = PolicyPackages::new(shipped());
    let own = files(&[("governor/mine.cedar", "forbid;\n"), ("risk/high.json", "{}\n")]);
    let effective = packages.effective(&own);
    assert_eq!(effective.get("governor/allow.cedar"), None);
    assert_eq!(effective.get("risk/high.json"), Some(b"{}\n".as_slice()));
    assert_eq!(effective.get("risk/low.json"), shipped().get("risk/low.json"));
    assert_eq!(packages.effective(&PolicyFiles::default()), shipped());
}

#[test]
fn a_difference_names_the_file_the_line_and_what_happened() {
    let before = files(&[("a", "one\ntwo\nthree\n"), ("gone", "x\n"), ("same", "s\n")]);
    let after = files(&[("a", "one\nTWO\nthree\n"), ("new", "y\n"), ("same", "s\n")]);
    let found = differences(&before, &after);
    let rows: Vec<_> = found.iter().map(|row| (row.path.as_str(), row.change.as_str(), row.line)).collect();
    assert_eq!(rows, [("a", "changed", Some(2)), ("gone", "removed", None), ("new", "added", None)]);
    assert!(found.iter().any(|row| row.diff.contains("-two\n+TWO\n")), "{found:?}");
    assert!(differences(&before, &before).is_empty());
}

#[test]
fn lines_that_were_added_at_the_end_are_named_by_their_number() {
    let found = differences(&files(&[("a", "one\n")]), &files(&[("a", "one\ntwo\n")]));
    assert_eq!(found.first().and_then(|row| row.line), Some(2));
}
