//! Why a chain gave no answer.

use crate::model::CircuitError;

use super::{Attempt, AttemptOutcome};

/// Why a chain gave no answer, and what was tried.
#[derive(Debug, thiserror::Error)]
#[error("{cause}{}", last(.attempts))]
pub struct ChainError {
    /// Who did not answer, in order.
    pub attempts: Vec<Attempt>,
    /// Why it ended.
    #[source]
    pub cause: ChainFailure,
}

/// Why a chain ended without an answer.
#[derive(Debug, thiserror::Error)]
pub enum ChainFailure {
    /// There is no candidate.
    #[error("no model is configured")]
    NoCandidate,
    /// All of them were tried or passed over.
    #[error("no model answered")]
    NobodyAnswered,
    /// What is known about the providers cannot be read or written.
    #[error("whether a provider may be asked is not known")]
    CircuitStore(#[source] CircuitError),
}

impl ChainError {
    /// The code that documents use.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self.cause {
            ChainFailure::NoCandidate => "no_candidate",
            ChainFailure::NobodyAnswered => "no_answer",
            ChainFailure::CircuitStore(_) => "circuit_store",
        }
    }
}

/// The last candidate that was asked, or else the last one that was passed over: what a person looks at first.
fn last(attempts: &[Attempt]) -> String {
    let failed = attempts.iter().rev().find_map(|attempt| match &attempt.outcome {
        AttemptOutcome::Failed(error) => Some(format!("; `{}` failed: {error}", attempt.reference)),
        AttemptOutcome::CoolingDown { .. } => None,
    });
    let cooling = || attempts.last().map(|attempt| format!("; `{}` is cooling down", attempt.reference));
    failed.or_else(cooling).unwrap_or_default()
}
