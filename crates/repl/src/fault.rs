//! Why an instruction could not be carried out. Only the machine handles these; a program sees conditions, an embedder
//! [`Error`](crate::Error)s.

use crate::error::{Budget, ErrorKind};
use crate::host::HostFailure;
use crate::value::Value;

pub(crate) enum Fault {
    /// The heap is full: the machine collects and does the instruction again
    Full,
    /// A budget is used up; nothing catches this
    Budget(Budget),
    /// Somebody wants the program to end; nothing catches this
    BrokenOff(Box<HostFailure>),
    /// A failure that becomes a condition
    Failure(Box<Failure>),
    /// The program raised a value
    Raise { value: Value, continuable: bool },
}

pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    pub(crate) message: String,
    pub(crate) irritants: Value,
    pub(crate) host: Option<HostFailure>,
}

pub(crate) type Outcome<T = Value> = Result<T, Fault>;

impl Fault {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Fault {
        Fault::with(kind, message, Value::Nil)
    }

    pub(crate) fn with(kind: ErrorKind, message: impl Into<String>, irritants: Value) -> Fault {
        Fault::Failure(Box::new(Failure { kind, message: message.into(), irritants, host: None }))
    }

    pub(crate) fn range(message: impl Into<String>) -> Fault {
        Fault::new(ErrorKind::Range, message)
    }

    pub(crate) fn arity(message: impl Into<String>) -> Fault {
        Fault::new(ErrorKind::Arity, message)
    }

    pub(crate) fn type_of(message: impl Into<String>) -> Fault {
        Fault::new(ErrorKind::Type, message)
    }
}
