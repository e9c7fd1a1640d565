//! The JSON Schemas of everything on the wire, generated from the types themselves.

use schemars::Schema;
use schemars::generate::SchemaSettings;

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
    let reading = SchemaSettings::draft2020_12().for_deserialize().into_generator();
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
