//! An answer as a stream: bytes are asked for only when every event of the last ones was taken. Dropping it drops the body
//! and with it the connection; reading it to its end leaves a connection that can be used again. It must not ask a body
//! again that has ended.

#[cfg(test)]
mod tests;

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use premath_tusk::model::{ModelError, ModelErrorKind, ModelEvent};
use tokio::time::{Instant, Sleep};

use super::AnswerDecoder;
use crate::transport::ByteStream;

/// How long the end of a body is waited for when the answer in it is complete. It is usually there at once, and a
/// connection that is closed for want of it has to be made anew.
const LONGEST_WAIT_FOR_END: Duration = Duration::from_millis(20);

/// What the timer of an answer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Awaited {
    Beginning,
    Answer,
    EndOfBody,
}

/// A body on its way through a decoder.
pub(super) struct AnswerStream {
    /// Gone when it has ended, or when nothing more is wanted of it.
    body: Option<ByteStream>,
    decoder: AnswerDecoder,
    awaited: Awaited,
    /// Runs out when the answer should have begun, and again when its body should have ended.
    timer: Option<Pin<Box<Sleep>>>,
}

impl AnswerStream {
    /// Without patience nothing is waited for but the body itself.
    pub(super) const fn new(
        body: ByteStream,
        decoder: AnswerDecoder,
        patience: Option<Pin<Box<Sleep>>>,
    ) -> Self {
        Self { body: Some(body), decoder, awaited: Awaited::Beginning, timer: patience }
    }

    /// Whether a provider that only keeps the connection alive has done so for too long.
    fn is_out_of_patience(&mut self, context: &mut Context<'_>) -> bool {
        if self.decoder.has_begun() {
            self.awaited = Awaited::Answer;
        }
        self.awaited == Awaited::Beginning && self.has_run_out(context)
    }

    fn has_run_out(&mut self, context: &mut Context<'_>) -> bool {
        self.timer.as_mut().is_some_and(|timer| timer.as_mut().poll(context).is_ready())
    }

    /// Reads on behind a complete answer until the body ends, but not for long.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while let Some(body) = self.body.as_mut() {
            match body.as_mut().poll_next(context) {
                Poll::Pending if !self.has_waited_for_end(context) => return Poll::Pending,
                Poll::Ready(Some(Ok(_))) if !self.has_waited_for_end(context) => {}
                Poll::Ready(_) | Poll::Pending => self.body = None,
            }
        }
        Poll::Ready(())
    }

    /// Whether the end was waited for long enough. The timer is set when there is something to wait for.
    fn has_waited_for_end(&mut self, context: &mut Context<'_>) -> bool {
        if self.awaited != Awaited::EndOfBody {
            self.awaited = Awaited::EndOfBody;
            if let Some(timer) = self.timer.as_mut() {
                timer.as_mut().reset(Instant::now() + LONGEST_WAIT_FOR_END);
            }
        }
        self.timer.is_none() || self.has_run_out(context)
    }
}

impl Stream for AnswerStream {
    type Item = Result<ModelEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(next) = this.decoder.next_event() {
                if next.is_err() {
                    this.body = None;
                }
                return Poll::Ready(Some(next));
            }
            let Some(body) = this.body.as_mut() else { return Poll::Ready(None) };
            if !this.decoder.is_reading() {
                return this.poll_end(context).map(|()| None);
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
