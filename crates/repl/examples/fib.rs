//! What the evaluator costs: a start, and the time of a few programs. Run: `cargo run -p premath-repl --release --example fib`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a measurement reads the clock and shows it"
)]

use std::time::{Duration, Instant};

use premath_repl::{HostAnswer, HostCall, HostCalls, Limits, Session};

const PROGRAMS: &[(&str, &str)] = &[
    ("fib 25", "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (fib 25)"),
    ("loop 1e6", "(let loop ((i 0)) (if (< i 1000000) (loop (+ i 1)) i))"),
    ("map 1e5", "(length (map (lambda (x) (* x x)) (filter even? (iota 100000))))"),
    ("sort 2e4", "(car (sort (map (lambda (x) (modulo (* x 7919) 10007)) (iota 20000)) <))"),
    ("garbage", "(let loop ((i 0) (kept '())) (if (< i 1000000) (loop (+ i 1) (list i kept 1 2)) i))"),
];

struct NoHost;

impl HostCalls for NoHost {
    fn call(&mut self, _call: &HostCall) -> HostAnswer {
        Ok(premath_kernel::Value::Null)
    }
}

fn main() {
    let limits = Limits { fuel: 1_000_000_000, memory: 256 << 20, ..Limits::default() };
    let start = best(50, || drop(Session::new(limits, Vec::new())));
    println!("{:<10} {:>10.3} ms", "start", milliseconds(start));
    for (name, program) in PROGRAMS {
        let mut shown = String::new();
        let time = best(7, || {
            let Ok(mut session) = Session::new(limits, Vec::new()) else { return };
            let done = session.evaluate(program, &mut NoHost);
            let result = done.result.map_or_else(|error| error.to_string(), |answer| answer.text);
            shown = format!("{result}, {} steps", done.usage.steps);
        });
        println!("{name:<10} {:>10.3} ms   {shown}", milliseconds(time));
    }
}

fn best(times: usize, run: impl FnMut()) -> Duration {
    let mut run = run;
    let once = |_| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..times).map(once).min().unwrap_or_default()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
