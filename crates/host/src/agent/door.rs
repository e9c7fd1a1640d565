//! What a run needs of the world outside a repository. Only a trait and plain data; the composition root implements it.

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::StoreError;
use premath_tusk::sandbox::{Interrupt, Sandbox};
use premath_tusk::tools::files::WorkFiles;
use premath_tusk::turn_loop::{
    AnswerPort, AskedConfirmation, Checkpoint, Confirmation, Decision, Person, PlanDecision, Stopwatch,
};

use crate::table::ActionError;

/// The world outside, as a run sees it. Workers are run on threads of their own, so it is shared between them.
pub trait AgentDoor: Debug + Sync {
    /// The folder that tools work in.
    ///
    /// # Errors
    /// There is none.
    fn workdir(&self) -> Result<PathBuf, ActionError>;

    /// The files below it.
    ///
    /// # Errors
    /// They cannot be reached safely here.
    fn files(&self) -> Result<Arc<dyn WorkFiles>, ActionError>;

    /// Where commands run.
    fn sandbox(&self) -> Arc<dyn Sandbox>;

    /// The models that are asked when nobody names others.
    fn default_models(&self) -> Vec<String>;

    /// Whoever answers in the name of these models, in order.
    ///
    /// # Errors
    /// A reference that names nothing.
    fn answers(&self, references: &[String]) -> Result<Box<dyn AnswerPort + Send>, ActionError>;

    /// A person, if there is one.
    fn person(&self) -> Box<dyn Person>;

    /// Time from now on.
    fn stopwatch(&self) -> Box<dyn Stopwatch>;

    /// What asks every run of this door to end.
    fn interrupt(&self) -> Interrupt;
}

/// Nobody is there.
#[derive(Debug)]
pub struct NoPerson;

impl Person for NoPerson {
    fn decide(&mut self, _: &Checkpoint<'_>) -> Result<Decision, StoreError> {
        Ok(Decision::NoAnswer)
    }

    fn confirm(&mut self, _: &[AskedConfirmation<'_>]) -> Result<Vec<Confirmation>, StoreError> {
        Ok(Vec::new())
    }

    fn plan(&mut self, proposal_id: &str) -> Result<PlanDecision, StoreError> {
        let (proposal_id, state) = (proposal_id.to_owned(), "pending".to_owned());
        Ok(PlanDecision { proposal_id, state, steps: Vec::new() })
    }
}

/// A place where no agent runs.
#[derive(Debug)]
pub struct NoAgent;

fn nothing<T>() -> Result<T, ActionError> {
    Err(ActionError::Unavailable {
        what: "no agent can run here".to_owned(),
        hint: "use `premath run` in a repository".to_owned(),
    })
}

#[derive(Debug)]
struct Stopped;

impl Stopwatch for Stopped {
    fn elapsed_millis(&self) -> u64 {
        0
    }
}

impl AgentDoor for NoAgent {
    fn workdir(&self) -> Result<PathBuf, ActionError> {
        nothing()
    }

    fn files(&self) -> Result<Arc<dyn WorkFiles>, ActionError> {
        nothing()
    }

    fn sandbox(&self) -> Arc<dyn Sandbox> {
        Arc::new(crate::outside::NoSandbox)
    }

    fn default_models(&self) -> Vec<String> {
        Vec::new()
    }

    fn answers(&self, _: &[String]) -> Result<Box<dyn AnswerPort + Send>, ActionError> {
        nothing()
    }

    fn person(&self) -> Box<dyn Person> {
        Box::new(NoPerson)
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        Box::new(Stopped)
    }

    fn interrupt(&self) -> Interrupt {
        Interrupt::default()
    }
}
