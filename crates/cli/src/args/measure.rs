//! `eval`, `redteam` and what `policy` takes about packages, as they are typed.

use clap::{Args, Subcommand};

use super::Format;

/// Arguments of `eval`.
#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// What to measure.
    #[command(subcommand)]
    pub(crate) command: EvalCommand,
}

/// What can be measured.
#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// How good the guards of a policy package are on rows with what is in them
    #[command(
        after_help = "Example:\n  premath eval guardrails --dataset examples/guardrails/dataset.jsonl\n  \
                            premath eval guardrails --dataset rows.jsonl --package candidate --json\n\n\
                            Ends with 1 when the gate in force is not met. More: docs/reference/evals.md."
    )]
    Guardrails(GuardrailsArgs),
    /// How well tasks go, and what they cost, with tools deferred or not and results cut or not
    #[command(after_help = "Example:\n  premath eval tools --profile default\n  \
                            premath eval tools --profile mine --scenarios evals --json\n\n\
                            Other values of [tools] than the defaults need its report. More: docs/reference/evals.md.")]
    Tools(ToolsArgs),
}

/// Arguments of `eval guardrails`.
#[derive(Debug, Args)]
pub(crate) struct GuardrailsArgs {
    /// The rows: one JSON document a line, from the root of the repository
    #[arg(long, value_name = "FILE")]
    pub(crate) dataset: String,
    /// The folder of a policy package [default: the files under policies/]
    #[arg(long, value_name = "FOLDER", conflicts_with = "draft")]
    pub(crate) package: Option<String>,
    /// The draft of a policy package, by name
    #[arg(long, value_name = "NAME")]
    pub(crate) draft: Option<String>,
    /// Write a copy of the report here
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<std::path::PathBuf>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `eval tools`.
#[derive(Debug, Args)]
pub(crate) struct ToolsArgs {
    /// The name of the set of tasks
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: String,
    /// The folder with `NAME.json`; the tasks that come with premath when nobody says
    #[arg(long, value_name = "FOLDER")]
    pub(crate) scenarios: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `redteam`.
#[derive(Debug, Args)]
pub(crate) struct RedTeamArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: RedTeamCommand,
}

/// What a red team can do.
#[derive(Debug, Subcommand)]
pub(crate) enum RedTeamCommand {
    /// Attack scratch repositories that have a policy package, with a scripted compromised model, and look what is left
    #[command(
        after_help = "Example:\n  premath redteam run\n  premath redteam run --plugin approval-forgery --strategy plain\n  \
                            premath redteam run --package candidate --json\n\n\
                            Ends with 1 when anything got through or a harmless task was denied. With --plugin or\n\
                            --strategy it is partial and does not count for promotion. More: docs/reference/redteam.md."
    )]
    Run(RedTeamRunArgs),
}

/// Arguments of `redteam run`.
#[derive(Debug, Args)]
pub(crate) struct RedTeamRunArgs {
    /// Attack only this; may be given more than once
    #[arg(long, value_name = "NAME")]
    pub(crate) plugin: Vec<String>,
    /// Attack only in this way; may be given more than once
    #[arg(long, value_name = "NAME")]
    pub(crate) strategy: Vec<String>,
    /// The folder of a policy package [default: the files under policies/]
    #[arg(long, value_name = "FOLDER", conflicts_with = "draft")]
    pub(crate) package: Option<String>,
    /// The draft of a policy package, by name
    #[arg(long, value_name = "NAME")]
    pub(crate) draft: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// The reports that a package is judged by.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The report of `premath eval guardrails` about it
    #[arg(long, value_name = "FILE")]
    pub(crate) eval: Option<String>,
    /// The report of `premath redteam run` about it
    #[arg(long, value_name = "FILE")]
    pub(crate) redteam: Option<String>,
}

/// Arguments of `policy promote`.
#[derive(Debug, Args)]
pub(crate) struct PromoteArgs {
    /// The folder of the package
    #[arg(long, value_name = "FOLDER", required_unless_present = "draft", conflicts_with = "draft")]
    pub(crate) from: Option<String>,
    /// The draft of the package, by name
    #[arg(long, value_name = "NAME")]
    pub(crate) draft: Option<String>,
    #[command(flatten)]
    pub(crate) reports: ReportArgs,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `policy rollback`.
#[derive(Debug, Args)]
pub(crate) struct RollbackArgs {
    /// The package, or `defaults` for what comes with premath; the one before the one in force when nobody says
    pub(crate) digest: Option<String>,
    #[command(flatten)]
    pub(crate) reports: ReportArgs,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `policy history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    #[command(flatten)]
    pub(crate) format: Format,
}
