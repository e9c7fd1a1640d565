//! Streamable HTTP on the loopback address, for clients that show the token.
//!
//! A page in a browser can reach a loopback address too, under a name that it made resolve here: so the token is asked for
//! first, and the headers `Host` and `Origin` must be ours. It must not answer anything without the token.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use premath_wire::strict::{Limits, parse};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{ErrorData, JsonRpcError};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::lines::LONGEST;
use crate::serving::ServeError;
use crate::token::Token;

/// Where clients are answered.
const PATH: &str = "/mcp";
/// How long open answers are waited for at the end.
const PATIENCE: Duration = Duration::from_secs(5);

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
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let router = Router::new()
        .route_service(PATH, service)
        .layer(from_fn_with_state(options.token.clone(), with_token));
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

async fn with_token(State(token): State<Token>, request: Request, next: Next) -> Response {
    let shown = request.headers().get(header::AUTHORIZATION);
    if shown.is_some_and(|header| token.is_shown_by(header.as_bytes())) {
        return strictly(request, next).await;
    }
    let why = "the token of this server is missing or wrong: Authorization: Bearer TOKEN\n";
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")], why).into_response()
}

/// Passes on a body that is JSON in which nothing is said twice, as over streams; answers for whatever is not.
async fn strictly(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, LONGEST).await else {
        let why = format!("input.too_large: a message has at most {LONGEST} bytes");
        return told(StatusCode::PAYLOAD_TOO_LARGE, ErrorData::invalid_request(why, None));
    };
    if head.method == Method::POST
        && let Err(error) = parse(&bytes, Limits::default())
    {
        return told(StatusCode::BAD_REQUEST, ErrorData::parse_error(error.to_string(), None));
    }
    next.run(Request::from_parts(head, Body::from(bytes))).await
}

fn told(status: StatusCode, error: ErrorData) -> Response {
    let message = serde_json::to_string(&JsonRpcError::new(None, error)).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, "application/json")], message).into_response()
}
