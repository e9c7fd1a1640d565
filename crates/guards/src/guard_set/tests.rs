//! What becomes of guards that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use premath_tusk::policy::{
    Finding, Guard, GuardAction, GuardError, GuardReport, GuardSubject, GuardrailStage, SelfTestFailure,
};

use super::{GuardSet, Micros, Outcome};

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

fn set(guards: Vec<Fake>) -> GuardSet {
    let boxed = guards.into_iter().map(|guard| Box::new(guard) as Box<dyn Guard>).collect();
    GuardSet::new(boxed, Box::new(Ticks::default()))
}

#[test]
fn an_error_is_a_decision_that_blocks_and_others_still_look() {
    let timed_out = GuardError::TimedOut { millis: 5 };
    let set = set(vec![
        fake("a", Err(timed_out.clone())),
        fake("b", Ok(finding())),
        fake("c", Ok(GuardReport::clean())),
    ]);
    let decisions = set.look(&SUBJECT);
    let actions: Vec<_> = decisions.iter().map(|decision| decision.action).collect();
    assert_eq!(actions, [Some(GuardAction::Block), Some(GuardAction::Flag), None]);
    assert_eq!(decisions[0].outcome, Outcome::Failed(timed_out));
    assert!(decisions[0].blocks() && !decisions[1].blocks() && !decisions[2].is_triggered());
    assert_eq!(decisions.iter().map(|decision| decision.micros).collect::<Vec<_>>(), [7, 7, 7]);
}

#[test]
fn a_guard_that_failed_its_self_test_is_not_asked_and_blocks() {
    let asked = Arc::new(AtomicU64::new(0));
    let broken = Fake { is_well: false, asked: Arc::clone(&asked), ..fake("a", Ok(GuardReport::clean())) };
    let mut set = set(vec![broken, fake("b", Ok(GuardReport::clean()))]);
    let results: Vec<bool> = set.self_test_all().iter().map(|(_, result)| result.is_ok()).collect();
    assert_eq!(results, [false, true]);
    assert!(set.has_red());
    let decisions = set.look(&SUBJECT);
    assert!(decisions[0].blocks());
    let Outcome::Failed(error) = &decisions[0].outcome else { panic!("{decisions:?}") };
    assert_eq!(error.code(), "guard_unavailable");
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    assert!(!decisions[1].is_triggered());
}

#[test]
fn of_two_guards_of_one_name_the_second_is_red() {
    let mut set = set(vec![fake("a", Ok(GuardReport::clean())), fake("a", Ok(GuardReport::clean()))]);
    assert!(set.look(&SUBJECT)[1].blocks());
    assert!(set.self_test_all()[1].1.is_err());
}

#[test]
fn a_guard_looks_at_its_own_stages_only() {
    let set = set(vec![fake("a", Ok(finding()))]);
    assert_eq!(set.look(&GuardSubject { stage: GuardrailStage::Output, ..SUBJECT }), []);
}
