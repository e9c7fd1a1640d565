//! What an action answered, as HTTP gives it: `{"data": …}`, written as the host wrote it.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::failure::Failure;

#[derive(Serialize)]
struct Body<'b, T: Serialize + ?Sized> {
    data: &'b T,
}

/// Some data.
pub(crate) fn data<T: Serialize + ?Sized>(status: StatusCode, data: &T) -> Response {
    match serde_json::to_vec(&Body { data }) {
        Ok(body) => (status, [(header::CONTENT_TYPE, "application/json")], body).into_response(),
        Err(_) => Failure::broken().into_response(),
    }
}

/// The payload of an action.
pub(crate) fn payload(status: StatusCode, payload: &RawValue) -> Response {
    data(status, payload)
}
