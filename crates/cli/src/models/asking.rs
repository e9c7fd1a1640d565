//! Asking for real: the one place where the command waits for the network.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::join_all;
use premath_host::{ActionError, Asked, Heard, Question, Setting, attempt_error, circuits_failed, converse};
use premath_models::provider::{ProviderConfig, check};
use premath_models::transport::HttpTransport;
use premath_tusk::model::{
    Chain, Circuit, CircuitError, CircuitStore, MemoryCircuits, ModelError, ModelErrorKind, ModelEvent,
};
use premath_wire::v1::ProviderCheck;
use tokio::runtime::Runtime;

use super::reference::{Resolver, http};
use super::{Models, config, no_answer};
use crate::settings::models::ProviderSetting;
use crate::{output, render, system};

/// What has to be done when an exchange is over: whatever is recorded goes to its file.
pub(crate) type Finish = Box<dyn Fn() -> Result<(), String> + Send>;

/// The chain of these models, or of those of the configuration.
pub(super) fn chain(models: &Models, references: &[String]) -> Result<(Chain, Finish), ActionError> {
    let configured = models.settings.chain().value;
    let references = if references.is_empty() { &configured } else { references };
    let mut resolver = Resolver::new(models);
    let candidates = resolver.candidates(references)?;
    let shared = candidates.iter().map(|candidate| candidate.provider.clone()).find(|name| is_shared(name));
    if let Some(provider) = &shared {
        // What could not be written down afterwards is not asked in the first place.
        models.circuits.record(provider, &mut |circuit| circuit).map_err(circuits_failed)?;
    }
    let circuits = Circuits {
        shared: shared.is_some().then(|| Arc::clone(&models.circuits)),
        own: MemoryCircuits::default(),
    };
    let chain = Chain { candidates, circuits: Arc::new(circuits), clock: Arc::clone(&models.clock) };
    Ok((chain, resolver.into_finish()))
}

/// Puts a question to the first model that answers.
pub(super) fn ask(
    models: &Models,
    question: &Question,
    watch: &mut dyn FnMut(&ModelEvent),
) -> Result<Asked, ActionError> {
    let (chain, finish) = chain(models, &question.references)?;
    let answer = runtime()?.block_on(converse(&chain, &question.request, watch));
    if let Err(why) = finish() {
        // The answer is there, and somebody may have paid for it.
        output::warning(&render::plain(&why));
    }
    let Heard { reference, response, attempts } = answer?;
    let name = response.model.as_deref().unwrap_or_default();
    let asked_for = reference.split_once(':').map_or("", |(_, name)| name);
    let prices = models.prices()?;
    let cost = prices.cost(asked_for, &response.usage).or_else(|| prices.cost(name, &response.usage));
    Ok(Asked { cost_micro_usd: cost.map(|cost| cost.microdollars()), reference, response, attempts })
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

/// No provider of the configuration has a colon in its name; scripts and recordings do.
fn is_shared(provider: &str) -> bool {
    !provider.contains(':')
}

/// What is remembered of providers is shared; scripts and recordings are nobody's provider and are forgotten.
#[derive(Debug)]
struct Circuits {
    shared: Option<Arc<dyn CircuitStore>>,
    own: MemoryCircuits,
}

impl CircuitStore for Circuits {
    fn all(&self) -> Result<BTreeMap<String, Circuit>, CircuitError> {
        let mut all = self.own.all()?;
        if let Some(shared) = &self.shared {
            all.extend(shared.all()?);
        }
        Ok(all)
    }

    fn record(
        &self,
        provider: &str,
        change: &mut dyn FnMut(Circuit) -> Circuit,
    ) -> Result<Circuit, CircuitError> {
        match &self.shared {
            Some(shared) if is_shared(provider) => shared.record(provider, change),
            Some(_) | None => self.own.record(provider, change),
        }
    }
}
