//! Programs that want everything: each ends in the failure of its own budget, and in bounded memory.

use premath_repl::{Budget, ErrorKind, Limits};

use crate::run::{evaluate, value};

/// What a process may use at its peak while it runs a bomb.
const MOST_KILOBYTES: u64 = 256 * 1024;

#[track_caller]
fn blows(program: &str, budget: Budget) {
    let (evaluation, _) = evaluate(program, Limits::default());
    let shown: String = program.chars().take(80).collect();
    match evaluation.result {
        Ok(answer) => panic!("{shown} came to {}", answer.text.chars().take(80).collect::<String>()),
        Err(error) => assert_eq!(error.kind, ErrorKind::Budget(budget), "{shown}: {error}"),
    }
    assert!(evaluation.usage.peak <= Limits::default().memory, "{shown}: {:?}", evaluation.usage);
    let peak = peak_kilobytes();
    assert!(peak < MOST_KILOBYTES, "{shown}: {peak} KiB");
}

/// The most memory this process ever had.
#[expect(clippy::disallowed_methods, reason = "the system alone knows how much memory a process has")]
fn peak_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn endless_loops_use_up_the_fuel() {
    blows("(let loop () (loop))", Budget::Fuel);
    blows("(define (f) (g)) (define (g) (f)) (f)", Budget::Fuel);
    blows("(do () (#f))", Budget::Fuel);
    blows("(let loop () (guard (e (#t (loop))) (raise 'x)))", Budget::Fuel);
    blows(
        "(define (f) (with-exception-handler (lambda (e) 1) (lambda () (raise-continuable 1))) (f)) (f)",
        Budget::Fuel,
    );
    blows("(let loop () (list 1 2 3 \"x\") (make-vector 100) (loop))", Budget::Fuel);
}

#[test]
fn work_that_grows_with_its_arguments_uses_up_the_fuel() {
    blows("(define s (make-string 1000000 #\\a)) (let loop () (string-upcase s) (loop))", Budget::Fuel);
    blows("(define l (iota 100000)) (let loop () (equal? l (list-copy l)) (loop))", Budget::Fuel);
    blows("(define l (iota 20000)) (delete-duplicates l)", Budget::Fuel);
    blows(
        "(define a (make-vector 2 0)) (define b (make-vector 2 0)) (vector-set! a 0 a) (vector-set! a 1 a) (vector-set! b 0 b) (vector-set! b 1 b) (let loop () (guard (e (#t 1)) (equal? a b)) (loop))",
        Budget::Memory,
    );
    blows("(define l (iota 300000)) (let loop () (sort l >) (loop))", Budget::Fuel);
    blows(
        "(define s (make-string 9000000 #\\a)) (define t (hash-table s 1)) (let loop () (hash-table-ref t s) (loop))",
        Budget::Fuel,
    );
    blows("(let loop () (guard (e (#t (loop))) (an-undefined-name-of-some-length)))", Budget::Fuel);
    blows(
        "(define t (alist->hash-table (map (lambda (i) (cons i i)) (iota 10000)))) (let loop () (hash-table-keys t) (loop))",
        Budget::Fuel,
    );
}

#[test]
fn deep_recursion_uses_up_the_depth() {
    blows("(define (f n) (+ 1 (f (+ n 1)))) (f 0)", Budget::Depth);
    blows("(define (f) (guard (e (#t 1)) (f))) (f)", Budget::Depth);
    blows("(define (f x) (map f (list x))) (f 1)", Budget::Depth);
    blows("(define (f) (with-exception-handler (lambda (e) 1) (lambda () (f)))) (f)", Budget::Depth);
    blows("(define (f e) (with-exception-handler f (lambda () (raise e)))) (f 1)", Budget::Depth);
    blows(
        "(define (f n) (let* ((a 1) (b 2) (c 3) (d 4) (e 5) (g 6) (h 7) (i 8) (j 9) (k 10) (l 11) (m 12) (n 13) (o 14) (p 15) (q 16) (r 17) (s 18) (t 19) (u 20)) (+ a (f n)))) (f 1)",
        Budget::Depth,
    );
    blows(&"(".repeat(200_000), Budget::Depth);
    blows(&format!("{}1{}", "(list ".repeat(20_000), ")".repeat(20_000)), Budget::Depth);
    blows(&"'".repeat(200_000), Budget::Depth);
    blows("(apply + (iota 1000000))", Budget::Depth);
}

#[test]
fn recursion_within_the_depth_is_fine() {
    assert_eq!(value("(define (f n) (if (= n 0) 0 (+ 1 (f (- n 1))))) (f 40000)"), "40000");
}

#[test]
fn memory_has_a_budget_of_what_is_alive() {
    blows("(let loop ((s \"ab\") (i 0)) (if (< i 60) (loop (string-append s s) (+ i 1)) s))", Budget::Memory);
    blows(
        "(let loop ((l '()) (i 0)) (if (< i 10000000) (loop (cons i l) (+ i 1)) (length l)))",
        Budget::Memory,
    );
    blows("(make-vector 10000000000 0)", Budget::Memory);
    blows("(make-string 10000000000 #\\a)", Budget::Memory);
    blows("(make-vector 5000000 0)", Budget::Memory);
    blows("(string-repeat \"abc\" 1000000000)", Budget::Memory);
    blows("(iota 1000000000)", Budget::Memory);
    blows("(make-list 1000000000 1)", Budget::Memory);
    blows(
        "(define v (make-vector 1000 0)) (let loop ((i 0)) (vector-set! v (modulo i 1000) (make-vector 10000 i)) (loop (+ i 1)))",
        Budget::Memory,
    );
    blows(
        "(define t (make-hash-table)) (let loop ((i 0)) (hash-table-set! t i i) (loop (+ i 1)))",
        Budget::Memory,
    );
    blows("(let loop ((f (lambda () 0))) (loop (lambda () (f))))", Budget::Memory);
    blows("(let loop ((i 0)) (string->symbol (number->string i)) (loop (+ i 1)))", Budget::Memory);
    blows("(let loop ((l '())) (loop (list l)))", Budget::Memory);
    blows("(string-pad-left \"a\" 1000000000)", Budget::Memory);
    blows("(define s (make-string 1000000 #\\a)) (string-replace s \"a\" s)", Budget::Memory);
    blows("(string-join (make-list 100000 (make-string 100000 #\\a)) \"\")", Budget::Memory);
    blows("(string->list (make-string 5000000 #\\a))", Budget::Memory);
    blows("(let loop ((l '(1 2 3)) (i 0)) (if (< i 60) (loop (append l l) (+ i 1)) l))", Budget::Memory);
    blows(
        "(let loop ((v (vector 1 2)) (i 0)) (if (< i 60) (loop (vector-append v v) (+ i 1)) v))",
        Budget::Memory,
    );
    blows(
        "(let loop ((v 1) (i 0)) (if (< i 60) (loop (list v v) (+ i 1)) (json->string v)))",
        Budget::Memory,
    );
    blows("(parallel-map (lambda (x) x) (iota 200000))", Budget::Memory);
}

#[test]
fn garbage_does_not_count() {
    assert_eq!(
        value("(let loop ((i 0)) (if (< i 300000) (begin (list i i i i i i) (loop (+ i 1))) i))"),
        "300000"
    );
    assert_eq!(
        value("(let loop ((i 0)) (if (< i 200) (begin (make-string 1000000 #\\a) (loop (+ i 1))) i))"),
        "200"
    );
}

#[test]
fn output_and_results_have_a_budget() {
    blows("(let loop () (display \"0123456789\") (loop))", Budget::Output);
    blows("(make-string 2000000 #\\a)", Budget::Output);
    blows("(define v (vector 1)) (vector-set! v 0 v) v", Budget::Output);
    blows("(define v (vector 1)) (vector-set! v 0 v) (display v)", Budget::Output);
    blows("(let loop ((v 1) (i 0)) (if (< i 60) (loop (list v v) (+ i 1)) (display v)))", Budget::Output);
    blows("(let loop ((v 1) (i 0)) (if (< i 60) (loop (list v v) (+ i 1)) (string v)))", Budget::Fuel);
    blows("(make-vector 3000000 0)", Budget::Output);
}

#[test]
fn a_long_program_is_refused_before_it_is_read() {
    blows(&"(+ 1 1) ".repeat(10 * 1024 * 1024 / 8), Budget::Source);
    blows(&"(".repeat(10 * 1024 * 1024), Budget::Source);
}

#[test]
fn the_longest_programs_stay_within_memory() {
    let fill = |part: &str| part.repeat((1 << 20) / part.len() - 8);
    let programs = [
        format!("(list {})", fill("1 ")),
        format!("'({})", fill("x ")),
        fill("(f)"),
        fill("'a "),
        fill("(lambda()1)"),
        format!("(cond {})", fill("(1 2)")),
        format!("(begin {})", fill("\"\"")),
        format!("`({})", fill(",x ")),
    ];
    for program in programs {
        let (evaluation, _) = evaluate(&program, Limits::default());
        let shown: String = program.chars().take(20).collect();
        let is_source = evaluation.result.is_err_and(|error| error.kind == ErrorKind::Budget(Budget::Source));
        assert!(!is_source, "{shown}: too long");
        let peak = peak_kilobytes();
        assert!(peak < MOST_KILOBYTES, "{shown}: {peak} KiB");
    }
}

#[test]
fn wide_programs_are_no_deeper_than_they_are_nested() {
    let clauses: String = (0..20_000).map(|number| format!("((= x {number}) {number})\n")).collect();
    assert_eq!(value(&format!("(define x 19999) (cond {clauses})")), "19999");
    let bindings: String = (0..20_000).map(|number| format!("(x{number} {number})")).collect();
    assert_eq!(value(&format!("(let* ({bindings}) x19999)")), "19999");
    assert_eq!(value(&format!("(and {} 7)", "#t ".repeat(50_000))), "7");
    assert_eq!(value(&format!("(length '({}))", "x ".repeat(100_000))), "100000");
    assert_eq!(value(&format!("(+ {})", "1 ".repeat(100_000))), "100000");
    let nested = format!("{}1{}", "(list ".repeat(190), ")".repeat(190));
    assert_eq!(value(&format!("(pair? {nested})")), "#t");
    let lambdas = format!("{}1{}", "((lambda () ".repeat(98), "))".repeat(98));
    assert_eq!(value(&lambdas), "1");
}

#[test]
fn a_long_list_is_dropped_without_recursion() {
    assert_eq!(value("(define l (iota 1000000)) (length l)"), "1000000");
    assert_eq!(
        value("(define (nest l i) (if (= i 0) l (nest (list l) (- i 1)))) (pair? (nest '() 500000))"),
        "#t"
    );
    assert_eq!(
        value(
            "(define (nest l i) (if (= i 0) l (nest (list l) (- i 1)))) (equal? (nest '() 500000) (nest '() 500000))"
        ),
        "#t"
    );
}

#[test]
fn a_used_up_budget_cannot_be_caught() {
    blows("(guard (e (#t 'caught)) (let loop () (loop)))", Budget::Fuel);
    blows(
        "(with-exception-handler (lambda (e) 'caught) (lambda () (make-vector 10000000000)))",
        Budget::Memory,
    );
    blows("(guard (e (#t 'caught)) (define (f) (+ 1 (f))) (f))", Budget::Depth);
    blows("(let loop ((i 0)) (guard (e (#t 'caught)) (echo i)) (loop (+ i 1)))", Budget::HostCalls);
}

#[test]
fn every_form_nests_within_a_small_stack() {
    let forms = [
        ("(list ", ")", 1),
        ("(let ((x 1)) ", ")", 1),
        ("(let loop ((i 0)) ", ")", 1),
        ("(if #t ", " 2)", 1),
        ("(cond (#t ", "))", 2),
        ("(case 1 ((1) ", "))", 2),
        ("(guard (e (#t e)) ", ")", 1),
        ("(guard (e (#t ", ")) (raise 1))", 3),
        ("(lambda (x) ", ")", 1),
        ("(begin ", ")", 1),
        ("(and 1 ", ")", 1),
        ("`(a ,", ")", 3),
        ("'(a ", ")", 2),
        ("'#(a ", ")", 2),
        ("(do ((i 0 (+ i 1))) ((= i 1) ", "))", 2),
        ("(let-values (((a) ", ")) a)", 3),
        ("(define (f) ", ") 1", 1),
        ("((lambda () (define x ", ") x))", 3),
    ];
    for (open, close, depth) in forms {
        let levels = 195 / depth;
        let program = format!("{}1{}", open.repeat(levels), close.repeat(levels));
        let small = std::thread::Builder::new().stack_size(1 << 20);
        let run =
            small.spawn(move || evaluate(&program, Limits::default()).0.result.map(|answer| answer.text));
        let result = run.unwrap().join().unwrap();
        assert!(result.is_ok(), "{open}: {result:?}");
    }
}

#[test]
fn many_names_take_no_more_than_their_number() {
    let names = |join: fn(usize) -> String| (0..40_000).map(join).collect::<String>();
    let bindings = names(|number| format!("(x{number} {number})"));
    let uses = names(|number| format!(" x{number}"));
    assert_eq!(value(&format!("(let ({bindings}) ((lambda () (length (list{uses})))))")), "40000");
    let definitions = names(|number| format!("(define x{number} {number})"));
    assert_eq!(value(&format!("{definitions} x39999")), "39999");
    assert_eq!(value(&format!("(define (f) {definitions} x39999) (f)")), "39999");
}

#[test]
fn calls_that_wait_together_count_what_they_hold() {
    let program = "(define s (make-string 1000000 #\\a)) (parallel-map (lambda (i) (echo s)) (iota 500))";
    blows(program, Budget::Memory);
    let names: String = (0..20_000).map(|number| format!("(x{number} {number})")).collect();
    let wide = format!("(parallel-map (lambda (i) (let* ({names}) (echo i) x7)) (iota 900))");
    blows(&wide, Budget::Memory);
    assert_eq!(
        value(
            "(define s (make-string 1000000 #\\a)) (length (parallel-map (lambda (i) (string-length (echo s))) (iota 20)))"
        ),
        "20"
    );
    assert_eq!(
        value(
            "(define s (make-string 1000000 #\\a)) (length (map (lambda (i) (string-length (echo s))) (iota 100)))"
        ),
        "100"
    );
}
