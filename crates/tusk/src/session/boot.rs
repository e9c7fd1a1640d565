//! Boot: from what was found in a repository to whether work may begin, and with what.
//!
//! A graph that contradicts itself stops everything; a verification that fails before any work is evidence and stops
//! nothing. Must not look for anything by itself.

use super::event::Checked;

/// What an earlier session left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handoff {
    /// Its name.
    pub session_id: String,
    /// Whether it ended in order.
    pub is_stopped: bool,
    /// The issue it worked on.
    pub issue_id: Option<String>,
    /// What it said to do next.
    pub next_step: Option<String>,
    /// Whether issue memory is as it was then; none when it did not say.
    pub snapshot_matches: Option<bool>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BootFacts {
    /// What is wrong with the graph of open issues.
    pub graph_classes: Vec<String>,
    /// What an earlier session left.
    pub handoff: Option<Handoff>,
    /// The issue that this worker holds still.
    pub own_issue: Option<String>,
    /// The issue that would be taken next.
    pub first_ready: Option<String>,
    /// The verification before any work.
    pub baseline: Option<Checked>,
}

/// How a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BootMode {
    /// There was none before.
    Fresh,
    /// The one before ended in order.
    Resume,
    /// The one before did not end: it was killed, or goes on elsewhere.
    Attach,
}

impl BootMode {
    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Resume => "resume",
            Self::Attach => "attach",
        }
    }
}

/// What a boot comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boot {
    /// How the session begins.
    pub mode: BootMode,
    /// The issue to work on: what this worker holds still, else what would be taken next.
    pub target: Option<String>,
    /// The issue that this worker holds still.
    pub resumes: Option<String>,
    /// Why no work may begin; none when it may.
    pub refused: Vec<String>,
    /// Whether the verification passed before any work; none when there was none.
    pub baseline_passed: Option<bool>,
}

/// Whether work may begin, and with what.
#[must_use]
pub fn boot(facts: &BootFacts) -> Boot {
    let mode = match &facts.handoff {
        None => BootMode::Fresh,
        Some(handoff) if handoff.is_stopped => BootMode::Resume,
        Some(_) => BootMode::Attach,
    };
    let mut refused = facts.graph_classes.clone();
    refused.sort_unstable();
    refused.dedup();
    Boot {
        mode,
        target: facts.own_issue.clone().or_else(|| facts.first_ready.clone()),
        resumes: facts.own_issue.clone(),
        refused,
        baseline_passed: facts.baseline.as_ref().map(Checked::is_passed),
    }
}
