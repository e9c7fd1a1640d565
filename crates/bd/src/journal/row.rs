//! One row of a journal, written and read.

use std::borrow::Cow;

use premath_kernel::{Digest, Fields, Moment, Object, Value, encode, encode_into};
use premath_wire::strict::{Limits, parse};
use premath_wire::time::{format_time, parse_time, to_millis};
use premath_wire::{InputClass, InputError, JsonPath};

use crate::error::StoreError;
use crate::log::Log;
use crate::verify::{Form, Link, row_mac};

/// The kind of every row.
pub const JOURNAL_KIND: &str = "premath.run.journal.v1";

/// What a row needs besides its event.
const ROOM: usize = 480;

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
    /// The MAC of the clone that wrote it; absent where it had no key.
    pub mac: Option<String>,
}

impl JournalRow {
    /// Reads a line; `None` when it is not a row of a journal.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let value = parse(Form::of(line).text, Limits::default()).ok()?;
        Self::of_object(value.as_object()?)
    }

    /// Reads a row that was parsed; `None` when it is not one of a journal.
    pub(super) fn of_object(row: &Object<'_>) -> Option<Self> {
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
            mac: row.get("mac").and_then(Value::as_text).map(str::to_owned),
        })
    }

    /// The bytes of the row that records an event behind another row.
    ///
    /// They are put together in canonical order around bytes that are canonical already, so that nothing is written twice:
    /// `at`, `event`, `kind`, `mac`, `prev`, `rowDigest`, `schema`, `seq`. The MAC is that of the clone, where it has a key,
    /// over the digest, and not part of it.
    pub(super) fn write(
        log: &Log,
        event: &JournalEvent,
        at: Moment,
        after: Option<&Link>,
    ) -> Result<(Vec<u8>, Link), StoreError> {
        let seq = Link::next(after)?;
        let mut line = Vec::with_capacity(event.bytes.len() + ROOM);
        line.extend_from_slice(b"{\"at\":");
        encode_into(&Value::from(format_time(to_millis(at))), &mut line);
        line.extend_from_slice(b",\"event\":");
        line.extend_from_slice(&event.bytes);
        line.extend_from_slice(b",\"kind\":");
        encode_into(&Value::from(JOURNAL_KIND), &mut line);
        let unsigned = line.len();
        if let Some(link) = after {
            line.extend_from_slice(b",\"prev\":");
            encode_into(&Value::from(link.digest.as_str()), &mut line);
        }
        let unsealed = line.len();
        let mut rest = b",\"schema\":1,\"seq\":".to_vec();
        encode_into(&Value::Number(seq.number), &mut rest);
        rest.push(b'}');
        line.extend_from_slice(&rest);
        let digest = Digest::of_bytes(&line).as_str().to_owned();
        line.truncate(unsealed);
        line.extend_from_slice(b",\"rowDigest\":");
        encode_into(&Value::from(digest.as_str()), &mut line);
        line.extend_from_slice(&rest);
        if let Some(mac) = row_mac(log.auth.as_ref(), &digest) {
            line.splice(unsigned..unsigned, format!(",\"mac\":\"{mac}\"").into_bytes());
        }
        Ok((line, Link { seq: seq.seq, digest }))
    }
}

/// An event as a journal keeps it: the canonical bytes of an object with a `kind`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEvent {
    kind: Cow<'static, str>,
    bytes: Vec<u8>,
}

impl JournalEvent {
    /// An event of a kind, which is not blank. The fields need not say it.
    #[must_use]
    pub fn new(kind: &'static str, fields: Fields<'_>) -> Self {
        debug_assert!(!kind.trim().is_empty(), "an event is of some kind");
        let bytes = encode(&fields.field("kind", kind).finish());
        Self { kind: Cow::Borrowed(kind), bytes }
    }

    /// An event somebody wrote.
    ///
    /// # Errors
    /// `input.field_invalid` or `input.field_missing` when it is not an object with a `kind`.
    pub fn of(event: &Value<'_>) -> Result<Self, InputError> {
        let kind = checked_kind(event)?.to_owned();
        Ok(Self { kind: Cow::Owned(kind), bytes: encode(event) })
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// What it says. INVARIANT: the bytes were written from a value.
    #[must_use]
    pub fn value(&self) -> Value<'static> {
        parse(&self.bytes, Limits::default()).map_or(Value::Null, Value::into_owned)
    }

    /// Its canonical bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

fn checked_kind<'e>(event: &'e Value<'_>) -> Result<&'e str, InputError> {
    let path = JsonPath::root().key("event");
    let Some(members) = event.as_object() else {
        return Err(InputError::new(InputClass::FieldInvalid, "expected an object", path));
    };
    let path = path.key("kind");
    match members.get("kind") {
        None => Err(InputError::new(InputClass::FieldMissing, "missing field", path)),
        Some(Value::Text(kind)) if !kind.trim().is_empty() => Ok(kind),
        Some(_) => {
            Err(InputError::new(InputClass::FieldInvalid, "expected a string that is not blank", path))
        }
    }
}
