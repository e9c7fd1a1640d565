//! Who watches a run: a person at a terminal or behind a pipe, or a program that reads lines.
//!
//! Workers run at the same time, so it can be told from several threads. An output that fails is kept until the end: a run
//! must not stop in the middle of a turn because nobody reads along.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use premath_bd::desk::{Approval, Proposal, Verdict};
use premath_host::Said;
use premath_tusk::sandbox::Interrupt;
use premath_tusk::turn_loop::{Decision, RunEvent};

use super::question::TerminalQuestion;
use crate::args::run::RunFormat;
use crate::error::CliError;
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
    /// What is written after the question that is on the screen; none while there is no question.
    held: Option<String>,
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
        Self { begun: system::stopwatch(), seen: Mutex::new(Seen { by, failure: None, held: None }) }
    }

    /// Something happens.
    pub(crate) fn take(&self, event: &RunEvent<'_>) {
        let mut seen = self.seen();
        let (seen, elapsed) = (&mut *seen, self.begun.elapsed());
        if seen.failure.is_some() {
            return;
        }
        let written = match &mut seen.by {
            By::Person(screen) => {
                let text = screen.take(event, elapsed);
                match &mut seen.held {
                    Some(held) => {
                        held.push_str(&text);
                        Ok(())
                    }
                    None => output::text(&text),
                }
            }
            By::Program(rows) => rows.row(event).map_or(Ok(()), |row| output::json(&row)),
        };
        seen.failure = written.err();
    }

    /// Redraws what shows the time, until this is dropped.
    pub(crate) fn ticking(self: &Arc<Self>) -> system::Ticking {
        let watching = Arc::clone(self);
        system::every_tick(move || watching.tick())
    }

    /// Time has passed: about four times a second is enough.
    pub(crate) fn tick(&self) {
        // No clock over a question.
        if self.seen().held.is_some() {
            return;
        }
        self.show(|by, elapsed| match by {
            By::Person(screen) => match screen.tick(elapsed) {
                nothing if nothing.is_empty() => Ok(()),
                text => output::text(&text),
            },
            By::Program(_) => Ok(()),
        });
    }

    /// Asks the person at the terminal whether to go on, below the question that was shown.
    pub(crate) fn ask(&self, checkpoint: &Approval, interrupt: &Interrupt) -> Decision {
        match self.ask_person(&TerminalQuestion::of_checkpoint(checkpoint), interrupt) {
            Some(Said { verdict: Verdict::Approve, .. }) => Decision::Continue,
            Some(Said { verdict: Verdict::Deny, .. }) => Decision::Stop,
            None => Decision::NoAnswer,
        }
    }

    /// Asks about one call, below a card that shows all of it. None where no person answers now.
    pub(crate) fn confirm(
        &self,
        approval: &Approval,
        folder: Option<String>,
        interrupt: &Interrupt,
    ) -> Option<Said> {
        self.ask_person(&TerminalQuestion::of_call(approval, folder), interrupt)
    }

    /// Asks about a plan, below a card that shows every step.
    pub(crate) fn plan(&self, proposal: &Proposal, interrupt: &Interrupt) -> Option<Said> {
        self.ask_person(&TerminalQuestion::of_plan(proposal), interrupt)
    }

    /// Whether a person sees questions here and can answer them.
    pub(crate) fn is_answered(&self) -> bool {
        let is_person = matches!(self.seen().by, By::Person(_));
        is_person && system::is_attended() && system::has_screen()
    }

    /// Shows a question and reads the answer. Nothing else is written meanwhile.
    fn ask_person(&self, question: &TerminalQuestion, interrupt: &Interrupt) -> Option<Said> {
        let is_shown = self.show_question(question);
        let is_asked = is_shown && system::is_attended() && system::has_screen();
        let said = if is_asked { question.read_answer(interrupt) } else { None };
        self.release_screen();
        said
    }

    /// Writes the card and holds back everything else. Whether a person sees it.
    fn show_question(&self, question: &TerminalQuestion) -> bool {
        self.seen().held = Some(String::new());
        let mut is_person = false;
        self.show(|by, _| match by {
            By::Person(screen) => {
                is_person = true;
                let text = format!("{}{}", screen.cleared(), question.card);
                // An answer to a card in a file would be an answer to nothing.
                if system::is_attended() && !system::shows_output() {
                    output::note(&question.card);
                }
                output::text(&text)
            }
            By::Program(_) => Ok(()),
        });
        is_person && self.seen().failure.is_none()
    }

    /// Writes what was held back while a question was on the screen.
    fn release_screen(&self) {
        let held = self.seen().held.take().unwrap_or_default();
        self.show(|_, _| if held.is_empty() { Ok(()) } else { output::text(&held) });
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
