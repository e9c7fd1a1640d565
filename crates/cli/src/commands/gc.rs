//! `premath gc`

use premath_bd::GarbageProgress;
use premath_host::{GcOutcome, Host, collect_garbage, gc_refused};
use premath_kernel::Object;
use premath_wire::v1::GcAnswer;

use super::answer;
use super::verify::{draw, is_drawn};
use crate::args::upkeep::GcArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{output, render};

pub(crate) fn run(args: &GcArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    if args.format.envelope {
        let arguments = Object::fields()
            .field("dryRun", args.dry_run)
            .optional("minAge", args.min_age.as_deref())
            .optional("maxSize", args.max_size.as_deref())
            .finish();
        let render = |answer: &GcAnswer| render::upkeep::collected(answer);
        return answer(host, "workspace.gc", &arguments, &args.format, render);
    }
    let asked = premath_host::GcArgs {
        dry_run: args.dry_run,
        min_age: args.min_age.clone(),
        max_size: args.max_size.clone(),
    };
    let mut progress = Progress::begin();
    let outcome = collect_garbage(host.workspace, &asked, &mut |far| progress.show(far));
    progress.end();
    match outcome.map_err(|error| CliError::command(error, "gc"))? {
        GcOutcome::Answered(answered) => {
            if args.format.json {
                output::json(&answered)?;
            } else {
                output::text(&render::upkeep::collected(&answered))?;
            }
            Ok(Exit::Accepted)
        }
        GcOutcome::Refused(refusal) => {
            let refused = gc_refused(host.workspace, &refusal);
            if args.format.json {
                output::json(&refused)?;
            } else {
                output::text(&render::issue::refused(&refused))?;
            }
            Ok(Exit::Rejected)
        }
    }
}

/// The line is drawn again after so many files and removals.
const STEP: u64 = 256;

/// One line on a terminal that says how far the collection is.
struct Progress {
    is_shown: bool,
    drawn: Option<u64>,
}

impl Progress {
    fn begin() -> Self {
        Self { is_shown: is_drawn(), drawn: None }
    }

    fn show(&mut self, far: &GarbageProgress) {
        let done = far.searched + far.removed;
        if self.is_shown && self.drawn.is_none_or(|drawn| done >= drawn + STEP) {
            self.drawn = Some(done);
            draw(&render::upkeep::searching(far));
        }
    }

    fn end(&self) {
        if self.drawn.is_some() {
            draw("");
        }
    }
}
