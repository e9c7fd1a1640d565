//! What a package may say about guards.

use premath_tusk::policy::GuardAction;

use super::GuardSettings;

#[test]
fn a_package_asks_for_more_and_never_for_less() {
    let before = GuardSettings::default();
    let asked =
        br#"{"secrets": {"input": "flag"}, "injection": {"output": "block"}, "pii": {"output": "redact"}}"#;
    let after = before.clone().with_package(asked).unwrap();
    assert_eq!(after.secrets, before.secrets);
    assert_eq!(after.injection.output, Some(GuardAction::Block));
    assert_eq!(after.injection.input, before.injection.input);
    assert_eq!(after.pii.unwrap().actions.output, Some(GuardAction::Redact));
    assert_ne!(after.to_json(), before.to_json());
}

#[test]
fn of_two_lists_what_both_have_is_left() {
    let listed = |text: &[u8], before: GuardSettings| before.with_package(text).unwrap();
    let first =
        listed(br#"{"hosts": ["a.example", "b.example"], "maxArgumentBytes": 10}"#, GuardSettings::default());
    let both = listed(br#"{"hosts": ["b.example", "c.example"], "maxArgumentBytes": 99}"#, first);
    assert_eq!(both.urls.unwrap().hosts, ["b.example"]);
    assert_eq!(both.size.unwrap().max_bytes, 10);
}

#[test]
fn a_document_that_cannot_be_read_is_an_error() {
    for text in [
        "",
        "[]",
        r#"{"secrts": {}}"#,
        r#"{"secrets": {"input": "ignore"}}"#,
        r#"{"pii": {"later": "flag"}}"#,
    ] {
        assert!(GuardSettings::default().with_package(text.as_bytes()).is_err(), "{text}");
    }
}
