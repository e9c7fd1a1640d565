//! What actions need of the world outside a repository: models to ask and a sandbox to run in.
//!
//! Only traits and plain data; the composition root names who implements them.

use std::fmt::Debug;

use premath_tusk::model::{ModelError, ModelEvent, ModelRequest, ModelResponse};
use premath_tusk::sandbox::{Interrupt, Sandbox, SandboxCommand, SandboxError, SandboxReport, SandboxRun};
use premath_wire::v1::{AttemptError, AttemptRow, ModelListing};
use premath_wire::{InputClass, InputError, JsonPath};

use crate::table::ActionError;

/// The models that can be asked.
pub trait ModelDoor: Debug + Sync {
    /// Every provider, and what is known of it.
    ///
    /// # Errors
    /// What is remembered of providers cannot be read.
    fn list(&self, probe: Probe, prices: ListedPrices) -> Result<ModelListing, ActionError>;

    /// Puts one question to the first model that answers. `watch` sees every event of that answer as it comes.
    ///
    /// # Errors
    /// A reference that names nothing, or no answer.
    fn ask(&self, question: &Question, watch: &mut dyn FnMut(&ModelEvent)) -> Result<Asked, ActionError>;
}

/// Whether providers are asked whether they are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe {
    /// Nobody is asked.
    Configuration,
    /// Each is asked for its models.
    Reach,
}

/// Which prices are listed with the providers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedPrices {
    /// Those of the default models and of the configuration.
    InUse,
    /// Every known one.
    All,
}

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The models to try, in order; none for those of the configuration.
    pub references: Vec<String>,
    /// What is asked.
    pub request: ModelRequest,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The model that answered, as it is configured.
    pub reference: String,
    /// What it said.
    pub response: ModelResponse,
    /// What it cost, where that is known.
    pub cost_micro_usd: Option<u64>,
    /// Models that were tried or skipped before.
    pub attempts: Vec<AttemptRow>,
}

/// No model answered: what became of each.
#[derive(Debug, thiserror::Error)]
#[error("model.{}: {}", error.kind.as_str(), told(error, attempts))]
pub struct ModelFailure {
    /// Why the last one did not.
    pub error: ModelError,
    /// All of them, the last one included.
    pub attempts: Vec<AttemptRow>,
}

fn told(error: &ModelError, attempts: &[AttemptRow]) -> String {
    let each: Vec<String> = attempts.iter().map(attempted).collect();
    match each.as_slice() {
        [] => error.message.clone(),
        [one] => one.clone(),
        all => format!("none of {} models answered: {}", all.len(), all.join("; ")),
    }
}

fn attempted(attempt: &AttemptRow) -> String {
    let model = &attempt.model;
    match (&attempt.error, &attempt.cooling_until) {
        (Some(error), _) => format!("`{model}`: {}", error.message),
        (None, Some(until)) => format!("`{model}` is cooling down until {until}"),
        (None, None) => format!("`{model}` did not answer"),
    }
}

/// An error of a model as answers show it.
#[must_use]
pub fn attempt_error(error: &ModelError) -> AttemptError {
    AttemptError {
        kind: error.kind.as_str().to_owned(),
        code: error.code.clone(),
        status: error.status,
        message: error.message.clone(),
        retry_after_ms: error.retry_after.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
        request_id: error.request_id.clone(),
    }
}

/// A door behind which there are no models.
#[derive(Debug)]
pub struct NoModels;

impl ModelDoor for NoModels {
    fn list(&self, _: Probe, _: ListedPrices) -> Result<ModelListing, ActionError> {
        let action = "model.list".to_owned();
        Ok(ModelListing { action, chain: Vec::new(), count: 0, items: Vec::new(), prices: Vec::new() })
    }

    fn ask(&self, _: &Question, _: &mut dyn FnMut(&ModelEvent)) -> Result<Asked, ActionError> {
        let place = JsonPath::root().key("models");
        Err(InputError::new(InputClass::FieldInvalid, "there are no models here", place).into())
    }
}

/// A place without a sandbox: nothing runs.
#[derive(Debug)]
pub struct NoSandbox;

impl Sandbox for NoSandbox {
    fn run(&self, _: &SandboxCommand, _: &Interrupt) -> Result<SandboxRun, SandboxError> {
        Err(SandboxError::NoSandbox)
    }

    fn check(&self) -> Result<SandboxReport, SandboxError> {
        Ok(SandboxReport { layers: Vec::new(), usable: Vec::new(), reading_history: Vec::new() })
    }
}
