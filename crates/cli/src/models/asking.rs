//! Asking for real: the one place where the command waits for the network.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use premath_host::{ActionError, Asked, ModelFailure, Question, Setting, attempt_error};
use premath_models::provider::{ProviderConfig, check};
use premath_models::transport::HttpTransport;
use premath_tusk::model::{Attempt, AttemptOutcome, Chain, ChainError, ChainFailure};
use premath_tusk::model::{
    Circuit, CircuitError, CircuitStore, Collector, MemoryCircuits, ModelError, ModelErrorKind, ModelEvent,
    ModelRequest, ModelResponse,
};
use premath_wire::time::format_time;
use premath_wire::v1::{AttemptRow, ProviderCheck};
use tokio::runtime::Runtime;

use super::reference::{Resolver, http};
use super::{Models, config, no_answer};
use crate::settings::models::ProviderSetting;
use crate::system;

/// Puts a question to the first model that answers.
pub(super) fn ask(
    models: &Models,
    question: &Question,
    watch: &mut dyn FnMut(&ModelEvent),
) -> Result<Asked, ActionError> {
    let configured = models.settings.chain().value;
    let references = if question.references.is_empty() { &configured } else { &question.references };
    let mut resolver = Resolver::new(models);
    let candidates = resolver.candidates(references)?;
    let circuits =
        Arc::new(Circuits { shared: Arc::clone(&models.circuits), own: MemoryCircuits::default() });
    let chain = Chain { candidates, circuits, clock: Arc::clone(&models.clock) };
    let answer = runtime()?.block_on(converse(&chain, &question.request, watch));
    resolver.finish()?;
    let (reference, response, attempts) = answer?;
    let name = response.model.as_deref().unwrap_or_default();
    let asked_for = reference.split_once(':').map_or("", |(_, name)| name);
    let prices = models.prices();
    let cost = prices.cost(asked_for, &response.usage).or_else(|| prices.cost(name, &response.usage));
    Ok(Asked { cost_micro_usd: cost.map(|cost| cost.microdollars()), reference, response, attempts })
}

async fn converse(
    chain: &Chain,
    request: &ModelRequest,
    watch: &mut dyn FnMut(&ModelEvent),
) -> Result<(String, ModelResponse, Vec<AttemptRow>), ActionError> {
    let mut answer = chain.start(&|_| request.clone()).await.map_err(|error| nobody(&error))?;
    let mut attempts: Vec<AttemptRow> = answer.attempts.iter().map(attempt_row).collect();
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
        Ok(response) => Ok((answer.reference, response, attempts)),
        Err(error) => Err(broken(&answer.reference, error, std::mem::take(&mut attempts))),
    }
}

/// An answer that began and did not end.
fn broken(reference: &str, error: ModelError, mut attempts: Vec<AttemptRow>) -> ActionError {
    let outcome = AttemptOutcome::Failed(error.clone());
    attempts.push(attempt_row(&Attempt { reference: reference.to_owned(), outcome }));
    ActionError::Model(Box::new(ModelFailure { error, attempts }))
}

/// Nobody answered. Where somebody is only cooling down, waiting helps, and that is what is said.
fn nobody(error: &ChainError) -> ActionError {
    let attempts: Vec<AttemptRow> = error.attempts.iter().map(attempt_row).collect();
    let last = match (&error.cause, error.attempts.last().map(|attempt| &attempt.outcome)) {
        (ChainFailure::CircuitStore(cause), _) => return super::circuits_failed(cause),
        (_, Some(AttemptOutcome::Failed(error))) => error.clone(),
        (_, Some(AttemptOutcome::CoolingDown { until })) => {
            let message = format!("its provider is cooling down until {}", format_time(*until));
            ModelError::new(ModelErrorKind::RateLimit, "cooling_down", message)
        }
        (_, None) => ModelError::new(ModelErrorKind::Model, error.code(), error.to_string()),
    };
    ActionError::Model(Box::new(ModelFailure { error: last, attempts }))
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

/// Asks every provider whether it is there, all at once.
pub(super) fn check_all(
    models: &Models,
    providers: &BTreeMap<String, Setting<ProviderSetting>>,
) -> Result<Vec<ProviderCheck>, ActionError> {
    let transport = http(models.http_settings())?;
    let checks = providers.iter().map(|(name, setting)| check_one(config(name, &setting.value), &transport));
    Ok(runtime()?.block_on(join_all(checks)))
}

async fn check_one(config: Result<ProviderConfig, ModelError>, transport: &HttpTransport) -> ProviderCheck {
    let since = system::stopwatch();
    let checked = match &config {
        Ok(config) => check(config, transport).await,
        Err(error) => Err(error.clone()),
    };
    let duration_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
    match checked {
        Ok(reachable) => ProviderCheck {
            reachable: true,
            duration_ms,
            models: u64::try_from(reachable.models.len()).ok(),
            error: None,
        },
        Err(error) => {
            ProviderCheck { reachable: false, duration_ms, models: None, error: Some(attempt_error(&error)) }
        }
    }
}

/// One thread is enough for one question.
pub(crate) fn runtime() -> Result<Runtime, ActionError> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        let message = format!("the system gives no event loop: {error}");
        no_answer(ModelError::new(ModelErrorKind::Unavailable, "runtime", message))
    })
}

/// What is remembered of providers is shared; scripts and recordings are nobody's provider and are forgotten.
#[derive(Debug)]
struct Circuits {
    shared: Arc<dyn CircuitStore>,
    own: MemoryCircuits,
}

impl Circuits {
    fn store(&self, provider: &str) -> &dyn CircuitStore {
        // No provider of the configuration has a colon in its name.
        if provider.contains(':') { &self.own } else { self.shared.as_ref() }
    }
}

impl CircuitStore for Circuits {
    fn all(&self) -> Result<BTreeMap<String, Circuit>, CircuitError> {
        let mut all = self.shared.all()?;
        all.extend(self.own.all()?);
        Ok(all)
    }

    fn record(
        &self,
        provider: &str,
        change: &mut dyn FnMut(Circuit) -> Circuit,
    ) -> Result<Circuit, CircuitError> {
        self.store(provider).record(provider, change)
    }
}
