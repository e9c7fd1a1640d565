//! Writing a journal: one row at a time, or several with one sync.

use std::path::Path;

use premath_kernel::{Moment, Value};

use super::row::{JournalEvent, JournalRow};
use crate::disk::Disk;
use crate::error::StoreError;
use crate::log::{Log, LogWriter, folder_of};
use crate::verify::Link;

/// A row that is on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// Its number, counted from one.
    pub seq: u64,
    /// Its digest.
    pub row_digest: String,
}

/// A journal whose lock we hold.
#[derive(Debug)]
pub struct JournalWriter {
    writer: LogWriter,
    last: Option<Link>,
}

impl JournalWriter {
    pub(super) fn open(log: &Log) -> Result<Self, StoreError> {
        let folder = folder_of(log.path());
        let writer = match log.write() {
            Err(StoreError::Missing { .. }) => {
                log.disk().create_folder(folder).map_err(StoreError::io("make", folder))?;
                log.write()?
            }
            opened => opened?,
        };
        if writer.reader().extent().bytes == 0 {
            // Whoever made the folders may have been stopped before their names were durable.
            sync_names(log.disk().as_ref(), folder)?;
        }
        let last = Link::last(writer.reader())?;
        Ok(Self { writer, last })
    }

    /// Appends one event, durably.
    ///
    /// # Errors
    /// `Input` when the event is not an object with a `kind`; `Io`; `Poisoned` after a failure.
    pub fn append(&mut self, event: &Value<'_>, at: Moment) -> Result<Appended, StoreError> {
        let (line, link) = JournalRow::write(self.log(), &JournalEvent::of(event)?, at, self.last.as_ref())?;
        self.writer.append(&line)?;
        Ok(appended(self.last.insert(link)))
    }

    /// Appends several events with one write and one sync. When it fails none of them was acknowledged.
    ///
    /// # Errors
    /// `Input` when one of them is not an object with a `kind`: nothing was written; `Io`; `Poisoned` after a failure.
    pub fn append_many(&mut self, events: &[Value<'_>], at: Moment) -> Result<Vec<Appended>, StoreError> {
        let events: Vec<JournalEvent> = events.iter().map(JournalEvent::of).collect::<Result<_, _>>()?;
        self.append_events(&events, at)
    }

    /// The same for events in the form a journal keeps.
    ///
    /// # Errors
    /// `Input` when no number is left to count them with; `Io`; `Poisoned` after a failure.
    pub fn append_events(
        &mut self,
        events: &[JournalEvent],
        at: Moment,
    ) -> Result<Vec<Appended>, StoreError> {
        let mut last = self.last.clone();
        let mut lines = Vec::with_capacity(events.len());
        let mut answers = Vec::with_capacity(events.len());
        for event in events {
            let (line, link) = JournalRow::write(self.log(), event, at, last.as_ref())?;
            lines.push(line);
            answers.push(appended(last.insert(link)));
        }
        let borrowed: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        self.writer.append_all(&borrowed)?;
        self.last = last;
        Ok(answers)
    }

    fn log(&self) -> &Log {
        self.writer.reader().log()
    }

    /// Makes the head durable: at a stop, and with a witness.
    ///
    /// # Errors
    /// `Io`.
    pub fn sync_head(&mut self) -> Result<(), StoreError> {
        self.writer.sync_head()
    }
}

fn appended(link: &Link) -> Appended {
    Appended { seq: link.seq, row_digest: link.digest.clone() }
}

/// Makes the names of `runs/<session>` durable: each stands in the folder above it.
fn sync_names(disk: &dyn Disk, folder: &Path) -> Result<(), StoreError> {
    let runs = folder_of(folder);
    for parent in [runs, folder_of(runs)] {
        disk.sync_folder(parent).map_err(StoreError::io("sync", parent))?;
    }
    Ok(())
}
