//! How the server is run: the token, the limits, and who is told of requests.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderValue;
use axum::http::uri::Authority;
use premath_host::Token;

/// How the server is run.
#[derive(Debug, Clone)]
pub struct Options {
    /// What every request must show.
    pub token: Token,
    /// The actions that other agents may call, as the door they come in by offers them.
    pub offered: Vec<Offered>,
    /// Pages of others whose requests are answered, by their exact origins.
    pub origins: Vec<PageOrigin>,
    /// Whether premath started this process for a step of its own.
    pub is_step: bool,
    /// Whether this is the demonstration, with a scripted assistant.
    pub is_demo: bool,
    /// How much anybody may ask for.
    pub limits: Limits,
    /// Who is told of every request; nobody when absent.
    pub log: Option<Arc<dyn RequestLog>>,
}

/// Where a page is from: scheme, name and port, as a browser says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageOrigin(HeaderValue);

impl PageOrigin {
    /// Reads one: `http://` or `https://`, a name in small letters, a port where there is one. Nothing stands for several.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let authority = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
        let read: Authority = authority.parse().ok()?;
        let is_plain = |letter: char| {
            letter.is_ascii_lowercase()
                || letter.is_ascii_digit()
                || matches!(letter, '.' | '-' | ':' | '[' | ']')
        };
        let is_usual = match read.port_u16() {
            Some(port) => port == if text.starts_with("https") { 443 } else { 80 },
            // A colon without a number behind it is none.
            None => authority.ends_with(':'),
        };
        let is_exact = !read.host().is_empty() && authority.chars().all(is_plain) && !is_usual;
        HeaderValue::from_str(text).ok().filter(|_| is_exact).map(Self)
    }

    pub(crate) const fn header(&self) -> &HeaderValue {
        &self.0
    }
}

/// An action that other agents may call.
#[derive(Debug, Clone)]
pub struct Offered {
    /// Which.
    pub action: String,
    /// Whether a call names an instruction.
    pub is_linked: bool,
    /// Arguments that are not named from outside.
    pub hidden: Vec<String>,
}

/// How much anybody may ask for.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at the same time.
    pub connections: usize,
    /// How long the head of a request may take, and how long a connection may stay silent.
    pub head: Duration,
    /// How long the body of a request may take.
    pub body: Duration,
    /// How long a stream may go unread before its connection is closed.
    pub unread: Duration,
    /// The largest body.
    pub body_bytes: usize,
    /// The largest body of a message to the assistant.
    pub chat_bytes: usize,
    /// Runs in this server at the same time.
    pub runs: usize,
    /// Requests a minute that only read.
    pub reads_per_minute: u32,
    /// Requests a minute that change something.
    pub changes_per_minute: u32,
    /// Messages a minute to the assistant.
    pub chats_per_minute: u32,
    /// Changes a minute to conversations.
    pub conversations_per_minute: u32,
    /// Requests a minute without the token before they are not even looked at.
    pub strangers_per_minute: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 512,
            head: Duration::from_secs(15),
            body: Duration::from_secs(30),
            unread: Duration::from_secs(30),
            body_bytes: 1 << 20,
            chat_bytes: 4 << 20,
            runs: 16,
            reads_per_minute: 3_000,
            changes_per_minute: 300,
            chats_per_minute: 20,
            conversations_per_minute: 30,
            strangers_per_minute: 120,
        }
    }
}

/// One request, as it is noted. Nothing in it was written by whoever asked, but for the path.
#[derive(Debug)]
pub struct Noted<'n> {
    /// Its id, which the answer bears as well.
    pub id: &'n str,
    /// The method.
    pub method: &'n str,
    /// The route it came to; empty for none.
    pub route: &'n str,
    /// The status of the answer.
    pub status: u16,
    /// The class of what went wrong.
    pub code: Option<&'n str>,
    /// How long the answer took to begin.
    pub took: Duration,
}

/// Somebody who is told of every request.
pub trait RequestLog: Debug + Send + Sync {
    /// One request has been answered, or its stream has begun.
    fn note(&self, noted: &Noted<'_>);
}
