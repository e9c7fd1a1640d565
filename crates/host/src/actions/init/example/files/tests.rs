//! The policy of the example says of itself what it is.

use premath_kernel::{Digest, Value};
use premath_wire::strict::{Limits, parse};

use super::instruction_policy;

#[test]
fn the_policy_carries_the_digest_of_everything_else_in_it() {
    let text = instruction_policy();
    let policy = parse(text.as_bytes(), Limits::default()).unwrap();
    let object = policy.as_object().unwrap();
    let digest = object.get("policyDigest").and_then(Value::as_text).unwrap();
    let rest = Value::Object(object.without("policyDigest"));
    assert_eq!(digest, Digest::prefixed("pol1_", &rest).as_str());
    assert!(digest.starts_with("pol1_") && digest.len() == "pol1_".len() + 64, "{digest}");
}

#[test]
fn every_list_of_the_policy_is_sorted_and_every_allowed_check_has_a_command() {
    let text = instruction_policy();
    let policy = parse(text.as_bytes(), Limits::default()).unwrap();
    let object = policy.as_object().unwrap();
    let checks = object.get("checks").and_then(Value::as_object).unwrap();
    for key in ["allowedChecks", "allowedNormalizers", "capabilities"] {
        let items: Vec<&str> =
            object.get(key).and_then(Value::as_array).unwrap().iter().filter_map(Value::as_text).collect();
        assert!(items.is_sorted() && !items.is_empty(), "{key}");
        if key == "allowedChecks" {
            assert!(items.iter().all(|item| checks.get(item).is_some()), "{items:?}");
        }
    }
}
