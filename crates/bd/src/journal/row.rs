//! One row of a journal, written and read.

use premath_kernel::{Moment, Object, Value};
use premath_wire::strict::{Limits, parse};
use premath_wire::time::{format_time, parse_time, to_millis};
use premath_wire::{InputClass, InputError, JsonPath};

use crate::error::StoreError;
use crate::verify::{Form, Link, seal};

/// The kind of every row.
pub const JOURNAL_KIND: &str = "premath.run.journal.v1";

/// A row as it was read. Its digest is what it states; `Journal::verify` says whether that is true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalRow {
    /// Its number, counted from one.
    pub seq: u64,
    /// The digest of the row before.
    pub prev: Option<String>,
    /// When it was written.
    pub at: Moment,
    /// What happened: an object with a `kind`.
    pub event: Value<'static>,
    /// Its digest.
    pub row_digest: String,
}

impl JournalRow {
    /// Reads a line; `None` when it is not a row of a journal.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let value = parse(Form::of(line).text, Limits::default()).ok()?;
        let row = value.as_object()?;
        if row.get("kind")?.as_text() != Some(JOURNAL_KIND) {
            return None;
        }
        let Link { seq, digest } = Link::of(row)?;
        let event = row.get("event").filter(|event| event.as_object().is_some())?;
        Some(Self {
            seq,
            prev: row.get("prev").and_then(Value::as_text).map(str::to_owned),
            at: parse_time(row.get("at")?.as_text()?)?,
            event: event.clone().into_owned(),
            row_digest: digest,
        })
    }

    /// The bytes of the row that records an event behind another row.
    pub(super) fn write(
        event: &Value<'_>,
        at: Moment,
        after: Option<&Link>,
    ) -> Result<(Vec<u8>, Link), StoreError> {
        check_event(event)?;
        let row = Object::fields()
            .field("at", format_time(to_millis(at)))
            .field("event", event.borrowed())
            .field("kind", JOURNAL_KIND)
            .field("schema", 1)
            .finish();
        // A value that was just built from fields is an object.
        row.as_object().map_or_else(|| seal(&Object::default(), after), |row| seal(row, after))
    }
}

fn check_event(event: &Value<'_>) -> Result<(), InputError> {
    let path = JsonPath::root().key("event");
    let Some(members) = event.as_object() else {
        return Err(InputError::new(InputClass::FieldInvalid, "expected an object", path));
    };
    let path = path.key("kind");
    match members.get("kind") {
        None => Err(InputError::new(InputClass::FieldMissing, "missing field", path)),
        Some(Value::Text(kind)) if !kind.trim().is_empty() => Ok(()),
        Some(_) => {
            Err(InputError::new(InputClass::FieldInvalid, "expected a string that is not blank", path))
        }
    }
}
