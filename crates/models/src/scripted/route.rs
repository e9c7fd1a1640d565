//! Where each protocol is found, and what a path leads to.

use crate::provider::Protocol;

/// The header that carries the id of a request.
pub(super) const fn request_id_header(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::AnthropicMessages => "request-id",
        Protocol::OpenaiResponses | Protocol::OpenaiChat => "x-request-id",
    }
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    /// A model.
    Answer(Protocol),
    /// The list of models.
    Models,
    /// Nothing.
    Nowhere,
}

impl Route {
    /// What a path leads to, with or without `/v1` before it.
    pub(super) fn of(path: &str) -> Self {
        let short = path.strip_prefix("/v1").unwrap_or(path);
        let known =
            Protocol::ALL.into_iter().find(|protocol| protocol.path().strip_prefix("/v1") == Some(short));
        match known {
            Some(protocol) => Self::Answer(protocol),
            None if short == "/models" => Self::Models,
            None => Self::Nowhere,
        }
    }
}
