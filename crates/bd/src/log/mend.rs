//! Before the first line or head of ours, what another writer left: half a line is cut off, a line that only lacks its
//! newline gets it with the next write, and what nobody vouches for is made durable.
//!
//! It must not touch a line that the head vouches for.

use super::beside;
use super::head::Extent;
use super::reader::unterminated_line;
use super::writer::LogWriter;
use crate::disk::{Access, read_exactly, write_all_at};
use crate::error::StoreError;

const BLOCK: u64 = 256 * 1024;

/// What the next line follows.
pub(super) struct Mended {
    pub(super) lacks_newline: bool,
    /// How long the file is.
    pub(super) length: u64,
    pub(super) extent: Extent,
}

impl LogWriter {
    pub(super) fn mend(&mut self) -> Result<Mended, StoreError> {
        let whole = self.reader.extent;
        let rest = std::mem::take(&mut self.reader.rest);
        let left = whole.bytes + u64::try_from(rest.len()).unwrap_or(u64::MAX);
        let mended = match unterminated_line(&rest) {
            Some(line) => {
                let extent = whole.and(line);
                self.checkpoint(extent);
                Mended { lacks_newline: true, length: extent.bytes - 1, extent }
            }
            None => Mended { lacks_newline: false, length: whole.bytes, extent: whole },
        };
        if mended.length < left {
            let kept = usize::try_from(mended.length.saturating_sub(whole.bytes)).unwrap_or(usize::MAX);
            self.keep_aside(rest.get(kept..).unwrap_or_default())?;
            let cut = self.reader.file.set_length(mended.length);
            cut.map_err(StoreError::io("cut a torn line off", &self.log.path))?;
            self.settled = false;
        }
        // Lines that were written without a sync are made durable by the sync of the next one: between them there is
        // nothing that anybody was promised.
        if self.head.lazy.is_none() {
            self.settle(mended.length)?;
        }
        Ok(mended)
    }

    /// Keeps a copy of what is about to be cut off: it was acknowledged to nobody, but it may be somebody's.
    fn keep_aside(&self, bytes: &[u8]) -> Result<(), StoreError> {
        let bytes = bytes.trim_ascii_end();
        if bytes.iter().all(|byte| *byte == 0) {
            return Ok(());
        }
        let path = beside(&self.log.path, "torn");
        let mut file = self.log.disk.open(&path, Access::Append).map_err(StoreError::io("open", &path))?;
        let length = file.stat().map_err(StoreError::io("look at", &path))?.length;
        let mut copy = bytes.to_vec();
        copy.push(b'\n');
        write_all_at(file.as_mut(), &copy, length).map_err(StoreError::io("write", &path))
    }

    /// Makes what others left durable, up to `length`: neither the next line nor a head may be on the disk before what it
    /// stands on is.
    pub(super) fn settle(&mut self, length: u64) -> Result<(), StoreError> {
        if self.settled {
            return Ok(());
        }
        if let Some(vouched) = self.reader.vouched.take() {
            self.rewrite(vouched.bytes, length)?;
        }
        let synced = self.reader.file.sync();
        self.log.synced(&self.log.path, synced)?;
        self.settled = true;
        if let Some(whole) = self.head.lazy.take() {
            self.head.extent = whole;
        }
        Ok(())
    }

    /// Writes again what is there. A writer whose sync failed may have left lines that can be read and are not on the
    /// disk, nor ever would be: the system forgets what it could not write.
    fn rewrite(&mut self, from: u64, to: u64) -> Result<(), StoreError> {
        let path = &self.log.path;
        let mut file = self.log.disk.open(path, Access::Update).map_err(StoreError::opening(path))?;
        let mut at = from;
        while at < to {
            let mut block = vec![0; usize::try_from((to - at).min(BLOCK)).unwrap_or_default()];
            read_exactly(file.as_ref(), &mut block, at).map_err(StoreError::io("read", path))?;
            write_all_at(file.as_mut(), &block, at).map_err(StoreError::io("write", path))?;
            at += BLOCK;
        }
        Ok(())
    }
}
