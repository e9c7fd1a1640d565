//! Raising and catching.

use crate::run::{error, holds};

#[test]
fn guard_catches_by_clauses() {
    holds(&[
        ("(guard (e (#t (list 'caught e))) (raise 'oops))", "(caught oops)"),
        ("(guard (e ((symbol? e) 'symbol) ((string? e) 'string)) (raise \"x\"))", "string"),
        ("(guard (e ((assq 'a e) => cdr) ((assq 'b e))) (raise (list (cons 'a 42))))", "42"),
        ("(guard (e (else 'outer)) (guard (e ((string? e) 'inner)) (raise 'sym)))", "outer"),
        ("(+ 1 (guard (e (else 10)) (+ 5 (raise 'x))))", "11"),
        ("(guard (e (else (error-object-message e))) (error \"bad thing:\" 1 'b))", "\"bad thing:\""),
        ("(guard (e (else (error-object-irritants e))) (error \"bad thing:\" 1 'b))", "(1 b)"),
        (
            "(guard (e (else (condition/report-string e))) (error \"bad thing:\" 1 'b \"c\"))",
            "\"bad thing: 1 b \\\"c\\\"\"",
        ),
        ("(guard (e (else (error-kind e))) (car 5))", "type"),
        ("(guard (e (else (error-kind e))) (vector-ref #(1) 5))", "range"),
        ("(guard (e (else (error-kind e))) (undefined-thing))", "unbound"),
        ("(guard (e (else (error-kind e))) ((lambda (x) x)))", "arity"),
        ("(guard (e (else (error-kind e))) (assert (= 1 2)))", "assertion"),
        ("(guard (e (else (error-kind e))) (error \"x\"))", "raised"),
        ("(guard (e ((error-object? e) (error-class e))) (car 5))", "#f"),
        ("(guard (e (#f 'never)) 'fine)", "fine"),
        (
            "(define (f) (guard (e (else (list 'again e))) (g))) (define (g) (raise 'deep)) (list (f) (f))",
            "((again deep) (again deep))",
        ),
        ("(define (f n) (guard (e ((= n 0) 'bottom)) (if (= n 0) (raise 'x) (f (- n 1))))) (f 5)", "bottom"),
        ("(map (lambda (x) (guard (e (else 'bad)) (if (odd? x) (raise x) x))) '(1 2 3))", "(bad 2 bad)"),
    ]);
}

#[test]
fn a_handler_is_called_where_it_was_raised() {
    holds(&[
        ("(with-exception-handler (lambda (e) 10) (lambda () (+ 1 (raise-continuable 'c))))", "11"),
        (
            "(guard (e (else (list 'guard e))) (with-exception-handler (lambda (e) (raise (list 'from-handler e))) (lambda () (raise 'x))))",
            "(guard (from-handler x))",
        ),
        (
            "(guard (e (else (error-kind e))) (with-exception-handler (lambda (e) 'ignored) (lambda () (raise 'x))))",
            "raised",
        ),
        (
            "(with-exception-handler (lambda (e) 1) (lambda () (with-exception-handler (lambda (e) (+ 100 (raise-continuable e))) (lambda () (raise-continuable 'x)))))",
            "101",
        ),
        (
            "(let ((seen '())) (guard (e (else (list (error-kind e) seen))) (with-exception-handler (lambda (e) (set! seen (cons e seen)) 'back) (lambda () (raise-continuable 'a) (raise-continuable 'b) (raise 'c)))))",
            "(raised (c b a))",
        ),
        (
            "(list (with-exception-handler (lambda (e) 0) (lambda () 'value)) (guard (e (else 'outer)) (raise 'after)))",
            "(value outer)",
        ),
    ]);
}

#[test]
fn what_nobody_catches_ends_the_program_with_its_kind() {
    let cases = [
        ("(raise 'oops)", "raised", "`oops` was raised"),
        ("(error \"no luck\" 7)", "raised", "no luck 7"),
        ("(error 'load \"no luck\")", "raised", "load \"no luck\""),
        ("(assert (= 1 2))", "assertion", "`(= 1 2)` does not hold"),
        ("(assert (= 1 2) \"sums\")", "assertion", "`(= 1 2)` does not hold: sums"),
        ("(car '())", "type", "`car` needs a pair, got `()`"),
        ("(foo 1)", "unbound", "`foo` is not defined"),
        ("(lenght '(1))", "unbound", "`lenght` is not defined; did you mean `length`?"),
        ("(hash-ref t \"a\")", "unbound", "`t` is not defined"),
        ("(hash-ref 1 \"a\")", "unbound", "`hash-ref` is not defined; use `hash-table-ref`"),
        ("(if true 1 2)", "unbound", "`true` is not defined; use `#t`"),
        (
            "(define-syntax swap! (syntax-rules () ((_ a b) (list a b))))",
            "unbound",
            "`define-syntax` is not part of this language; use a procedure; there are no macros",
        ),
        ("(set! undefined-name 1)", "unbound", "`undefined-name` is not defined"),
        ("((lambda (a) a))", "arity", "`lambda` takes 1 argument, got 0"),
        ("(define (f a b) a) (f 1)", "arity", "`f` takes 2 arguments, got 1"),
        ("(define (f a . b) a) (f)", "arity", "`f` takes at least 1 argument, got 0"),
        ("(car)", "arity", "`car` takes 1 argument, got 0"),
        ("(round 1 2 3)", "arity", "`round` takes 1 to 2 arguments, got 3"),
        ("(\"f\" 1)", "type", "`\"f\"` is a string, not a procedure"),
        ("(letrec ((a b) (b 1)) a)", "unbound", "a variable is used before it has a value"),
        (
            "(define (f) (define g (lambda () h)) (define x (g)) (define h 1) x) (f)",
            "unbound",
            "a variable is used before it has a value",
        ),
        ("(let-values (((a b) (values 1 2 3))) a)", "arity", "2 values are wanted, got 3"),
        ("(guard (e ((string? e) 1)) (car 5))", "type", "`car` needs a pair, got `5`"),
        ("(map car 5)", "raised", "this needs a list, not something that ends in 5"),
        ("(apply + 1)", "type", "`apply` needs a list at the end, got `1`"),
    ];
    for (program, kind, message) in cases {
        let error = error(program);
        assert_eq!((error.kind.code(), error.message.as_str()), (kind, message), "{program}");
    }
}
