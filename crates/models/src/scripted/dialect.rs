//! The protocols a script can be spoken in, and where each of them is found.

/// A protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialect {
    /// Anthropic Messages.
    Messages,
    /// `OpenAI` Responses.
    Responses,
    /// `OpenAI` Chat Completions.
    Chat,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 3] = [Self::Messages, Self::Responses, Self::Chat];

    /// The name that logs use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Messages => "anthropic_messages",
            Self::Responses => "openai_responses",
            Self::Chat => "openai_chat",
        }
    }

    /// The path of its one endpoint.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Messages => "/v1/messages",
            Self::Responses => "/v1/responses",
            Self::Chat => "/v1/chat/completions",
        }
    }

    /// The header that carries the id of a request.
    #[must_use]
    pub const fn request_id_header(self) -> &'static str {
        match self {
            Self::Messages => "request-id",
            Self::Responses | Self::Chat => "x-request-id",
        }
    }
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// A model.
    Answer(Dialect),
    /// The list of models.
    Models,
    /// Nothing.
    Nowhere,
}

impl Route {
    /// What a path leads to, with or without `/v1` before it.
    pub(crate) fn of(path: &str) -> Self {
        let short = path.strip_prefix("/v1").unwrap_or(path);
        let known =
            Dialect::ALL.into_iter().find(|dialect| dialect.path().strip_prefix("/v1") == Some(short));
        match known {
            Some(dialect) => Self::Answer(dialect),
            None if short == "/models" => Self::Models,
            None => Self::Nowhere,
        }
    }
}
