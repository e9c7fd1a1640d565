//! Who is connected: how many at most, how long they may be silent, and how they are sent home at the end.
//!
//! A client that sends slowly, reads slowly or says nothing costs one place for a bounded time. It must not look at requests.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::options::Limits;
use crate::state::AppState;

/// How long open answers are waited for at the end.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait when the system has no connection to give.
const BREATH: Duration = Duration::from_millis(50);
/// How long somebody is told that there is no place.
const AWAY: Duration = Duration::from_millis(500);
/// The most bytes of a request's head, and the most that is kept of an answer that nobody reads.
const BUFFER: usize = 64 * 1024;
/// The most headers of a request.
const MOST_HEADERS: usize = 64;

/// What ends one connection, whatever is going on in it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConnectionEnd(pub(crate) CancellationToken);

/// Takes connections until the server is to end, and then waits a little for those that are busy.
pub(crate) async fn accept(listener: TcpListener, router: Router, state: AppState) {
    let limits = state.options().limits;
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            () = state.stop().cancelled() => break,
            Some(_) = open.join_next(), if !open.is_empty() => {}
            accepted = listener.accept() => match accepted {
                Err(_) => tokio::time::sleep(BREATH).await,
                Ok((stream, _)) => match Arc::clone(&places).try_acquire_owned() {
                    Err(_) => { open.spawn(turn_away(stream)); }
                    Ok(place) => {
                        let (router, stop) = (router.clone(), state.stop().clone());
                        let measures = state.clone();
                        open.spawn(async move {
                            let _counted = measures.measures().connected();
                            serve(stream, router, &limits, stop).await;
                            drop(place);
                        });
                    }
                },
            },
        }
    }
    drop(listener);
    let all_gone = async { while open.join_next().await.is_some() {} };
    // A stream that a client holds open does not hold the server up.
    drop(tokio::time::timeout(PATIENCE, all_gone).await);
}

/// There is no place: said without looking at what was asked.
async fn turn_away(mut stream: TcpStream) {
    let body = "{\"error\":{\"code\":\"server_busy\",\"message\":\"too many connections are open to this server\",\
        \"retryAfterMs\":2000}}";
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 2\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let told = async {
        stream.write_all(answer.as_bytes()).await?;
        stream.shutdown().await?;
        // What was sent is taken, or the system throws our answer away with it.
        let mut rest = [0_u8; 1_024];
        while stream.read(&mut rest).await? > 0 {}
        std::io::Result::Ok(())
    };
    // Whoever does not listen is not waited for.
    drop(tokio::time::timeout(AWAY, told).await);
}

async fn serve(stream: TcpStream, router: Router, limits: &Limits, stop: CancellationToken) {
    // Rows of a run are told at once or not at all; a socket that cannot do that does it later.
    drop(stream.set_nodelay(true));
    let end = ConnectionEnd::default();
    let inner = TowerToHyperService::new(router);
    let marked = end.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(marked.clone());
        inner.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(BUFFER)
        .max_headers(MOST_HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // What goes wrong with a connection is the client's to notice.
        served = connection.as_mut() => drop(served),
        () = end.0.cancelled() => {}
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            drop(tokio::time::timeout(PATIENCE, connection).await);
        }
    }
}
