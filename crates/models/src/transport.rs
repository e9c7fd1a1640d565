//! What carries a request to a provider. Adapters know no other way out, so that a recording or a script can stand in
//! for the network without the adapter noticing.

mod address;
mod http;

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream;
use premath_tusk::model::ModelError;

pub use address::{AddressError, Reach, check_address};
pub use http::{HttpSettings, HttpTransport, PlainHttp, Timeouts};

/// How a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Without a body; the body of the request is empty.
    Get,
    /// With a body.
    Post,
}

impl Method {
    /// The name as HTTP writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// A request as a transport sends it.
#[derive(Clone, PartialEq, Eq)]
pub struct WireRequest {
    /// How it is sent.
    pub method: Method,
    /// The whole address.
    pub url: String,
    /// Header names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// Headers that carry a secret: sent, and kept from every log, cassette and debug output.
    pub secret_headers: Vec<(String, String)>,
    /// The body: JSON, or nothing.
    pub body: Bytes,
}

impl Debug for WireRequest {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("WireRequest")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &self.headers)
            .field("body", &String::from_utf8_lossy(&self.body))
            .finish_non_exhaustive()
    }
}

/// An answer as a transport gives it.
pub struct WireResponse {
    /// The HTTP status.
    pub status: u16,
    /// Header names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body, in the pieces in which it comes. It ends after the first error.
    pub body: ByteStream,
}

impl WireResponse {
    /// The first value of a header, named in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl Debug for WireResponse {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("WireResponse")
            .field("status", &self.status)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

/// A body in pieces.
pub type ByteStream = Pin<Box<dyn Stream<Item = Result<Bytes, ModelError>> + Send>>;

/// A future that a trait object can return.
pub type TransportFuture<'a> = Pin<Box<dyn Future<Output = Result<WireResponse, ModelError>> + Send + 'a>>;

/// What carries a request to a provider.
pub trait Transport: Debug + Send + Sync {
    /// Sends a request. It ends when the head of the answer is there; dropping it, or the body, closes the
    /// connection. Time-outs to connect, to the first byte and between bytes are the transport's.
    fn send<'a>(&'a self, request: &'a WireRequest) -> TransportFuture<'a>;

    /// How long after the head an answer may take to begin, if anything but signs of life is to count. Bytes alone do not
    /// tell; whoever decodes them does.
    fn first_event_timeout(&self) -> Option<Duration> {
        None
    }
}
