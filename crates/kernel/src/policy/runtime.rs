//! Terms of the policies about payloads, shells and files.

use alloc::string::String;

use crate::scalar::{Count, Text, TextSet};

/// Where a payload may be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cut {
    /// Head and tail stay, in equal parts.
    #[default]
    Middle,
    /// Anywhere.
    Any,
}

impl Cut {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Middle, Self::Any];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Middle => "middle",
            Self::Any => "any",
        }
    }
}

/// How large a result may be and how it is cut.
#[derive(Debug, Clone)]
pub struct TruncationPolicy {
    /// The budget.
    pub max_bytes: Count,
    /// What stands where bytes were cut, byte for byte.
    pub marker: String,
    /// Where it may be cut.
    pub cut: Cut,
}

/// Where commands may run and what may change files.
#[derive(Debug, Clone, Default)]
pub struct ExecutionBoundaryPolicy {
    /// Folders a command may run in.
    pub workdir_roots: TextSet,
    /// Tools that may change files.
    pub edit_surfaces: TextSet,
    /// True: the row of a command that ran says which files it changed.
    pub observe_commands: Option<bool>,
}

/// The sandbox commands must run in.
#[derive(Debug, Clone)]
pub struct RuntimeSandbox {
    /// Its profile's name.
    pub profile: Text,
}
