//! How an index lies in its bytes: a header page, the entries of all steps in order, then, as places in that list, the
//! failed steps and those worth another try. Little-endian throughout.

use premath_kernel::Moment;

use super::pages::{BODY, SUM, Salt, checksum};
use crate::log::{Extent, Place};
use crate::trajectory::order::Entry;
use crate::trajectory::step::Flaw;
use crate::trajectory::tally::{LISTED, Tally};

/// Another format has another name, and is rebuilt.
const MAGIC: &[u8; 32] = b"premath trajectory index 2\n\0\0\0\0\0";
/// The header is bound to nothing but its format.
pub(super) const HEADER_SALT: Salt = *b"trajectory index";

pub(super) const ENTRY: usize = 24;
pub(super) const PLACE: usize = 4;

const FAILED: u32 = 1 << 30;
const RETRY: u32 = 1 << 31;

/// What an index covers and what it amounts to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) extent: Extent,
    pub(super) tally: Tally,
}

impl Header {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        let tally = &self.tally;
        bytes.extend_from_slice(&self.extent.digest);
        for number in [
            self.extent.rows,
            self.extent.bytes,
            tally.steps,
            tally.failed,
            tally.worth_a_retry,
            tally.flawed,
        ] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for (line, flaw) in &tally.flaws {
            bytes.extend_from_slice(&line.to_le_bytes());
            bytes.push(flaw.number());
        }
        bytes.resize(BODY, 0);
        bytes
    }

    pub(super) fn decode(body: &[u8]) -> Option<Self> {
        let mut bytes = Bytes(body);
        if bytes.take::<32>()? != *MAGIC {
            return None;
        }
        let digest = bytes.take()?;
        let extent = Extent { digest, rows: bytes.wide()?, bytes: bytes.wide()? };
        let (steps, failed, worth_a_retry, flawed) =
            (bytes.wide()?, bytes.wide()?, bytes.wide()?, bytes.wide()?);
        let listed = usize::try_from(flawed).unwrap_or(usize::MAX).min(LISTED);
        let mut flaws = Vec::with_capacity(listed);
        for _ in 0..listed {
            let line = bytes.wide()?;
            let [number] = bytes.take()?;
            flaws.push((line, Flaw::of_number(number)?));
        }
        Some(Self { extent, tally: Tally { steps, failed, worth_a_retry, flawed, flaws } })
    }

    /// What the other pages are bound to.
    pub(super) fn salt(&self) -> Salt {
        checksum(&HEADER_SALT, 0, &self.encode())
    }

    /// Where the lists are.
    pub(super) fn layout(&self) -> Layout {
        let all = Region { first_page: 1, width: ENTRY, count: self.tally.steps };
        let failed = Region { first_page: all.end(), width: PLACE, count: self.tally.failed };
        let worth_a_retry =
            Region { first_page: failed.end(), width: PLACE, count: self.tally.worth_a_retry };
        Layout { all, failed, worth_a_retry }
    }
}

/// The lists of an index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) all: Region,
    pub(super) failed: Region,
    pub(super) worth_a_retry: Region,
}

/// Items of one width on consecutive pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    pub(super) first_page: u64,
    pub(super) width: usize,
    pub(super) count: u64,
}

impl Region {
    fn per_page(self) -> u64 {
        u64::try_from(BODY / self.width).unwrap_or(1)
    }

    /// The page behind it.
    pub(super) fn end(self) -> u64 {
        self.first_page.saturating_add(self.count.div_ceil(self.per_page()))
    }

    /// The page of an item and where on it the item begins.
    pub(super) fn locate(self, at: u64) -> Option<(u64, usize)> {
        let within = usize::try_from(at % self.per_page()).ok()?;
        (at < self.count).then(|| (self.first_page + at / self.per_page(), within * self.width))
    }
}

pub(super) fn encode_entry(entry: &Entry) -> [u8; ENTRY] {
    let flags = if entry.is_failed { FAILED } else { 0 } | if entry.is_worth_a_retry { RETRY } else { 0 };
    let mut bytes = [0; ENTRY];
    let parts: [&[u8]; 4] = [
        &entry.finished_at.seconds().to_le_bytes(),
        &(entry.finished_at.nanos() | flags).to_le_bytes(),
        &entry.place.offset.to_le_bytes(),
        &entry.place.length.to_le_bytes(),
    ];
    for (byte, part) in bytes.iter_mut().zip(parts.into_iter().flatten()) {
        *byte = *part;
    }
    bytes
}

pub(super) fn decode_entry(bytes: &[u8]) -> Option<Entry> {
    let mut bytes = Bytes(bytes);
    let seconds = i64::from_le_bytes(bytes.take()?);
    let nanos = bytes.narrow()?;
    let place = Place { offset: bytes.wide()?, length: bytes.narrow()? };
    Some(Entry {
        finished_at: Moment::new(seconds, nanos & !(FAILED | RETRY))?,
        is_failed: nanos & FAILED != 0,
        is_worth_a_retry: nanos & RETRY != 0,
        place,
    })
}

/// Bytes that are taken from the front.
#[derive(Debug)]
pub(super) struct Bytes<'b>(pub(super) &'b [u8]);

impl Bytes<'_> {
    pub(super) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn narrow(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub(super) fn wide(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

const _: () = assert!(MAGIC.len() + 32 + 6 * 8 + LISTED * 9 <= BODY && SUM == 16);
