//! The machine from inside: what is collected is never needed.

use premath_kernel::Value as KernelValue;

use super::{Machine, Step};
use crate::host::HostFunction;
use crate::limits::Limits;
use crate::write::{Bounds, Style, text_of};

const PROGRAMS: &[&str] = &[
    "(define (f n) (if (= n 0) '() (cons n (f (- n 1))))) (f 20)",
    "(map (lambda (x) (list x (string-append \"a\" (number->string x)))) (iota 10))",
    "(define (counter) (let ((n 0)) (lambda () (set! n (+ n 1)) n))) (define c (counter)) (c) (list (c) (c))",
    "(define t (make-hash-table)) (for-each (lambda (i) (hash-table-set! t (number->string i) (list i))) (iota 10)) (hash-table->alist t)",
    "(guard (e (else (list (error-object-message e) (error-object-irritants e)))) (error \"x\" (list 1 2) \"y\"))",
    "(with-exception-handler (lambda (e) (list e e)) (lambda () (list 1 (raise-continuable (list \"a\" \"b\")))))",
    "(guard (e (else (list 'outer e))) (with-exception-handler (lambda (e) (raise (list e \"again\"))) (lambda () (raise (string-append \"a\" \"b\")))))",
    "(parallel-map (lambda (x) (let ((kept (list x \"kept\"))) (list kept (echo (string-append \"a\" (number->string x)))))) (iota 5))",
    "(guard (e (else (list 'failed e))) (parallel-map (lambda (x) (if (= x 3) (raise (list x \"bad\")) (echo x))) (iota 5)))",
    "(define-record-type p (make-p a b) p? (a p-a set-p-a!) (b p-b)) (define r (make-p (list 1) \"b\")) (set-p-a! r (vector \"x\" (list 2))) (list r (p-a r))",
    "(sort (map (lambda (x) (modulo (* x 7919) 101)) (iota 20)) <)",
    "`(1 ,@(map (lambda (x) (* x x)) '(1 2 3)) #(a ,(string-append \"b\" \"c\")))",
    "(let-values (((a b) (partition even? (iota 6)))) (list b a))",
    "(string->json (json->string (hash-table \"a\" (list 1 \"x\" (hash-table \"b\" 'null)))))",
    "(apply (lambda (a . rest) (list a rest)) (list \"a\" \"b\" (list \"c\")))",
    "(define (f . rest) (let loop ((r rest) (k (lambda (x) x))) (if (null? r) (k '()) (loop (cdr r) (lambda (x) (k (cons (car r) x))))))) (f \"a\" \"b\" \"c\")",
    "(letrec ((even? (lambda (n) (if (= n 0) \"even\" (odd? (- n 1))))) (odd? (lambda (n) (if (= n 0) \"odd\" (even? (- n 1)))))) (list (even? 10) (odd? 10)))",
    "(call-with-values (lambda () (values (list 1) \"b\")) list)",
    "(string-join (map string-upcase (string-split \"a,b,c\" \",\")) \"-\")",
    "(do ((i 0 (+ i 1)) (v (make-vector 3 '()))) ((= i 3) v) (vector-set! v i (list i \"v\")))",
];

fn run(program: &str, is_stressed: bool) -> String {
    let mut machine = Machine::new(Limits::default()).unwrap();
    machine.bind_hosts(vec![HostFunction::new("echo", 1, 1)]);
    machine.load(program).unwrap();
    machine.is_stressed = is_stressed;
    let mut next = None;
    loop {
        let step = match next.take() {
            Some(step) => step,
            None => machine.advance().unwrap(),
        };
        match step {
            Step::Done(value) => {
                return text_of(&machine.heap, &machine.symbols, value, Style::Write, Bounds::bytes(10_000))
                    .unwrap();
            }
            Step::Calls(calls) => {
                let answer = |arguments: Vec<KernelValue<'static>>| Ok(arguments.into_iter().next().unwrap());
                let answers = calls.into_iter().map(|call| answer(call.arguments)).collect();
                next = machine.answer(answers).unwrap();
            }
        }
    }
}

#[test]
fn collecting_before_every_instruction_changes_no_result() {
    for program in PROGRAMS {
        assert_eq!(run(program, true), run(program, false), "{program}");
    }
}
