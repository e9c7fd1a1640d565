//! The page: complete, and `live` exactly where a scenario provokes the class.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use premath_kernel::FailureClass;

use crate::by_measurement::{BY_PROMOTION, BY_TRIAL};
use crate::by_model::POLICY_DIGEST;
use crate::by_package::PACKAGE_MISMATCH;
use crate::{by_model, by_package};

/// The fewest classes that live runs must provoke.
const LEAST: usize = 30;

/// The rows of the page: class, `live` or `unreachable`, and why.
fn rows() -> BTreeMap<String, (String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/live-failure-classes.md");
    let text = std::fs::read_to_string(path).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [class, reach, why] = cells[..] else { return None };
        let class = class.strip_prefix('`')?.strip_suffix('`')?;
        Some((class.to_owned(), (reach.to_owned(), why.to_owned())))
    };
    text.lines().filter(|line| line.starts_with("| `")).filter_map(row).collect()
}

#[test]
fn every_class_is_provoked_here_or_listed_with_what_makes_it_unreachable() {
    let rows = rows();
    let scenarios = by_model::scenarios().into_iter().chain(by_package::scenarios());
    let scenarios = scenarios.flat_map(|scenario| scenario.classes.iter().copied());
    let others = BY_PROMOTION.into_iter().chain(BY_TRIAL).chain([POLICY_DIGEST, PACKAGE_MISMATCH]);
    let provoked: BTreeSet<&str> = scenarios.chain(others).collect();
    assert!(provoked.len() >= LEAST, "{}: {provoked:?}", provoked.len());
    assert_eq!(rows.len(), FailureClass::ALL.len(), "one row for each class");
    for class in FailureClass::ALL {
        let row = rows.get(class.code());
        let wanted = if provoked.contains(class.code()) { "live" } else { "unreachable" };
        assert_eq!(row.map(|(reach, _)| reach.as_str()), Some(wanted), "{class}");
        assert!(row.is_some_and(|(_, why)| why.split_whitespace().count() > 3), "{class}: no reason");
    }
}
