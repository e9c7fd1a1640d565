//! The desk: its files with every version of them. What people change in a file is beside this, with the chat.

use axum::http::StatusCode;
use premath_wire::InputClass;
use serde_json::{Value, json};

use crate::answer;
use crate::asked::{Asked, unusable};
use crate::call::call;
use crate::route::{Answering, Body, Route};
use crate::state::AppState;

pub(crate) const ROUTES: &[Route] = &[
    Route::get("/api/desk/files", "desk.list", "the files of the desk")
        .query(&["type", "deleted", "cursor", "limit"]),
    Route::post("/api/desk/files", "desk.add", "put a file or a folder on the desk")
        .body(Body::Object(add_schema))
        .status(201)
        .by(add),
    Route::get("/api/desk/tree", "desk.tree", "folders and files as a tree"),
    Route::get("/api/desk/search", "desk.search", "names and contents").query(&["q:query", "limit"]),
    Route::get("/api/desk/files/{id}", "desk.show", "a file and its content")
        .named(&["id"])
        .query(&["version"]),
    Route::get("/api/desk/files/{id}/history", "desk.history", "every version of a file").named(&["id"]),
    Route::post(
        "/api/desk/files/{id}/restore",
        "desk.restore",
        "bring back a file, or an earlier version of it",
    )
    .named(&["id"])
    .body(Body::Members(&["version"])),
];

fn add_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string" },
            "type": { "enum": ["markdown", "spreadsheet", "folder"] },
            "folder": { "type": "string", "description": "The folder to put it into: its id, or its name." },
            "content": { "type": "string" },
            "cells": { "description": "The cells of a spreadsheet, instead of `content`." },
        },
        "required": ["name"],
        "additionalProperties": false,
    })
}

fn add(state: AppState, asked: Asked) -> Answering {
    Box::pin(async move {
        let mut arguments = asked.body.clone();
        let known = ["name", "type", "folder", "content", "cells"];
        if let Some(unknown) = arguments.keys().find(|name| !known.contains(&name.as_str())) {
            let name: String = unknown.chars().take(64).flat_map(char::escape_debug).collect();
            return Err(unusable(InputClass::FieldInvalid, &format!("$.{name}"), "unknown field"));
        }
        if let Some(cells) = arguments.remove("cells").filter(|cells| !cells.is_null()) {
            if arguments.get("content").is_some_and(|content| !content.is_null()) {
                return Err(unusable(InputClass::FieldInvalid, "$.cells", "a file has a content or cells"));
            }
            arguments.insert("content".to_owned(), Value::String(cells.to_string()));
        }
        let origin = asked.plan.origin();
        let payload = state.host(move |host| call(host, "desk.add", arguments, origin)).await??.accepted()?;
        Ok(answer::payload(StatusCode::CREATED, &payload))
    })
}
