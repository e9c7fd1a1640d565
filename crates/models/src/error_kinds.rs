//! What a provider's refusal means: from the HTTP status and the codes of its body, never from the words of its message.
//! It must not decide what to do about it.

mod retry_after;
mod shown;
#[cfg(test)]
mod tests;

use premath_tusk::model::{FailureStage, ModelError, ModelErrorKind};
use serde::Deserialize;
use serde_json::Value;

use crate::secret::ApiKey;

pub use retry_after::retry_after;
pub(crate) use shown::{bounded, one_line, presentable};

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
    /// What some compatible servers say without an object around it.
    message: Option<Value>,
    #[serde(rename = "type")]
    error_type: Option<Value>,
    code: Option<Value>,
    /// What the frameworks under such servers say when a request does not fit: a text, or a list of what does not.
    detail: Option<Value>,
}

impl Envelope {
    /// The fields beside each other, for whatever an error object does not say.
    fn bare(&self) -> ProviderError {
        let field = |value: &Option<Value>| value.as_ref().and_then(text);
        ProviderError {
            code: field(&self.code),
            error_type: field(&self.error_type),
            message: field(&self.message).or_else(|| self.detail.as_ref().and_then(details)),
            request_id: field(&self.request_id),
        }
    }
}

fn details(detail: &Value) -> Option<String> {
    match detail {
        Value::Array(list) => {
            let said: Vec<String> = list.iter().filter_map(details).collect();
            (!said.is_empty()).then(|| said.join("; "))
        }
        Value::Object(_) => ["msg", "message"].iter().find_map(|name| detail.get(name).and_then(text)),
        Value::String(_) | Value::Number(_) | Value::Null | Value::Bool(_) => text(detail),
    }
}

impl ProviderError {
    /// Reads a body; what is no error of any protocol says nothing.
    #[must_use]
    pub fn read(body: &[u8]) -> Self {
        let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
        let Ok(envelope) = serde_json::from_slice::<Envelope>(body) else { return Self::default() };
        let bare = envelope.bare();
        match &envelope.error {
            // The type beside an error object is that of the document, not of the error.
            Some(error @ Value::Object(_)) => Self { request_id: bare.request_id, ..Self::of_value(error) },
            Some(Value::String(message)) => Self { message: Some(message.clone()), ..bare },
            Some(_) | None => bare,
        }
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

    /// The error of a model, before the answer began, in the provider's own words: not yet fit to be shown.
    #[must_use]
    pub(crate) fn into_model_error(self, status: Option<u16>) -> ModelError {
        let number = self.code.as_deref().and_then(|code| code.parse().ok()).filter(|code| *code >= 400);
        let kind = self.kind(status.filter(|status| *status >= 300).or(number));
        let code = self.code.filter(|_| number.is_none()).or(self.error_type);
        let message = match (self.message, status) {
            (Some(message), _) => message,
            (None, Some(status)) => format!("the provider answered with status {status}"),
            (None, None) => "the provider reported an error without a message".to_owned(),
        };
        ModelError {
            kind,
            stage: FailureStage::BeforeAnswer,
            status,
            code: code.or_else(|| Some("http_status".to_owned())),
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

/// The error of an answer that is none: its status, its headers and what could be read of its body, without the key.
#[must_use]
pub fn refused(status: u16, headers: &[(String, String)], body: &[u8], key: Option<&ApiKey>) -> ModelError {
    if (300..400).contains(&status) {
        let message = format!("the provider answered with a redirect ({status}), which is not followed");
        let mut error = ModelError::new(ModelErrorKind::Unknown, "redirect_refused", message);
        error.status = Some(status);
        return error;
    }
    let mut error = ProviderError::read(body).into_model_error(Some(status));
    error.retry_after = retry_after(headers);
    error.request_id = request_id(headers).or(error.request_id);
    presentable(error, key)
}

/// The id a provider gave the request, which its support asks for, as it came.
#[must_use]
pub fn request_id(headers: &[(String, String)]) -> Option<String> {
    let find = |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
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
