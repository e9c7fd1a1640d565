//! Asking an index: single entries by binary search, tables in parts, or everything at once for the next index.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::io;
use std::path::{Path, PathBuf};

use premath_kernel::{Moment, Status, natural_cmp};

use super::build::{Base, Rest};
use super::format::{EDGE, ENTRY, Entry, HEAD, Head, LEASED, NUMBER, VERSION, kind_of, narrow, wide};
use super::pages::Pages;
use crate::disk::{Access, Disk};
use crate::error::StoreError;
use crate::issues::facts::{Dependency, Facts};
use crate::issues::row::LineProblem;
use crate::log::{Extent, Place};

/// Lists are read so many entries at a time.
const BATCH: u32 = 1024;

/// An index that was opened.
#[derive(Debug)]
pub(crate) struct Index {
    pages: Pages,
    head: Head,
    extent: Extent,
    path: PathBuf,
    rest: OnceCell<Rest>,
}

impl Index {
    /// The index in this file; `None` when there is none that can be believed at first sight.
    pub(crate) fn open(disk: &dyn Disk, path: &Path) -> Option<Self> {
        let pages = Pages::new(disk.open(path, Access::Read).ok()?);
        let head = pages.bytes(0, HEAD).ok()?;
        let head: Head = serde_json::from_slice(head.trim_ascii_end()).ok()?;
        let extent = head.extent()?;
        (head.version == VERSION).then(|| Self {
            pages,
            head,
            extent,
            path: path.to_owned(),
            rest: OnceCell::new(),
        })
    }

    /// What it covers.
    pub(crate) const fn extent(&self) -> Extent {
        self.extent
    }

    /// How many issues it knows.
    pub(crate) const fn issues(&self) -> u32 {
        self.head.issues
    }

    /// How many lines hide what is in them.
    pub(crate) const fn bad_lines(&self) -> u64 {
        self.head.bad_lines
    }

    fn damaged(&self, error: &io::Error) -> StoreError {
        StoreError::DerivedDamaged { path: self.path.clone(), detail: error.to_string() }
    }

    fn bytes(&self, at: u64, length: usize) -> Result<Vec<u8>, StoreError> {
        self.pages.bytes(at, length).map_err(|error| self.damaged(&error))
    }

    fn sound<T>(&self, value: Option<T>) -> Result<T, StoreError> {
        value.ok_or_else(|| self.damaged(&io::ErrorKind::InvalidData.into()))
    }

    fn look<T>(
        &self,
        at: u64,
        length: usize,
        look: impl FnOnce(&[u8]) -> Option<T>,
    ) -> Result<T, StoreError> {
        let seen = self.pages.look(at, length, look).map_err(|error| self.damaged(&error))?;
        self.sound(seen)
    }

    fn entry(&self, number: u32) -> Result<Entry, StoreError> {
        self.look(place(HEAD as u64, number, ENTRY), ENTRY, Entry::read)
    }

    fn look_id<T>(&self, entry: &Entry, look: impl FnOnce(&str) -> T) -> Result<T, StoreError> {
        let length = self.sound(usize::try_from(entry.id_length).ok())?;
        let at = self.head.ids_at + u64::from(entry.id_at);
        self.look(at, length, |bytes| std::str::from_utf8(bytes).ok().map(look))
    }

    fn id_of(&self, entry: &Entry) -> Result<String, StoreError> {
        self.look_id(entry, str::to_owned)
    }

    /// The id of an entry.
    pub(crate) fn id(&self, number: u32) -> Result<String, StoreError> {
        self.id_of(&self.entry(number)?)
    }

    /// How the id of an entry stands to another. A search asks this most of all, so it reads no more than it must.
    fn compare(&self, number: u32, id: &str) -> Result<Ordering, StoreError> {
        let at = place(HEAD as u64, number, ENTRY);
        let (id_at, length) = self.look(at, 8, |bytes| narrow(bytes, 0).zip(narrow(bytes, 4)))?;
        let length = self.sound(usize::try_from(length).ok())?;
        self.look(self.head.ids_at + u64::from(id_at), length, |known| {
            if known == id.as_bytes() {
                return Some(Ordering::Equal);
            }
            std::str::from_utf8(known).ok().map(|known| natural_cmp(known, id))
        })
    }

    /// The entry of an id, or where it would stand.
    pub(crate) fn search(&self, id: &str) -> Result<Result<u32, u32>, StoreError> {
        let (mut low, mut high) = (0, self.head.entries);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.compare(middle, id)? {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Ok(Ok(middle)),
            }
        }
        Ok(Err(low))
    }

    /// The entry of an id, also of one that is only named.
    pub(crate) fn number(&self, id: &str) -> Result<Option<u32>, StoreError> {
        Ok(self.search(id)?.ok())
    }

    /// Where an entry stands; `None` when it is only named.
    pub(crate) fn status(&self, number: u32) -> Result<Option<Status>, StoreError> {
        Ok(self.entry(number)?.status)
    }

    /// Where the row of an entry is; `None` when it is only named.
    pub(crate) fn row(&self, number: u32) -> Result<Option<Place>, StoreError> {
        let entry = self.entry(number)?;
        Ok(entry.status.map(|_| Place { offset: entry.offset, length: entry.length }))
    }

    /// What is known of an entry; `None` when it is only named.
    pub(crate) fn facts(&self, number: u32) -> Result<Option<Facts>, StoreError> {
        let entry = self.entry(number)?;
        let Some(status) = entry.status else { return Ok(None) };
        let size = self.sound(usize::try_from(entry.edges).ok())? * EDGE;
        let edges = self.bytes(place(self.head.edges_at, entry.edges_at, EDGE), size)?;
        let mut blocking = Vec::new();
        for edge in edges.chunks_exact(EDGE) {
            let (target, kind) = self.sound(narrow(edge, 0).zip(narrow(edge, 4).and_then(kind_of)))?;
            blocking.push(Dependency { depends_on: self.id(target)?, kind });
        }
        Ok(Some(Facts {
            id: self.id_of(&entry)?,
            status,
            priority: entry.priority,
            created_at: entry.created_at,
            lease_until: entry.lease_until,
            is_assigned: entry.is_assigned,
            blocking,
        }))
    }

    /// The entries with a blocking dependency on this one.
    pub(crate) fn dependents(&self, number: u32) -> Result<Vec<u32>, StoreError> {
        let entry = self.entry(number)?;
        let size = self.sound(usize::try_from(entry.dependents).ok())? * NUMBER;
        let bytes = self.bytes(place(self.head.dependents_at, entry.dependents_at, NUMBER), size)?;
        Ok(bytes.chunks_exact(NUMBER).filter_map(|item| narrow(item, 0)).collect())
    }

    /// The ready entries in their order, in batches, until the visitor has enough.
    pub(crate) fn each_ready(
        &self,
        mut visit: impl FnMut(u32) -> Result<Visit, StoreError>,
    ) -> Result<(), StoreError> {
        self.each(self.head.ready_at, self.head.ready, NUMBER, |item| {
            let number = self.sound(narrow(item, 0))?;
            visit(number)
        })
    }

    /// The entries somebody works on under a lease, with its end, in the order of the ready ones.
    pub(crate) fn each_leased(
        &self,
        mut visit: impl FnMut(u32, Moment) -> Result<Visit, StoreError>,
    ) -> Result<(), StoreError> {
        self.each(self.head.leased_at, self.head.leased, LEASED, |item| {
            let until = narrow(item, 4)
                .zip(wide(item, 8))
                .and_then(|(nanos, seconds)| Moment::new(seconds.cast_signed(), nanos));
            let (number, until) = self.sound(narrow(item, 0).zip(until))?;
            visit(number, until)
        })
    }

    fn each(
        &self,
        at: u64,
        count: u32,
        size: usize,
        mut visit: impl FnMut(&[u8]) -> Result<Visit, StoreError>,
    ) -> Result<(), StoreError> {
        let mut done = 0;
        while done < count {
            let batch = (count - done).min(BATCH);
            let length = self.sound(usize::try_from(batch).ok())? * size;
            let bytes = self.bytes(place(at, done, size), length)?;
            for item in bytes.chunks_exact(size) {
                if visit(item)? == Visit::Enough {
                    return Ok(());
                }
            }
            done += batch;
        }
        Ok(())
    }

    /// Where every issue's row is and where the issue stands, in natural order of the ids; `None` for ids that are only named.
    pub(crate) fn rows(&self) -> Result<Vec<Option<(Place, Status)>>, StoreError> {
        let mut rows = Vec::new();
        self.each(HEAD as u64, self.head.entries, ENTRY, |item| {
            let entry = self.sound(Entry::read(item))?;
            let place = Place { offset: entry.offset, length: entry.length };
            rows.push(entry.status.map(|status| (place, status)));
            Ok(Visit::More)
        })?;
        Ok(rows)
    }

    fn rest(&self) -> Result<&Rest, StoreError> {
        if let Some(rest) = self.rest.get() {
            return Ok(rest);
        }
        let length = self.sound(usize::try_from(self.head.rest_length).ok())?;
        let bytes = self.bytes(self.head.rest_at, length)?;
        let rest = self.sound(serde_json::from_slice(&bytes).ok())?;
        Ok(self.rest.get_or_init(|| rest))
    }

    /// The highest number of a prefix.
    pub(crate) fn highest_number(&self, prefix: &str) -> Result<u64, StoreError> {
        Ok(self.rest()?.numbers.get(prefix).copied().unwrap_or(0))
    }

    /// What was wrong with the lines.
    pub(crate) fn problems(&self) -> Result<Vec<LineProblem>, StoreError> {
        Ok(self.rest()?.problems())
    }

    /// Everything it says, for the next index to build on.
    pub(crate) fn base(&self) -> Result<Base, StoreError> {
        let bytes = self.pages.everything().map_err(|error| self.damaged(&error))?;
        let whole = Whole { bytes: &bytes, head: &self.head };
        let issues = self.sound(whole.issues())?;
        let rest = self.rest()?;
        Ok(Base {
            extent: self.extent,
            issues,
            numbers: rest.numbers.clone(),
            problems: rest.problems(),
            bad_lines: self.head.bad_lines,
        })
    }
}

/// Whether a visitor wants more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    More,
    Enough,
}

fn place(at: u64, number: u32, size: usize) -> u64 {
    at + u64::from(number) * u64::try_from(size).unwrap_or(u64::MAX)
}

/// All bytes of an index, without its pages.
struct Whole<'w> {
    bytes: &'w [u8],
    head: &'w Head,
}

impl Whole<'_> {
    fn part(&self, at: u64, length: usize) -> Option<&[u8]> {
        let at = usize::try_from(at).ok()?;
        self.bytes.get(at..at.checked_add(length)?)
    }

    fn entry(&self, number: u32) -> Option<Entry> {
        Entry::read(self.part(place(HEAD as u64, number, ENTRY), ENTRY)?)
    }

    fn id(&self, entry: &Entry) -> Option<&str> {
        let length = usize::try_from(entry.id_length).ok()?;
        std::str::from_utf8(self.part(self.head.ids_at + u64::from(entry.id_at), length)?).ok()
    }

    /// Natural order, as the entries are.
    fn issues(&self) -> Option<Vec<(Facts, Place)>> {
        let mut issues = Vec::new();
        for number in 0..self.head.entries {
            let entry = self.entry(number)?;
            let Some(status) = entry.status else { continue };
            let mut blocking = Vec::new();
            for at in 0..entry.edges {
                let edge = self.part(place(self.head.edges_at, entry.edges_at + at, EDGE), EDGE)?;
                let target = self.entry(narrow(edge, 0)?)?;
                let kind = kind_of(narrow(edge, 4)?)?;
                blocking.push(Dependency { depends_on: self.id(&target)?.to_owned(), kind });
            }
            let facts = Facts {
                id: self.id(&entry)?.to_owned(),
                status,
                priority: entry.priority,
                created_at: entry.created_at,
                lease_until: entry.lease_until,
                is_assigned: entry.is_assigned,
                blocking,
            };
            issues.push((facts, Place { offset: entry.offset, length: entry.length }));
        }
        Some(issues)
    }
}
