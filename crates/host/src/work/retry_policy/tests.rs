//! The policy that `premath init` writes, and what happens to one that was touched.

use premath_kernel::RetryNext;

use super::*;

fn class_of(text: &str) -> String {
    read(text.as_bytes())
        .map(|policy| policy.digest.as_str().to_owned())
        .unwrap_or_else(|refused| refused.class)
}

#[test]
fn the_policy_that_is_written_holds_and_is_the_one_of_this_repository() {
    let root =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../", "policies/control/harness-retry-policy-v1.json");
    #[expect(clippy::disallowed_methods, reason = "a test reads the file of this repository")]
    let here = std::fs::read_to_string(root).unwrap();
    assert_eq!(here, DEFAULT_RETRY_POLICY);
    assert!(class_of(DEFAULT_RETRY_POLICY).starts_with("pol1_"));
}

#[test]
fn the_numbers_are_those_of_the_contract() {
    let table = read(DEFAULT_RETRY_POLICY.as_bytes()).unwrap().table;
    let found: Vec<_> = table
        .rules()
        .map(|rule| (rule.kind.token(), rule.max_attempts, rule.backoff.token(), rule.escalation.token()))
        .collect();
    let wanted = [
        ("transient", 3, "exponential_short", "issue_discover"),
        ("operational", 2, "fixed_short", "issue_discover"),
        ("semantic", 1, "none", "mark_blocked"),
        ("governance", 1, "none", "mark_blocked"),
        ("default", 1, "none", "stop"),
    ];
    assert_eq!(found, wanted);
    let again = table.decide(&["timeout".to_owned()], 2).next;
    assert_eq!(again, RetryNext::Retry { backoff_seconds: 2 });
}

#[test]
fn the_order_of_rules_and_classes_does_not_count() {
    let mut document: serde_json::Value = serde_json::from_str(DEFAULT_RETRY_POLICY).unwrap();
    let rules = document["rules"].as_array_mut().unwrap();
    rules.reverse();
    rules.iter_mut().for_each(|rule| rule["failureClasses"].as_array_mut().unwrap().reverse());
    assert_eq!(class_of(&document.to_string()), class_of(DEFAULT_RETRY_POLICY));
}

#[test]
fn a_policy_that_was_touched_is_refused_by_class() {
    let changed = DEFAULT_RETRY_POLICY.replace("\"maxAttempts\": 3", "\"maxAttempts\": 9");
    assert_eq!(class_of(&changed), "retry_policy_invalid_digest");
    assert_eq!(class_of("{"), "retry_policy_invalid_json");
    assert_eq!(class_of("[]"), "retry_policy_invalid_shape");
    let overlapping = DEFAULT_RETRY_POLICY.replace("\"timeout\"", "\"runtime.timeout\"");
    assert_eq!(class_of(&overlapping), "retry_policy_invalid_shape");
    let unknown = DEFAULT_RETRY_POLICY.replace("\"mark_blocked\"", "\"look_away\"");
    assert_eq!(class_of(&unknown), "retry_policy_invalid_shape");
    let more = DEFAULT_RETRY_POLICY.replace("\"schema\": 1", "\"schema\": 1, \"more\": 2");
    assert_eq!(class_of(&more), "retry_policy_invalid_shape");
}
