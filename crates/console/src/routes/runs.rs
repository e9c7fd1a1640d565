//! Runs: which there are, what happens in one, and how one begins, goes on and stops.

use std::str::FromStr as _;

use axum::http::{StatusCode, header};
use premath_bd::Cursor;
use serde_json::{Map, Value, json};

use crate::answer;
use crate::asked::Asked;
use crate::call;
use crate::failure::{Failure, Origin};
use crate::route::{Answering, Body, Gives, Route, Verb};
use crate::state::AppState;
use crate::tails;

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/runs", "run.list", "the runs of the repository")
        .query(&["limit", "cursor", "state", "q", "issue", "order"]),
    Route::post("/api/runs", "run.start", "give an agent a task; it runs in this server")
        .body(Body::Arguments)
        .gives(Gives::Data(begun_schema))
        .status(202)
        .by(start),
    Route::get("/api/runs/{id}", "run.show", "one run and its turns").named(&["id:runId"]),
    Route::get(
        "/api/runs/{id}/events",
        "run.events",
        "the rows of a run behind a cursor, or live as a stream",
    )
    .named(&["id:runId"])
    .query(&["cursor", "limit"])
    .by(events),
    Route::bare(Verb::Post, "/api/runs/{id}/resume", "go on with a run that stopped, in this server")
        .over("run.resume")
        .named(&["id:runId"])
        .body(Body::Arguments)
        .gives(Gives::Data(begun_schema))
        .status(202)
        .by(resume),
    Route::bare(
        Verb::Post,
        "/api/runs/{id}/stop",
        "ask a run of this server to stop where it can be gone on with",
    )
    .named(&["id:runId"])
    .gives(Gives::Data(begun_schema))
    .status(202)
    .by(stop),
    Route::bare(Verb::Post, "/api/runs/{id}/verify", "check logs, chains, objects, witnesses and references")
        .over("workspace.verify")
        .by(verify),
    Route::post(
        "/api/runs/{id}/replay",
        "run.replay",
        "run a run again from its journal and compare everything",
    )
    .named(&["id:runId"])
    .findings(),
    Route::get("/api/runs/{id}/export", "run.export", "every row of a run's journal").named(&["id:runId"]),
    Route::get(
        "/api/runs/{id}/turns/{callId}",
        "turn.show",
        "what a model saw in a turn, and what came of it",
    )
    .named(&["callId"])
    .by(turn),
];

fn begun_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "runId": { "type": "string" } },
        "required": ["runId"],
    })
}

fn start(state: AppState, asked: Asked) -> Answering {
    Box::pin(async move {
        let run = state.start_run(asked.arguments()?, None).await?;
        Ok(answer::data(StatusCode::ACCEPTED, &json!({ "runId": run.run_id })))
    })
}

fn resume(state: AppState, asked: Asked) -> Answering {
    Box::pin(async move {
        let id = asked.named("id");
        if !shown(&state, id).await?.resumable {
            let what = format!("run `{id}` is over, or what it said is forgotten");
            return Err(Failure::new(StatusCode::CONFLICT, "run_over", what).hinting("start a new one"));
        }
        let run = state.resume_run(id, asked.arguments()?).await?;
        Ok(answer::data(StatusCode::ACCEPTED, &json!({ "runId": run.run_id })))
    })
}

fn stop(state: AppState, asked: Asked) -> Answering {
    Box::pin(async move {
        let id = asked.named("id").to_owned();
        if let Some(run) = state.runs().get(&id) {
            run.interrupt.request();
            return Ok(answer::data(StatusCode::ACCEPTED, &json!({ "runId": id })));
        }
        exists(&state, &id).await?;
        let what = format!("run `{id}` does not go on in this server");
        Err(Failure::new(StatusCode::CONFLICT, "run_not_here", what)
            .hinting("whoever drives it stops it with Ctrl-C; a run at rest needs no stopping"))
    })
}

/// What of a run decides whether something can be done with it.
#[derive(serde::Deserialize)]
struct ShownRun {
    resumable: bool,
}

async fn shown(state: &AppState, id: &str) -> Result<ShownRun, Failure> {
    let origin = Origin { address: &["id:runId"], is_body: false, ..Origin::default() };
    let arguments = Map::from_iter([("runId".to_owned(), Value::String(id.to_owned()))]);
    let card = state.host(move |host| call::call(host, "run.show", arguments, origin)).await??.accepted()?;
    serde_json::from_str(card.get()).map_err(|_| Failure::broken())
}

/// Whether there is such a run is said before anything else about it.
async fn exists(state: &AppState, id: &str) -> Result<(), Failure> {
    shown(state, id).await.map(drop)
}

/// The repository is checked as a whole: a run stands on its objects and witnesses.
fn verify(state: AppState, asked: Asked) -> Answering {
    Box::pin(async move {
        exists(&state, asked.named("id")).await?;
        let _check = state.check().await?;
        let verified =
            state.host(|host| call::call(host, "workspace.verify", Map::new(), Origin::default())).await??;
        Ok(answer::payload(StatusCode::OK, &verified.found()?))
    })
}

/// A stream for whoever takes one, else a page.
fn events(state: AppState, asked: Asked) -> Answering {
    Box::pin(async move {
        let accepts = |media: &str| {
            let accepted =
                asked.headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
            accepted
                .flat_map(|value| value.split(','))
                .any(|one| one.split(';').next().map(str::trim) == Some(media))
        };
        if !accepts("text/event-stream") {
            return call::answered(state, asked).await;
        }
        // What a browser saw last counts more than what it began with.
        let seen = asked.headers.get("last-event-id").and_then(|value| value.to_str().ok());
        let cursor = seen.or_else(|| asked.parameter("cursor")).map_or(Ok(Cursor::START), Cursor::from_str);
        let origin = Origin { address: &["id:runId"], is_body: false, ..Origin::default() };
        let cursor = cursor.map_err(|error| Failure::input(&error, origin))?;
        tails::events(state, asked.named("id").to_owned(), cursor, asked.connection).await
    })
}

/// The turn must be one of the run that the address names.
fn turn(state: AppState, asked: Asked) -> Answering {
    Box::pin(async move {
        let (run, call_id) = (asked.named("id"), asked.named("callId"));
        exists(&state, run).await?;
        if !call_id.strip_prefix(run).is_some_and(|rest| rest.starts_with('.')) {
            return Err(Failure::not_found("that turn is none of this run"));
        }
        call::answered(state, asked).await
    })
}
