//! What people are asked: questions about calls, and plans. Whoever decides has been shown what they decide about.
//!
//! A run that was at rest and only waited for the answer goes on in this server. It must not decide anything itself.

use axum::http::StatusCode;
use axum::response::Response;
use premath_host::Host;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::answer;
use crate::asked::Asked;
use crate::call::{Called, call};
use crate::failure::{Failure, Origin};
use crate::route::{Answering, Body, Route, Verb};
use crate::state::AppState;

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/confirmations", "approval.list", "what people are asked, the newest first")
        .query(&["state", "run", "limit"]),
    Route::get("/api/confirmations/{id}", "approval.show", "everything about one question")
        .named(&["id"])
        .query(&["patternName", "patternArgument"]),
    Route::post(
        "/api/confirmations/{id}/approve",
        "approval.approve",
        "agree; the digest of what was shown is needed",
    )
    .named(&["id"])
    .body(Body::Members(&["digest!", "scope", "patternName", "patternArgument", "message"]))
    .by(decide),
    Route::post("/api/confirmations/{id}/deny", "approval.deny", "do not agree")
        .named(&["id"])
        .body(Body::Members(&["message"]))
        .by(decide),
    Route::get("/api/proposals", "proposal.list", "plans that people are asked about, the newest first")
        .query(&["state", "run", "limit"]),
    Route::get("/api/proposals/{id}", "proposal.show", "a plan with every step and what became of it")
        .named(&["id"]),
    Route::post(
        "/api/proposals/{id}/approve",
        "proposal.approve",
        "agree to a plan and have it carried out as shown",
    )
    .named(&["id"])
    .body(Body::Members(&["digest!", "message"]))
    .by(decide),
    Route::bare(Verb::Delete, "/api/proposals/{id}", "do not agree to a plan")
        .over("proposal.reject")
        .named(&["id"])
        .body(Body::Members(&["message"]))
        .by(decide),
    Route::post("/api/proposals/{id}/resume", "proposal.resume", "go on with a plan that was cut off")
        .named(&["id"])
        .by(decide),
];

/// What of an answer says which run asked.
#[derive(Deserialize)]
struct Decided {
    approval: Option<Asking>,
    proposal: Option<Asking>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Asking {
    run_id: String,
}

fn asking(payload: &RawValue) -> Option<String> {
    let decided: Decided = serde_json::from_str(payload.get()).ok()?;
    decided.approval.or(decided.proposal).map(|asking| asking.run_id)
}

fn decide(state: AppState, asked: Asked) -> Answering {
    Box::pin(async move {
        let Some(action) = asked.plan.action else { return Err(Failure::broken()) };
        let (arguments, origin) = (asked.arguments()?, asked.plan.origin());
        let called = state.host(move |host| call(host, action.name, arguments, origin)).await??;
        // A plan that failed is decided too: the run that proposed it is told, and so is whoever asked.
        let run_id = asking(&called.payload).filter(|_| is_decided(&called));
        let is_resumed = match run_id {
            Some(run_id) => goes_on(&state, run_id).await?,
            None => false,
        };
        answered(&called.accepted()?, is_resumed)
    })
}

fn is_decided(called: &Called) -> bool {
    called.refused.as_deref().is_none_or(|class| class == "proposal_failed")
}

fn answered(payload: &RawValue, is_resumed: bool) -> Result<Response, Failure> {
    let mut members: Map<String, Value> =
        serde_json::from_str(payload.get()).map_err(|_| Failure::broken())?;
    members.insert("resumed".to_owned(), Value::Bool(is_resumed));
    Ok(answer::data(StatusCode::OK, &members))
}

/// Goes on with a run that waited for nothing else. Whether it does.
pub(crate) async fn goes_on(state: &AppState, run_id: String) -> Result<bool, Failure> {
    if state.runs().get(&run_id).is_some() {
        return Ok(false);
    }
    let looked_at = run_id.clone();
    if !state.host(move |host| only_waited(host, &looked_at)).await?? {
        return Ok(false);
    }
    match state.resume_run(&run_id, Map::new()).await {
        Ok(_) => Ok(true),
        // Somebody else goes on with it, or there is no room now; what was decided stays decided.
        Err(failure) if failure.status == StatusCode::CONFLICT => Ok(false),
        Err(failure) if failure.status == StatusCode::SERVICE_UNAVAILABLE => Ok(false),
        Err(failure) => Err(failure),
    }
}

#[derive(Deserialize)]
struct Card {
    run: Row,
}

#[derive(Deserialize)]
struct Row {
    outcome: Option<String>,
}

#[derive(Deserialize)]
struct Page {
    count: u64,
}

/// Whether a run rests because it needs a person, and nobody is asked about it any more.
fn only_waited(host: &Host<'_>, run_id: &str) -> Result<bool, Failure> {
    let text = |name: &str, value: &str| (name.to_owned(), Value::String(value.to_owned()));
    let shown = call(host, "run.show", Map::from_iter([text("runId", run_id)]), Origin::default());
    // The run of a plan that a terminal proposed may be gone.
    let Ok(shown) = shown else { return Ok(false) };
    let card: Option<Card> = serde_json::from_str(shown.payload.get()).ok();
    if card.and_then(|card| card.run.outcome).as_deref() != Some("needs_person") {
        return Ok(false);
    }
    for action in ["approval.list", "proposal.list"] {
        let arguments = Map::from_iter([text("run", run_id), text("state", "pending")]);
        let listed = call(host, action, arguments, Origin::default())?.accepted()?;
        let page: Page = serde_json::from_str(listed.get()).map_err(|_| Failure::broken())?;
        if page.count > 0 {
            return Ok(false);
        }
    }
    Ok(true)
}
