//! The commands, one file per verb. Each calls one host action and renders its answer.

mod bench;
mod conformance_run;
mod explain;
mod governance_check;
mod harness_join_check;
mod help;
mod schema;

use premath_host::{ActionError, Host};
use premath_kernel::{Strictness, Value};
use premath_wire::strict::{Limits, parse};

use crate::args::{CheckArgs, Cli, Command};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output;
use crate::system::VectorFolder;

/// Runs the command that was typed.
pub(crate) fn run(cli: &Cli) -> Result<Exit, CliError> {
    match &cli.command {
        Command::HarnessJoinCheck(args) => harness_join_check::run(args),
        Command::GovernanceCheck(args) => governance_check::run(args),
        Command::Explain(args) => explain::run(args),
        Command::ConformanceRun(args) => conformance_run::run(args),
        Command::Schema(args) => schema::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Completions(args) => help::completions(args),
        Command::Help(args) => help::run(args),
    }
}

/// Prints the whole envelope of one host action.
fn print_envelope(folder: &str, action: &str, args: &Value<'_>) -> Result<String, CliError> {
    let vectors = VectorFolder(folder.into());
    let effect = Host { vectors: &vectors }.call(action, args).map_err(CliError::action)?;
    output::json(&effect)?;
    Ok(effect.result_class)
}

/// The exit code of a check.
const fn verdict(is_accepted: bool, exit_zero: bool) -> Exit {
    if is_accepted || exit_zero { Exit::Accepted } else { Exit::Rejected }
}

const fn strictness(args: &CheckArgs) -> Strictness {
    if args.strict { Strictness::Strict } else { Strictness::Lenient }
}

/// Answers a check with the whole envelope.
fn check_envelope(action: &str, schema: &str, args: &CheckArgs, bytes: &[u8]) -> Result<Exit, CliError> {
    let document = parse(bytes, Limits::default()).map_err(|error| CliError::input(&error, schema))?;
    let arguments =
        premath_kernel::Object::fields().field("document", document).field("strict", args.strict).finish();
    let class = print_envelope("", action, &arguments)?;
    Ok(verdict(class == "accepted", args.exit_zero))
}

/// An answer that JSON cannot hold does not exist; the type says it might.
fn unwritable(error: ActionError) -> CliError {
    CliError::action(error)
}
