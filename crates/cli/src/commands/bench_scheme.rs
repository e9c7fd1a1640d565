//! `premath bench scheme`: the evaluator beside Lua, what a start costs, and what a host call costs beyond its action.
//!
//! Ours and Lua's take turns and the best of each counts, so that a noisy neighbour slows both. Without a `lua5.4` on the
//! path there is nothing to stand beside, and that is said.

use std::hint::black_box;
use std::time::Duration;

use premath_host::{Host, SchemeSession, SchemeWishes};
use premath_kernel::Object;
use premath_repl::{HostAnswer, HostCall, HostCalls, Limits, Session};
use serde_json::json;

use super::bench_figure::Figure;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, DIM};
use crate::system::{self, Scratch};

const FIB: &str = "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2))))) (fib 25)";
const LUA_FIB: &str = "local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end \
                       local start = os.clock() local x = fib(25) \
                       io.write(string.format('%d %.9f', x, os.clock() - start))";
/// `fib 25` over Lua's.
const LUA_LIMIT: f64 = 15.0;
/// From nothing to the value of a program without calls.
const START_LIMIT: f64 = 5.0;
/// A host call beyond its action, in microseconds.
const CALL_LIMIT: f64 = 100.0;
const ROUNDS: usize = 9;
const CALLS: u32 = 500;

pub(super) fn run(as_json: bool) -> Result<Exit, CliError> {
    output::progress("fib 25, ours and Lua's in turns");
    let mut figures = Vec::new();
    let mut note = None;
    match beside_lua() {
        Some(figure) => figures.push(figure),
        None => note = Some("no `lua5.4` on the path: nothing to measure beside"),
    }
    figures.push(start());
    let scratch = Scratch::new().map_err(unprepared)?;
    figures.push(host_call(&scratch)?);
    let holds = figures.iter().all(Figure::holds);
    if as_json {
        let document =
            json!({"action": "bench", "target": "scheme", "holds": holds, "items": figures, "note": note});
        output::json(&document)?;
    } else {
        let mut text: String = figures.iter().map(Figure::line).collect();
        text.extend(note.map(|note| format!("{DIM}{note}{DIM:#}\n")));
        output::text(&text)?;
    }
    Ok(if holds { Exit::Accepted } else { Exit::Rejected })
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn unprepared(error: std::io::Error) -> CliError {
    CliError::environment(
        format!("cannot make a folder to measure in: {error}"),
        "is there room for temporary files?",
    )
}

struct NoHost;

impl HostCalls for NoHost {
    fn call(&mut self, _call: &HostCall) -> HostAnswer {
        Ok(premath_kernel::Value::Null)
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn evaluated(program: &str) -> bool {
    let limits = Limits { fuel: 1_000_000_000, ..Limits::default() };
    Session::new(limits, Vec::new()).is_ok_and(|mut session| {
        let done = session.evaluate(program, &mut NoHost);
        black_box(done.result.is_ok_and(|answer| answer.text == "75025"))
    })
}

/// None where there is no Lua, or either comes to something else.
fn beside_lua() -> Option<Figure> {
    let (mut ours, mut theirs) = (f64::MAX, f64::MAX);
    for _round in 0..ROUNDS {
        let said = system::said_by("lua5.4", &["-e", LUA_FIB])?;
        let (value, seconds) = said.split_once(' ')?;
        let (is_right, time) = system::timed(|| evaluated(FIB));
        if value != "75025" || !is_right {
            return None;
        }
        theirs = theirs.min(seconds.trim().parse::<f64>().ok()? * 1000.0);
        ours = ours.min(milliseconds(time));
    }
    let figure = Figure::at_most("(fib 25) over Lua 5.4", ours / theirs, "x", LUA_LIMIT);
    Some(figure.from(format!("{ours:.1} ms beside {theirs:.1} ms, the best of {ROUNDS} in turns")))
}

/// A session with nothing in it and the value of a small program.
fn start() -> Figure {
    let once = || system::timed(|| evaluated("75025")).1;
    let best = (0..50).map(|_| once()).min().unwrap_or_default();
    Figure::at_most("a start, to the value of a program", milliseconds(best), "ms", START_LIMIT)
}

/// The same reading called so many times by a program and directly; the difference belongs to the program.
fn host_call(scratch: &Scratch) -> Result<Figure, CliError> {
    let root = scratch.repository("calls").map_err(unprepared)?;
    let mut each = f64::MAX;
    super::in_folder(root, None, |host| {
        let made = |name: &str, args: &premath_kernel::Value<'_>| {
            host.call(name, args).map(drop).map_err(CliError::action)
        };
        made("workspace.init", &Object::fields().finish())?;
        for number in 1..=20 {
            made("issue.add", &Object::fields().field("title", format!("Issue {number}")).finish())?;
        }
        for _round in 0..ROUNDS {
            each = each.min(beyond(host)?);
        }
        Ok(Exit::Accepted)
    })?;
    let figure = Figure::at_most("a host call beyond its action", each, "us", CALL_LIMIT);
    Ok(figure.from(format!("{CALLS} calls of issue-ready, the best of {ROUNDS}")))
}

fn beyond(host: &Host<'_>) -> Result<f64, CliError> {
    let arguments = Object::fields().field("limit", super::dep::number(1)).finish();
    let (direct, alone) = system::timed(|| {
        (0..CALLS)
            .try_for_each(|_| host.call("issue.ready", &arguments).map(|effect| drop(black_box(effect))))
    });
    direct.map_err(CliError::action)?;
    let wishes = SchemeWishes { read_only: true, ..SchemeWishes::default() };
    let mut session = SchemeSession::new(host, wishes)
        .map_err(|error| CliError::usage(error, "this is a defect of premath"))?;
    let program = format!("(do ((i 0 (+ i 1))) ((= i {CALLS}) i) (issue-ready (hash-table \"limit\" 1)))");
    let (evaluation, inside) = system::timed(|| session.evaluate(&program));
    if evaluation.map_err(CliError::action)?.result.is_err() {
        return Err(CliError::usage("the measured program failed", "this is a defect of premath"));
    }
    Ok(inside.saturating_sub(alone).as_secs_f64() * 1_000_000.0 / f64::from(CALLS))
}
