//! The shortest way from a program to what it comes to, and a host that answers by rule.

use premath_kernel::{Object, Value};
use premath_repl::{
    Error, Evaluation, HostAnswer, HostCall, HostCalls, HostFailure, HostFunction, Limits, Session,
};

/// Answers by the name of the function and remembers what it was asked.
#[derive(Debug, Default)]
pub(crate) struct Host {
    pub(crate) calls: Vec<HostCall>,
    /// How many calls came at once, each time
    pub(crate) batches: Vec<usize>,
}

pub(crate) fn functions() -> Vec<HostFunction> {
    vec![
        HostFunction::new("echo", 1, 1),
        HostFunction::new("issue-ready", 0, 1),
        HostFunction::new("read-file", 1, 1),
        HostFunction::new("refuse", 0, 2),
    ]
}

impl HostCalls for Host {
    fn call(&mut self, call: &HostCall) -> HostAnswer {
        self.batches.push(1);
        self.answer(call)
    }

    fn call_many(&mut self, calls: &[HostCall]) -> Vec<HostAnswer> {
        self.batches.push(calls.len());
        calls.iter().map(|call| self.answer(call)).collect()
    }
}

impl Host {
    fn answer(&mut self, call: &HostCall) -> HostAnswer {
        self.calls.push(call.clone());
        let first = call.arguments.first().cloned().unwrap_or(Value::Null);
        match call.name.as_str() {
            "echo" => Ok(first),
            "issue-ready" => Ok(Value::Array(
                ["a-1", "a-2"]
                    .map(|id| Object::fields().field("id", id).field("priority", 2_u32).finish())
                    .into(),
            )),
            "read-file" => Ok(Value::from(format!("text of {}", first.as_text().unwrap_or("?")))),
            _ => Err(HostFailure {
                class: "effect_denied".to_owned(),
                message: "this host refuses".to_owned(),
                retryable: first == Value::Bool(true),
            }),
        }
    }
}

pub(crate) fn evaluate(program: &str, limits: Limits) -> (Evaluation, Host) {
    let mut host = Host::default();
    let mut session = Session::new(limits, functions()).unwrap();
    let evaluation = session.evaluate(program, &mut host);
    (evaluation, host)
}

/// The text of the result.
#[track_caller]
pub(crate) fn value(program: &str) -> String {
    match evaluate(program, Limits::default()).0.result {
        Ok(answer) => answer.text,
        Err(error) => panic!("{}\n{program}", error.pretty(program)),
    }
}

/// What was written.
#[track_caller]
pub(crate) fn output(program: &str) -> String {
    let evaluation = evaluate(program, Limits::default()).0;
    assert!(evaluation.result.is_ok(), "{program}: {:?}", evaluation.result);
    evaluation.output
}

#[track_caller]
pub(crate) fn error(program: &str) -> Error {
    match evaluate(program, Limits::default()).0.result {
        Ok(answer) => panic!("{program} came to {}", answer.text),
        Err(error) => error,
    }
}

#[track_caller]
pub(crate) fn holds(cases: &[(&str, &str)]) {
    for (program, expected) in cases {
        assert_eq!(value(program), *expected, "{program}");
    }
}
