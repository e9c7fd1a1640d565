//! What differs between two commits, path by path. The digest is over trees and paths: a branch that moves to the same tree
//! is the same change.

use std::collections::BTreeSet;

use premath_kernel::{Digest, Object, hex};
use premath_wire::v1::{DeltaEntry, DeltaStatus, REQUIRED_DELTA_KIND, RangeEnd, RequiredDelta};

use super::git::Git;
use super::stop::{RequiredClass, Stop};
use crate::artifacts::canonical_value;
use crate::table::{ActionError, Host};

/// So many paths are looked at.
const MOST_PATHS: usize = 200_000;

/// Two commits, as somebody names them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range<'r> {
    pub(crate) from: &'r str,
    pub(crate) to: &'r str,
}

/// Asks git what differs between two commits.
pub(crate) fn delta(host: &Host<'_>, range: Range<'_>) -> Result<RequiredDelta, Stop> {
    let git = Git::new(host);
    let (from, to) = (git.commit(range.from, "from")?, git.commit(range.to, "to")?);
    let entries = entries(&git.changed(&from.tree, &to.tree)?)?;
    described(from, to, entries)
}

fn described(from: RangeEnd, to: RangeEnd, mut entries: Vec<DeltaEntry>) -> Result<RequiredDelta, Stop> {
    entries
        .sort_by(|left, right| (&left.path, &left.previous_path).cmp(&(&right.path, &right.previous_path)));
    let named = entries.iter().flat_map(|entry| [Some(&entry.path), entry.previous_path.as_ref()]);
    let changed_paths: BTreeSet<String> = named.flatten().cloned().collect();
    let hashed = Object::fields()
        .field("entries", canonical_value(&entries)?)
        .field("fromTree", from.tree.as_str())
        .field("toTree", to.tree.as_str())
        .finish();
    let delta_digest = Digest::of(&hashed).as_str().to_owned();
    Ok(RequiredDelta {
        schema: 1,
        delta_kind: REQUIRED_DELTA_KIND.to_owned(),
        from,
        to,
        entries,
        changed_paths: changed_paths.into_iter().collect(),
        delta_digest,
    })
}

/// Reads `status, path` and `status, old path, new path`, each ending with a zero byte.
fn entries(bytes: &[u8]) -> Result<Vec<DeltaEntry>, Stop> {
    let Some(fields) = bytes.strip_suffix(&[0]) else {
        return if bytes.is_empty() { Ok(Vec::new()) } else { Err(unreadable()) };
    };
    let mut fields = fields.split(|byte| *byte == 0);
    let mut entries = Vec::new();
    while let Some(status) = fields.next() {
        if entries.len() >= MOST_PATHS {
            let detail = format!("more than {MOST_PATHS} paths differ");
            return Err(RequiredClass::DeltaTooLarge.refuse(detail, "check a shorter range"));
        }
        let status = match status.first() {
            Some(b'A') => DeltaStatus::Added,
            Some(b'M') => DeltaStatus::Modified,
            Some(b'D') => DeltaStatus::Deleted,
            Some(b'R') => DeltaStatus::Renamed,
            Some(b'C') => DeltaStatus::Copied,
            Some(b'T') => DeltaStatus::TypeChanged,
            Some(_) | None => return Err(unreadable()),
        };
        let first = fields.next().map(path).ok_or_else(unreadable)?;
        let has_two = matches!(status, DeltaStatus::Renamed | DeltaStatus::Copied);
        entries.push(if has_two {
            let new = fields.next().map(path).ok_or_else(unreadable)?;
            DeltaEntry { status, path: new, previous_path: Some(first) }
        } else {
            DeltaEntry { status, path: first, previous_path: None }
        });
    }
    Ok(entries)
}

/// A path as documents hold it. No pattern but one for everything knows a path that is no text.
fn path(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| format!("bytes:{}", hex(bytes)), str::to_owned)
}

fn unreadable() -> Stop {
    Stop::Failed(ActionError::Unavailable {
        what: "git printed something else than changed paths".to_owned(),
        hint: "`git --version` should be 2.30 or newer".to_owned(),
    })
}

#[cfg(test)]
mod tests;
