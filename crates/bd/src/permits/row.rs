//! Rows of a permit ledger, written and read. A line that is no row, or a log that others changed, is damage: who cannot tell
//! what was spent spends nothing.

use std::path::Path;

use premath_kernel::{Moment, Object, Value};
use premath_wire::strict::{Limits, parse};
use premath_wire::time::{format_time, parse_time};
use premath_wire::v1::PermitRow;
use premath_wire::{UnknownFields, decode};

use crate::error::StoreError;
use crate::log::{LogReader, Standing};
use crate::verify::{ChainWatch, Form, Link};

/// A witness was accepted.
const ISSUED: &str = "issued";
/// A later one was not.
const REJECTED: &str = "rejected";

/// A witness of the instruction: what permits under its instruction stand on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issued {
    /// The digest of the envelope.
    pub instruction_digest: String,
    /// The digest of the witness as it was written.
    pub witness_digest: String,
    /// The policy it was decided under.
    pub policy_digest: String,
    /// From then on it permits nothing.
    pub expires_at: Moment,
    /// Who asked for it.
    pub actor: String,
    /// Whether it was accepted. One that was accepted before and is rejected now permits nothing.
    pub is_accepted: bool,
}

impl Issued {
    pub(super) fn row(&self, kind: &'static str, instruction: &str, at: &str) -> Value<'static> {
        Object::fields()
            .field("schema", 1_u32)
            .field("kind", kind)
            .field("event", if self.is_accepted { ISSUED } else { REJECTED })
            .field("at", at.to_owned())
            .field("instructionId", instruction.to_owned())
            .field("instructionDigest", self.instruction_digest.clone())
            .field("witnessDigest", self.witness_digest.clone())
            .field("policyDigest", self.policy_digest.clone())
            .field("expiresAt", format_time(self.expires_at))
            .field("actor", self.actor.clone())
            .finish()
    }
}

/// One row.
#[derive(Debug)]
pub(super) struct Entry {
    row: PermitRow,
    issued: Option<Issued>,
}

impl Entry {
    pub(super) const fn as_issued(&self) -> Option<&Issued> {
        self.issued.as_ref()
    }

    pub(super) fn issued(self) -> Option<Issued> {
        self.issued
    }

    pub(super) fn into_row(self) -> PermitRow {
        self.row
    }

    pub(super) fn is_permit(&self, permit_id: &str) -> bool {
        self.row.permit_id.as_deref() == Some(permit_id)
    }

    pub(super) fn at(&self) -> &str {
        &self.row.at
    }
}

/// Every row of a ledger that this clone wrote: what permits are spent from.
pub(super) fn trusted_entries(reader: &LogReader, path: &Path) -> Result<Vec<Entry>, StoreError> {
    reader.authenticity()?.require(reader.log())?;
    entries(reader, path)
}

/// Every row of a ledger, to look at.
pub(super) fn entries(reader: &LogReader, path: &Path) -> Result<Vec<Entry>, StoreError> {
    let standing = reader.standing();
    // The head of a ledger is durable before anybody is told that it was begun: one that is gone was taken away.
    if standing.is_tampered() || (standing == Standing::Unanchored && reader.extent().bytes > 0) {
        return Err(StoreError::corrupt(path, "it is not what its head says: somebody changed it"));
    }
    let (mut entries, mut watch) = (Vec::new(), ChainWatch::default());
    reader.each_line::<StoreError>(0, |_, line| {
        let text = Form::of(line).text;
        if text.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        let damaged = || StoreError::corrupt(path, "a line is not the row that was written");
        let value = parse(text, Limits::default()).map_err(|_| damaged())?;
        let is_chained =
            value.as_object().is_some_and(|row| watch.row(row).is_empty() && Link::of(row).is_some());
        entries.push(read(&value).filter(|_| is_chained).ok_or_else(damaged)?);
        Ok(())
    })?;
    Ok(entries)
}

fn read(value: &Value<'_>) -> Option<Entry> {
    let row: PermitRow = decode(value, UnknownFields::Ignore).ok()?;
    let issued = [ISSUED, REJECTED].contains(&row.event.as_str()).then(|| issued(&row));
    match issued {
        Some(None) => None,
        Some(issued) => Some(Entry { row, issued }),
        None => Some(Entry { row, issued: None }),
    }
}

fn issued(row: &PermitRow) -> Option<Issued> {
    Some(Issued {
        instruction_digest: row.instruction_digest.clone()?,
        witness_digest: row.witness_digest.clone()?,
        policy_digest: row.policy_digest.clone()?,
        expires_at: parse_time(row.expires_at.as_deref()?)?,
        actor: row.actor.clone()?,
        is_accepted: row.event == ISSUED,
    })
}
