//! The digests of a catalogue, as a call spec binds them, with the policy documents they are the digests of.
//!
//! Digest and document come from one place, so that they cannot differ.

use std::collections::BTreeMap;

use premath_kernel::{Digest, Object, PolicyKind, Value, encode};

use crate::tools::spec::{ToolSpec, value};

/// Which result rows are those of a command: the scope tells.
const COMMANDS: &str = "process:run";

/// The policy documents that a catalogue comes to. Each hashes to the digest that the call spec declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueDigests {
    documents: BTreeMap<PolicyKind, Value<'static>>,
}

impl CatalogueDigests {
    pub(super) fn of<'s>(specs: impl Iterator<Item = &'s ToolSpec>) -> Self {
        let specs: Vec<&ToolSpec> = specs.collect();
        let documents = [
            (PolicyKind::Tool, tools(&specs, policy_entry)),
            (PolicyKind::ToolCatalog, tools(&specs, catalogue_entry)),
            (PolicyKind::ToolExample, tools(&specs, example_entry)),
            (PolicyKind::AllowedCallers, tools(&specs, caller_entry)),
            (PolicyKind::Defer, deferred(&specs)),
        ];
        Self { documents: documents.into_iter().collect() }
    }

    /// The digest of one document, as the call spec declares it; none for a policy that is not about tools.
    #[must_use]
    pub fn digest(&self, kind: PolicyKind) -> Option<Digest> {
        self.documents.get(&kind).map(|document| Digest::prefixed("pol1_", document))
    }

    /// Every policy that a catalogue declares, for the call spec.
    #[must_use]
    pub fn declared(&self) -> BTreeMap<PolicyKind, Digest> {
        let digest =
            |(kind, document): (&PolicyKind, &Value<'_>)| (*kind, Digest::prefixed("pol1_", document));
        self.documents.iter().map(digest).collect()
    }

    /// The documents by kind.
    #[must_use]
    pub const fn documents(&self) -> &BTreeMap<PolicyKind, Value<'static>> {
        &self.documents
    }

    /// The documents as one JSON object under their keys among the policies of a turn.
    #[must_use]
    pub fn policies(&self) -> Vec<u8> {
        let mut fields = Object::fields();
        for (kind, document) in &self.documents {
            fields = fields.field(kind.key(), document.borrowed());
        }
        encode(&fields.finish())
    }
}

fn tools(specs: &[&ToolSpec], entry: fn(&ToolSpec) -> Option<Value<'static>>) -> Value<'static> {
    let entries: Vec<Value<'static>> = specs.iter().filter_map(|spec| entry(spec)).collect();
    Object::fields().field("tools", entries).finish()
}

fn policy_entry(spec: &ToolSpec) -> Option<Value<'static>> {
    let is_command = (spec.scope == COMMANDS).then_some(true);
    let schema = spec.schema_digest();
    let entry = Object::fields()
        .field("name", spec.name.clone())
        .field("schemaDigest", &schema)
        .optional("shell", is_command);
    Some(entry.finish().into_owned())
}

fn catalogue_entry(spec: &ToolSpec) -> Option<Value<'static>> {
    let examples = spec.example_digest();
    let entry =
        Object::fields().field("name", spec.name.clone()).optional("exampleDigest", examples.as_ref());
    Some(entry.finish().into_owned())
}

fn example_entry(spec: &ToolSpec) -> Option<Value<'static>> {
    let examples: Vec<Value<'_>> = spec.examples.iter().map(value).collect();
    let entry = Object::fields().field("examples", examples).field("name", spec.name.clone());
    (!spec.examples.is_empty()).then(|| entry.finish().into_owned())
}

fn caller_entry(spec: &ToolSpec) -> Option<Value<'static>> {
    let callers = Value::text_list(spec.callers());
    Some(Object::fields().field("callers", callers).field("name", spec.name.clone()).finish())
}

fn deferred(specs: &[&ToolSpec]) -> Value<'static> {
    let names = specs.iter().filter(|spec| spec.defer_loading).map(|spec| Value::from(spec.name.clone()));
    Object::fields().field("deferred", names.collect::<Vec<_>>()).finish()
}
