//! A transport that answers from a cassette. A request that was not recorded is an error that says where it differs; it
//! must never reach a network.

use std::sync::{Mutex, PoisonError};

use futures_util::stream::iter;
use premath_tusk::model::{ModelError, ModelErrorKind};
use serde::Deserialize;

use super::compare::{difference, key};
use super::document::{Cassette, Exchange, RecordedRequest};
use super::scrub::Secrets;
use super::{CassetteError, CassetteStore};
use crate::provider::Protocol;
use crate::transport::{Transport, TransportFuture, WireRequest, WireResponse};

/// A transport that answers from a cassette. The same request gets the answers it got, in their order.
#[derive(Debug)]
pub struct ReplayTransport {
    tracks: Vec<Track>,
    played: Mutex<Vec<bool>>,
}

#[derive(Debug)]
struct Track {
    key: Vec<u8>,
    exchange: Exchange,
}

impl ReplayTransport {
    /// A transport over what the store holds.
    ///
    /// # Errors
    /// There is no cassette, or it cannot be read.
    pub fn open(store: &dyn CassetteStore) -> Result<Self, CassetteError> {
        let text = store.load()?.ok_or(CassetteError::Missing)?;
        let exchanges = Cassette::parse(&text)?.exchanges;
        let tracks = exchanges.into_iter().map(|exchange| Track { key: key(&exchange.request), exchange });
        let tracks: Vec<Track> = tracks.collect();
        let played = Mutex::new(vec![false; tracks.len()]);
        Ok(Self { tracks, played })
    }

    /// How many exchanges nobody asked for yet.
    #[must_use]
    pub fn unplayed(&self) -> usize {
        self.played.lock().unwrap_or_else(PoisonError::into_inner).iter().filter(|played| !**played).count()
    }

    /// The protocol and the model that the first recorded question went to: whoever replays speaks as was spoken.
    #[must_use]
    pub fn first_asked(&self) -> Option<(Protocol, String)> {
        #[derive(Deserialize)]
        struct Asked {
            model: String,
        }
        self.tracks.iter().find_map(|track| {
            let request = &track.exchange.request;
            let protocol = Protocol::ALL.into_iter().find(|one| request.path.ends_with(one.path()))?;
            let Asked { model } = serde_json::from_str(request.body.as_ref()?.get()).ok()?;
            Some((protocol, model))
        })
    }

    fn find(&self, asked: &RecordedRequest) -> Result<&Exchange, ModelError> {
        let wanted = key(asked);
        let mut played = self.played.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = self
            .tracks
            .iter()
            .zip(played.iter_mut())
            .find(|(track, played)| !**played && track.key == wanted);
        if let Some((track, played)) = fresh {
            *played = true;
            return Ok(&track.exchange);
        }
        Err(self.mismatch(&wanted, asked, &played))
    }

    fn mismatch(&self, wanted: &[u8], asked: &RecordedRequest, played: &[bool]) -> ModelError {
        let times = self.tracks.iter().filter(|track| track.key == wanted).count();
        let left = || self.tracks.iter().zip(played).enumerate().filter(|(_, (_, played))| !**played);
        let same_path = left().find(|(_, (track, _))| track.exchange.request.path == asked.path);
        let message = match same_path.or_else(|| left().next()) {
            _ if times > 0 => format!("the request was recorded {times} times and is asked for once more"),
            Some((index, (track, _))) => {
                let difference = difference(&track.exchange.request, asked);
                format!("the request is not exchange {} of the cassette: {difference}", index + 1)
            }
            None => "everything on the cassette was played".to_owned(),
        };
        ModelError::new(ModelErrorKind::Model, "cassette_mismatch", message)
    }
}

impl Transport for ReplayTransport {
    fn send<'a>(&'a self, request: &'a WireRequest) -> TransportFuture<'a> {
        Box::pin(async move {
            let exchange = self.find(&Secrets::of(request).request(request))?;
            let failure = exchange.failure.as_ref().map(|failure| failure.error());
            let Some(response) = &exchange.response else {
                let unknown = || ModelError::new(ModelErrorKind::Unknown, "cassette_mismatch", "no answer");
                return Err(failure.unwrap_or_else(unknown));
            };
            let pieces: Vec<_> = response.body.iter().filter_map(|piece| piece.bytes().map(Ok)).collect();
            Ok(WireResponse {
                status: response.status,
                headers: response.headers.clone().into_iter().collect(),
                body: Box::pin(iter(pieces.into_iter().chain(failure.map(Err)))),
            })
        })
    }
}
