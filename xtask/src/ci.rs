//! `cargo xtask ci`: the one test command. Runs every check in order and stops at the first failure.
//! Must not hold a check that only CI can run: a person runs the same command at the desk.

use anyhow::{Context as _, Result, bail};
use clap::Args;

use crate::report::{Board, say};
use crate::system::{Invocation, is_ci, root};
use crate::tools::{
    self, CHROMIUM, CLIPPY, DENY, FAKETIME, NEXTEST, NODE, NPM, PYTHON, RUSTFMT, STRACE, VALGRIND,
};
use crate::{instructions, page, prove, seed_coverage};

#[cfg(test)]
mod tests;

/// One check: its name and its work, which returns a note for the closing table.
struct Step {
    name: &'static str,
    work: fn() -> Result<String>,
}

/// Runs `premath` as it is shipped. The package is named as the instruction budget names it: the features of the whole
/// workspace would be another build of everything.
const OPTIMISED: [&str; 6] = ["run", "--release", "--locked", "--package", "premath-cli", "--"];

/// The step that guards R25 in CI; `prove` refers to it by this name.
pub(crate) const SUPPLY_CHAIN: &str = "supply chain";

const STEPS: &[Step] = &[
    Step { name: "tools", work: tools_step },
    Step { name: "client packages", work: client_packages },
    Step { name: "fmt", work: fmt },
    Step { name: "clippy", work: clippy },
    Step { name: "tests", work: tests_step },
    Step { name: "page", work: page::check },
    Step { name: "page in a browser", work: page::specs },
    Step { name: "doc tests", work: doc_tests },
    Step { name: "docs", work: docs },
    Step { name: "conformance vectors", work: conformance },
    Step { name: "coherence", work: coherence },
    Step { name: "panics in release", work: panics_in_release },
    Step { name: "seed coverage", work: seed_coverage::check },
    Step { name: SUPPLY_CHAIN, work: supply_chain },
    Step { name: "instruction budget", work: instruction_budget },
    Step { name: "prove slice", work: prove::slice },
];

/// Arguments of `ci`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The first step to run, by its name in the closing table; a repaired step need not wait for those before it
    #[arg(long, value_name = "STEP")]
    from: Option<String>,
}

/// Runs all steps up to the first failure and prints the closing table.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let first = match &arguments.from {
        None => 0,
        Some(name) => STEPS
            .iter()
            .position(|step| step.name == name)
            .with_context(|| format!("no step is named `{name}`: the closing table has the names"))?,
    };
    let mut board = Board::default();
    let mut failure = None;
    for step in STEPS.iter().skip(first) {
        match &failure {
            Some(_) => board.not_run(step.name),
            None => failure = board.step(step.name, step.work).err().map(|error| (step.name, error)),
        }
    }
    board.close();
    match failure {
        Some((name, error)) => Err(error.context(format!("step `{name}` failed"))),
        None => Ok(()),
    }
}

fn tools_step() -> Result<String> {
    tools::ensure(&[
        &RUSTFMT, &CLIPPY, &NEXTEST, &DENY, &VALGRIND, &STRACE, &FAKETIME, &NODE, &NPM, &PYTHON, &CHROMIUM,
    ])?;
    Ok(String::new())
}

/// Packages of npm that tests start, each with its lock file.
const NPM_PACKAGES: [&str; 5] = [
    "crates/cli/tests/sdk",
    "crates/cli/tests/mcp/suite",
    "crates/cli/tests/mcp/inspector",
    "crates/cli/tests/mcp/agents",
    "examples/use-chat",
];
/// The official Python client of MCP: what it stands on has digests.
const PYTHON_CLIENT: &str = "crates/cli/tests/mcp/python";

/// The official clients that the model server and the MCP server are tested with, agents that are not ours, and the suite for
/// the MCP server, as their lock files have them.
pub(crate) fn client_packages() -> Result<String> {
    for folder in NPM_PACKAGES {
        Invocation::new("npm")
            .arguments(&["ci", "--prefix", folder])
            .arguments(&["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
            .run()?;
    }
    page::install()?;
    let folder = format!("{PYTHON_CLIENT}/venv");
    Invocation::new("python3").arguments(&["-m", "venv", &folder]).run()?;
    Invocation::new(root().join(&folder).join("bin/python"))
        .arguments(&["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"])
        .arguments(&["--requirement", &format!("{PYTHON_CLIENT}/requirements.txt")])
        .run()?;
    Ok(String::new())
}

fn fmt() -> Result<String> {
    Invocation::cargo(&["fmt", "--all", "--check"]).run()?;
    Ok(String::new())
}

fn clippy() -> Result<String> {
    Invocation::cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
        .run()?;
    Ok(String::new())
}

/// The profile follows `CI`; the tests themselves read it too and fail on missing test data when it is `true`.
fn tests_step() -> Result<String> {
    let profile = if is_ci() { "ci" } else { "default" };
    Invocation::cargo(&["nextest", "run", "--workspace", "--locked", "--profile", profile]).run()?;
    Ok(format!("profile {profile}"))
}

fn doc_tests() -> Result<String> {
    Invocation::cargo(&["test", "--doc", "--workspace", "--locked", "--quiet"]).run()?;
    Ok(String::new())
}

fn docs() -> Result<String> {
    Invocation::cargo(&["doc", "--workspace", "--no-deps", "--locked"])
        .with_variable("RUSTDOCFLAGS", "-D warnings")
        .run()?;
    Ok(String::new())
}

/// Tests always unwind, so that only a program shows what the release profile does.
fn panics_in_release() -> Result<String> {
    let example = ["run", "--release", "--locked", "--package", "premath-tusk", "--example", "broken_tool"];
    Invocation::cargo(&example).run()?;
    Ok(String::new())
}

fn conformance() -> Result<String> {
    let output = Invocation::cargo(&OPTIMISED).arguments(&["conformance-run"]).stdout()?;
    match vectors_passed(&output) {
        Ok(count) => Ok(format!("{count} vectors")),
        Err(error) => {
            say(&output);
            Err(error)
        }
    }
}

/// Classes, pages, vectors, actions, schemas, policies and the commands that the documentation shows belong together.
fn coherence() -> Result<String> {
    Invocation::cargo(&OPTIMISED).arguments(&["coherence-check"]).run()?;
    Ok(String::new())
}

/// Reads the last line, which must be `N passed, 0 failed` with N above 0.
fn vectors_passed(output: &str) -> Result<u64> {
    let last = output.trim_end().lines().last().unwrap_or_default();
    let passed = last.strip_suffix(" passed, 0 failed").and_then(|count| count.parse::<u64>().ok());
    match passed {
        Some(count) if count > 0 => Ok(count),
        Some(_) | None => bail!("conformance-run must end with `N passed, 0 failed`, it ended with `{last}`"),
    }
}

fn supply_chain() -> Result<String> {
    Invocation::cargo(&["deny", "--locked", "check", "bans", "licenses", "sources"]).run()?;
    let tree = Invocation::cargo(&["tree", "--workspace", "--locked", "--target", "all"])
        .arguments(&["--edges", "features", "--invert", "serde_json"])
        .stdout()?;
    refuse_arbitrary_precision(&tree)?;
    refuse_changed_lock_file()?;
    Ok(String::new())
}

/// The feature turns numbers into maps behind our back: digests and tagged types break (docs/adr/0001).
fn refuse_arbitrary_precision(tree: &str) -> Result<()> {
    if !tree.contains("serde_json") {
        bail!("`cargo tree` says nothing about serde_json, so the feature check proves nothing");
    }
    match tree.lines().find(|line| line.contains("arbitrary_precision")) {
        Some(line) => bail!("serde_json/arbitrary_precision is enabled: `{}`", line.trim()),
        None => Ok(()),
    }
}

fn refuse_changed_lock_file() -> Result<()> {
    let tracked = Invocation::new("git").arguments(&["ls-files", "--error-unmatch", "Cargo.lock"]).capture();
    if tracked.is_ok_and(|captured| captured.status.success()) {
        Invocation::new("git").arguments(&["diff", "--exit-code", "--", "Cargo.lock"]).run()
    } else {
        say("Cargo.lock is not tracked by git: not compared");
        Ok(())
    }
}

fn instruction_budget() -> Result<String> {
    instructions::run(&instructions::Arguments { check: true, quick: false, check_time: false })?;
    Ok(String::new())
}

/// Whether a step of this name exists; keeps `prove` from leaning on a step that is gone.
#[cfg(test)]
pub(crate) fn has_step(name: &str) -> bool {
    STEPS.iter().any(|step| step.name == name)
}
