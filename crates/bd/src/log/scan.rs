//! Reading a log line by line: what it extends to, where its checkpoints are, and what hangs behind the last newline.
//!
//! Checkpoints are a function of the lines alone, so that what is built on them can be rebuilt to the same bytes. It must
//! not hold more than one line and one block in memory.

use std::io;

use crate::disk::{DiskFile, read_exactly, read_to_end};

use super::Place;
use super::head::{Extent, Head};

/// A checkpoint is due after so many lines …
const CHECKPOINT_ROWS: u64 = 512;
/// … or so many bytes since the last one.
const CHECKPOINT_BYTES: u64 = 256 * 1024;
const BLOCK: usize = 256 * 1024;

/// Whether a checkpoint belongs behind `extent`, the last one being `before`.
pub(crate) fn is_checkpoint(before: &Extent, extent: &Extent) -> bool {
    extent.rows - before.rows >= CHECKPOINT_ROWS || extent.bytes - before.bytes >= CHECKPOINT_BYTES
}

/// The lines of a file, one after another, from a place on.
#[derive(Debug)]
pub(crate) struct Lines<'f> {
    file: &'f dyn DiskFile,
    /// Bytes that were read and not yet given out, beginning at `offset`.
    buffer: Vec<u8>,
    start: usize,
    /// How far the buffer was searched for a newline.
    searched: usize,
    offset: u64,
    end: u64,
}

impl<'f> Lines<'f> {
    /// The lines between two places.
    pub(crate) fn new(file: &'f dyn DiskFile, offset: u64, end: u64) -> Self {
        Self { file, buffer: Vec::new(), start: 0, searched: 0, offset, end }
    }

    /// The next line that ends in a newline, without it; `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<(Place, &[u8])>> {
        loop {
            let unseen = self.buffer.get(self.searched..).unwrap_or_default();
            if let Some(at) = unseen.iter().position(|byte| *byte == b'\n') {
                let newline = self.searched + at;
                let length = newline - self.start;
                let place = Place { offset: self.offset, length: u32::try_from(length).unwrap_or(u32::MAX) };
                self.offset += u64::try_from(length).unwrap_or(u64::MAX) + 1;
                let begin = self.start;
                self.start = newline + 1;
                self.searched = self.start;
                return Ok(Some((place, self.buffer.get(begin..newline).unwrap_or_default())));
            }
            self.searched = self.buffer.len();
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    fn fill(&mut self) -> io::Result<bool> {
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        let held = u64::try_from(self.buffer.len()).unwrap_or(u64::MAX);
        let at = self.offset + held;
        let want = usize::try_from(self.end.saturating_sub(at)).unwrap_or(usize::MAX).min(BLOCK);
        if want == 0 {
            return Ok(false);
        }
        let held = self.buffer.len();
        self.buffer.resize(held + want, 0);
        let count = loop {
            match self.file.read_at(self.buffer.get_mut(held..).unwrap_or_default(), at) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        self.buffer.truncate(held + count);
        Ok(count > 0)
    }
}

/// The first block read from the end; the next ones are larger.
const LAST_BLOCK: usize = 16 * 1024;

/// The lines of a file before a place, the last one first.
#[derive(Debug)]
pub(crate) struct LinesBack<'f> {
    file: &'f dyn DiskFile,
    /// Bytes that were read; those before `end` were not yet given out. They begin at `offset`.
    buffer: Vec<u8>,
    end: usize,
    offset: u64,
    block: usize,
}

impl<'f> LinesBack<'f> {
    /// The lines that end at or before `before`, which is behind a newline.
    pub(crate) fn new(file: &'f dyn DiskFile, before: u64) -> Self {
        Self { file, buffer: Vec::new(), end: 0, offset: before, block: LAST_BLOCK }
    }

    /// The next line, without its newline; `None` at the start of the file.
    pub(crate) fn next(&mut self) -> io::Result<Option<(Place, &[u8])>> {
        loop {
            let body = self.end.saturating_sub(1);
            let unseen = self.buffer.get(..body).unwrap_or_default();
            let newline = unseen.iter().rposition(|byte| *byte == b'\n');
            let begin = match newline {
                Some(at) => at + 1,
                None if self.offset == 0 && self.end == 0 => return Ok(None),
                None if self.offset == 0 => 0,
                None => {
                    self.fill()?;
                    continue;
                }
            };
            self.end = begin;
            let offset = self.offset + u64::try_from(begin).unwrap_or(u64::MAX);
            let length = u32::try_from(body - begin).unwrap_or(u32::MAX);
            return Ok(Some((Place { offset, length }, self.buffer.get(begin..body).unwrap_or_default())));
        }
    }

    /// Reads one block more, which doubles: a line that is longer than all of them is not searched over and over.
    fn fill(&mut self) -> io::Result<()> {
        let block = self.block.min(usize::try_from(self.offset).unwrap_or(usize::MAX));
        self.block = self.block.saturating_mul(2).min(BLOCK.max(self.end));
        let from = self.offset - u64::try_from(block).unwrap_or_default();
        let mut buffer = vec![0; block];
        read_exactly(self.file, &mut buffer, from)?;
        buffer.extend_from_slice(self.buffer.get(..self.end).unwrap_or_default());
        self.end += block;
        self.buffer = buffer;
        self.offset = from;
        Ok(())
    }
}

/// What a whole log amounts to.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Its whole lines.
    pub(crate) extent: Extent,
    /// The checkpoints a head would remember.
    pub(crate) checkpoints: Vec<Extent>,
    /// What hangs behind the last of them.
    pub(crate) rest: Vec<u8>,
    /// The last of the extents that were looked for and passed.
    pub(crate) passed: Option<Extent>,
}

/// Reads the log from the start, watching for extents that should be passed on the way.
///
/// Behind such an extent lies what writers appended last. An append that a power loss interrupted may be there with
/// holes, which read as zeros, and with its newline; no line of ours has a zero byte, so the first that has one ends the
/// log. In front of it, or without one, lines are not judged: they were somebody's, whatever they are.
pub(crate) fn survey(file: &dyn DiskFile, length: u64, wanted: &[Extent]) -> io::Result<Survey> {
    let mut head = Head::default();
    let mut lines = Lines::new(file, 0, length);
    let mut extent = Extent::default();
    let mut passed = wanted.contains(&extent).then_some(extent);
    while let Some((_, line)) = lines.next()? {
        if passed.is_some() && line.contains(&0) {
            break;
        }
        extent = extent.and(line);
        let last = head.checkpoints.last().copied().unwrap_or_default();
        if is_checkpoint(&last, &extent) {
            head.remember(extent);
        }
        if wanted.contains(&extent) {
            passed = Some(extent);
        }
    }
    let rest = match usize::try_from(length.saturating_sub(extent.bytes)).unwrap_or(usize::MAX) {
        0 => Vec::new(),
        behind => read_to_end(file, extent.bytes, behind)?,
    };
    Ok(Survey { extent, checkpoints: head.checkpoints, rest, passed })
}
