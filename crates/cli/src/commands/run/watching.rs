//! Who watches a run: a person at a terminal or behind a pipe, or a program that reads lines.
//!
//! Workers run at the same time, so it can be told from several threads. An output that fails is kept until the end: a run
//! must not stop in the middle of a turn because nobody reads along.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use premath_bd::desk::{Approval, ApprovalScope, Proposal};
use premath_host::{Said, approval_row, proposal_row};
use premath_tusk::sandbox::Interrupt;
use premath_tusk::turn_loop::{Decision, RunEvent};

use crate::args::run::RunFormat;
use crate::error::CliError;
use crate::render::card;
use crate::render::run::{EventRows, RunScreen};
use crate::{output, system};

/// Somebody who watches.
#[derive(Debug)]
pub(crate) struct Watching {
    begun: Instant,
    seen: Mutex<Seen>,
}

#[derive(Debug)]
struct Seen {
    by: By,
    failure: Option<CliError>,
}

#[derive(Debug)]
enum By {
    Person(Box<RunScreen>),
    Program(EventRows),
}

impl Watching {
    /// Whoever the format says.
    pub(crate) fn new(format: RunFormat) -> Self {
        let by = if format.json {
            By::Program(EventRows::default())
        } else {
            By::Person(Box::new(RunScreen::new(system::terminal_width())))
        };
        Self { begun: system::stopwatch(), seen: Mutex::new(Seen { by, failure: None }) }
    }

    /// Something happens.
    pub(crate) fn take(&self, event: &RunEvent<'_>) {
        self.show(|by, elapsed| match by {
            By::Person(screen) => output::text(&screen.take(event, elapsed)),
            By::Program(rows) => rows.row(event).map_or(Ok(()), |row| output::json(&row)),
        });
    }

    /// Redraws what shows the time, until this is dropped.
    pub(crate) fn ticking(self: &Arc<Self>) -> system::Ticking {
        let watching = Arc::clone(self);
        system::every_tick(move || watching.tick())
    }

    /// Time has passed: about four times a second is enough.
    pub(crate) fn tick(&self) {
        self.show(|by, elapsed| match by {
            By::Person(screen) => match screen.tick(elapsed) {
                nothing if nothing.is_empty() => Ok(()),
                text => output::text(&text),
            },
            By::Program(_) => Ok(()),
        });
    }

    /// Asks the person at the terminal, below the question that was shown. Whatever is not a yes is a no.
    pub(crate) fn ask(&self, interrupt: &Interrupt) -> Decision {
        if matches!(self.seen().by, By::Program(_)) || !system::is_attended() {
            return Decision::NoAnswer;
        }
        output::note("  go on? [y/N] ");
        match system::typed_line(interrupt) {
            Some(line) if matches!(line.to_ascii_lowercase().as_str(), "y" | "yes") => Decision::Continue,
            Some(_) => Decision::Stop,
            None => {
                output::note("\n");
                Decision::NoAnswer
            }
        }
    }

    /// Asks about one call, below a card that shows all of it. Nobody there: none.
    pub(crate) fn confirm(&self, approval: &Approval, interrupt: &Interrupt) -> Option<Said> {
        self.answered(
            &card::approval(&approval_row(approval)),
            "  allow it? [y]es, [r]un (every such call of this run), [N]o ",
            interrupt,
        )
    }

    /// Asks about a plan, below a card that shows every step.
    pub(crate) fn plan(&self, proposal: &Proposal, interrupt: &Interrupt) -> Option<Said> {
        self.answered(&card::proposal(&proposal_row(proposal)), "  carry it out? [y]es, [N]o ", interrupt)
    }

    fn answered(&self, card: &str, prompt: &str, interrupt: &Interrupt) -> Option<Said> {
        // Whoever is not there now reads it later.
        self.show(|by, _| match by {
            By::Person(screen) => output::text(&format!("{}{card}", screen.cleared())),
            By::Program(_) => Ok(()),
        });
        if matches!(self.seen().by, By::Program(_)) || !system::is_attended() {
            return None;
        }
        output::note(prompt);
        let line = system::typed_line(interrupt)?;
        Some(match line.to_ascii_lowercase().as_str() {
            "y" | "yes" => Said::yes(),
            "r" | "run" => Said { scope: ApprovalScope::Run, ..Said::yes() },
            _other => Said::no(),
        })
    }

    /// Nothing more will happen.
    pub(crate) fn finish(&self) -> Result<(), CliError> {
        self.show(|by, _| match by {
            By::Person(screen) => output::text(&screen.cleared()),
            By::Program(_) => Ok(()),
        });
        self.seen().failure.take().map_or(Ok(()), Err)
    }

    fn show(&self, write: impl FnOnce(&mut By, std::time::Duration) -> Result<(), CliError>) {
        let mut seen = self.seen();
        let elapsed = self.begun.elapsed();
        if seen.failure.is_none() {
            seen.failure = write(&mut seen.by, elapsed).err();
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
