//! The OpenAPI document: made of the rows of the API and of the schemas of the action table, and of nothing else.
//!
//! The schemas are those that commands print and that MCP offers, so that there is one place to say what a document looks
//! like. It must not describe anything by hand that a schema says.

use std::collections::BTreeMap;

use premath_host::Action;
use premath_wire::v1::{HOST_EFFECT_SCHEMA, schema};
use serde_json::{Map, Value, json};

use crate::plan::{Kind, Plan, kind};
use crate::route::{Body, Gives, Route, Verb};
use crate::routes;

/// The document.
pub(crate) fn document() -> Value {
    let mut schemas = Map::new();
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for route in routes::all() {
        let operation = operation(&Plan::new(route), &mut schemas);
        paths.entry(route.path).or_default().insert(verb(route.verb).to_owned(), operation);
    }
    schemas.insert("Error".to_owned(), error());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "premath console",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The repository as `premath serve` gives it out. Every answer is the payload of one host action, \
                which a command prints with --json. Errors carry the classes of the host.",
            "license": { "name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "description": "The token that `premath serve` keeps." },
            },
            "schemas": schemas,
        },
    })
}

const fn verb(verb: Verb) -> &'static str {
    match verb {
        Verb::Get => "get",
        Verb::Post => "post",
        Verb::Put => "put",
        Verb::Patch => "patch",
        Verb::Delete => "delete",
    }
}

fn operation(plan: &Plan, schemas: &mut Map<String, Value>) -> Value {
    let route = plan.route;
    let mut operation = Map::new();
    operation.insert("operationId".to_owned(), Value::String(operation_id(route)));
    operation.insert("summary".to_owned(), Value::String(route.summary.to_owned()));
    if let Some(action) = plan.action {
        let twin = format!("`premath {} --json` gives the same.", action.command);
        operation.insert("description".to_owned(), Value::String(format!("`{}`. {twin}", action.name)));
    }
    operation.insert("tags".to_owned(), json!([tag(route.path)]));
    let parameters = parameters(plan, schemas);
    if !parameters.is_empty() {
        operation.insert("parameters".to_owned(), Value::Array(parameters));
    }
    if let Some(body) = body(plan, schemas) {
        operation.insert("requestBody".to_owned(), body);
    }
    operation.insert("responses".to_owned(), responses(plan, schemas));
    if route.is_public {
        operation.insert("security".to_owned(), json!([]));
    }
    Value::Object(operation)
}

/// `GET /api/runs/{id}/events` is `getRunsIdEvents`.
fn operation_id(route: &Route) -> String {
    let words = route.path.split(['/', '.', '_']).map(|word| word.trim_matches(['{', '}']));
    let name = words.filter(|word| !word.is_empty() && *word != "api").map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().collect::<String>());
        format!("{}{}", first.unwrap_or_default(), letters.as_str())
    });
    format!("{}{}", verb(route.verb), name.collect::<String>())
}

fn tag(path: &str) -> &str {
    path.strip_prefix("/api/").and_then(|rest| rest.split('/').next()).unwrap_or("server")
}

fn parameters(plan: &Plan, schemas: &mut Map<String, Value>) -> Vec<Value> {
    let route = plan.route;
    let mut all = Vec::new();
    // What is in the address is there, whatever an action makes of it.
    for name in route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}')) {
        all.push(json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string", "minLength": 1 } }));
    }
    for (name, argument) in route.query_pairs() {
        let described = plan.schema_of(argument);
        let is_list = matches!(kind(&described), Kind::Texts | Kind::Numbers);
        let is_needed = plan.needs(argument);
        let mut parameter = json!({ "name": name, "in": "query", "required": is_needed });
        if let Some(members) = parameter.as_object_mut() {
            if let Some(text) = described.get("description") {
                members.insert("description".to_owned(), text.clone());
            }
            if is_list {
                members.insert("style".to_owned(), json!("form"));
                members.insert("explode".to_owned(), json!(false));
            }
            members.insert("schema".to_owned(), placed(present(described), "argument", schemas));
        }
        all.push(parameter);
    }
    all
}

/// An argument that is said is not null.
fn present(mut schema: Value) -> Value {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            if let Some(types) = schema.get_mut("type") {
                *types = only;
            }
        }
    }
    schema
}

fn body(plan: &Plan, schemas: &mut Map<String, Value>) -> Option<Value> {
    let schema = match plan.route.body {
        Body::Nothing => return None,
        Body::Object(schema) => schema(),
        Body::Members(_) | Body::Arguments => {
            let members = plan.members();
            let needed: Vec<&String> = members
                .iter()
                .filter(|(name, needed)| *needed || plan.needs(name))
                .map(|(name, _)| name)
                .collect();
            let properties: Map<String, Value> = members
                .iter()
                .map(|(name, _)| (name.clone(), placed(plan.schema_of(name), "argument", schemas)))
                .collect();
            json!({
                "type": "object",
                "properties": properties,
                "required": needed,
                "additionalProperties": false,
            })
        }
    };
    let is_needed = schema.get("required").and_then(Value::as_array).is_some_and(|names| !names.is_empty());
    Some(json!({ "required": is_needed, "content": { "application/json": { "schema": schema } } }))
}

fn responses(plan: &Plan, schemas: &mut Map<String, Value>) -> Value {
    let route = plan.route;
    let mut responses = Map::new();
    let content = match route.gives {
        Gives::Plain(media) => {
            let one = |media: &&str| ((*media).to_owned(), json!({ "schema": {} }));
            Value::Object(media.iter().map(one).collect())
        }
        Gives::Data(schema) => data(&schema()),
        Gives::Action => match plan.action {
            Some(action) => data(&answer(action, schemas)),
            None => data(&json!({})),
        },
    };
    responses
        .insert(route.status.to_string(), json!({ "description": "what was asked for", "content": content }));
    for (status, text) in errors(route) {
        let content = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } });
        responses.insert(status.to_string(), json!({ "description": text, "content": content }));
    }
    Value::Object(responses)
}

fn data(schema: &Value) -> Value {
    json!({
        "application/json": {
            "schema": { "type": "object", "properties": { "data": schema }, "required": ["data"] },
        },
    })
}

fn errors(route: &Route) -> Vec<(u16, &'static str)> {
    let mut errors = vec![(403, "another name, or a page of somebody else")];
    if !route.is_public {
        errors.push((400, "the request cannot be read"));
        errors.push((401, "the token is missing or wrong"));
        errors.push((404, "there is no such thing"));
        errors.push((409, "it was refused; the code says why"));
        errors.push((410, "it is gone or expired"));
        errors.push((429, "asked too often; Retry-After says when again"));
        errors.push((500, "something around the server does not play along"));
        errors.push((503, "busy; Retry-After says when again"));
    }
    if !matches!(route.body, Body::Nothing) {
        errors.push((408, "the body took too long"));
        errors.push((413, "the body is too large"));
        errors.push((415, "the body is no JSON"));
        errors.push((422, "the body is well formed and means nothing here"));
    }
    errors
}

/// The schema of what an action answers, among the schemas of the document.
fn answer(action: &Action, schemas: &mut Map<String, Value>) -> Value {
    let name = action.output_schema;
    let described = match name {
        "json-schema" => return json!({ "type": "object" }),
        name => schema(name).map_or_else(|| json!({}), schemars_value),
    };
    if !schemas.contains_key(name) {
        // Held before its parts are looked at, which may be named like it.
        schemas.insert(name.to_owned(), json!({}));
        let placed = placed(described, name, schemas);
        schemas.insert(name.to_owned(), placed);
    }
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn schemars_value(schema: impl serde::Serialize) -> Value {
    serde_json::to_value(schema).unwrap_or_default()
}

/// A schema whose definitions are among those of the document, under its own name.
fn placed(mut schema: Value, owner: &str, schemas: &mut Map<String, Value>) -> Value {
    let definitions = schema.as_object_mut().and_then(|members| {
        members.remove("$schema");
        members.remove("title");
        members.remove("$defs")
    });
    if let Some(Value::Object(definitions)) = definitions {
        for (name, mut definition) in definitions {
            renamed(&mut definition, owner);
            schemas.insert(format!("{owner}.{name}"), definition);
        }
    }
    renamed(&mut schema, owner);
    schema
}

/// Leads references to where definitions are now, and leaves out formats that only Rust knows.
fn renamed(schema: &mut Value, owner: &str) {
    match schema {
        Value::Object(members) => {
            let is_own = |format: &Value| {
                format.as_str().is_some_and(|name| name.starts_with("uint") || name.starts_with("int"))
            };
            if members.get("format").is_some_and(is_own) {
                members.remove("format");
            }
            if let Some(Value::String(target)) = members.get_mut("$ref")
                && let Some(name) = target.strip_prefix("#/$defs/")
            {
                *target = format!("#/components/schemas/{owner}.{name}");
            }
            members.values_mut().for_each(|member| renamed(member, owner));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| renamed(item, owner)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn error() -> Value {
    json!({
        "type": "object",
        "properties": {
            "error": {
                "type": "object",
                "properties": {
                    "code": { "type": "string", "description": "The class of the host." },
                    "message": { "type": "string" },
                    "hint": { "type": "string", "description": "What to do next." },
                    "fields": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": { "path": { "type": "string" }, "message": { "type": "string" } },
                            "required": ["path", "message"],
                        },
                    },
                    "retryAfterMs": { "type": "integer", "minimum": 1 },
                    "details": { "description": "What the action answered." },
                },
                "required": ["code", "message"],
            },
        },
        "required": ["error"],
    })
}

/// The envelope that every door gives.
pub(crate) fn envelope() -> Value {
    json!({
        "type": "object",
        "properties": {
            "schema": { "const": HOST_EFFECT_SCHEMA },
            "action": { "type": "string" },
            "argsDigest": { "type": "string" },
            "resultClass": { "type": "string" },
            "payload": {},
            "witnessRefs": { "type": "array", "items": { "type": "string" } },
            "failureClasses": { "type": "array", "items": { "type": "string" } },
            "policyDigest": { "type": ["string", "null"] },
            "instructionRef": { "type": ["string", "null"] },
        },
        "required": ["schema", "action", "argsDigest", "resultClass", "payload"],
    })
}

#[cfg(test)]
mod tests;
