//! A session keeps its definitions, starts each text with full budgets, and survives failures.

use premath_kernel::encode;
use premath_repl::{Budget, ErrorKind, Limits, Session, needs_more, normalise};

use crate::run::{Host, functions};

#[test]
fn definitions_stay_and_budgets_start_anew() {
    let limits = Limits { fuel: 10_000, host_calls: 2, ..Limits::default() };
    let mut session = Session::new(limits, functions()).unwrap();
    let mut host = Host::default();
    let mut text = |source: &str| session.evaluate(source, &mut host).result.map(|answer| answer.text);
    assert_eq!(text("(define x 5) (define (f) (* x 2))").unwrap(), "");
    assert_eq!(text("(let loop () (loop))").unwrap_err().kind, ErrorKind::Budget(Budget::Fuel));
    assert_eq!(text("(f)").unwrap(), "10");
    assert_eq!(text("(set! x 7) (list (echo 1) (echo 2))").unwrap(), "(1 2)");
    assert_eq!(text("(parallel-map echo '(1 2 3))").unwrap_err().kind, ErrorKind::Budget(Budget::HostCalls));
    assert_eq!(text("(parallel-map echo '(1 2))").unwrap(), "(1 2)");
    assert_eq!(text("(f)").unwrap(), "14");
    assert_eq!(text("(define (car x) 'mine)").unwrap(), "");
    assert_eq!(text("(list (car 1) (map cadr '((1 2))))").unwrap(), "(mine (2))");
}

#[test]
fn an_error_names_the_text_it_is_in() {
    let mut session = Session::new(Limits::default(), Vec::new()).unwrap();
    let mut host = Host::default();
    session.evaluate("(define (f x)\n  (car x))", &mut host).result.unwrap();
    let error = session.evaluate("(f 1)", &mut host).result.unwrap_err();
    assert_eq!((error.text, error.position.unwrap().line), (0, 2));
    assert!(session.pretty(&error).contains("(car x))"), "{}", session.pretty(&error));
    let error = session.evaluate("(oops", &mut host).result.unwrap_err();
    assert_eq!(error.text, 2);
    assert!(session.pretty(&error).contains("(oops"));
}

#[test]
fn names_can_be_completed() {
    let mut session = Session::new(Limits::default(), functions()).unwrap();
    session.evaluate("(define my-own 1)", &mut Host::default()).result.unwrap();
    let names = session.names();
    assert!(names.is_sorted());
    for name in ["my-own", "issue-ready", "lambda", "car", "map"] {
        assert!(names.iter().any(|known| known == name), "{name}");
    }
    assert!(!names.iter().any(|name| name.starts_with('%')));
}

#[test]
fn a_prompt_knows_when_to_ask_for_more() {
    let limits = Limits::default();
    assert!(needs_more("(define (f)", &limits));
    assert!(needs_more("\"abc", &limits));
    assert!(!needs_more("(f)", &limits));
    assert!(!needs_more("(f))", &limits));
    assert!(!needs_more("", &limits));
}

#[test]
fn normal_text_has_no_comments_and_one_space() {
    let normal =
        normalise("; c\n(define  x   '( 1 ;d\n 2.50))#|e|#\n[f #;g \"h\"]", &Limits::default()).unwrap();
    assert_eq!(normal, "(define x '(1 2.5))\n(f \"h\")");
}

#[test]
fn an_answer_has_its_json_where_there_is_one() {
    let mut session = Session::new(Limits::default(), Vec::new()).unwrap();
    let mut answer = |source: &str| session.evaluate(source, &mut Host::default()).result.unwrap();
    let json = answer("(hash-table \"a\" '(1 2))").value.unwrap();
    assert_eq!(String::from_utf8(encode(&json)).unwrap(), "{\"a\":[1,2]}");
    assert_eq!(answer("car").value, None);
    assert_eq!(answer("car").text, "#<procedure car>");
    assert_eq!(answer("(if #f 1)").text, "");
    assert_eq!(answer("").text, "");
}
