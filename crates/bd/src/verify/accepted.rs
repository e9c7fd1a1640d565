//! What a person accepted: parts of logs that do not verify and were looked at, each on record as a witness.
//!
//! An acceptance names a log and an extent of it. Problems inside that very extent are counted, not reported; a log that
//! differs in one byte is not that extent. Rows of issue memory, which move when it is compacted, are also named one by
//! one, by what their lines hash to. It must not accept anything by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_kernel::{Fields, Moment, Number, Object, Value, encode};
use premath_wire::time::{format_time, to_millis};

use crate::clone_auth::{CloneAuth, MacPurpose};
use crate::disk::Disk;
use crate::error::StoreError;
use crate::log::{Extent, Log, from_hex};
use crate::witnesses::Witnesses;

/// The kind of such a witness.
pub const ACCEPTANCE_KIND: &str = "premath.log.acceptance.v1";
const MAC: &str = "mac";

/// What was accepted, by the log's path from the repository's root.
#[derive(Debug)]
pub(crate) struct Accepted {
    logs: BTreeMap<String, OfLog>,
    auth: Option<Arc<CloneAuth>>,
    root: PathBuf,
}

#[derive(Debug, Default)]
struct OfLog {
    extents: Vec<Extent>,
    lines: BTreeSet<String>,
}

impl Accepted {
    /// Nothing yet, for a repository on a file system.
    pub(crate) fn new(disk: &Arc<dyn Disk>, root: &Path) -> Self {
        Self { logs: BTreeMap::new(), auth: disk.clone_auth().cloned(), root: root.to_owned() }
    }

    /// All that is on record. A witness that does not have the name its content gives it does not count, and where logs are
    /// authenticated, one without the MAC of this clone does not either.
    pub(crate) fn read(witnesses: &Witnesses, root: &Path) -> Result<Self, StoreError> {
        let mut accepted = Self::new(witnesses.disk(), root);
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
        if !self.is_authentic(&path, witness) {
            return;
        }
        let of_log = self.logs.entry(path).or_default();
        of_log.extents.push(extent);
        let lines = witness.as_object().and_then(|members| members.get("lines")).and_then(Value::as_array);
        of_log.lines.extend(lines.into_iter().flatten().filter_map(Value::as_text).map(str::to_owned));
    }

    fn is_authentic(&self, path: &str, witness: &Value<'_>) -> bool {
        let Some(auth) = &self.auth else { return true };
        let Some(members) = witness.as_object() else { return false };
        let Some(mac) = members.get(MAC).and_then(Value::as_text) else { return false };
        let signed = signed_text(&members.without(MAC).without("witnessId"));
        auth.of_log(&self.root.join(path)).verifies(MacPurpose::Acceptance, &[&signed], mac)
    }

    /// The extents of a log that were accepted.
    pub(crate) fn extents(&self, path: &str) -> &[Extent] {
        self.logs.get(path).map(|of_log| of_log.extents.as_slice()).unwrap_or_default()
    }

    /// Whether a line of a log was accepted by itself.
    pub(crate) fn has_line(&self, path: &str, line_digest: &str) -> bool {
        self.logs.get(path).is_some_and(|of_log| of_log.lines.contains(line_digest))
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
    pub(crate) fn record(&self, witnesses: &Witnesses, log: &Log) -> Result<String, StoreError> {
        let fields = || self.fields();
        let unsigned = fields().finish();
        let text = unsigned.as_object().map(signed_text).unwrap_or_default();
        let mac = log.auth.as_ref().and_then(|auth| auth.sign(MacPurpose::Acceptance, &[&text]));
        witnesses.put(&fields().optional(MAC, mac).finish(), None)
    }

    fn fields(&self) -> Fields<'_> {
        Object::fields()
            .field("acceptedAt", format_time(to_millis(self.at)))
            .field("classes", Value::text_list(self.classes.iter().copied()))
            .optional("expected", self.expected.as_ref().map(written))
            .field("extent", written(&self.extent))
            .non_empty("lines", self.lines.iter().map(|line| Value::from(line.as_str())).collect())
            .field("path", self.path)
            .field("schema", 1)
            .field("witnessKind", ACCEPTANCE_KIND)
    }
}

/// What the MAC of an acceptance is over: its canonical text without the MAC and the id.
fn signed_text(members: &Object<'_>) -> String {
    String::from_utf8(encode(&Value::Object(members.clone()))).unwrap_or_default()
}

fn written(extent: &Extent) -> Value<'static> {
    let count = |value: u64| Number::unsigned(value).map_or(Value::Null, Value::Number);
    Object::fields()
        .field("bytes", count(extent.bytes))
        .field("digest", extent.digest_hex())
        .field("rows", count(extent.rows))
        .finish()
}
