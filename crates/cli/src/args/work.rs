//! Sessions of work, as they are typed: boot, step, stop, worker, coordinator.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Format, Terminal};

/// What does the work, what verifies it, and how long each may take.
#[derive(Debug, Args)]
pub(crate) struct CommandArgs {
    /// What does the work: a line for sh, `agent`, `agent:MODEL`, or `scheme:FILE`, a program of the repository
    #[arg(long, value_name = "CMD", required = true)]
    pub(crate) work_cmd: Option<String>,
    /// Command that says whether the work is done, by ending with 0 [default: session.baseline of premath.toml]
    #[arg(long, value_name = "CMD")]
    pub(crate) verify_cmd: Option<String>,
    /// The instruction to work under: its scope and its claims must cover the work; steps get their own without it
    #[arg(long, value_name = "ID", conflicts_with = "override_reason")]
    pub(crate) instruction: Option<String>,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    /// Where finished work goes: off, branch, merge or push [default: work.land of premath.toml, else branch in a git
    /// repository]
    #[arg(long, value_name = "MODE")]
    pub(crate) land: Option<String>,
    /// The branch that work lands on [default: work.target of premath.toml, else the branch that is checked out]
    #[arg(long, value_name = "BRANCH")]
    pub(crate) target: Option<String>,
    /// How long a lease lasts without a heartbeat, 30 to 86400
    #[arg(long, value_name = "SECONDS")]
    pub(crate) ttl: Option<u64>,
    /// How long the work may take
    #[arg(long, value_name = "SECONDS")]
    pub(crate) work_timeout: Option<u64>,
    /// How long a verification may take
    #[arg(long, value_name = "SECONDS")]
    pub(crate) verify_timeout: Option<u64>,
}

/// Arguments of `boot`.
#[derive(Debug, Args)]
pub(crate) struct BootArgs {
    /// Whose session; that of the repository itself when nobody is named
    #[arg(long, value_name = "ID")]
    pub(crate) worker_id: Option<String>,
    /// Where the verification runs; the root when nobody says
    #[arg(long, value_name = "PATH")]
    pub(crate) worktree: Option<PathBuf>,
    /// Command that says how things stand before any work [default: session.baseline of premath.toml]
    #[arg(long, value_name = "CMD")]
    pub(crate) verify_cmd: Option<String>,
    /// The instruction to work under; one of its own without it
    #[arg(long, value_name = "ID", conflicts_with = "override_reason")]
    pub(crate) instruction: Option<String>,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `step`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct StepArgs {
    /// What to do instead of a step.
    #[command(subcommand)]
    pub(crate) command: Option<StepCommand>,
    /// Whose session; that of the repository itself when nobody is named
    #[arg(long, value_name = "ID")]
    pub(crate) worker_id: Option<String>,
    /// Where the work is done; the root when nobody says
    #[arg(long, value_name = "PATH")]
    pub(crate) worktree: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) commands: CommandArgs,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// What can be done with a step that was taken.
#[derive(Debug, Subcommand)]
pub(crate) enum StepCommand {
    /// Show one attempt of a worker: its commands, what they printed, what it changed
    #[command(
        after_help = "Example:\n  premath step show w1.bd-3.4-1\n  premath observe needs_attention    (names the steps that failed)"
    )]
    Show(StepShowArgs),
}

/// Arguments of `step show`.
#[derive(Debug, Args)]
pub(crate) struct StepShowArgs {
    /// The step, such as w1.bd-3.4-1
    #[arg(value_name = "STEP")]
    pub(crate) step_id: String,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `stop`.
#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// Whose session; that of the repository itself when nobody is named
    #[arg(long, value_name = "ID")]
    pub(crate) worker_id: Option<String>,
    /// The instruction to work under; one of its own without it
    #[arg(long, value_name = "ID", conflicts_with = "override_reason")]
    pub(crate) instruction: Option<String>,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `worker`.
#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    /// What the worker is called; its session and its journal are kept under this name
    #[arg(long, value_name = "ID")]
    pub(crate) worker_id: String,
    /// Where the work is done; the root when nobody says
    #[arg(long, value_name = "PATH")]
    pub(crate) worktree: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) commands: CommandArgs,
    /// The most steps
    #[arg(long, value_name = "N")]
    pub(crate) steps: Option<u64>,
    /// End when standard input ends, as for a coordinator that died
    #[arg(long, hide = true)]
    pub(crate) until_stdin_ends: bool,
    /// Print events and the answer as JSON, one document a line
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `coordinator`.
#[derive(Debug, Args)]
pub(crate) struct CoordinatorArgs {
    /// A worktree to work in; may be repeated
    #[arg(long, value_name = "PATH", required_unless_present = "workers")]
    pub(crate) worktree: Vec<PathBuf>,
    /// Run N workers, each in a worktree of its own that is made beside the repository
    #[arg(long, value_name = "N", conflicts_with_all = ["worktree", "create_worktrees"], value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) workers: Option<u16>,
    /// How often each worktree gets a worker; until nothing is ready when nobody says
    #[arg(long, value_name = "N")]
    pub(crate) rounds: Option<u64>,
    /// Make worktrees that are missing, with `git worktree add --detach`
    #[arg(long)]
    pub(crate) create_worktrees: bool,
    /// Remove the worktrees that --create-worktrees made, after a run that went to its end; what is changed in them stays
    #[arg(long)]
    pub(crate) remove_worktrees: bool,
    #[command(flatten)]
    pub(crate) commands: CommandArgs,
    /// Print events and the answer as JSON, one document a line
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `land`.
#[derive(Debug, Args)]
pub(crate) struct LandArgs {
    /// The issues to land [default: every closed issue whose branch has not landed]
    #[arg(value_name = "ISSUE")]
    pub(crate) issues: Vec<String>,
    /// Close issues whose branch was merged into the target on the remote
    #[arg(long)]
    pub(crate) accept: bool,
    /// Command that verifies each commit on top of the target [default: session.baseline of premath.toml]
    #[arg(long, value_name = "CMD", conflicts_with = "accept")]
    pub(crate) verify_cmd: Option<String>,
    /// The branch to land on [default: work.target of premath.toml, else the branch that is checked out]
    #[arg(long, value_name = "BRANCH")]
    pub(crate) target: Option<String>,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    /// Print events and the answer as JSON, one document a line
    #[arg(long)]
    pub(crate) json: bool,
}
