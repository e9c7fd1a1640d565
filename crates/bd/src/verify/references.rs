//! What rows and documents cite: objects, witnesses and runs that must be in the store.
//!
//! Two spellings are references wherever they stand: `object://sha256:…` and `witness://w1_…`. In a member whose name ends in
//! `Ref` or `Refs`, `gate://sha256:…`, `run://<run>` and a bare witness id are; in `objectRef`, `objectRefs` and `artifactRef` a
//! bare object digest is. Every other text belongs to other tools, and must not be guessed at.

use premath_kernel::{Object, Value};

use crate::journal::check_name;
use crate::objects::ObjectId;
use crate::witnesses::{is_witness_id, witness_of_reference};

const GATE: &str = "gate://";
const RUN: &str = "run://";
/// Members whose bare digests name objects.
const OBJECT_MEMBERS: [&str; 3] = ["artifactRef", "objectRef", "objectRefs"];
/// The step of a worker, whose evidence is cited by bare digests.
const WORKER_STEP: &str = "harness.step";

/// Something that must be in the store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reference {
    /// An object.
    Object(ObjectId),
    /// An object that is a record of a check, with what the check printed.
    Outcome(ObjectId),
    /// The journal of a run, by the name of the run.
    Run(String),
    /// A witness, by its id.
    Witness(String),
}

impl Reference {
    /// What it names, as rows spell it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Object(id) | Self::Outcome(id) => id.to_string(),
            Self::Run(run) => format!("{RUN}{run}"),
            Self::Witness(id) => id.clone(),
        }
    }

    /// Whether git brings what it names to every clone.
    #[must_use]
    pub const fn is_tracked(&self) -> bool {
        matches!(self, Self::Witness(_))
    }
}

/// Everything that a row or document cites, in the order it stands there.
#[must_use]
pub fn references(row: &Object<'_>) -> Vec<Reference> {
    let mut found = Vec::new();
    for (name, value) in row.iter() {
        collect(name, value, &mut found);
    }
    if row.get("action").and_then(Value::as_text) == Some(WORKER_STEP) {
        let refs = row.get("witnessRefs").and_then(Value::as_array).unwrap_or_default();
        let digests = refs.iter().filter_map(Value::as_text).filter_map(|text| text.parse().ok());
        found.extend(digests.map(Reference::Outcome));
    }
    found
}

fn collect(name: &str, value: &Value<'_>, found: &mut Vec<Reference>) {
    match value {
        Value::Text(text) => found.extend(read(name, text)),
        Value::Array(items) => items.iter().for_each(|item| collect(name, item, found)),
        Value::Object(members) => members.iter().for_each(|(name, value)| collect(name, value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn read(name: &str, text: &str) -> Option<Reference> {
    if let Some(id) = ObjectId::from_reference(text) {
        return Some(Reference::Object(id));
    }
    if let Some(id) = witness_of_reference(text) {
        return Some(Reference::Witness(id.to_owned()));
    }
    if OBJECT_MEMBERS.contains(&name) {
        return text.parse().ok().map(Reference::Object);
    }
    if !name.ends_with("Ref") && !name.ends_with("Refs") {
        return None;
    }
    if let Some(id) = text.strip_prefix(GATE) {
        return id.parse().ok().map(Reference::Outcome);
    }
    if let Some(run) = text.strip_prefix(RUN) {
        let run = run.split('/').next().unwrap_or_default();
        return check_name(run, "run").ok().map(|()| Reference::Run(run.to_owned()));
    }
    is_witness_id(text).then(|| Reference::Witness(text.to_owned()))
}

/// What the record of a check cites: what it printed.
pub(super) fn outputs(record: &Value<'_>) -> Vec<ObjectId> {
    let output = |name: &str| {
        record.as_object()?.get(name)?.as_object()?.get("digest")?.as_text()?.parse::<ObjectId>().ok()
    };
    ["stderr", "stdout"].into_iter().filter_map(output).collect()
}
