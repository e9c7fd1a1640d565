//! `premath bench loop`: what the turn loop costs beside a bare loop that does nothing but what it must.
//!
//! The model server runs in this process, over loopback; floor and ours take turns, so that a busy machine slows both. What
//! is compared is the gap that the server sees between an answer and the next request. It must not compare runs that were
//! measured apart.

mod floor;
mod ours;
mod server;
mod sizes;
mod workload;

use std::path::PathBuf;
use std::time::Duration;

use self::floor::{Floor, Syncs};
use self::ours::{Ours, Store};
use self::server::Server;
use self::workload::{Kind, Workload};
use super::bench_figure::Figure;
use super::keyed_disk;
use crate::args::{LoopCaseArgs, LoopKind, LoopStore, LoopWhose};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{self, DIM};
use crate::system::{self, Scratch};

/// How much is measured.
#[derive(Debug, Clone, Copy)]
struct Size {
    /// How often floor and ours take turns.
    rounds: usize,
    /// Turns of a run whose gaps are compared.
    turns: usize,
    /// Turns of a run with many calls in each.
    wide: usize,
    /// Turns of the run whose beginning and end are compared.
    long: usize,
    /// Turns of the run whose memory is looked at.
    longest: usize,
    /// Turns of each of many runs at once.
    each: usize,
}

impl Size {
    const WHOLE: Self = Self { rounds: 10, turns: 100, wide: 20, long: 500, longest: 1_000, each: 50 };
    const QUICK: Self = Self { rounds: 3, turns: 40, wide: 8, long: 150, longest: 300, each: 20 };

    const fn read(self) -> Workload {
        Workload::new(Kind::Read, self.turns, 1)
    }

    const fn effect(self) -> Workload {
        Workload::new(Kind::Effect, self.turns, 1)
    }

    const fn wide(self) -> Workload {
        Workload::new(Kind::Read, self.wide, 64)
    }

    const fn long(self) -> Workload {
        Workload::new(Kind::Read, self.long, 1)
    }

    const fn longest(self) -> Workload {
        Workload::new(Kind::Read, self.longest, 1)
    }

    const fn each(self) -> Workload {
        Workload::new(Kind::Read, self.each, 1)
    }

    /// Effects of several calls, for so many turns.
    const fn grouped(self, turns: usize) -> Workload {
        Workload::new(Kind::Effect, turns, 8)
    }
}

/// What everything is measured with.
struct Bench {
    size: Size,
    server: Server,
    scratch: Scratch,
}

pub(crate) fn run(is_quick: bool, as_json: bool) -> Result<Exit, CliError> {
    let size = if is_quick { Size::QUICK } else { Size::WHOLE };
    let workloads = [
        size.read(),
        size.effect(),
        size.wide(),
        size.long(),
        size.longest(),
        size.each(),
        size.grouped(size.turns),
        size.grouped(size.turns / 2),
    ];
    let scratch = Scratch::new().map_err(no_room)?;
    let bench = Bench { size, server: Server::start(&workloads)?, scratch };
    let mut figures = bench.gaps()?;
    output::progress("syncs, bytes and growth");
    figures.push(sizes::syncs(&bench)?);
    figures.push(bench.growth()?);
    figures.extend(sizes::stored(&bench)?);
    output::progress("processor time and memory");
    figures.extend(sizes::used(&bench)?);
    output::progress("commands in the sandbox");
    figures.push(sizes::sandboxed(&bench)?);
    output::progress("32 runs at once");
    figures.push(bench.at_once()?);
    let holds = figures.iter().all(Figure::holds);
    if as_json {
        output::json(
            &serde_json::json!({ "action": "bench", "target": "loop", "holds": holds, "items": figures }),
        )?;
    } else {
        let sizes = format!(
            "{DIM}{} turns; streamed answers of 200 bytes and one call with 100 bytes of arguments; results of 1 KB; gap: from \
             the last byte of an answer to the head of the next request, median{DIM:#}\n",
            size.turns
        );
        output::text(&(sizes + &figures.iter().map(Figure::line).collect::<String>()))?;
    }
    Ok(if holds { Exit::Accepted } else { Exit::Rejected })
}

/// One run of one loop and nothing else, for a counter or a profiler around this process.
pub(crate) fn case(args: &LoopCaseArgs) -> Result<Exit, CliError> {
    let kind = match args.kind {
        LoopKind::Read => Kind::Read,
        LoopKind::Effect => Kind::Effect,
    };
    let workload = Workload::new(kind, args.turns, args.calls);
    let own = match &args.url {
        Some(_) => None,
        None => Some(Server::start(&[workload])?),
    };
    let url = args.url.as_deref().or_else(|| own.as_ref().map(Server::url)).unwrap_or_default();
    let scratch = Scratch::new().map_err(no_room)?;
    let is_durable = args.store == LoopStore::File;
    let root =
        if is_durable { scratch.repository("case") } else { scratch.folder("case") }.map_err(no_room)?;
    let store = if is_durable { Store::File(keyed_disk(Vec::new())) } else { Store::Memory };
    let ours = Ours::new(url, &root, store)?;
    match args.whose {
        LoopWhose::Ours => ours.run("case", workload).map(drop)?,
        LoopWhose::Floor => {
            let syncs = match (args.store, kind) {
                (LoopStore::Memory, _) => Syncs::None,
                (LoopStore::File, Kind::Read) => Syncs::One,
                (LoopStore::File, Kind::Effect) => Syncs::Two,
            };
            let file = root.join("floor.jsonl");
            Floor::new(url, workload, &ours.specs(), &ours.system())?.run(Some(&file), syncs).map(drop)?;
        }
    }
    Ok(Exit::Accepted)
}

impl Bench {
    fn ours(&self, name: &str, store: Store) -> Result<Ours, CliError> {
        let folder = match &store {
            Store::Memory => self.scratch.folder(name),
            Store::File(_) => self.scratch.repository(name),
        };
        Ours::new(self.server.url(), &folder.map_err(no_room)?, store)
    }

    fn floor(&self, ours: &Ours, workload: Workload) -> Result<Floor, CliError> {
        Floor::new(self.server.url(), workload, &ours.specs(), &ours.system())
    }

    fn file(&self, name: &str) -> Result<PathBuf, CliError> {
        Ok(self.scratch.folder("floor").map_err(no_room)?.join(name))
    }

    fn gaps(&self) -> Result<Vec<Figure>, CliError> {
        let disk = || Store::File(keyed_disk(Vec::new()));
        let size = self.size;
        output::progress("gaps in memory");
        let memory = self.gap("in memory", size.read(), (Store::Memory, Syncs::None), 2.5)?;
        output::progress("gaps with one sync");
        let one = self.gap("durable, one sync", size.read(), (disk(), Syncs::One), 1.6)?;
        output::progress("gaps with two syncs");
        let two = self.gap("intent and result synced", size.effect(), (disk(), Syncs::Two), 1.5)?;
        output::progress("gaps with 64 calls");
        let wide = self.gap("64 calls in one answer, one sync", size.wide(), (disk(), Syncs::One), 2.0)?;
        Ok(vec![memory, one, two, wide])
    }

    /// The median gap of ours over that of the floor, measured by turns.
    fn gap(
        &self,
        name: &str,
        workload: Workload,
        (store, syncs): (Store, Syncs),
        limit: f64,
    ) -> Result<Figure, CliError> {
        let ours = self.ours(&name.replace([' ', ','], "-"), store)?;
        let floor = self.floor(&ours, workload)?;
        let file = self.file(&workload.model())?;
        let (mut gaps, mut least) = (Vec::new(), Vec::new());
        for round in 0..self.size.rounds {
            let (_, seen) = self.server.watched(|| floor.run(Some(&file), syncs))?;
            least.extend(seen);
            let (_, seen) = self.server.watched(|| ours.run(&format!("run-{round}"), workload))?;
            gaps.extend(seen);
        }
        let (ours, floor) = (median(&mut gaps), median(&mut least));
        let figure = Figure::at_most(format!("gap, {name}: ours over the floor"), ours / floor, "x", limit);
        Ok(figure.from(format!("{:.3} ms over {:.3} ms", ours * 1e3, floor * 1e3)))
    }

    /// The last tenth of a long run over the first. In memory: how long a disk takes depends on who else uses it, and would
    /// hide what grows.
    fn growth(&self) -> Result<Figure, CliError> {
        let ours = self.ours("growth", Store::Memory)?;
        let (mut first, mut last) = (Vec::new(), Vec::new());
        for round in 0..self.size.rounds.div_ceil(3) {
            let (_, seen) = self.server.watched(|| ours.run(&format!("long-{round}"), self.size.long()))?;
            let tenth = seen.len() / 10;
            first.extend(seen.iter().take(tenth));
            last.extend(seen.iter().rev().take(tenth));
        }
        let (first, last) = (median(&mut first), median(&mut last));
        let name = format!("gap, in memory: last tenth of {} turns over the first", self.size.long);
        let figure = Figure::at_most(name, last / first, "x", 2.0);
        Ok(figure.from(format!("{:.3} ms over {:.3} ms", last * 1e3, first * 1e3)))
    }

    /// Turns per second of 32 durable runs at once, over those of 32 floors.
    fn at_once(&self) -> Result<Figure, CliError> {
        const RUNS: usize = 32;
        let workload = self.size.each();
        let ours = self.ours("many", Store::File(keyed_disk(Vec::new())))?;
        let (specs, system) = (ours.specs(), ours.system());
        let (mut fastest, mut least) = (Duration::MAX, Duration::MAX);
        for round in 0..3 {
            let (done, took) = system::timed(|| {
                all(RUNS, |run| {
                    let floor = Floor::new(self.server.url(), workload, &specs, &system)?;
                    floor.run(Some(&self.file(&format!("many-{run}"))?), Syncs::One).map(drop)
                })
            });
            done?;
            least = least.min(took);
            let (done, took) = system::timed(|| {
                all(RUNS, |run| ours.run(&format!("run-{round}-{run}"), workload).map(drop))
            });
            done?;
            fastest = fastest.min(took);
        }
        let ratio = least.as_secs_f64() / fastest.as_secs_f64();
        Ok(Figure::at_least("turns per second of 32 runs at once over 32 floors", ratio, "x", 0.5))
    }
}

/// Does something so often at the same time.
fn all(count: usize, work: impl Fn(usize) -> Result<(), CliError> + Sync) -> Result<(), CliError> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|number| scope.spawn(move || work(number))).collect();
        for thread in threads {
            let broke = || CliError::environment("a measured run broke off", "this is a defect of premath");
            thread.join().map_err(|_| broke())??;
        }
        Ok(())
    })
}

/// The median, in seconds.
fn median(gaps: &mut [Duration]) -> f64 {
    gaps.sort_unstable();
    gaps.get(gaps.len() / 2).map_or(f64::NAN, Duration::as_secs_f64)
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn no_room(error: std::io::Error) -> CliError {
    let what = format!("cannot make a folder to measure in: {error}");
    CliError::environment(what, "is there room for temporary files?")
}
