//! The JSON Schemas of everything on the wire, generated from the types themselves.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::{Value, json};

use super::{
    ConformanceReport, Expectation, Explanation, GovernanceInput, GovernanceReport, HostEffect,
    JoinCheckReport, TurnInput,
};

/// The names `premath schema` knows.
pub const SCHEMA_NAMES: [&str; 8] = [
    "conformance-expectation",
    "conformance-report",
    "explanation",
    "governance-check-input",
    "governance-check-report",
    "host-effect",
    "join-check-input",
    "join-check-report",
];

/// The schema of that name, if there is one.
#[must_use]
pub fn schema(name: &str) -> Option<Schema> {
    let reading = SchemaSettings::draft2020_12()
        .for_deserialize()
        .with_transform(RecursiveTransform(admit_absence))
        .into_generator();
    let writing = SchemaSettings::draft2020_12().for_serialize().into_generator();
    Some(match name {
        "conformance-expectation" => reading.into_root_schema_for::<Expectation>(),
        "conformance-report" => writing.into_root_schema_for::<ConformanceReport>(),
        "explanation" => writing.into_root_schema_for::<Explanation>(),
        "governance-check-input" => reading.into_root_schema_for::<GovernanceInput>(),
        "governance-check-report" => writing.into_root_schema_for::<GovernanceReport>(),
        "host-effect" => writing.into_root_schema_for::<HostEffect<crate::Json>>(),
        "join-check-input" => reading.into_root_schema_for::<TurnInput>(),
        "join-check-report" => writing.into_root_schema_for::<JoinCheckReport<'_>>(),
        _ => return None,
    })
}

/// Where a field may be absent, `null` is absence too, and so is blank text where text is expected.
fn admit_absence(schema: &mut Schema) {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        if required.iter().any(|known| known == name) {
            continue;
        }
        let given = property.take();
        let mut admitted = vec![json!({ "type": "null" })];
        if expects_text(&given) {
            admitted.push(json!({ "type": "string", "pattern": "^\\s*$" }));
        }
        admitted.insert(0, given);
        *property = json!({ "anyOf": admitted });
    }
}

fn expects_text(schema: &Value) -> bool {
    let is_text = |kind: &Value| {
        kind == "string" || kind.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "string"))
    };
    let choices = schema.get("anyOf").and_then(Value::as_array);
    schema.get("type").is_some_and(is_text) || choices.is_some_and(|choices| choices.iter().any(expects_text))
}
