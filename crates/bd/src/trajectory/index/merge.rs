//! Writing an index: what an older one holds, in order, with the new steps put where they belong.
//!
//! New steps are few and the old ones many: the old ones are leapt over, not compared one by one, because where they
//! tie their texts must be fetched from the log. It must not believe an old entry that its row contradicts.

use std::cmp::Ordering;
use std::io;

use super::format::{Header, encode_entry};
use super::pages::PageWriter;
use super::read::{Cursor, Index, List};
use super::runs::Merged;
use crate::disk::DiskFile;
use crate::log::LogReader;
use crate::trajectory::order::{Entry, Keyed};
use crate::trajectory::view::keyed_at;

/// Writes the pages of an index and returns its file.
pub(super) fn write(
    mut pages: PageWriter,
    header: &Header,
    reader: &LogReader,
    base: Option<&Index>,
    mut fresh: Merged,
) -> io::Result<Box<dyn DiskFile>> {
    pages.item(&header.encode())?;
    pages.end_page()?;
    pages.bind(header.salt());
    let mut listed = Listed { pages, count: 0, failed: Vec::new(), worth_a_retry: Vec::new() };
    let mut old = base.map(|index| Old::new(reader, index));
    while let Some(keyed) = fresh.next()? {
        if let Some(old) = &mut old {
            let end = old.end_before(&keyed)?;
            old.copy_to(end, &mut listed)?;
        }
        listed.entry(&keyed.entry)?;
    }
    if let Some(old) = &mut old {
        old.copy_to(old.length, &mut listed)?;
    }
    listed.finish()
}

/// The lists as they are written.
struct Listed {
    pages: PageWriter,
    count: u32,
    failed: Vec<u32>,
    worth_a_retry: Vec<u32>,
}

impl Listed {
    fn entry(&mut self, entry: &Entry) -> io::Result<()> {
        if entry.is_failed {
            self.failed.push(self.count);
        }
        if entry.is_worth_a_retry {
            self.worth_a_retry.push(self.count);
        }
        // More steps than places can be counted with are not indexed at all.
        self.count = self.count.checked_add(1).ok_or(io::ErrorKind::FileTooLarge)?;
        self.pages.item(&encode_entry(entry))
    }

    fn finish(mut self) -> io::Result<Box<dyn DiskFile>> {
        for list in [self.failed, self.worth_a_retry] {
            self.pages.end_page()?;
            for place in list {
                self.pages.item(&place.to_le_bytes())?;
            }
        }
        self.pages.finish()
    }
}

/// The steps of the older index, those before `at` copied already.
struct Old<'i> {
    reader: &'i LogReader,
    length: u64,
    at: u64,
    /// Looks ahead.
    probe: Cursor<'i>,
    /// Follows.
    copy: Cursor<'i>,
}

impl<'i> Old<'i> {
    fn new(reader: &'i LogReader, index: &'i Index) -> Self {
        Self { reader, length: index.length(List::All), at: 0, probe: index.cursor(), copy: index.cursor() }
    }

    fn copy_to(&mut self, end: u64, listed: &mut Listed) -> io::Result<()> {
        while self.at < end {
            listed.entry(&self.copy.entry(List::All, self.at).ok_or(io::ErrorKind::InvalidData)?)?;
            self.at += 1;
        }
        Ok(())
    }

    /// Where the steps that come before a new one end: leaps that double, then halves.
    fn end_before(&mut self, keyed: &Keyed) -> io::Result<u64> {
        let (mut low, mut leap) = (self.at, 1);
        let mut high = loop {
            let ahead = low.saturating_add(leap).min(self.length);
            if ahead == low || !self.is_before(ahead - 1, keyed)? {
                break ahead;
            }
            low = ahead;
            leap *= 2;
        };
        while low < high {
            let middle = low + (high - low) / 2;
            if self.is_before(middle, keyed)? {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    fn is_before(&mut self, at: u64, keyed: &Keyed) -> io::Result<bool> {
        let entry = self.probe.entry(List::All, at).ok_or(io::ErrorKind::InvalidData)?;
        match keyed.entry.finished_at.cmp(&entry.finished_at) {
            Ordering::Less => Ok(true),
            Ordering::Greater => Ok(false),
            Ordering::Equal => {
                let old = keyed_at(self.reader, &entry).ok_or(io::ErrorKind::InvalidData)?;
                Ok(old.order(keyed) == Ordering::Less)
            }
        }
    }
}
