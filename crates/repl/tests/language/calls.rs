//! Calls of the host: what it is told, what comes back, how failures are caught, and calls in one batch.

use premath_kernel::{Value, encode};
use premath_repl::{Budget, ErrorKind, HostFunction, Limits, Session, Step};

use crate::run::{error, evaluate, functions, holds};

#[test]
fn values_go_out_and_come_back() {
    holds(&[
        ("(map (lambda (i) (json-ref i \"id\")) (issue-ready))", "(\"a-1\" \"a-2\")"),
        ("(echo (hash-table \"a\" '(1 2.5 \"x\" null #t)))", "#hash((\"a\" . (1 2.5 \"x\" null #t)))"),
        ("(echo 'symbol)", "\"symbol\""),
        ("(map read-file '(\"a\" \"b\"))", "(\"text of a\" \"text of b\")"),
        ("(apply echo '(5))", "5"),
        ("(define (f x) (echo x)) (f 3)", "3"),
        ("(echo (echo (echo 1)))", "1"),
    ]);
}

#[test]
fn each_call_has_a_number_a_place_and_canonical_arguments() {
    let program = "(define (get x)\n  (echo (list x 1.0)))\n(get \"a\")\n(map get '(\"b\"))";
    let (evaluation, host) = evaluate(program, Limits::default());
    assert!(evaluation.result.is_ok());
    assert_eq!(evaluation.usage.host_calls, 2);
    let told: Vec<_> = host
        .calls
        .iter()
        .map(|call| {
            let arguments = String::from_utf8(encode(&Value::Array(call.arguments.clone()))).unwrap();
            (call.index, call.name.as_str(), call.position.to_string(), arguments)
        })
        .collect();
    assert_eq!(
        told,
        [
            (0, "echo", "2:3".to_owned(), "[[\"a\",1]]".to_owned()),
            (1, "echo", "2:3".to_owned(), "[[\"b\",1]]".to_owned())
        ]
    );
}

#[test]
fn a_failure_of_the_host_can_be_caught_and_read() {
    holds(&[
        (
            "(guard (e (else (list (error-kind e) (error-class e) (error-retryable? e) (error-object-message e)))) (refuse))",
            "(host \"effect_denied\" #f \"this host refuses\")",
        ),
        ("(guard (e (else (error-retryable? e))) (refuse #t))", "#t"),
        (
            "(define (retry n) (guard (e ((and (error-retryable? e) (> n 0)) (retry (- n 1)))) (refuse (> n 0)))) (guard (e (else 'gave-up)) (retry 3))",
            "gave-up",
        ),
        ("(guard (e ((string=? (error-class e) \"effect_denied\") 'denied)) (echo (refuse)))", "denied"),
    ]);
    let error = error("(+ 1\n  (refuse #t))");
    assert_eq!(error.kind, ErrorKind::Host);
    assert_eq!((error.class.as_deref(), error.retryable), (Some("effect_denied"), true));
    assert_eq!(error.position.unwrap().to_string(), "2:3");
}

#[test]
fn what_json_cannot_say_is_refused_before_the_host_hears_of_it() {
    for program in ["(echo car)", "(echo '(1 . 2))", "(echo (if #f 1))", "(echo (list (lambda () 1)))"] {
        let (evaluation, host) = evaluate(program, Limits::default());
        assert_eq!(evaluation.result.unwrap_err().kind, ErrorKind::Type, "{program}");
        assert!(host.calls.is_empty() && evaluation.usage.host_calls == 0, "{program}");
    }
    assert_eq!(error("(echo)").message, "`echo` takes 1 argument, got 0");
    assert_eq!(error("(issue-ready 1 2)").message, "`issue-ready` takes 0 to 1 argument, got 2");
}

#[test]
fn calls_have_a_budget() {
    let limits = Limits { host_calls: 3, ..Limits::default() };
    let (evaluation, host) = evaluate("(map echo '(1 2 3 4))", limits);
    assert_eq!(evaluation.result.unwrap_err().kind, ErrorKind::Budget(Budget::HostCalls));
    assert_eq!(host.calls.len(), 3);
    let (evaluation, _) = evaluate("(map echo '(1 2 3))", limits);
    assert_eq!(evaluation.result.unwrap().text, "(1 2 3)");
}

#[test]
fn calls_of_a_parallel_map_go_out_together() {
    let program = "(parallel-map (lambda (p) (string-length (read-file p))) '(\"a\" \"bb\" \"ccc\"))";
    let (evaluation, host) = evaluate(program, Limits::default());
    assert_eq!(evaluation.result.unwrap().text, "(9 10 11)");
    assert_eq!(host.batches, [3]);
    let (evaluation, host) = evaluate("(parallel-map echo '(1 2))", Limits::default());
    assert_eq!(evaluation.result.unwrap().text, "(1 2)");
    assert_eq!(host.batches, [2]);
    let waves = "(parallel-map (lambda (n) (let loop ((i 0) (got '())) (if (= i n) (reverse got) (loop (+ i 1) (cons (echo i) got))))) '(1 3 0 2))";
    let (evaluation, host) = evaluate(waves, Limits::default());
    assert_eq!(evaluation.result.unwrap().text, "((0) (0 1 2) () (0 1))");
    assert_eq!(host.batches, [3, 2, 1]);
    assert_eq!(host.calls.iter().map(|call| call.index).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn a_parallel_map_without_calls_is_a_map() {
    holds(&[
        ("(parallel-map (lambda (x) (* x x)) '(1 2 3))", "(1 4 9)"),
        ("(parallel-map echo '())", "()"),
        ("(parallel-map (lambda (x) (parallel-map echo (list x x))) '(1 2))", "((1 1) (2 2))"),
        ("(define n 0) (parallel-map (lambda (x) (set! n (+ n x)) n) '(1 2 3))", "(1 3 6)"),
        ("(+ 1 (apply + (parallel-map echo '(1 2))))", "4"),
        ("(define (f) (parallel-map echo '(1 2))) (f)", "(1 2)"),
    ]);
}

#[test]
fn the_first_failure_of_a_parallel_map_is_raised_when_all_are_done() {
    holds(&[
        (
            "(guard (e (else (list 'caught e))) (parallel-map (lambda (x) (if (even? x) (raise x) (echo x))) '(1 2 3 4)))",
            "(caught 2)",
        ),
        (
            "(parallel-map (lambda (x) (guard (e (else (error-class e))) (if (= x 2) (refuse) (echo x)))) '(1 2 3))",
            "(1 \"effect_denied\" 3)",
        ),
        ("(guard (e (else (error-class e))) (parallel-map refuse '(1 2 3)))", "\"effect_denied\""),
        ("(guard (e (else (error-kind e))) (parallel-map (lambda () 1) '(1 2 3)))", "arity"),
    ]);
    let (evaluation, host) =
        evaluate("(parallel-map (lambda (x) (if (= x 1) (refuse) (echo x))) '(1 2 3))", Limits::default());
    assert_eq!(evaluation.result.unwrap_err().kind, ErrorKind::Host);
    assert_eq!(host.calls.len(), 3);
    assert_eq!(error("(parallel-map echo 5)").kind, ErrorKind::Type);
}

#[test]
fn thousands_of_failures_in_one_batch_are_no_deeper_than_one() {
    let limits = Limits { host_calls: 100_000, ..Limits::default() };
    let (evaluation, host) =
        evaluate("(guard (e (else (error-class e))) (parallel-map refuse (iota 20000)))", limits);
    assert_eq!(evaluation.result.unwrap().text, "\"effect_denied\"");
    assert_eq!(host.batches, [20_000]);
}

#[test]
fn a_session_can_be_driven_step_by_step_and_moved_between_threads() {
    let mut session = Session::new(Limits::default(), functions()).unwrap();
    let Step::Calls(calls) = session.start("(+ 1 (echo 41))") else { panic!("no call") };
    assert_eq!(calls.len(), 1);
    let elsewhere = std::thread::spawn(move || session.answer(vec![Ok(Value::from(41_u32))]));
    let Step::Done(evaluation) = elsewhere.join().unwrap() else { panic!("not done") };
    assert_eq!(evaluation.result.unwrap().text, "42");
}

#[test]
fn an_answer_that_nobody_waits_for_is_a_failure_and_changes_nothing() {
    let mut session = Session::new(Limits::default(), functions()).unwrap();
    for source in ["(define x 1)", "(car 5)", "(let loop () (loop))"] {
        let Step::Done(_) = session.start(source) else { panic!("not done") };
        let Step::Done(evaluation) = session.answer(vec![Ok(Value::Null)]) else { panic!("not done") };
        assert_eq!(evaluation.result.unwrap_err().kind, ErrorKind::Host, "{source}");
    }
    let Step::Done(evaluation) = session.start("x") else { panic!("not done") };
    assert_eq!(evaluation.result.unwrap().text, "1");
}

#[test]
fn an_answer_that_is_missing_is_a_failure() {
    let mut session = Session::new(Limits::default(), functions()).unwrap();
    let Step::Calls(_) = session.start("(parallel-map echo '(1 2))") else { panic!("no call") };
    let Step::Done(evaluation) = session.answer(vec![Ok(Value::Null)]) else { panic!("not done") };
    assert_eq!(evaluation.result.unwrap_err().class.as_deref(), Some("host_answer_missing"));
}

#[test]
fn an_answer_that_does_not_fit_is_a_used_up_budget() {
    let limits = Limits { memory: 1 << 20, ..Limits::default() };
    let mut session = Session::new(limits, functions()).unwrap();
    let Step::Calls(_) = session.start("(guard (e (else 'caught)) (echo 1))") else { panic!("no call") };
    let big = Value::from("x".repeat(2 << 20));
    let Step::Done(evaluation) = session.answer(vec![Ok(big)]) else { panic!("not done") };
    assert_eq!(evaluation.result.unwrap_err().kind, ErrorKind::Budget(Budget::Memory));
}

#[test]
fn a_host_function_needs_a_name_of_its_own() {
    for name in ["car", "if", "map", "", "a b", "(", "%x", "12", "\"a\"", "#t"] {
        let made = Session::new(Limits::default(), vec![HostFunction::new(name, 0, 1)]);
        assert!(made.is_err(), "{name}");
    }
    let twice = vec![HostFunction::new("f", 0, 1), HostFunction::new("f", 0, 1)];
    assert!(Session::new(Limits::default(), twice).is_err());
}
