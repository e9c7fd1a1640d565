//! Calls as programs write them, and traces that were edited by somebody who knows how to make a digest.

use std::sync::Arc;

use premath_kernel::{Digest, Moment, Object, Value, encode};
use premath_repl::{BreakOff, HostAnswer, HostCall, HostCalls, HostFailure, Limits, Position};
use premath_tusk::sandbox::Interrupt;
use premath_wire::strict::{self, parse};

use super::answered::{Answered, given};
use super::arguments::resolve;
use super::book::CallBook;
use super::broken_off::LiveEnd;
use super::replay::replay;
use super::session::new_session;
use super::trace::{TraceHead, program_digest, trace};

fn call(name: &str, arguments: &[&str]) -> HostCall {
    let read = |text: &&str| parse(text.as_bytes(), strict::Limits::default()).unwrap().into_owned();
    HostCall {
        index: 0,
        name: name.to_owned(),
        arguments: arguments.iter().map(read).collect(),
        position: Position { line: 1, column: 1, byte: 0 },
    }
}

/// What a call comes to: the action with its arguments, or the class it is refused with.
fn asked(name: &str, arguments: &[&str]) -> String {
    let resolved = resolve(&call(name, arguments), "jo");
    match resolved.refused {
        Some(refused) => refused.class,
        None => format!("{} {}", resolved.action, String::from_utf8(encode(&resolved.args)).unwrap()),
    }
}

#[test]
fn positional_arguments_come_first_and_a_table_names_the_rest() {
    assert_eq!(asked("issue-show", &["\"a-1\""]), r#"issue.show {"id":"a-1"}"#);
    assert_eq!(asked("issue-show", &[r#"{"id":"a-1"}"#]), r#"issue.show {"id":"a-1"}"#);
    assert_eq!(
        asked("dep-add", &["\"a\"", "\"b\"", r#"{"type":"related"}"#]),
        r#"dep.add {"dependsOn":"b","id":"a","type":"related"}"#
    );
    assert_eq!(asked("issue-ready", &[]), "issue.ready {}");
    assert_eq!(asked("host-call", &["\"issue.ready\""]), "issue.ready {}");
    assert_eq!(asked("host-call", &["\"issue.show\"", r#"{"id":"a"}"#]), r#"issue.show {"id":"a"}"#);
}

#[test]
fn whoever_runs_the_program_takes_work_unless_somebody_is_named() {
    assert_eq!(asked("issue-claim", &["\"a\""]), r#"issue.claim {"assignee":"jo","id":"a"}"#);
    assert_eq!(asked("issue-claim", &["\"a\"", "\"al\""]), r#"issue.claim {"assignee":"al","id":"a"}"#);
    assert_eq!(asked("issue-claim-next", &[]), r#"issue.claim_next {"assignee":"jo"}"#);
}

#[test]
fn a_member_that_is_given_twice_or_that_nobody_knows_is_refused() {
    assert_eq!(asked("issue-show", &["\"a\"", r#"{"id":"b"}"#]), "input.field_invalid");
    assert_eq!(asked("issue-show", &["\"a\"", "\"b\""]), "input.field_invalid");
    assert_eq!(asked("issue-show", &["\"a\"", r#"{"levitate":true}"#]), "input.field_invalid");
    assert_eq!(asked("host-call", &["\"issue.show\"", "[]"]), "input.field_invalid");
}

#[test]
fn a_file_is_named_by_no_program_but_that_of_an_instruction() {
    for (name, member) in
        [("issue-list", "issues"), ("harness-session-read", "path"), ("required-gate-ref", "outcome")]
    {
        assert_eq!(asked(name, &[&format!(r#"{{"{member}":"x"}}"#)]), "effect_denied", "{name}");
    }
    let good = ["instructions/20261115T071252Z-x.json", ".premath/instructions/20261115T071252Z-x.json"];
    for path in good {
        assert_eq!(
            asked("instruction-check", &[&format!("\"{path}\"")]),
            format!(r#"instruction.check {{"path":"{path}"}}"#)
        );
    }
    for path in [
        "x.json",
        "/instructions/x.json",
        "instructions/../x.json",
        "instructions/a/x.json",
        "./instructions/x.json",
        ".premath/x.json",
        "instructions",
    ] {
        assert_eq!(asked("instruction-run", &[&format!("\"{path}\"")]), "effect_denied", "{path}");
    }
    assert_eq!(asked("instruction-run", &["5"]), "effect_denied");
}

/// A host that answers one listing.
struct One(CallBook);

impl HostCalls for One {
    fn call(&mut self, call: &HostCall) -> HostAnswer {
        let resolved = resolve(call, "jo");
        let effect = Object::fields()
            .field("schema", "premath.host_effect.v0")
            .field("action", resolved.action.clone())
            .field("argsDigest", Digest::prefixed("he1_", &resolved.args).as_str().to_owned())
            .field("resultClass", "ok")
            .field("payload", Object::fields().field("items", vec![Value::from(1_u32)]).finish())
            .field("witnessRefs", Vec::<Value<'_>>::new())
            .finish();
        let answered = self.0.note(call, &resolved, Answered::Effect(effect));
        given(&resolved, &answered)
    }
}

const PROGRAM: &str = "(display \"x\") (length (issue-ready (hash-table \"limit\" 3)))";

fn traced() -> Vec<u8> {
    traced_until(PROGRAM, BreakOff::Never)
}

fn traced_until(program: &str, break_off: BreakOff) -> Vec<u8> {
    let limits = Limits::default();
    let mut host = One(CallBook::default());
    let mut session = new_session(limits).unwrap();
    session.breaks_off(break_off);
    let done = session.evaluate(program, &mut host);
    let digest = program_digest(program, &limits);
    let head = TraceHead {
        program,
        program_digest: &digest,
        limits: &limits,
        is_read_only: false,
        actor: "jo",
        instruction: None,
        after: &[],
    };
    trace(&head, &host.0.calls, &done).bytes
}

/// The trace with one text replaced, under a digest that is right for it.
fn forged(from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(traced()).unwrap();
    assert!(text.contains(from), "{from} is not in {text}");
    let edited = text.replace(from, to);
    let value = parse(edited.as_bytes(), strict::Limits::default()).unwrap();
    let without = Value::Object(value.as_object().unwrap().without("traceDigest"));
    let stated = value.as_object().unwrap().get("traceDigest").unwrap().as_text().unwrap().to_owned();
    edited.replace(&stated, Digest::prefixed("st1_", &without).as_str()).into_bytes()
}

#[test]
fn a_trace_is_canonical_and_runs_again_to_itself() {
    let bytes = traced();
    assert_eq!(encode(&parse(&bytes, strict::Limits::default()).unwrap()), bytes);
    assert_eq!(replay(&bytes, None).unwrap().trace, bytes);
    assert_eq!(replay(&bytes, Some(&format!("; again\n{PROGRAM}"))).unwrap().trace, bytes);
}

#[test]
fn a_program_that_was_broken_off_is_on_record_as_that_and_runs_again_to_the_same_step() {
    let end = LiveEnd { interrupt: Interrupt::default(), deadline: None, clock: Arc::new(Moment::EPOCH) };
    end.interrupt.request();
    let program = "(issue-ready) (let loop ((n 0)) (display n) (loop (+ n 1)))";
    let bytes = traced_until(program, BreakOff::When(Arc::new(end)));
    let again = replay(&bytes, Some(program)).unwrap();
    assert_eq!(again.trace, bytes);
    assert_eq!(again.failure_class.as_deref(), Some("interrupted"));
    assert_eq!(again.calls.len(), 1);
    assert!(!again.done.output.is_empty());
}

#[test]
fn a_trace_that_was_forged_comes_out_differently() {
    let diverged = [
        ("\"output\":\"x\"", "\"output\":\"y\"", "what the program wrote"),
        (
            "\"action\":\"issue.ready\",\"args\":",
            "\"action\":\"issue.list\",\"args\":",
            "the trace has `issue.list`",
        ),
        ("\"items\":[1]", "\"items\":[1,2]", "the result is another"),
        ("\"line\":1", "\"line\":2", "what was used or recorded"),
        ("\"args\":{\"limit\":3}", "\"args\":{\"limit\":4}", "what was used or recorded"),
    ];
    for (from, to, what) in diverged {
        let fault = replay(&forged(from, to), None).unwrap_err();
        assert_eq!(fault.class, "scheme_replay_diverged", "{from}: {fault}");
        assert!(fault.detail.contains(what), "{from}: {fault}");
    }
    let functions = super::functions::digest();
    let other = forged(functions.as_str(), Digest::of_bytes(b"").as_str());
    assert_eq!(replay(&other, None).unwrap_err().class, "scheme_replay_diverged");
    let invalid = [
        ("\"after\":[]", "\"after\":[\"sp1_x\"]"),
        ("\"schema\":1,", "\"schema\":2,"),
        ("(display \\\"x\\\")", "(display \\\"y\\\")"),
    ];
    for (from, to) in invalid {
        let fault = replay(&forged(from, to), None).unwrap_err();
        assert_eq!(fault.class, "scheme_trace_invalid", "{from}: {fault}");
    }
}

#[test]
fn a_trace_with_more_or_fewer_calls_than_the_program_makes_is_refused() {
    let text = String::from_utf8(traced()).unwrap();
    let start = text.find("\"calls\":[").unwrap() + "\"calls\":[".len();
    let end = text.find("],\"functionsDigest\"").unwrap();
    let one = text.get(start..end).unwrap().to_owned();
    let fewer = replay(&forged(&one, ""), None).unwrap_err();
    assert!(fewer.detail.contains("is not in the trace"), "{fewer}");
    let more = replay(&forged(&one, &format!("{one},{one}")), None).unwrap_err();
    assert!(more.detail.contains("makes no more"), "{more}");
}

#[test]
fn a_trace_whose_budgets_nobody_would_give_is_none() {
    for (budget, live) in [
        ("fuel", "20000000"),
        ("memory", "67108864"),
        ("depth", "50000"),
        ("output", "1048576"),
        ("hostCalls", "1000"),
        ("source", "1048576"),
    ] {
        let more = forged(&format!("\"{budget}\":{live}"), &format!("\"{budget}\":99999999999"));
        let fault = replay(&more, None).unwrap_err();
        assert_eq!(fault.class, "scheme_trace_invalid", "{budget}: {fault}");
        assert!(fault.detail.contains(budget), "{fault}");
    }
}

fn noted(book: &mut CallBook, name: &str, argument: Value<'static>, answered: Answered) -> HostAnswer {
    let call = HostCall { arguments: vec![argument], ..call(name, &[]) };
    let resolved = book.resolve(&call, "jo");
    let answered = match &resolved.refused {
        Some(why) => Answered::Failed(super::denial::failure(why)),
        None => answered,
    };
    let answered = book.note(&call, &resolved, answered);
    given(&resolved, &answered)
}

#[test]
fn what_is_kept_of_arguments_and_failures_is_bounded() {
    let long = "x".repeat(2 << 20);
    let told = || HostFailure { class: "environment".to_owned(), message: long.clone(), retryable: false };
    let mut book = CallBook::default();
    for name in ["issue-show", "issue-add", "host-call"] {
        for _ in 0..40 {
            let failure = noted(&mut book, name, Value::from(long.clone()), Answered::Failed(told()));
            assert!(failure.unwrap_err().message.len() <= 4_096);
        }
    }
    let kept: usize = book.calls.iter().map(super::book::SchemeCall::kept).sum();
    assert!(kept <= super::book::MOST_BYTES + 4_096 * book.calls.len(), "{kept} bytes are kept");
    let last = book.calls.last().unwrap();
    assert_eq!(
        (last.failure_classes.as_slice(), last.args()),
        (["input.too_large".to_owned()].as_slice(), Value::Array(Vec::new()))
    );
    let mut book = CallBook::default();
    let refused = noted(&mut book, "issue-show", Value::from("x".repeat(5 << 20)), Answered::Failed(told()));
    assert_eq!(refused.unwrap_err().class, "input.too_large");
    let small = Value::Array(vec![Value::from(1_u32); 100_000]);
    let refused = noted(&mut book, "issue-show", small, Answered::Failed(told()));
    assert_eq!(refused.unwrap_err().class, "input.too_large", "what a value takes beside its text counts");
}
