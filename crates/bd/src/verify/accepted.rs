//! What a person accepted: parts of logs that do not verify and were looked at, each on record as a witness.
//!
//! An acceptance names a log and an extent of it. Problems inside that very extent are counted, not reported; a log that
//! differs in one byte is not that extent. Rows of issue memory, which move when it is compacted, are also named one by
//! one, by what their lines hash to. It must not accept anything by itself.

use std::collections::{BTreeMap, BTreeSet};

use premath_kernel::{Moment, Number, Object, Value};
use premath_wire::time::{format_time, to_millis};

use crate::error::StoreError;
use crate::log::{Extent, from_hex};
use crate::witnesses::Witnesses;

/// The kind of such a witness.
pub const ACCEPTANCE_KIND: &str = "premath.log.acceptance.v1";

/// What was accepted, by the log's path from the repository's root.
#[derive(Debug, Default)]
pub(crate) struct Accepted(BTreeMap<String, OfLog>);

#[derive(Debug, Default)]
struct OfLog {
    extents: Vec<Extent>,
    lines: BTreeSet<String>,
}

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
        let Some((path, extent)) = read(witness) else { return };
        let of_log = self.0.entry(path).or_default();
        of_log.extents.push(extent);
        let lines = witness.as_object().and_then(|members| members.get("lines")).and_then(Value::as_array);
        of_log.lines.extend(lines.into_iter().flatten().filter_map(Value::as_text).map(str::to_owned));
    }

    /// The extents of a log that were accepted.
    pub(crate) fn extents(&self, path: &str) -> &[Extent] {
        self.0.get(path).map(|of_log| of_log.extents.as_slice()).unwrap_or_default()
    }

    /// Whether a line of a log was accepted by itself.
    pub(crate) fn has_line(&self, path: &str, line_digest: &str) -> bool {
        self.0.get(path).is_some_and(|of_log| of_log.lines.contains(line_digest))
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
    /// Lines of issue memory that are accepted wherever they stand, by what they hash to.
    pub(crate) lines: Vec<String>,
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
            .non_empty("lines", self.lines.iter().map(|line| Value::from(line.as_str())).collect())
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
