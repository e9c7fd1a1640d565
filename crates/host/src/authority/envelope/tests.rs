//! Envelopes: what one is, and the class of everything that makes it none.

use std::path::Path;

use super::*;

fn good() -> serde_json::Value {
    serde_json::json!({
        "schema": 1,
        "intent": "close the issue",
        "scope": {"issueId": "bd-7"},
        "normalizerId": "premath.normalizer.v1",
        "policyDigest": format!("pol1_{}", "0".repeat(64)),
        "requestedChecks": ["issue"],
        "capabilityClaims": ["capabilities.change_morphisms.issue_update"],
    })
}

#[test]
fn a_whole_envelope_is_read_and_hashed_as_it_is() {
    let envelope = Envelope::read(good().to_string().as_bytes()).unwrap();
    assert!(envelope.digest.as_str().starts_with("instr1_"));
    let spaced = serde_json::to_string_pretty(&good()).unwrap();
    assert_eq!(Envelope::read(spaced.as_bytes()).unwrap().digest, envelope.digest);
    let mut more = good();
    more["note"] = serde_json::json!("whatever");
    assert_ne!(Envelope::read(more.to_string().as_bytes()).unwrap().digest, envelope.digest);
}

#[test]
fn each_member_that_is_not_as_it_should_be_has_a_class_of_its_own() {
    let gone = serde_json::Value::Null;
    let cases = [
        ("schema", serde_json::json!(2), "instruction_invalid_schema"),
        ("intent", serde_json::json!("  "), "instruction_invalid_intent"),
        ("intent", serde_json::json!(7), "instruction_invalid_intent"),
        ("intent", gone.clone(), "instruction_invalid_intent"),
        ("scope", gone.clone(), "instruction_scope_missing"),
        ("scope", serde_json::json!([]), "instruction_scope_invalid"),
        ("scope", serde_json::json!({}), "instruction_scope_invalid"),
        ("normalizerId", serde_json::json!(""), "instruction_invalid_normalizer"),
        ("policyDigest", serde_json::json!("sha256:0"), "instruction_invalid_policy_digest"),
        ("policyDigest", serde_json::json!("pol1_xyz"), "instruction_invalid_policy_digest"),
        ("requestedChecks", serde_json::json!([]), "instruction_requested_checks_invalid"),
        ("requestedChecks", serde_json::json!(["a", "a"]), "instruction_requested_checks_invalid"),
        ("requestedChecks", gone, "instruction_requested_checks_invalid"),
        ("capabilityClaims", serde_json::json!("all"), "instruction_capability_claims_invalid"),
        ("capabilityClaims", serde_json::json!([1]), "instruction_capability_claims_invalid"),
        ("typingPolicy", serde_json::json!(true), "instruction_envelope_invalid"),
        ("typingPolicy", serde_json::json!({"allowUnknown": 1}), "instruction_envelope_invalid"),
    ];
    for (name, value, class) in cases {
        let mut other = good();
        if value.is_null() {
            other.as_object_mut().unwrap().remove(name);
        } else {
            other[name] = value.clone();
        }
        let fault = Envelope::read(other.to_string().as_bytes()).unwrap_err();
        assert_eq!(fault.class, class, "{name} = {value}: {fault}");
        assert!(fault.path.to_string().starts_with(&format!("$.{name}")), "{fault}");
    }
    assert_eq!(Envelope::read(b"{").unwrap_err().class, "instruction_envelope_invalid_json");
    assert_eq!(Envelope::read(b"[]").unwrap_err().class, "instruction_envelope_invalid");
    let twice = br#"{"schema":1,"schema":1}"#;
    assert_eq!(Envelope::read(twice).unwrap_err().class, "instruction_envelope_invalid_json");
}

#[test]
fn an_id_is_a_time_and_a_name_and_never_a_path() {
    assert!(checked_id("run-019a7c21b3f45d08").is_ok());
    assert!(instruction_id_of(Path::new("run-019a7c21b3f45d08.json")).is_err());
    for good in ["20261115T071252Z-close-bd-7", "20261115T071252Z-a.b_c"] {
        assert!(checked_id(good).is_ok(), "{good}");
        let path = format!("instructions/{good}.json");
        assert_eq!(instruction_id_of(Path::new(&path)).unwrap(), good);
    }
    let long = format!("20261115T071252Z-{}", "a".repeat(90));
    let bad = [
        "",
        "close",
        "../20261115T071252Z-x",
        "20261115T071252Z-../x",
        "20261115T071252Z-a/b",
        "20261115T071252Z-a\\b",
        "20261115T071252Z-",
        "20261115T071252Z-.hidden",
        "20261115T071252Z-a\u{0}b",
        "20261115T071252Z-a b",
        "2026-11-15T07:12:52Z-a",
        &long,
    ];
    for id in bad {
        assert_eq!(checked_id(id).unwrap_err().class, "instruction_filename_invalid", "{id:?}");
    }
    assert!(instruction_id_of(Path::new("instructions/20261115T071252Z-a.txt")).is_err());
}
