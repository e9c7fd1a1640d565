//! `cargo xtask instructions`: what the join check costs, as ratios of instruction counts taken side by side.
//! Instruction counts, because times are noise on shared machines; times are reported and judged only on request.

mod callgrind;
mod startup;

#[cfg(test)]
mod tests;

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::report::say;
use crate::system::{self, Invocation};
use crate::tools::{self, VALGRIND};

/// Arguments of `instructions`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Fail when an instruction ratio is over its limit
    #[arg(long)]
    pub(crate) check: bool,
    /// Compare 20,000 calls with 1,000 instead of 100,000
    #[arg(long)]
    pub(crate) quick: bool,
    /// Fail when the wall time ratio is over its limit; needs a quiet machine
    #[arg(long)]
    pub(crate) check_time: bool,
}

const SMALL: u32 = 1_000;
const MIDDLE: u32 = 10_000;
const LARGE: u32 = 100_000;
const LARGE_QUICK: u32 = 20_000;

/// Parsing once and hashing once is the floor nobody goes below; all checks together may cost this many floors.
const LIMIT_OVER_BASELINE: f64 = 3.0;
/// Cost per call in a large turn over cost per call in a small one: the check is linear.
const LIMIT_GROWTH: f64 = 1.2;

/// What `premath bench kernel-case` does with the turn it generated.
#[derive(Debug, Clone, Copy)]
enum Case {
    Generate,
    Baseline,
    JoinCheck,
}

impl Case {
    fn word(self) -> &'static str {
        match self {
            Self::Generate => "generate",
            Self::Baseline => "baseline",
            Self::JoinCheck => "join-check",
        }
    }
}

/// A measured ratio and the most it may be.
#[derive(Debug)]
struct Ratio {
    name: String,
    value: f64,
    limit: f64,
}

impl Ratio {
    fn within(&self) -> bool {
        self.value <= self.limit
    }

    fn line(&self) -> String {
        let verdict = if self.within() { "ok" } else { "OVER THE LIMIT" };
        format!("{}: {:.3} (limit {}) {verdict}", self.name, self.value, self.limit)
    }
}

/// Builds `premath`, measures, prints, and judges what the arguments ask to be judged.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    tools::ensure(&[&VALGRIND])?;
    Invocation::cargo(&["build", "--release", "--locked", "--package", "premath-cli"]).run()?;
    let premath = system::target_directory()?.join("release/premath");

    let large = if arguments.quick { LARGE_QUICK } else { LARGE };
    let counts = Counts::measure(&premath, large)?;
    let instructions = counts.ratios()?;
    let time = startup::ratio(&premath)?;
    for ratio in instructions.iter().chain([&time]) {
        say(&ratio.line());
    }

    let judged =
        instructions.iter().filter(|_| arguments.check).chain(Some(&time).filter(|_| arguments.check_time));
    let over: Vec<String> = judged.filter(|ratio| !ratio.within()).map(Ratio::line).collect();
    if !over.is_empty() {
        bail!("{}", over.join("; "));
    }
    Ok(())
}

/// Instructions of the work alone: generation is subtracted.
#[derive(Debug)]
struct Counts {
    large_calls: u32,
    baseline_middle: u64,
    check_small: u64,
    check_middle: u64,
    check_large: u64,
}

impl Counts {
    fn measure(premath: &Path, large_calls: u32) -> Result<Self> {
        let small = count(premath, Case::Generate, SMALL)?;
        let middle = count(premath, Case::Generate, MIDDLE)?;
        let large = count(premath, Case::Generate, large_calls)?;
        Ok(Self {
            large_calls,
            baseline_middle: work(count(premath, Case::Baseline, MIDDLE)?, middle)?,
            check_small: work(count(premath, Case::JoinCheck, SMALL)?, small)?,
            check_middle: work(count(premath, Case::JoinCheck, MIDDLE)?, middle)?,
            check_large: work(count(premath, Case::JoinCheck, large_calls)?, large)?,
        })
    }

    fn ratios(&self) -> Result<[Ratio; 2]> {
        if self.baseline_middle == 0 || self.check_small == 0 {
            bail!("nothing was measured: a case costs no more than generating its turn");
        }
        let over_baseline = self.check_middle as f64 / self.baseline_middle as f64;
        let per_call_small = self.check_small as f64 / f64::from(SMALL);
        let per_call_large = self.check_large as f64 / f64::from(self.large_calls);
        Ok([
            Ratio {
                name: format!("join-check over baseline at {MIDDLE} calls"),
                value: over_baseline,
                limit: LIMIT_OVER_BASELINE,
            },
            Ratio {
                name: format!("join-check per call, {} calls over {SMALL}", self.large_calls),
                value: per_call_large / per_call_small,
                limit: LIMIT_GROWTH,
            },
        ])
    }
}

fn count(premath: &Path, case: Case, calls: u32) -> Result<u64> {
    let calls = calls.to_string();
    let count = callgrind::instructions(premath, &["bench", "kernel-case", case.word(), "--calls", &calls])?;
    say(&format!("{:10} {calls:>7} calls {count:>15} instructions", case.word()));
    Ok(count)
}

fn work(total: u64, generation: u64) -> Result<u64> {
    total
        .checked_sub(generation)
        .context("a case costs less than generating its turn: the cases do not compare")
}
