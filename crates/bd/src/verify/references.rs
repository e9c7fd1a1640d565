//! What rows and documents refer to: objects and witnesses that must be in the store.
//!
//! Two spellings are references wherever they stand: `object://sha256:…` and `witness://w1_…`. A bare witness id is one in
//! a member whose name ends in `Ref` or `Refs`, a bare object digest in `objectRef` and `objectRefs`. Every other text is
//! somebody else's, and must not be guessed at.

use std::collections::BTreeSet;
use std::path::Path;

use premath_kernel::{Object, Value};

use super::problem::{Problem, ProblemClass, Problems};
use crate::error::StoreError;
use crate::objects::{ObjectId, Objects};
use crate::witnesses::{Witnesses, is_witness_id, witness_of_reference};

/// Something that must be in the store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reference {
    /// An object.
    Object(ObjectId),
    /// A witness, by its id.
    Witness(String),
}

/// Everything that a row or document refers to, in the order it stands there.
#[must_use]
pub fn references(row: &Object<'_>) -> Vec<Reference> {
    let mut found = Vec::new();
    for (name, value) in row.iter() {
        collect(name, value, &mut found);
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
    if matches!(name, "objectRef" | "objectRefs") {
        return text.parse().ok().map(Reference::Object);
    }
    let is_reference = name.ends_with("Ref") || name.ends_with("Refs");
    (is_reference && is_witness_id(text)).then(|| Reference::Witness(text.to_owned()))
}

/// Looks references up, each only once.
#[derive(Debug)]
pub(crate) struct Resolver<'s> {
    objects: &'s Objects,
    witnesses: &'s Witnesses,
    present: BTreeSet<Reference>,
    /// How many references were looked at.
    pub(crate) seen: u64,
}

impl<'s> Resolver<'s> {
    /// Over these stores.
    pub(crate) fn new(objects: &'s Objects, witnesses: &'s Witnesses) -> Self {
        Self { objects, witnesses, present: BTreeSet::new(), seen: 0 }
    }

    /// Reports what a row refers to and is not there.
    pub(crate) fn check(
        &mut self,
        row: &Object<'_>,
        path: &Path,
        line: Option<u64>,
        problems: &mut Problems,
    ) -> Result<(), StoreError> {
        for reference in references(row) {
            self.seen += 1;
            if self.present.contains(&reference) {
                continue;
            }
            if self.resolves(&reference)? {
                self.present.insert(reference);
                continue;
            }
            let detail = match &reference {
                Reference::Object(id) => format!("object {id} is not in the store"),
                Reference::Witness(id) => format!("witness {id} is not in the store"),
            };
            problems.add(Problem {
                class: ProblemClass::ReferenceMissing,
                path: path.to_owned(),
                line,
                detail,
            });
        }
        Ok(())
    }

    fn resolves(&self, reference: &Reference) -> Result<bool, StoreError> {
        match reference {
            Reference::Object(id) => self.objects.contains(id),
            Reference::Witness(id) => self.witnesses.contains(id),
        }
    }
}
