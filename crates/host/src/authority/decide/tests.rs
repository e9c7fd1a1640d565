//! Decisions: what is carried out, what is rejected and why, and what of the claims is granted.

use super::*;
use crate::authority::policy::BUILT_IN;

fn policies(change: impl FnOnce(&mut serde_json::Value)) -> (Policies, String) {
    let mut document: serde_json::Value = serde_json::from_str(BUILT_IN).unwrap();
    change(&mut document);
    let policy = InstructionPolicy::read(document.to_string().as_bytes()).unwrap();
    let digest = policy.digest.as_str().to_owned();
    (Policies::of(vec![policy]), digest)
}

fn envelope(digest: &str, change: impl FnOnce(&mut serde_json::Value)) -> Envelope {
    let mut document = serde_json::json!({
        "schema": 1,
        "intent": "close the issue",
        "scope": {"issueId": "bd-7"},
        "normalizerId": "premath.normalizer.v1",
        "policyDigest": digest,
        "requestedChecks": ["issue"],
        "capabilityClaims": ["capabilities.change_morphisms.issue_update"],
    });
    change(&mut document);
    Envelope::read(document.to_string().as_bytes()).unwrap()
}

#[test]
fn an_instruction_that_its_policy_allows_is_carried_out() {
    let (policies, digest) = policies(|_| {});
    let envelope = envelope(&digest, |_| {});
    let decision = decide(&envelope, &policies, InstructionAuthor::Owner);
    assert!(decision.reasons.is_empty(), "{:?}", decision.reasons);
    assert_eq!(decision.granted, ["capabilities.change_morphisms.issue_update"]);
    let kind = "ci.gate.check".to_owned();
    assert_eq!(decision.classification, InstructionClassification::Typed { kind });
}

#[test]
fn everything_that_speaks_against_it_is_named() {
    let (policies, digest) = policies(|_| {});
    let bad = envelope(&digest, |document| {
        document["requestedChecks"] = serde_json::json!(["issue", "deploy"]);
        document["normalizerId"] = serde_json::json!("somebody.else");
    });
    assert_eq!(
        decide(&bad, &policies, InstructionAuthor::Owner).classes(),
        [
            "instruction_check_not_allowed",
            "instruction_normalizer_not_allowed",
            "instruction_unknown_unroutable"
        ]
    );
    let lost = envelope(&format!("pol1_{}", "0".repeat(64)), |_| {});
    assert_eq!(decide(&lost, &policies, InstructionAuthor::Owner).classes(), ["instruction_unknown_policy"]);
}

#[test]
fn routing_what_nobody_knows_is_the_policy_s_to_grant_and_an_envelope_s_to_do_without() {
    let unknown =
        |document: &mut serde_json::Value| document["instructionType"] = serde_json::json!("Do It!");
    let (strict, digest) = policies(|_| {});
    let asks = envelope(&digest, |document| {
        unknown(document);
        document["typingPolicy"] = serde_json::json!({"allowUnknown": true});
    });
    assert_eq!(
        decide(&asks, &strict, InstructionAuthor::Owner).classes(),
        ["instruction_unknown_unroutable"]
    );
    let (open, digest) = policies(|document| document["allowUnknown"] = serde_json::json!(true));
    assert!(decide(&envelope(&digest, unknown), &open, InstructionAuthor::Owner).reasons.is_empty());
    let declines = envelope(&digest, |document| {
        unknown(document);
        document["typingPolicy"] = serde_json::json!({"allowUnknown": false});
    });
    assert_eq!(
        decide(&declines, &open, InstructionAuthor::Owner).classes(),
        ["instruction_unknown_unroutable"]
    );
}

#[test]
fn claims_are_granted_by_the_policy_and_narrowed_by_the_envelope() {
    let claim = |action: &str| format!("capabilities.change_morphisms.{action}");
    let (policies, digest) = policies(|document| {
        document["capabilities"] = serde_json::json!([claim("issue_update"), claim("dep_add")]);
    });
    let granted = |change: &dyn Fn(&mut serde_json::Value)| {
        decide(&envelope(&digest, change), &policies, InstructionAuthor::Owner).granted
    };
    let claims = |claims: &[String]| {
        let claims = claims.to_vec();
        move |document: &mut serde_json::Value| document["capabilityClaims"] = serde_json::json!(claims)
    };
    assert_eq!(granted(&claims(&[claim("issue_update"), claim("issue_discover")])), [claim("issue_update")]);
    assert_eq!(granted(&claims(&[claim("all")])), [claim("dep_add"), claim("issue_update")]);
    let narrowed = |document: &mut serde_json::Value| {
        claims(&[claim("all")])(document);
        document["typingPolicy"] = serde_json::json!({"actions": ["dep.add", "issue.discover"]});
    };
    assert_eq!(granted(&narrowed), [claim("dep_add")]);
    let one = |document: &mut serde_json::Value| {
        claims(&[claim("all")])(document);
        document["intent"] = serde_json::json!("dep.add");
    };
    assert_eq!(granted(&one), [claim("dep_add")]);
    assert_eq!(granted(&claims(&[])), Vec::<String>::new());
}

#[test]
fn an_instruction_of_a_client_covers_claims_renewals_and_discoveries() {
    let all = |document: &mut serde_json::Value| {
        document["capabilityClaims"] = serde_json::json!([
            "capabilities.change_morphisms.issue_claim",
            "capabilities.change_morphisms.issue_discover",
            "capabilities.change_morphisms.issue_lease_release",
            "capabilities.change_morphisms.issue_update",
        ]);
    };
    let narrow =
        ["capabilities.change_morphisms.issue_claim", "capabilities.change_morphisms.issue_discover"];
    let (policies, digest) = policies(|_| {});
    let envelope = envelope(&digest, all);
    assert_eq!(decide(&envelope, &policies, InstructionAuthor::Client).granted, narrow);
    assert_eq!(decide(&envelope, &policies, InstructionAuthor::Owner).granted.len(), 4);
}

#[test]
fn a_claim_of_everything_by_a_client_is_what_clients_may_have() {
    let everything = |document: &mut serde_json::Value| {
        document["capabilityClaims"] = serde_json::json!([EVERYTHING]);
    };
    let (standard, digest) = policies(|_| {});
    let granted = decide(&envelope(&digest, everything), &standard, InstructionAuthor::Client).granted;
    assert_eq!(granted.len(), 4, "{granted:?}");
    assert!(
        !granted.iter().any(|claim| claim == EVERYTHING || claim.ends_with("issue_update")),
        "{granted:?}"
    );
    let (closed, digest) = policies(|document| document["clients"] = serde_json::json!([]));
    assert!(decide(&envelope(&digest, everything), &closed, InstructionAuthor::Client).granted.is_empty());
}

#[test]
fn a_required_check_widens_what_a_client_may_have() {
    let (policies, digest) = policies(|document| {
        document["clients"] = serde_json::json!([{"capabilities": [EVERYTHING], "checks": ["graph"]}]);
    });
    let without = envelope(&digest, |_| {});
    assert!(decide(&without, &policies, InstructionAuthor::Client).granted.is_empty());
    let with = envelope(&digest, |document| {
        document["requestedChecks"] = serde_json::json!(["issue", "graph"]);
    });
    assert_eq!(
        decide(&with, &policies, InstructionAuthor::Client).granted,
        ["capabilities.change_morphisms.issue_update"]
    );
}
