//! `run`, `resume`, `replay`, `runs` and `turn`, as they are typed.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::sandbox::ProfileName;
use super::{Format, Terminal, limit};

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// What to do; - reads standard input. Without it, the issue says what
    #[arg(required_unless_present_any = ["issue", "demo"], conflicts_with = "demo")]
    pub(crate) task: Option<String>,
    /// Directory to work in, as if started there [default: the project around the current directory]
    #[arg(long, value_name = "DIR", conflicts_with = "demo")]
    pub(crate) root: Option<PathBuf>,
    /// The issue to work on: claimed first, and closed only through the gate
    #[arg(long, value_name = "ID", conflicts_with = "demo")]
    pub(crate) issue: Option<String>,
    /// The model, as `provider:model`; given again, the next to try when one does not answer
    #[arg(long, short, value_name = "REF", conflicts_with = "demo")]
    pub(crate) model: Vec<String>,
    /// The id of the run, when it is not to be made up
    #[arg(long, value_name = "ID")]
    pub(crate) run_id: Option<String>,
    /// The instruction that its changes are linked to; one of its own when nobody names one
    #[arg(long, value_name = "ID", conflicts_with_all = ["demo", "override_reason"])]
    pub(crate) instruction: Option<String>,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    /// How the work is divided; chain when nobody says
    #[arg(long, value_enum, conflicts_with = "demo")]
    pub(crate) pattern: Option<Pattern>,
    /// The stages, routes, branches or workers of a pattern: docs/reference/workflows.md
    #[arg(long, value_name = "FILE", conflicts_with = "demo")]
    pub(crate) workflow: Option<PathBuf>,
    /// Which walls stand around the commands it runs; workspace-write when nobody says
    #[arg(long, value_enum, conflicts_with = "demo")]
    pub(crate) profile: Option<ProfileName>,
    /// How the model expresses what it wants to do
    #[arg(long, value_enum, conflicts_with = "demo")]
    pub(crate) action_mode: Option<Mode>,
    /// Why it may go on past the turns of a workflow: what was measured
    #[arg(long, value_name = "REASON", conflicts_with = "demo")]
    pub(crate) autonomous: Option<String>,
    /// Command that verifies the work, beside those of the issue and of `mutation.verify`; may be repeated. An issue
    /// closes only after one of them ended with code 0
    #[arg(long, value_name = "COMMAND", conflicts_with = "demo")]
    pub(crate) verify: Vec<String>,
    /// Scope to grant, such as files:read; may be repeated. `none` grants no scope [default: all]
    #[arg(long, value_name = "SCOPE", conflicts_with = "demo")]
    pub(crate) scope: Vec<String>,
    /// One request to the assistant of the desk: its tools, 3 turns when it only reads and 5 otherwise, 30 seconds
    #[arg(long)]
    pub(crate) desk: bool,
    /// The next message of this conversation: what was said before is shown to the model
    #[arg(long, value_name = "ID", requires = "desk", conflicts_with = "demo")]
    pub(crate) conversation: Option<String>,
    /// At most so many tokens in one request
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) context_tokens: Option<u64>,
    /// What happens when a request would be longer
    #[arg(long, value_enum)]
    pub(crate) on_full: Option<OnFull>,
    /// Run the embedded example: a broken project, and a scripted model that mends it. No key, no network
    #[arg(long)]
    pub(crate) demo: bool,
    /// Where the example is made, to look at it afterwards: empty, or not there yet
    #[arg(long, value_name = "FOLDER", requires = "demo", conflicts_with_all = ["task", "issue"])]
    pub(crate) keep: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: RunFormat,
    // Last: its heading would be that of whatever follows.
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// How a run is printed.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct RunFormat {
    /// Print one JSON object per line: what happens as it happens, and the answer last
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the whole host effect around the answer, and nothing before it
    #[arg(long)]
    pub(crate) envelope: bool,
}

/// Where a run ends at the latest, its workers included.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Limits (of the run and all its workers)")]
pub(crate) struct LimitArgs {
    /// At most so many turns
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) max_turns: Option<u64>,
    /// At most so many tool calls
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) max_tool_calls: Option<u64>,
    /// At most so many tokens, in and out
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) max_tokens: Option<u64>,
    /// Stop after this many dollars, such as 2 or 0.50. A model without a known price is refused
    #[arg(long = "max-cost", value_name = "USD", value_parser = dollars)]
    pub(crate) max_cost_micros: Option<u64>,
    /// What a cost limit does about a model without a known price [default: refuse]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) unpriced: Option<Unpriced>,
    /// At most so many minutes
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) max_minutes: Option<u64>,
    /// At most so many workers
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    pub(crate) max_workers: Option<u64>,
    /// Ask a person after every so many turns; where nobody can answer, the run stops and waits
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) checkpoint_every: Option<u64>,
    /// Ask a person before this tool runs; may be repeated
    #[arg(long, value_name = "TOOL")]
    pub(crate) checkpoint_before: Vec<String>,
}

/// What a cost limit does about a model without a known price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unpriced {
    /// The run does not begin
    Refuse,
    /// The run begins, and answers of the model count as free
    Allow,
}

impl Unpriced {
    /// The token on the wire.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::Allow => "allow",
        }
    }
}

/// How the work of a run is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Pattern {
    /// One answer of the model, and what it asks for
    Single,
    /// The loop until the model is done, and then the next prompt, if there is one
    Chain,
    /// The first turn chooses which prompt follows
    Route,
    /// Workers on parts that are known beforehand, all at once
    Parallel,
    /// The model spawns workers as it sees fit
    OrchestratorWorkers,
    /// A second voice judges, and the work goes on until it is content
    EvaluatorOptimizer,
}

impl Pattern {
    /// The token on the wire.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Chain => "chain",
            Self::Route => "route",
            Self::Parallel => "parallel",
            Self::OrchestratorWorkers => "orchestrator_workers",
            Self::EvaluatorOptimizer => "evaluator_optimizer",
        }
    }
}

/// How a model expresses actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Calls of tools, as its protocol has them
    Json,
    /// Fenced blocks in its text
    Text,
    /// Programs in Scheme, of which every tool is a function
    Code,
}

impl Mode {
    /// The token on the wire.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Text => "text",
            Self::Code => "code",
        }
    }
}

/// What happens when the context is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnFull {
    /// The session ends with a handoff, and a fresh one goes on from it
    Descend,
    /// Old turns are replaced by what is known of them
    Compact,
    /// Old turns are no longer shown
    Window,
}

impl OnFull {
    /// The token on the wire.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Descend => "descend",
            Self::Compact => "compact",
            Self::Window => "window",
        }
    }
}

/// Arguments of `resume`.
#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The run; the newest that can be resumed when none is named
    pub(crate) run: Option<String>,
    /// Directory to work in, as if started there [default: the project around the current directory]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    #[command(flatten)]
    pub(crate) format: RunFormat,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The run
    pub(crate) run: String,
    /// Report a difference without failing
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `runs`.
#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: RunsCommand,
}

/// The commands of the family.
#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List the runs of this repository, newest first
    #[command(after_help = "Example:\n  premath runs list --limit 5")]
    List(RunsListArgs),
    /// Show one run: its turns, workers and changes
    #[command(after_help = "Example:\n  premath runs show run-019a7c21b3f45d08")]
    Show(RunsShowArgs),
    /// The rows of a run behind a cursor, also while it goes on
    #[command(after_help = "Example:\n  premath runs events run-019a7c21b3f45d08 --cursor 120 --json")]
    Events(RunsEventsArgs),
    /// Hand out the journal of a run as JSONL
    #[command(after_help = "Example:\n  premath runs export run-019a7c21b3f45d08 --output journal.jsonl")]
    Export(RunsExportArgs),
    /// Delete what a stopped run that keeps nothing still has; it cannot go on after that
    #[command(after_help = "Example:\n  premath runs forget run-019a7c21b3f45d08")]
    Forget(RunsShowArgs),
}

/// Arguments of `runs list`.
#[derive(Debug, Args)]
pub(crate) struct RunsListArgs {
    /// Only those on this issue
    #[arg(long, value_name = "ID")]
    pub(crate) issue: Option<String>,
    /// Only those that stand so: running, waiting, answered, expired, failed_closed, blocked, limit, declined, interrupted, done
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<String>,
    /// Only those with this in their name, task or issue
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) query: Option<String>,
    /// Those that need a person first
    #[arg(long)]
    pub(crate) attention_first: bool,
    /// Behind this run, as the `nextCursor` of an earlier answer says
    #[arg(long, value_name = "RUN")]
    pub(crate) cursor: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `runs show`.
#[derive(Debug, Args)]
pub(crate) struct RunsShowArgs {
    /// The run
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `runs events`.
#[derive(Debug, Args)]
pub(crate) struct RunsEventsArgs {
    /// The run
    pub(crate) run: String,
    /// Behind this row: its number, or the `nextCursor` of an earlier answer
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", value_parser = limit, allow_negative_numbers = true)]
    pub(crate) limit: Option<u64>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `runs export`.
#[derive(Debug, Args)]
pub(crate) struct RunsExportArgs {
    /// The run
    pub(crate) run: String,
    /// The file to write; standard output when absent
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `turn`.
#[derive(Debug, Args)]
pub(crate) struct TurnArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: TurnCommand,
}

/// The commands of the family.
#[derive(Debug, Subcommand)]
pub(crate) enum TurnCommand {
    /// Show one turn: what the model saw, what it asked for, what came of it, digests and verdict
    #[command(after_help = "Example:\n  premath turn show run-019a7c21b3f45d08.t0003")]
    Show(TurnShowArgs),
    /// Write one judged turn as a case: harness-join-check gives it the same verdict, digests and witness
    #[command(after_help = "Example:\n  premath turn export run-019a7c21b3f45d08.t0003 > case.json\n  \
                            premath harness-join-check --input case.json --json")]
    Export(TurnExportArgs),
}

/// Arguments of `turn export`.
#[derive(Debug, Args)]
pub(crate) struct TurnExportArgs {
    /// The call id of the turn, as `premath runs show` lists it
    pub(crate) call_id: String,
    /// The change of the turn to judge with it, from 1 [default: none, the join check alone]
    #[arg(long, value_name = "N", value_parser = at_least_one, allow_negative_numbers = true)]
    pub(crate) intent: Option<u64>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `turn show`.
#[derive(Debug, Args)]
pub(crate) struct TurnShowArgs {
    /// The call id of the turn, as `premath runs show` lists it
    pub(crate) call_id: String,
    /// Cut nothing
    #[arg(long)]
    pub(crate) full: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

fn at_least_one(text: &str) -> Result<u64, String> {
    let number = text.trim().parse().ok().filter(|number| (1..=9_007_199_254_740_991).contains(number));
    number.ok_or_else(|| "it must be a whole number from 1".to_owned())
}

/// Dollars with up to six decimals, in millionths.
fn dollars(text: &str) -> Result<u64, String> {
    let typed = text.trim().trim_start_matches('$');
    let (whole, part) = typed.split_once('.').unwrap_or((typed, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let read = || {
        if !digits(whole) || !digits(part) || part.len() > 6 {
            return None;
        }
        let part: u64 = format!("{part:0<6}").parse().ok()?;
        let micros = whole.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(part)?;
        (1..=9_007_199_254_740_991).contains(&micros).then_some(micros)
    };
    read().ok_or_else(|| "it must be an amount of dollars above 0, such as 2 or 0.50".to_owned())
}

#[cfg(test)]
mod tests;
