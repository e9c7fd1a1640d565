//! The one error at the edge: what kind, what happened, what to do next.

use premath_host::{ActionError, SourceError};
use premath_wire::InputError;

use crate::exit::Exit;

/// What ended a command without an answer.
#[derive(Debug)]
pub(crate) struct CliError {
    /// What the process ends with.
    pub(crate) exit: Exit,
    /// `<class>: <what>`, on one line.
    pub(crate) message: String,
    /// What to do next.
    pub(crate) hints: Vec<String>,
}

impl CliError {
    /// Input that cannot be read as what the command needs.
    pub(crate) fn input(error: &InputError, schema: &str) -> Self {
        let hint = format!("`premath schema {schema}` prints what is expected");
        Self { exit: Exit::Invalid, message: error.to_string(), hints: vec![hint] }
    }

    /// An argument that names nothing.
    pub(crate) fn usage(what: impl std::fmt::Display, hint: impl Into<String>) -> Self {
        Self { exit: Exit::Invalid, message: format!("usage: {what}"), hints: vec![hint.into()] }
    }

    /// Something outside that is not there.
    pub(crate) fn environment(what: impl std::fmt::Display, hint: impl Into<String>) -> Self {
        Self { exit: Exit::Environment, message: format!("environment: {what}"), hints: vec![hint.into()] }
    }

    /// Vectors that cannot be read.
    pub(crate) fn vectors(error: &SourceError) -> Self {
        let hint = "run it in a checkout of premath, or name the folder of vectors with --path";
        match error {
            SourceError::Unreadable { source, .. } => Self::environment(format!("{error}: {source}"), hint),
            SourceError::Empty => Self::environment(error, hint),
            SourceError::UnknownSuite { known, .. } => {
                Self::usage(error, format!("known: {}", known.join(", ")))
            }
        }
    }

    /// A host action that gave no answer.
    pub(crate) fn action(error: ActionError) -> Self {
        match error {
            ActionError::Input(error) => Self {
                exit: Exit::Invalid,
                message: error.to_string(),
                hints: vec!["the arguments of the action cannot be read".to_owned()],
            },
            ActionError::Source(error) => Self::vectors(&error),
            ActionError::Unknown { .. } | ActionError::Unwritable { .. } => {
                Self::usage(error, "this is a defect of premath; please report it")
            }
        }
    }
}
