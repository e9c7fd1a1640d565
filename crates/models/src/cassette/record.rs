//! A transport that keeps what another one carries. An exchange is kept when its body ended, broke, or was let go; the
//! cassette is then written whole. What cannot be written stops the recording: nothing more is sent.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use premath_tusk::model::{ModelError, ModelErrorKind};

use super::document::{Cassette, Exchange, RecordedFailure, RecordedRequest, RecordedResponse};
use super::scrub::Secrets;
use super::{CassetteError, CassetteStore};
use crate::transport::{ByteStream, Transport, TransportFuture, WireRequest, WireResponse};

/// A transport that records another.
#[derive(Debug)]
pub struct RecordingTransport {
    inner: Arc<dyn Transport>,
    tape: Arc<Tape>,
}

impl RecordingTransport {
    /// Records behind what the cassette already holds.
    ///
    /// # Errors
    /// The cassette is there and cannot be read.
    pub fn new(inner: Arc<dyn Transport>, store: Arc<dyn CassetteStore>) -> Result<Self, CassetteError> {
        let known = store.load()?.map(|text| Cassette::parse(&text)).transpose()?;
        let exchanges = known.map(|cassette| cassette.exchanges.into_iter().map(Some).collect());
        let slots = Slots { exchanges: exchanges.unwrap_or_default(), failure: None };
        Ok(Self { inner, tape: Arc::new(Tape { store, slots: Mutex::new(slots) }) })
    }

    /// Whether everything that was to be kept was kept.
    ///
    /// # Errors
    /// Why it was not. The error is given once.
    pub fn finish(&self) -> Result<(), CassetteError> {
        self.tape.lock().failure.take().map_or(Ok(()), Err)
    }
}

impl Transport for RecordingTransport {
    fn first_event_timeout(&self) -> Option<Duration> {
        self.inner.first_event_timeout()
    }

    fn send<'a>(&'a self, request: &'a WireRequest) -> TransportFuture<'a> {
        Box::pin(async move {
            let secrets = Secrets::of(request);
            let slot = self.tape.reserve()?;
            let kept = secrets.request(request);
            let take =
                |request| Take { tape: Arc::clone(&self.tape), slot, secrets: secrets.clone(), request };
            match self.inner.send(request).await {
                Ok(response) => Ok(recorded(response, take(kept))),
                Err(error) => {
                    take(kept).keep(None, Some(&error));
                    Err(error)
                }
            }
        })
    }
}

/// Everything that was kept so far, in the order in which it was asked for.
struct Tape {
    store: Arc<dyn CassetteStore>,
    slots: Mutex<Slots>,
}

struct Slots {
    exchanges: Vec<Option<Exchange>>,
    failure: Option<CassetteError>,
}

impl fmt::Debug for Tape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tape").field("store", &self.store).finish_non_exhaustive()
    }
}

impl Tape {
    fn lock(&self) -> std::sync::MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for an exchange that begins now.
    fn reserve(&self) -> Result<usize, ModelError> {
        let mut slots = self.lock();
        if let Some(failure) = &slots.failure {
            let message = failure.to_string();
            return Err(ModelError::new(ModelErrorKind::Unknown, "cassette_unwritable", message));
        }
        slots.exchanges.push(None);
        Ok(slots.exchanges.len() - 1)
    }

    fn keep(&self, slot: usize, exchange: Exchange) {
        let mut slots = self.lock();
        if let Some(place) = slots.exchanges.get_mut(slot) {
            *place = Some(exchange);
        }
        let done: Vec<Exchange> = slots.exchanges.iter().flatten().cloned().collect();
        let written = Cassette::new(done).text().and_then(|text| self.store.save(&text));
        if let Err(failure) = written {
            slots.failure = Some(failure);
        }
    }
}

/// One exchange on its way to the tape.
struct Take {
    tape: Arc<Tape>,
    slot: usize,
    secrets: Secrets,
    request: RecordedRequest,
}

impl Take {
    fn keep(self, response: Option<RecordedResponse>, error: Option<&ModelError>) {
        let failure = error.map(|error| RecordedFailure::of(error, &self.secrets));
        self.tape.keep(self.slot, Exchange { request: self.request, response, failure });
    }

    /// In the place of an answer that must not be kept stands that it was not, and the recording stops.
    fn keep_nothing(self) {
        let message = "the answer repeated a key and was not recorded";
        let error = ModelError::new(ModelErrorKind::Unknown, "answer_not_recorded", message);
        let tape = Arc::clone(&self.tape);
        self.keep(None, Some(&error));
        tape.lock().failure.get_or_insert(CassetteError::Secret);
    }
}

fn recorded(response: WireResponse, take: Take) -> WireResponse {
    let WireResponse { status, headers, body } = response;
    let kept = RecordedResponse { status, headers: take.secrets.headers(&headers), body: Vec::new() };
    let body = RecordingBody { body, pieces: Vec::new(), open: Some((kept, take)) };
    WireResponse { status, headers, body: Box::pin(body) }
}

/// A body that remembers what went through it.
struct RecordingBody {
    body: ByteStream,
    pieces: Vec<Bytes>,
    /// Gone when the exchange was kept.
    open: Option<(RecordedResponse, Take)>,
}

impl RecordingBody {
    fn keep(&mut self, error: Option<&ModelError>) {
        let Some((mut response, take)) = self.open.take() else { return };
        response.body = take.secrets.pieces(&self.pieces);
        if take.secrets.are_spread_over(&response.body) {
            take.keep_nothing();
        } else {
            take.keep(Some(response), error);
        }
    }
}

impl Stream for RecordingBody {
    type Item = Result<Bytes, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = ready!(self.body.as_mut().poll_next(context));
        match &next {
            Some(Ok(piece)) => self.pieces.push(piece.clone()),
            Some(Err(error)) => self.keep(Some(error)),
            None => self.keep(None),
        }
        Poll::Ready(next)
    }
}

/// Whoever has read enough lets a body go before its end, and what it read is what has to come again.
impl Drop for RecordingBody {
    fn drop(&mut self) {
        self.keep(None);
    }
}
