//! `premath doctor`

use premath_host::{DoctorOutcome, Host, doctor, doctor_refused};
use premath_kernel::Object;
use premath_wire::v1::{DoctorAnswer, StoreState};

use super::verify::Progress;
use super::{answer, verdict};
use crate::args::upkeep::DoctorArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{output, render};

pub(crate) fn run(args: &DoctorArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    if args.format.envelope {
        let arguments = Object::fields().field("fix", args.fix).finish();
        let render = |answer: &DoctorAnswer| render::upkeep::examined(answer);
        let exit = answer(host, "workspace.doctor", &arguments, &args.format, render)?;
        return Ok(verdict(exit == Exit::Accepted, args.exit_zero));
    }
    let mut progress = Progress::begin("examining");
    let outcome = doctor(host.workspace, args.fix, &mut |checked| progress.show(checked));
    progress.end();
    match outcome.map_err(|error| CliError::command(error, "doctor"))? {
        DoctorOutcome::Answered(answered) => {
            if args.format.json {
                output::json(&answered)?;
            } else {
                output::text(&render::upkeep::examined(&answered))?;
            }
            Ok(verdict(answered.state != StoreState::Damaged, args.exit_zero))
        }
        DoctorOutcome::Shut(refusal) => {
            let refused = doctor_refused(host.workspace, &refusal);
            if args.format.json {
                output::json(&refused)?;
            } else {
                output::text(&render::issue::refused(&refused))?;
            }
            Ok(Exit::Rejected)
        }
    }
}
