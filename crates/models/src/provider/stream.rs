//! An answer as a stream: bytes are asked for only when every event of the last ones was taken. Dropping it drops the body
//! and with it the connection. It must not ask a body again that has ended.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use premath_tusk::model::{ModelError, ModelErrorKind, ModelEvent};
use tokio::time::Sleep;

use super::AnswerDecoder;
use crate::transport::ByteStream;

/// A body on its way through a decoder.
pub(super) struct AnswerStream {
    /// Gone when it has ended, or when nothing more is wanted of it.
    body: Option<ByteStream>,
    decoder: AnswerDecoder,
    /// Runs out when the answer should have begun; gone when it has.
    patience: Option<Pin<Box<Sleep>>>,
}

impl AnswerStream {
    pub(super) const fn new(
        body: ByteStream,
        decoder: AnswerDecoder,
        patience: Option<Pin<Box<Sleep>>>,
    ) -> Self {
        Self { body: Some(body), decoder, patience }
    }

    /// Whether a provider that only keeps the connection alive has done so for too long.
    fn is_out_of_patience(&mut self, context: &mut Context<'_>) -> bool {
        if self.decoder.has_begun() {
            self.patience = None;
        }
        let is_over = self.patience.as_mut().is_some_and(|timer| timer.as_mut().poll(context).is_ready());
        if is_over {
            self.patience = None;
        }
        is_over
    }
}

impl Stream for AnswerStream {
    type Item = Result<ModelEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(next) = this.decoder.next_event() {
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
            // The body first: it has its own time-outs, which say more.
            let is_waiting = match body.as_mut().poll_next(context) {
                Poll::Pending => true,
                Poll::Ready(Some(Ok(bytes))) => {
                    this.decoder.push(&bytes);
                    false
                }
                Poll::Ready(Some(Err(error))) => {
                    this.body = None;
                    this.decoder.fail(error);
                    false
                }
                Poll::Ready(None) => {
                    this.body = None;
                    this.decoder.end();
                    false
                }
            };
            if this.is_out_of_patience(context) {
                this.body = None;
                this.decoder.fail(first_event_timeout());
            } else if is_waiting {
                return Poll::Pending;
            }
        }
    }
}

fn first_event_timeout() -> ModelError {
    let message = "the provider kept the connection alive but did not begin to answer in time";
    ModelError::new(ModelErrorKind::Timeout, "first_event_timeout", message)
}
