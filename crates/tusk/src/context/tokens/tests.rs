//! Estimates grow with their text, and reports correct them.

use proptest::prelude::*;

use super::{Meter, estimate};

#[test]
fn ascii_takes_a_quarter_and_other_text_half_of_its_bytes() {
    assert_eq!(estimate(""), 0);
    assert_eq!(estimate("a"), 1);
    assert_eq!(estimate(&"word".repeat(100)), 100);
    assert_eq!(estimate(&"漢".repeat(100)), 150);
    assert_eq!(estimate("ä"), 1);
}

#[test]
fn a_report_takes_the_place_of_every_estimate_before_it() {
    let mut meter = Meter::new();
    meter.added(&"word".repeat(1000));
    assert_eq!(meter.context_tokens(), 1000);
    meter.reported(1234);
    assert_eq!(meter.context_tokens(), 1234);
    meter.added(&"word".repeat(10));
    assert_eq!(meter.context_tokens(), 1244);
    meter.removed(20);
    assert_eq!(meter.context_tokens(), 1224);
    meter.removed(10_000);
    assert_eq!(meter.context_tokens(), 0);
}

proptest! {
    #[test]
    fn an_estimate_never_falls_when_a_text_grows(text in ".{0,60}", more in ".{0,60}") {
        let longer = format!("{text}{more}");
        prop_assert!(estimate(&longer) >= estimate(&text));
        prop_assert!(estimate(&longer) >= estimate(&more));
        prop_assert!(estimate(&longer) <= estimate(&text) + estimate(&more));
    }
}
