//! Repository tasks, started as `cargo xtask <verb>`. This file declares and dispatches; each verb has its own file.
//! Must not depend on any crate of ours: it judges them from outside, through their commands.

mod ci;
mod instructions;
mod mutants;
mod page;
mod prove;
mod report;
mod seed_coverage;
mod system;
mod tools;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Repository tasks of premath.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Run every check of the repository, in order, up to the first failure
    Ci(ci::Arguments),
    /// Run the long forms of the reliability figures
    Prove(prove::Arguments),
    /// Build the page of the console into crates/console/dist
    Page(page::Arguments),
    /// Mutate the kernel's checks and require every survivor to be explained in docs/mutants.md
    Mutants,
    /// Count the instructions of the join check and compare them with the budget
    Instructions(instructions::Arguments),
    /// Write docs/reference/seed-coverage.md: every clause of the seeds with the tests that show it
    SeedCoverage(seed_coverage::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().verb {
        Verb::Ci(arguments) => ci::run(&arguments),
        Verb::Prove(arguments) => prove::run(&arguments),
        Verb::Page(arguments) => page::run(&arguments),
        Verb::Mutants => mutants::run(),
        Verb::Instructions(arguments) => instructions::run(&arguments),
        Verb::SeedCoverage(arguments) => seed_coverage::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::failure(&error);
            ExitCode::FAILURE
        }
    }
}
