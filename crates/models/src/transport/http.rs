//! The transport of the real world: HTTPS, and HTTP to this machine only, because a key travels with every request.
//!
//! It follows no redirect, asks no proxy, reads no environment, and must not put an address with its query, a header or
//! a library's error text that may hold one into an error.

mod body;
mod failure;
#[cfg(test)]
mod tests;

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::sync::OnceLock;
use std::time::Duration;

use premath_tusk::model::{ModelError, ModelErrorKind};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, ClientBuilder, Url};
use rustls::crypto::{CryptoProvider, ring};
use tokio::time::{Instant, Sleep, sleep_until, timeout_at};

use self::body::Body;
use self::failure::{first_byte_timeout, head_failure};
use super::{Method, Transport, TransportFuture, WireRequest, WireResponse};

/// How long is waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection.
    pub connect: Duration,
    /// From the request to the first byte of the answer's body, and from its head to the first event in it that is more
    /// than a sign of life.
    pub first_byte: Duration,
    /// Between two pieces of it.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(60),
        }
    }
}

/// Where requests may go without encryption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainHttp {
    /// To this machine.
    LoopbackOnly,
    /// Anywhere: somebody decided that the network between is trusted.
    Anywhere,
}

/// How the transport behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpSettings {
    /// How long it waits.
    pub timeouts: Timeouts,
    /// The longest answer, in bytes.
    pub max_response_bytes: usize,
    /// Where it goes without encryption.
    pub plain_http: PlainHttp,
}

impl Default for HttpSettings {
    fn default() -> Self {
        Self {
            timeouts: Timeouts::default(),
            max_response_bytes: 64 * 1024 * 1024,
            plain_http: PlainHttp::LoopbackOnly,
        }
    }
}

/// Real HTTP.
pub struct HttpTransport {
    settings: HttpSettings,
    /// Needs no certificates, so that a machine without any can talk to itself.
    plain: Client,
    /// Loads the certificates of the system when it is first needed.
    secure: OnceLock<Result<Client, ModelError>>,
}

impl fmt::Debug for HttpTransport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HttpTransport").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl HttpTransport {
    /// A transport with these settings.
    ///
    /// # Errors
    /// `client_failed` when no client can be built on this machine.
    pub fn new(settings: HttpSettings) -> Result<Self, ModelError> {
        if CryptoProvider::get_default().is_none() {
            // Losing a race here means that somebody installed one, which is what was wanted.
            let _lost_race = ring::default_provider().install_default().is_err();
        }
        let plain = build(client(settings).tls_certs_only([]))?;
        Ok(Self { settings, plain, secure: OnceLock::new() })
    }

    fn client_for(&self, url: &Url) -> Result<&Client, ModelError> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err(insecure("an address must not hold a name or a password"));
        }
        match url.scheme() {
            "https" => {
                let secure = self.secure.get_or_init(|| build(client(self.settings).https_only(true)));
                secure.as_ref().map_err(ModelError::clone)
            }
            "http" if is_loopback(url) || self.settings.plain_http == PlainHttp::Anywhere => Ok(&self.plain),
            "http" => Err(insecure("plain HTTP is for this machine only; use https")),
            _ => Err(url_invalid()),
        }
    }

    async fn exchange(&self, request: &WireRequest) -> Result<WireResponse, ModelError> {
        let url = Url::parse(&request.url).map_err(|_| url_invalid())?;
        let client = self.client_for(&url)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let method = match request.method {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
        };
        let outgoing = client.request(method, url).headers(headers(request)?).body(request.body.clone());
        let deadline = Instant::now() + self.settings.timeouts.first_byte;
        let response = match timeout_at(deadline, outgoing.send()).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(head_failure(&error, &host)),
            Err(_) => return Err(first_byte_timeout(&host)),
        };
        let status = response.status().as_u16();
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers =
            response.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect();
        let timer: Pin<Box<Sleep>> = Box::pin(sleep_until(deadline));
        let body = Body::new(Box::pin(response.bytes_stream()), timer, &self.settings, host);
        Ok(WireResponse { status, headers, body: Box::pin(body) })
    }
}

impl Transport for HttpTransport {
    fn send<'a>(&'a self, request: &'a WireRequest) -> TransportFuture<'a> {
        Box::pin(self.exchange(request))
    }

    fn first_event_timeout(&self) -> Option<Duration> {
        Some(self.settings.timeouts.first_byte)
    }
}

fn client(settings: HttpSettings) -> ClientBuilder {
    // A name that means this machine must not be looked up elsewhere.
    let this_machine =
        [SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), SocketAddr::from((Ipv6Addr::LOCALHOST, 0))];
    Client::builder()
        .user_agent(concat!("premath/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(settings.timeouts.connect)
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .resolve_to_addrs("localhost", &this_machine)
}

fn build(builder: ClientBuilder) -> Result<Client, ModelError> {
    builder.build().map_err(|_| {
        let message = "no HTTP client: are the system's certificates installed?";
        ModelError::new(ModelErrorKind::Unavailable, "client_failed", message)
    })
}

fn headers(request: &WireRequest) -> Result<HeaderMap, ModelError> {
    let plain = request.headers.iter().map(|header| (header, false));
    let secret = request.secret_headers.iter().map(|header| (header, true));
    let mut headers = HeaderMap::new();
    for ((name, value), is_secret) in plain.chain(secret) {
        let parsed = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value));
        let (Ok(header), Ok(mut value)) = parsed else {
            let message = format!("the header `{}` cannot be sent", crate::error_kinds::one_line(name));
            return Err(ModelError::new(ModelErrorKind::Model, "request_invalid", message));
        };
        value.set_sensitive(is_secret);
        headers.append(header, value);
    }
    Ok(headers)
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

fn insecure(message: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Model, "insecure_url", message)
}

fn url_invalid() -> ModelError {
    ModelError::new(
        ModelErrorKind::Model,
        "url_invalid",
        "the address of the provider is no http or https address",
    )
}
