//! One request to a chain of models, from its first event to a whole answer, and what is told when there is none.
//!
//! It must not choose a model (the chain does) and must not wait for anything but the stream: whoever calls it brings the
//! event loop.

use futures_util::StreamExt as _;
use premath_bd::StoreError;
use premath_tusk::model::{
    Attempt, AttemptOutcome, Chain, ChainError, ChainFailure, CircuitError, Collector, ModelError,
    ModelErrorKind, ModelEvent, ModelRequest, ModelResponse,
};
use premath_wire::time::format_time;
use premath_wire::v1::AttemptRow;

use crate::outside::{ModelFailure, attempt_error};
use crate::table::ActionError;

/// An answer, who gave it, and who did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The model that answered, as it is configured.
    pub reference: String,
    /// What it said.
    pub response: ModelResponse,
    /// Models that were tried or skipped before.
    pub attempts: Vec<AttemptRow>,
}

/// Puts one request to a chain of models; `watch` sees every event of the answer as it comes.
///
/// # Errors
/// Nobody answered, the answer broke off, or what is remembered of providers cannot be used.
pub async fn converse(
    chain: &Chain,
    request: &ModelRequest,
    watch: &mut dyn FnMut(&ModelEvent),
) -> Result<Heard, ActionError> {
    let mut answer = chain.start(&|_| request.clone()).await.map_err(nobody)?;
    let attempts: Vec<AttemptRow> = answer.attempts.iter().map(attempt_row).collect();
    let mut collector = Collector::default();
    while let Some(event) = answer.stream.next().await {
        match event {
            Ok(event) => {
                watch(&event);
                collector.take(event);
            }
            Err(error) => return Err(broken(&answer.reference, error, attempts)),
        }
    }
    match collector.finish() {
        Ok(response) => Ok(Heard { reference: answer.reference, response, attempts }),
        Err(error) => Err(broken(&answer.reference, error, attempts)),
    }
}

/// An answer that began and did not end.
fn broken(reference: &str, error: ModelError, mut attempts: Vec<AttemptRow>) -> ActionError {
    let outcome = AttemptOutcome::Failed(error.clone());
    attempts.push(attempt_row(&Attempt { reference: reference.to_owned(), outcome }));
    ActionError::Model(Box::new(ModelFailure { error, attempts }))
}

/// Nobody answered. Where waiting may help, that is what is said; else why the last one did not.
fn nobody(error: ChainError) -> ActionError {
    let attempts: Vec<AttemptRow> = error.attempts.iter().map(attempt_row).collect();
    let code = error.code();
    if let ChainFailure::CircuitStore(cause) = error.cause {
        return circuits_failed(cause);
    }
    let failures: Vec<ModelError> = error.attempts.into_iter().map(failure).collect();
    let helps =
        |error: &&ModelError| matches!(error.kind, ModelErrorKind::RateLimit | ModelErrorKind::Overloaded);
    let told = failures.iter().find(helps).or_else(|| failures.last()).cloned();
    let told = told.unwrap_or_else(|| ModelError::new(ModelErrorKind::Model, code, "no model is configured"));
    ActionError::Model(Box::new(ModelFailure { error: told, attempts }))
}

fn failure(attempt: Attempt) -> ModelError {
    match attempt.outcome {
        AttemptOutcome::Failed(error) => error,
        AttemptOutcome::CoolingDown { until } => {
            let message = format!("cooling down until {}", format_time(until));
            ModelError::new(ModelErrorKind::RateLimit, "cooling_down", message)
        }
    }
}

fn attempt_row(attempt: &Attempt) -> AttemptRow {
    let model = attempt.reference.clone();
    match &attempt.outcome {
        AttemptOutcome::CoolingDown { until } => {
            AttemptRow { model, cooling_until: Some(format_time(*until)), error: None }
        }
        AttemptOutcome::Failed(error) => {
            AttemptRow { model, cooling_until: None, error: Some(attempt_error(error)) }
        }
    }
}

/// What is remembered of providers is a store like any other, and fails like one.
#[must_use]
pub fn circuits_failed(error: CircuitError) -> ActionError {
    let (CircuitError::Read { source } | CircuitError::Write { source, .. }) = error;
    match source.downcast::<StoreError>() {
        Ok(error) => ActionError::Store(*error),
        Err(source) => {
            let message = format!("what is remembered of providers cannot be used: {source}");
            let error = ModelError::new(ModelErrorKind::Unknown, "circuit_store", message);
            ActionError::Model(Box::new(ModelFailure { error, attempts: Vec::new() }))
        }
    }
}
