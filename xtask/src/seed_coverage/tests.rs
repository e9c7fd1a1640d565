//! Facts about clauses, annotations and the page.

use super::annotation::annotations;
use super::clause::{Evidence, read_sections};
use super::{check, cover, matching};

const LIST: &str = "# a comment\n@ 004 §5 JoinClosed\n1 no orphans\n2 later => open: issue 30\n";

fn found(text: &str) -> Vec<super::Annotation> {
    annotations("crates/x/tests/a.rs", text).unwrap()
}

#[test]
fn a_line_above_a_test_names_its_clauses() {
    let found = found("/// Closes.\n/// Seed: 004 §5/1, 004 §5/2\n#[test]\nfn closes() {}\n");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].place, "crates/x/tests/a.rs::closes");
    assert_eq!(found[0].clauses, ["004 §5/1", "004 §5/2"]);
}

#[test]
fn a_line_above_no_test_is_refused() {
    assert!(annotations("a.rs", "/// Seed: 004 §5/1\nfn helper() {}\n").is_err());
    assert!(annotations("a.rs", "//! Seed: 004 §5/1\nfn helper() {}\n").is_err());
}

#[test]
fn a_clause_without_evidence_is_named() {
    let sections = read_sections(LIST).unwrap();
    let error = cover(&sections, &[]).unwrap_err().to_string();
    assert!(error.contains("004 §5/1: `no orphans` has no evidence"), "{error}");
    assert!(!error.contains("004 §5/2"), "{error}");
}

#[test]
fn a_line_that_names_no_clause_is_refused() {
    let sections = read_sections(LIST).unwrap();
    let found = found("/// Seed: 004 §5/1, 004 §9/9\n#[test]\nfn closes() {}\n");
    let error = cover(&sections, &found).unwrap_err().to_string();
    assert!(error.contains("`004 §9/9` is no clause"), "{error}");
}

#[test]
fn a_star_stands_for_every_clause_of_its_section() {
    let sections = read_sections(LIST).unwrap();
    let found = found("//! Seed: 004 §5/*\n#[test]\nfn closes() {}\n");
    assert_eq!(cover(&sections, &found).unwrap().len(), 2);
}

#[test]
fn a_range_stands_for_its_clauses_and_no_others() {
    let sections = read_sections(LIST).unwrap();
    assert_eq!(matching(&sections, "004 §5/1-2"), ["004 §5/1", "004 §5/2"]);
    for none in ["004 §5/2-1", "004 §5/0", "004 §5/1-3", "004 §5", "004 §5/x", "004 §6/1"] {
        assert!(matching(&sections, none).is_empty(), "{none}");
    }
}

#[test]
fn a_list_with_a_gap_or_an_unknown_evidence_is_refused() {
    for bad in ["1 before a section\n", "@ 004 §5 x\n2 a gap\n", "@ 004 §5 x\n1 a => guess: b\n", ""] {
        assert!(read_sections(bad).is_err(), "{bad}");
    }
    assert_eq!(read_sections(LIST).unwrap()[0].clauses[1].evidence, Evidence::Open("issue 30".to_owned()));
}

#[test]
fn the_committed_page_is_what_the_list_and_the_tests_give() {
    check().unwrap();
}
