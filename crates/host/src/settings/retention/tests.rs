//! Facts about ages and sizes as people write them.

use super::{RetentionSettings, format_age, format_size, parse_age, parse_size};

#[test]
fn ages_are_read_in_every_unit_and_written_in_the_largest_that_fits() {
    let ages = ["90s", "90m", "36h", "7d", "2w", " 60 s "].map(|text| parse_age(text).unwrap());
    assert_eq!(ages, [90, 5_400, 129_600, 604_800, 1_209_600, 60]);
    assert_eq!([86_400, 5_400, 61].map(format_age), ["1d", "90m", "61s"]);
}

#[test]
fn sizes_are_read_in_every_unit() {
    let sizes = ["1B", "2KiB", "3 MiB", "1GiB", "5kB", "6MB"].map(|text| parse_size(text).unwrap());
    assert_eq!(sizes, [1, 2_048, 3 << 20, 1 << 30, 5_000, 6_000_000]);
    assert_eq!([1 << 30, 5_000, 7].map(format_size), ["1GiB", "5kB", "7B"]);
}

#[test]
fn what_is_no_age_or_size_is_refused() {
    for text in ["", "h", "1", "-1h", "1.5h", "1y", "99999999999999999999d", "+1h"] {
        assert!(parse_age(text).is_err(), "{text}");
    }
    for text in ["", "GiB", "1", "1.5GiB", "1XB", "99999999999TB"] {
        assert!(parse_size(text).is_err(), "{text}");
    }
    assert!(parse_age("59s").unwrap_err().contains("at least 60s"));
}

#[test]
fn without_a_word_everything_older_than_a_day_may_go() {
    let rules = RetentionSettings::default().rules();
    assert_eq!((rules.min_age_seconds, rules.max_bytes), (86_400, None));
}
