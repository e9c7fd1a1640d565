//! `cargo xtask prove`: the long forms of the reliability figures, and the check that their CI slices exist.
//! Which figure runs what is in the registry; this file only picks, runs and reports.

mod registry;

#[cfg(test)]
mod tests;

use anyhow::{Context as _, Result, bail};

use crate::report::{Board, say};
use crate::system::{self, Invocation};
use crate::{ci, mutants, tools};
use registry::{Budget, ENTRIES, Entry, Slice, Work};

/// Arguments of `prove`.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Run only this figure, for example R12; may be given more than once
    #[arg(long, value_name = "ID")]
    only: Vec<String>,
    /// Minutes for the figures that run for a time, split evenly between their targets
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    minutes: u32,
}

/// Runs the chosen figures, all of them even if one fails, and prints the closing table.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let chosen = choose(&arguments.only)?;
    let budget = Budget { minutes: arguments.minutes };
    let mut board = Board::default();
    let mut failed = Vec::new();
    for entry in chosen {
        let outcome = board.step(&format!("{:3} {}", entry.id, entry.property), || long_form(entry, &budget));
        if let Err(error) = outcome {
            say(&format!("{} failed: {error:#}", entry.id));
            failed.push(entry.id);
        }
    }
    board.close();
    if !failed.is_empty() {
        bail!("not proved: {}", failed.join(", "));
    }
    Ok(())
}

/// The CI step: every figure's slice is still among the tests that CI runs.
pub(crate) fn slice() -> Result<String> {
    let mut notes = Vec::new();
    for entry in ENTRIES {
        match entry.slice {
            Slice::Tests { package, filter } => {
                // The whole workspace, as the test step built it: one package alone would be built anew.
                let tests = format!("package({package}) & ({filter})");
                let listed =
                    Invocation::cargo(&["nextest", "list", "--locked", "--message-format", "oneline"])
                        .arguments(&["--workspace", "--filterset", &tests])
                        .stdout()
                        .with_context(|| format!("cannot list the slice of {}", entry.id))?;
                let count = listed.lines().filter(|line| !line.trim().is_empty()).count();
                if count == 0 {
                    bail!("the slice of {} has no tests: package {package}, filter `{filter}`", entry.id);
                }
                notes.push(format!("{}: {count} tests", entry.id));
            }
            Slice::CiStep(name) => notes.push(format!("{}: step {name}", entry.id)),
        }
    }
    Ok(notes.join(", "))
}

fn choose(only: &[String]) -> Result<Vec<&'static Entry>> {
    if only.is_empty() {
        return Ok(ENTRIES.iter().collect());
    }
    only.iter()
        .map(|id| {
            ENTRIES.iter().find(|entry| entry.id.eq_ignore_ascii_case(id)).with_context(|| {
                let known: Vec<&str> = ENTRIES.iter().map(|entry| entry.id).collect();
                format!("unknown figure `{id}`; known are {}", known.join(", "))
            })
        })
        .collect()
}

fn long_form(entry: &Entry, budget: &Budget) -> Result<String> {
    let mut notes = Vec::new();
    for work in (entry.long_form)(budget) {
        match work {
            Work::Need(tool) => tools::ensure(&[tool])?,
            Work::Folder(path) => system::create_folder(&path)?,
            Work::Run(invocation) => announced(&invocation)?,
            Work::Report { tool, invocation } => match tools::ensure(&[tool]) {
                Ok(()) => announced(&invocation)?,
                Err(error) => notes.push(format!("not reported: {error:#}").replace('\n', " ")),
            },
            Work::Clients => notes.extend(Some(ci::client_packages()?).filter(|note| !note.is_empty())),
            Work::Mutants => notes.push(mutants::explained()?),
        }
    }
    Ok(notes.join("; "))
}

fn announced(invocation: &Invocation) -> Result<()> {
    say(&format!("running `{invocation}`"));
    invocation.run()
}
