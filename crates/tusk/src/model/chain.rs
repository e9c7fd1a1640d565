//! An ordered chain of models: the first that answers is the one that is heard, and nobody hears two.
//!
//! Whether a provider may be asked is its circuit's business (`Circuit`); what is kept of it goes
//! through a store that other processes share. A store that cannot be read or written ends the request: a limit that
//! cannot be known is not waved through (I9). It must not retry the same candidate and must not wait.

mod error;
mod stream;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use crate::Clock;
use crate::model::{
    CircuitStore, Model, ModelError, ModelErrorKind, ModelEvent, ModelRequest, ResponseStream,
};
use futures_util::StreamExt;
use premath_kernel::Moment;

pub use error::{ChainError, ChainFailure};

use self::stream::ChainStream;

/// One model that may answer.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The provider whose circuit counts.
    pub provider: String,
    /// The model.
    pub model: Arc<dyn Model>,
}

/// Models in the order in which they are asked.
#[derive(Debug, Clone)]
pub struct Chain {
    /// The models.
    pub candidates: Vec<Candidate>,
    /// What is known about their providers.
    pub circuits: Arc<dyn CircuitStore>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
}

/// A candidate that did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// `provider:model`.
    pub reference: String,
    /// Why not.
    pub outcome: AttemptOutcome,
}

/// Why a candidate did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// Its provider is to be left alone; it was not asked.
    CoolingDown {
        /// Until then.
        until: Moment,
    },
    /// It was asked and failed before it showed anything.
    Failed(ModelError),
}

/// An answer that has begun.
pub struct ChainAnswer {
    /// Who answers, as `provider:model`.
    pub reference: String,
    /// Who did not, in order.
    pub attempts: Vec<Attempt>,
    /// The events of the one that answers. When it fails now, that is the end.
    pub stream: ResponseStream,
}

impl fmt::Debug for ChainAnswer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ChainAnswer")
            .field("reference", &self.reference)
            .field("attempts", &self.attempts)
            .finish_non_exhaustive()
    }
}

impl Chain {
    /// Asks one candidate after the other until one shows something. `build` makes the request for a candidate, so that
    /// the tools it offers are those of the provider that answers.
    ///
    /// # Errors
    /// Nobody answered, or the circuits cannot be read or written.
    pub async fn start(
        &self,
        build: &(dyn Fn(&Candidate) -> ModelRequest + Sync),
    ) -> Result<ChainAnswer, ChainError> {
        let mut attempts = Vec::new();
        for candidate in &self.candidates {
            let reference = candidate.model.reference().to_owned();
            // Read again for every candidate: one that failed a moment ago may belong to the same provider.
            match self.cooling_until(&candidate.provider) {
                Ok(None) => {}
                Ok(Some(until)) => {
                    attempts.push(Attempt { reference, outcome: AttemptOutcome::CoolingDown { until } });
                    continue;
                }
                Err(cause) => return Err(ChainError { attempts, cause }),
            }
            match first_events(candidate, &build(candidate)).await {
                Ok((begun, stream)) => {
                    let stream = Box::pin(ChainStream::new(begun, stream, self.recorder(candidate)));
                    return Ok(ChainAnswer { reference, attempts, stream });
                }
                Err(error) => {
                    let recorded = self.recorder(candidate).failure(&error);
                    attempts.push(Attempt { reference, outcome: AttemptOutcome::Failed(error) });
                    if let Err(cause) = recorded {
                        return Err(ChainError { attempts, cause: ChainFailure::CircuitStore(cause) });
                    }
                }
            }
        }
        let cause =
            if attempts.is_empty() { ChainFailure::NoCandidate } else { ChainFailure::NobodyAnswered };
        Err(ChainError { attempts, cause })
    }

    fn cooling_until(&self, provider: &str) -> Result<Option<Moment>, ChainFailure> {
        let circuits = self.circuits.all().map_err(ChainFailure::CircuitStore)?;
        let now = self.clock.now();
        let cooling = circuits.get(provider).filter(|circuit| circuit.is_cooling(now));
        Ok(cooling.and_then(|circuit| circuit.cooling_until))
    }

    fn recorder(&self, candidate: &Candidate) -> stream::Recorder {
        stream::Recorder {
            provider: candidate.provider.clone(),
            circuits: Arc::clone(&self.circuits),
            clock: Arc::clone(&self.clock),
        }
    }
}

/// Asks a candidate and waits until it shows something. That it began is not yet something: until then the next
/// candidate can still take over unseen.
async fn first_events(
    candidate: &Candidate,
    request: &ModelRequest,
) -> Result<(Vec<ModelEvent>, ResponseStream), ModelError> {
    let mut stream = candidate.model.start(request).await?;
    let mut begun = Vec::new();
    while let Some(event) = stream.next().await {
        let event = event?;
        let shows = !matches!(event, ModelEvent::Started { .. });
        begun.push(event);
        if shows {
            return Ok((begun, stream));
        }
    }
    Err(ended())
}

/// A stream that ended without saying so.
fn ended() -> ModelError {
    ModelError::new(ModelErrorKind::Unavailable, "stream_cut", "the answer did not finish")
}
