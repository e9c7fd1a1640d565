//! What a person accepted: parts of logs that do not verify and were looked at, each on record as a witness.
//!
//! An acceptance names a log and an extent of it. Problems inside that very extent are counted, not reported; a log that
//! differs in one byte is not that extent. It must not accept anything by itself.

use std::collections::BTreeMap;

use premath_kernel::{Moment, Number, Object, Value};
use premath_wire::time::{format_time, to_millis};

use crate::error::StoreError;
use crate::log::{Extent, from_hex};
use crate::witnesses::Witnesses;

/// The kind of such a witness.
pub const ACCEPTANCE_KIND: &str = "premath.log.acceptance.v1";

/// Extents that were accepted, by the log's path from the repository's root.
#[derive(Debug, Default)]
pub(crate) struct Accepted(BTreeMap<String, Vec<Extent>>);

impl Accepted {
    /// All that is on record. A witness that does not have the name its content gives it does not count.
    pub(crate) fn read(witnesses: &Witnesses) -> Result<Self, StoreError> {
        let mut accepted = Self::default();
        for id in witnesses.iter()? {
            if let Ok(witness) = witnesses.get(&id) {
                accepted.learn(&witness);
            }
        }
        Ok(accepted)
    }

    /// Takes note of a witness, if it is an acceptance.
    pub(crate) fn learn(&mut self, witness: &Value<'_>) {
        if let Some((path, extent)) = read(witness) {
            self.0.entry(path).or_default().push(extent);
        }
    }

    /// What was accepted of a log.
    pub(crate) fn of(&self, path: &str) -> &[Extent] {
        self.0.get(path).map(Vec::as_slice).unwrap_or_default()
    }
}

fn read(witness: &Value<'_>) -> Option<(String, Extent)> {
    let members = witness.as_object()?;
    if members.get("witnessKind")?.as_text()? != ACCEPTANCE_KIND {
        return None;
    }
    let path = members.get("path")?.as_text()?.to_owned();
    let extent = members.get("extent")?.as_object()?;
    let count = |name| extent.get(name).and_then(|value| value.as_number()?.as_u64());
    let digest = from_hex(extent.get("digest")?.as_text()?)?;
    Some((path, Extent { rows: count("rows")?, bytes: count("bytes")?, digest }))
}

/// Why and when something was accepted.
#[derive(Debug)]
pub(crate) struct Acceptance<'a> {
    /// The log, from the repository's root.
    pub(crate) path: &'a str,
    /// What is accepted of it.
    pub(crate) extent: Extent,
    /// What its head expected, if it had one.
    pub(crate) expected: Option<Extent>,
    /// The classes of what was found.
    pub(crate) classes: Vec<&'static str>,
    /// When.
    pub(crate) at: Moment,
}

impl Acceptance<'_> {
    /// Puts it on record; answers the witness's id.
    pub(crate) fn record(&self, witnesses: &Witnesses) -> Result<String, StoreError> {
        let core = Object::fields()
            .field("acceptedAt", format_time(to_millis(self.at)))
            .field("classes", Value::text_list(self.classes.iter().copied()))
            .optional("expected", self.expected.as_ref().map(written))
            .field("extent", written(&self.extent))
            .field("path", self.path)
            .field("schema", 1)
            .field("witnessKind", ACCEPTANCE_KIND)
            .finish();
        witnesses.put(&core, None)
    }
}

fn written(extent: &Extent) -> Value<'static> {
    let count = |value: u64| Number::unsigned(value).map_or(Value::Null, Value::Number);
    Object::fields()
        .field("bytes", count(extent.bytes))
        .field("digest", extent.digest_hex())
        .field("rows", count(extent.rows))
        .finish()
}
