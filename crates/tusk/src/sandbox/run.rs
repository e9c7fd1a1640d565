//! What came of a command, and the evidence of it.

use std::path::PathBuf;
use std::time::Duration;

use super::command::Profile;

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxRun {
    /// How it ended.
    pub ending: Ending,
    /// Standard output.
    pub stdout: CapturedOutput,
    /// Standard error.
    pub stderr: CapturedOutput,
    /// What can be shown of the run later.
    pub evidence: SandboxEvidence,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that was not ours.
    Signalled(i32),
    /// Its time was over; its tree was killed.
    TimedOut,
    /// Somebody asked it to end; its tree was killed.
    Interrupted,
    /// It took more disk space than its limit; its tree was killed.
    DiskLimit,
}

/// Output with its middle cut out where it was too long.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CapturedOutput {
    /// The first bytes; all of them when nothing was cut.
    pub head: Vec<u8>,
    /// The last bytes; empty when nothing was cut.
    pub tail: Vec<u8>,
    /// How many bytes were written in all.
    pub total_bytes: u64,
}

impl CapturedOutput {
    /// How many bytes are not here.
    #[must_use]
    pub fn cut_bytes(&self) -> u64 {
        let kept = u64::try_from(self.head.len() + self.tail.len()).unwrap_or(u64::MAX);
        self.total_bytes.saturating_sub(kept)
    }
}

/// What can be shown of a run later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxEvidence {
    /// Where it ran, resolved.
    pub workdir: PathBuf,
    /// The profile.
    pub profile: Profile,
    /// The digest of everything the profile came to here: rules, filters, limits, layers.
    pub profile_digest: String,
    /// The digest of program, arguments, workdir, environment names and standard input.
    pub command_digest: String,
    /// The layers that were enforced, sorted.
    pub layers: Vec<String>,
    /// Whether an operator allowed it to run without a sandbox, and why.
    pub operator_override: Option<String>,
    /// From start to end.
    pub wall: Duration,
    /// Processor time of the tree, in user mode.
    pub user: Duration,
    /// Processor time of the tree, in the system.
    pub system: Duration,
}
