//! What can go wrong with a program, as data: a kind to match on, one line to read, a position and a short trace.
//!
//! It must not print anything; [`Error::pretty`] makes text of an error and its source.

mod pretty;

use crate::position::Position;

/// A budget, each with a failure of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Budget {
    /// Steps
    Fuel,
    /// Bytes alive at once
    Memory,
    /// Calls that wait for another, and parentheses inside parentheses
    Depth,
    /// Bytes written
    Output,
    /// Calls of host functions
    HostCalls,
    /// Bytes of source text
    Source,
}

impl Budget {
    /// The name of the failure.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Budget::Fuel => "budget.fuel",
            Budget::Memory => "budget.memory",
            Budget::Depth => "budget.depth",
            Budget::Output => "budget.output",
            Budget::HostCalls => "budget.host_calls",
            Budget::Source => "budget.source",
        }
    }
}

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorKind {
    /// The text is no program
    Syntax,
    /// A name that means nothing
    Unbound,
    /// A procedure got too many or too few arguments
    Arity,
    /// An argument is of the wrong kind
    Type,
    /// An argument is of the right kind but out of bounds, or a number too big
    Range,
    /// The program raised it
    Raised,
    /// An assertion of the program does not hold
    Assertion,
    /// A budget is used up; a program cannot catch this
    Budget(Budget),
    /// A host function failed
    Host,
    /// Somebody broke it off while it computed; a program cannot catch this
    Interrupted,
}

impl ErrorKind {
    /// The name of the kind, as programs and reports spell it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            ErrorKind::Syntax => "syntax",
            ErrorKind::Unbound => "unbound",
            ErrorKind::Arity => "arity",
            ErrorKind::Type => "type",
            ErrorKind::Range => "range",
            ErrorKind::Raised => "raised",
            ErrorKind::Assertion => "assertion",
            ErrorKind::Budget(budget) => budget.code(),
            ErrorKind::Host => "host",
            ErrorKind::Interrupted => "interrupted",
        }
    }
}

/// A call that had not returned when the failure happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceEntry {
    /// The procedure that was running
    pub procedure: String,
    /// Where it stood
    pub position: Position,
}

/// A program that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What kind of failure it is
    pub kind: ErrorKind,
    /// What went wrong, in one line
    pub message: String,
    /// Where, if it is known
    pub position: Option<Position>,
    /// Which of the texts given to the session the position is in, from 0
    pub text: usize,
    /// The calls around it, the innermost first; at most eight
    pub trace: Vec<TraceEntry>,
    /// The class of the host's failure
    pub class: Option<String>,
    /// Whether the host says that the same call may succeed later
    pub retryable: bool,
    /// Whether the text only stops too early, so that more of it could make it a program
    pub incomplete: bool,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error {
            kind,
            message: one_line(&message.into()),
            position: None,
            text: 0,
            trace: Vec::new(),
            class: None,
            retryable: false,
            incomplete: false,
        }
    }

    pub(crate) fn at(mut self, position: Position) -> Error {
        self.position = Some(position);
        self
    }
}

/// A message without control characters, so that it stays on its line.
pub(crate) fn one_line(message: &str) -> String {
    message.chars().map(|one| if one.is_control() { ' ' } else { one }).collect()
}
