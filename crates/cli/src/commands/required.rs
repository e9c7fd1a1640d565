//! `premath required-*` and `premath ci-required`

use premath_host::Host;
use premath_kernel::{Object, Value};

use super::answer;
use crate::args::required::{DecisionArgs, DeltaArgs, GateRefArgs, RangeArgs, WitnessArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::required;
use crate::system;

pub(crate) fn delta(args: &DeltaArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields().field("from", args.from.as_str()).field("to", args.to.as_str()).finish();
    answer(host, "required.delta", &arguments, &args.format, required::delta)
}

fn range(args: &RangeArgs) -> Value<'_> {
    Object::fields()
        .field("from", args.from.as_str())
        .field("to", args.to.as_str())
        .optional("policy", args.policy.as_deref())
        .finish()
}

pub(crate) fn projection(args: &RangeArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    answer(host, "required.projection", &range(args), &args.format, required::projection)
}

pub(crate) fn witness(args: &RangeArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    system::on_interrupt(host.agent.interrupt());
    answer(host, "required.witness", &range(args), &args.format, required::witness)
}

pub(crate) fn run(args: &RangeArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    system::on_interrupt(host.agent.interrupt());
    answer(host, "required.run", &range(args), &args.format, required::run)
}

pub(crate) fn gate_ref(args: &GateRefArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("check", args.check.as_deref())
        .optional("path", args.path.as_deref())
        .optional("outcome", args.outcome.as_deref())
        .finish();
    answer(host, "required.gate_ref", &arguments, &args.format, required::gate_ref)
}

fn about(args: &WitnessArgs) -> Value<'_> {
    Object::fields()
        .optional("path", args.path.as_deref())
        .optional("from", args.from.as_deref())
        .optional("to", args.to.as_deref())
        .finish()
}

pub(crate) fn verify(args: &WitnessArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    answer(host, "required.witness.verify", &about(args), &args.format, required::verified)
}

pub(crate) fn decide(args: &WitnessArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    answer(host, "required.witness.decide", &about(args), &args.format, required::decided)
}

pub(crate) fn verify_decision(args: &DecisionArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("path", args.path.as_deref())
        .optional("witness", args.witness.as_deref())
        .optional("from", args.from.as_deref())
        .optional("to", args.to.as_deref())
        .finish();
    answer(host, "required.decision.verify", &arguments, &args.format, required::verified)
}
