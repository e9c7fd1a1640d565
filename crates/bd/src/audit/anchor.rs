//! Anchors: which row of a journal the audit log saw last, at a point that authorised something.
//!
//! A journal that was rolled back together with its head no longer has that row. The last anchor of a journal counts: one
//! that a person set by taking over an older journal replaces those before it.

use std::collections::BTreeMap;

use premath_kernel::{Object, Value};

use super::AuditLog;
use crate::error::StoreError;
use crate::issues::counted;
use crate::journal::Appended;
use crate::verify::Link;

/// The member of a row's data with one anchor.
const ONE: &str = "journal";
/// The member with several.
const SEVERAL: &str = "journals";

/// A row of a journal that the audit log knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalAnchor {
    /// The journal, by its path from the root of the repository.
    pub log: String,
    /// How many rows it had; none where a person took over that it is gone.
    pub rows: u64,
    /// The digest of the last of them.
    pub digest: String,
}

impl JournalAnchor {
    /// The anchor of a journal at a row.
    #[must_use]
    pub fn new(log: String, last: Option<&Appended>) -> Self {
        let (rows, digest) = last.map_or((0, String::new()), |last| (last.seq, last.row_digest.clone()));
        Self { log, rows, digest }
    }

    /// As a member of a row's data.
    #[must_use]
    pub fn value(&self) -> Value<'static> {
        Object::fields()
            .field("digest", self.digest.clone())
            .field("log", self.log.clone())
            .field("rows", counted(self.rows))
            .finish()
    }

    /// The data of a row with an anchor beside what it says already.
    #[must_use]
    pub fn beside(&self, data: Option<&Value<'static>>) -> Value<'static> {
        let said = data.and_then(Value::as_object).into_iter().flat_map(Object::iter);
        let mut members: Vec<_> = said
            .filter(|(name, _)| *name != ONE)
            .map(|(name, value)| (name.to_owned().into(), value.clone()))
            .collect();
        members.push((ONE.into(), self.value()));
        Object::from_members(members).map_or(Value::Null, Value::Object)
    }

    /// Whether a row of the journal is the one that is meant.
    #[must_use]
    pub fn is_met_by(&self, row: &Object<'_>) -> bool {
        Link::of(row).is_some_and(|link| link.seq == self.rows && link.digest == self.digest)
    }

    fn read(value: &Value<'_>) -> Option<Self> {
        let members = value.as_object()?;
        Some(Self {
            log: members.get("log")?.as_text()?.to_owned(),
            rows: members.get("rows")?.as_number()?.as_u64()?,
            digest: members.get("digest")?.as_text()?.to_owned(),
        })
    }
}

/// The last anchor of every journal, as the rows of the audit log are read in their order.
#[derive(Debug, Default)]
pub(crate) struct Anchors(BTreeMap<String, JournalAnchor>);

impl Anchors {
    /// Takes note of a row of the audit log.
    pub(crate) fn learn(&mut self, row: &Object<'_>) {
        let Some(data) = row.get("data").and_then(Value::as_object) else { return };
        let several = data.get(SEVERAL).and_then(Value::as_array).unwrap_or_default();
        for anchor in data.get(ONE).into_iter().chain(several).filter_map(JournalAnchor::read) {
            self.0.insert(anchor.log.clone(), anchor);
        }
    }

    /// The last anchor of a journal, which is then no longer here.
    pub(crate) fn take(&mut self, log: &str) -> Option<JournalAnchor> {
        self.0.remove(log).filter(|anchor| anchor.rows > 0)
    }

    /// Those that were not taken.
    pub(crate) fn rest(self) -> impl Iterator<Item = JournalAnchor> {
        self.0.into_values().filter(|anchor| anchor.rows > 0)
    }
}

impl AuditLog {
    /// The last anchor of a journal. Reads the whole log.
    ///
    /// # Errors
    /// `Io` when it cannot be read.
    pub fn anchor_of(&self, log: &str) -> Result<Option<JournalAnchor>, StoreError> {
        let mut anchors = Anchors::default();
        self.each(|row| {
            if let Some(row) = row.as_object() {
                anchors.learn(row);
            }
        })?;
        Ok(anchors.take(log))
    }
}
