//! A server that speaks as the providers do: any scenario, over three protocols, on loopback.
//!
//! What it answers is made by `scripted`; here it is only sent, and its faults are real ones of a connection. It must not
//! listen where others can reach it, and must not keep or show a key that a client sends.

mod body;

use std::fmt;
use std::future::{Future, IntoFuture, pending};
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_LENGTH;
use axum::response::Response;
use axum::serve::ListenerExt as _;
use futures_util::future::{Either, select};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::scripted::{Caller, HttpAnswer, HttpRequest, Script, Served, answer, too_large};

/// The longest body that is read.
pub const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;
/// How long connections may take to end after the server is asked to.
const GRACE: Duration = Duration::from_secs(2);

/// Who is told of every request, before its answer is sent.
pub type Observer = Arc<dyn Fn(&Served) + Send + Sync>;

/// A moment of an exchange, for whoever measures one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The head of a request is there; its body may still be under way.
    Asked,
    /// The last byte of a streamed answer was handed to the connection.
    Answered,
}

/// Who is told of every such moment, when it comes. It is called in the middle of an exchange and must not wait.
pub type Marks = Arc<dyn Fn(Mark) + Send + Sync>;

/// Why a server does not serve.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Others could reach it.
    #[error("`{address}` is not a loopback address; a scripted model is served on loopback only")]
    NotLoopback {
        /// The address.
        address: SocketAddr,
    },
    /// The system does not let it.
    #[error("the server cannot go on")]
    Io {
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// The paths of the three protocols over a script, for a server of one's own.
pub fn router(script: Arc<Script>) -> Router {
    observed(Serving { script, observer: Arc::new(|_| {}), marks: Arc::new(|_| {}), closing: None })
}

/// Serves a script until `shutdown` ends, and then until connections ended too, but not for long.
///
/// # Errors
/// The listener is not on loopback, or the system refuses.
pub async fn serve(
    listener: TcpListener,
    script: Arc<Script>,
    shutdown: impl Future<Output = ()> + Send + 'static,
    observer: Observer,
) -> Result<(), ServerError> {
    serve_marked(listener, script, shutdown, observer, Arc::new(|_| {})).await
}

/// The same, with somebody who is told when requests come and answers have gone.
///
/// # Errors
/// The listener is not on loopback, or the system refuses.
pub async fn serve_marked(
    listener: TcpListener,
    script: Arc<Script>,
    shutdown: impl Future<Output = ()> + Send + 'static,
    observer: Observer,
    marks: Marks,
) -> Result<(), ServerError> {
    let address = listener.local_addr().map_err(|source| ServerError::Io { source })?;
    if !address.ip().is_loopback() {
        return Err(ServerError::NotLoopback { address });
    }
    let (close, closing) = watch::channel(false);
    let mut closed = closing.clone();
    let signal = async move {
        shutdown.await;
        close.send_replace(true);
    };
    let routes = observed(Serving { script, observer, marks, closing: Some(closing) });
    // The pieces of an answer are small; one that waits for the last to be acknowledged comes 40 ms late.
    let listener = listener.tap_io(|connection| drop(connection.set_nodelay(true)));
    let server = axum::serve(listener, routes).with_graceful_shutdown(signal).into_future();
    let overdue = pin!(async move {
        wait_for(&mut closed).await;
        tokio::time::sleep(GRACE).await;
    });
    match select(pin!(server), overdue).await {
        Either::Left((ended, _)) => ended.map_err(|source| ServerError::Io { source }),
        Either::Right(((), _)) => Ok(()),
    }
}

/// Ends when the server is asked to end.
async fn wait_for(closing: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone, and it only goes after it has sent or when the server is dropped.
    if closing.wait_for(|closing| *closing).await.is_err() {
        pending::<()>().await;
    }
}

/// What every request needs.
#[derive(Clone)]
struct Serving {
    script: Arc<Script>,
    observer: Observer,
    marks: Marks,
    closing: Option<watch::Receiver<bool>>,
}

impl fmt::Debug for Serving {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Serving").field("script", &self.script).finish_non_exhaustive()
    }
}

fn observed(serving: Serving) -> Router {
    Router::new().fallback(handle).with_state(serving)
}

async fn handle(State(serving): State<Serving>, request: Request) -> Response {
    (serving.marks)(Mark::Asked);
    let answer = answered(&serving.script, request).await;
    (serving.observer)(&answer.served);
    body::response(answer, serving.closing, serving.marks)
}

async fn answered(script: &Script, request: Request) -> HttpAnswer {
    let (head, body) = request.into_parts();
    let known = head.headers.contains_key("anthropic-version");
    let caller = if known { Caller::Anthropic } else { Caller::Other };
    let path = head.uri.path();
    let declared = head.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if declared.is_some_and(|length: usize| length > MAX_BODY_BYTES) {
        return too_large(script, path, caller, MAX_BODY_BYTES);
    }
    match to_bytes(body, MAX_BODY_BYTES).await {
        Ok(body) => answer(script, HttpRequest { method: head.method.as_str(), path, caller, body: &body }),
        // The other reason is a client that left, and it will not read this.
        Err(_) => too_large(script, path, caller, MAX_BODY_BYTES),
    }
}
