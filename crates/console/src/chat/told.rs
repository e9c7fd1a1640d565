//! A stream as one client reads it: from its first chunk, at its own pace. It must not hold up whoever else reads.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::streams::Stream;
use crate::connections::ConnectionEnd;
use crate::measures::Counted;
use crate::state::AppState;

/// How often a stream on which nothing happens says that it is there.
const HEARTBEAT: Duration = Duration::from_secs(15);
const BEAT: &[u8] = b": still here\n\n";

/// The answer that a stream is.
pub(super) fn response(state: &AppState, told: Arc<Stream>, connection: Option<ConnectionEnd>) -> Response {
    let (sender, receiver) = mpsc::channel::<Bytes>(1);
    let client =
        Client { counted: state.measures().streaming(), state: state.clone(), told, sender, connection };
    tokio::spawn(client.follow());
    let pieces = stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|piece| (Ok::<_, Infallible>(piece), receiver))
    });
    let mut response = Body::from_stream(pieces).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert("x-vercel-ai-ui-message-stream", HeaderValue::from_static("v1"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Somebody who reads a stream.
struct Client {
    state: AppState,
    told: Arc<Stream>,
    sender: mpsc::Sender<Bytes>,
    connection: Option<ConnectionEnd>,
    #[expect(dead_code, reason = "it counts for as long as it is there")]
    counted: Counted,
}

/// Nobody listens any more.
struct Gone;

impl Client {
    async fn follow(self) {
        // Whoever is gone is told nothing; the run goes on.
        drop(self.tell().await);
    }

    async fn tell(&self) -> Result<(), Gone> {
        let mut news = self.told.news();
        let mut sent = 0;
        loop {
            let (count, is_over) = *news.borrow_and_update();
            if sent < count {
                for chunk in self.told.behind(sent) {
                    self.send(chunk).await?;
                    sent += 1;
                }
                continue;
            }
            if is_over {
                self.told.read();
                return Ok(());
            }
            tokio::select! {
                changed = news.changed() => changed.map_err(|_| Gone)?,
                () = tokio::time::sleep(HEARTBEAT) => self.send(Bytes::from_static(BEAT)).await?,
                () = self.sender.closed() => return Err(Gone),
            }
        }
    }

    async fn send(&self, chunk: Bytes) -> Result<(), Gone> {
        let patience = self.state.options().limits.unread;
        match timeout(patience, self.sender.send(chunk)).await {
            Ok(sent) => sent.map_err(|_| Gone),
            Err(_) => {
                // It can come back, and has everything from the first chunk on.
                if let Some(connection) = &self.connection {
                    connection.0.cancel();
                }
                Err(Gone)
            }
        }
    }
}
