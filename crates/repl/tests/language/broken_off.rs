//! A program that computes can be broken off: nothing catches that, it costs nothing, and it can be done again to the step.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use premath_repl::{BreakOff, ErrorKind, Evaluation, HostFailure, Interruption, Limits, Session};

use crate::run::Host;

/// Asks for the end when it has been asked so many times.
#[derive(Debug)]
struct After {
    looks: AtomicU64,
    most: u64,
}

impl Interruption for After {
    fn reason(&self) -> Option<HostFailure> {
        let looks = self.looks.fetch_add(1, Ordering::Relaxed);
        (looks >= self.most).then(|| HostFailure {
            class: "interrupted".to_owned(),
            message: "enough".to_owned(),
            retryable: true,
        })
    }
}

fn after(most: u64) -> BreakOff {
    BreakOff::When(Arc::new(After { looks: AtomicU64::new(0), most }))
}

fn evaluated(program: &str, break_off: BreakOff) -> Evaluation {
    let mut session = Session::new(Limits { fuel: 10_000_000_000, ..Limits::default() }, Vec::new()).unwrap();
    session.breaks_off(break_off);
    session.evaluate(program, &mut Host::default())
}

const ENDLESS: &str =
    "(define (f n)\n  (guard (e (#t 'caught)) (vector-fill! (make-vector 100 n) 1))\n  (f (+ n 1)))\n(f 0)";

#[test]
fn a_loop_that_calls_nobody_is_broken_off_and_cannot_catch_it() {
    let done = evaluated(ENDLESS, after(7));
    let error = done.result.unwrap_err();
    assert_eq!((error.kind, error.class.as_deref()), (ErrorKind::Interrupted, Some("interrupted")));
    assert!(error.retryable && error.position.is_some(), "{error:?}");
    assert!(done.usage.steps < 200_000, "{:?}", done.usage);
}

#[test]
fn what_was_broken_off_is_broken_off_again_at_the_same_step() {
    for most in [0, 1, 5, 50] {
        let done = evaluated(ENDLESS, after(most));
        let reason =
            HostFailure { class: "interrupted".to_owned(), message: "enough".to_owned(), retryable: true };
        let again = evaluated(ENDLESS, BreakOff::At { steps: done.usage.steps, reason });
        assert_eq!(done, again);
    }
}

#[test]
fn being_looked_after_changes_nothing_of_what_a_program_uses() {
    let program = "(let loop ((i 0) (all '())) (if (< i 50000) (loop (+ i 1) (cons i all)) (length all)))";
    assert_eq!(evaluated(program, BreakOff::Never), evaluated(program, after(u64::MAX)));
}

#[test]
fn a_session_goes_on_with_the_next_text() {
    let mut session = Session::new(Limits::default(), Vec::new()).unwrap();
    session.breaks_off(after(0));
    let mut text = |source: &str| session.evaluate(source, &mut Host::default()).result;
    text("(define x 5)").unwrap();
    assert_eq!(text("(let loop () (loop))").unwrap_err().kind, ErrorKind::Interrupted);
    assert_eq!(text("x").unwrap().text, "5");
}
