//! Policies of instructions: what one is, what it hashes to, and what is none.

use super::*;

fn policy(text: &str) -> InstructionPolicy {
    InstructionPolicy::read(text.as_bytes()).unwrap()
}

fn ours() -> serde_json::Value {
    serde_json::from_str(BUILT_IN).unwrap()
}

#[test]
fn the_built_in_policy_is_one_and_keeps_its_digest() {
    let policy = policy(BUILT_IN);
    assert_eq!(policy.id, "default");
    assert!(policy.grants("capabilities.change_morphisms.issue_update"));
    assert_eq!(policy.ttl_seconds, 3600);
    // Whoever bound it by digest must find it again: a change here is a new policy, and is said in the change log.
    assert_eq!(policy.digest.as_str(), DIGEST);
}

const DIGEST: &str = "pol1_7b12ad5945f63a196521aeccf249932502abeef4439c0812a4b115ad11ceac70";

#[test]
fn the_policy_as_init_writes_it_says_its_own_digest() {
    let written = policy(&written_default());
    assert_eq!(written.digest, policy(BUILT_IN).digest);
    assert_eq!(written.stated.as_deref(), Some(written.digest.as_str()));
}

#[test]
fn the_order_of_a_set_and_the_stated_digest_do_not_change_what_a_policy_is() {
    let mut other = ours();
    other["allowedChecks"] = serde_json::json!(["store", "graph", "issue", "graph"]);
    other["policyDigest"] = serde_json::json!("pol1_whatever");
    assert_eq!(policy(&other.to_string()).digest, policy(BUILT_IN).digest);
    other["checks"]["graph"] = serde_json::json!("true");
    assert_ne!(policy(&other.to_string()).digest, policy(BUILT_IN).digest);
}

#[test]
fn what_is_missing_or_of_another_kind_is_told_with_its_place() {
    let cases = [
        ("schema", serde_json::json!(2), "$.schema"),
        ("policyKind", serde_json::json!("ci.other"), "$.policyKind"),
        ("policyId", serde_json::json!(" "), "$.policyId"),
        ("allowedChecks", serde_json::json!("graph"), "$.allowedChecks"),
        ("allowedChecks", serde_json::json!(["nowhere"]), "$.checks"),
        ("checks", serde_json::json!({"graph": 1}), "$.checks.graph"),
        ("capabilities", serde_json::json!([""]), "$.capabilities[0]"),
        ("allowUnknown", serde_json::json!("yes"), "$.allowUnknown"),
        ("ttlSeconds", serde_json::json!(0), "$.ttlSeconds"),
        ("ttlSeconds", serde_json::json!(86_401), "$.ttlSeconds"),
    ];
    for (name, value, place) in cases {
        let mut other = ours();
        other[name] = value.clone();
        let error = InstructionPolicy::read(other.to_string().as_bytes()).unwrap_err();
        assert_eq!(error.path.to_string(), place, "{name} = {value}: {error}");
    }
}

#[test]
fn a_digest_leads_to_the_policy_that_has_it_and_to_no_other() {
    let mut changed = ours();
    changed["policyDigest"] = serde_json::json!(policy(BUILT_IN).digest.as_str());
    changed["ttlSeconds"] = serde_json::json!(60);
    let policies = Policies { known: vec![policy(&changed.to_string())] };
    let bound = policy(BUILT_IN).digest;
    assert!(matches!(policies.find(bound.as_str()), Found::Changed(_)));
    let real = policy(&changed.to_string()).digest;
    // It says that it has another digest than it has: nothing is bound by it.
    assert!(matches!(policies.find(real.as_str()), Found::Changed(_)));
    assert!(matches!(policies.find("pol1_other"), Found::Unknown));
    let sound = Policies { known: vec![policy(BUILT_IN)] };
    assert!(matches!(sound.find(bound.as_str()), Found::Policy(_)));
}

#[test]
fn a_grant_for_clients_that_needs_a_check_nobody_allows_is_refused() {
    let mut document: serde_json::Value = serde_json::from_str(BUILT_IN).unwrap();
    document["clients"] = serde_json::json!([{"capabilities": [], "checks": ["deploy"]}]);
    let refused = InstructionPolicy::read(document.to_string().as_bytes()).unwrap_err();
    assert!(refused.what.contains("deploy"), "{refused:?}");
}
