//! Guards outside that are killed, hang, crash, write garbage or too much: each is a typed error, and each denies.
//!
//! Programs run through a sandbox of this test's own, which has no walls and keeps time; the walls are tested where they
//! are built.

#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test starts programs and servers, and fails loudly"
)]

#[path = "external_guards/processes.rs"]
mod processes;
#[path = "external_guards/service.rs"]
mod service;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use premath_guards::{CommandGuard, CommandGuardSettings, HttpGuard, HttpGuardSettings};
use premath_tusk::policy::{
    Guard, GuardAction, GuardError, GuardReport, GuardSubject, GuardrailStage, Guards, SelfTestFailure,
};

use self::processes::Processes;
use self::service::{Service, Stump};

const SUBJECT: GuardSubject<'static> =
    GuardSubject { stage: GuardrailStage::Input, tool: Some("shell"), text: "some text", paths: &[] };

/// Long enough for a loaded machine; what hangs, hangs for ever.
const PATIENCE: Duration = Duration::from_secs(20);
/// For what must run into it.
const IMPATIENCE: Duration = Duration::from_millis(300);

fn program(script: &str, deadline: Duration) -> CommandGuard {
    let settings = CommandGuardSettings {
        arguments: vec!["-c".to_owned(), script.to_owned()],
        deadline,
        ..CommandGuardSettings::new("program", "/bin/sh", std::env::temp_dir())
    };
    CommandGuard::new(settings, Arc::new(Processes))
}

/// The same guard, passed by its self-test whatever it says there.
#[derive(Debug)]
struct Untried<G>(G);

impl<G: Guard> Guard for Untried<G> {
    fn id(&self) -> &str {
        self.0.id()
    }

    fn stages(&self) -> &[GuardrailStage] {
        self.0.stages()
    }

    fn action(&self, stage: GuardrailStage) -> GuardAction {
        self.0.action(stage)
    }

    fn check(&self, subject: &GuardSubject<'_>) -> Result<GuardReport, GuardError> {
        self.0.check(subject)
    }

    fn self_test(&self) -> Result<(), SelfTestFailure> {
        Ok(())
    }
}

/// Asks a guard among guards and gives the error that its decision holds; the decision must block.
#[track_caller]
fn denied(guard: impl Guard + 'static) -> GuardError {
    let guards = Guards::boot(vec![Arc::new(Untried(guard))]);
    let look = guards.each(&SUBJECT).next().unwrap();
    assert_eq!(look.action, GuardAction::Block, "{look:?}");
    look.result.unwrap_err()
}

#[test]
fn a_program_that_answers_is_heard() {
    let clean = program(r#"grep -q '"text":"some text"' && echo '{"triggered":false}'"#, PATIENCE);
    assert!(!clean.check(&SUBJECT).unwrap().is_triggered());
    let finds = program(
        r#"cat >/dev/null; echo '{"triggered":true,"findings":[{"label":"x","start":0,"end":4}]}'"#,
        PATIENCE,
    );
    assert_eq!(finds.check(&SUBJECT).unwrap().findings[0].label, "x");
}

#[test]
fn a_program_that_hangs_is_ended_with_everything_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("child");
    let script = format!("sleep 600 & echo $! > {}; wait", file.display());
    assert_eq!(denied(program(&script, IMPATIENCE)), GuardError::TimedOut { millis: 300 });
    let child = std::fs::read_to_string(&file).expect("the child was not started in time");
    let is_gone = || {
        let state = std::fs::read_to_string(format!("/proc/{}/stat", child.trim()));
        state.map_or(true, |state| state.contains(") Z ") || state.contains(") X "))
    };
    // Its pipes are closed a moment before it is gone.
    let waits = (0..2000).find(|_| {
        std::thread::sleep(Duration::from_millis(5));
        is_gone()
    });
    assert!(waits.is_some(), "the child still runs");
}

#[test]
fn a_program_that_is_killed_crashes_or_is_missing_is_unavailable() {
    for script in ["kill -9 $$", "exit 3", "kill -SEGV $$"] {
        assert_eq!(denied(program(script, PATIENCE)).code(), "guard_unavailable", "{script}");
    }
    let settings = CommandGuardSettings::new("missing", "/nowhere/guard", std::env::temp_dir());
    let missing = CommandGuard::new(settings, Arc::new(Processes));
    assert_eq!(denied(missing).code(), "guard_unavailable");
}

#[test]
fn a_program_that_writes_garbage_nothing_or_too_much_is_unreadable() {
    for script in [
        "echo yes",
        "true",
        "printf '\\377\\376'",
        "echo '{\"triggered\":false}{\"triggered\":false}'",
        "head -c 3000000 /dev/zero",
    ] {
        assert_eq!(denied(program(script, PATIENCE)).code(), "guard_unreadable", "{script}");
    }
}

#[test]
fn a_program_that_does_not_read_is_heard_all_the_same() {
    let long = "x".repeat(1 << 20);
    let guard = program("echo '{\"triggered\":false}'", PATIENCE);
    assert!(!guard.check(&GuardSubject { text: &long, ..SUBJECT }).unwrap().is_triggered());
}

#[test]
fn a_program_is_tried_before_it_is_needed() {
    let script = r#"if grep -q bomb; then echo '{"triggered":true}'; else echo '{"triggered":false}'; fi"#;
    let settings = |must_find: &str| CommandGuardSettings {
        arguments: vec!["-c".to_owned(), script.to_owned()],
        deadline: PATIENCE,
        must_find: Some(must_find.to_owned()),
        ..CommandGuardSettings::new("program", "/bin/sh", std::env::temp_dir())
    };
    assert_eq!(CommandGuard::new(settings("a bomb"), Arc::new(Processes)).self_test(), Ok(()));
    assert!(CommandGuard::new(settings("a flower"), Arc::new(Processes)).self_test().is_err());
    assert!(program("echo '{\"triggered\":true}'", PATIENCE).self_test().is_err());
}

fn http(service: &Service, path: &str, deadline: Duration) -> HttpGuard {
    guard_at(service.address, path, deadline)
}

fn guard_at(address: SocketAddr, path: &str, deadline: Duration) -> HttpGuard {
    let url = format!("http://{address}{path}");
    HttpGuard::new(HttpGuardSettings { deadline, ..HttpGuardSettings::new("service", url) }).unwrap()
}

#[test]
fn a_service_that_answers_is_heard_with_its_document() {
    let service = Service::start();
    assert!(!http(&service, "/clean", PATIENCE).check(&SUBJECT).unwrap().is_triggered());
    let report = http(&service, "/echo", PATIENCE).check(&SUBJECT).unwrap();
    assert_eq!(report.findings[0].label, "shell.input");
}

#[test]
fn a_service_is_asked_from_inside_a_runtime_too() {
    let service = Service::start();
    let guard = http(&service, "/clean", PATIENCE);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let report = runtime.block_on(async { guard.check(&SUBJECT) });
    assert!(!report.unwrap().is_triggered());
}

#[test]
fn a_service_that_hangs_before_or_in_its_answer_runs_out_of_time() {
    let service = Service::start();
    assert_eq!(denied(http(&service, "/hang", IMPATIENCE)), GuardError::TimedOut { millis: 300 });
    let stump = Stump::start(false);
    assert_eq!(denied(guard_at(stump.address, "/", IMPATIENCE)), GuardError::TimedOut { millis: 300 });
}

#[test]
fn a_service_that_fails_redirects_or_is_gone_is_unavailable() {
    let service = Service::start();
    for path in ["/error", "/moved", "/nothing"] {
        assert_eq!(denied(http(&service, path, PATIENCE)).code(), "guard_unavailable", "{path}");
    }
    let stump = Stump::start(true);
    assert_eq!(denied(guard_at(stump.address, "/", PATIENCE)).code(), "guard_unavailable");
    let guard = http(&service, "/clean", PATIENCE);
    drop(service);
    assert_eq!(denied(guard).code(), "guard_unavailable");
}

#[test]
fn a_service_that_answers_garbage_or_too_much_is_unreadable() {
    let service = Service::start();
    for path in ["/garbage", "/huge"] {
        assert_eq!(denied(http(&service, path, PATIENCE)).code(), "guard_unreadable", "{path}");
    }
}
