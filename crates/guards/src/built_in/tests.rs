//! The guards that are built in, as a run uses them.

use premath_tusk::policy::{Guard, GuardAction, GuardSubject, GuardrailStage};

use super::built_in;
use crate::settings::{GuardSettings, PiiSettings, SettingsError};
use crate::{PathSettings, PiiKinds, UrlSettings};

fn everything() -> GuardSettings {
    GuardSettings {
        pii: Some(PiiSettings {
            kinds: PiiKinds { ip: true, ..PiiKinds::default() },
            ..PiiSettings::default()
        }),
        urls: Some(UrlSettings::default()),
        paths: Some(PathSettings::default()),
        ..GuardSettings::default()
    }
}

fn ids(guards: &[Box<dyn Guard>]) -> Vec<&str> {
    guards.iter().map(|guard| guard.id()).collect()
}

#[test]
fn by_default_size_secrets_and_injection_look() {
    assert_eq!(ids(&built_in(&GuardSettings::default()).unwrap()), ["size", "secrets", "injection"]);
    assert_eq!(
        ids(&built_in(&everything()).unwrap()),
        ["size", "paths", "urls", "secrets", "pii", "injection"]
    );
}

#[test]
fn every_guard_passes_its_own_samples() {
    for guard in built_in(&everything()).unwrap() {
        assert_eq!(guard.self_test(), Ok(()), "{}", guard.id());
    }
}

#[test]
fn arguments_with_a_placeholder_are_found_and_results_with_one_are_not() {
    let guards = built_in(&GuardSettings::default()).unwrap();
    let secrets = guards.iter().find(|guard| guard.id() == "secrets").unwrap();
    let tool = Some("fs_read");
    let subject = |stage| GuardSubject { stage, tool, text: "use [redacted:jwt]", paths: &[] };
    let input = secrets.check(&subject(GuardrailStage::Input)).unwrap();
    assert_eq!(input.findings[0].label, "redaction-placeholder");
    assert!(!secrets.check(&subject(GuardrailStage::Output)).unwrap().is_triggered());
    let said = GuardSubject { tool: None, ..subject(GuardrailStage::Input) };
    assert!(!secrets.check(&said).unwrap().is_triggered());
    assert_eq!(secrets.action(GuardrailStage::Input), GuardAction::Block);
    assert_eq!(secrets.action(GuardrailStage::Output), GuardAction::Redact);
}

#[test]
fn a_list_that_cannot_be_used_is_an_error() {
    let paths = Some(PathSettings { allowed: vec!["a[".to_owned()] });
    let error = built_in(&GuardSettings { paths, ..GuardSettings::default() }).unwrap_err();
    assert_eq!(error, SettingsError::PathPattern { pattern: "a[".to_owned() });
}
