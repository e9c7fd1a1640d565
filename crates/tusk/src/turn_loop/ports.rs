//! What a driver reaches the world through. Each port does one thing and decides nothing.

use std::fmt::Debug;

use premath_bd::issues::Operation;
use premath_bd::{JournalEvent, StoreError, TurnGrant};
use premath_kernel::Value;

use super::event::WorkerReturn;
use super::machine::Machine;
use super::step::WorkerPlan;
use super::watch::{Decision, IntentOutcome, RunEvent};
use crate::model::{ModelError, ModelEvent, ModelRequest, ModelResponse, PortFuture};

/// The journal of a run.
pub trait RunJournal: Debug {
    /// Makes rows durable, all of them or none, with one sync.
    ///
    /// # Errors
    /// They are not.
    fn append(&mut self, rows: &[JournalEvent]) -> Result<(), StoreError>;

    /// The run has ended: what says how long the journal is becomes durable too.
    ///
    /// # Errors
    /// It is not.
    fn seal(&mut self) -> Result<(), StoreError>;
}

/// Whoever answers.
pub trait AnswerPort: Debug {
    /// Puts a request to the models of the run.
    fn answer<'a>(
        &'a mut self,
        request: &'a ModelRequest,
        watch: &'a mut (dyn FnMut(&ModelEvent) + Send),
    ) -> PortFuture<'a, Result<Answered, AnswerError>>;
}

/// An answer and who gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The model, as it is configured.
    pub reference: String,
    /// What it said.
    pub response: ModelResponse,
    /// What it cost, in millionths of a dollar.
    pub cost_micros: Option<u64>,
    /// Models that were tried or skipped before, one line each.
    pub attempts: Vec<String>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum AnswerError {
    /// Nobody answered.
    #[error("no model answered")]
    Model(#[source] ModelError),
    /// Somebody asked for the end.
    #[error("interrupted")]
    Interrupted,
}

/// Issue memory.
pub trait IssuePort: Debug {
    /// Stores the witness of the turn whose changes follow.
    ///
    /// # Errors
    /// It is not stored.
    fn witness(&mut self, record: &Value<'_>) -> Result<(), StoreError>;

    /// Makes one change, once.
    ///
    /// # Errors
    /// The store gave no answer.
    fn apply(&mut self, grant: TurnGrant, operation: &Operation) -> Result<IntentOutcome, StoreError>;

    /// What became of an intent that may have been applied by a process that died.
    ///
    /// # Errors
    /// The store gave no answer.
    fn found(&mut self, turn_digest: &str, intent_digest: &str) -> Result<Option<IntentOutcome>, StoreError>;
}

/// Content-addressed payloads, and the files of the workdir.
pub trait ObjectPort: Debug {
    /// Stores bytes and returns their address, `sha256:` and hexadecimal digits.
    ///
    /// # Errors
    /// They are not stored.
    fn store(&mut self, bytes: &[u8]) -> Result<String, StoreError>;

    /// The digest of what is there under an address or a path; none when there is nothing.
    ///
    /// # Errors
    /// It cannot be looked at.
    fn look(&mut self, reference: &str) -> Result<Option<String>, StoreError>;
}

/// A person, if there is one.
pub trait Person: Debug {
    /// Asks.
    fn decide(&mut self, question: &str) -> Decision;
}

/// Whoever runs workers.
pub trait Crew: Debug {
    /// Runs workers to their ends, all at once.
    ///
    /// # Errors
    /// They could not even begin.
    fn run(
        &mut self,
        parent: &Machine,
        plans: &[WorkerPlan],
        watch: &mut (dyn FnMut(&RunEvent<'_>) + Send),
    ) -> Result<Vec<WorkerReturn>, StoreError>;
}

/// Time since the run began.
pub trait Stopwatch: Debug {
    /// In milliseconds.
    fn elapsed_millis(&self) -> u64;
}
