//! `premath bench store`: what the store costs on this machine, as its promises state it.
//!
//! Every figure is measured on this very program, run as people run it. Processor time, because other processes do not
//! change it; ratios within one run where growth is the question.

mod counting;
mod fixture;

use std::path::Path;
use std::time::Duration;

use self::fixture::Fixture;
pub(super) use self::fixture::issues;
use super::bench_figure::Figure;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output;
use crate::system::{self, Usage};

/// So often a small command is measured.
const RUNS: u32 = 40;

pub(crate) fn run(as_json: bool) -> Result<Exit, CliError> {
    let fixture = Fixture::new().map_err(|error| {
        CliError::environment(
            format!("cannot make a folder to measure in: {error}"),
            "is there room for temporary files?",
        )
    })?;
    let mut figures = Vec::new();
    output::progress("mutations at 1,000 and 100,000 issues");
    mutations(&fixture, &mut figures)?;
    output::progress("reads at 100,000 issues");
    reads(&fixture, &mut figures)?;
    output::progress("claims by several processes");
    claims(&fixture, &mut figures)?;
    output::progress("trajectory of 1,000,000 rows");
    trajectory(&fixture, &mut figures)?;
    figures.push(counting::syncs_per_append(fixture.small())?);
    if as_json {
        let holds = figures.iter().all(Figure::holds);
        output::json(
            &serde_json::json!({ "action": "bench", "target": "store", "holds": holds, "items": figures }),
        )?;
    } else {
        output::text(&figures.iter().map(Figure::line).collect::<String>())?;
    }
    Ok(Exit::Accepted)
}

fn measured(folder: &Path, args: &[&str]) -> Result<Usage, CliError> {
    system::measured_run(folder, args).ok_or_else(|| {
        let command = args.iter().take(3).copied().collect::<Vec<_>>().join(" ");
        CliError::environment(
            format!("`premath {command}` could not be measured"),
            "it needs /proc, as on Linux",
        )
    })
}

/// The mean processor time of several runs, each with its own arguments.
fn mean(folder: &Path, args: impl Fn(u32) -> Vec<String>) -> Result<Duration, CliError> {
    let mut total = Duration::ZERO;
    for run in 0..RUNS {
        let args = args(run);
        total += measured(folder, &args.iter().map(String::as_str).collect::<Vec<_>>())?.cpu;
    }
    Ok(total / RUNS)
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(ToOwned::to_owned).collect()
}

fn mutations(fixture: &Fixture, figures: &mut Vec<Figure>) -> Result<(), CliError> {
    type Args = fn(u32) -> Vec<String>;
    let commands: [(&str, Args); 4] = [
        ("issue add", |run| words(&format!("issue add measured-{run} --json"))),
        ("issue update", |run| words(&format!("issue update bd-{} --notes note-{run} --json", 500 + run))),
        ("issue claim-next", |_| words("issue claim-next --assignee worker --json")),
        ("issue lease-renew", |_| words("issue lease-renew bd-1 --assignee keeper --json")),
    ];
    for folder in [fixture.small(), fixture.large()] {
        measured(folder, &["issue", "claim", "bd-1", "--assignee", "keeper", "--json"])?;
    }
    for (name, args) in commands {
        let (small, large) = (mean(fixture.small(), args)?, mean(fixture.large(), args)?);
        let ratio = large.as_secs_f64() / small.as_secs_f64();
        figures.push(Figure::at_most(format!("{name}: CPU at 100,000 issues over 1,000"), ratio, "x", 2.0));
        figures.push(Figure::at_most(format!("{name}: CPU at 100,000 issues"), millis(large), "ms", 8.0));
    }
    Ok(())
}

fn reads(fixture: &Fixture, figures: &mut Vec<Figure>) -> Result<(), CliError> {
    let folder = fixture.large();
    let first = mean(folder, |_| words("issue ready --limit 20 --json"))?;
    figures.push(Figure::at_most("issue ready --limit 20: CPU at 100,000 issues", millis(first), "ms", 8.0));
    let whole = measured(folder, &["issue", "ready", "--json"])?;
    figures.push(Figure::at_most(
        "issue ready, all of them: CPU at 100,000 issues",
        millis(whole.cpu),
        "ms",
        300.0,
    ));
    let beyond = mebibytes(whole.peak.saturating_mul(1024).saturating_sub(whole.printed));
    figures.push(Figure::at_most(
        "issue ready, all of them: memory beyond what it prints",
        beyond,
        "MiB",
        32.0,
    ));
    let chain = measured(fixture.chain(), &["dep", "diagnostics", "--json"])?;
    figures.push(Figure::at_most(
        "dep diagnostics: CPU on a chain of 100,000",
        millis(chain.cpu),
        "ms",
        1000.0,
    ));
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "sizes far below 2^53")]
fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / (1024.0 * 1024.0)
}

fn claims(fixture: &Fixture, figures: &mut Vec<Figure>) -> Result<(), CliError> {
    for (folder, issues) in [(fixture.small(), "1,000"), (fixture.large(), "100,000")] {
        for processes in [2, 32] {
            let rate = system::claims_per_second(folder, processes, 200).ok_or_else(|| {
                CliError::environment(
                    "a claim failed while it was measured",
                    "is the machine out of processes?",
                )
            })?;
            figures.push(Figure::at_least(
                format!("issue claim-next: {processes} processes, {issues} issues"),
                rate,
                "claims/s",
                200.0,
            ));
        }
    }
    Ok(())
}

fn trajectory(fixture: &Fixture, figures: &mut Vec<Figure>) -> Result<(), CliError> {
    let query = ["harness-trajectory", "query", "--mode", "failed", "--limit", "20", "--json"];
    let append = |run: u32| {
        words(&format!(
            "harness-trajectory append --step-id w.bd-1.{run} --action run --result-class accepted --json"
        ))
    };
    let (small, large) = (fixture.small(), fixture.large());
    // The first append to a file that others wrote reads all of it; the promise is about those after it.
    for folder in [small, large] {
        let first = append(0);
        measured(folder, &first.iter().map(String::as_str).collect::<Vec<_>>())?;
    }
    let few = mean(small, append)?;
    let many = mean(large, append)?;
    measured(large, &query)?;
    let warm = measured(large, &query)?;
    figures.push(Figure::at_most(
        "trajectory query, 20 failed of 1,000,000: CPU",
        millis(warm.cpu),
        "ms",
        10.0,
    ));
    let memory = mebibytes(warm.peak.saturating_mul(1024));
    figures.push(Figure::at_most("trajectory query, 20 failed of 1,000,000: memory", memory, "MiB", 32.0));
    let growth = many.as_secs_f64() / few.as_secs_f64();
    figures.push(Figure::at_most("trajectory append: CPU at 1,000,000 rows over 1,000", growth, "x", 1.5));
    Ok(())
}
