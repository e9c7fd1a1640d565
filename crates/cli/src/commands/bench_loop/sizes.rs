//! Figures that are counted and not timed against the floor: syncs, bytes, processor time, memory, and what the sandbox adds
//! to a command.

use std::sync::Arc;

use premath_host::AgentDoor as _;
use premath_tusk::JsonText;
use premath_tusk::tools::ToolContext;

use super::floor::Syncs as FloorSyncs;
use super::ours::Store;
use super::workload::Workload;
use super::{Bench, no_room};
use crate::agent::Agent;
use crate::commands::bench_disk::Syncs;
use crate::commands::bench_figure::Figure;
use crate::commands::keyed_disk;
use crate::error::CliError;
use crate::models::Models;
use crate::outside;
use crate::settings::Loaded;
use crate::system;

/// How often the same command is run.
const COMMANDS: u32 = 40;

/// Syncs a turn of several calls with effects: what a longer run makes more than a shorter one.
pub(super) fn syncs(bench: &Bench) -> Result<Figure, CliError> {
    let count = |turns: usize| {
        let syncs = Syncs::default();
        let ours = bench.ours("syncs", Store::File(syncs.disk()))?;
        ours.run(&format!("run-{turns}"), bench.size.grouped(turns))?;
        Ok::<_, CliError>((syncs.others(), syncs.heads()))
    };
    let turns = bench.size.turns;
    let (more, fewer) = (count(turns)?, count(turns / 2)?);
    let per_turn = |more: u32, fewer: u32| f64::from(more.saturating_sub(fewer)) / real(turns - turns / 2);
    let figure =
        Figure::at_most("syncs a turn of 8 calls with effects", per_turn(more.0, fewer.0), "syncs", 2.0);
    Ok(figure.from(format!("and {:.2} of the journal's head, one every 256 rows", per_turn(more.1, fewer.1))))
}

/// What is stored over what was said, and whether that stays so.
pub(super) fn stored(bench: &Bench) -> Result<Vec<Figure>, CliError> {
    let ours = bench.ours("bytes", Store::File(keyed_disk(Vec::new())))?;
    let measure = |workload: Workload| {
        let said = bench.floor(&ours, workload)?.run(None, FloorSyncs::None)?;
        let kept = ours.run(&workload.model(), workload)?;
        Ok::<_, CliError>((real(usize::try_from(kept).unwrap_or(usize::MAX)), real(said)))
    };
    let (few, many) = (measure(bench.size.read())?, measure(bench.size.long())?);
    let name = format!("stored bytes over the transcript, {} turns", bench.size.long);
    let whole = Figure::at_most(name, many.0 / many.1, "x", 3.0).from(format!(
        "{:.0} KB over {:.0} KB",
        many.0 / 1024.0,
        many.1 / 1024.0
    ));
    let per_turn = |(kept, _): (f64, f64), turns: usize| kept / real(turns);
    let growth = per_turn(many, bench.size.long) / per_turn(few, bench.size.turns);
    let name = format!("stored bytes a turn: {} turns over {}", bench.size.long, bench.size.turns);
    Ok(vec![whole, Figure::at_most(name, growth, "x", 1.1)])
}

/// Processor time of a durable turn and the most memory of a long run, of a process that does nothing else.
pub(super) fn used(bench: &Bench) -> Result<Vec<Figure>, CliError> {
    let folder = bench.scratch.folder("used").map_err(no_room)?;
    let measure = |whose: &str, turns: usize| {
        let turns = turns.to_string();
        let case = ["bench", "loop-case", "--store", "file", "--url", bench.server.url()];
        let args = [case.as_slice(), &["--whose", whose, "--turns", turns.as_str()]].concat();
        system::measured_run(&folder, &args).ok_or_else(|| {
            CliError::environment("a run could not be measured", "it needs /proc, as on Linux")
        })
    };
    let (long, longest) = (bench.size.long, bench.size.longest);
    let per_turn = |whose| Ok::<_, CliError>(measure(whose, long)?.cpu.as_secs_f64() * 1e3 / real(long));
    let (floor, ours) = (per_turn("floor")?, per_turn("ours")?);
    let peak = real(usize::try_from(measure("ours", longest)?.peak).unwrap_or(usize::MAX)) / 1024.0;
    let cpu = Figure::at_most(format!("processor time of a durable turn, {long} turns"), ours, "ms", 0.5);
    Ok(vec![
        cpu.from(format!("the floor takes {floor:.2} ms here")),
        Figure::at_most(format!("peak memory at {longest} turns"), peak, "MiB", 32.0),
    ])
}

/// What the shell tool and its sandbox add to a process.
pub(super) fn sandboxed(bench: &Bench) -> Result<Figure, CliError> {
    let root = bench.scratch.repository("sandbox").map_err(no_room)?;
    let ours = bench.ours("sandbox", Store::Memory)?;
    let loaded = Loaded::default();
    let models = Models::new(&super::super::nowhere(), loaded.models, None);
    let sandbox = Arc::new(outside::sandbox(loaded.sandbox, None));
    let agent = Agent::new(&models, sandbox, &root, loaded.guardrails);
    let toolbox = ours.toolbox(&agent)?;
    let arguments = JsonText::new(r#"{"command":"true","workdir":"."}"#)
        .map_err(|error| CliError::environment(error, "this is a defect of premath"))?;
    let refused = |failure: premath_tusk::tools::ToolFailure| {
        CliError::environment(failure.message, "`premath sandbox check` says what is missing here")
    };
    let (tool, arguments) = toolbox.catalogue.resolve("shell", &arguments).map_err(refused)?;
    let context = ToolContext {
        reader: premath_tusk::tools::Reader::Model,
        consent: premath_tusk::tools::Consent::None,
        readable_state: &[],
        files: toolbox.files.as_ref(),
        sandbox: toolbox.sandbox.as_ref(),
        interrupt: &agent.interrupt(),
        workdir: &toolbox.workdir,
        profile: toolbox.profile,
        limits: toolbox.limits,
        protected: &toolbox.protected,
        catalogue: &toolbox.catalogue,
        payloads: toolbox.payloads.as_ref(),
        budget: toolbox.budget,
        capture: toolbox.capture,
    };
    let (mut within, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..COMMANDS {
        let (ran, took) = system::timed(|| system::plain_shell("true"));
        ran.map_err(no_room)?;
        bare.push(took);
        let (ran, took) = system::timed(|| tool.call(&arguments, &context));
        ran.map_err(refused)?;
        within.push(took);
    }
    let (within, bare) = (super::median(&mut within) * 1e3, super::median(&mut bare) * 1e3);
    let figure = Figure::at_most(
        "a sandboxed `true` through the shell tool, beyond `sh -c true`",
        within - bare,
        "ms",
        3.0,
    );
    Ok(figure.from(format!("{within:.2} ms less {bare:.2} ms")))
}

#[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
fn real(count: usize) -> f64 {
    count as f64
}
