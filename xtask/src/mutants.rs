//! `cargo xtask mutants`: mutation testing of the kernel's checks.
//! Every mutant that survives must be explained in docs/mutants.md, by its name in backticks.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

use crate::report::say;
use crate::system::{Invocation, read_or_empty};
use crate::tools::{self, MUTANTS, NEXTEST};

#[cfg(test)]
mod tests;

const EXPLANATIONS: &str = "docs/mutants.md";

/// Kernel tests and vectors. Compile-fail tests start a compiler each and never see a mutated check.
const TESTS: &str =
    "(package(premath-kernel) - test(/compile_fail/)) + (package(premath-host) & binary(conformance))";

/// Seconds for one test run of one mutant; a mutant that loops is ended and counts as caught.
const TIMEOUT: &str = "120";

/// Runs the mutants and compares the survivors with their explanations.
pub(crate) fn run() -> Result<()> {
    explained().map(drop)
}

/// As [`run`]; returns the score in one line.
pub(crate) fn explained() -> Result<String> {
    tools::ensure(&[&NEXTEST, &MUTANTS])?;
    let invocation = invocation();
    say(&format!("running `{invocation}`"));
    let status = invocation.status()?;
    // 0: all caught, 2: some missed, 3: some timed out. Anything else means there is no result to judge.
    if !matches!(status.code(), Some(0 | 2 | 3)) {
        bail!("`{invocation}` gave no result: {status}");
    }
    let outcome = Outcome::read()?;
    let score = outcome.score();
    say(&score);
    if outcome.caught == 0 {
        bail!("no mutant was caught, so the run proves nothing");
    }
    outcome.compare(&read_or_empty(EXPLANATIONS)?)?;
    Ok(score)
}

/// The second package comes as a cargo argument and not as `--test-package`, which the unmutated baseline ignores: a
/// conformance test that fails for another reason would then catch every mutant.
///
/// Only unit tests and the vectors are built: everything else would be linked anew for each of hundreds of mutants.
///
/// The mutated copy has no test data beside it and builds two mutants at once, hence the two variables less.
fn invocation() -> Invocation {
    Invocation::cargo(&["mutants", "--package", "premath-kernel"])
        .arguments(&["--file", "crates/kernel/src/checks.rs"])
        .arguments(&["--file", "crates/kernel/src/checks/**"])
        .arguments(&["--exclude", "**/tests.rs"])
        .arguments(&["--test-tool", "nextest", "--cargo-arg=--package=premath-host"])
        .arguments(&["--cargo-arg=--lib", "--cargo-arg=--test=conformance"])
        .arguments(&["--timeout", TIMEOUT, "--jobs", "2"])
        .arguments(&["--no-shuffle", "--colors", "never"])
        .arguments(&["--", "--filterset", TESTS])
        .without_variable("CI")
        .without_variable("CARGO_TARGET_DIR")
}

#[derive(Debug, Default)]
struct Outcome {
    caught: usize,
    unviable: usize,
    timed_out: usize,
    missed: Vec<String>,
}

impl Outcome {
    fn read() -> Result<Self> {
        let lines = |name: &str| -> Result<Vec<String>> {
            let text = read_or_empty(&format!("mutants.out/{name}.txt"))?;
            Ok(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect())
        };
        Ok(Self {
            caught: lines("caught")?.len(),
            unviable: lines("unviable")?.len(),
            timed_out: lines("timeout")?.len(),
            missed: lines("missed")?,
        })
    }

    fn score(&self) -> String {
        let Self { caught, unviable, timed_out, missed } = self;
        format!(
            "mutants: {caught} caught, {} missed, {timed_out} timed out, {unviable} unviable",
            missed.len()
        )
    }

    /// Each survivor needs its own mention: two survivors of one name need the name twice.
    fn compare(&self, explanations: &str) -> Result<()> {
        let mut mentions = mentions(explanations);
        let mut unexplained = Vec::new();
        for mutant in &self.missed {
            let name = stable_name(mutant);
            match mentions.get_mut(name.as_str()) {
                Some(count) if *count > 0 => *count -= 1,
                Some(_) | None => unexplained.push(format!("  `{name}`   (at {mutant})")),
            }
        }
        for (name, _) in mentions.iter().filter(|(name, count)| **count > 0 && name.contains(".rs: ")) {
            say(&format!("{EXPLANATIONS} explains `{name}`, which no longer survives: remove it"));
        }
        if !unexplained.is_empty() {
            bail!(
                "{} surviving mutants are not explained in {EXPLANATIONS}\n{}",
                unexplained.len(),
                unexplained.join("\n")
            );
        }
        Ok(())
    }
}

/// The name without line and column, which change with every edit: `path.rs:12:5: text` becomes `path.rs: text`.
fn stable_name(mutant: &str) -> String {
    let Some((place, text)) = mutant.split_once(": ") else {
        return mutant.to_owned();
    };
    let path = place.split(':').next().unwrap_or(place);
    format!("{path}: {text}")
}

/// How often each piece of text stands in backticks.
fn mentions(document: &str) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for line in document.lines() {
        for quoted in line.split('`').skip(1).step_by(2) {
            *counts.entry(quoted).or_default() += 1;
        }
    }
    counts
}
