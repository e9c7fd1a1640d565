//! `premath config`

use premath_host::Host;
use premath_kernel::Object;

use super::answer;
use crate::args::init::{ConfigArgs, ConfigCommand};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render;

pub(crate) fn run(args: &ConfigArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let ConfigCommand::Show(args) = &args.command;
    let arguments = Object::fields().optional("issues", super::named_memory(host, &args.store)?).finish();
    answer(host, "config.show", &arguments, &args.format, render::init::config)
}
