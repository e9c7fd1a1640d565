//! What a tool is given to work with. It must not give more than the ports.

use std::path::Path;

use super::catalogue::Catalogue;
use super::files::WorkFiles;
use super::outcome::ToolFailure;
use super::payloads::Payloads;
use super::protected::ProtectedPaths;
use crate::sandbox::{ExecutionLimits, Interrupt, Profile, Sandbox};

/// Who reads what a call gives back: the same answer is lines for one and a value for the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A model.
    Model,
    /// A program.
    Program,
}

/// What a person said about the change of a protected path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// Nothing: the change is refused.
    None,
    /// Nothing yet: the change is only worked out, so that a person can see it.
    Preview,
    /// A person agreed to this call.
    Given,
}

/// What a call works with.
#[derive(Debug, Clone, Copy)]
pub struct ToolContext<'a> {
    /// The files below the workdir.
    pub files: &'a dyn WorkFiles,
    /// Where commands run.
    pub sandbox: &'a dyn Sandbox,
    /// Whether somebody asked for the end.
    pub interrupt: &'a Interrupt,
    /// The workdir itself: the folder that `files` are below.
    pub workdir: &'a Path,
    /// The walls around commands.
    pub profile: Profile,
    /// How much a command may use.
    pub limits: ExecutionLimits,
    /// What no tool changes on its own.
    pub protected: &'a ProtectedPaths,
    /// What a person said about changes of protected paths.
    pub consent: Consent,
    /// Files of premath's own folder that commands of this run may read, relative to the workdir.
    pub readable_state: &'a [String],
    /// The tools that were granted, for the search among them.
    pub catalogue: &'a Catalogue,
    /// What earlier calls gave back as a whole.
    pub payloads: &'a dyn Payloads,
    /// Who reads the answer.
    pub reader: Reader,
    /// The most bytes of content that a call gives back. Below a hundred or so there is no getting on.
    pub budget: usize,
    /// The most bytes of a command's output that a call gives back. More than the budget: whoever called keeps all of it
    /// and shows a part.
    pub capture: usize,
}

impl ToolContext<'_> {
    /// Refuses to go on once somebody asked for the end.
    ///
    /// # Errors
    /// `interrupted`.
    pub fn go_on(&self) -> Result<(), ToolFailure> {
        if self.interrupt.is_requested() { Err(ToolFailure::interrupted()) } else { Ok(()) }
    }
}
