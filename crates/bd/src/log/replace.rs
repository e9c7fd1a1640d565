//! Replacing a log as a whole: a new file beside it, synced, that takes its name.
//!
//! The head is told first what is coming, durably: whoever finds the new log before its head was written knows it. It must
//! not leave the log half old and half new, and must not go on after a failure.

use super::head::{Base, Extent};
use super::reader::LogReader;
use super::writer::LogWriter;
use super::{Log, Place};
use crate::disk::{Access, DiskFile, write_all_at};
use crate::error::StoreError;

/// Replacing writes blocks of about this size.
const BLOCK: usize = 256 * 1024;

impl LogWriter {
    /// Replaces the whole log at once: `write` hands over the new lines in order.
    ///
    /// # Errors
    /// `Io`: the log is either as it was or replaced as a whole. `Poisoned` after a failure. What `write` says.
    pub fn replace<E: From<StoreError>>(
        &mut self,
        write: impl FnOnce(&LogReader, &mut Replacement) -> Result<(), E>,
    ) -> Result<(), E> {
        self.usable()?;
        let log = self.log.clone();
        let temporary = &log.temporary_path;
        let extent = self.prepare(write).inspect_err(|_| {
            // What it takes up may be the room that the next append lacks; the next replacement begins anew anyway.
            drop(log.disk.remove(temporary));
        })?;
        self.failed = true;
        self.head.next = Some(extent);
        self.seal_head()?;
        log.disk.rename(temporary, &log.path).map_err(StoreError::io("replace", &log.path))?;
        log.sync_names()?;
        self.adopt()?;
        self.failed = false;
        Ok(())
    }

    /// Writes the new log beside the old one, durably.
    fn prepare<E: From<StoreError>>(
        &self,
        write: impl FnOnce(&LogReader, &mut Replacement) -> Result<(), E>,
    ) -> Result<Extent, E> {
        let log = self.log.clone();
        let temporary = &self.log.temporary_path;
        let file = log.disk.open(temporary, Access::Replace).map_err(StoreError::io("write", temporary))?;
        let mut replacement =
            Replacement { file, pending: Vec::new(), written: 0, extent: Extent::default(), log };
        write(&self.reader, &mut replacement)?;
        replacement.flush()?;
        self.log.synced(temporary, replacement.file.sync())?;
        Ok(replacement.extent)
    }

    /// Opens the log that took the place of the old one.
    fn adopt(&mut self) -> Result<(), StoreError> {
        let log = self.log.clone();
        let file = log.disk.open(&log.path, Access::Append).map_err(StoreError::opening(&log.path))?;
        let stat = file.stat().map_err(StoreError::io("look at", &log.path))?;
        self.reader = LogReader::new(log.clone(), file, &stat, Some(self.head.clone()))?;
        self.head.extent = self.reader.extent;
        // The lines stand elsewhere now: from here on the head vouches for them as a whole.
        let version = self.head.base.take().and_then(|base| base.version);
        self.head.base = Some(Base { extent: self.reader.extent, version });
        self.head.checkpoints.clone_from(&self.reader.checkpoints);
        self.head.file = Some(stat);
        self.head.next = None;
        let path = log.head_path;
        self.write_head(false).map(drop).map_err(StoreError::io("write", &path))
    }
}

/// A log that is being written to take the place of another.
#[derive(Debug)]
pub struct Replacement {
    file: Box<dyn DiskFile>,
    pending: Vec<u8>,
    written: u64,
    extent: Extent,
    log: Log,
}

impl Replacement {
    /// Adds a line.
    ///
    /// # Errors
    /// `Io`.
    pub fn line(&mut self, line: &[u8]) -> Result<Place, StoreError> {
        let place =
            Place { offset: self.extent.bytes, length: u32::try_from(line.len()).unwrap_or(u32::MAX) };
        self.extent = self.extent.and(line);
        self.pending.extend_from_slice(line);
        self.pending.push(b'\n');
        if self.pending.len() >= BLOCK {
            self.flush()?;
        }
        Ok(place)
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        let path = &self.log.temporary_path;
        write_all_at(self.file.as_mut(), &self.pending, self.written)
            .map_err(StoreError::io("write", path))?;
        self.written += u64::try_from(self.pending.len()).unwrap_or(u64::MAX);
        self.pending.clear();
        Ok(())
    }
}
