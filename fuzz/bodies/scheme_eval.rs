//! What the evaluator promises for any source text. Here, and not in the testkit, because the testkit must not depend on
//! the evaluator; the fuzz target and a plain test of `premath-repl` share this file.
//!
//! A body panics on a broken promise and on nothing else; it must not read or write anything.

use premath_kernel::Value;
use premath_repl::{
    Evaluation, HostAnswer, HostCall, HostCalls, HostFailure, HostFunction, Limits, Session, Usage, normalise,
};

const LIMITS: Limits = Limits {
    fuel: 100_000,
    memory: 4 << 20,
    depth: 2_000,
    output: 64 << 10,
    host_calls: 50,
    source: 64 << 10,
};

/// Answers every call with its first argument, or refuses.
#[derive(Default)]
struct Host {
    calls: Vec<HostCall>,
}

impl HostCalls for Host {
    fn call(&mut self, call: &HostCall) -> HostAnswer {
        self.calls.push(call.clone());
        let refused = HostFailure {
            class: "effect_denied".to_owned(),
            message: "this host refuses".to_owned(),
            retryable: false,
        };
        if call.name == "refuse" {
            Err(refused)
        } else {
            Ok(call.arguments.first().cloned().unwrap_or(Value::Null))
        }
    }
}

/// Any text is evaluated or refused within its budgets, twice in the same way, and its normal text means the same.
///
/// # Panics
/// When one of these promises is broken.
pub(crate) fn scheme_eval(bytes: &[u8]) {
    let Ok(source) = std::str::from_utf8(bytes) else { return };
    let (first, calls) = evaluate(source);
    let (second, same_calls) = evaluate(source);
    assert_eq!((&first, &calls), (&second, &same_calls), "two runs differ");
    assert_bounded(&first, calls.len());
    if let Ok(normal) = normalise(source, &LIMITS) {
        assert_eq!(normalise(&normal, &LIMITS).as_ref(), Ok(&normal), "normal text is no fixed point");
        if normal.len() <= LIMITS.source {
            let (again, _) = evaluate(&normal);
            assert_eq!(first.usage, again.usage, "the normal text takes other steps: {normal}");
            assert_eq!(first.output, again.output, "the normal text writes something else: {normal}");
        }
    }
}

fn evaluate(source: &str) -> (Evaluation, Vec<HostCall>) {
    let mut host = Host::default();
    let functions = vec![HostFunction::new("echo", 0, 2), HostFunction::new("refuse", 0, 2)];
    let evaluation = Session::new(LIMITS, functions).map(|mut session| session.evaluate(source, &mut host));
    assert!(evaluation.is_ok(), "a session with two host functions: {evaluation:?}");
    let evaluation = evaluation.unwrap_or_else(|error| Evaluation {
        result: Err(error),
        output: String::new(),
        usage: Usage::default(),
    });
    (evaluation, host.calls)
}

fn assert_bounded(evaluation: &Evaluation, calls: usize) {
    let usage = evaluation.usage;
    assert!(usage.peak <= LIMITS.memory, "more memory than allowed: {usage:?}");
    assert!(usage.depth <= LIMITS.depth, "deeper than allowed: {usage:?}");
    assert!(
        usage.host_calls <= LIMITS.host_calls && calls as u64 <= LIMITS.host_calls,
        "more calls than allowed"
    );
    assert!(evaluation.output.len() <= LIMITS.output, "more output than allowed");
    if let Err(error) = &evaluation.result {
        assert!(!error.message.contains(char::is_control), "a message must stay on one line: {error:?}");
        assert!(error.trace.len() <= 8, "a trace must be short: {error:?}");
    }
}
