//! What was made of a list: per form the bytes of all items in one buffer that grows, where each item ends in it, and
//! where a mark may be put. It must not hold half an item.

use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::io;
use std::sync::{Arc, MutexGuard};

/// The forms of one list.
#[derive(Debug)]
pub(super) struct Forms {
    /// How far any of those who share the list has grown.
    length: usize,
    by_name: BTreeMap<&'static str, Form>,
}

/// A list in one form.
#[derive(Debug, Default)]
struct Form {
    bytes: Vec<u8>,
    /// Ascending places in the bytes.
    marks: Vec<usize>,
    /// One per item that is written.
    ends: Vec<End>,
}

/// Where an item ends: how many bytes and marks there are up to then.
#[derive(Debug, Clone, Copy, Default)]
struct End {
    bytes: usize,
    marks: usize,
}

impl Forms {
    pub(super) const fn of_length(length: usize) -> Self {
        Self { length, by_name: BTreeMap::new() }
    }

    /// Whether a list of this length may grow by one: it may if nobody who shares it has.
    pub(super) const fn grows_from(&mut self, length: usize) -> bool {
        let is_longest = self.length == length;
        if is_longest {
            self.length += 1;
        }
        is_longest
    }

    /// Gives up what was made of the items from `length` on.
    pub(super) fn forget_from(&mut self, length: usize) {
        self.length = length;
        for form in self.by_name.values_mut() {
            form.ends.truncate(length);
            let end = form.ends.last().copied().unwrap_or_default();
            form.bytes.truncate(end.bytes);
            form.marks.truncate(end.marks);
        }
    }

    /// A copy of what was made of the items from `start` to `end`.
    pub(super) fn between(&self, start: usize, end: usize) -> Self {
        let forms = self.by_name.iter().filter_map(|(name, form)| Some((*name, form.between(start, end)?)));
        Self { length: end.saturating_sub(start), by_name: forms.collect() }
    }

    /// Writes the items that are not written in this form yet.
    pub(super) fn complete<T, E>(
        &mut self,
        name: &'static str,
        items: &[Arc<T>],
        mut encode: impl FnMut(&T, &mut Piece) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut piece = Piece::default();
        let form = self.by_name.entry(name).or_default();
        for item in items.iter().skip(form.ends.len()) {
            piece.bytes.clear();
            piece.marks.clear();
            encode(item, &mut piece)?;
            form.append(&piece);
        }
        Ok(())
    }
}

impl Form {
    fn append(&mut self, piece: &Piece) {
        let before = self.bytes.len();
        self.bytes.extend_from_slice(&piece.bytes);
        self.marks.extend(piece.marks.iter().map(|place| before + place));
        self.ends.push(End { bytes: self.bytes.len(), marks: self.marks.len() });
    }

    /// Where the items before `index` end.
    fn end_before(&self, index: usize) -> Option<End> {
        index.checked_sub(1).map_or_else(|| Some(End::default()), |last| self.ends.get(last).copied())
    }

    fn slice(&self, from: End, to: End) -> (&[u8], &[usize]) {
        let bytes = self.bytes.get(from.bytes..to.bytes).unwrap_or_default();
        (bytes, self.marks.get(from.marks..to.marks).unwrap_or_default())
    }

    /// Nothing where it has not come as far as `start`.
    fn between(&self, start: usize, end: usize) -> Option<Self> {
        let ends = self.ends.get(start..end.min(self.ends.len()))?;
        let from = self.end_before(start)?;
        let to = ends.last().copied().unwrap_or(from);
        let (bytes, marks) = self.slice(from, to);
        let moved = |end: &End| End { bytes: end.bytes - from.bytes, marks: end.marks - from.marks };
        Some(Self {
            bytes: bytes.to_vec(),
            marks: marks.iter().map(|place| place - from.bytes).collect(),
            ends: ends.iter().map(moved).collect(),
        })
    }
}

/// What one item becomes. It can only be written to, so that no item can disturb another.
#[derive(Debug, Default)]
pub struct Piece {
    bytes: Vec<u8>,
    marks: Vec<usize>,
}

impl Piece {
    /// Writes something as it is.
    pub fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Says that a mark may be put before the last byte that was written, inside the brace that closes a block.
    pub fn may_mark_before_last(&mut self) {
        self.marks.push(self.bytes.len().saturating_sub(1));
    }
}

impl io::Write for Piece {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A list as one form writes it.
pub struct Encoded<'a> {
    forms: MutexGuard<'a, Forms>,
    name: &'static str,
    from: usize,
    to: usize,
}

impl<'a> Encoded<'a> {
    pub(super) const fn new(
        forms: MutexGuard<'a, Forms>,
        name: &'static str,
        from: usize,
        to: usize,
    ) -> Self {
        Self { forms, name, from, to }
    }

    /// The bytes, and the places in the whole buffer where they may be marked, and where in it they begin.
    fn slice(&self) -> Option<(&[u8], &[usize], usize)> {
        let form = self.forms.by_name.get(self.name)?;
        let from = form.end_before(self.from)?;
        let (bytes, marks) = form.slice(from, form.end_before(self.to)?);
        Some((bytes, marks, from.bytes))
    }

    /// The bytes of all items.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.slice().map_or(&[], |(bytes, ..)| bytes)
    }

    /// In how many places a mark may be put.
    #[must_use]
    pub fn mark_count(&self) -> usize {
        self.slice().map_or(0, |(_, marks, _)| marks.len())
    }

    /// The bytes, cut at every place where a mark may be put: one piece more than there are marks.
    pub fn between_marks(&self) -> impl Iterator<Item = &[u8]> {
        let (mut rest, marks, mut written) = self.slice().unwrap_or_default();
        let mut marks = marks.iter();
        let mut is_over = false;
        std::iter::from_fn(move || {
            if is_over {
                return None;
            }
            let Some(place) = marks.next() else {
                is_over = true;
                return Some(rest);
            };
            let (piece, after) = rest.split_at_checked(place - written)?;
            (rest, written) = (after, *place);
            Some(piece)
        })
    }
}

impl Debug for Encoded<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes().len();
        formatter
            .debug_struct("Encoded")
            .field("form", &self.name)
            .field("bytes", &bytes)
            .finish_non_exhaustive()
    }
}
