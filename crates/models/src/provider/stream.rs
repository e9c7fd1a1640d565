//! An answer as a stream: bytes are asked for only when every event of the last ones was taken. Dropping it drops the body
//! and with it the connection.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use premath_tusk::model::{ModelError, ModelEvent};

use super::AnswerDecoder;
use crate::secret::ApiKey;
use crate::transport::ByteStream;

/// A body on its way through a decoder.
pub(super) struct AnswerStream {
    body: Option<ByteStream>,
    decoder: AnswerDecoder,
    key: Option<ApiKey>,
}

impl AnswerStream {
    pub(super) const fn new(body: ByteStream, decoder: AnswerDecoder, key: Option<ApiKey>) -> Self {
        Self { body: Some(body), decoder, key }
    }
}

impl Stream for AnswerStream {
    type Item = Result<ModelEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(next) = this.decoder.next_event() {
                let next = next.map_err(|error| match &this.key {
                    Some(key) => key.scrub_error(error),
                    None => error,
                });
                return Poll::Ready(Some(next));
            }
            let Some(body) = this.body.as_mut() else { return Poll::Ready(None) };
            if !this.decoder.is_reading() {
                // A body that was read to its end leaves a connection that can be used again. It usually is at its end by
                // now; if not, nobody waits for it.
                let _is_at_end = body.as_mut().poll_next(context).is_ready();
                this.body = None;
                return Poll::Ready(None);
            }
            match ready!(body.as_mut().poll_next(context)) {
                Some(Ok(bytes)) => this.decoder.push(&bytes),
                Some(Err(error)) => this.decoder.fail(error),
                None => this.decoder.end(),
            }
        }
    }
}
