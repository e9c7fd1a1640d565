//! `premath verify`

use std::io::{self, IsTerminal as _, Write as _};

use premath_host::Host;
use premath_kernel::Object;
use premath_wire::v1::{CheckedCounts, StoreState, VerifyAnswer};

use super::{answer, verdict};
use crate::args::upkeep::VerifyArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{output, render};

pub(crate) fn run(args: &VerifyArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    if args.format.envelope {
        let nothing = Object::fields().finish();
        let render = |answer: &VerifyAnswer| render::upkeep::verified(answer);
        let exit = answer(host, "workspace.verify", &nothing, &args.format, render)?;
        return Ok(verdict(exit == Exit::Accepted, args.exit_zero));
    }
    let mut progress = Progress::begin("verifying");
    let verified = premath_host::verify(host.workspace, &mut |checked| progress.show(checked));
    progress.end();
    let verified = verified.map_err(|error| CliError::command(error, "verify"))?;
    if args.format.json {
        output::json(&verified)?;
    } else {
        output::text(&render::upkeep::verified(&verified))?;
    }
    Ok(match verified.state {
        // Neither sound nor damaged: the key that would decide it is absent.
        StoreState::NotVerifiableHere if !args.exit_zero => Exit::Environment,
        state @ (StoreState::Ok
        | StoreState::NotHere
        | StoreState::NotVerifiableHere
        | StoreState::Damaged) => verdict(state != StoreState::Damaged, args.exit_zero),
    })
}

/// The line is drawn again after so many files …
const FILES: u64 = 64;
/// … or so many bytes.
const BYTES: u64 = 64 * 1024 * 1024;

/// One line on a terminal that says how far a long command is. Nobody else sees it.
pub(super) struct Progress {
    what: &'static str,
    is_shown: bool,
    drawn: Option<(u64, u64)>,
}

impl Progress {
    pub(super) fn begin(what: &'static str) -> Self {
        Self { what, is_shown: is_drawn(), drawn: None }
    }

    pub(super) fn show(&mut self, checked: &CheckedCounts) {
        let files = checked.logs + checked.objects + checked.witnesses;
        let (before, bytes) = self.drawn.unwrap_or_default();
        let is_due = files >= before + FILES || checked.object_bytes >= bytes + BYTES;
        if self.is_shown && is_due {
            self.drawn = Some((files, checked.object_bytes));
            draw(&format!("{}: {}", self.what, render::upkeep::amounts(checked)));
        }
    }

    pub(super) fn end(&self) {
        if self.drawn.is_some() {
            draw("");
        }
    }
}

/// Whether somebody sees a line that is drawn.
pub(super) fn is_drawn() -> bool {
    io::stderr().is_terminal()
}

/// Draws a line over the one before.
pub(super) fn draw(line: &str) {
    // Nothing depends on whether anybody saw it.
    drop(write!(io::stderr(), "\r\u{1b}[K{line}"));
}
