//! `premath models`

use premath_host::Host;
use premath_kernel::Object;
use premath_wire::v1::ModelListing;

use super::answer;
use crate::args::model::ModelsArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{render, system};

pub(crate) fn run(args: &ModelsArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields().field("check", args.check).field("prices", args.prices).finish();
    let now = host.workspace.clock.now();
    answer(host, "model.list", &arguments, &args.format, |listing: &ModelListing| {
        render::model::listing(listing, now, system::terminal_width())
    })
}
