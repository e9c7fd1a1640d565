//! A change that a call asks for: of issue memory, of the desk, of what waits for a person. Nothing has changed yet: whoever closes the turn has it admitted and
//! applied, or refused (I2). It must not carry a permit, nor say that anything was checked.

use premath_bd::Change;
use premath_bd::issues::Operation;
use premath_kernel::IssueTarget;

/// A change that waits for the end of its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingIntent {
    /// The host action it is.
    pub action: &'static str,
    /// What is to change.
    pub change: Change,
    /// The issues that it changes, with what they descend from; empty when it changes none.
    pub targets: Vec<IssueTarget>,
}

impl From<Operation> for PendingIntent {
    fn from(operation: Operation) -> Self {
        Self { action: operation.action(), change: Change::Issues(operation), targets: Vec::new() }
    }
}
