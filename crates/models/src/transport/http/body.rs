//! The body of an answer, with an eye on the clock and on its size. After an error it is closed: nothing more comes, and
//! the connection is gone.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use premath_tusk::model::ModelError;
use tokio::time::{Instant, Sleep};

use super::HttpSettings;
use super::failure::{first_byte_timeout, idle_timeout, stream_cut, too_large};

type Pieces = Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>;

/// A body on its way.
pub(super) struct Body {
    pieces: Option<Pieces>,
    /// Runs out at the first byte's deadline, then after each pause.
    timer: Pin<Box<Sleep>>,
    idle: Duration,
    has_begun: bool,
    bytes_left: usize,
    limit: usize,
    host: String,
}

impl Body {
    pub(super) const fn new(
        pieces: Pieces,
        timer: Pin<Box<Sleep>>,
        settings: &HttpSettings,
        host: String,
    ) -> Self {
        let limit = settings.max_response_bytes;
        let idle = settings.timeouts.idle;
        Self { pieces: Some(pieces), timer, idle, has_begun: false, bytes_left: limit, limit, host }
    }

    fn close(&mut self, error: ModelError) -> Poll<Option<Result<Bytes, ModelError>>> {
        self.pieces = None;
        Poll::Ready(Some(Err(error)))
    }
}

impl Stream for Body {
    type Item = Result<Bytes, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(pieces) = this.pieces.as_mut() else { return Poll::Ready(None) };
        match pieces.as_mut().poll_next(context) {
            Poll::Ready(Some(Ok(bytes))) => {
                let Some(left) = this.bytes_left.checked_sub(bytes.len()) else {
                    return this.close(too_large(this.limit));
                };
                this.bytes_left = left;
                this.has_begun = true;
                this.timer.as_mut().reset(Instant::now() + this.idle);
                Poll::Ready(Some(Ok(bytes)))
            }
            Poll::Ready(Some(Err(error))) => {
                let error = stream_cut(&error, &this.host);
                this.close(error)
            }
            Poll::Ready(None) => {
                this.pieces = None;
                Poll::Ready(None)
            }
            Poll::Pending => match this.timer.as_mut().poll(context) {
                Poll::Ready(()) if this.has_begun => this.close(idle_timeout(&this.host)),
                Poll::Ready(()) => this.close(first_byte_timeout(&this.host)),
                Poll::Pending => Poll::Pending,
            },
        }
    }
}
