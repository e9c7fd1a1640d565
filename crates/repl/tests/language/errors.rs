//! Where errors point, and how they look.

use crate::run::error;

#[test]
fn an_error_points_at_the_call_that_failed_and_names_the_calls_around_it() {
    let program = "(define (inner x)\n  (car x))\n(define (outer x)\n  (+ 1 (inner x)))\n(outer 5)";
    let error = error(program);
    assert_eq!(error.position.unwrap().to_string(), "2:3");
    let trace: Vec<String> =
        error.trace.iter().map(|entry| format!("{} {}", entry.procedure, entry.position)).collect();
    assert_eq!(trace, ["inner 2:3", "outer 4:8", "the program 5:1"]);
    assert_eq!(
        error.pretty(program),
        "type: `car` needs a pair, got `5`\n  --> 2:3\n 2 |   (car x))\n   |   ^\n  in inner at 2:3\n  in outer at 4:8\n  in the program at 5:1"
    );
}

#[test]
fn an_error_inside_the_library_points_at_the_programs_own_text() {
    let program = "(define l '(1 2))\n(map (lambda (x)\n  (vector-ref x 0)) l)";
    let inside = error(program);
    assert_eq!(inside.position.unwrap().to_string(), "3:3");
    let of_library = error("(define l '(1 2))\n  (map car l)");
    assert_eq!(of_library.position.unwrap().to_string(), "2:3");
    assert_eq!(error("\n (fold + 0 5)").position.unwrap().to_string(), "2:2");
}

#[test]
fn a_trace_is_short_and_a_budget_has_one_too() {
    let error = error("(define (f n)\n  (+ 1 (f (+ n 1))))\n(f 0)");
    assert_eq!(error.kind.code(), "budget.depth");
    assert_eq!(error.trace.len(), 8);
    assert_eq!(error.position.unwrap().to_string(), "2:8");
}

#[test]
fn an_error_that_is_raised_again_keeps_its_place() {
    let error = error("(guard (e ((string? e) 1))\n  (guard (e ((symbol? e) 2))\n    (car 5)))");
    assert_eq!(error.position.unwrap().to_string(), "3:5");
}

#[test]
fn messages_stay_on_one_line() {
    for program in ["(error \"a\\nb\\tc\")", "(car \"a\\nb\")", "(raise \"x\\ny\")", "(assert #f \"a\\nb\")"]
    {
        let error = error(program);
        assert!(!error.message.contains(char::is_control), "{:?}", error.message);
    }
}

#[test]
fn names_of_a_program_cannot_write_to_a_terminal() {
    let program = "(define (|a\\x1b;[31m\\nb|) (car 5)) (+ 1 (|a\\x1b;[31m\\nb|))";
    let error = error(program);
    let pretty = error.pretty(program);
    assert!(!pretty.contains('\x1b'), "{pretty:?}");
    assert_eq!(pretty.lines().count(), 6, "{pretty}");
}

#[test]
fn long_lines_are_cut_around_the_caret() {
    let program = format!("(list {} (car 5) {})", "1 ".repeat(200), "2 ".repeat(200));
    let error = error(&program);
    let pretty = error.pretty(&program);
    let lines: Vec<&str> = pretty.lines().collect();
    assert!(lines.iter().all(|line| line.chars().count() < 140), "{pretty}");
    let caret = lines.iter().position(|line| line.trim_end().ends_with('^')).unwrap();
    let column = lines[caret].find('^').unwrap();
    assert!(lines[caret - 1].get(column..).unwrap().starts_with("(car 5)"), "{pretty}");
}
