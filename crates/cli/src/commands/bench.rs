//! `premath bench kernel`: what a join check costs beside parsing and hashing the same bytes.
//!
//! Instruction counts where valgrind is installed, because they repeat; times otherwise, as ratios of one run.

use std::hint::black_box;

use clap::Parser as _;
use premath_host::{join_check, sample_turn};
use premath_kernel::{Strictness, sha256};
use serde_json::json;

use crate::args::{BenchArgs, BenchTarget, KernelWork};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, STRONG};
use crate::system;

/// Join check over parse-and-hash, at 10,000 calls.
const COST_LIMIT: f64 = 3.0;
/// Instructions per call at 100,000 calls over those at 1,000.
const GROWTH_LIMIT: f64 = 1.2;
/// A one-call check over `--version`, in time.
const START_LIMIT: f64 = 1.5;

pub(crate) fn run(args: &BenchArgs) -> Result<Exit, CliError> {
    match &args.target {
        BenchTarget::Kernel { json } => kernel(*json),
        BenchTarget::Store { json } => super::bench_store::run(*json),
        BenchTarget::Loop { quick, json } => super::bench_loop::run(*quick, *json),
        BenchTarget::Scheme { json } => super::bench_scheme::run(*json),
        BenchTarget::Workers { steps, json } => super::bench_workers::run(*steps, *json),
        BenchTarget::Mcp { json } => super::bench_mcp::run(*json),
        BenchTarget::McpEcho { pipes } => super::bench_mcp::echo(*pipes),
        BenchTarget::LoopCase(args) => super::bench_loop::case(args),
        BenchTarget::Measured { command } => measured(command),
        BenchTarget::KernelCase { work, calls } => {
            perform(*work, &sample_turn(*calls))?;
            Ok(Exit::Accepted)
        }
    }
}

/// Runs another command of this program and says on standard error what it used.
fn measured(command: &[String]) -> Result<Exit, CliError> {
    let words = std::iter::once("premath").chain(command.iter().map(String::as_str));
    let cli = crate::args::Cli::try_parse_from(words)
        .map_err(|error| CliError::usage(error, "`premath help` lists the commands"))?;
    let exit = super::run(&cli)?;
    if let Some((cpu, peak)) = system::own_usage() {
        output::raw_error(&format!("usage {} {peak}\n", cpu.as_nanos()));
    }
    Ok(exit)
}

fn perform(work: KernelWork, turn: &[u8]) -> Result<(), CliError> {
    match work {
        KernelWork::Generate => {
            black_box(turn);
        }
        KernelWork::Baseline => {
            black_box(serde_json::from_slice::<serde_json::Value>(turn).is_ok());
            black_box(sha256(turn));
        }
        KernelWork::JoinCheck => {
            let checked = join_check(turn, Strictness::Lenient)
                .map_err(|error| CliError::input(&error, "join-check-input"))?;
            if checked.assessment.refusal().is_some() {
                return Err(CliError::usage(
                    "the generated turn is not accepted",
                    "this is a defect of premath",
                ));
            }
            black_box(checked.witness().id());
        }
    }
    Ok(())
}

struct Row {
    name: &'static str,
    ratio: f64,
    limit: f64,
    basis: &'static str,
}

fn kernel(as_json: bool) -> Result<Exit, CliError> {
    let rows = [cost()?, growth()?, start()?];
    if as_json {
        let items: Vec<_> = rows
            .iter()
            .map(
                |row| json!({ "name": row.name, "ratio": row.ratio, "limit": row.limit, "basis": row.basis }),
            )
            .collect();
        output::json(&json!({ "action": "bench", "target": "kernel", "items": items }))?;
    } else {
        let lines = rows.iter().map(|row| {
            format!(
                "{:<66} {STRONG}{:>6.2}x{STRONG:#}  at most {:.1}x  ({})\n",
                row.name, row.ratio, row.limit, row.basis
            )
        });
        output::text(&lines.collect::<String>())?;
    }
    Ok(Exit::Accepted)
}

/// Instructions of one piece of work, without generating the turn. None without valgrind.
fn instructions(work: &str, calls: &str) -> Option<f64> {
    let count = |work: &str| system::count_instructions(&["bench", "kernel-case", work, "--calls", calls]);
    #[expect(clippy::cast_precision_loss, reason = "a ratio of counts far below 2^53")]
    Some(count(work)?.saturating_sub(count("generate")?) as f64)
}

/// Seconds of one piece of work, the best of several.
fn seconds(work: KernelWork, calls: usize) -> Result<f64, CliError> {
    let turn = sample_turn(calls);
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let (done, duration) = system::timed(|| perform(work, &turn));
        done?;
        best = best.min(duration.as_secs_f64());
    }
    Ok(best)
}

fn cost() -> Result<Row, CliError> {
    let name = "join-check of 10,000 calls over parsing and hashing the same bytes";
    let counted = instructions("join-check", "10000").zip(instructions("baseline", "10000"));
    let (ratio, basis) = match counted {
        Some((check, baseline)) => (check / baseline, "instructions"),
        None => (seconds(KernelWork::JoinCheck, 10_000)? / seconds(KernelWork::Baseline, 10_000)?, "time"),
    };
    Ok(Row { name, ratio, limit: COST_LIMIT, basis })
}

fn growth() -> Result<Row, CliError> {
    let name = "cost per call at 100,000 calls over that at 1,000";
    let counted = instructions("join-check", "100000").zip(instructions("join-check", "1000"));
    let (ratio, basis) = match counted {
        Some((many, few)) => (many / few / 100.0, "instructions"),
        None => (
            seconds(KernelWork::JoinCheck, 100_000)? / seconds(KernelWork::JoinCheck, 1_000)? / 100.0,
            "time",
        ),
    };
    Ok(Row { name, ratio, limit: GROWTH_LIMIT, basis })
}

fn start() -> Result<Row, CliError> {
    let turn = sample_turn(1);
    let best = |args: &[&str], input: &[u8]| {
        let fastest = (0..40).filter_map(|_| system::timed_run(args, input)).min();
        fastest.ok_or_else(|| {
            CliError::environment("this program cannot run itself", "is it still where it was?")
        })
    };
    let version = best(&["--version"], b"")?;
    let check = best(&["harness-join-check", "--input", "-"], &turn)?;
    let ratio = check.as_secs_f64() / version.as_secs_f64();
    Ok(Row {
        name: "harness-join-check of one call over --version",
        ratio,
        limit: START_LIMIT,
        basis: "time",
    })
}
