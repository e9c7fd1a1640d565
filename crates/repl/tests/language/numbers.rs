//! Arithmetic: exact, checked, rounded where it is said.

use crate::run::{error, holds};

#[test]
fn arithmetic_is_exact() {
    holds(&[
        (
            "(list (+) (+ 1) (+ 1 2 3) (* 2 3 4) (*) (- 5) (- 10 1 2) (/ 6 3) (/ 2) (/ 1 8))",
            "(0 1 6 24 1 -5 7 2 0.5 0.125)",
        ),
        ("(+ 0.1 0.2)", "0.3"),
        ("(list (* 1.5 1.5) (- 1 0.25) (+ 0.5 0.5) (= 1 1.0))", "(2.25 0.75 1 #t)"),
        ("(/ 1 3)", "0.333333333333333333"),
        ("(/ 2 3)", "0.666666666666666667"),
        (
            "(list (quotient 7 2) (remainder -7 2) (modulo -7 2) (modulo 7 -2) (quotient -7 2))",
            "(3 -1 1 -1 -3)",
        ),
        (
            "(list (abs -1.5) (min 3 1 2) (max 1 2.5) (gcd 12 18) (expt 2 10) (expt 2 -2) (expt 1.5 2) (square 3))",
            "(1.5 1 2.5 6 1024 0.25 2.25 9)",
        ),
        (
            "(list (floor 2.5) (ceiling 2.5) (truncate -2.5) (round 2.5) (round 3.5) (round 2.345 2) (floor -2.5))",
            "(2 3 -2 2 4 2.34 -3)",
        ),
        (
            "(list (number->fixed 2.5 2) (number->fixed 2 0) (number->fixed 0.125 2) (number->fixed -3 1))",
            "(\"2.50\" \"2\" \"0.12\" \"-3.0\")",
        ),
        ("(list (< 1 2 3) (< 1 3 2) (<= 1 1.0) (>= 2 1) (= 1 1 1) (> 3 2.5))", "(#t #f #t #t #t #t)"),
        ("(list (zero? 0.0) (positive? 0.1) (negative? -1) (even? 4) (odd? 4))", "(#t #t #t #t #f)"),
    ]);
}

#[test]
fn what_does_not_fit_is_a_typed_failure() {
    for program in [
        "(+ 9223372036854775807 1)",
        "(let ((x 9223372036854775807)) (+ x 1))",
        "(- -9223372036854775808 1)",
        "(* 4294967296 4294967296)",
        "(expt 7 9999999)",
        "(expt 10 19)",
        "(/ 9223372036854775807 0.1)",
        "(abs -9223372036854775808)",
        "(quotient -9223372036854775808 -1)",
        "(/ 1 0)",
        "(quotient 1 0)",
        "(modulo 1 0)",
        "(expt 0 -1)",
    ] {
        assert_eq!(error(program).kind.code(), "range", "{program}");
    }
}

#[test]
fn what_is_no_number_is_a_typed_failure() {
    assert_eq!(error("(+ 1 \"a\")").message, "`+` needs a number, got `\"a\"`");
    assert_eq!(error("(< 'a 1)").message, "`<` needs a number, got `a`");
    assert_eq!(error("(even? 1.5)").message, "`even?` needs an integer, got `1.5`");
    assert_eq!(error("(- \"5\" 1)").kind.code(), "type");
}
