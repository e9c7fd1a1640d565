//! Facts about result classes.

use super::{ResultMeaning, result_meaning, retry_needed};

#[test]
fn exactly_six_classes_mean_success_in_any_case_and_with_hyphens() {
    for class in ["accepted", "verified_accept", "completed", "success", "ok", "passed", " Verified-Accept "]
    {
        assert_eq!(result_meaning(class), ResultMeaning::Success, "{class}");
    }
    for class in ["", "accept", "ok_", "not_ok", "success.partial", "verified", "rejected", "done"] {
        assert_eq!(result_meaning(class), ResultMeaning::Failed, "{class}");
    }
}

#[test]
fn a_failure_whose_words_say_so_wants_a_retry() {
    for class in [
        "retry",
        "operational.retry",
        "flaky-transient-failure",
        "TIMEOUT",
        "provider_network.error",
        "provider.rate_limit",
        "rate-limit",
        "rate.limit.reached",
    ] {
        assert!(retry_needed(class), "{class}");
    }
}

#[test]
fn part_of_a_word_or_half_of_the_pair_wants_none() {
    for class in ["", "failed", "retrying", "networking", "timeouts", "rate", "limit_rate", "rate_of_limit"] {
        assert!(!retry_needed(class), "{class}");
    }
}

#[test]
fn what_says_no_retry_wants_none_wherever_it_says_so() {
    for class in ["no_retry", "timeout.no_retry", "no-retry.timeout", "network_no__retry"] {
        assert!(!retry_needed(class), "{class}");
    }
    assert!(retry_needed("no_network"));
    assert!(retry_needed("no_more_retry"));
}

#[test]
fn a_success_wants_no_retry() {
    for class in ["accepted", "Passed", "verified-accept"] {
        assert!(!retry_needed(class), "{class}");
    }
}
