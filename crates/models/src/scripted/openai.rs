//! What the two protocols of `OpenAI` share: how errors look, and when everything happened.

use serde_json::{Value, json};

use super::reply::{FailureForm, FailureKind, SpokenUsage};

/// When every answer was made: a script has no clock.
pub(super) const CREATED: u64 = 1_700_000_000;

/// How an error looks.
pub(super) fn failure_form(kind: FailureKind) -> FailureForm {
    let invalid = "invalid_request_error";
    match kind {
        FailureKind::RateLimit { .. } => FailureForm::new(429, "requests", Some("rate_limit_exceeded")),
        FailureKind::ServerError { status } => FailureForm::new(status, "server_error", None),
        FailureKind::Overloaded => FailureForm::new(503, "server_error", Some("server_is_overloaded")),
        FailureKind::Authentication => FailureForm::new(401, invalid, Some("invalid_api_key")),
        FailureKind::ContextLength => FailureForm::new(400, invalid, Some("context_length_exceeded")),
        FailureKind::Mismatch => FailureForm::new(400, invalid, Some("scenario_mismatch")),
        FailureKind::BadRequest => FailureForm::new(400, invalid, None),
        FailureKind::TooLarge => FailureForm::new(413, invalid, Some("request_too_large")),
        FailureKind::NotFound => FailureForm::new(404, invalid, Some("unknown_url")),
        FailureKind::MethodNotAllowed => FailureForm::new(405, invalid, Some("method_not_supported")),
    }
}

/// The body of an error.
pub(super) fn failure_body(form: FailureForm, message: &str) -> String {
    let error = json!({ "message": message, "type": form.error_type, "param": null, "code": form.code });
    json!({ "error": error }).to_string()
}

/// All input: here what came from the cache is a part of it.
pub(super) fn input_tokens(usage: SpokenUsage) -> u64 {
    usage.input.saturating_add(usage.cache_read).saturating_add(usage.cache_write)
}

/// The same under the names of Chat Completions.
pub(super) fn chat_usage(usage: SpokenUsage) -> Value {
    let input = input_tokens(usage);
    json!({
        "prompt_tokens": input,
        "completion_tokens": usage.output,
        "total_tokens": input.saturating_add(usage.output),
        "prompt_tokens_details": { "cached_tokens": usage.cache_read, "audio_tokens": 0 },
        "completion_tokens_details": { "reasoning_tokens": 0, "audio_tokens": 0 },
    })
}

/// The same under the names of Responses.
pub(super) fn response_usage(usage: SpokenUsage) -> Value {
    let input = input_tokens(usage);
    json!({
        "input_tokens": input,
        "input_tokens_details": { "cached_tokens": usage.cache_read },
        "output_tokens": usage.output,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": input.saturating_add(usage.output),
    })
}
