//! The clock stands still, and names are never given twice.

use premath_bd::{Clock as _, IdSource as _};
use premath_kernel::Moment;

use super::{CountingIds, TestClock};

#[test]
fn a_clock_shows_what_it_was_set_to_wherever_it_is_held() {
    let clock = TestClock::at(Moment::EPOCH);
    let other = clock.clone();
    assert_eq!(other.now(), Moment::EPOCH);
    clock.advance(90);
    assert_eq!(other.now(), Moment::EPOCH.plus_seconds(90));
    other.advance(-100);
    assert_eq!(clock.now(), Moment::EPOCH.plus_seconds(-10));
    clock.set(Moment::EPOCH);
    assert_eq!(other.now(), Moment::EPOCH);
}

#[test]
fn names_are_counted_across_clones() {
    let ids = CountingIds::default();
    let other = ids.clone();
    assert_eq!([ids.fresh(), other.fresh(), ids.fresh()], ["test-1", "test-2", "test-3"]);
    assert_eq!(CountingIds::new("run").fresh(), "run-1");
}
