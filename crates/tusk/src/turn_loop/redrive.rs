//! Running a machine again from its journal: no model, no tool, no clock, and every record compared.
//!
//! Replay and resume are the same walk; replay ends there, resume goes on. A record that differs is named with its row. It
//! must not change anything.

use std::collections::VecDeque;

use premath_bd::JournalEvent;
use premath_kernel::{Value, encode};

use super::check::ConfigError;
use super::config::RunConfig;
use super::event::Event;
use super::machine::{Machine, Unexpected};
use super::records::STARTED;
use super::withheld::is_withheld_from;
use crate::evidence::Unreadable;

/// Rows that the driver writes beside the machine: evidence for people and for resume, not input.
pub(crate) const INTENDED: &str = "turn.intended";

/// Why a journal does not run again.
#[derive(Debug, thiserror::Error)]
pub enum RedriveError {
    /// The journal does not begin with the beginning of a run.
    #[error("row {seq} is not the beginning of a run")]
    NotStarted {
        /// The row.
        seq: u64,
    },
    /// A row that cannot be read.
    #[error("row {seq} cannot be read")]
    Row {
        /// The row.
        seq: u64,
        /// Why.
        #[source]
        source: Unreadable,
    },
    /// What the run was made from makes no machine any more.
    #[error("what the run was made from cannot be used")]
    Config(#[from] ConfigError),
    /// An event that cannot have happened there.
    #[error("row {seq} does not fit")]
    Unexpected {
        /// The row.
        seq: u64,
        /// Why.
        #[source]
        source: Unexpected,
    },
    /// The machine decides otherwise than the journal says.
    #[error("row {seq} says `{found}`, and the machine decides `{expected}`")]
    Differs {
        /// The row.
        seq: u64,
        /// The kind of the row.
        found: String,
        /// What the machine decides, as JSON or in words.
        expected: String,
    },
}

/// A machine that is being run again.
#[derive(Debug, Default)]
pub struct Redrive {
    machine: Option<Machine>,
    /// What the machine has decided and the journal has not said yet.
    pending: VecDeque<JournalEvent>,
    rows: u64,
    records_turns: bool,
}

/// A machine that stands where its journal ends.
#[derive(Debug)]
pub struct Redriven {
    /// The machine.
    pub machine: Machine,
    /// Records that the machine has written and the journal lacks: its process ended before they were durable.
    pub unwritten: Vec<JournalEvent>,
    /// How many rows there were.
    pub rows: u64,
}

impl Redrive {
    /// A redrive whose machine keeps each judged turn as it was handed to the kernel, until the next one.
    #[must_use]
    pub fn recording_turns() -> Self {
        Self { records_turns: true, ..Self::default() }
    }

    /// Takes the next row's event.
    ///
    /// # Errors
    /// A row that differs from what the machine decides, or cannot be read.
    pub fn take(&mut self, seq: u64, row: &Value<'_>) -> Result<(), RedriveError> {
        self.rows += 1;
        let Some(machine) = &mut self.machine else {
            return self.start(seq, row);
        };
        let kind = kind(row);
        if kind == INTENDED {
            return Ok(());
        }
        let event = Event::from_value(row).map_err(|source| RedriveError::Row { seq, source })?;
        let Some(event) = event else { return self.compare(seq, row) };
        if let Some(expected) = self.pending.front() {
            return Err(differs(seq, kind, expected));
        }
        machine.feed(event).map_err(|source| RedriveError::Unexpected { seq, source })?;
        self.pending.extend(machine.take_records());
        Ok(())
    }

    fn start(&mut self, seq: u64, row: &Value<'_>) -> Result<(), RedriveError> {
        let config = row.as_object().filter(|_| kind(row) == STARTED).and_then(|row| row.get("config"));
        let config = config.ok_or(RedriveError::NotStarted { seq })?;
        let config = RunConfig::from_value(config).map_err(|source| RedriveError::Row { seq, source })?;
        let mut machine = Machine::new(config)?;
        machine.records_turns = self.records_turns;
        self.pending.extend(machine.take_records());
        self.machine = Some(machine);
        self.compare(seq, row)
    }

    fn compare(&mut self, seq: u64, row: &Value<'_>) -> Result<(), RedriveError> {
        match self.pending.pop_front() {
            Some(expected) if expected.bytes() == encode(row) => Ok(()),
            Some(expected) if is_withheld_from(row, &expected) => Ok(()),
            Some(expected) => Err(differs(seq, kind(row), &expected)),
            None => {
                let expected = "nothing".to_owned();
                Err(RedriveError::Differs { seq, found: kind(row).to_owned(), expected })
            }
        }
    }

    /// The machine as it was, or is, while it is run again.
    #[must_use]
    pub const fn machine(&self) -> Option<&Machine> {
        self.machine.as_ref()
    }

    /// The machine where the journal ends.
    ///
    /// # Errors
    /// A journal without rows.
    pub fn finish(self) -> Result<Redriven, RedriveError> {
        let mut machine = self.machine.ok_or(RedriveError::NotStarted { seq: 0 })?;
        machine.records_turns = false;
        Ok(Redriven { machine, unwritten: self.pending.into(), rows: self.rows })
    }
}

fn kind<'r>(row: &'r Value<'r>) -> &'r str {
    row.as_object().and_then(|row| row.get("kind")).and_then(Value::as_text).unwrap_or_default()
}

fn differs(seq: u64, found: &str, expected: &JournalEvent) -> RedriveError {
    let expected = crate::context::plain_line(&String::from_utf8_lossy(expected.bytes()), 600);
    RedriveError::Differs { seq, found: found.to_owned(), expected }
}
