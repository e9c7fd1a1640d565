//! The run journal: what happened in a session, one chained row per event, in the order it was made durable.
//!
//! `.premath/runs/<session>/journal.jsonl`. Rows are appended through [`Log`] and read by cursor. It must not know what an
//! event means, and a reader must not make a file.

mod cursor;
mod name;
mod row;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use premath_kernel::{Moment, Value};

use crate::disk::Disk;
use crate::error::StoreError;
use crate::log::{Log, LogReader};
use crate::verify::{Chaining, Link, LogReport, Problem, ProblemClass, check_reader, verify_log};

pub use self::cursor::Cursor;
pub(crate) use self::name::check_name;
pub use self::row::{JOURNAL_KIND, JournalEvent, JournalRow};
pub use self::writer::{Appended, JournalWriter};

/// The journal's file in its session's folder.
pub(crate) const FILE: &str = "journal.jsonl";
/// Time for a process that was ended to be gone, and for nothing else.
const BRIEFLY: Duration = Duration::from_secs(1);
/// Lines that are no rows are counted beyond this, not listed.
const LISTED: usize = 100;

/// The journal of one session, by name. Nothing is opened until it is read or written.
#[derive(Debug, Clone)]
pub struct Journal {
    log: Log,
    session: String,
}

/// Some rows, and where to go on.
#[derive(Debug)]
pub struct JournalPage {
    /// The rows, in their order.
    pub rows: Vec<JournalRow>,
    /// Behind the last of them.
    pub next: Cursor,
    /// Whether the journal ends there, for now.
    pub is_end: bool,
    /// Where lines between them begin that are no rows; the first hundred.
    pub unreadable: Vec<u64>,
    /// How many such lines there are.
    pub unreadable_count: u64,
    /// The row that the cursor stands behind; none before the first.
    pub before: Option<JournalRow>,
}

impl Journal {
    /// The journal of a session under the folder of runs.
    ///
    /// # Errors
    /// `Input` when the session's name is not a name.
    pub fn open(disk: Arc<dyn Disk>, folder: &Path, session: &str) -> Result<Self, StoreError> {
        check_name(session, "session")?;
        Ok(Self { log: Log::new(disk, folder.join(session).join(FILE)), session: session.to_owned() })
    }

    /// The same journal, of which nothing is kept outside the repository: it is deleted when its run is over.
    #[must_use]
    pub(crate) fn unrecorded(self) -> Self {
        Self { log: self.log.unrecorded(), ..self }
    }

    /// Forgets its newest head outside the repository: its run is over, and the audit log anchors how it ended.
    ///
    /// # Errors
    /// `Io`.
    pub fn forget_record(&self) -> Result<(), StoreError> {
        self.log.forget_record()
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.log.path()
    }

    /// Appends one event, durably.
    ///
    /// # Errors
    /// `Input` when the event is not an object with a `kind`; `Busy` while another process writes; `Io`.
    pub fn append(&self, event: &Value<'_>, at: Moment) -> Result<Appended, StoreError> {
        self.write()?.append(event, at)
    }

    /// Opens it for many rows; the lock is kept until the writer is dropped. The session's folder is made when missing.
    ///
    /// # Errors
    /// `Busy` while another process writes; `Io`.
    pub fn write(&self) -> Result<JournalWriter, StoreError> {
        JournalWriter::open(&self.log)
    }

    /// The same for whoever keeps it for long: another who does is not waited out.
    ///
    /// # Errors
    /// `Busy` while another process writes; `Io`.
    pub fn hold(&self) -> Result<JournalWriter, StoreError> {
        JournalWriter::open(&self.log.clone().waiting(BRIEFLY))
    }

    /// Locks the journal in order to delete it. Nothing in it is relied on, so a half-deleted journal can be locked too.
    ///
    /// # Errors
    /// `Busy` while another process writes; `Io`.
    pub fn lock_for_deletion(&self) -> Result<crate::log::LogWriter, StoreError> {
        self.log.clone().waiting(BRIEFLY).write_for_person()
    }

    /// Reads at most `limit` rows behind a cursor. What is appended while it reads is left for the next call.
    ///
    /// # Errors
    /// `Missing` when nothing was ever written; `Corrupt` when the journal ends before the cursor; `Io`.
    pub fn read_from(&self, cursor: Cursor, limit: usize) -> Result<JournalPage, StoreError> {
        let reader = self.log.read()?;
        if let Some(page) = read_behind(&reader, cursor, limit)? {
            return Ok(page);
        }
        // The rows are elsewhere than the cursor says, as after a repair: find its row by its number.
        match read_behind(&reader, Cursor::at(cursor.seq(), 0), limit)? {
            Some(page) => Ok(page),
            None => Err(StoreError::corrupt(self.path(), format!("row {} is not in it", cursor.seq()))),
        }
    }

    /// Whether somebody holds it for writing just now.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.log.is_held()
    }

    /// Reads it all: the head, every line, the whole chain.
    ///
    /// # Errors
    /// `Missing` when nothing was ever written; `Io` when it cannot be read.
    pub fn verify(&self) -> Result<LogReport, StoreError> {
        verify_log(&self.log, Chaining::Chained)
    }

    /// The same, with the rows of that very reading: what was checked is what is gone on from.
    ///
    /// # Errors
    /// As [`Self::verify`].
    pub fn read_verified(&self) -> Result<VerifiedJournal, StoreError> {
        let mut rows = Vec::new();
        let mut strays = 0_u64;
        let mut report =
            check_reader(
                &self.log.read()?,
                Chaining::Chained,
                &[],
                &mut |_, row| match JournalRow::of_object(row) {
                    Some(row) => rows.push(row),
                    None => strays += 1,
                },
            )?;
        if strays > 0 {
            let detail = format!("lines that are no rows of a run: {strays}");
            report.problems.add(Problem::of_file(ProblemClass::BadLine, self.path(), detail));
        }
        Ok(VerifiedJournal { report, rows })
    }

    /// The last row of a journal that this clone wrote, by its number and digest; none before the first. Reads that row alone.
    ///
    /// # Errors
    /// `Untrusted` when this clone did not write it; `Io`.
    pub fn position(&self) -> Result<Option<Appended>, StoreError> {
        let reader = match self.log.read() {
            Err(StoreError::Missing { .. }) => return Ok(None),
            read => read?,
        };
        reader.authenticity()?.require(&self.log)?;
        Ok(Link::last(&reader)?.map(|link| Appended { seq: link.seq, row_digest: link.digest }))
    }
}

/// A journal that was read as a whole, with what is wrong with it.
#[derive(Debug)]
pub struct VerifiedJournal {
    /// What was found.
    pub report: LogReport,
    /// Its rows. Nothing is done because of them unless nothing is wrong.
    pub rows: Vec<JournalRow>,
}

/// Enough was read.
enum Stop {
    Full,
    Store(StoreError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The page behind a cursor, whose row is looked for from its place on; `None` when it is not there.
fn read_behind(reader: &LogReader, cursor: Cursor, limit: usize) -> Result<Option<JournalPage>, StoreError> {
    let mut found = cursor.seq() == 0;
    let mut page = JournalPage {
        rows: Vec::new(),
        next: cursor,
        is_end: true,
        unreadable: Vec::new(),
        unreadable_count: 0,
        before: None,
    };
    let read = reader.each_line(cursor.offset(), |place, line| {
        let row = JournalRow::read(line);
        if !found {
            found = row.as_ref().is_some_and(|row| row.seq == cursor.seq());
            if found {
                page.next = Cursor::at(cursor.seq(), place.offset);
                page.before = row;
            }
            return Ok(());
        }
        if page.rows.len() >= limit {
            page.is_end = false;
            return Err(Stop::Full);
        }
        match row {
            Some(row) => {
                page.next = Cursor::at(row.seq, place.offset);
                page.rows.push(row);
            }
            None => {
                page.unreadable_count += 1;
                if page.unreadable.len() < LISTED {
                    page.unreadable.push(place.offset);
                }
            }
        }
        Ok(())
    });
    match read {
        Err(Stop::Store(error)) => Err(error),
        Ok(()) | Err(Stop::Full) => Ok(found.then_some(page)),
    }
}

/// The sessions that have a folder under the folder of runs, in order; none without such a folder.
///
/// # Errors
/// `Io` when it cannot be listed.
pub fn sessions(disk: &dyn Disk, folder: &Path) -> Result<Vec<String>, StoreError> {
    let entries = match disk.list(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io("list", folder)(error)),
    };
    let is_session = |name: &String| check_name(name, "session").is_ok();
    Ok(entries
        .into_iter()
        .filter(|entry| entry.is_folder)
        .map(|entry| entry.name)
        .filter(is_session)
        .collect())
}

/// Where the journals of a repository are.
#[must_use]
pub fn runs_folder(root: &Path) -> PathBuf {
    root.join(".premath").join("runs")
}
