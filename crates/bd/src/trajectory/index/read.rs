//! Reading an index: its header, and the items of its lists by their place.
//!
//! What cannot be read or fails its checksum is `None`, and then nothing of the index is believed. It must not write.

use std::path::Path;

use super::format::{HEADER_SALT, Header, Layout, Region, decode_entry};
use super::pages::{PAGE, Salt, read_page};
use crate::disk::{Access, Disk, DiskFile};
use crate::log::Extent;
use crate::trajectory::order::Entry;
use crate::trajectory::tally::Tally;

/// An index whose header can be believed to be one; whether it is of this log is for the log to say.
#[derive(Debug)]
pub(in crate::trajectory) struct Index {
    file: Box<dyn DiskFile>,
    header: Header,
    salt: Salt,
    layout: Layout,
}

/// Which list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::trajectory) enum List {
    All,
    Failed,
    WorthARetry,
}

impl Index {
    /// The index in a file, if one is there.
    pub(in crate::trajectory) fn open(disk: &dyn Disk, path: &Path) -> Option<Self> {
        let file = disk.open(path, Access::Read).ok()?;
        let header = Header::decode(&read_page(file.as_ref(), &HEADER_SALT, 0)?)?;
        Self::new(file, header)
    }

    pub(super) fn new(file: Box<dyn DiskFile>, header: Header) -> Option<Self> {
        let (salt, layout) = (header.salt(), header.layout());
        let length = layout.worth_a_retry.end().checked_mul(u64::try_from(PAGE).ok()?)?;
        (file.stat().ok()?.length == length).then_some(Self { file, header, salt, layout })
    }

    /// The lines it covers.
    pub(in crate::trajectory) fn extent(&self) -> Extent {
        self.header.extent
    }

    /// What they amount to.
    pub(in crate::trajectory) fn tally(&self) -> &Tally {
        &self.header.tally
    }

    /// How long a list is.
    pub(in crate::trajectory) fn length(&self, list: List) -> u64 {
        self.region(list).count
    }

    fn region(&self, list: List) -> Region {
        match list {
            List::All => self.layout.all,
            List::Failed => self.layout.failed,
            List::WorthARetry => self.layout.worth_a_retry,
        }
    }

    /// Reads items, keeping the pages it was on last.
    pub(in crate::trajectory) fn cursor(&self) -> Cursor<'_> {
        Cursor { index: self, entries: None, places: None }
    }
}

/// A page and its number.
type Held = Option<(u64, Vec<u8>)>;

/// A reader of items.
#[derive(Debug)]
pub(in crate::trajectory) struct Cursor<'i> {
    index: &'i Index,
    entries: Held,
    places: Held,
}

impl Cursor<'_> {
    /// The entry at a place of a list.
    pub(in crate::trajectory) fn entry(&mut self, list: List, at: u64) -> Option<Entry> {
        let at = match list {
            List::All => at,
            List::Failed | List::WorthARetry => {
                let place = item(self.index, &mut self.places, self.index.region(list), at)?;
                u64::from(u32::from_le_bytes(place.try_into().ok()?))
            }
        };
        decode_entry(item(self.index, &mut self.entries, self.index.layout.all, at)?)
    }

    /// The first place of the list of all steps whose entry does not fulfil a condition that its beginning fulfils.
    pub(in crate::trajectory) fn partition(&mut self, mut holds: impl FnMut(&Entry) -> bool) -> Option<u64> {
        let (mut low, mut high) = (0, self.index.length(List::All));
        while low < high {
            let middle = low + (high - low) / 2;
            if holds(&self.entry(List::All, middle)?) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Some(low)
    }
}

fn item<'h>(index: &Index, held: &'h mut Held, region: Region, at: u64) -> Option<&'h [u8]> {
    let (number, within) = region.locate(at)?;
    if held.as_ref().is_none_or(|(page, _)| *page != number) {
        *held = Some((number, read_page(index.file.as_ref(), &index.salt, number)?));
    }
    held.as_ref().and_then(|(_, body)| body.get(within..within + region.width))
}
