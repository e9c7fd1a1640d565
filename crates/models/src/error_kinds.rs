//! What a provider's refusal means: from the HTTP status and the codes of its body, never from the words of its message.
//! It must not decide what to do about it.

mod retry_after;
#[cfg(test)]
mod tests;

use premath_tusk::model::{FailureStage, ModelError, ModelErrorKind};
use serde::Deserialize;
use serde_json::Value;

pub use retry_after::retry_after;

/// How much of a provider's message is kept.
const LONGEST_MESSAGE: usize = 500;

/// What a provider said about its refusal, as all three protocols spell it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderError {
    /// Its code, such as `context_length_exceeded`; a number becomes its digits.
    pub code: Option<String>,
    /// Its type, such as `overloaded_error`.
    pub error_type: Option<String>,
    /// What it says to a person.
    pub message: Option<String>,
    /// The id of the request, where the body has it.
    pub request_id: Option<String>,
}

#[derive(Deserialize)]
struct Envelope {
    error: Option<Value>,
    request_id: Option<Value>,
}

impl ProviderError {
    /// Reads a body; what is no error of any protocol says nothing.
    #[must_use]
    pub fn read(body: &[u8]) -> Self {
        let Ok(envelope) = serde_json::from_slice::<Envelope>(body) else { return Self::default() };
        let error = envelope.error.as_ref().map(Self::of_value).unwrap_or_default();
        Self { request_id: envelope.request_id.as_ref().and_then(text), ..error }
    }

    /// Reads the error object of a body or of an event. Some servers put a bare text in its place.
    #[must_use]
    pub fn of_value(error: &Value) -> Self {
        if let Value::String(message) = error {
            return Self { message: Some(message.clone()), ..Self::default() };
        }
        let field = |name: &str| error.get(name).and_then(text);
        Self { code: field("code"), error_type: field("type"), message: field("message"), request_id: None }
    }

    /// The error of a model, before the answer began.
    #[must_use]
    pub fn into_model_error(self, status: Option<u16>) -> ModelError {
        let number = self.code.as_deref().and_then(|code| code.parse().ok()).filter(|code| *code >= 400);
        let kind = self.kind(status.filter(|status| *status >= 300).or(number));
        let code = self.code.filter(|_| number.is_none()).or(self.error_type);
        let message = match (self.message, status) {
            (Some(message), _) => one_line(&message),
            (None, Some(status)) => format!("the provider answered with status {status}"),
            (None, None) => "the provider reported an error without a message".to_owned(),
        };
        ModelError {
            kind,
            stage: FailureStage::BeforeAnswer,
            status,
            code: code.map(|code| one_line(&code)).or_else(|| Some("http_status".to_owned())),
            message,
            retry_after: None,
            request_id: self.request_id,
        }
    }

    fn kind(&self, status: Option<u16>) -> ModelErrorKind {
        let by_name = |name: &Option<String>| name.as_deref().and_then(kind_of_name);
        by_name(&self.code)
            .or_else(|| by_name(&self.error_type))
            .or_else(|| status.map(kind_of_status))
            .unwrap_or(ModelErrorKind::Unknown)
    }
}

/// The error of an answer that is none: its status, its headers and what could be read of its body.
#[must_use]
pub fn refused(status: u16, headers: &[(String, String)], body: &[u8]) -> ModelError {
    if (300..400).contains(&status) {
        let message = format!("the provider answered with a redirect ({status}), which is not followed");
        let mut error = ModelError::new(ModelErrorKind::Unknown, "redirect_refused", message);
        error.status = Some(status);
        return error;
    }
    let mut error = ProviderError::read(body).into_model_error(Some(status));
    error.retry_after = retry_after(headers);
    error.request_id = request_id(headers).or(error.request_id);
    error
}

/// The id a provider gave the request, which its support asks for.
#[must_use]
pub fn request_id(headers: &[(String, String)]) -> Option<String> {
    let find = |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| one_line(value));
    find("request-id").or_else(|| find("x-request-id"))
}

/// What a code or a type means, where the documentation of a protocol gives it a meaning.
fn kind_of_name(name: &str) -> Option<ModelErrorKind> {
    Some(match name {
        "authentication_error"
        | "permission_error"
        | "billing_error"
        | "invalid_api_key"
        | "invalid_organization"
        | "account_deactivated"
        | "missing_scope"
        | "insufficient_permissions" => ModelErrorKind::Authentication,
        "rate_limit_error" | "rate_limit_exceeded" | "insufficient_quota" | "requests" | "tokens" => {
            ModelErrorKind::RateLimit
        }
        "context_length_exceeded"
        | "exceed_context_size_error"
        | "request_too_large"
        | "string_above_max_length" => ModelErrorKind::ContextLength,
        "not_found_error" | "model_not_found" | "invalid_prompt" => ModelErrorKind::Model,
        "timeout_error" | "request_timeout" => ModelErrorKind::Timeout,
        "api_error" | "server_error" | "internal_server_error" | "unavailable_error" => {
            ModelErrorKind::Unavailable
        }
        "overloaded_error" | "server_is_overloaded" | "slow_down" | "engine_overloaded" => {
            ModelErrorKind::Overloaded
        }
        // `invalid_request_error` is every OpenAI refusal of a request, a wrong key among them: the status knows more.
        _ => return None,
    })
}

const fn kind_of_status(status: u16) -> ModelErrorKind {
    match status {
        401..=403 => ModelErrorKind::Authentication,
        408 | 504 => ModelErrorKind::Timeout,
        413 => ModelErrorKind::ContextLength,
        429 => ModelErrorKind::RateLimit,
        529 => ModelErrorKind::Overloaded,
        400..=499 => ModelErrorKind::Model,
        500..=599 => ModelErrorKind::Unavailable,
        _ => ModelErrorKind::Unknown,
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// One line of bounded length, whatever a provider sent.
pub(crate) fn one_line(text: &str) -> String {
    let flat = text.chars().map(|one| if one.is_control() { ' ' } else { one });
    let mut line: String = flat.take(LONGEST_MESSAGE).collect();
    if text.chars().nth(LONGEST_MESSAGE).is_some() {
        line.push('…');
    }
    line
}
