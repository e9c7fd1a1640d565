//! What a policy's digest covers, and what it does not.

use premath_wire::strict::{Limits, parse};

use super::policy_digest;

fn digest(text: &str) -> String {
    policy_digest(&parse(text.as_bytes(), Limits::default()).unwrap()).as_str().to_owned()
}

#[test]
fn the_digest_covers_everything_but_itself_and_the_order_of_sets() {
    let one = digest(r#"{"a":["x","y"],"b":[{"n":1},{"n":2}],"policyDigest":"pol1_0"}"#);
    assert!(one.starts_with("pol1_"), "{one}");
    assert_eq!(one, digest(r#"{"b":[{"n":1},{"n":2}],"a":["y","x"],"policyDigest":"anything"}"#));
    assert_ne!(one, digest(r#"{"b":[{"n":2},{"n":1}],"a":["y","x"]}"#), "an order that may mean something");
    assert_ne!(one, digest(r#"{"a":["x","z"],"b":[{"n":1},{"n":2}]}"#));
}

#[test]
fn rules_that_have_ids_are_a_set() {
    let one = digest(r#"{"rules":[{"ruleId":"b","n":1},{"ruleId":"a","n":2}]}"#);
    assert_eq!(one, digest(r#"{"rules":[{"ruleId":"a","n":2},{"ruleId":"b","n":1}]}"#));
    assert_ne!(one, digest(r#"{"rules":[{"ruleId":"a","n":1},{"ruleId":"b","n":2}]}"#));
}
