//! Facts about the natural order, some over every short string of a small alphabet.

use core::cmp::Ordering;
use std::format;
use std::string::String;
use std::vec::Vec;

use super::natural_cmp;

fn assert_ascending(ids: &[&str]) {
    for (place, one) in ids.iter().enumerate() {
        for (other_place, other) in ids.iter().enumerate() {
            assert_eq!(natural_cmp(one, other), place.cmp(&other_place), "{one:?} {other:?}");
        }
    }
}

#[test]
fn numbers_in_ids_count_as_numbers() {
    assert_ascending(&["bd-1", "bd-2", "bd-2.1", "bd-2.10", "bd-10", "bd-10a", "bd-11", "be-1"]);
}

#[test]
fn a_number_longer_than_any_integer_type_is_still_a_number() {
    let nines = "9".repeat(60);
    let one_more = format!("1{}", "0".repeat(60));
    assert_ascending(&["7", &nines, &one_more]);
}

#[test]
fn leading_zeros_decide_last_and_fewer_come_first() {
    assert_ascending(&["a1", "a01", "a001", "a1b", "a01b", "a2", "a02", "a3"]);
    assert_ascending(&["0", "00", "1"]);
    assert_ascending(&["1-01", "01-1"]);
}

#[test]
fn all_but_digits_is_ordered_by_byte() {
    assert_ascending(&["", "-", "5", "A", "Z", "a", "a-", "aa", "é", "日"]);
}

/// Every string of up to four characters over an alphabet with digits, a zero, and bytes below and above the digits.
fn short_strings() -> Vec<String> {
    let mut all = Vec::from([String::new()]);
    let mut last = all.clone();
    for _ in 0..4 {
        last = last
            .iter()
            .flat_map(|start| ['0', '1', '2', '-', 'a'].map(|next| format!("{start}{next}")))
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

#[test]
fn only_identical_ids_are_equal_and_the_order_reads_the_same_from_both_sides() {
    let all = short_strings();
    for one in &all {
        for other in &all {
            let order = natural_cmp(one, other);
            assert_eq!(order == Ordering::Equal, one == other, "{one:?} {other:?}");
            assert_eq!(order, natural_cmp(other, one).reverse(), "{one:?} {other:?}");
        }
    }
}

/// With antisymmetry: if a sorted list is ascending between any two of its members, the order is transitive on it.
#[test]
fn the_order_is_transitive() {
    let mut all = short_strings();
    all.sort_by(|one, other| natural_cmp(one, other));
    for (place, one) in all.iter().enumerate() {
        for other in &all[place + 1..] {
            assert_eq!(natural_cmp(one, other), Ordering::Less, "{one:?} {other:?}");
        }
    }
}
