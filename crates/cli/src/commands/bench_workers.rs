//! `premath bench workers`: what a step costs that does nothing, and what more workers bring.
//!
//! Workers are processes of this very program, each in a worktree of its own, over one issue memory. The work and the
//! verification are `true`, so what is measured is claiming, verifying, closing and putting on record.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use premath_bd::{Disk, KeyedDisk};
use premath_host::{Host, WorkWishes, Worked, Workspace};
use premath_kernel::Object;
use serde_json::json;

use super::bench_disk::Syncs;
use super::bench_figure::Figure;
use super::dep::number;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, DIM, STRONG};
use crate::system::{self, Scratch};

/// What a step may cost on a processor, the commands it runs left out.
const CPU_LIMIT: f64 = 15.0;

/// So many workers at once, and what came of it.
#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct Rate {
    workers: u32,
    steps: u32,
    steps_per_second: f64,
    /// How much of one processor was used, commands included; 2 is two of them.
    cpu_share: f64,
    cpu_ms_per_step: f64,
}

pub(super) fn run(steps: u32, as_json: bool) -> Result<Exit, CliError> {
    let scratch = Scratch::new().map_err(unprepared)?;
    output::progress("one worker in this process");
    let alone = alone(&scratch, steps)?;
    let mut rates = Vec::new();
    for workers in [1, 2, 4] {
        output::progress(&format!("{workers} workers"));
        rates.push(together(&scratch, workers, steps)?);
    }
    if as_json {
        let holds = alone.iter().all(Figure::holds);
        let document =
            json!({"action": "bench", "target": "workers", "holds": holds, "items": alone, "rates": rates});
        output::json(&document)?;
    } else {
        let mut text: String = alone.iter().map(Figure::line).collect();
        for rate in &rates {
            text.push_str(&format!(
                "{} workers: {STRONG}{:.1} steps/s{STRONG:#}, {:.2} processors, {:.1} ms CPU a step \
                 {DIM}(commands and start included){DIM:#}\n",
                rate.workers, rate.steps_per_second, rate.cpu_share, rate.cpu_ms_per_step
            ));
        }
        output::text(&text)?;
    }
    Ok(Exit::Accepted)
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn unprepared(error: std::io::Error) -> CliError {
    let what = format!("cannot make a folder to measure in: {error}");
    CliError::environment(what, "is there room for temporary files?")
}

fn failed(what: &str) -> CliError {
    CliError::environment(format!("{what} while it was measured"), "does `premath sandbox check` pass?")
}

/// A repository with so many issues.
fn repository(scratch: &Scratch, name: &str, issues: u32) -> Result<PathBuf, CliError> {
    let root = scratch.repository(name).map_err(unprepared)?;
    let rows = root.join("rows.jsonl");
    let row = |number: u32| format!(r#"{{"id":"bd-{number}","title":"Issue {number}","status":"open"}}"#);
    system::write_lines(&rows, (1..=issues).map(row)).map_err(unprepared)?;
    super::in_folder(root.clone(), None, |host| {
        host.call("workspace.init", &Object::fields().finish()).map_err(CliError::action)?;
        let source = rows.to_string_lossy().into_owned();
        let arguments = Object::fields().field("source", source).finish();
        host.call("issue.import", &arguments).map_err(CliError::action)?;
        Ok(Exit::Accepted)
    })?;
    Ok(root)
}

/// One worker in this process, with its syncs counted and its processor time measured.
fn alone(scratch: &Scratch, steps: u32) -> Result<Vec<Figure>, CliError> {
    let root = repository(scratch, "alone", steps + 1)?;
    let mut figures = Vec::new();
    super::in_folder(root.clone(), None, |host| {
        let syncs = Syncs::default();
        let disk: Arc<dyn Disk> = match host.workspace.disk.clone_auth() {
            Some(auth) => Arc::new(KeyedDisk::new(syncs.disk(), Arc::clone(auth))),
            None => syncs.disk(),
        };
        let counted = Workspace { disk, ..host.workspace.clone() };
        let host = Host { workspace: &counted, ..*host };
        // The first step pays for the boot.
        worked(&host, &root, 1)?;
        let (before, cpu) = (syncs.others() + syncs.heads(), system::own_usage());
        worked(&host, &root, steps)?;
        let made = syncs.others() + syncs.heads() - before;
        if let Some(((before, _), (after, _))) = cpu.zip(system::own_usage()) {
            let each = after.saturating_sub(before).as_secs_f64() * 1000.0 / f64::from(steps);
            figures.push(Figure::at_most("a step that does nothing: CPU of its own", each, "ms", CPU_LIMIT));
        }
        let each = f64::from(made) / f64::from(steps);
        figures.push(Figure::at_most("a step that does nothing: syncs", each, "syncs", 40.0));
        Ok(Exit::Accepted)
    })?;
    Ok(figures)
}

fn worked(host: &Host<'_>, root: &Path, steps: u32) -> Result<(), CliError> {
    let arguments = Object::fields()
        .field("workerId", "alone")
        .field("worktree", root.to_string_lossy().into_owned())
        .field("workCmd", "true")
        .field("verifyCmd", "true")
        .field("steps", number(u64::from(steps)))
        .finish();
    let worked = premath_host::work(host, &arguments, &WorkWishes::default(), &mut |_| {});
    match worked.map_err(CliError::action)? {
        Worked::Done(answer) if answer.completed.len() == usize::try_from(steps).unwrap_or(0) => Ok(()),
        Worked::Done(answer) => Err(failed(&format!("a worker ended as {}", answer.outcome))),
        Worked::Refused(refused) => Err(failed(&format!("{}: {}", refused.class, refused.detail))),
    }
}

/// Several workers as processes, each with the same number of steps.
fn together(scratch: &Scratch, workers: u32, steps: u32) -> Result<Rate, CliError> {
    let all = workers * steps;
    let root = repository(scratch, &format!("together-{workers}"), all)?;
    let mut lines = Vec::new();
    for worker in 1..=workers {
        let folder = scratch.folder(&format!("tree-{workers}-{worker}")).map_err(unprepared)?;
        let words = [
            "worker".to_owned(),
            format!("--worker-id=w{worker}"),
            format!("--worktree={}", folder.display()),
            format!("--steps={steps}"),
            "--work-cmd=true".to_owned(),
            "--verify-cmd=true".to_owned(),
            "--json".to_owned(),
        ];
        lines.push(words.to_vec());
    }
    let (wall, cpu): (Duration, Duration) =
        system::run_together(&root, &lines).ok_or_else(|| failed("a worker failed"))?;
    Ok(Rate {
        workers,
        steps: all,
        steps_per_second: f64::from(all) / wall.as_secs_f64(),
        cpu_share: cpu.as_secs_f64() / wall.as_secs_f64(),
        cpu_ms_per_step: cpu.as_secs_f64() * 1000.0 / f64::from(all),
    })
}
