//! The feature ledger `.premath/harness_feature_ledger.json`: features, how far each is, what verifies it.
//!
//! The rules are the kernel's. A write that would break one of them is refused and leaves the file alone; a ledger that
//! others broke stays readable, so that it can be checked and mended. It must not drop a row or a field it does not know.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_kernel::{
    Closure, Feature, FeatureStatus, LedgerClass, Object, Value, check_ledger, closure_complete, natural_cmp,
    next_feature,
};
use premath_wire::time::{format_time, parse_time, to_millis};
use premath_wire::v1::{FEATURE_LEDGER_KIND, FeatureLedger, FeatureRow};
use premath_wire::{InputClass, InputError, JsonPath};

use crate::clock::Clock;
use crate::disk::Disk;
use crate::document::{Change, Document, keeping_unknown, normal_refs, trimmed};
use crate::error::StoreError;

const LEDGER_NAMES: [&str; 4] = ["schema", "ledgerKind", "updatedAt", "features"];
const ROW_NAMES: [&str; 8] = [
    "featureId",
    "status",
    "issueId",
    "sessionRef",
    "summary",
    "instructionRefs",
    "verificationRefs",
    "updatedAt",
];

/// What a write says of one feature. Absent keeps what is there, blank clears it, a list replaces the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureChange {
    /// Which feature.
    pub feature_id: String,
    /// Where it stands now.
    pub status: FeatureStatus,
    /// The issue it belongs to.
    pub issue_id: Option<String>,
    /// What it is.
    pub summary: Option<String>,
    /// The session that works on it.
    pub session_ref: Option<String>,
    /// What it was asked for in.
    pub instruction_refs: Option<Vec<String>>,
    /// What shows that it works.
    pub verification_refs: Option<Vec<String>>,
}

/// A ledger as it is on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger {
    /// What we understand of it.
    pub document: FeatureLedger,
    /// All of it.
    pub whole: Value<'static>,
    features: Vec<Feature>,
}

impl Ledger {
    /// Everything that is wrong with it, sorted.
    #[must_use]
    pub fn problems(&self, closure: Closure) -> Vec<(LedgerClass, String)> {
        check_ledger(&self.features, self.document.updated_at.as_deref(), closure)
    }

    /// The feature to work on.
    #[must_use]
    pub fn next(&self) -> Option<&str> {
        next_feature(&self.features)
    }

    /// Whether every feature is done and verified.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        closure_complete(&self.features)
    }

    /// A feature's whole row.
    #[must_use]
    pub fn row(&self, feature_id: &str) -> Option<&Value<'static>> {
        let at = self.document.features.iter().position(|row| row.feature_id.trim() == feature_id.trim())?;
        self.whole.as_object()?.get("features")?.as_array()?.get(at)
    }
}

/// What became of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureWritten {
    /// The ledger as it is now; as it was when the write was refused. None where there is none still.
    pub ledger: Option<Ledger>,
    /// The row as it was written, or would have been.
    pub row: Value<'static>,
    /// The rules it would have broken; none when it was written.
    pub refused: Vec<(LedgerClass, String)>,
}

/// The ledger in one file.
#[derive(Debug, Clone)]
pub struct FeatureLedgerStore {
    document: Document,
}

impl FeatureLedgerStore {
    /// The ledger in this file.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, path: PathBuf) -> Self {
        Self { document: Document::new(disk, path) }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.document.path()
    }

    /// Reads the ledger.
    ///
    /// # Errors
    /// `Missing` when there is none; `Corrupt` when it cannot be read, with the place; `Io`.
    pub fn read(&self) -> Result<Ledger, StoreError> {
        self.checked(self.document.read()?)
    }

    /// Writes one feature's row, or refuses to. Rules that are broken already do not stand in the way of another row;
    /// a feature that the ledger holds twice does, because nobody knows which of them is meant.
    ///
    /// # Errors
    /// `Input` for a blank id; `Busy`, `Missing` without a folder, `Corrupt` when what is there cannot be read (it is
    /// left alone), `Io`.
    pub fn write(&self, change: &FeatureChange, clock: &dyn Clock) -> Result<FeatureWritten, StoreError> {
        let Some(feature_id) = trimmed(&change.feature_id) else {
            let path = JsonPath::root().key("featureId");
            return Err(
                InputError::new(InputClass::FieldInvalid, "expected text that is not blank", path).into()
            );
        };
        self.document.change(|old| {
            let before = old.map(|old| self.checked(old)).transpose()?;
            let rows = before.as_ref().map_or(&[][..], |ledger| &ledger.document.features);
            let matching = rows.iter().filter(|row| row.feature_id.trim() == feature_id).count();
            let now = format_time(to_millis(clock.now()));
            let old_row = rows.iter().find(|row| row.feature_id.trim() == feature_id);
            let known = written_row(&changed_row(old_row.cloned(), &feature_id, change, &now));
            let old_value =
                before.as_ref().and_then(|ledger| ledger.row(&feature_id)).and_then(Value::as_object);
            let row = keeping_unknown(old_value, &ROW_NAMES, &known);
            if matching > 1 {
                let refused = vec![(LedgerClass::FeatureIdDuplicate, feature_id)];
                return Ok(Change::Keep(FeatureWritten { ledger: before, row, refused }));
            }
            let after = self.checked(with_row(before.as_ref(), &feature_id, row.clone(), &now))?;
            let known_problems =
                before.as_ref().map(|ledger| ledger.problems(Closure::NotRequired)).unwrap_or_default();
            let mut refused = after.problems(Closure::NotRequired);
            refused.retain(|problem| !known_problems.contains(problem));
            if refused.is_empty() {
                let whole = after.whole.clone();
                return Ok(Change::Write(whole, FeatureWritten { ledger: Some(after), row, refused }));
            }
            Ok(Change::Keep(FeatureWritten { ledger: before, row, refused }))
        })
    }

    fn checked(&self, whole: Value<'static>) -> Result<Ledger, StoreError> {
        let document: FeatureLedger = self.document.decode(&whole)?;
        self.document.expect_kind(
            (document.schema, &document.ledger_kind),
            "ledgerKind",
            FEATURE_LEDGER_KIND,
        )?;
        let malformed = |time: Option<&String>| {
            time.is_some_and(|time| !time.trim().is_empty() && parse_time(time.trim()).is_none())
        };
        let at = if malformed(document.updated_at.as_ref()) {
            Some(JsonPath::root())
        } else {
            let place = document.features.iter().position(|row| malformed(row.updated_at.as_ref()));
            place.map(|place| JsonPath::root().key("features").index(place))
        };
        if let Some(path) = at {
            let what = "expected an RFC 3339 time";
            return Err(self.document.damaged(&InputError::new(
                InputClass::FieldInvalid,
                what,
                path.key("updatedAt"),
            )));
        }
        let features = document.features.iter().map(feature_of).collect();
        Ok(Ledger { document, whole, features })
    }
}

fn feature_of(row: &FeatureRow) -> Feature {
    Feature {
        feature_id: row.feature_id.trim().to_owned(),
        status: FeatureStatus::from_token(&row.status),
        session_ref: row.session_ref.as_deref().and_then(trimmed),
        instruction_refs: row.instruction_refs.clone(),
        verification_refs: row.verification_refs.clone(),
        updated_at: row.updated_at.clone(),
    }
}

fn changed_row(old: Option<FeatureRow>, feature_id: &str, change: &FeatureChange, now: &str) -> FeatureRow {
    let mut row = old.unwrap_or_default();
    let text = |field: &mut Option<String>, said: &Option<String>| {
        *field = said.as_ref().or(field.as_ref()).and_then(|text| trimmed(text));
    };
    let refs = |field: &mut Vec<String>, said: &Option<Vec<String>>| {
        *field = normal_refs(said.as_ref().unwrap_or(field))
    };
    row.feature_id = feature_id.to_owned();
    row.status = change.status.token().to_owned();
    text(&mut row.issue_id, &change.issue_id);
    text(&mut row.summary, &change.summary);
    text(&mut row.session_ref, &change.session_ref);
    refs(&mut row.instruction_refs, &change.instruction_refs);
    refs(&mut row.verification_refs, &change.verification_refs);
    row.updated_at = Some(now.to_owned());
    row
}

fn written_row(row: &FeatureRow) -> Value<'static> {
    let text = |text: &str| Value::from(text.to_owned());
    let list = |refs: &[String]| refs.iter().map(|reference| text(reference)).collect::<Vec<_>>();
    let optional = |field: &Option<String>| field.as_deref().map(text);
    Object::fields()
        .field("featureId", text(&row.feature_id))
        .field("status", text(&row.status))
        .optional("issueId", optional(&row.issue_id))
        .optional("sessionRef", optional(&row.session_ref))
        .optional("summary", optional(&row.summary))
        .non_empty("instructionRefs", list(&row.instruction_refs))
        .non_empty("verificationRefs", list(&row.verification_refs))
        .optional("updatedAt", optional(&row.updated_at))
        .finish()
}

/// The ledger with that row in its place, all rows in natural order of their ids.
fn with_row(before: Option<&Ledger>, feature_id: &str, row: Value<'static>, now: &str) -> Value<'static> {
    let old = before.and_then(|ledger| ledger.whole.as_object());
    let old_rows = old.and_then(|old| old.get("features")).and_then(Value::as_array).unwrap_or_default();
    let mut rows: Vec<Value<'static>> =
        old_rows.iter().filter(|old| id_of(old) != feature_id).cloned().collect();
    rows.push(row);
    rows.sort_by(|one, other| natural_cmp(id_of(one), id_of(other)));
    let known = Object::fields()
        .field("schema", 1_u32)
        .field("ledgerKind", FEATURE_LEDGER_KIND)
        .field("updatedAt", now.to_owned())
        .field("features", rows)
        .finish();
    keeping_unknown(old, &LEDGER_NAMES, &known)
}

fn id_of<'r>(row: &'r Value<'_>) -> &'r str {
    let id = row.as_object().and_then(|row| row.get("featureId")).and_then(Value::as_text);
    id.unwrap_or_default().trim()
}
