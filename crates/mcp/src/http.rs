//! Streamable HTTP on the loopback address, for clients that show the token.
//!
//! A page in a browser can reach a loopback address too, under a name that it made resolve here: so the token is asked for
//! first, and the headers `Host` and `Origin` must be ours. It must not answer anything without the token.

use std::collections::BTreeSet;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use futures_util::StreamExt as _;
use premath_host::Token;
use premath_wire::strict::{Limits, parse};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{ErrorData, JsonRpcError, RequestId};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::lines::LONGEST;
use crate::serving::ServeError;

/// Where clients are answered.
const PATH: &str = "/mcp";
/// How long open answers are waited for at the end.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the body of a request may take.
const BODY: Duration = Duration::from_secs(30);
/// The most sessions at a time.
const SESSIONS: usize = 256;
const SESSION: &str = "mcp-session-id";

/// How clients come in.
#[derive(Debug, Clone)]
pub struct HttpOptions {
    /// What they must show.
    pub token: Token,
}

/// Answers clients with a handler until `end` ends. The doors are the same whoever answers behind them.
///
/// # Errors
/// A listener that others could reach, or one that gave up.
pub async fn listen<S: ServerHandler + Clone>(
    listener: TcpListener,
    server: S,
    options: &HttpOptions,
    end: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let listening = |source| ServeError::Listening { source };
    let address = listener.local_addr().map_err(listening)?;
    if !address.ip().is_loopback() {
        return Err(ServeError::NotLoopback { address: address.to_string() });
    }
    let stop = CancellationToken::new();
    let config = config(address, stop.clone());
    let door = Door {
        token: options.token.clone(),
        sessions: Arc::new(LocalSessionManager::default()),
        under_way: UnderWay::default(),
    };
    let service = StreamableHttpService::new(move || Ok(server.clone()), Arc::clone(&door.sessions), config);
    let router = Router::new().route_service(PATH, service).layer(from_fn_with_state(door, with_token));
    let stopped = stop.clone();
    let serving =
        axum::serve(listener, router).with_graceful_shutdown(async move { stopped.cancelled().await });
    let mut serving = std::pin::pin!(serving.into_future());
    tokio::select! {
        served = &mut serving => served.map_err(listening),
        () = end => {
            stop.cancel();
            // A stream that a client holds open does not hold the server up.
            tokio::time::timeout(PATIENCE, serving).await.map_or(Ok(()), |served| served.map_err(listening))
        }
    }
}

fn config(address: SocketAddr, stop: CancellationToken) -> StreamableHttpServerConfig {
    let port = address.port();
    let names = ["127.0.0.1", "localhost", "[::1]"];
    StreamableHttpServerConfig::default()
        .with_allowed_hosts(names.map(|name| format!("{name}:{port}")))
        .with_allowed_origins(names.map(|name| format!("http://{name}:{port}")))
        .enforce_origin_validation()
        .with_max_request_body_bytes(LONGEST)
        .with_cancellation_token(stop)
}

/// What stands before the service.
#[derive(Clone)]
struct Door {
    token: Token,
    sessions: Arc<LocalSessionManager>,
    under_way: UnderWay,
}

async fn with_token(State(door): State<Door>, request: Request, next: Next) -> Response {
    let shown = request.headers().get(header::AUTHORIZATION);
    if shown.is_some_and(|header| door.token.is_shown_by(header.as_bytes())) {
        return strictly(&door, request, next).await;
    }
    let why = "the token of this server is missing or wrong: Authorization: Bearer TOKEN\n";
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], why).into_response()
}

/// Passes on a body that is JSON in which nothing is said twice, as over streams; answers for whatever is not.
async fn strictly(door: &Door, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let too_large = || {
        let why = format!("input.too_large: a message has at most {LONGEST} bytes");
        told(StatusCode::PAYLOAD_TOO_LARGE, ErrorData::invalid_request(why, None), None)
    };
    // What the head says is enough: nothing of such a body is read.
    let declared =
        head.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > u64::try_from(LONGEST).unwrap_or(u64::MAX)) {
        return too_large();
    }
    let bytes = match tokio::time::timeout(BODY, to_bytes(body, LONGEST)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(_)) => return too_large(),
        Err(_) => {
            let why = "the message did not come in time";
            return told(StatusCode::REQUEST_TIMEOUT, ErrorData::invalid_request(why, None), None);
        }
    };
    if head.method != Method::POST {
        return next.run(Request::from_parts(head, Body::from(bytes))).await;
    }
    if let Err(error) = parse(&bytes, Limits::default()) {
        return told(StatusCode::BAD_REQUEST, ErrorData::parse_error(error.to_string(), None), None);
    }
    let asked: Option<Asked> = serde_json::from_slice(&bytes).ok();
    let session = head.headers.get(SESSION).map(|session| session.as_bytes().to_vec());
    let opens = asked.as_ref().is_some_and(|asked| asked.method == "initialize");
    if session.is_none() && opens && door.sessions.sessions.read().await.len() >= SESSIONS {
        let why = format!("there are {SESSIONS} sessions already; those that nobody uses end by themselves");
        return told(StatusCode::SERVICE_UNAVAILABLE, ErrorData::internal_error(why, None), asked);
    }
    // Without a session every message stands for itself, and whose an id is nobody knows.
    let claimed = match (session, asked.as_ref().and_then(|asked| asked.id.as_ref())) {
        (Some(session), Some(id)) => match door.under_way.claim(session, &id.to_string()) {
            Some(claimed) => Some(claimed),
            None => {
                let why = "the id is in use: an earlier request with it was not answered yet";
                return told(StatusCode::BAD_REQUEST, ErrorData::invalid_request(why, None), asked);
            }
        },
        (Some(_) | None, Some(_) | None) => None,
    };
    let answer = next.run(Request::from_parts(head, Body::from(bytes))).await;
    let (head, body) = answer.into_parts();
    // The answer is given when its last byte is, or when nobody reads it any more.
    let body = body.into_data_stream().map(move |piece| {
        let _held = &claimed;
        piece
    });
    Response::from_parts(head, Body::from_stream(body))
}

/// What of a request is looked at here.
#[derive(Deserialize)]
struct Asked {
    method: String,
    id: Option<RequestId>,
}

/// The requests that are not answered yet, by session and id.
#[derive(Debug, Clone, Default)]
struct UnderWay(Arc<Mutex<BTreeSet<InUse>>>);

/// A session, and an id that is under way in it.
type InUse = (Vec<u8>, String);

/// One of them, for as long as this is there.
#[derive(Debug)]
struct Claimed(UnderWay, InUse);

impl UnderWay {
    /// None where the id is in use in the session.
    fn claim(&self, session: Vec<u8>, id: &str) -> Option<Claimed> {
        let name = (session, id.to_owned());
        let is_new = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone());
        is_new.then(|| Claimed(self.clone(), name))
    }
}

impl Drop for Claimed {
    fn drop(&mut self) {
        let Self(UnderWay(names), name) = self;
        names.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }
}

fn told(status: StatusCode, error: ErrorData, asked: Option<Asked>) -> Response {
    let id = asked.and_then(|asked| asked.id);
    let message = serde_json::to_string(&JsonRpcError::new(id, error)).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, "application/json")], message).into_response()
}
