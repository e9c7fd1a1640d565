//! A run as one client follows it: rows as events, from its cursor on, without a gap.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::stream;
use premath_bd::Cursor;
use premath_host::follow_run;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use super::Tail;
use super::pages::Page;
use super::reader::ROWS;
use crate::connections::ConnectionEnd;
use crate::failure::{Failure, Origin};
use crate::measures::Counted;
use crate::state::AppState;

/// How often a stream on which nothing happens says that it is there.
const HEARTBEAT: Duration = Duration::from_secs(15);
const BEAT: &[u8] = b": still here\n\n";

/// Follows a run from a cursor on.
pub(crate) async fn events(
    state: AppState,
    run_id: String,
    cursor: Cursor,
    connection: Option<ConnectionEnd>,
) -> Result<Response, Failure> {
    // The first page says whether there is such a run, and such a place in it.
    let first = page(&state, &run_id, cursor).await?;
    let (sender, receiver) = mpsc::channel::<Bytes>(1);
    let client = Client {
        counted: state.measures().streaming(),
        at: first.next,
        tail: state.tails().join(&state, &run_id, first.next),
        state,
        run_id,
        sender,
        connection,
    };
    tokio::spawn(client.follow(first.frames_behind(cursor.seq())));
    let pieces = stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|piece| (Ok::<_, Infallible>(piece), receiver))
    });
    let mut response = Body::from_stream(pieces).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

async fn page(state: &AppState, run_id: &str, cursor: Cursor) -> Result<Page, Failure> {
    let (run_id, origin) =
        (run_id.to_owned(), Origin { address: &["id:runId"], is_body: false, ..Origin::default() });
    let read = move |host: &premath_host::Host<'_>| {
        let followed = follow_run(host.workspace, &run_id, cursor, ROWS);
        followed
            .map(|followed| Page::new(cursor.seq(), &followed))
            .map_err(|error| Failure::action(&error, origin))
    };
    state.host(read).await?
}

/// Somebody who follows a run.
struct Client {
    state: AppState,
    run_id: String,
    tail: Arc<Tail>,
    /// What it has been told.
    at: Cursor,
    sender: mpsc::Sender<Bytes>,
    connection: Option<ConnectionEnd>,
    #[expect(dead_code, reason = "it counts for as long as it is there")]
    counted: Counted,
}

/// Nobody listens any more.
struct Gone;

impl Client {
    async fn follow(mut self, first: Bytes) {
        // Whoever is gone is told nothing.
        drop(self.told(first).await);
    }

    async fn told(&mut self, first: Bytes) -> Result<(), Gone> {
        self.send(first).await?;
        let mut news = self.tail.news.subscribe();
        loop {
            let head = news.borrow_and_update().clone();
            if self.at.seq() < head.seq {
                self.page().await?;
                continue;
            }
            if head.has_stopped {
                let end = format!("event: end\ndata: {{\"seq\":{}}}\n\n", self.at.seq());
                return self.send(Bytes::from(end)).await;
            }
            if head.failure.is_some() {
                return Ok(());
            }
            tokio::select! {
                changed = news.changed() => changed.map_err(|_| Gone)?,
                () = tokio::time::sleep_until(Instant::now() + HEARTBEAT) => self.send(Bytes::from_static(BEAT)).await?,
                () = self.sender.closed() => return Err(Gone),
                () = self.state.stop().cancelled() => return Ok(()),
            }
        }
    }

    /// One more page: a shared one, or one from the disk for whoever is far behind.
    async fn page(&mut self) -> Result<(), Gone> {
        let page = match self.tail.page_behind(self.at.seq()) {
            Some(page) => page,
            None => Arc::new(page(&self.state, &self.run_id, self.at).await.map_err(|_| Gone)?),
        };
        let frames = page.frames_behind(self.at.seq());
        self.at = page.next;
        self.send(frames).await
    }

    async fn send(&mut self, frames: Bytes) -> Result<(), Gone> {
        if frames.is_empty() {
            return Ok(());
        }
        let patience = self.state.options().limits.unread;
        match timeout(patience, self.sender.send(frames)).await {
            Ok(sent) => sent.map_err(|_| Gone),
            Err(_) => {
                // It can come back with the last row it has seen.
                if let Some(connection) = &self.connection {
                    connection.0.cancel();
                }
                Err(Gone)
            }
        }
    }
}
