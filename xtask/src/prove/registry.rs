//! The reliability figures that can be proved: for each its property, its CI slice and its long form.
//! Data only. A new figure is a new entry here; ids are those of the figure table and never change meaning.

use crate::ci;
use crate::system::{self, Invocation};
use crate::tools::{COVERAGE, DENY, FUZZ, NEXTEST, Tool};

/// One reliability figure.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) id: &'static str,
    pub(super) property: &'static str,
    pub(super) slice: Slice,
    pub(super) long_form: fn(&Budget) -> Vec<Work>,
}

/// Where CI runs the short form.
#[derive(Debug, Clone, Copy)]
pub(super) enum Slice {
    /// Tests that this filter must find among those of the package.
    Tests { package: &'static str, filter: &'static str },
    /// A step of `cargo xtask ci`.
    CiStep(&'static str),
}

/// What the person grants the run.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) minutes: u32,
}

/// One part of a long form.
#[derive(Debug)]
pub(super) enum Work {
    /// The tool must be there or be installed.
    Need(&'static Tool),
    /// A folder that git ignores must exist.
    Folder(String),
    /// The command must succeed.
    Run(Invocation),
    /// A figure worth printing; without its tool the closing table says that it is missing.
    Report { tool: &'static Tool, invocation: Invocation },
    /// `cargo xtask mutants`.
    Mutants,
}

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "R11",
        property: "malformed input is answered",
        slice: Slice::Tests { package: "premath-cli", filter: MALFORMED_INPUT },
        long_form: malformed_input,
    },
    Entry {
        id: "R12",
        property: "decoders survive fuzzing",
        slice: Slice::Tests { package: "premath-wire", filter: "binary(fuzz_corpus)" },
        long_form: fuzzing,
    },
    Entry {
        id: "R14",
        property: "canonical JSON is exact",
        slice: Slice::Tests { package: "premath-wire", filter: CANONICAL_JSON },
        long_form: canonical_json,
    },
    Entry {
        id: "R16",
        property: "the gate needs every field",
        slice: Slice::Tests { package: "premath-host", filter: GATE_REMOVAL },
        long_form: gate_removal,
    },
    Entry {
        id: "R25",
        property: "supply chain, coverage, mutants",
        slice: Slice::CiStep(ci::SUPPLY_CHAIN),
        long_form: supply_chain,
    },
];

const MALFORMED_INPUT: &str = "binary(malformed_input)";
const CANONICAL_JSON: &str = "binary(canonical_rfc8785) + binary(json_suite)";
const GATE_REMOVAL: &str = "binary(gate_removal)";
const FUZZ_TARGETS: &[&str] = &["strict_decode", "join_check"];

/// New inputs go to a folder that git ignores; the committed corpus is only read.
fn fuzzing(budget: &Budget) -> Vec<Work> {
    let targets = u32::try_from(FUZZ_TARGETS.len()).unwrap_or(u32::MAX);
    let seconds = budget.minutes.saturating_mul(60) / targets;
    let mut works = vec![Work::Need(&FUZZ)];
    for target in FUZZ_TARGETS {
        let found = format!("fuzz/target/corpus/{target}");
        let committed = format!("fuzz/corpus/{target}");
        let mut invocation = Invocation::cargo(&["fuzz", "run", "--fuzz-dir", "fuzz", target])
            .argument(&found)
            .with_variable("RUSTC_BOOTSTRAP", "1");
        if system::exists(&committed) {
            invocation = invocation.argument(&committed);
        }
        invocation = invocation.argument("--").argument(format!("-max_total_time={seconds}"));
        works.push(Work::Folder(found));
        works.push(Work::Run(invocation));
    }
    works
}

/// The time that is promised is that of a release build.
fn malformed_input(_budget: &Budget) -> Vec<Work> {
    let invocation = Invocation::cargo(&["nextest", "run", "--release", "--locked", "--profile", "prove"])
        .arguments(&["--package", "premath-cli", "--filterset", MALFORMED_INPUT])
        .with_variable("PREMATH_PROVE", "1");
    vec![Work::Need(&NEXTEST), Work::Run(invocation)]
}

fn canonical_json(_budget: &Budget) -> Vec<Work> {
    tests("premath-wire", CANONICAL_JSON)
}

fn gate_removal(_budget: &Budget) -> Vec<Work> {
    tests("premath-host", GATE_REMOVAL)
}

fn supply_chain(_budget: &Budget) -> Vec<Work> {
    vec![
        Work::Need(&DENY),
        Work::Run(Invocation::cargo(&["deny", "--locked", "check", "bans", "licenses", "sources"])),
        Work::Need(&NEXTEST),
        Work::Report {
            tool: &COVERAGE,
            invocation: Invocation::cargo(&[
                "llvm-cov",
                "nextest",
                "--workspace",
                "--locked",
                "--summary-only",
            ]),
        },
        Work::Mutants,
    ]
}

/// Tests that do their whole work when `PREMATH_PROVE` is set and a slice otherwise.
fn tests(package: &str, filter: &str) -> Vec<Work> {
    let invocation = Invocation::cargo(&["nextest", "run", "--locked", "--profile", "prove"])
        .arguments(&["--package", package, "--filterset", filter])
        .with_variable("PREMATH_PROVE", "1");
    vec![Work::Need(&NEXTEST), Work::Run(invocation)]
}
