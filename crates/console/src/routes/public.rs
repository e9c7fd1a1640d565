//! What says how the server is, and who is served.

use std::sync::LazyLock;

use axum::http::{StatusCode, header};
use axum::response::IntoResponse as _;
use premath_wire::v1::MetricsAnswer;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answer;
use crate::asked::Asked;
use crate::call::call;
use crate::failure::{Failure, Origin};
use crate::route::{Answering, Gives, Route, Verb};
use crate::state::AppState;

pub(crate) const ROUTES: &[Route] = &[
    Route::bare(Verb::Get, "/healthz", "whether the server answers")
        .gives(Gives::Plain(&["application/json"]))
        .by(healthy)
        .public(),
    Route::bare(Verb::Get, "/metrics", "counters of the server and of the repository, for Prometheus")
        .gives(Gives::Plain(&["application/openmetrics-text"]))
        .by(metrics),
    Route::bare(Verb::Get, "/openapi.json", "this document")
        .gives(Gives::Plain(&["application/json"]))
        .by(described)
        .public(),
    Route::bare(Verb::Get, "/api/me", "who is served, which repository, under which policy and limits")
        .gives(Gives::Data(me_schema))
        .by(me),
];

fn healthy(_: AppState, _: Asked) -> Answering {
    Box::pin(async {
        Ok(([(header::CONTENT_TYPE, "application/json")], "{\"status\":\"ok\"}").into_response())
    })
}

fn described(_: AppState, _: Asked) -> Answering {
    Box::pin(async {
        let text = DOCUMENT.clone();
        Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
    })
}

/// It follows from the program alone.
static DOCUMENT: LazyLock<bytes::Bytes> =
    LazyLock::new(|| bytes::Bytes::from(crate::openapi::document().to_string()));

fn metrics(state: AppState, _: Asked) -> Answering {
    Box::pin(async move {
        let called = state.host(|host| call(host, "metrics.read", Map::new(), Origin::default())).await??;
        let repository: MetricsAnswer =
            serde_json::from_str(called.accepted()?.get()).map_err(|_| Failure::broken())?;
        let mut text = state.measures().text(state.runs().count(), state.calls().waiting());
        text.push_str(&premath_telemetry::prometheus_text(&repository).map_err(|_| Failure::broken())?);
        let media = "application/openmetrics-text; version=1.0.0; charset=utf-8";
        Ok(([(header::CONTENT_TYPE, media)], text).into_response())
    })
}

/// What of `policy.show` says who is served.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Governed {
    principal: String,
    role: String,
    package_digest: String,
}

fn me(state: AppState, _: Asked) -> Answering {
    Box::pin(async move {
        let (called, person, workspace) = state
            .host(|host| {
                let called = call(host, "policy.show", Map::new(), Origin::default());
                let folder = host.agent.workdir().map(|folder| folder.to_string_lossy().into_owned());
                (called, host.workspace.door.actor(), folder.unwrap_or_default())
            })
            .await?;
        // A policy that cannot be read is shown on its page; whoever is served is told nevertheless who they are.
        let governed: Option<Governed> =
            called.ok().and_then(|called| serde_json::from_str(called.payload.get()).ok());
        let limits = state.options().limits;
        let me = json!({
            "person": person.or_else(|| governed.as_ref().map(|governed| governed.principal.clone())),
            "role": governed.as_ref().map(|governed| governed.role.clone()),
            "version": env!("CARGO_PKG_VERSION"),
            "workspace": workspace,
            "demo": state.options().is_demo,
            "policyDigest": governed.map(|governed| governed.package_digest),
            "limits": {
                "bodyBytes": limits.body_bytes,
                "chatBytes": limits.chat_bytes,
                "runs": limits.runs,
                "readsPerMinute": limits.reads_per_minute,
                "changesPerMinute": limits.changes_per_minute,
                "chatsPerMinute": limits.chats_per_minute,
                "conversationsPerMinute": limits.conversations_per_minute,
            },
        });
        Ok(answer::data(StatusCode::OK, &me))
    })
}

fn me_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "person": { "type": ["string", "null"], "description": "Who is served, as the audit log names them." },
            "role": { "type": ["string", "null"] },
            "version": { "type": "string" },
            "workspace": { "type": "string", "description": "The folder that is served." },
            "demo": { "type": "boolean" },
            "policyDigest": { "type": ["string", "null"], "description": "The policy package in force." },
            "limits": { "type": "object", "additionalProperties": { "type": "integer" } },
        },
        "required": ["version", "workspace", "demo", "limits"],
    })
}
