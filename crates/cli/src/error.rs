//! The one error at the edge: what kind, what happened, what to do next.

use premath_bd::StoreError;
use premath_host::{ActionError, ModelFailure, SourceError, store_hint};
use premath_tusk::model::ModelErrorKind;
use premath_tusk::sandbox::SandboxError;
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
            ActionError::Envelope(error) => Self {
                exit: Exit::Invalid,
                message: error.to_string(),
                hints: vec!["docs/reference/instructions.md says what an instruction looks like".to_owned()],
            },
            ActionError::Source(error) => Self::vectors(&error),
            ActionError::Store(error) => Self::store(&error),
            ActionError::Model(failure) => Self::model(&failure),
            ActionError::Sandbox(error) => Self::sandbox(&error),
            ActionError::NotRetained { ref run_id } => {
                let hints = vec![format!("`premath runs show {run_id}` says what is kept")];
                Self { exit: Exit::Rejected, message: error.to_string(), hints }
            }
            ActionError::Unavailable { what, hint } => Self::environment(what, hint),
            ActionError::Unknown { .. } | ActionError::Unwritable { .. } => {
                Self::usage(error, "this is a defect of premath; please report it")
            }
        }
    }

    /// The same, for an action that a command is about: what cannot be read there was typed.
    pub(crate) fn command(error: ActionError, command: &str) -> Self {
        match error {
            ActionError::Input(error) => Self {
                exit: Exit::Invalid,
                message: error.to_string(),
                hints: vec![format!("`premath {command} --help` says what it takes")],
            },
            ActionError::Store(error @ StoreError::Missing { .. }) => {
                let said = Self::store(&error);
                match missing_hint(&error, command) {
                    Some(hint) => Self { hints: vec![hint.to_owned()], ..said },
                    None => said,
                }
            }
            ActionError::Unknown { .. }
            | ActionError::Envelope(_)
            | ActionError::Source(_)
            | ActionError::Store(_)
            | ActionError::Model(_)
            | ActionError::Sandbox(_)
            | ActionError::NotRetained { .. }
            | ActionError::Unavailable { .. }
            | ActionError::Unwritable { .. } => Self::action(error),
        }
    }

    /// No model answered. Where waiting helps, that is a different answer.
    pub(crate) fn model(failure: &ModelFailure) -> Self {
        let (exit, hint) = match failure.error.kind {
            ModelErrorKind::Authentication => {
                (Exit::Environment, "`premath models` says where each key is looked for")
            }
            ModelErrorKind::RateLimit => {
                (Exit::Busy, "`premath models` says until when; another --model is tried meanwhile")
            }
            ModelErrorKind::Overloaded => (Exit::Busy, "try again, or name another --model to fall back to"),
            ModelErrorKind::Model => (Exit::Environment, "look at the name of the model and at the request"),
            ModelErrorKind::ContextLength => {
                (Exit::Environment, "ask something shorter, or a model with a longer context")
            }
            ModelErrorKind::Timeout | ModelErrorKind::Unavailable => {
                (Exit::Environment, "`premath models --check` says which providers can be reached")
            }
            ModelErrorKind::Unknown => {
                (Exit::Environment, "what answers there may not speak the protocol that is configured")
            }
        };
        Self { exit, message: failure.to_string(), hints: vec![hint.to_owned()] }
    }

    /// A sandbox that failed in the middle.
    pub(crate) fn sandbox(error: &SandboxError) -> Self {
        let why = std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
        Self::environment(format!("{error}{why}"), "`premath sandbox check` says what works on this machine")
    }

    /// A store that gave no answer. "Busy", "not there" and "damaged" are different answers.
    pub(crate) fn store(error: &StoreError) -> Self {
        let hint = store_hint(error).unwrap_or_default().to_owned();
        match error {
            StoreError::Input(error) => Self::input_of_store(error),
            StoreError::Busy { path } if path.file_name().is_some_and(|name| name == "worker.lock") => {
                let name = path.parent().and_then(|folder| folder.file_name()).unwrap_or_default();
                let message = format!("worker_running: a worker named `{}` is running", name.display());
                let hints = vec!["name another with --worker-id, or wait for its end".to_owned()];
                Self { exit: Exit::Busy, message, hints }
            }
            StoreError::Busy { .. } => {
                Self { exit: Exit::Busy, message: error.to_string(), hints: vec![hint] }
            }
            StoreError::Io { source, .. } => Self::environment(format!("{error}: {source}"), hint),
            StoreError::Untrusted { .. } => Self {
                exit: Exit::Environment,
                message: format!("log_untrusted: {error}"),
                hints: vec![hint],
            },
            StoreError::Missing { .. }
            | StoreError::Poisoned { .. }
            | StoreError::Newer { .. }
            | StoreError::Corrupt { .. }
            | StoreError::DerivedDamaged { .. } => Self::environment(error, hint),
        }
    }

    fn input_of_store(error: &InputError) -> Self {
        let hints = vec!["`premath doctor` explains what is wrong with a file of premath's own".to_owned()];
        Self { exit: Exit::Invalid, message: error.to_string(), hints }
    }
}

/// How to come by what a command did not find, where `premath init` does not make it.
fn missing_hint(error: &StoreError, command: &str) -> Option<&'static str> {
    let StoreError::Missing { path } = error else { return None };
    // Without that folder there is no repository, whatever else is missing in it.
    if path.file_name().is_some_and(|name| name == ".premath") {
        return None;
    }
    Some(match command {
        "harness-session read" => "`premath harness-session write` writes one",
        "harness-session bootstrap" => {
            "`premath harness-session write` writes a session, `premath harness-feature write` a ledger"
        }
        "harness-feature read" | "harness-feature next" | "harness-feature check" => {
            "`premath harness-feature write` writes one"
        }
        "harness-trajectory query" | "harness-kpi" => "`premath harness-trajectory append` begins one",
        "harness-session write"
        | "harness-feature write"
        | "harness-trajectory append"
        | "harness-kpi remediate" => "name what exists; only folders below .premath are made on the way",
        "issue import" => {
            "name the file with the rows, or - for standard input; `premath init` makes the issue memory"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
