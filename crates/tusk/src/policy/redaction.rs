//! What was taken out of a text, and what stands in its place; and secrets in arguments that a person can be asked about.
//!
//! Values are for the memory of one process: the types have no serialised form, and their debug output has no value.

use std::fmt;

/// A text without what was found in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Redaction {
    /// The text, with placeholders.
    pub text: String,
    /// What they stand for, in order.
    pub removed: Vec<RemovedText>,
}

/// One value that was taken out.
#[derive(Clone, PartialEq, Eq)]
pub struct RemovedText {
    /// What stands in its place.
    pub placeholder: String,
    /// The value.
    pub value: String,
}

impl fmt::Debug for RemovedText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RemovedText").field("placeholder", &self.placeholder).finish_non_exhaustive()
    }
}

/// A secret in the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretPlace {
    /// Its kind, as the guard names it.
    pub label: String,
    /// Where it is in the arguments, as a JSON pointer.
    pub pointer: String,
    /// Who brought it.
    pub origin: SecretOrigin,
}

/// Who brought a secret into arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretOrigin {
    /// The person, with the task or message of the run.
    Task,
    /// The model, which wrote it itself.
    Model,
}

impl fmt::Display for SecretPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = match self.origin {
            SecretOrigin::Task => "from your task",
            SecretOrigin::Model => "written by the model",
        };
        write!(formatter, "`{}` at `{}` ({origin})", self.label, self.pointer)
    }
}
