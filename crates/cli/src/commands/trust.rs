//! `premath trust`

use premath_host::Host;
use premath_kernel::{Object, Value};
use premath_wire::v1::TrustAnswer;

use super::answer;
use crate::args::upkeep::TrustArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::render;

pub(crate) fn run(args: &TrustArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields()
        .optional("reason", args.reason.as_deref())
        .field("upgrade", args.upgrade)
        .field("runs", Value::text_list(args.runs.iter().map(String::as_str)))
        .field("all", args.all)
        .finish();
    let render = |answer: &TrustAnswer| render::upkeep::trusted(answer);
    answer(host, "workspace.trust", &arguments, &args.format, render)
}
