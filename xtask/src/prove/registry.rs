//! The reliability figures that can be proved: for each its property, its CI slice and its long form.
//! Data only. A new figure is a new entry here; ids are those of the figure table and never change meaning.

use crate::ci;
use crate::system::{self, Invocation};
use crate::tools::{COVERAGE, DENY, FAKETIME, FUZZ, NEXTEST, STRACE, Tool};

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
    /// Clients and suites of others, as CI installs them.
    Clients,
    /// `cargo xtask mutants`.
    Mutants,
}

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "R1",
        property: "kill -9 at every system call",
        slice: Slice::Tests { package: "premath-cli", filter: KILL_POINTS },
        long_form: kill_points,
    },
    Entry {
        id: "R2",
        property: "power loss",
        slice: Slice::Tests { package: "premath-bd", filter: POWER_LOSS },
        long_form: power_loss,
    },
    Entry {
        id: "R3",
        property: "failing reads, writes and syncs",
        slice: Slice::Tests { package: "premath-bd", filter: IO_FAILURES },
        long_form: io_failures,
    },
    Entry {
        id: "R4",
        property: "a full disk",
        slice: Slice::Tests { package: "premath-bd", filter: DISK_FULL },
        long_form: disk_full,
    },
    Entry {
        id: "R5",
        property: "cut logs and flipped bits",
        slice: Slice::Tests { package: "premath-bd", filter: CUT_AND_FLIP },
        long_form: cut_and_flip,
    },
    Entry {
        id: "R6",
        property: "concurrent appends",
        slice: Slice::Tests { package: "premath-cli", filter: CONCURRENT_APPENDS },
        long_form: concurrent_appends,
    },
    Entry {
        id: "R7",
        property: "claims are made exactly once",
        slice: Slice::Tests { package: "premath-cli", filter: EXACTLY_ONCE_CLAIMS },
        long_form: exactly_once_claims,
    },
    Entry {
        id: "R8",
        property: "stale holders write nothing",
        slice: Slice::Tests { package: "premath-cli", filter: STALE_HOLDERS },
        long_form: stale_holders,
    },
    Entry {
        id: "R9",
        property: "workers close every issue once, whoever dies",
        slice: Slice::Tests { package: "premath-cli", filter: WORKER_KILLS },
        long_form: worker_kills,
    },
    Entry {
        id: "R10",
        property: "runs weather a storm, and replay anywhere",
        slice: Slice::Tests { package: "premath-cli", filter: STORM },
        long_form: storm,
    },
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
        id: "R13",
        property: "no argument gets past its schema",
        slice: Slice::Tests { package: "premath-tusk", filter: ARGUMENTS },
        long_form: arguments,
    },
    Entry {
        id: "R14",
        property: "canonical JSON is exact",
        slice: Slice::Tests { package: "premath-wire", filter: CANONICAL_JSON },
        long_form: canonical_json,
    },
    Entry {
        id: "R15",
        property: "tampering is found",
        slice: Slice::Tests { package: "premath-bd", filter: TAMPER },
        long_form: tamper,
    },
    Entry {
        id: "R16",
        property: "the gate needs every field",
        slice: Slice::Tests { package: "premath-host", filter: GATE_REMOVAL },
        long_form: gate_removal,
    },
    Entry {
        id: "R17",
        property: "a compromised model gets nowhere",
        slice: Slice::Tests { package: "premath-cli", filter: RED_TEAM },
        long_form: red_team,
    },
    Entry {
        id: "R18",
        property: "no way out of the sandbox",
        slice: Slice::Tests { package: "premath-exec", filter: ESCAPES },
        long_form: escapes,
    },
    Entry {
        id: "R19",
        property: "no path leads out of its root",
        slice: Slice::Tests { package: "premath-exec", filter: PATHS },
        long_form: paths,
    },
    Entry {
        id: "R20",
        property: "secrets are redacted, near misses are not",
        slice: Slice::Tests { package: "premath-guards", filter: SECRET_RULES },
        long_form: secret_rules,
    },
    Entry {
        id: "R21",
        property: "the console answers its owner, however many others are there",
        slice: Slice::Tests { package: "premath-cli", filter: CONSOLE },
        long_form: console,
    },
    Entry {
        id: "R22",
        property: "the official MCP suite and official clients",
        slice: Slice::Tests { package: "premath-cli", filter: MCP_CONFORMANCE },
        long_form: mcp_conformance,
    },
    Entry {
        id: "R23",
        property: "tools of other servers that turn against us are closed",
        slice: Slice::Tests { package: "premath-cli", filter: FOREIGN_TOOLS },
        long_form: foreign_tools,
    },
    Entry {
        id: "R24",
        property: "floods and bombs stay bounded",
        slice: Slice::Tests { package: "premath-exec", filter: FLOODS },
        long_form: floods,
    },
    Entry {
        id: "R25",
        property: "supply chain, coverage, mutants",
        slice: Slice::CiStep(ci::SUPPLY_CHAIN),
        long_form: supply_chain,
    },
    Entry {
        id: "R26",
        property: "programs run again to the same bytes and equal the same commands",
        slice: Slice::Tests { package: "premath-cli", filter: SCHEME_PARITY },
        long_form: scheme_parity,
    },
    Entry {
        id: "R27",
        property: "no way around the gate from outside the sandbox",
        slice: Slice::Tests { package: "premath-cli", filter: AROUND_THE_GATE },
        long_form: around_the_gate,
    },
    Entry {
        id: "R28",
        property: "dangerous commands of other agents are stopped, ordinary ones pass",
        slice: Slice::Tests { package: "premath-shell", filter: COMMAND_RISKS },
        long_form: command_risks,
    },
    Entry {
        id: "R29",
        property: "every landed issue is on the target once, whoever dies",
        slice: Slice::Tests { package: "premath-cli", filter: LANDING },
        long_form: landing,
    },
    Entry {
        id: "R30",
        property: "branches of issue memory come together without losing anything",
        slice: Slice::Tests { package: "premath-bd", filter: ISSUE_MERGES },
        long_form: issue_merges,
    },
];

const KILL_POINTS: &str = "binary(kill_points) + binary(promotion_kills) + binary(forgetting_kills)";
const POWER_LOSS: &str = "binary(power_loss) + (binary(issue_faults) & test(power_loss))";
const IO_FAILURES: &str = "binary(io_failures) + (binary(issue_faults) & test(operation_of_the_disk))";
const DISK_FULL: &str = "binary(disk_full)";
const CUT_AND_FLIP: &str = "binary(cut_and_flip)";
const CONCURRENT_APPENDS: &str = "binary(concurrent_appends)";
const EXACTLY_ONCE_CLAIMS: &str = "binary(exactly_once_claims)";
const STALE_HOLDERS: &str = "binary(stale_holders)";
const LANDING: &str = "binary(landing) & test(/^kills::/)";
const WORKER_KILLS: &str = "binary(worker_kills)";
const STEP_SIMULATION: &str = "binary(step_simulation)";
const STORM: &str = "binary(storm)";
const TAMPER: &str = "binary(tamper)";
const MALFORMED_INPUT: &str =
    "binary(malformed_input) + binary(malformed_http) + (binary(mcp) & test(/malformed|broken_input/))";
const MCP_CONFORMANCE: &str = "binary(mcp) & test(/conformance_suite|conformance_client|official_client|python_client|inspector|real_agents/)";
const FOREIGN_TOOLS: &str = "binary(foreign_tools)";
const AROUND_THE_GATE: &str = "binary(around_the_gate)";
const MALFORMED_ANSWERS: &str = "binary(decode_recorded) + binary(sse_vectors)";
const ARGUMENTS: &str = "binary(tools_arguments)";
const ISSUE_ARGUMENTS: &str = "binary(issue_tools_arguments)";
const CANONICAL_JSON: &str = "binary(canonical_rfc8785) + binary(json_suite)";
const GATE_REMOVAL: &str = "binary(gate_removal)";
const AUTHORITY: &str = "binary(authority)";
const LIVE_TURNS: &str = "binary(exported_turns) & test(/judged_again|removal/)";
const SCHEME_PARITY: &str = "binary(scheme_parity)";
const RED_TEAM: &str = "binary(red_team) + (binary(governed) & test(/^(terminal|reach)::/))";
const ESCAPES: &str = "binary(sandbox)";
const PATHS: &str = "test(/^beneath::/)";
const SECRET_RULES: &str = "binary(secret_rules)";
const SECRETS_IN_RUNS: &str = "binary(secret_rules_in_runs)";
const COMMAND_RISKS: &str = "binary(command_risks) + binary(bash_oracle)";
const ISSUE_MERGES: &str = "binary(issue_merges)";
const GIT_MERGES: &str = "binary(git_merges)";
const CONSOLE: &str = "binary(console)";
const FLOODS: &str =
    "binary(sandbox) & test(/bomb|flood|take_|sleeper|large_file|many_files|grandchild|time/)";
const FUZZ_TARGETS: &[&str] = &["strict_decode", "join_check", "sse_decode", "model_answer", "scheme_eval"];

fn kill_points(_budget: &Budget) -> Vec<Work> {
    [
        vec![Work::Need(&STRACE)],
        shown_tests("premath-cli", &["kill_points", "promotion_kills", "forgetting_kills"], KILL_POINTS),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn power_loss(_budget: &Budget) -> Vec<Work> {
    shown_tests("premath-bd", &["power_loss", "issue_faults"], POWER_LOSS)
}

fn io_failures(_budget: &Budget) -> Vec<Work> {
    shown_tests("premath-bd", &["io_failures", "issue_faults"], IO_FAILURES)
}

fn disk_full(_budget: &Budget) -> Vec<Work> {
    shown_tests("premath-bd", &["disk_full"], DISK_FULL)
}

fn cut_and_flip(_budget: &Budget) -> Vec<Work> {
    shown_tests("premath-bd", &["cut_and_flip"], CUT_AND_FLIP)
}

fn concurrent_appends(_budget: &Budget) -> Vec<Work> {
    shown_tests("premath-cli", &["concurrent_appends"], CONCURRENT_APPENDS)
}

fn exactly_once_claims(_budget: &Budget) -> Vec<Work> {
    shown_tests("premath-cli", &["exactly_once_claims"], EXACTLY_ONCE_CLAIMS)
}

fn stale_holders(_budget: &Budget) -> Vec<Work> {
    let needs = vec![Work::Need(&STRACE), Work::Need(&FAKETIME)];
    [needs, shown_tests("premath-cli", &["stale_holders"], STALE_HOLDERS)].into_iter().flatten().collect()
}

fn worker_kills(_budget: &Budget) -> Vec<Work> {
    let machines = shown_tests("premath-tusk", &["step_simulation"], STEP_SIMULATION);
    let processes = shown_tests("premath-cli", &["worker_kills"], WORKER_KILLS);
    machines.into_iter().chain(processes).collect()
}

fn storm(_budget: &Budget) -> Vec<Work> {
    shown_tests("premath-cli", &["storm"], STORM)
}

fn scheme_parity(_budget: &Budget) -> Vec<Work> {
    shown_tests("premath-cli", &["scheme_parity"], SCHEME_PARITY)
}

fn tamper(_budget: &Budget) -> Vec<Work> {
    shown_tests("premath-bd", &["tamper"], TAMPER)
}

fn red_team(_budget: &Budget) -> Vec<Work> {
    shown_tests("premath-cli", &["red_team", "governed"], RED_TEAM)
}

fn escapes(_budget: &Budget) -> Vec<Work> {
    shown_tests("premath-exec", &["sandbox"], ESCAPES)
}

fn paths(_budget: &Budget) -> Vec<Work> {
    tests("premath-exec", PATHS)
}

fn secret_rules(_budget: &Budget) -> Vec<Work> {
    [shown_tests("premath-guards", &["secret_rules"], SECRET_RULES), tests("premath-cli", SECRETS_IN_RUNS)]
        .into_iter()
        .flatten()
        .collect()
}

fn command_risks(_budget: &Budget) -> Vec<Work> {
    shown_tests("premath-shell", &["command_risks", "bash_oracle"], COMMAND_RISKS)
}

/// The bulk through the function of the driver, a slice through real git and the real command.
fn issue_merges(_budget: &Budget) -> Vec<Work> {
    let merges = shown_tests("premath-bd", &["issue_merges"], ISSUE_MERGES);
    merges.into_iter().chain(shown_tests("premath-cli", &["git_merges"], GIT_MERGES)).collect()
}

/// The times that are promised are those of a release build.
fn console(_budget: &Budget) -> Vec<Work> {
    whole(&["--release", "--package", "premath-cli", "--filterset", CONSOLE])
}

/// What they start is asked for by `CI=true`: without it a missing suite or client would be passed over.
fn mcp_conformance(_budget: &Budget) -> Vec<Work> {
    let invocation = Invocation::cargo(&["nextest", "run", "--locked", "--profile", "prove"])
        .arguments(&["--package", "premath-cli", "--filterset", MCP_CONFORMANCE])
        .with_variable("CI", "true")
        .with_variable("PREMATH_PROVE", "1");
    vec![Work::Clients, Work::Need(&NEXTEST), Work::Run(invocation)]
}

fn around_the_gate(_budget: &Budget) -> Vec<Work> {
    tests("premath-cli", AROUND_THE_GATE)
}

fn foreign_tools(_budget: &Budget) -> Vec<Work> {
    tests("premath-cli", FOREIGN_TOOLS)
}

fn floods(_budget: &Budget) -> Vec<Work> {
    shown_tests("premath-exec", &["sandbox"], FLOODS)
}

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
    let commands = whole(&["--release", "--package", "premath-cli", "--filterset", MALFORMED_INPUT]);
    let answers = whole(&["--release", "--package", "premath-models", "--filterset", MALFORMED_ANSWERS]);
    [commands, answers].into_iter().flatten().collect()
}

fn arguments(_budget: &Budget) -> Vec<Work> {
    [tests("premath-tusk", ARGUMENTS), tests("premath-host", ISSUE_ARGUMENTS)].into_iter().flatten().collect()
}

fn canonical_json(_budget: &Budget) -> Vec<Work> {
    tests("premath-wire", CANONICAL_JSON)
}

fn gate_removal(_budget: &Budget) -> Vec<Work> {
    let gate = tests("premath-host", GATE_REMOVAL);
    let live = shown_tests("premath-cli", &["exported_turns"], LIVE_TURNS);
    gate.into_iter().chain(tests("premath-cli", AUTHORITY)).chain(live).collect()
}

fn landing(_budget: &Budget) -> Vec<Work> {
    shown_tests("premath-cli", &["landing"], LANDING)
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

fn tests(package: &str, filter: &str) -> Vec<Work> {
    whole(&["--package", package, "--filterset", filter])
}

/// Tests that print what they counted, in release; only the binaries they are in are built.
fn shown_tests(package: &str, binaries: &[&str], filter: &str) -> Vec<Work> {
    let binaries = binaries.iter().flat_map(|binary| ["--test", binary]);
    let arguments = ["--release", "--no-capture", "--package", package].into_iter().chain(binaries);
    whole(&arguments.chain(["--filterset", filter]).collect::<Vec<_>>())
}

/// Tests that do their whole work when `PREMATH_PROVE` is set and a slice otherwise.
fn whole(arguments: &[&str]) -> Vec<Work> {
    let invocation = Invocation::cargo(&["nextest", "run", "--locked", "--profile", "prove"])
        .arguments(arguments)
        .with_variable("PREMATH_PROVE", "1");
    vec![Work::Need(&NEXTEST), Work::Run(invocation)]
}
