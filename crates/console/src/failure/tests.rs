//! Classes become the statuses that the contract names.

use serde_json::value::RawValue;

use super::{Failure, Origin};
use premath_wire::{InputClass, InputError, JsonPath};

fn refused(class: &str) -> u16 {
    let payload = r#"{"action":"x","refused":{"class":"c","detail":"why","hint":"do"}}"#;
    let payload = RawValue::from_string(payload.to_owned()).unwrap();
    Failure::refused(class, payload).status.as_u16()
}

#[test]
fn a_refusal_has_the_status_of_its_class() {
    for (class, status) in [
        ("desk_not_found", 404),
        ("issue_not_found", 404),
        ("proposal_expired", 410),
        ("approval_expired", 410),
        ("proposal_failed", 422),
        ("proposal_in_flight", 409),
        ("proposal_state_changed", 409),
        ("proposal_digest_mismatch", 409),
        ("desk_version_stale", 409),
        ("person_missing", 403),
        ("lease_held", 409),
    ] {
        assert_eq!(refused(class), status, "{class}");
    }
}

#[test]
fn input_is_wrong_by_where_it_came_from() {
    let error = |class, key: &str| InputError::new(class, "no", JsonPath::root().key(key));
    let origin = Origin { address: &["id:runId"], is_body: true, ..Origin::default() };
    let status = |error: &InputError, origin| Failure::input(error, origin).status.as_u16();
    assert_eq!(status(&error(InputClass::FieldInvalid, "runId"), origin), 404);
    assert_eq!(status(&error(InputClass::FieldInvalid, "limit"), origin), 422);
    assert_eq!(status(&error(InputClass::FieldInvalid, "limit"), Origin::default()), 400);
    assert_eq!(status(&error(InputClass::JsonInvalid, "x"), origin), 400);
    assert_eq!(status(&error(InputClass::TooLarge, "x"), origin), 413);
    let origin = Origin { query: &["q:query", "limit"], ..Origin::default() };
    let told = Failure::input(&error(InputClass::FieldMissing, "query"), origin).told;
    assert_eq!(
        (told.message.as_str(), told.fields[0].path.as_str()),
        ("input.field_missing: no at $.q", "$.q")
    );
}

#[test]
fn waiting_is_told_in_the_body_and_in_the_header() {
    use axum::response::IntoResponse as _;
    let failure = Failure::too_often(std::time::Duration::from_millis(1_500));
    assert_eq!(failure.told.retry_after_ms, Some(1_500));
    let response = failure.into_response();
    assert_eq!(response.status().as_u16(), 429);
    assert_eq!(response.headers()["retry-after"], "2");
}
