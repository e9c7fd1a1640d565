//! The rules of cooling, one by one.

use std::time::Duration;

use premath_kernel::Moment;

use super::{Circuit, CircuitStore, LONGEST_COOLING, MemoryCircuits};
use crate::model::{ModelError, ModelErrorKind};

fn at(seconds: i64) -> Moment {
    Moment::new(seconds, 0).unwrap()
}

fn failure(kind: ModelErrorKind) -> ModelError {
    ModelError::new(kind, "test", "it failed")
}

fn asked_to_wait(kind: ModelErrorKind, wait: Duration) -> ModelError {
    ModelError { retry_after: Some(wait), ..failure(kind) }
}

#[test]
fn a_new_provider_may_be_asked() {
    assert!(!Circuit::default().is_cooling(at(0)));
}

#[test]
fn retry_after_cools_for_every_kind_that_counts() {
    let counting = [
        ModelErrorKind::RateLimit,
        ModelErrorKind::Timeout,
        ModelErrorKind::Unavailable,
        ModelErrorKind::Overloaded,
    ];
    for kind in counting {
        let circuit =
            Circuit::default().after_failure(&asked_to_wait(kind, Duration::from_secs(17)), at(100));
        assert_eq!(circuit.cooling_until, Some(at(117)), "{}", kind.as_str());
        assert_eq!(circuit.because, Some(kind));
        assert!(circuit.is_cooling(at(116)));
        assert!(!circuit.is_cooling(at(117)));
    }
}

#[test]
fn retry_after_beside_a_fault_of_the_request_cools_nothing() {
    let faults = [
        ModelErrorKind::Authentication,
        ModelErrorKind::Model,
        ModelErrorKind::ContextLength,
        ModelErrorKind::Unknown,
    ];
    for kind in faults {
        let circuit =
            Circuit::default().after_failure(&asked_to_wait(kind, Duration::from_secs(17)), at(100));
        assert_eq!(
            circuit,
            Circuit { last_failure: Some(at(100)), ..Circuit::default() },
            "{}",
            kind.as_str()
        );
    }
}

#[test]
fn fractions_of_a_second_are_kept() {
    let now = Moment::new(10, 600_000_000).unwrap();
    let error = asked_to_wait(ModelErrorKind::RateLimit, Duration::from_millis(1_500));
    let circuit = Circuit::default().after_failure(&error, now);
    assert_eq!(circuit.cooling_until, Moment::new(12, 100_000_000));
}

#[test]
fn retry_after_is_held_at_a_day() {
    let circuit =
        Circuit::default().after_failure(&asked_to_wait(ModelErrorKind::RateLimit, Duration::MAX), at(0));
    assert_eq!(circuit.cooling_until, Some(at(24 * 60 * 60)));
    assert!(circuit.is_cooling(at(0)));
}

#[test]
fn retry_after_of_nothing_does_not_cool() {
    let circuit =
        Circuit::default().after_failure(&asked_to_wait(ModelErrorKind::RateLimit, Duration::ZERO), at(5));
    assert!(!circuit.is_cooling(at(5)));
}

#[test]
fn a_rate_limit_cools_for_a_minute() {
    let circuit = Circuit::default().after_failure(&failure(ModelErrorKind::RateLimit), at(1));
    assert_eq!(circuit.cooling_until, Some(at(61)));
    assert_eq!(circuit.because, Some(ModelErrorKind::RateLimit));
    assert_eq!(circuit.last_failure, Some(at(1)));
}

#[test]
fn the_third_outage_in_a_row_cools_and_so_does_the_fourth() {
    let outages = [ModelErrorKind::Unavailable, ModelErrorKind::Overloaded, ModelErrorKind::Timeout];
    let mut circuit = Circuit::default();
    for (second, kind) in outages.into_iter().enumerate() {
        assert!(!circuit.is_cooling(at(2)));
        circuit = circuit.after_failure(&failure(kind), at(i64::try_from(second).unwrap()));
    }
    assert_eq!(circuit.consecutive_failures, 3);
    assert_eq!(circuit.cooling_until, Some(at(32)));
    assert_eq!(circuit.because, Some(ModelErrorKind::Timeout));
    let again = circuit.after_failure(&failure(ModelErrorKind::Unavailable), at(40));
    assert_eq!(again.cooling_until, Some(at(70)));
}

#[test]
fn a_success_begins_the_count_again() {
    let outage = failure(ModelErrorKind::Unavailable);
    let circuit = Circuit::default().after_failure(&outage, at(0)).after_failure(&outage, at(1));
    let circuit = circuit.after_success(at(2)).after_failure(&outage, at(3));
    assert_eq!(circuit.consecutive_failures, 1);
    assert!(!circuit.is_cooling(at(3)));
    assert_eq!((circuit.last_success, circuit.last_failure), (Some(at(2)), Some(at(3))));
}

#[test]
fn a_fault_of_the_request_is_not_held_against_the_provider() {
    let faults = [
        ModelErrorKind::Authentication,
        ModelErrorKind::Model,
        ModelErrorKind::ContextLength,
        ModelErrorKind::Unknown,
    ];
    let mut circuit = Circuit::default();
    for kind in faults.into_iter().cycle().take(12) {
        circuit = circuit.after_failure(&failure(kind), at(9));
    }
    assert_eq!(circuit, Circuit { last_failure: Some(at(9)), ..Circuit::default() });
}

#[test]
fn a_shorter_cooling_does_not_replace_a_longer_one() {
    let long = asked_to_wait(ModelErrorKind::Overloaded, Duration::from_secs(600));
    let circuit = Circuit::default().after_failure(&long, at(0));
    let circuit = circuit.after_failure(&failure(ModelErrorKind::RateLimit), at(1));
    assert_eq!(circuit.cooling_until, Some(at(600)));
    assert_eq!(circuit.because, Some(ModelErrorKind::Overloaded));
}

#[test]
fn a_success_ends_a_cooling_that_is_over_and_no_other() {
    let circuit = Circuit::default().after_failure(&failure(ModelErrorKind::RateLimit), at(0));
    let early = circuit.after_success(at(30));
    assert!(early.is_cooling(at(31)));
    let late = circuit.after_success(at(60));
    assert_eq!((late.cooling_until, late.because), (None, None));
}

#[test]
fn a_cooling_from_a_clock_that_was_ahead_does_not_lock_a_provider_out() {
    let circuit = Circuit::default().after_failure(&failure(ModelErrorKind::RateLimit), at(1_000_000));
    let a_day_before = 1_000_060 - i64::try_from(LONGEST_COOLING.as_secs()).unwrap();
    assert!(circuit.is_cooling(at(a_day_before)));
    assert!(!circuit.is_cooling(at(a_day_before - 1)));
    let circuit = circuit.after_failure(&failure(ModelErrorKind::RateLimit), at(0));
    assert_eq!(circuit.cooling_until, Some(at(60)));
}

#[test]
fn a_store_keeps_providers_apart() {
    let store = MemoryCircuits::default();
    let limit = failure(ModelErrorKind::RateLimit);
    let changed = store.record("one", &mut |circuit| circuit.after_failure(&limit, at(0))).unwrap();
    store.record("two", &mut |circuit| circuit.after_success(at(1))).unwrap();
    let all = store.all().unwrap();
    assert_eq!(all.keys().collect::<Vec<_>>(), ["one", "two"]);
    assert_eq!(all["one"], changed);
    assert!(!all["two"].is_cooling(at(1)));
}
