//! How the index lies in its bytes: a head, then tables of fixed-size entries, then texts. Little-endian throughout.

use premath_kernel::{DependencyKind, Moment, Status};
use serde::{Deserialize, Serialize};

use crate::log::Extent;

/// Another number is another format: such an index is rebuilt.
pub(super) const VERSION: u32 = 2;
/// The head takes this much, so that it never moves the tables.
pub(super) const HEAD: usize = 1024;
pub(super) const ENTRY: usize = 64;
pub(super) const EDGE: usize = 8;
pub(super) const LEASED: usize = 16;
pub(super) const NUMBER: usize = 4;

/// What the head says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) version: u32,
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) digest: String,
    /// Entries, those for ids that are only named included.
    pub(super) entries: u32,
    /// Issues among them.
    pub(super) issues: u32,
    pub(super) ready: u32,
    pub(super) leased: u32,
    pub(super) bad_lines: u64,
    /// Where each table begins.
    pub(super) edges_at: u64,
    pub(super) dependents_at: u64,
    pub(super) ready_at: u64,
    pub(super) leased_at: u64,
    pub(super) ids_at: u64,
    pub(super) rest_at: u64,
    pub(super) rest_length: u64,
}

impl Head {
    /// What the index covers.
    pub(super) fn extent(&self) -> Option<Extent> {
        let digest = crate::log::from_hex(&self.digest)?;
        Some(Extent { rows: self.rows, bytes: self.bytes, digest })
    }
}

/// One issue, or an id that is only named by others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id_at: u32,
    pub(super) id_length: u32,
    pub(super) offset: u64,
    pub(super) length: u32,
    pub(super) status: Option<Status>,
    pub(super) priority: u8,
    pub(super) created_at: Option<Moment>,
    pub(super) lease_until: Option<Moment>,
    pub(super) is_assigned: bool,
    pub(super) edges_at: u32,
    pub(super) edges: u32,
    pub(super) dependents_at: u32,
    pub(super) dependents: u32,
}

const HAS_CREATED: u8 = 1;
const HAS_LEASE: u8 = 2;
const IS_ASSIGNED: u8 = 4;

impl Entry {
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let created = self.created_at.unwrap_or(Moment::EPOCH);
        let lease = self.lease_until.unwrap_or(Moment::EPOCH);
        let flags = if self.created_at.is_some() { HAS_CREATED } else { 0 }
            | if self.lease_until.is_some() { HAS_LEASE } else { 0 }
            | if self.is_assigned { IS_ASSIGNED } else { 0 };
        bytes.extend_from_slice(&self.id_at.to_le_bytes());
        bytes.extend_from_slice(&self.id_length.to_le_bytes());
        bytes.extend_from_slice(&self.offset.to_le_bytes());
        bytes.extend_from_slice(&self.length.to_le_bytes());
        bytes.extend_from_slice(&[status_number(self.status), self.priority, flags, 0]);
        bytes.extend_from_slice(&created.seconds().to_le_bytes());
        bytes.extend_from_slice(&created.nanos().to_le_bytes());
        bytes.extend_from_slice(&lease.nanos().to_le_bytes());
        bytes.extend_from_slice(&lease.seconds().to_le_bytes());
        for number in [self.edges_at, self.edges, self.dependents_at, self.dependents] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let flags = *bytes.get(22)?;
        let created = Moment::new(wide(bytes, 24)?.cast_signed(), narrow(bytes, 32)?)?;
        let lease = Moment::new(wide(bytes, 40)?.cast_signed(), narrow(bytes, 36)?)?;
        Some(Self {
            id_at: narrow(bytes, 0)?,
            id_length: narrow(bytes, 4)?,
            offset: wide(bytes, 8)?,
            length: narrow(bytes, 16)?,
            status: status_of(*bytes.get(20)?)?,
            priority: *bytes.get(21)?,
            created_at: (flags & HAS_CREATED != 0).then_some(created),
            lease_until: (flags & HAS_LEASE != 0).then_some(lease),
            is_assigned: flags & IS_ASSIGNED != 0,
            edges_at: narrow(bytes, 48)?,
            edges: narrow(bytes, 52)?,
            dependents_at: narrow(bytes, 56)?,
            dependents: narrow(bytes, 60)?,
        })
    }
}

/// Four bytes as a number.
pub(super) fn narrow(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes)
}

/// Eight bytes as a number.
pub(super) fn wide(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}

const STATUSES: [Option<Status>; 7] = [
    None,
    Some(Status::Open),
    Some(Status::InProgress),
    Some(Status::Blocked),
    Some(Status::Closed),
    Some(Status::Other),
    Some(Status::Deleted),
];

fn status_number(status: Option<Status>) -> u8 {
    let at = STATUSES.iter().position(|known| *known == status);
    at.and_then(|at| u8::try_from(at).ok()).unwrap_or_default()
}

fn status_of(number: u8) -> Option<Option<Status>> {
    STATUSES.get(usize::from(number)).copied()
}

/// The four kinds that block; the index holds no others.
const KINDS: [DependencyKind; 4] = [
    DependencyKind::Blocks,
    DependencyKind::ParentChild,
    DependencyKind::ConditionalBlocks,
    DependencyKind::WaitsFor,
];

pub(super) fn kind_number(kind: DependencyKind) -> u32 {
    let at = KINDS.iter().position(|known| *known == kind);
    at.and_then(|at| u32::try_from(at).ok()).unwrap_or(u32::MAX)
}

pub(super) fn kind_of(number: u32) -> Option<DependencyKind> {
    KINDS.get(usize::try_from(number).ok()?).copied()
}
