//! Facts about moments.

use super::Moment;

fn at(seconds: i64, nanos: u32) -> Moment {
    Moment::new(seconds, nanos).unwrap()
}

#[test]
fn a_second_of_nanoseconds_belongs_to_the_next_second() {
    assert!(Moment::new(0, 999_999_999).is_some());
    assert_eq!(Moment::new(0, 1_000_000_000), None);
}

#[test]
fn moments_are_ordered_by_seconds_and_then_by_nanoseconds() {
    let ascending = [at(-2, 0), at(-1, 999_999_999), at(0, 0), at(0, 1), at(1, 0)];
    assert!(ascending.is_sorted_by(|one, next| one < next));
}

#[test]
fn a_moment_moves_by_whole_seconds_and_keeps_the_rest() {
    assert_eq!(at(5, 7).plus_seconds(-6), at(-1, 7));
    assert_eq!(at(5, 7).plus_seconds(3_600).seconds(), 3_605);
    assert_eq!(at(5, 7).plus_seconds(1).nanos(), 7);
}

#[test]
fn a_moment_stays_at_the_end_of_time() {
    assert_eq!(at(i64::MAX - 1, 3).plus_seconds(10), at(i64::MAX, 3));
    assert_eq!(at(i64::MIN, 3).plus_seconds(-1), at(i64::MIN, 3));
}
