//! `premath governance-check`

use premath_host::governance_check;

use super::{check_envelope, strictness, verdict};
use crate::args::CheckArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{output, render, system};

const SCHEMA: &str = "governance-check-input";

pub(crate) fn run(args: &CheckArgs) -> Result<Exit, CliError> {
    let bytes = system::read_input(&args.input)?;
    if args.format.envelope {
        return check_envelope("governance.check", SCHEMA, args, &bytes);
    }
    let checked =
        governance_check(&bytes, strictness(args)).map_err(|error| CliError::input(&error, SCHEMA))?;
    if args.format.json {
        output::json(&checked.report())?;
    } else {
        output::text(&render::chain::governance(&checked))?;
    }
    Ok(verdict(checked.refusal.is_none(), args.exit_zero))
}
