//! What is made of answers. Programs and services that misbehave: `tests/external_guards.rs`.

use premath_tusk::policy::{GuardError, GuardSubject, GuardrailStage};

use super::answer::read;
use super::document::document;
use super::{HttpGuard, HttpGuardError, HttpGuardSettings};

fn unreadable(answer: &str) -> bool {
    matches!(read(answer.as_bytes(), "some text é"), Err(GuardError::Unreadable(_)))
}

#[test]
fn an_answer_is_read_with_its_places_and_scores() {
    let answer = r#"{"triggered":true,"score":0.91,"threshold":0.5,"findings":[{"label":"x","start":5,"end":9}],"modelRef":"m@1"}"#;
    let report = read(answer.as_bytes(), "some text é").unwrap();
    assert_eq!((report.score_millis, report.threshold_millis), (Some(910), Some(500)));
    assert_eq!(report.findings[0].span, Some(5..9));
    assert!(!read(br#"{"triggered":false}"#, "").unwrap().is_triggered());
    assert!(read(br#"{"triggered":true}"#, "").unwrap().is_triggered());
}

#[test]
fn an_answer_that_is_none_is_unreadable() {
    for answer in [
        "",
        "yes",
        "{}",
        "[]",
        r#"{"triggered":"yes"}"#,
        r#"{"triggered":true,"triggered":false}"#,
        r#"{"triggered":false,"more":1}"#,
        r#"{"triggered":false} {"triggered":true}"#,
        r#"{"triggered":false,"findings":[{"label":"x"}]}"#,
        r#"{"triggered":false,"score":0.9,"threshold":0.5}"#,
        r#"{"triggered":true,"score":0.1,"threshold":0.5}"#,
        r#"{"triggered":true,"score":-1}"#,
        r#"{"triggered":true,"score":1e300}"#,
        r#"{"triggered":true,"findings":[{"label":"","start":0,"end":1}]}"#,
        r#"{"triggered":true,"findings":[{"label":"x","start":0,"end":99}]}"#,
        r#"{"triggered":true,"findings":[{"label":"x","start":10,"end":11}]}"#,
        r#"{"triggered":true,"findings":[{"label":"x","start":3}]}"#,
        r#"{"triggered":true,"findings":[{"label":"x","start":3,"end":3}]}"#,
    ] {
        assert!(unreadable(answer), "{answer}");
    }
}

#[test]
fn the_document_is_one_line_of_json() {
    let paths = ["a/b".to_owned()];
    let subject =
        GuardSubject { stage: GuardrailStage::PreFlight, tool: Some("fs_read"), text: "x\ny", paths: &paths };
    let expected = "{\"stage\":\"pre_flight\",\"tool\":\"fs_read\",\"text\":\"x\\ny\",\"paths\":[\"a/b\"]}\n";
    assert_eq!(document(&subject).unwrap(), expected.as_bytes());
}

#[test]
fn a_service_is_https_or_on_this_machine() {
    let made = |url: &str| HttpGuard::new(HttpGuardSettings::new("g", url)).map(|_| ());
    let id = || "g".to_owned();
    assert_eq!(made("http://127.0.0.1:1/x"), Ok(()));
    assert_eq!(made("http://[::1]:1/x"), Ok(()));
    for url in ["http://localhost:1/", "http://192.0.2.1/", "http://guard.example/"] {
        assert_eq!(made(url), Err(HttpGuardError::Plain { id: id() }), "{url}");
    }
    for url in ["", "guard", "ftp://127.0.0.1/", "http://user@127.0.0.1/"] {
        assert_eq!(made(url), Err(HttpGuardError::Url { id: id() }), "{url}");
    }
}

#[test]
fn headers_are_not_shown() {
    let headers = vec![("x-key".to_owned(), "hunter22".to_owned())];
    let shown = format!(
        "{:?}",
        HttpGuardSettings { headers, ..HttpGuardSettings::new("g", "http://127.0.0.1:1/?q=hunter22") }
    );
    assert!(shown.contains("x-key") && !shown.contains("hunter22"), "{shown}");
}
