//! The same program and the same answers give the same run, to the step and the byte.

use premath_repl::{Limits, normalise};
use proptest::prelude::*;

use crate::run::evaluate;

const PROGRAMS: &[&str] = &[
    "(map (lambda (i) (json-ref i \"id\")) (issue-ready))",
    "(define t (make-hash-table)) (for-each (lambda (i) (hash-table-set! t (modulo (* i 7919) 101) i)) (iota 500)) (display (hash-table->alist t)) (hash-table-keys t)",
    "(parallel-map (lambda (p) (guard (e (else (error-class e))) (if (odd? p) (refuse p) (echo p)))) (iota 20))",
    "(let loop ((i 0)) (if (< i 100000) (begin (make-vector 100 i) (loop (+ i 1))) i))",
    "(define (f n) (+ 1 (f n))) (f 0)",
    "(let loop ((l '())) (loop (cons 1 l)))",
    "(sort (map (lambda (x) (modulo (* x 7919) 1009)) (iota 1000)) <)",
    "(car (echo 5))",
];

/// Seed: 002 §14.4/2
#[test]
fn two_runs_are_one() {
    for program in PROGRAMS {
        let (first, first_host) = evaluate(program, Limits::default());
        let (second, second_host) = evaluate(program, Limits::default());
        assert_eq!(first, second, "{program}");
        assert_eq!(first_host.calls, second_host.calls, "{program}");
        assert!(first.usage.steps > 0);
    }
}

#[test]
fn a_program_and_its_normal_text_come_to_the_same() {
    for program in PROGRAMS {
        let normal = normalise(program, &Limits::default()).unwrap();
        let (first, _) = evaluate(program, Limits::default());
        let (second, _) = evaluate(&normal, Limits::default());
        assert_eq!(first.usage, second.usage, "{program}");
        assert_eq!(first.result.ok(), second.result.ok(), "{program}");
    }
}

/// Programs that mean something more often than noise does.
fn program() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("x".to_owned()),
        Just("'()".to_owned()),
        Just("\"s\"".to_owned()),
        Just("car".to_owned()),
        (-5_i64..100).prop_map(|number| number.to_string()),
        Just("1.5".to_owned()),
        Just("(issue-ready)".to_owned()),
    ];
    leaf.prop_recursive(6, 60, 4, |inner| {
        let head = prop::sample::select(vec![
            "+",
            "-",
            "*",
            "/",
            "list",
            "cons",
            "car",
            "cdr",
            "map",
            "apply",
            "append",
            "string-append",
            "echo",
            "refuse",
            "parallel-map",
            "vector",
            "hash-table",
            "if",
            "and",
            "or",
            "begin",
            "json->string",
            "length",
            "sort",
            "raise",
            "error",
            "x",
            "display",
            "equal?",
            "fold",
        ]);
        let call = (head, prop::collection::vec(inner.clone(), 0..4))
            .prop_map(|(head, parts)| format!("({head} {})", parts.join(" ")));
        let bind =
            (inner.clone(), inner.clone()).prop_map(|(value, body)| format!("(let ((x {value})) {body})"));
        let lambda = inner.clone().prop_map(|body| format!("(lambda (x) {body})"));
        let set = (inner.clone(), inner.clone())
            .prop_map(|(value, body)| format!("(begin (set! x {value}) {body})"));
        let loops = inner.clone().prop_map(|body| format!("(let x ((i 0)) (if (< i 3) (x (+ i 1)) {body}))"));
        let guard =
            (inner.clone(), inner).prop_map(|(body, other)| format!("(guard (e (#t {other})) {body})"));
        prop_oneof![4 => call, 1 => bind, 2 => lambda, 1 => set, 1 => loops, 1 => guard]
    })
    .prop_map(|body| format!("(define x 1) {body}"))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn generated_programs_run_the_same_twice(program in program()) {
        let limits = Limits { fuel: 20_000, memory: 1 << 20, depth: 500, ..Limits::default() };
        let (first, first_host) = evaluate(&program, limits);
        let (second, second_host) = evaluate(&program, limits);
        prop_assert_eq!(&first, &second, "{}", program);
        prop_assert_eq!(first_host.calls, second_host.calls);
        if let Err(error) = first.result {
            prop_assert!(error.position.is_some(), "{program}: {error}");
            prop_assert!(!error.message.contains(char::is_control));
        }
    }
}
