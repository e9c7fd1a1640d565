//! Accidents of the network in our words. Of a library's error only its class and the cause at its root are used: in
//! between it may quote the address.

use std::error::Error;
use std::io;

use premath_tusk::model::{ModelError, ModelErrorKind};

use crate::error_kinds::one_line;

/// Why no head of an answer came.
pub(super) fn head_failure(error: &reqwest::Error, host: &str) -> ModelError {
    let cause = cause(error);
    if error.is_connect() && error.is_timeout() {
        let message = format!("no connection to `{host}` in time");
        return ModelError::new(ModelErrorKind::Timeout, "connect_timeout", message);
    }
    if error.is_connect() {
        let message = format!("no connection to `{host}`: {cause}");
        return ModelError::new(ModelErrorKind::Unavailable, "connect", one_line(&message));
    }
    if error.is_builder() {
        return ModelError::new(ModelErrorKind::Model, "request_invalid", "the request cannot be sent");
    }
    let message = format!("`{host}` closed the connection without an answer: {cause}");
    ModelError::new(ModelErrorKind::Unavailable, "connection_lost", one_line(&message))
}

/// A body that broke off.
pub(super) fn stream_cut(error: &reqwest::Error, host: &str) -> ModelError {
    let message = format!("the answer of `{host}` broke off: {}", cause(error));
    ModelError::new(ModelErrorKind::Unavailable, "stream_cut", one_line(&message))
}

/// Nothing came at all.
pub(super) fn first_byte_timeout(host: &str) -> ModelError {
    let message = format!("`{host}` did not begin to answer in time");
    ModelError::new(ModelErrorKind::Timeout, "first_byte_timeout", message)
}

/// Nothing more came.
pub(super) fn idle_timeout(host: &str) -> ModelError {
    let message = format!("`{host}` stopped in the middle of its answer");
    ModelError::new(ModelErrorKind::Timeout, "idle_timeout", message)
}

/// More came than anybody wants.
pub(super) fn too_large(limit: usize) -> ModelError {
    let message = format!("the answer is longer than {limit} bytes");
    ModelError::new(ModelErrorKind::Unknown, "too_large", message)
}

/// What is known of the cause: that of the operating system, or of the encryption.
fn cause(error: &reqwest::Error) -> String {
    let mut next: Option<&(dyn Error + 'static)> = error.source();
    let mut found = "the connection was closed".to_owned();
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref::<rustls::Error>() {
            return error.to_string();
        }
        if let Some(error) = error.downcast_ref::<io::Error>() {
            // An encryption error hides inside one of these, where `source` does not lead.
            if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
                return inner.to_string();
            }
            found = error.kind().to_string();
        }
        next = error.source();
    }
    found
}
