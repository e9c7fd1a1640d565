//! `premath instruction-check`, `premath instruction-run`, `premath instruction-witness` and `premath permits`

use premath_host::Host;
use premath_kernel::{Object, Value};
use premath_wire::v1::{InstructionCheckAnswer, InstructionRunAnswer, InstructionWitnessAnswer, PermitPage};

use super::answer;
use super::dep::number;
use crate::args::instruction::{EnvelopeArgs, PermitsArgs, PermitsCommand, WitnessArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::instruction::{checked, permits, ran, witnessed};
use crate::system;

/// The file as the action takes it: from the root of the repository.
fn envelope(args: &EnvelopeArgs, host: &Host<'_>) -> Value<'static> {
    Object::fields().field("path", system::noted_path(&host.workspace.root, args.path())).finish()
}

const fn ended(exit: Exit, exit_zero: bool) -> Exit {
    if exit_zero && matches!(exit, Exit::Rejected) { Exit::Accepted } else { exit }
}

/// `premath instruction-check`
pub(crate) fn check(args: &EnvelopeArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let exit = answer::<InstructionCheckAnswer>(
        host,
        "instruction.check",
        &envelope(args, host),
        &args.format,
        checked,
    )?;
    Ok(ended(exit, args.exit_zero))
}

/// `premath instruction-run`
pub(crate) fn run(args: &EnvelopeArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    // A check that is asked to end takes down what the sandbox put up.
    system::on_interrupt(host.agent.interrupt());
    let exit =
        answer::<InstructionRunAnswer>(host, "instruction.run", &envelope(args, host), &args.format, ran)?;
    Ok(ended(exit, args.exit_zero))
}

/// `premath instruction-witness`
pub(crate) fn witness(args: &WitnessArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields().field("instruction", args.instruction.as_str()).finish();
    let exit =
        answer::<InstructionWitnessAnswer>(host, "instruction.witness", &arguments, &args.format, witnessed)?;
    Ok(ended(exit, args.exit_zero))
}

/// `premath permits`
pub(crate) fn permits_command(args: &PermitsArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let PermitsCommand::List(args) = &args.command;
    let arguments = Object::fields()
        .optional("instruction", args.instruction.as_deref())
        .optional("issue", args.issue.as_deref())
        .optional("limit", args.limit.map(number))
        .finish();
    let width = system::terminal_width();
    answer::<PermitPage>(host, "permit.list", &arguments, &args.format, |page| permits(page, width))
}
