//! How callgrind's report is read and how the ratios come about.

use std::time::Duration;

use super::callgrind::count_in;
use super::startup::median;
use super::{Counts, Ratio, work};

const REPORT: &str = "\
==16== Callgrind, a call-graph generating cache profiler
==16== Command: /bin/true
==16== For interactive control, run 'callgrind_control -h'.
==16==
==16== Events    : Ir
==16== Collected : 163411
==16==
==16== I   refs:      163,411
";

#[test]
fn the_count_is_read_from_either_line() {
    assert_eq!(count_in(REPORT), Some(163_411));
    assert_eq!(count_in("==16== Collected : 163411\n"), Some(163_411));
    assert_eq!(count_in("==1==\n==1== I   refs:      1,163,411\n"), Some(1_163_411));
}

#[test]
fn a_report_without_a_count_gives_none() {
    assert_eq!(count_in("==16== Events    : Ir\nvalgrind: fatal error\n"), None);
    assert_eq!(count_in("==16== D   refs:      163,411\n"), None);
}

#[test]
fn ratios_divide_work_by_floor_and_large_by_small() {
    let counts = Counts {
        large_calls: 100_000,
        baseline_middle: 1_000,
        check_small: 500,
        check_middle: 2_500,
        check_large: 55_000,
    };
    let [over_baseline, growth] = counts.ratios().unwrap();
    assert!((over_baseline.value - 2.5).abs() < 1e-9);
    assert!((growth.value - 1.1).abs() < 1e-9);
    assert!(over_baseline.within() && growth.within());
}

#[test]
fn a_ratio_over_its_limit_says_so() {
    let ratio = Ratio { name: "cost".to_owned(), value: 3.01, limit: 3.0 };
    assert!(!ratio.within());
    assert_eq!(ratio.line(), "cost: 3.010 (limit 3) OVER THE LIMIT");
}

#[test]
fn work_below_its_generation_is_an_error() {
    assert_eq!(work(10, 4).unwrap(), 6);
    assert!(work(4, 10).is_err());
}

#[test]
fn the_median_of_nothing_is_nothing() {
    let times = [3, 1, 2].map(Duration::from_millis).to_vec();
    assert_eq!(median(times), Some(Duration::from_millis(2)));
    assert_eq!(median(Vec::new()), None);
}
