//! The MAC in the `write_witness` of an issue's row: that this clone wrote the row, and behind which lines.
//!
//! It stands beside the seal and is not part of it: the same change has the same seal in every clone. Where the row stood
//! when it was written is part of the MAC, so that an older row cannot be appended again. It must not be asked for of rows
//! that a head vouches for: those move when issue memory is compacted.

use std::borrow::Cow;

use premath_kernel::{Object, Value};

use super::row::IssueRow;
use crate::clone_auth::{LogAuth, MacPurpose};
use crate::log::{Extent, Log, LogReader};

/// The member of `write_witness`.
pub(super) const MAC: &str = "mac";
const WITNESS: &str = "write_witness";

/// A line with the MAC of this clone, about to be appended to a log; as it is without a key or a seal.
pub(super) fn sign_line(reader: &LogReader, line: Vec<u8>) -> Vec<u8> {
    let before = match reader.unterminated_line() {
        Some(unterminated) => reader.extent().and(unterminated),
        None => reader.extent(),
    };
    sign_line_behind(reader.log(), before, line)
}

/// The same for a line that comes behind an extent.
pub(super) fn sign_line_behind(log: &Log, before: Extent, line: Vec<u8>) -> Vec<u8> {
    let signed = || {
        let auth = log.auth.as_ref()?;
        let row = IssueRow::read(&line)?;
        let witness = row.object().get(WITNESS)?.as_object()?;
        let seal = witness.get("digest")?.as_text()?;
        let mac = auth.sign(MacPurpose::IssueRow, &[&before.digest_hex(), seal])?;
        let mut members: Vec<(Cow<'static, str>, Value<'static>)> = witness
            .iter()
            .filter(|(name, _)| *name != MAC)
            .map(|(name, value)| (Cow::Owned(name.to_owned()), value.clone().into_owned()))
            .collect();
        members.push((Cow::Borrowed(MAC), Value::from(mac)));
        let witness = Object::from_members(members).ok()?;
        Some(row.with(WITNESS, Some(Value::Object(witness))).line())
    };
    signed().unwrap_or(line)
}

/// Whether this clone wrote a row behind an extent, and nobody changed it.
pub(crate) fn is_authentic_row(auth: &LogAuth, before: &Extent, line: &[u8]) -> bool {
    let Some(row) = IssueRow::read(line) else { return false };
    let witness = row.object().get(WITNESS).and_then(Value::as_object);
    let text = |name: &str| witness.and_then(|witness| witness.get(name)).and_then(Value::as_text);
    let (Some(seal), Some(mac)) = (text("digest"), text(MAC)) else { return false };
    row.seal_holds() == Some(true) && auth.verifies(MacPurpose::IssueRow, &[&before.digest_hex(), seal], mac)
}
