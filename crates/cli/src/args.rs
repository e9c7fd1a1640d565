//! What can be typed. Must not do anything.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("PREMATH_COMMIT"), ")");

/// A fail-closed agent harness: nothing changes until the turn that asked for it is closed, checked and witnessed.
#[derive(Debug, Parser)]
#[command(name = "premath", version = VERSION, disable_help_subcommand = true, arg_required_else_help = true)]
#[command(after_help = "Exit codes: `premath help exit-codes`. Every command takes --json and --help.")]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check whether a turn is closed and its mutation admissible
    #[command(after_help = "Example:\n  premath harness-join-check --input \
                            conformance/harness-typestate/golden/single_call_accept/case.json\n\n\
                            What it reads: docs/reference/join-check.md, `premath schema join-check-input`.")]
    HarnessJoinCheck(CheckArgs),
    /// Check a governance profile by itself
    #[command(after_help = "Example:\n  premath governance-check --input profile.json --json\n\n\
                            What it reads: `premath schema governance-check-input`.")]
    GovernanceCheck(CheckArgs),
    /// Explain a failure class: what happened, why it is refused, what to do
    #[command(
        after_help = "Example:\n  premath explain tool.result_orphan\n  premath explain          (lists all classes)"
    )]
    Explain(ExplainArgs),
    /// Run the conformance vectors against this build
    #[command(after_help = "Example:\n  premath conformance-run --suite harness-typestate")]
    ConformanceRun(ConformanceArgs),
    /// Print the JSON Schema of a document
    #[command(
        after_help = "Example:\n  premath schema join-check-input\n  premath schema            (lists all names)"
    )]
    Schema(SchemaArgs),
    /// Measure this machine
    #[command(after_help = "Example:\n  premath bench kernel")]
    Bench(BenchArgs),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  premath completions bash > ~/.local/share/bash-completion/completions/premath"
    )]
    Completions(CompletionArgs),
    /// Print help for a command or a topic
    #[command(after_help = "Example:\n  premath help exit-codes")]
    Help(HelpArgs),
}

/// How an answer is printed.
#[derive(Debug, Args)]
pub(crate) struct Format {
    /// Print one JSON document and nothing else on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the whole host effect around that document
    #[arg(long)]
    pub(crate) envelope: bool,
}

/// Arguments of the check commands.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The document to check; - reads standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) input: PathBuf,
    /// Refuse unknown fields and rows that leave something out
    #[arg(long)]
    pub(crate) strict: bool,
    /// Report a rejection without failing
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The failure class; without one, all are listed
    pub(crate) class: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `conformance-run`.
#[derive(Debug, Args)]
pub(crate) struct ConformanceArgs {
    /// Run one suite only
    #[arg(long)]
    pub(crate) suite: Option<String>,
    /// Where the vectors are
    #[arg(long, value_name = "FOLDER", default_value = "conformance")]
    pub(crate) path: PathBuf,
    /// Report failures without failing
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The document's name; without one, all are listed
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// What to measure.
    #[command(subcommand)]
    pub(crate) target: BenchTarget,
}

/// What can be measured.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchTarget {
    /// The join check against parsing and hashing the same bytes, and its growth with the number of calls
    Kernel {
        /// Print one JSON document and nothing else on standard output
        #[arg(long)]
        json: bool,
    },
    /// One measured piece of work, for a counter around this process
    #[command(hide = true)]
    KernelCase {
        /// What to do after the turn is generated.
        work: KernelWork,
        /// How many calls the turn has.
        #[arg(long, default_value_t = 10_000)]
        calls: usize,
    },
}

/// What a measured process does after the turn is generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum KernelWork {
    /// Nothing.
    Generate,
    /// Parse into a generic value and hash the bytes once.
    Baseline,
    /// The whole join check, without printing.
    JoinCheck,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
    /// Print one JSON document and nothing else on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `help`.
#[derive(Debug, Args)]
pub(crate) struct HelpArgs {
    /// A command, or `exit-codes`
    pub(crate) topic: Option<String>,
    /// Print one JSON document and nothing else on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
