//! Policies that are refused, each with its class.

use premath_wire::strict::{Limits, parse};

use super::{name_in, read_policy};
use crate::policy_digest::policy_digest;
use crate::required::Stop;

/// A policy with its digest.
pub(in crate::required) fn sealed(body: &str) -> Vec<u8> {
    let value = parse(body.as_bytes(), Limits::default()).unwrap();
    let digest = policy_digest(&value);
    let open = body.trim_end().strip_suffix('}').unwrap();
    format!("{open},\"policyDigest\":\"{digest}\"}}").into_bytes()
}

fn policy(checks: &str, rules: &str) -> String {
    format!(
        r#"{{"schema":1,"policyKind":"ci.required.policy.v1","policyId":"p","checks":[{checks}],"rules":[{rules}]}}"#
    )
}

fn class(bytes: &[u8]) -> &'static str {
    match read_policy(bytes, "policies/required/p.json".to_owned()) {
        Ok(_) => "ok",
        Err(Stop::Refused(refusal)) => refusal.class.code(),
        Err(Stop::Failed(_)) => "failed",
    }
}

const CHECK: &str = r#"{"checkId":"a","command":"true"}"#;

#[test]
fn a_policy_that_is_what_its_digest_says_is_read() {
    assert_eq!(class(&sealed(&policy(CHECK, r#"{"paths":["**"],"checks":["a"]}"#))), "ok");
}

#[test]
fn an_edited_policy_is_refused() {
    let text = String::from_utf8(sealed(&policy(CHECK, ""))).unwrap();
    assert_eq!(class(text.replace("true", "exit 0").as_bytes()), "required_policy_invalid_digest");
}

#[test]
fn a_policy_that_cannot_mean_anything_is_refused() {
    for (checks, rules) in [
        ("", ""),
        (r#"{"checkId":"a b","command":"true"}"#, ""),
        (r#"{"checkId":"a","command":" "}"#, ""),
        (r#"{"checkId":"a","command":"true","timeoutSeconds":0}"#, ""),
        (r#"{"checkId":"a","command":"true"},{"checkId":"a","command":"false"}"#, ""),
        (CHECK, r#"{"paths":["**"],"checks":["b"]}"#),
        (CHECK, r#"{"paths":["../x"],"checks":["a"]}"#),
        (CHECK, r#"{"paths":[],"checks":["a"]}"#),
        (CHECK, r#"{"paths":["**"],"checks":["a"],"unless":true}"#),
    ] {
        assert_eq!(
            class(&sealed(&policy(checks, rules))),
            "required_policy_invalid_shape",
            "{checks} {rules}"
        );
    }
    assert_eq!(class(b"{"), "required_policy_invalid_json");
    assert_eq!(class(br#"{"schema":1,"schema":1}"#), "required_policy_invalid_json");
}

#[test]
fn a_reference_is_a_name_below_the_folder_of_policies() {
    assert_eq!(name_in("policies/required/repository.json"), Some("repository"));
    for bad in ["policies/required/../x.json", "policies/required/.json", "policies/other/x.json", "x.json"] {
        assert_eq!(name_in(bad), None, "{bad}");
    }
}
