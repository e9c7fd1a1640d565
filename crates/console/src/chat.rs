//! The chat: a person says something, and the run that answers is sent as UI message stream v1.
//!
//! Of what a client sends, only its last message is taken; what was said before is on this side. A stream is a view of a run:
//! whoever goes away misses nothing, and the run goes on. It must not make chunks itself, and decides nothing.

mod body;
mod streams;
mod told;

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use premath_host::{existing_desk, failure_sentence, fresh_run_id};
use serde_json::{Value, json};

use self::body::Said;
pub(crate) use self::streams::Streams;
use self::streams::{Feeding, Stream};
use crate::answer;
use crate::asked::Asked;
use crate::call::call;
use crate::failure::Failure;
use crate::rates::Rate;
use crate::route::{Answering, Body, Gives, Route, Verb};
use crate::state::AppState;

/// How long whoever stops a run waits until it has stopped.
const STOPPING: Duration = Duration::from_secs(10);
/// How long a provider is left alone that is asked too often.
const COOLDOWN: Duration = Duration::from_secs(60);

pub(crate) const ROUTES: &[Route] = &[
    Route {
        is_chat: true,
        ..Route::bare(
            Verb::Post,
            "/api/chat",
            "say something to the assistant of the desk; its answer is streamed",
        )
        .body(Body::Object(body::schema))
        .gives(Gives::Plain(&["text/event-stream"]))
        .rate(Rate::Chat)
        .by(say)
    },
    Route::bare(Verb::Get, "/api/chat/{id}/stream", "the answer that is on its way, from its first chunk")
        .named(&["id"])
        .gives(Gives::Plain(&["text/event-stream"]))
        .by(stream),
    Route::bare(Verb::Post, "/api/chat/{id}/stop", "stop the answer that is on its way; its turn is closed")
        .named(&["id"])
        .gives(Gives::Data(stopped_schema))
        .by(stop),
    Route::get(
        "/api/conversations",
        "conversation.list",
        "conversations, the one that was last spoken in first",
    ),
    Route::post("/api/conversations", "conversation.start", "begin a conversation")
        .body(Body::Members(&["id", "title"]))
        .rate(Rate::Conversation)
        .status(201),
    Route::get("/api/conversations/{id}", "conversation.show", "the messages of a conversation")
        .named(&["id"])
        .query(&["limit", "before"])
        .by(show),
    Route::bare(Verb::Patch, "/api/conversations/{id}", "give a conversation another title")
        .over("conversation.rename")
        .named(&["id"])
        .body(Body::Members(&["title!"]))
        .rate(Rate::Conversation),
    Route::bare(
        Verb::Delete,
        "/api/conversations/{id}",
        "delete a conversation; the journals of its runs stay",
    )
    .over("conversation.delete")
    .named(&["id"])
    .rate(Rate::Conversation),
    Route::get(
        "/api/conversations/{id}/log",
        "conversation.log",
        "every call of a tool, and what came of it",
    )
    .named(&["id"])
    .query(&["cursor", "limit"]),
    Route::bare(Verb::Put, "/api/desk/files/{id}", "give a file another content, or cells other values")
        .over("desk.write")
        .named(&["id"])
        .body(Body::Members(&["version!", "content", "updates"])),
    Route::bare(Verb::Patch, "/api/desk/files/{id}", "give a file another name")
        .over("desk.rename")
        .named(&["id"])
        .body(Body::Members(&["name!", "version"])),
    Route::bare(Verb::Delete, "/api/desk/files/{id}", "delete a file or a folder; it can be restored")
        .over("desk.delete")
        .named(&["id"])
        .body(Body::Members(&["version"])),
];

fn stopped_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "stopped": { "type": "boolean", "description": "Whether there was an answer to stop." },
            "runId": { "type": "string" },
        },
        "required": ["stopped"],
    })
}

/// Has the server watch runs that are gone on with, so that their streams can be had.
pub(crate) async fn attach(state: &AppState) -> Result<(), Failure> {
    let workspace = state.host(|host| host.workspace.clone()).await?;
    let streams = Arc::clone(state.streams());
    state.runs().attach(Arc::new(move |run_id: &str| {
        let stream = streams.begin(run_id, None);
        Some(Feeding::new(stream, workspace.clone()).watcher())
    }));
    Ok(())
}

fn say(state: AppState, asked: Asked) -> Answering {
    Box::pin(async move {
        let said = Said::read(&asked.body)?;
        let (run_id, workspace) =
            state.host(|host| (fresh_run_id(host.workspace), host.workspace.clone())).await?;
        let stream = state.streams().begin(&run_id, Some(&said.conversation));
        let watcher = Feeding::new(Arc::clone(&stream), workspace).watcher();
        if let Err(failure) = state.start_run(said.arguments(&run_id), Some(watcher)).await {
            state.streams().forget(&run_id);
            return Err(failure);
        }
        match stream.first_words().await {
            Some(kind) => {
                state.streams().forget(&run_id);
                Err(unanswered(&kind))
            }
            None => Ok(told::response(&state, stream, asked.connection)),
        }
    })
}

/// What is said when no model answered at all: one status and one sentence for each kind.
fn unanswered(kind: &str) -> Failure {
    let status = match kind {
        "authentication" | "model" => StatusCode::BAD_GATEWAY,
        "rate_limit" => StatusCode::TOO_MANY_REQUESTS,
        "context_length" => StatusCode::BAD_REQUEST,
        "timeout" => StatusCode::GATEWAY_TIMEOUT,
        "unavailable" | "overloaded" => StatusCode::SERVICE_UNAVAILABLE,
        _other => StatusCode::INTERNAL_SERVER_ERROR,
    };
    let failure = Failure::new(status, &format!("model_{kind}"), failure_sentence(kind));
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => failure.retrying(COOLDOWN),
        _other => failure,
    }
}

/// The stream of a conversation, where there is one.
async fn streaming(state: &AppState, id: &str) -> Result<Option<Arc<Stream>>, Failure> {
    if let Some(stream) = state.streams().of(id) {
        return Ok(Some(stream));
    }
    // A run that somebody goes on with is known by its name only.
    let unknown = state.streams().unplaced();
    if unknown.is_empty() {
        return Ok(None);
    }
    let placed = state
        .host(move |host| {
            let desk = existing_desk(host.workspace).ok().flatten();
            let place = |run_id: String| {
                let said = desk.as_ref().and_then(|desk| desk.said_for(&run_id).ok().flatten());
                (run_id, said.map(|said| said.conversation))
            };
            unknown.into_iter().map(place).collect::<Vec<_>>()
        })
        .await?;
    for (run_id, conversation) in placed {
        state.streams().place(&run_id, conversation);
    }
    Ok(state.streams().of(id))
}

fn stream(state: AppState, asked: Asked) -> Answering {
    Box::pin(async move {
        match streaming(&state, asked.named("id")).await? {
            Some(stream) => Ok(told::response(&state, stream, asked.connection)),
            None => Ok(StatusCode::NO_CONTENT.into_response()),
        }
    })
}

fn stop(state: AppState, asked: Asked) -> Answering {
    Box::pin(async move {
        let stream = streaming(&state, asked.named("id")).await?;
        let run = stream.and_then(|stream| state.runs().get(&stream.run_id));
        let Some(run) = run else {
            return Ok(answer::data(StatusCode::OK, &json!({ "stopped": false })));
        };
        run.interrupt.request();
        let mut ended = run.ended.clone();
        let has_ended = ended.wait_for(Option::is_some);
        // It has been asked; whoever cannot wait longer sees it in the conversation.
        drop(tokio::time::timeout(STOPPING, has_ended).await);
        Ok(answer::data(StatusCode::OK, &json!({ "stopped": true, "runId": run.run_id })))
    })
}

/// A conversation without what its stream is going to say. A stream that has ended says nothing more: the answer is shown, and
/// whoever is shown it has read the stream.
fn show(state: AppState, asked: Asked) -> Answering {
    Box::pin(async move {
        let mut arguments = asked.arguments()?;
        if let Some(stream) = streaming(&state, asked.named("id")).await? {
            match stream.described() {
                Some(described) => drop(arguments.insert("streamed".to_owned(), described)),
                None if arguments.contains_key("before") => {}
                None => stream.read(),
            }
        }
        let origin = asked.plan.origin();
        let called = state.host(move |host| call(host, "conversation.show", arguments, origin)).await??;
        Ok(answer::payload(StatusCode::OK, &called.accepted()?))
    })
}
