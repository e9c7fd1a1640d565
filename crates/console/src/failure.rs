//! Why there is no answer, as HTTP tells it: the one place where classes of the host become statuses.
//!
//! The code is the class of the host, so that every door names one thing the same. It must not say more than the host does.

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use premath_bd::StoreError;
use premath_host::{ActionError, ModelFailure, SourceError};
use premath_tusk::model::ModelErrorKind;
use premath_wire::{InputClass, InputError};
use serde::Serialize;
use serde_json::value::RawValue;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: StatusCode,
    pub(crate) told: Box<Told>,
}

/// What is told about it.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Told {
    /// The class.
    pub(crate) code: String,
    /// What happened, for a person.
    pub(crate) message: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// What of the request is not as it should be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) fields: Vec<Field>,
    /// How long to wait before asking again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after_ms: Option<u64>,
    /// What the action answered, where it says more than the class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) details: Option<Box<RawValue>>,
}

/// One member of a request.
#[derive(Debug, Serialize)]
pub(crate) struct Field {
    /// Which.
    pub(crate) path: String,
    /// What is wrong with it.
    pub(crate) message: String,
}

/// Where the arguments of a call came from.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Origin {
    /// Those that the address names, as the row of the API has them.
    pub(crate) address: &'static [&'static str],
    /// Those that the query names, in the same way.
    pub(crate) query: &'static [&'static str],
    /// Whether the others came in a body.
    pub(crate) is_body: bool,
}

/// The class that a failure carries on its way to whoever notes requests.
#[derive(Debug, Clone)]
pub(crate) struct Code(pub(crate) String);

impl Failure {
    pub(crate) fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        Self {
            status,
            told: Box::new(Told { code: code.to_owned(), message: message.into(), ..Told::default() }),
        }
    }

    /// The same with what to do about it.
    pub(crate) fn hinting(mut self, hint: impl Into<String>) -> Self {
        self.told.hint = Some(hint.into()).filter(|hint| !hint.is_empty());
        self
    }

    /// The same with how long to wait.
    pub(crate) fn retrying(mut self, wait: Duration) -> Self {
        self.told.retry_after_ms = Some(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1));
        self
    }

    /// More is asked than is worked on.
    pub(crate) fn overloaded() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "server_busy",
            "more is asked of this server than it can do now",
        )
        .retrying(Duration::from_secs(1))
    }

    /// The server is about to end.
    pub(crate) fn ending() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "server_ending", "the server is ending")
            .retrying(Duration::from_secs(2))
    }

    /// A fault of ours.
    pub(crate) fn broken() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "server_fault",
            "the request broke off; this is a fault of premath",
        )
        .hinting("`premath verify` says whether anything is damaged")
    }

    pub(crate) fn unauthorised() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "auth_missing", "the token of this server is missing or wrong")
            .hinting("send `Authorization: Bearer TOKEN`; `premath serve` says where the token is")
    }

    pub(crate) fn foreign(what: &str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "foreign_request", what)
            .hinting("open the address that `premath serve` prints")
    }

    pub(crate) fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", what)
    }

    pub(crate) fn too_often(wait: Duration) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", "this was asked too often").retrying(wait)
    }

    pub(crate) fn too_large(most: usize) -> Self {
        let what = format!("a body has at most {most} bytes here");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, InputClass::TooLarge.code(), what)
    }

    /// A member of the request that is not as it should be.
    pub(crate) fn field(status: StatusCode, class: InputClass, path: &str, message: &str) -> Self {
        let what = format!("{}: {message} at {path}", class.code());
        let mut failure = Self::new(status, class.code(), what);
        failure.told.fields.push(Field { path: path.to_owned(), message: message.to_owned() });
        failure
    }

    /// Input that cannot be read as what the action needs.
    pub(crate) fn input(error: &InputError, origin: Origin) -> Self {
        let path = error.path.to_string();
        let argument = |name: &&'static str| name.split_once(':').map_or(*name, |(_, argument)| argument);
        let is_address = origin.address.iter().any(|name| path.strip_prefix("$.") == Some(argument(name)));
        // The journal of a run is named by it.
        let is_address = is_address || (path == "$.session" && origin.address.contains(&"id:runId"));
        // So is a turn, by its own name.
        let is_address = is_address || (path == "$.runId" && origin.address.contains(&"callId"));
        let status = match error.class {
            InputClass::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            // What the address names is not there, or is no name at all.
            _ if is_address => StatusCode::NOT_FOUND,
            InputClass::FieldMissing | InputClass::FieldInvalid | InputClass::DuplicateRow
                if origin.is_body =>
            {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            InputClass::FieldMissing
            | InputClass::FieldInvalid
            | InputClass::DuplicateRow
            | InputClass::JsonInvalid
            | InputClass::DuplicateKey
            | InputClass::TooDeep => StatusCode::BAD_REQUEST,
        };
        let pairs = origin.address.iter().chain(origin.query).filter_map(|name| name.split_once(':'));
        let ours = pairs.into_iter().find(|(_, argument)| path.strip_prefix("$.") == Some(argument));
        // What the API calls otherwise is named as whoever asked has named it.
        let (path, what) = match ours {
            Some((name, _)) => {
                let named = format!("$.{name}");
                let what = format!("{}: {} at {named}", error.class.code(), error.what);
                (named, what)
            }
            None => (path, error.to_string()),
        };
        let mut failure = Self::new(status, error.class.code(), what);
        failure.told.fields.push(Field { path, message: error.what.clone() });
        failure
    }

    /// An action that gave no answer.
    pub(crate) fn action(error: &ActionError, origin: Origin) -> Self {
        let status = match error {
            ActionError::Input(error) => return Self::input(error, origin),
            ActionError::Unknown { .. } => StatusCode::NOT_FOUND,
            ActionError::Envelope(_) => StatusCode::UNPROCESSABLE_ENTITY,
            ActionError::NotRetained { .. } => StatusCode::GONE,
            ActionError::Model(failure) => return Self::model(failure),
            ActionError::Source(SourceError::UnknownSuite { .. }) => StatusCode::NOT_FOUND,
            ActionError::Store(StoreError::Input(error)) => return Self::input(error, origin),
            ActionError::Store(StoreError::Busy { .. }) => StatusCode::SERVICE_UNAVAILABLE,
            ActionError::Store(StoreError::Missing { .. }) => StatusCode::NOT_FOUND,
            ActionError::Store(_)
            | ActionError::Source(_)
            | ActionError::Sandbox(_)
            | ActionError::Unavailable { .. }
            | ActionError::Unwritable { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let failure =
            Self::new(status, error.class(), error.to_string()).hinting(error.hint().unwrap_or_default());
        if error.is_retryable() { failure.retrying(Duration::from_secs(1)) } else { failure }
    }

    /// No model answered.
    pub(crate) fn model(failure: &ModelFailure) -> Self {
        let status = match failure.error.kind {
            ModelErrorKind::RateLimit => StatusCode::TOO_MANY_REQUESTS,
            ModelErrorKind::ContextLength => StatusCode::BAD_REQUEST,
            ModelErrorKind::Timeout => StatusCode::GATEWAY_TIMEOUT,
            ModelErrorKind::Unavailable | ModelErrorKind::Overloaded => StatusCode::SERVICE_UNAVAILABLE,
            ModelErrorKind::Authentication | ModelErrorKind::Model | ModelErrorKind::Unknown => {
                StatusCode::BAD_GATEWAY
            }
        };
        let code = format!("model.{}", failure.error.kind.as_str());
        let told = Self::new(status, &code, failure.to_string())
            .hinting("`premath models --check` says which providers can be reached");
        match failure.error.retry_after {
            Some(wait) => told.retrying(wait),
            None => told,
        }
    }

    /// The same failure, for one more who is told.
    pub(crate) fn again(&self) -> Self {
        let told = &self.told;
        let fields = told
            .fields
            .iter()
            .map(|field| Field { path: field.path.clone(), message: field.message.clone() });
        Self {
            status: self.status,
            told: Box::new(Told {
                code: told.code.clone(),
                message: told.message.clone(),
                hint: told.hint.clone(),
                fields: fields.collect(),
                retry_after_ms: told.retry_after_ms,
                details: told.details.clone(),
            }),
        }
    }

    /// The status of a refusal.
    pub(crate) fn status_of(class: &str) -> StatusCode {
        match class {
            _ if class.ends_with("not_found") => StatusCode::NOT_FOUND,
            _ if class.ends_with("_expired") => StatusCode::GONE,
            "desk_deleted" | "payload_not_retained" => StatusCode::GONE,
            "desk_invalid" | "desk_patch_mismatch" | "proposal_failed" => StatusCode::UNPROCESSABLE_ENTITY,
            "person_missing" => StatusCode::FORBIDDEN,
            _ => StatusCode::CONFLICT,
        }
    }

    /// An answer that is a refusal.
    pub(crate) fn refused(class: &str, payload: Box<RawValue>) -> Self {
        let status = Self::status_of(class);
        let said: Option<Refused> = serde_json::from_str(payload.get()).ok();
        let (message, hint) = said.map(|said| (said.refused.detail, said.refused.hint)).unwrap_or_default();
        let (message, hint) = match (message.is_empty(), class) {
            (false, _) => (message, hint),
            (true, "proposal_failed") => (
                "not every step of the plan was done: `details` has what came of each".to_owned(),
                "mend what its steps name, and have it proposed again".to_owned(),
            ),
            (true, _) => (format!("the action was refused: {class}"), hint),
        };
        let mut failure = Self::new(status, class, message).hinting(hint);
        failure.told.details = Some(payload);
        failure
    }
}

#[derive(serde::Deserialize)]
struct Refused {
    refused: Because,
}

#[derive(serde::Deserialize)]
struct Because {
    detail: String,
    hint: String,
}

#[derive(Serialize)]
struct Body<'b> {
    error: &'b Told,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        // Texts and numbers alone: this can always be written.
        let body = serde_json::to_vec(&Body { error: &self.told }).unwrap_or_default();
        let mut response = (self.status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
        let headers = response.headers_mut();
        if let Some(wait) = self.told.retry_after_ms {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(wait.div_ceil(1_000)));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(Code(self.told.code));
        response
    }
}

#[cfg(test)]
mod tests;
