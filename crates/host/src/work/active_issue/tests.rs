//! Who decides which issue is meant, and what is refused.

use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::OsDisk;

use super::*;

fn session(text: Option<&str>) -> (tempfile::TempDir, SessionStore) {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("session.json");
    if let Some(text) = text {
        #[expect(clippy::disallowed_methods, reason = "a test writes what is read")]
        std::fs::write(&path, text).unwrap();
    }
    let store = SessionStore::new(Arc::new(OsDisk), path);
    (folder, store)
}

const STOPPED: &str = r#"{"schema":1,"sessionKind":"premath.harness.session.v1","sessionId":"s","state":"stopped",
    "startedAt":"2026-11-16T07:00:00Z","updatedAt":"2026-11-16T07:00:00Z","issueId":"bd-3"}"#;

fn found(said: Said<'_>, text: Option<&str>, ready: &[&str]) -> String {
    let (_folder, session) = session(text);
    let ready: Vec<String> = ready.iter().map(ToString::to_string).collect();
    bound(said, &session).and_then(|said| active_issue(said, &ready)).unwrap_or_else(|refused| refused.class)
}

/// Seed: 002 §9/2
#[test]
fn the_environment_comes_first_then_the_session_then_the_only_ready_one() {
    let both = Said { active: Some("bd-1"), issue: Some("bd-1") };
    assert_eq!(found(both, Some(STOPPED), &["bd-9"]), "bd-1");
    assert_eq!(found(Said { active: None, issue: Some("bd-2") }, Some(STOPPED), &[]), "bd-2");
    assert_eq!(found(Said { active: Some(" "), issue: None }, Some(STOPPED), &["bd-9"]), "bd-3");
    assert_eq!(found(Said::default(), None, &["bd-9"]), "bd-9");
}

#[test]
fn what_stays_open_is_refused_by_class() {
    let conflict = Said { active: Some("bd-1"), issue: Some("bd-2") };
    assert_eq!(found(conflict, None, &[]), "escalation_issue_context_ambiguous");
    assert_eq!(found(Said::default(), None, &[]), "escalation_issue_context_unbound");
    assert_eq!(found(Said::default(), None, &["bd-1", "bd-2"]), "escalation_issue_context_ambiguous");
    assert_eq!(found(Said::default(), Some("{"), &["bd-1"]), "escalation_session_invalid");
}

#[test]
fn a_session_that_cannot_be_read_is_not_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = SessionStore::new(Arc::new(OsDisk), folder.path().to_path_buf());
    assert_eq!(bound(Said::default(), &store).unwrap_err().class, "escalation_session_read_failed");
}
