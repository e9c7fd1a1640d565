//! What the runtime looked up, because the kernel cannot: files, artifacts, sinks, schema validation.
//!
//! A list that is `None` was not looked up; an empty one was, and nothing was there.

use alloc::string::String;
use alloc::vec::Vec;

use super::prior::PriorResult;
use crate::canon::{Object, Value};
use crate::digest::Digest;
use crate::scalar::{Text, Token};

/// Everything the runtime looked up for one turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Observations {
    /// Artifacts that were looked for.
    pub artifacts: Option<Vec<ObservedArtifact>>,
    /// Files that changed during the turn.
    pub files: Option<Vec<ObservedFile>>,
    /// Trace sinks that were written to.
    pub sinks: Option<Vec<Sink>>,
    /// Arguments that failed their schema.
    pub schema_errors: Vec<SchemaError>,
    /// Results of earlier turns that were looked up.
    pub prior_results: Option<Vec<PriorResult>>,
}

impl Observations {
    pub(crate) fn canonical(&self) -> Value<'_> {
        Object::fields()
            .optional("artifacts", rows(self.artifacts.as_deref(), ObservedArtifact::canonical))
            .optional("files", rows(self.files.as_deref(), ObservedFile::canonical))
            .optional("priorResults", rows(self.prior_results.as_deref(), PriorResult::canonical))
            .non_empty("schemaErrors", self.schema_errors.iter().map(SchemaError::canonical).collect())
            .optional("sinks", rows(self.sinks.as_deref(), Sink::canonical))
            .finish()
    }
}

fn rows<'a, Row>(rows: Option<&'a [Row]>, canonical: fn(&'a Row) -> Value<'a>) -> Option<Vec<Value<'a>>> {
    rows.map(|rows| rows.iter().map(canonical).collect())
}

/// An artifact that was looked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObservedArtifact {
    /// What was looked for.
    pub reference: Text,
    /// What it hashes to; none when it is not there.
    pub digest: Option<Digest>,
}

impl ObservedArtifact {
    fn canonical(&self) -> Value<'_> {
        let digest = self.digest.as_ref().map_or(Value::Null, Value::from);
        Object::fields().field("digest", digest).field("ref", &self.reference).finish()
    }
}

/// A file that changed during the turn.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObservedFile {
    /// Where.
    pub path: Text,
    /// What it holds now.
    pub digest: Digest,
}

impl ObservedFile {
    fn canonical(&self) -> Value<'_> {
        Object::fields().field("digest", &self.digest).field("path", &self.path).finish()
    }
}

/// A trace sink that was written to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sink {
    /// The mode it belongs to. Open: an unknown one is refused, not unreadable.
    pub mode: Token,
}

impl Sink {
    fn canonical(&self) -> Value<'_> {
        Object::fields().field("mode", &self.mode).finish()
    }
}

/// Arguments that failed their schema.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SchemaError {
    /// The call.
    pub tool_call_id: Text,
    /// Where in the arguments, as a JSON pointer; empty for the whole.
    pub pointer: String,
}

impl SchemaError {
    fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("pointer", self.pointer.as_str())
            .field("toolCallId", &self.tool_call_id)
            .finish()
    }
}
