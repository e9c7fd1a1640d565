//! Where spans go: a collector by its address, or one on this machine behind a socket.

use std::path::PathBuf;
use std::time::Duration;

use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use reqwest::Client;
use rustls::crypto::{CryptoProvider, ring};

/// How long one batch may take.
const DEADLINE: Duration = Duration::from_secs(5);
/// Where a collector takes spans.
const PATH: &str = "/v1/traces";

/// Why no spans can be sent.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The address is none.
    #[error("`{address}` is no address that spans can be sent to")]
    Address {
        /// What was given.
        address: String,
    },
    /// No client can be made on this machine.
    #[error("no client for spans can be made")]
    Client(#[source] reqwest::Error),
    /// The exporter cannot be made.
    #[error("no exporter of spans can be made")]
    Exporter(#[source] opentelemetry_otlp::ExporterBuildError),
    /// No thread can be started.
    #[error("no thread for spans can be started")]
    Thread(#[source] std::io::Error),
}

/// Somebody who takes spans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    url: String,
    socket: Option<PathBuf>,
}

impl Target {
    /// The target of an address: `http://…`, `https://…` or `unix:/path`. Without a path, spans go to `/v1/traces`.
    ///
    /// # Errors
    /// `Address`
    pub fn parse(address: &str) -> Result<Self, TelemetryError> {
        let wrong = || TelemetryError::Address { address: address.to_owned() };
        if let Some(path) = address.strip_prefix("unix:") {
            let socket = PathBuf::from(path);
            if !socket.is_absolute() {
                return Err(wrong());
            }
            return Ok(Self { url: format!("http://localhost{PATH}"), socket: Some(socket) });
        }
        let url = reqwest::Url::parse(address).map_err(|_| wrong())?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(wrong());
        }
        let url = if url.path().ends_with(PATH) {
            url.to_string()
        } else {
            format!("{}{PATH}", url.as_str().trim_end_matches('/'))
        };
        Ok(Self { url, socket: None })
    }

    pub(crate) fn exporter(&self) -> Result<SpanExporter, TelemetryError> {
        if CryptoProvider::get_default().is_none() {
            // Losing a race here means that somebody installed one, which is what was wanted.
            let _lost_race = ring::default_provider().install_default().is_err();
        }
        let mut client = Client::builder().timeout(DEADLINE).no_proxy();
        if !self.url.starts_with("https://") {
            // It needs no certificates, so that a machine without any can talk to itself.
            client = client.tls_certs_only([]);
        }
        if let Some(socket) = &self.socket {
            client = client.unix_socket(socket.as_path());
        }
        SpanExporter::builder()
            .with_http()
            .with_http_client(client.build().map_err(TelemetryError::Client)?)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(&self.url)
            .with_timeout(DEADLINE)
            .build()
            .map_err(TelemetryError::Exporter)
    }
}
