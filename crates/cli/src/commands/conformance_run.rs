//! `premath conformance-run`

use premath_host::run_conformance;
use premath_kernel::Object;

use super::{print_envelope, verdict};
use crate::args::ConformanceArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::system::VectorFolder;
use crate::{output, render};

pub(crate) fn run(args: &ConformanceArgs) -> Result<Exit, CliError> {
    if args.format.envelope {
        let arguments = Object::fields().optional("suite", args.suite.as_deref()).finish();
        let class = print_envelope(&args.path.to_string_lossy(), "conformance.run", &arguments)?;
        return Ok(verdict(class == "accepted", args.exit_zero));
    }
    let source = VectorFolder(args.path.clone());
    let report =
        run_conformance(&source, args.suite.as_deref()).map_err(|error| CliError::vectors(&error))?;
    if args.format.json {
        output::json(&report)?;
    } else {
        output::text(&render::vectors::report(&report))?;
    }
    Ok(verdict(report.result == "accepted", args.exit_zero))
}
