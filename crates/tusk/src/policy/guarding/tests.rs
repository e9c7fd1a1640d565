//! What becomes of guards that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use premath_kernel::GuardrailStage;

use super::{Guards, Micros};
use crate::policy::guard::{
    Finding, Guard, GuardAction, GuardError, GuardReport, GuardSubject, SelfTestFailure,
};

/// Counts up by seven with every look at it.
#[derive(Debug, Default)]
struct Ticks(AtomicU64);

impl Micros for Ticks {
    fn micros(&self) -> u64 {
        self.0.fetch_add(7, Ordering::SeqCst)
    }
}

#[derive(Debug)]
struct Fake {
    id: &'static str,
    answer: Result<GuardReport, GuardError>,
    is_well: bool,
    asked: Arc<AtomicU64>,
}

impl Guard for Fake {
    fn id(&self) -> &str {
        self.id
    }

    fn stages(&self) -> &[GuardrailStage] {
        &[GuardrailStage::Input]
    }

    fn action(&self, _: GuardrailStage) -> GuardAction {
        GuardAction::Flag
    }

    fn check(&self, _: &GuardSubject<'_>) -> Result<GuardReport, GuardError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.answer.clone()
    }

    fn self_test(&self) -> Result<(), SelfTestFailure> {
        let failure = SelfTestFailure { guard: self.id.to_owned(), what: "broken".to_owned() };
        if self.is_well { Ok(()) } else { Err(failure) }
    }
}

fn fake(id: &'static str, answer: Result<GuardReport, GuardError>) -> Fake {
    Fake { id, answer, is_well: true, asked: Arc::default() }
}

fn finding() -> GuardReport {
    let findings = vec![Finding { label: "x".to_owned(), span: None }];
    GuardReport { findings, ..GuardReport::clean() }
}

const SUBJECT: GuardSubject<'static> =
    GuardSubject { stage: GuardrailStage::Input, tool: None, text: "text", paths: &[] };

fn guards(all: Vec<Fake>) -> Guards {
    Guards::boot(all.into_iter().map(|guard| Arc::new(guard) as Arc<dyn Guard>).collect())
}

#[test]
fn an_error_is_a_decision_that_blocks_and_others_still_look() {
    let timed_out = GuardError::TimedOut { millis: 5 };
    let guards = guards(vec![
        fake("a", Err(timed_out.clone())),
        fake("b", Ok(finding())),
        fake("c", Ok(GuardReport::clean())),
    ]);
    let looks: Vec<_> = guards.timed(Arc::new(Ticks::default())).each(&SUBJECT).collect();
    let acts: Vec<_> = looks.iter().map(|look| look.is_triggered().then_some(look.action)).collect();
    assert_eq!(acts, [Some(GuardAction::Block), Some(GuardAction::Flag), None]);
    assert_eq!(looks[0].result, Err(timed_out));
    assert_eq!(looks.iter().map(|look| look.micros).collect::<Vec<_>>(), [Some(7), Some(7), Some(7)]);
}

#[test]
fn a_guard_that_failed_its_self_test_is_not_asked_and_blocks() {
    let asked = Arc::new(AtomicU64::new(0));
    let broken = Fake { is_well: false, asked: Arc::clone(&asked), ..fake("a", Ok(GuardReport::clean())) };
    let guards = guards(vec![broken, fake("b", Ok(GuardReport::clean()))]);
    let red: Vec<bool> = guards.health().map(|(_, why)| why.is_some()).collect();
    assert_eq!(red, [true, false]);
    let looked = guards.look(&SUBJECT);
    let worst = looked.worst().unwrap();
    assert_eq!((worst.guard.as_str(), worst.action), ("a", GuardAction::Block));
    assert_eq!(worst.result.as_ref().unwrap_err().code(), "guard_unavailable");
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    assert_eq!(looked.triggered.len(), 1);
}

#[test]
fn of_two_guards_of_one_name_the_second_is_red() {
    let guards = guards(vec![fake("a", Ok(GuardReport::clean())), fake("a", Ok(GuardReport::clean()))]);
    let looks: Vec<_> = guards.each(&SUBJECT).map(|look| look.result.is_err()).collect();
    assert_eq!(looks, [false, true]);
}

#[test]
fn a_guard_looks_at_its_own_stages_only() {
    let guards = guards(vec![fake("a", Ok(finding()))]);
    assert_eq!(guards.each(&GuardSubject { stage: GuardrailStage::Output, ..SUBJECT }).count(), 0);
}
