//! A server over streamable HTTP: over HTTPS, or over HTTP on this machine.
//!
//! It follows no redirect, asks no proxy, reads no more of an answer than a message may have, and must not put an address, a
//! header or a library's error text into an error.

#![expect(
    clippy::disallowed_types,
    reason = "the SDK hands headers over in a hash map; their order means nothing"
)]

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use premath_tusk::tools::foreign::ForeignError;
use premath_wire::strict::{Limits, parse};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, StatusCode, Url};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use rustls::crypto::{CryptoProvider, ring};
use sse_stream::{Sse, SseStream};

use super::connection::most;
use super::lines::{LONGEST, UNANSWERED, UNASKED};
use super::listener::Trouble;

const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";
const BOTH: &str = "text/event-stream, application/json";
/// How soon a stream that ended is asked for again, in milliseconds.
const SOONEST: u64 = 500;
/// How long a connection may take to be there.
const CONNECT: Duration = Duration::from_secs(10);

/// A client that bounds what it reads.
#[derive(Debug, Clone)]
pub(super) struct Bounded {
    client: Client,
    trouble: Arc<Trouble>,
    /// How many requests of the server wait for our answer.
    unanswered: Arc<AtomicUsize>,
}

/// Why a message was not exchanged; without whatever could be a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum HttpFault {
    #[error("the connection failed")]
    Connection,
    #[error("the answer is too long")]
    TooLong,
    #[error("the server answered with status {0}")]
    Status(u16),
}

type Fault = StreamableHttpError<HttpFault>;

/// What of an error of the SDK is ours.
pub(super) fn fault(error: &(dyn std::error::Error + Send + Sync + 'static)) -> Option<String> {
    match error.downcast_ref::<Fault>() {
        Some(Fault::Client(fault)) => Some(fault.to_string()),
        Some(_) | None => None,
    }
}

/// A transport to an address.
pub(super) fn transport(
    url: &str,
    token: Option<String>,
    headers: &[(String, String)],
    trouble: Arc<Trouble>,
) -> Result<StreamableHttpClientTransport<Bounded>, String> {
    check(url)?;
    // One provider for the process; whoever came first decided.
    if CryptoProvider::get_default().is_none() {
        drop(ring::default_provider().install_default());
    }
    let client = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .connect_timeout(CONNECT)
        .build()
        .map_err(|_| "no HTTP client: are the system's certificates installed?".to_owned())?;
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let unusable = || format!("the header `{name}` cannot be sent");
        let value = HeaderValue::from_str(value).map_err(|_| unusable())?;
        custom.insert(name.parse::<HeaderName>().map_err(|_| unusable())?, value);
    }
    let mut config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(custom);
    config.auth_header = token;
    config.max_sse_event_size = LONGEST;
    Ok(StreamableHttpClientTransport::with_client(
        Bounded { client, trouble, unanswered: Arc::default() },
        config,
    ))
}

/// Refuses an address that anybody could read along, or that holds a password.
fn check(url: &str) -> Result<(), String> {
    let url = Url::parse(url).map_err(|_| "its address is none".to_owned())?;
    if !url.username().is_empty() || url.password().is_some() || !matches!(url.scheme(), "http" | "https") {
        return Err("its address is no http or https address without a user".to_owned());
    }
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let is_here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    if url.scheme() == "http" && !is_here {
        return Err("it is on another machine and needs https".to_owned());
    }
    Ok(())
}

impl Bounded {
    fn dressed(
        request: RequestBuilder,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> RequestBuilder {
        let mut request = request.header(ACCEPT, BOTH);
        if let Some(session) = session {
            request = request.header(SESSION, session.as_ref());
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        for (name, value) in headers {
            request = request.header(name, value);
        }
        request
    }

    async fn sent(request: RequestBuilder) -> Result<Response, Fault> {
        request.send().await.map_err(|_| Fault::Client(HttpFault::Connection))
    }

    /// The body, as long as it is one message at most.
    async fn body(&self, response: Response) -> Result<Vec<u8>, Fault> {
        let mut stream = response.bytes_stream();
        let mut body = Vec::new();
        while let Some(piece) = stream.next().await {
            let piece = piece.map_err(|_| Fault::Client(HttpFault::Connection))?;
            if body.len() + piece.len() > LONGEST {
                self.trouble.end(ForeignError::TooLarge { most: most() });
                return Err(Fault::Client(HttpFault::TooLong));
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    /// The events of a stream; one that is longer than a message ends it.
    fn events(&self, response: Response) -> BoxStream<'static, Result<Sse, SseError>> {
        let trouble = Arc::clone(&self.trouble);
        let mut open = OpenEvent::default();
        let bytes = response.bytes_stream().map(move |piece| {
            let piece = piece.map_err(|_| std::io::Error::other(HttpFault::Connection))?;
            if open.take(&piece) > LONGEST {
                trouble.end(ForeignError::TooLarge { most: most() });
                return Err(std::io::Error::other(HttpFault::TooLong));
            }
            Ok(piece)
        });
        // Behind an error nothing is read any more.
        let mut is_over = false;
        let bytes = bytes.take_while(move |piece| {
            let goes_on = !is_over;
            is_over = piece.is_err();
            std::future::ready(goes_on)
        });
        // When to come back is the server's to say, but not that it be at once.
        let calm = |event: Result<Sse, SseError>| {
            event.map(|event| Sse { retry: event.retry.map(|retry| retry.max(SOONEST)), ..event })
        };
        let mut wants = self.wants();
        let bearable =
            move |event: &Result<Sse, SseError>| std::future::ready(event.as_ref().map_or(true, &mut wants));
        SseStream::from_bytes_stream(bytes).map(calm).take_while(bearable).boxed()
    }

    /// Counts what the server wants of us on one stream, and says whether that is still bearable: each of it is answered by a
    /// message of its own.
    fn wants(&self) -> impl FnMut(&Sse) -> bool + Send + 'static {
        #[derive(serde::Deserialize)]
        struct Request {
            #[serde(rename = "id")]
            _id: serde::de::IgnoredAny,
            #[serde(rename = "method")]
            _method: serde::de::IgnoredAny,
        }
        let (trouble, unanswered, mut unasked) =
            (Arc::clone(&self.trouble), Arc::clone(&self.unanswered), 0_usize);
        move |event| {
            let is_request = |data: &String| serde_json::from_str::<Request>(data).is_ok();
            if !event.data.as_ref().is_some_and(is_request) {
                return true;
            }
            unasked += 1;
            let is_bearable = unasked <= UNASKED && unanswered.fetch_add(1, Ordering::SeqCst) < UNANSWERED;
            if !is_bearable {
                let why = "it asks for more than anybody answers".to_owned();
                trouble.end(ForeignError::Protocol { why });
            }
            is_bearable
        }
    }

    /// A refusal of the server that is a message of the protocol, or what its status says.
    async fn refused(
        &self,
        message: &ClientJsonRpcMessage,
        response: Response,
        is_json: bool,
    ) -> Result<StreamableHttpPostResponse, Fault> {
        let status = response.status();
        self.trouble.note_status(status.as_u16());
        let is_closed = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        let body = if is_json && !is_closed { self.body(response).await? } else { Vec::new() };
        let told = serde_json::from_slice::<ServerJsonRpcMessage>(&body).ok();
        // A server of the older kind does not know how the newer conversation begins.
        if let JsonRpcMessage::Request(request) = message
            && matches!(request.request, ClientRequest::DiscoverRequest(_))
            && status.is_client_error()
            && !is_closed
        {
            let error = match told {
                Some(JsonRpcMessage::Error(error)) => error.error,
                Some(_) | None => ErrorData::invalid_request(format!("status {}", status.as_u16()), None),
            };
            let told = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
            return Ok(StreamableHttpPostResponse::Json(told, None));
        }
        match told {
            Some(told @ JsonRpcMessage::Error(_)) => Ok(StreamableHttpPostResponse::Json(told, None)),
            Some(_) | None => Err(Fault::Client(HttpFault::Status(status.as_u16()))),
        }
    }
}

/// One of the server's requests has its answer, or never gets one.
struct Answered(Arc<AtomicUsize>);

impl Drop for Answered {
    fn drop(&mut self) {
        // An answer to what was not counted, because too much was, takes nothing away.
        let less = |count: usize| Some(count.saturating_sub(1));
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).unwrap_or_default();
    }
}

/// How long the event is that has not ended yet.
#[derive(Debug, Default)]
struct OpenEvent {
    length: usize,
    last: Option<u8>,
}

impl OpenEvent {
    /// Takes a piece. An empty line ends an event, also one that two pieces share; where it is does not matter for a bound.
    fn take(&mut self, piece: &[u8]) -> usize {
        let is_end = |pair: &[u8]| pair == b"\n\n" || pair == b"\r\r" || pair == b"\n\r";
        let across: Vec<u8> = self.last.into_iter().chain(piece.first().copied()).collect();
        self.length = match piece.windows(2).rposition(is_end) {
            Some(at) => piece.len() - at,
            None if is_end(&across) => piece.len(),
            None => self.length.saturating_add(piece.len()),
        };
        self.last = piece.last().copied().or(self.last);
        self.length
    }
}

fn is_kind(response: &Response, kind: &str) -> bool {
    let found = response.headers().get(CONTENT_TYPE);
    found.is_some_and(|found| found.as_bytes().starts_with(kind.as_bytes()))
}

impl StreamableHttpClient for Bounded {
    type Error = HttpFault;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Fault> {
        let has_session = session_id.is_some();
        let _answered = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))
            .then(|| Answered(Arc::clone(&self.unanswered)));
        let body = serde_json::to_vec(&message).map_err(Fault::Deserialize)?;
        let request = Self::dressed(self.client.post(uri.as_ref()), session_id, auth_header, custom_headers);
        let response = Self::sent(request.header(CONTENT_TYPE, "application/json").body(body)).await?;
        let is_json = is_kind(&response, "application/json");
        match response.status() {
            StatusCode::ACCEPTED | StatusCode::NO_CONTENT => return Ok(StreamableHttpPostResponse::Accepted),
            StatusCode::NOT_FOUND if has_session => return Err(Fault::SessionExpired),
            status if !status.is_success() => return self.refused(&message, response, is_json).await,
            _success => {}
        }
        let session =
            response.headers().get(SESSION).and_then(|value| value.to_str().ok()).map(str::to_owned);
        if is_kind(&response, "text/event-stream") {
            return Ok(StreamableHttpPostResponse::Sse(self.events(response), session));
        }
        let is_asked = matches!(message, JsonRpcMessage::Request(_));
        if !is_json {
            return if is_asked {
                Err(Fault::UnexpectedContentType(None))
            } else {
                Ok(StreamableHttpPostResponse::Accepted)
            };
        }
        let body = self.body(response).await?;
        let told = parse(&body, Limits::default()).ok().and_then(|_| serde_json::from_slice(&body).ok());
        match told {
            Some(told) => Ok(StreamableHttpPostResponse::Json(told, session)),
            None if is_asked => Err(Fault::UnexpectedServerResponse("no message of the protocol".into())),
            None => Ok(StreamableHttpPostResponse::Accepted),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Fault> {
        let request = self.client.delete(uri.as_ref());
        Self::sent(Self::dressed(request, Some(session_id), auth_header, custom_headers)).await.map(drop)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Fault> {
        let mut request =
            Self::dressed(self.client.get(uri.as_ref()), session_id, auth_header, custom_headers);
        if let Some(last) = last_event_id {
            request = request.header(LAST_EVENT, last);
        }
        let response = Self::sent(request).await?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(Fault::ServerDoesNotSupportSse),
            StatusCode::NOT_FOUND => Err(Fault::SessionExpired),
            status if !status.is_success() => Err(Fault::Client(HttpFault::Status(status.as_u16()))),
            _success if is_kind(&response, "text/event-stream") => Ok(self.events(response)),
            _success => Err(Fault::UnexpectedContentType(None)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::OpenEvent;

    #[test]
    fn an_event_ends_with_an_empty_line_that_two_pieces_share() {
        for (data, end) in [(&b"data: x\n"[..], &b"\n"[..]), (b"data: x\r\n", b"\r\n"), (b"data: x\r", b"\r")]
        {
            let mut open = OpenEvent::default();
            for _ in 0..100 {
                assert!(open.take(data) <= data.len() + end.len());
                assert!(open.take(end) <= end.len());
            }
        }
        let mut open = OpenEvent::default();
        assert_eq!((0..100).map(|_| open.take(b"data: x\n")).max(), Some(800));
    }
}
