//! `premath coherence-check`

use clap::CommandFactory as _;
use premath_host::{CommandShape, Host};
use premath_kernel::Object;

use super::{answer, verdict};
use crate::args::Cli;
use crate::args::upkeep::CoherenceArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::coherence;

pub(crate) fn run(args: &CoherenceArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let nothing = Object::fields().finish();
    let exit = answer(host, "coherence.check", &nothing, &args.format, coherence::checked)?;
    Ok(verdict(exit == Exit::Accepted, args.exit_zero))
}

/// Every command that can be typed, as the parser itself has it.
pub(crate) fn shapes() -> Vec<CommandShape> {
    let mut shapes = Vec::new();
    let mut root = Cli::command();
    root.build();
    collect(&root, "", &mut shapes);
    shapes
}

fn collect(command: &clap::Command, path: &str, shapes: &mut Vec<CommandShape>) {
    for below in command.get_subcommands() {
        let names = std::iter::once(below.get_name()).chain(below.get_all_aliases());
        for name in names {
            let path = if path.is_empty() { name.to_owned() } else { format!("{path} {name}") };
            collect(below, &path, shapes);
            shapes.push(CommandShape {
                path,
                flags: below.get_arguments().filter_map(|flag| flag.get_long()).map(str::to_owned).collect(),
                needs_more: below.is_subcommand_required_set(),
            });
        }
    }
}
