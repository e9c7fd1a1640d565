//! Who works on what: sessions, leases and steps, what needs a person, and the throughput figure.

use axum::http::StatusCode;
use serde_json::{Map, Value};

use crate::answer;
use crate::asked::Asked;
use crate::call::call;
use crate::failure::Origin;
use crate::route::{Answering, Route};
use crate::state::AppState;

pub(crate) const ROUTES: &[Route] = &[
    Route::get(
        "/api/work",
        "observe.now",
        "sessions, workers, leases, steps and what needs a person, as they are now",
    ),
    Route::get("/api/attention", "observe.needs_attention", "what a person should look at now, and why")
        .by(attention),
    Route::get("/api/kpi", "harness.kpi.report", "the throughput figure of the workers").query(&[
        "windowHours",
        "target",
        "rollback",
        "minRows",
        "history",
        "asOf",
    ]),
    Route::post("/api/verify", "workspace.verify", "check logs, chains, objects, witnesses and references")
        .findings(),
];

fn attention(state: AppState, _: Asked) -> Answering {
    Box::pin(async move {
        let now = Map::from_iter([("now".to_owned(), Value::Bool(true))]);
        let called =
            state.host(|host| call(host, "observe.needs_attention", now, Origin::default())).await??;
        Ok(answer::payload(StatusCode::OK, &called.accepted()?))
    })
}
