//! What a sandbox is to us: a command goes in, what it did comes out with evidence of the walls around it.
//!
//! A wall that the profile requires and the system lacks is a refusal, never a run without it.

mod command;
mod error;
mod report;
mod run;

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use command::{ExecutionLimits, Profile, SandboxCommand, StateAccess};
pub use error::SandboxError;
pub use report::{LayerReport, LayerState, SandboxReport};
pub use run::{CapturedOutput, Ending, SandboxEvidence, SandboxRun};

/// Asks a run to end. Whoever holds a clone can.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Asks.
    pub fn request(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether anybody asked.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Where commands run.
pub trait Sandbox: Debug + Send + Sync {
    /// Runs a command to its end, its time-out or its interruption; nothing of its process tree is left afterwards.
    ///
    /// # Errors
    /// A refusal that names the missing layer, or a command that cannot be started.
    fn run(&self, command: &SandboxCommand, interrupt: &Interrupt) -> Result<SandboxRun, SandboxError>;

    /// Tries every layer of every profile and says what is enforced here.
    ///
    /// # Errors
    /// The helper that tries them cannot be started.
    fn check(&self) -> Result<SandboxReport, SandboxError>;
}
