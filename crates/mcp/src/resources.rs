//! What can be read without a tool: issues, the session, runs and policies, as `premath://…`.
//!
//! A resource is the payload of one reading action; there is no second way to look at a repository. It must not read
//! anything that an action does not give out.

use rmcp::model::{Resource, ResourceTemplate};
use serde_json::{Value, json};

/// How many rows a listing gives out as a resource; the tools page through more.
const ROWS: u64 = 100;

/// A resource, as the call that answers it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The action.
    pub(crate) action: &'static str,
    /// Its arguments.
    pub(crate) arguments: Value,
}

/// The call behind an address; none where nothing is there.
pub(crate) fn reading(uri: &str) -> Option<Reading> {
    let rest = uri.strip_prefix("premath://")?;
    let (kind, id) = rest.split_once('/').map_or((rest, None), |(kind, id)| (kind, Some(id)));
    let id = match id {
        None => None,
        Some(id) => Some(decoded(id).filter(|id| !id.is_empty() && id.len() <= 256)?),
    };
    let limit = json!({ "limit": ROWS });
    let (action, arguments) = match (kind, id.as_deref()) {
        ("issues", None) => ("issue.list", limit),
        ("issues", Some("ready")) => ("issue.ready", limit),
        ("issues", Some(id)) => ("issue.show", json!({ "id": id })),
        ("sessions", Some("current")) => ("harness.session.bootstrap", json!({})),
        ("sessions", Some("features")) => ("harness.feature.read", json!({})),
        ("sessions", Some("trajectory")) => ("harness.trajectory.query", limit),
        ("runs", None) => ("run.list", limit),
        ("runs", Some(id)) => ("run.show", json!({ "runId": id })),
        ("policies", Some("effective")) => ("policy.show", json!({})),
        ("policies", Some("files")) => ("policy.export", json!({})),
        ("policies", Some("history")) => ("policy.history", json!({})),
        _ => return None,
    };
    Some(Reading { action, arguments })
}

/// An id as it stands in an address: percent signs and two hexadecimal digits stand for a byte.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            let (high, low) = (digit(rest.next()?)?, digit(rest.next()?)?);
            bytes.push(high * 16 + low);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// The resources that are always there.
pub(crate) fn all() -> Vec<Resource> {
    let known = [
        ("premath://issues", "issues", "The first hundred issues"),
        ("premath://issues/ready", "ready issues", "What can be worked on, in order"),
        ("premath://sessions/current", "session", "How a fresh process goes on"),
        ("premath://sessions/features", "features", "The feature ledger"),
        ("premath://sessions/trajectory", "trajectory", "The latest steps"),
        ("premath://runs", "runs", "The latest runs of agents"),
        ("premath://policies/effective", "policy", "What a run may do at most, layer by layer"),
        ("premath://policies/files", "policy files", "The policies in force, as files"),
        ("premath://policies/history", "policy history", "The packages that were put into force"),
    ];
    let resource = |(uri, name, description): (&str, &str, &str)| {
        Resource::new(uri, name).with_description(description).with_mime_type(MIME)
    };
    known.into_iter().map(resource).collect()
}

/// What they are written in.
pub(crate) const MIME: &str = "application/json";

/// The addresses with something to fill in.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let known = [
        ("premath://issues/{id}", "issue", "One issue with what it depends on and who holds it"),
        ("premath://runs/{id}", "run", "One run and its turns"),
    ];
    let template = |(uri, name, description): (&str, &str, &str)| {
        ResourceTemplate::new(uri, name).with_description(description).with_mime_type(MIME)
    };
    known.into_iter().map(template).collect()
}

#[cfg(test)]
mod tests;
