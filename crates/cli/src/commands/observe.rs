//! `premath observe-build` and `premath observe`

use premath_host::Host;
use premath_kernel::Object;

use super::answer;
use crate::args::observe::{ObserveArgs, ObserveBuildArgs, ObserveCommand};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::observe;

pub(crate) fn build(args: &ObserveBuildArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    answer(host, "observe.build", &Object::fields().finish(), &args.format, observe::observation)
}

pub(crate) fn run(args: &ObserveArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let nothing = Object::fields().finish();
    match &args.command {
        ObserveCommand::Latest(args) => {
            answer(host, "observe.latest", &nothing, &args.format, observe::observation)
        }
        ObserveCommand::Now(args) => {
            answer(host, "observe.now", &nothing, &args.format, observe::observation)
        }
        ObserveCommand::NeedsAttention(args) => {
            let arguments = Object::fields().field("now", args.now).finish();
            answer(host, "observe.needs_attention", &arguments, &args.format, observe::attention)
        }
        ObserveCommand::Instruction(args) => {
            let arguments = Object::fields().field("id", args.id.as_str()).finish();
            answer(host, "observe.instruction", &arguments, &args.format, observe::instruction)
        }
        ObserveCommand::Projection(args) => {
            answer(host, "observe.projection", &nothing, &args.format, observe::projection)
        }
    }
}
