//! Rows as streams carry them, written once for everybody, and the latest of them kept at hand.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use premath_bd::Cursor;
use premath_host::{FollowedRows, told_row};

/// How many bytes of a run are kept at hand; what is older is read from the disk.
const AT_HAND: usize = 4 << 20;

/// Some rows that follow each other.
#[derive(Debug)]
pub(crate) struct Page {
    /// The row before the first.
    pub(crate) behind: u64,
    /// The last row.
    pub(crate) last: u64,
    /// Where to go on.
    pub(crate) next: Cursor,
    frames: Bytes,
    /// Where each row begins in them, with its number.
    starts: Vec<(u64, usize)>,
}

impl Page {
    /// The rows behind another, as events of a stream.
    pub(crate) fn new(behind: u64, followed: &FollowedRows) -> Self {
        let mut frames = BytesMut::new();
        let mut starts = Vec::with_capacity(followed.rows.len());
        let mut line = Vec::new();
        for row in &followed.rows {
            starts.push((row.seq, frames.len()));
            line.clear();
            premath_kernel::encode_into(&told_row(row), &mut line);
            frames.extend_from_slice(format!("id: {}\ndata: ", row.seq).as_bytes());
            frames.extend_from_slice(&line);
            frames.extend_from_slice(b"\n\n");
        }
        let last = followed.rows.last().map_or(behind, |row| row.seq);
        Self { behind, last, next: followed.next, frames: frames.freeze(), starts }
    }

    pub(crate) fn count(&self) -> usize {
        self.starts.len()
    }

    /// Those behind a row, which share the bytes of the page.
    pub(crate) fn frames_behind(&self, seq: u64) -> Bytes {
        let place = self.starts.partition_point(|(row, _)| *row <= seq);
        let start = self.starts.get(place).map_or(self.frames.len(), |(_, start)| *start);
        self.frames.slice(start..)
    }
}

/// The latest pages of a run.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    pages: VecDeque<Arc<Page>>,
    bytes: usize,
}

impl Pages {
    pub(crate) fn push(&mut self, page: Page) {
        self.bytes += page.frames.len();
        self.pages.push_back(Arc::new(page));
        while self.bytes > AT_HAND && self.pages.len() > 1 {
            if let Some(oldest) = self.pages.pop_front() {
                self.bytes = self.bytes.saturating_sub(oldest.frames.len());
            }
        }
    }

    /// The page with the row behind this one.
    pub(crate) fn behind(&self, seq: u64) -> Option<Arc<Page>> {
        let place = self.pages.partition_point(|page| page.last <= seq);
        self.pages.get(place).filter(|page| page.behind <= seq).cloned()
    }
}

#[cfg(test)]
mod tests;
