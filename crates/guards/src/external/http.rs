//! A guard that is a service. It is asked over HTTPS, or over HTTP on this machine.
//!
//! It follows no redirect, asks no proxy, and must not put an address, a header or a library's error text into an error.

use std::fmt;
use std::net::IpAddr;
use std::thread;
use std::time::Duration;

use premath_tusk::policy::{
    Guard, GuardAction, GuardError, GuardReport, GuardSubject, GuardrailStage, SelfTestFailure,
};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, StatusCode, Url};
use rustls::crypto::{CryptoProvider, ring};

use super::{answer, document, self_test};
use crate::settings::StageActions;

/// How long a guard outside has when nobody says so.
pub(super) const DEADLINE: Duration = Duration::from_secs(2);

/// The most that is read of an answer.
const BODY_BYTES: usize = 1 << 20;

/// A service that looks.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpGuardSettings {
    /// Its name among the guards.
    pub id: String,
    /// Where documents are posted: `https`, or `http` to this machine.
    pub url: String,
    /// Headers that go with every document; their values are secrets.
    pub headers: Vec<(String, String)>,
    /// What is done about what it finds, and when it looks.
    pub actions: StageActions,
    /// How long it has, from the connection to the last byte.
    pub deadline: Duration,
    /// A text that it must find something in when it is tried.
    pub must_find: Option<String>,
    /// A text that it must let pass when it is tried; a harmless one when `None`.
    pub must_pass: Option<String>,
}

impl HttpGuardSettings {
    /// A guard that blocks at what goes in and comes out, with two seconds.
    #[must_use]
    pub fn new(id: impl Into<String>, url: impl Into<String>) -> Self {
        let block = Some(GuardAction::Block);
        Self {
            id: id.into(),
            url: url.into(),
            headers: Vec::new(),
            actions: StageActions { input: block, output: block, ..StageActions::NONE },
            deadline: DEADLINE,
            must_find: None,
            must_pass: None,
        }
    }
}

impl fmt::Debug for HttpGuardSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        let mut shown = formatter.debug_struct("HttpGuardSettings");
        shown.field("id", &self.id).field("headers", &headers).field("actions", &self.actions);
        shown.field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

/// A service that cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpGuardError {
    /// Not an address, or one with a user in it.
    #[error("the address of the guard `{id}` is no http or https address without a user")]
    Url {
        /// The guard.
        id: String,
    },
    /// Unencrypted, to another machine.
    #[error("the guard `{id}` is on another machine and needs https")]
    Plain {
        /// The guard.
        id: String,
    },
    /// A header that is none.
    #[error("the guard `{id}` has a header that cannot be sent")]
    Header {
        /// The guard.
        id: String,
    },
    /// No client on this machine.
    #[error("no HTTP client: are the system's certificates installed?")]
    Client,
}

/// A guard that is a service.
#[derive(Debug)]
pub struct HttpGuard {
    settings: HttpGuardSettings,
    stages: Vec<GuardrailStage>,
    url: Url,
    client: Client,
}

impl HttpGuard {
    /// A guard that asks a service.
    ///
    /// # Errors
    /// An address or a header that cannot be used.
    pub fn new(settings: HttpGuardSettings) -> Result<Self, HttpGuardError> {
        let id = || settings.id.clone();
        let url = Url::parse(&settings.url).map_err(|_| HttpGuardError::Url { id: id() })?;
        let is_named = !url.username().is_empty() || url.password().is_some();
        if is_named || !matches!(url.scheme(), "http" | "https") {
            return Err(HttpGuardError::Url { id: id() });
        }
        if url.scheme() == "http" && !is_loopback(&url) {
            return Err(HttpGuardError::Plain { id: id() });
        }
        let headers = headers(&settings.headers).ok_or_else(|| HttpGuardError::Header { id: id() })?;
        let client = client(&url, headers)?;
        let stages = settings.actions.stages();
        Ok(Self { settings, stages, url, client })
    }

    /// Runs on a thread of its own: whoever asks may be inside a runtime, where nothing may block.
    fn ask(&self, document: Vec<u8>) -> Result<Vec<u8>, GuardError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let Ok(runtime) = runtime else { return Err(unavailable("no runtime")) };
        let exchange = self.exchange(document);
        let answer = runtime.block_on(async { tokio::time::timeout(self.settings.deadline, exchange).await });
        // A look-up of a name may still hang in it.
        runtime.shutdown_background();
        answer.unwrap_or_else(|_| Err(GuardError::TimedOut { millis: self.millis() }))
    }

    async fn exchange(&self, document: Vec<u8>) -> Result<Vec<u8>, GuardError> {
        let request = self.client.post(self.url.clone()).body(document);
        let mut response = request.send().await.map_err(|_| unavailable("the service cannot be reached"))?;
        let status = response.status();
        if status != StatusCode::OK {
            return Err(unavailable(&format!("the service answered with status {}", status.as_u16())));
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|_| unavailable("the answer was cut off"))? {
            if body.len() + piece.len() > BODY_BYTES {
                return Err(GuardError::Unreadable("the answer is too long".to_owned()));
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.settings.deadline.as_millis()).unwrap_or(u64::MAX)
    }
}

impl Guard for HttpGuard {
    fn id(&self) -> &str {
        &self.settings.id
    }

    fn stages(&self) -> &[GuardrailStage] {
        &self.stages
    }

    fn action(&self, stage: GuardrailStage) -> GuardAction {
        self.settings.actions.at(stage).unwrap_or(GuardAction::Block)
    }

    fn check(&self, subject: &GuardSubject<'_>) -> Result<GuardReport, GuardError> {
        let document = document::document(subject)?;
        let answer = thread::scope(|scope| {
            let asked =
                thread::Builder::new().name("guard".to_owned()).spawn_scoped(scope, || self.ask(document));
            match asked.map(thread::ScopedJoinHandle::join) {
                Ok(Ok(answer)) => answer,
                Ok(Err(_)) | Err(_) => Err(unavailable("the request could not be made")),
            }
        })?;
        answer::read(&answer, subject.text)
    }

    fn self_test(&self) -> Result<(), SelfTestFailure> {
        self_test(self, self.settings.must_find.as_deref(), self.settings.must_pass.as_deref())
    }
}

fn unavailable(what: &str) -> GuardError {
    GuardError::Unavailable(what.to_owned())
}

fn client(url: &Url, headers: HeaderMap) -> Result<Client, HttpGuardError> {
    if CryptoProvider::get_default().is_none() {
        // Losing a race here means that somebody installed one, which is what was wanted.
        let _lost_race = ring::default_provider().install_default().is_err();
    }
    // Connections belong to the runtime of one request, so that none is kept.
    let builder = Client::builder()
        .user_agent(concat!("premath/", env!("CARGO_PKG_VERSION")))
        .default_headers(headers)
        .redirect(reqwest::redirect::Policy::none())
        .pool_max_idle_per_host(0)
        .referer(false)
        .no_proxy();
    let builder = if url.scheme() == "https" { builder.https_only(true) } else { builder.tls_certs_only([]) };
    builder.build().map_err(|_| HttpGuardError::Client)
}

fn headers(pairs: &[(String, String)]) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in pairs {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        let mut value = HeaderValue::from_str(value).ok()?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Some(headers)
}

/// `localhost` is left out: a name can be made to mean another machine.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    address.is_ok_and(|address| address.is_loopback())
}
