//! `premath models` and `premath tools`

use premath_host::Host;
use premath_kernel::Object;
use premath_wire::v1::{ModelListing, ToolListing};

use super::answer;
use crate::args::model::{ModelsArgs, ToolsArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::{render, system};

pub(crate) fn run(args: &ModelsArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields().field("check", args.check).finish();
    let now = host.workspace.clock.now();
    answer(host, "model.list", &arguments, &args.format, |listing: &ModelListing| {
        render::model::listing(listing, now, system::terminal_width())
    })
}

pub(crate) fn tools(args: &ToolsArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields().finish();
    answer(host, "tool.list", &arguments, &args.format, |listing: &ToolListing| {
        render::model::tools(listing, system::terminal_width())
    })
}
