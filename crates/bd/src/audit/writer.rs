//! Writing the audit log: rows are checked, cleaned of secrets, sealed into the chain, and written at once.

use std::collections::BTreeSet;

use premath_wire::v1::AuditRow;

use super::receipts::AuditReceipts;
use super::recent::{Lookback, written};
use super::redact::{Redactor, redacted};
use super::row::{check, value};
use crate::document::{settle_folders, writing};
use crate::error::StoreError;
use crate::log::{Log, LogWriter, folder_of};
use crate::verify::{Link, seal_for};

/// An audit log whose lock we hold.
#[derive(Debug)]
pub struct AuditWriter {
    writer: LogWriter,
    last: Option<Link>,
    redactor: Redactor,
    receipts: AuditReceipts,
}

impl AuditWriter {
    pub(super) fn open(log: &Log, redactor: Redactor, receipts: AuditReceipts) -> Result<Self, StoreError> {
        let writer = writing(log)?;
        let last = Link::last(writer.reader())?;
        if last.is_none() {
            settle_folders(log.disk().as_ref(), folder_of(log.path()))?;
        }
        Ok(Self { writer, last, redactor, receipts })
    }

    /// Appends rows durably, with one write and one sync, and says how many of them were new.
    ///
    /// # Errors
    /// `Input` when a row is not one: nothing was written; `Io`; `Poisoned` after a failure.
    pub fn append(&mut self, rows: &[AuditRow]) -> Result<u64, StoreError> {
        self.put(rows, Lookback::Recent, |writer, lines| writer.append_all(lines).map(drop))
    }

    /// As [`Self::append`], for rows that waited elsewhere: one that is anywhere in the log is not written again.
    ///
    /// # Errors
    /// As [`Self::append`].
    pub fn append_once(&mut self, rows: &[AuditRow]) -> Result<u64, StoreError> {
        self.put(rows, Lookback::Whole, |writer, lines| writer.append_all(lines).map(drop))
    }

    /// Writes rows and leaves the sync to the next durable append, or to [`Self::seal`].
    ///
    /// # Errors
    /// As [`Self::append`].
    pub fn append_lazily(&mut self, rows: &[AuditRow]) -> Result<u64, StoreError> {
        self.put(rows, Lookback::Recent, LogWriter::append_lazily)
    }

    /// Makes everything durable, and the head with it.
    ///
    /// # Errors
    /// `Io`; `Poisoned` after a failure.
    pub fn seal(&mut self) -> Result<(), StoreError> {
        self.writer.sync_head()
    }

    fn put(
        &mut self,
        rows: &[AuditRow],
        lookback: Lookback,
        write: impl FnOnce(&mut LogWriter, &[&[u8]]) -> Result<(), StoreError>,
    ) -> Result<u64, StoreError> {
        rows.iter().try_for_each(check)?;
        let ids: BTreeSet<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        let mut known = written(self.writer.reader(), &ids, lookback)?;
        let mut last = self.last.clone();
        let mut lines = Vec::with_capacity(rows.len());
        for row in rows.iter().filter(|row| known.insert(&row.id)) {
            let row = redacted(&value(row), &self.redactor);
            let (line, link) = seal_for(self.writer.reader().log(), &row, last.as_ref())?;
            lines.push(line);
            last = Some(link);
        }
        let borrowed: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        write(&mut self.writer, &borrowed)?;
        self.last = last;
        self.receipts.add(ids.into_iter());
        Ok(u64::try_from(lines.len()).unwrap_or(u64::MAX))
    }
}
