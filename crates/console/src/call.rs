//! From a request to one host call and back.

use axum::http::StatusCode;
use axum::response::Response;
use premath_host::{ActionError, Host};
use premath_wire::strict::{Limits, parse};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::answer;
use crate::asked::Asked;
use crate::failure::{Failure, Origin};
use crate::route::Answerer;
use crate::state::AppState;

/// What an action came to.
#[derive(Debug)]
pub(crate) struct Called {
    pub(crate) payload: Box<RawValue>,
    /// The class of the refusal, where it is one.
    pub(crate) refused: Option<String>,
}

/// Calls an action on a thread that may block.
pub(crate) fn call(
    host: &Host<'_>,
    action: &str,
    arguments: Map<String, Value>,
    origin: Origin,
) -> Result<Called, Failure> {
    let text = Value::Object(arguments).to_string();
    let read = parse(text.as_bytes(), Limits::default()).map_err(|error| Failure::input(&error, origin))?;
    let effect = host.call(action, &read).map_err(|error: ActionError| Failure::action(&error, origin))?;
    let is_refused = effect.result_class == "rejected";
    let refused = is_refused
        .then(|| effect.failure_classes.first().cloned().unwrap_or_else(|| standing(effect.payload.get())));
    Ok(Called { payload: effect.payload, refused })
}

/// A refusal without a class is one by the state that something is in.
fn standing(payload: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Answer {
        proposal: Option<Proposal>,
    }
    #[derive(serde::Deserialize)]
    struct Proposal {
        state: String,
    }
    let read: Option<Answer> = serde_json::from_str(payload).ok();
    let state = read.and_then(|answer| answer.proposal).map(|proposal| proposal.state);
    state.map_or_else(|| "rejected".to_owned(), |state| format!("proposal_{state}"))
}

impl Called {
    /// The payload; a refusal is a failure.
    pub(crate) fn accepted(self) -> Result<Box<RawValue>, Failure> {
        match self.refused {
            None => Ok(self.payload),
            Some(class) => Err(Failure::refused(&class, self.payload)),
        }
    }

    /// The payload of a check: what it finds wrong is its answer, and only what kept it from looking is a failure.
    pub(crate) fn found(self) -> Result<Box<RawValue>, Failure> {
        #[derive(serde::Deserialize)]
        struct Kept {
            refused: Option<serde::de::IgnoredAny>,
        }
        let is_kept =
            serde_json::from_str::<Kept>(self.payload.get()).is_ok_and(|kept| kept.refused.is_some());
        if is_kept { self.accepted() } else { Ok(self.payload) }
    }
}

/// Answers a request whose row names one action.
pub(crate) async fn answered(state: AppState, asked: Asked) -> Result<Response, Failure> {
    let Some(action) = asked.plan.action else { return Err(Failure::broken()) };
    let (arguments, origin) = (asked.arguments()?, asked.plan.origin());
    let _check = match asked.plan.route.answerer {
        Answerer::Findings => Some(state.check().await?),
        Answerer::Payload | Answerer::Own(_) => None,
    };
    let called = state.host(move |host| call(host, action.name, arguments, origin)).await??;
    let payload = match asked.plan.route.answerer {
        Answerer::Findings => called.found()?,
        Answerer::Payload | Answerer::Own(_) => called.accepted()?,
    };
    let status = StatusCode::from_u16(asked.plan.route.status).unwrap_or(StatusCode::OK);
    Ok(answer::payload(status, &payload))
}
