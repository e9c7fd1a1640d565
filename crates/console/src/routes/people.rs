//! What people are asked: questions about calls, and plans. Whoever decides has been shown what they decide about.
//!
//! A run that was at rest and only waited for the answer goes on in this server. It must not decide anything itself.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::Response;
use premath_bd::desk::{Approval, ApprovalState, Proposal, ProposalState};
use premath_host::{Host, existing_desk};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::answer;
use crate::asked::Asked;
use crate::call::{Called, call};
use crate::failure::{Failure, Origin};
use crate::route::{Answering, Body, Route, Verb};
use crate::state::AppState;

/// How long a decision waits for a run that is about to rest.
const RESTING: Duration = Duration::from_secs(5);
/// How many questions of a run are counted.
const COUNTED: usize = 1_000;

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
    Route::post(
        "/api/confirmations/{id}/revoke",
        "approval.revoke",
        "take back an approval that calls can still use",
    )
    .named(&["id"])
    .body(Body::Members(&["message"])),
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
        if !is_decided(&called) {
            return Ok(answer::payload(StatusCode::OK, &called.accepted()?));
        }
        let gone_on = match asking(&called.payload) {
            Some(run_id) => goes_on(&state, run_id).await,
            None => Ok(false),
        };
        answered(called, &gone_on)
    })
}

fn is_decided(called: &Called) -> bool {
    called.refused.as_deref().is_none_or(|class| class == "proposal_failed")
}

/// Why a run does not go on, beside what was decided.
#[derive(Debug, Serialize)]
struct NotResumed<'f> {
    code: &'f str,
    message: &'f str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'f str>,
}

/// What was decided is the answer, whatever becomes of the run.
fn answered(called: Called, gone_on: &Result<bool, Failure>) -> Result<Response, Failure> {
    let mut members: Map<String, Value> =
        serde_json::from_str(called.payload.get()).map_err(|_| Failure::broken())?;
    members.insert("resumed".to_owned(), Value::Bool(gone_on.as_ref().is_ok_and(|is_resumed| *is_resumed)));
    if let Err(failure) = gone_on {
        let told = &failure.told;
        let why = NotResumed { code: &told.code, message: &told.message, hint: told.hint.as_deref() };
        let why = serde_json::to_value(&why).map_err(|_| Failure::broken())?;
        members.insert("resumeError".to_owned(), why);
    }
    match called.refused {
        None => Ok(answer::data(StatusCode::OK, &members)),
        Some(class) => {
            let payload = serde_json::value::to_raw_value(&members).map_err(|_| Failure::broken())?;
            Err(Failure::refused(&class, payload))
        }
    }
}

/// Goes on with a run that waited for nothing else. Whether it does.
async fn goes_on(state: &AppState, run_id: String) -> Result<bool, Failure> {
    let Some(run) = state.runs().get(&run_id) else {
        return Ok(at_rest(state, run_id).await? == Rest::GoesOn);
    };
    // It asked a moment ago, and is about to rest.
    let mut ended = run.ended;
    let is_late = tokio::time::timeout(RESTING, ended.wait_for(Option::is_some)).await.is_err();
    if is_late {
        // It looks again when it rests.
        return Ok(true);
    }
    Ok(at_rest(state, run_id).await? != Rest::Asks)
}

/// Looks whether a run that came to rest was answered meanwhile.
pub(crate) fn look_again(state: AppState, run_id: String) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        // Nobody waits for this; a run that does not go on is shown as one that waits.
        drop(at_rest(&state, run_id).await);
    })
}

/// How many answers people have given to a run. Where they cannot be counted there are none.
pub(crate) fn decided(host: &Host<'_>, run_id: &str) -> usize {
    let Ok(Some(desk)) = existing_desk(host.workspace) else { return 0 };
    let approvals = desk.approvals(None, Some(run_id), COUNTED).unwrap_or_default();
    let is_said =
        |approval: &&Approval| !matches!(approval.state, ApprovalState::Pending | ApprovalState::Expired);
    let plans = desk.proposals(None, Some(run_id), COUNTED).unwrap_or_default();
    let is_decided =
        |plan: &&Proposal| !matches!(plan.state, ProposalState::Pending | ProposalState::Expired);
    approvals.iter().filter(is_said).count() + plans.iter().filter(is_decided).count()
}

/// How a run stands that is at rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// It waits for an answer.
    Asks,
    /// It had all its answers, and goes on in this server.
    GoesOn,
    /// It does not wait for a person.
    Other,
}

async fn at_rest(state: &AppState, run_id: String) -> Result<Rest, Failure> {
    let looked_at = run_id.clone();
    let rest = state.host(move |host| standing(host, &looked_at)).await??;
    if rest != Rest::GoesOn {
        return Ok(rest);
    }
    match state.resume_run(&run_id, Map::new()).await {
        Ok(_) => Ok(rest),
        // Whoever looked again goes on with it.
        Err(failure) if failure.told.code == "run_in_progress" => Ok(rest),
        Err(failure) => Err(failure),
    }
}

#[derive(Deserialize)]
struct Card {
    run: Row,
}

#[derive(Deserialize)]
struct Row {
    state: String,
}

/// How a run stands: one that has all its answers goes on. One whose question expired does not; resuming it asks again.
fn standing(host: &Host<'_>, run_id: &str) -> Result<Rest, Failure> {
    let arguments = Map::from_iter([("runId".to_owned(), Value::String(run_id.to_owned()))]);
    let shown = call(host, "run.show", arguments, Origin::default());
    // The run of a plan that a terminal proposed may be gone.
    let Ok(shown) = shown else { return Ok(Rest::Other) };
    let card: Option<Card> = serde_json::from_str(shown.payload.get()).ok();
    Ok(match card.map(|card| card.run.state).as_deref() {
        Some("waiting") => Rest::Asks,
        Some("answered") => Rest::GoesOn,
        Some(_) | None => Rest::Other,
    })
}
