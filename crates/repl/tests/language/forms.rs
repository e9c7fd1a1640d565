//! The forms of the language, each by programs and what they come to.

use crate::run::{error, holds, value};

#[test]
fn definitions_and_procedures() {
    holds(&[
        ("(define x 3) (define (f a b) (+ a b x)) (f 1 2)", "6"),
        ("(define (f . all) all) (f 1 2 3)", "(1 2 3)"),
        ("(define (f a . rest) (list a rest)) (f 1)", "(1 ())"),
        ("((lambda all all) 1 2)", "(1 2)"),
        ("((lambda (a b . c) (list a b c)) 1 2 3 4)", "(1 2 (3 4))"),
        ("(define (outer x) (define y (* x 2)) (define (inner z) (+ y z)) (inner 1)) (outer 10)", "21"),
        (
            "(define (f) (define (even? n) (if (= n 0) #t (odd? (- n 1)))) (define (odd? n) (if (= n 0) #f (even? (- n 1)))) (even? 101)) (f)",
            "#f",
        ),
        ("(define-values (a b) (values 1 2)) (list a b)", "(1 2)"),
        ("(begin (define a 1) (define b 2)) (+ a b)", "3"),
        ("(define (list . items) (cons 'mine items)) (list 1)", "(mine 1)"),
        (
            "(define old car) (define (car x) (if (pair? x) (old x) 'none)) (list (car '(1)) (car 1))",
            "(1 none)",
        ),
    ]);
}

#[test]
fn binding_forms() {
    holds(&[
        ("(let ((x 1) (y 2)) (+ x y))", "3"),
        ("(let ((x 1)) (let ((x 2) (y x)) (list x y)))", "(2 1)"),
        ("(let* ((x 1) (y (+ x 1)) (x (* y 10))) x)", "20"),
        ("(letrec ((f (lambda (n) (if (= n 0) 1 (* n (f (- n 1))))))) (f 10))", "3628800"),
        ("(letrec* ((a 1) (b (+ a 1))) b)", "2"),
        ("(let loop ((i 0) (sum 0)) (if (> i 10) sum (loop (+ i 1) (+ sum i))))", "55"),
        ("(do ((i 0 (+ i 1)) (l '() (cons i l))) ((= i 3) l))", "(2 1 0)"),
        ("(do ((i 0 (+ i 1)) (v (make-vector 3))) ((= i 3) v) (vector-set! v i (* i i)))", "#(0 1 4)"),
        ("(let-values (((a b) (values 1 2)) ((c) (values 3))) (list a b c))", "(1 2 3)"),
        ("(receive (in out) (partition even? '(1 2 3 4)) (list in out))", "((2 4) (1 3))"),
        ("(call-with-values (lambda () (values 1 2)) +)", "3"),
        ("(let [(a 1)] a)", "1"),
        ("(let ((if list)) (if 1 2 3))", "(1 2 3)"),
    ]);
}

#[test]
fn closures_share_what_changes_and_copy_what_does_not() {
    holds(&[
        (
            "(define (counter) (let ((n 0)) (lambda () (set! n (+ n 1)) n))) (define a (counter)) (define b (counter)) (a) (a) (list (a) (b))",
            "(3 1)",
        ),
        ("(define x 1) (set! x 5) x", "5"),
        ("(define fs (map (lambda (i) (lambda () i)) '(1 2 3))) (map (lambda (f) (f)) fs)", "(1 2 3)"),
        ("(define (f x) (set! x (+ x 1)) (let ((g (lambda () x))) (set! x (* x 10)) (g))) (f 1)", "20"),
        (
            "(define f (let loop ((i 0)) (if (< i 3) (loop (+ i 1)) (lambda (n) (if (= n 0) i (loop n)))))) (list (f 0) ((f 7) 0))",
            "(3 7)",
        ),
        ("(define (f) (define a (lambda () (b))) (define b (lambda () 7)) (a)) (f)", "7"),
        (
            "(let ((f #f)) (let loop ((i 0)) (when (< i 3) (if (= i 1) (set! f (lambda () i))) (loop (+ i 1)))) (f))",
            "1",
        ),
        (
            "(define (make) (define self (lambda (n) (if (= n 0) 'done ((lambda () (self (- n 1))))))) self) ((make) 5)",
            "done",
        ),
    ]);
}

#[test]
fn choosing_forms() {
    holds(&[
        ("(if #f 1)", ""),
        ("(if '() 'yes 'no)", "yes"),
        ("(cond ((assv 'b '((a 1) (b 2))) => cadr) (else 'none))", "2"),
        ("(cond (#f 1) ((+ 1 1)) (else 3))", "2"),
        ("(cond (#f 1))", ""),
        (
            "(define (f x) (cond ((= x 1) 'one) ((= x 2) 'two) (else 'many))) (map f '(1 2 3))",
            "(one two many)",
        ),
        (
            "(define (f x) (cond ((assv x '((1 . 2))) => (lambda (p) (cdr p))) (else 'no))) (list (f 1) (f 2))",
            "(2 no)",
        ),
        (
            "(define (f x) (case x ((1 2) 'low) ((a \"s\") 'text) (else 'other))) (map f (list 2 'a \"s\" 9))",
            "(low text text other)",
        ),
        ("(+ 1 (case 5 ((5) 10) (else 20)))", "11"),
        ("(+ 1 (case 6 ((5) 10) (else 20)))", "21"),
        ("(case 1 ((2) 3))", ""),
        ("(list (and) (and 1 2) (and 1 #f 2) (or) (or #f 3) (or #f #f))", "(#t 2 #f #f 3 #f)"),
        ("(when (= 1 1) 'a 'b)", "b"),
        ("(unless (= 1 1) 'a)", ""),
        ("(list (when #f 1) 2)", "(#<unspecified> 2)"),
    ]);
}

#[test]
fn quotation() {
    holds(&[
        ("'(a \"b\" #\\c 1.5 . d)", "(a \"b\" #\\c 1.5 . d)"),
        ("`(1 ,(+ 1 1) ,@(list 3 4) 5)", "(1 2 3 4 5)"),
        ("`(a . ,(+ 1 2))", "(a . 3)"),
        ("`(,@'(1 2) . 3)", "(1 2 . 3)"),
        ("`#(1 ,(+ 1 1))", "#(1 2)"),
        ("`(a `(b ,(c ,(+ 1 2))))", "(a (quasiquote (b (unquote (c 3)))))"),
        ("'()", "()"),
        ("''a", "(quote a)"),
    ]);
}

#[test]
fn records() {
    let program = "(define-record-type point (make-point x y) point? (x point-x set-point-x!) (y point-y))";
    holds(&[
        (
            &format!(
                "{program} (define p (make-point 1 2)) (set-point-x! p 10) (list (point-x p) (point-y p) (point? p) (point? 5))"
            ),
            "(10 2 #t #f)",
        ),
        (&format!("{program} (make-point 1 2)"), "#<point 1 2>"),
        (&format!("{program} (equal? (make-point 1 2) (make-point 1 2))"), "#t"),
        ("(define (f) (define-record-type <a> (a v) a? (v a-v)) (a-v (a 3))) (f)", "3"),
    ]);
    assert_eq!(error(&format!("{program} (point-x 5)")).message, "`point-x` needs a record `point`, got `5`");
}

#[test]
fn tail_calls_take_no_depth() {
    let program = "(define (a n) (cond ((= n 0) 'done) (else (b (- n 1))))) (define (b n) (if (= n 0) 'done (and #t (or #f (let ((m n)) (begin (a (- m 1)))))))) (a 100000)";
    assert_eq!(value(program), "done");
    assert_eq!(value("(let loop ((n 200000)) (when (> n 0) (apply loop (list (- n 1)))))"), "");
    assert_eq!(value("(define (f n) (case n ((0) 'done) (else (f (- n 1))))) (f 100000)"), "done");
}

#[test]
fn what_is_no_form_is_refused_where_it_stands() {
    let cases = [
        ("(if)", "1:1", "`if` takes a test and one or two branches"),
        ("(let ((x)) x)", "1:7", "a binding is `(name value)`, not `(x)`"),
        ("\n (lambda (a a) a)", "2:13", "`a` is bound twice"),
        ("(define (f))", "1:1", "a body needs an expression"),
        ("(+ 1 else)", "1:6", "`else` is a form, not a value"),
        ("(define if 3)", "1:9", "`if` is a form; choose another name"),
        ("(set! car 3)", "1:7", "`car` belongs to the library; define a variable of that name first"),
        ("()", "1:1", "`()` calls nothing; the empty list is `'()`"),
        ("(1 . 2)", "1:1", "a call has no dot"),
        ("(cond (else 1) (2))", "1:7", "nothing may follow `else`"),
        ("(when #t (define x 1))", "1:10", "`define` belongs at the top or at the start of a body"),
        ("(%handle 1 2 3)", "1:2", "`%handle`: names that begin with `%` are reserved"),
        ("(%record-is 1 2)", "1:2", "`%record-is`: names that begin with `%` are reserved"),
    ];
    for (program, position, message) in cases {
        let error = error(program);
        assert_eq!(error.kind.code(), "syntax", "{program}");
        assert_eq!(error.message, message, "{program}");
        assert_eq!(error.position.unwrap().to_string(), position, "{program}");
    }
}
