//! What a key shows: nothing.

use premath_tusk::model::{ModelError, ModelErrorKind};

use super::{ApiKey, ApiKeyError, scrub};

const KEY: &str = "sk-test-0123456789abcdef";

#[test]
fn a_key_is_not_in_its_debug_output() {
    let key = ApiKey::new(KEY).unwrap();
    assert_eq!(format!("{key:?}"), "ApiKey");
    assert_eq!(format!("{:?}", Some(&key)), "Some(ApiKey)");
}

#[test]
fn white_space_around_a_key_is_no_part_of_it() {
    assert_eq!(ApiKey::new(" sk-1234567\n").unwrap().reveal(), "sk-1234567");
}

#[test]
fn what_no_header_can_carry_is_no_key() {
    assert_eq!(ApiKey::new(" \n").unwrap_err(), ApiKeyError::Empty);
    for text in ["a b", "a\u{7f}b", "schlüssel", "a\r\nhost: b"] {
        assert_eq!(ApiKey::new(text).unwrap_err(), ApiKeyError::NotPrintable, "{text:?}");
    }
}

#[test]
fn a_provider_that_repeats_the_key_does_not_get_it_into_an_error() {
    let key = ApiKey::new(KEY).unwrap();
    let mut error =
        ModelError::new(ModelErrorKind::Authentication, KEY, format!("wrong key {KEY}, and again {KEY}"));
    error.request_id = Some(format!("req-{KEY}"));
    let scrubbed = key.scrub_error(error);
    assert_eq!(scrubbed.message, "wrong key [secret], and again [secret]");
    assert!(!format!("{scrubbed:?}").contains(KEY));
}

#[test]
fn a_secret_too_short_to_mean_anything_is_not_looked_for() {
    assert_eq!(scrub("a cat", "a"), "a cat");
}
