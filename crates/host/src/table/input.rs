//! What actions take, as JSON Schema.
//!
//! A schema is derived from the type that the arguments are read into, so that it cannot say anything else. It must not admit
//! a member that the action refuses.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde_json::Value;

/// What an action takes that takes nothing.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Nothing {}

/// The schema of what is read into `T`: whole, without references, and closed.
pub(crate) fn input_of<T: JsonSchema>() -> Schema {
    let mut settings = SchemaSettings::draft2020_12().for_deserialize();
    settings.inline_subschemas = true;
    let generator = settings.with_transform(RecursiveTransform(closed)).into_generator();
    let mut schema = generator.into_root_schema_for::<T>();
    // The name of a type of ours, and what the action itself says better.
    schema.remove("title");
    schema.remove("description");
    if schema.get("properties").is_none() {
        schema.insert("properties".to_owned(), Value::Object(serde_json::Map::new()));
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    schema
}

/// Unknown members are refused wherever members are named; formats of Rust mean nothing elsewhere.
fn closed(schema: &mut Schema) {
    if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    if schema.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint")) {
        schema.remove("format");
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
}

/// A document that has a schema of its own, which `schema.show` prints: too large to be said with every action.
pub(crate) fn document_schema(name: &str, what: &str) -> Schema {
    let description = format!("{what}: the schema `{name}` says what it looks like (action `schema.show`).");
    schemars::json_schema!({ "type": "object", "description": description })
}
