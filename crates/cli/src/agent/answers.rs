//! Models that answer turn after turn: one event loop, one set of connections, one chain for a whole run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use premath_host::{ActionError, converse};
use premath_kernel::Moment;
use premath_models::price::PriceTable;
use premath_tusk::Clock;
use premath_tusk::model::{
    Chain, Circuit, CircuitError, CircuitStore, ModelError, ModelErrorKind, ModelEvent, ModelRequest,
    PortFuture,
};
use premath_tusk::sandbox::Interrupt;
use premath_tusk::turn_loop::{AnswerError, AnswerPort, Answered};
use tokio::runtime::Runtime;

use crate::models::{Finish, Models, runtime};

/// How often somebody's wish to end is looked for while a model answers.
const LOOK: Duration = Duration::from_millis(20);
/// A success is written down again after this long; until then the last one says enough.
const NEWS: i64 = 60;

/// Opens the models of a run.
pub(super) fn open(
    models: &Models,
    references: &[String],
    interrupt: Interrupt,
) -> Result<Box<dyn AnswerPort + Send>, ActionError> {
    let (mut chain, finish) = models.chain(references)?;
    chain.circuits = Arc::new(QuietSuccesses {
        inner: Arc::clone(&chain.circuits),
        clock: Arc::clone(&chain.clock),
        told: Mutex::default(),
    });
    Ok(Box::new(Session { runtime: runtime()?, chain, prices: models.prices()?, interrupt, finish }))
}

struct Session {
    runtime: Runtime,
    chain: Chain,
    prices: PriceTable,
    interrupt: Interrupt,
    finish: Finish,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Session").field("chain", &self.chain).finish_non_exhaustive()
    }
}

impl Session {
    fn ask(
        &self,
        request: &ModelRequest,
        watch: &mut (dyn FnMut(&ModelEvent) + Send),
    ) -> Result<Answered, AnswerError> {
        let mut seen = |event: &ModelEvent| watch(event);
        let heard = self.runtime.block_on(async {
            tokio::select! {
                biased;
                heard = converse(&self.chain, request, &mut seen) => heard.map_err(told),
                () = asked_to_end(&self.interrupt) => Err(AnswerError::Interrupted),
            }
        })?;
        if let Err(why) = (self.finish)() {
            crate::output::warning(&crate::render::plain(&why));
        }
        let name = heard.response.model.as_deref().unwrap_or_default();
        let asked_for = heard.reference.split_once(':').map_or("", |(_, name)| name);
        let usage = &heard.response.usage;
        let cost = self.prices.cost(asked_for, usage).or_else(|| self.prices.cost(name, usage));
        let attempts = heard.attempts.iter().map(|attempt| {
            let why = attempt.error.as_ref().map_or("cooling down", |error| error.message.as_str());
            premath_tusk::context::plain_line(&format!("{}: {why}", attempt.model), 400)
        });
        Ok(Answered {
            cost_micros: cost.map(|cost| cost.microdollars()),
            attempts: attempts.collect(),
            reference: heard.reference,
            response: heard.response,
        })
    }
}

impl AnswerPort for Session {
    fn answer<'a>(
        &'a mut self,
        request: &'a ModelRequest,
        watch: &'a mut (dyn FnMut(&ModelEvent) + Send),
    ) -> PortFuture<'a, Result<Answered, AnswerError>> {
        // A command has a thread to itself: it waits here, and whoever polls finds the answer.
        Box::pin(std::future::ready(self.ask(request, watch)))
    }
}

async fn asked_to_end(interrupt: &Interrupt) {
    while !interrupt.is_requested() {
        tokio::time::sleep(LOOK).await;
    }
}

fn told(error: ActionError) -> AnswerError {
    match error {
        ActionError::Model(failure) => AnswerError::Model(failure.error),
        ActionError::Unknown { .. }
        | ActionError::Input(_)
        | ActionError::Envelope(_)
        | ActionError::Source(_)
        | ActionError::Store(_)
        | ActionError::Sandbox(_)
        | ActionError::NotRetained { .. }
        | ActionError::Unavailable { .. }
        | ActionError::Unwritable { .. } => {
            AnswerError::Model(ModelError::new(ModelErrorKind::Unknown, "circuit_store", error.to_string()))
        }
    }
}

/// Circuits of a long conversation: a success that only repeats the last one is not news, and is not worth a sync.
#[derive(Debug)]
struct QuietSuccesses {
    inner: Arc<dyn CircuitStore>,
    clock: Arc<dyn Clock>,
    told: Mutex<BTreeMap<String, Moment>>,
}

impl CircuitStore for QuietSuccesses {
    fn all(&self) -> Result<BTreeMap<String, Circuit>, CircuitError> {
        self.inner.all()
    }

    fn record(
        &self,
        provider: &str,
        change: &mut dyn FnMut(Circuit) -> Circuit,
    ) -> Result<Circuit, CircuitError> {
        let now = self.clock.now();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = change(Circuit::default());
        let is_success = wanted.last_success.is_some() && wanted.last_failure.is_none();
        let is_recent = told.get(provider).is_some_and(|then| now.seconds() - then.seconds() < NEWS);
        if is_success && is_recent {
            return Ok(wanted);
        }
        let recorded = self.inner.record(provider, change)?;
        if is_success {
            told.insert(provider.to_owned(), now);
        } else {
            told.remove(provider);
        }
        Ok(recorded)
    }
}
