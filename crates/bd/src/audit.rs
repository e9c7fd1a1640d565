//! The audit log `.premath/audit.jsonl`: one chained row for every decision, approval and change, appended and never
//! rewritten.
//!
//! Several processes append to it. A row whose id is among the last ones is not written again, so that whoever does not
//! know whether a row arrived hands it in once more; for rows that waited elsewhere the whole log is looked through. It must not hold a secret: every text passes the redactor on its way
//! in. It must not decide what belongs into it, and reads no clock.

mod anchor;
mod changes;
mod query;
mod receipts;
mod recent;
mod redact;
mod row;
mod vouch;
mod writer;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_kernel::Value;
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::AuditRow;

use crate::disk::Disk;
use crate::error::{Distrust, StoreError};
use crate::log::Log;
use crate::verify::{Accepted, Form, LogReport, check_log};
use crate::witnesses::Witnesses;

pub(crate) use self::anchor::Anchors;
pub use self::anchor::JournalAnchor;
pub use self::changes::{Unrecorded, change_row, import_row, unrecorded};
pub use self::query::{AuditFilter, AuditFound};
pub use self::receipts::AuditReceipts;
pub use self::redact::Redactor;
pub use self::row::{audit_id, fresh_audit_id};
pub use self::writer::AuditWriter;

/// The audit log in one file.
#[derive(Debug, Clone)]
pub struct AuditLog {
    log: Log,
    redactor: Redactor,
    receipts: AuditReceipts,
}

impl AuditLog {
    /// Its name in `.premath`.
    pub const FILE_NAME: &'static str = "audit.jsonl";

    /// The audit log in this file. What `redactor` takes out is never written.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, path: PathBuf, redactor: Redactor) -> Self {
        Self { log: Log::new(disk, path), redactor, receipts: AuditReceipts::default() }
    }

    /// The same, with receipts for whoever has rows written.
    #[must_use]
    pub fn with_receipts(self, receipts: AuditReceipts) -> Self {
        Self { receipts, ..self }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.log.path()
    }

    /// Opens it for writing; the lock is kept until the writer is dropped. For whoever must know that a row can be
    /// written before doing what the row is about.
    ///
    /// # Errors
    /// `Busy` while another process writes; `Missing` without a folder; `Io`.
    pub fn write(&self) -> Result<AuditWriter, StoreError> {
        AuditWriter::open(&self.log, self.redactor.clone(), self.receipts.clone())
    }

    /// Appends rows durably, with one write and one sync, and says how many of them were new.
    ///
    /// # Errors
    /// `Input` when a row is not one: nothing was written; `Busy`, `Missing` without a folder, `Io`.
    pub fn append(&self, rows: &[AuditRow]) -> Result<u64, StoreError> {
        if rows.is_empty() {
            return Ok(0);
        }
        self.write()?.append(rows)
    }

    /// As [`Self::append`], for rows that waited elsewhere and may have come before, however long ago: one that is anywhere
    /// in the log is not written again. Reads all of it.
    ///
    /// # Errors
    /// As [`Self::append`].
    pub fn append_once(&self, rows: &[AuditRow]) -> Result<u64, StoreError> {
        if rows.is_empty() {
            return Ok(0);
        }
        self.write()?.append_once(rows)
    }

    /// Writes rows and leaves the sync to the next durable append, or to [`Self::seal`]. They survive this process, not a
    /// power loss. For what is on record durably elsewhere.
    ///
    /// # Errors
    /// As [`Self::append`].
    pub fn append_lazily(&self, rows: &[AuditRow]) -> Result<u64, StoreError> {
        if rows.is_empty() {
            return Ok(0);
        }
        self.write()?.append_lazily(rows)
    }

    /// Makes everything durable, and the head with it: at the end of a run. Nothing is made where there is no log.
    ///
    /// # Errors
    /// `Busy` while another process writes; `Io`.
    pub fn seal(&self) -> Result<(), StoreError> {
        match self.log.read().map(drop) {
            Err(StoreError::Missing { .. }) => Ok(()),
            read => read.and_then(|()| self.write()?.seal()),
        }
    }

    /// Refuses to go on where this clone did not write the log, or knows more of it than is there. Does not read its rows.
    ///
    /// # Errors
    /// `Untrusted`; `Io` when it cannot be read.
    pub fn require_authentic(&self) -> Result<(), StoreError> {
        match self.log.read() {
            Ok(reader) => reader.authenticity()?.require(&self.log),
            Err(StoreError::Missing { path }) => match self.log.recorded_head()? {
                Some(head) if head.extent.rows > 0 => Err(StoreError::Untrusted {
                    path,
                    reason: Distrust::RolledBack,
                    detail: format!("it is gone; this clone knows {} rows of it", head.extent.rows),
                }),
                Some(_) | None => Ok(()),
            },
            Err(error) => Err(error),
        }
    }

    /// Follows the chain from the first row to the last, and holds the log against its head. What a person accepted, as
    /// `witnesses` say, is counted and not reported. A log that was never begun is sound; `root` is what witnesses name
    /// paths from.
    ///
    /// # Errors
    /// `Io` when it cannot be read.
    pub fn verify(&self, witnesses: &Witnesses, root: &Path) -> Result<LogReport, StoreError> {
        let accepted = Accepted::read(witnesses, root)?;
        let extents = accepted.extents(&self.named_from(root)).to_vec();
        let checked = check_log(&self.log, crate::verify::Chaining::Chained, &extents, &mut |_, _| ())?;
        Ok(checked.unwrap_or_default())
    }

    /// What witnesses call it.
    fn named_from(&self, root: &Path) -> String {
        let relative = self.path().strip_prefix(root).unwrap_or_else(|_| self.path());
        let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        parts.join("/")
    }

    /// Hands every row to a visitor, the oldest first; lines that are no rows are passed over. None where there is no log.
    ///
    /// # Errors
    /// `Io` when it cannot be read.
    pub fn each(&self, mut visit: impl FnMut(&Value<'_>)) -> Result<(), StoreError> {
        let reader = match self.log.read() {
            Err(StoreError::Missing { .. }) => return Ok(()),
            read => read?,
        };
        reader.each_line::<StoreError>(0, |_, line| {
            if let Ok(row) = parse(Form::of(line).text, Limits::default()) {
                visit(&row);
            }
            Ok(())
        })
    }

    /// Every id in it, and when the first change was recorded.
    fn known(&self) -> Result<(BTreeSet<String>, Option<String>), StoreError> {
        let (mut ids, mut first) = (BTreeSet::new(), None);
        self.each(|row| {
            let text = |name: &str| row.as_object()?.get(name)?.as_text();
            if text("kind") != Some("mutation") {
                return;
            }
            ids.extend(text("id").map(str::to_owned));
            if first.is_none() {
                first = text("at").map(str::to_owned);
            }
        })?;
        Ok((ids, first))
    }
}
