//! `premath harness-join-check`

use premath_host::join_check;

use super::{check_envelope, strictness, verdict};
use crate::args::CheckArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{output, render, system};

const SCHEMA: &str = "join-check-input";

pub(crate) fn run(args: &CheckArgs) -> Result<Exit, CliError> {
    let bytes = system::read_input(&args.input)?;
    if args.format.envelope {
        return check_envelope("harness.join_check", SCHEMA, args, &bytes);
    }
    let checked = join_check(&bytes, strictness(args)).map_err(|error| CliError::input(&error, SCHEMA))?;
    if args.format.json {
        output::json(&checked.report())?;
    } else {
        output::text(&render::chain::join_check(&checked))?;
    }
    Ok(verdict(checked.assessment.refusal().is_none(), args.exit_zero))
}
