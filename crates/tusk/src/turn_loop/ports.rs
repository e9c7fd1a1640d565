//! What a driver reaches the world through. Each port does one thing and decides nothing.

use std::fmt::Debug;

use premath_bd::{Change, JournalEvent, StoreError, TurnGrant};
use premath_kernel::Value;

use super::event::WorkerReturn;
use super::machine::Machine;
use super::people::{Confirmation, PlanDecision};
use super::step::{PlannedCall, WorkerPlan};
use super::watch::{Decision, IntentOutcome, RunEvent};
use crate::evidence::CallOutcome;
use crate::model::{ModelError, ModelEvent, ModelRequest, ModelResponse, PortFuture};
use crate::policy::{GovernedCall, Judged, Redaction, SecretPlace, Target};

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

/// What closed turns change: issue memory, the desk, what waits for people.
pub trait IssuePort: Debug {
    /// Stores the witnesses of the turn whose changes follow.
    ///
    /// # Errors
    /// They are not stored.
    fn witness(&mut self, records: &[Value<'_>]) -> Result<(), StoreError>;

    /// Makes one change, once.
    ///
    /// # Errors
    /// The store gave no answer.
    fn apply(&mut self, grant: TurnGrant, change: &Change) -> Result<IntentOutcome, StoreError>;

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

/// Why a person looks at a turn before anything of it runs.
#[derive(Debug, Clone, Copy)]
pub struct Checkpoint<'c> {
    /// The run.
    pub run_id: &'c str,
    /// The turn.
    pub call_id: &'c str,
    /// Why they look.
    pub question: &'c str,
    /// What would run.
    pub calls: &'c [PlannedCall],
}

/// A call that a person has to agree to.
#[derive(Debug)]
pub struct AskedConfirmation<'c> {
    /// The run.
    pub run_id: &'c str,
    /// The turn.
    pub call_id: &'c str,
    /// The call.
    pub call: &'c PlannedCall,
    /// What it is about, looked up now; none when that cannot be found out any more.
    pub targets: Option<Vec<Target>>,
    /// The digest of what its arguments mean.
    pub arguments_digest: String,
    /// What it would change, as a unified diff.
    pub preview: Option<String>,
    /// Whether it is asked about because of secrets in its arguments.
    pub secrets: SecretUse,
}

/// What a call that is asked about does with secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretUse {
    /// It has none.
    None,
    /// The run holds them.
    Held(Vec<SecretPlace>),
    /// It was asked about in a process that has ended, and nobody holds them any more.
    Gone,
}

/// People, if there are any. Whatever they decide is durable before it is told.
pub trait Person: Debug {
    /// Asks whether to go on.
    ///
    /// # Errors
    /// What was asked or decided cannot be kept.
    fn decide(&mut self, checkpoint: &Checkpoint<'_>) -> Result<Decision, StoreError>;

    /// Asks about calls, all at once.
    ///
    /// # Errors
    /// What was asked or decided cannot be kept.
    fn confirm(&mut self, asked: &[AskedConfirmation<'_>]) -> Result<Vec<Confirmation>, StoreError>;

    /// Asks about a plan, and has it carried out when they agree.
    ///
    /// # Errors
    /// What was asked or decided cannot be kept.
    fn plan(&mut self, proposal_id: &str) -> Result<PlanDecision, StoreError>;
}

/// Policy.
pub trait PolicyPort: Debug + Sync {
    /// Looks at what a model said and decides about its calls; what it decides is on record before it is told.
    ///
    /// # Errors
    /// It cannot be put on record.
    fn judge(&mut self, call_id: &str, said: &str, calls: &[GovernedCall<'_>]) -> Result<Judged, StoreError>;

    /// Looks again at calls that waited for a person, and names those that are not allowed any more. That is on record before
    /// it is told.
    ///
    /// # Errors
    /// It cannot be put on record.
    fn again(&mut self, call_id: &str, calls: &[GovernedCall<'_>]) -> Result<Vec<String>, StoreError>;

    /// Counts what an answer cost, before anything follows from it.
    ///
    /// # Errors
    /// It cannot be counted.
    fn charge(&mut self, cost_micros: u64) -> Result<(), StoreError>;

    /// Looks at what came of a call before anybody sees or keeps it.
    ///
    /// # Errors
    /// What it decides cannot be put on record.
    fn review(&mut self, call_id: &str, tool: &str, outcome: CallOutcome) -> Result<CallOutcome, StoreError>;

    /// A text without secrets.
    fn redact(&self, text: &str) -> String;

    /// The same, with what was taken out, for the memory of a run. One that does not say what it was has nothing put back.
    fn redaction(&self, text: &str) -> Redaction {
        Redaction { text: self.redact(text), removed: Vec::new() }
    }
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
pub trait Stopwatch: Debug + Sync {
    /// In milliseconds.
    fn elapsed_millis(&self) -> u64;

    /// In microseconds.
    fn elapsed_micros(&self) -> u64 {
        self.elapsed_millis().saturating_mul(1000)
    }
}
