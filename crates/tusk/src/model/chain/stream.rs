//! The events of the candidate that answers, with the end written down: a success when it finished, a failure when it
//! did not. What is let go before its end says nothing about the provider, and is not written down.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use crate::Clock;
use crate::model::{CircuitError, CircuitStore, ModelError, ModelErrorKind, ModelEvent, ResponseStream};
use futures_core::Stream;

use super::ended;

/// Where the end is written down.
#[derive(Debug)]
pub(super) struct Recorder {
    pub(super) provider: String,
    pub(super) circuits: Arc<dyn CircuitStore>,
    pub(super) clock: Arc<dyn Clock>,
}

impl Recorder {
    pub(super) fn failure(&self, error: &ModelError) -> Result<(), CircuitError> {
        let now = self.clock.now();
        self.circuits.record(&self.provider, &mut |circuit| circuit.after_failure(error, now)).map(drop)
    }

    fn success(&self) -> Result<(), CircuitError> {
        let now = self.clock.now();
        self.circuits.record(&self.provider, &mut |circuit| circuit.after_success(now)).map(drop)
    }
}

/// The events of one candidate.
pub(super) struct ChainStream {
    begun: std::vec::IntoIter<ModelEvent>,
    /// Gone when it has ended.
    rest: Option<ResponseStream>,
    is_finished: bool,
    recorder: Recorder,
}

impl fmt::Debug for ChainStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ChainStream").field("recorder", &self.recorder).finish_non_exhaustive()
    }
}

impl ChainStream {
    pub(super) fn new(begun: Vec<ModelEvent>, rest: ResponseStream, recorder: Recorder) -> Self {
        Self { begun: begun.into_iter(), rest: Some(rest), is_finished: false, recorder }
    }

    fn event(&mut self, event: ModelEvent) -> Result<ModelEvent, ModelError> {
        if matches!(event, ModelEvent::Finished { .. }) {
            self.is_finished = true;
            self.recorder.success().map_err(|error| unwritten(&error))?;
        }
        Ok(event)
    }

    fn failure(&mut self, error: ModelError) -> ModelError {
        self.rest = None;
        match self.recorder.failure(&error) {
            Ok(()) => error.mid_answer(),
            Err(unrecorded) => unwritten(&unrecorded),
        }
    }
}

fn unwritten(error: &CircuitError) -> ModelError {
    let why = std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
    ModelError::new(ModelErrorKind::Unknown, "circuit_store", format!("{error}{why}")).mid_answer()
}

impl Stream for ChainStream {
    type Item = Result<ModelEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(event) = self.begun.next() {
            return Poll::Ready(Some(self.event(event)));
        }
        let Some(rest) = self.rest.as_mut() else { return Poll::Ready(None) };
        let next = ready!(rest.as_mut().poll_next(context));
        if self.is_finished {
            // Nothing may follow. It was asked all the same: whoever reads to the end can use the connection again.
            self.rest = None;
            return Poll::Ready(None);
        }
        let item = match next {
            Some(Ok(event)) => self.event(event),
            Some(Err(error)) => Err(self.failure(error)),
            None => {
                let error = ended();
                Err(self.failure(error))
            }
        };
        Poll::Ready(Some(item))
    }
}
