//! The database behind the desk: how it is opened, brought up to date, locked, written and refused.
//!
//! A database that is damaged, that somebody else made, or that a newer version wrote is refused when it is opened. It
//! must not know what is in the tables.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use premath_kernel::{Moment, Value, hex, sha256};
use premath_wire::strict::{Limits, parse};
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::answer::{DeskAnswer, DeskRefusal, Stop};
use super::schema::{APPLICATION_ID, KNOWN, MIGRATIONS};
use crate::clock::{Clock, IdSource};
use crate::error::StoreError;

/// How long a process waits for another before it says that the desk is busy.
const PATIENCE: Duration = Duration::from_secs(10);
/// Up to this size the whole file is checked when it is opened: its structure, and every index against its table. Beyond
/// it, rows and contents are checked as they are read, and all of them by `check`.
const CHECKED_AT_ONCE: i64 = 16 * 1024 * 1024;
/// A name of 48 bits is taken about never; that often in a row, something else is wrong.
const TRIES: usize = 8;

/// The files, approvals and proposals of one workspace.
#[derive(Debug)]
pub struct Desk {
    connection: Mutex<Connection>,
    path: PathBuf,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    /// Set when a commit failed for the system's sake: nobody knows what is on the disk then.
    poisoned: AtomicBool,
}

impl Desk {
    /// The file's name under `.premath`.
    pub const FILE_NAME: &'static str = "desk.db";

    /// The desk in this file, which is made when it is not there. Its folder must be.
    ///
    /// # Errors
    /// `Missing` without a folder; `Corrupt`, `Newer`, `Busy`, `Io`.
    pub fn open(path: &Path, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        Self::connect(path, flags, clock, ids)
    }

    /// The desk in this file, which must be there. A file that was begun and never became a desk is none.
    ///
    /// # Errors
    /// `Missing`, and as [`Self::open`].
    pub fn open_existing(
        path: &Path,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Self, StoreError> {
        Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, clock, ids)
    }

    /// A desk that is gone when it is dropped.
    ///
    /// # Errors
    /// Want of memory.
    pub fn in_memory(clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Result<Self, StoreError> {
        let path = Path::new(":memory:");
        let opened = Connection::open_in_memory().map_err(|error| fault(path, &error))?;
        Self::prepared(opened, path, clock, ids)
    }

    /// The same desk, which waits for others so long and no longer before it says that it is busy.
    ///
    /// # Errors
    /// A database that failed.
    pub fn with_patience(self, patience: Duration) -> Result<Self, StoreError> {
        self.connection().busy_timeout(patience).map_err(|error| fault(&self.path, &error))?;
        Ok(self)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks everything: the structure of the file, every reference, every content against its digest.
    ///
    /// # Errors
    /// `Corrupt`, with the first thing found; `Io`.
    pub fn check(&self) -> Result<(), StoreError> {
        self.read(|connection| {
            sound(connection)?;
            let stray: Option<String> = first(connection, "SELECT \"table\" FROM pragma_foreign_key_check")?;
            if let Some(table) = stray {
                return Err(Stop::Damaged(format!("a row of `{table}` names what is not there")));
            }
            let mut statement = connection.prepare("SELECT digest, text FROM contents")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                checked_content(&row.get::<_, String>(0)?, row.get(1)?)?;
            }
            Ok(())
        })
    }

    fn connect(
        path: &Path,
        flags: OpenFlags,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Self, StoreError> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let may_create = flags.contains(OpenFlags::SQLITE_OPEN_CREATE);
        let opened = Connection::open_with_flags(path, flags).map_err(|error| fault(path, &error))?;
        if !may_create && version(&opened, path)? == 0 {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        Self::prepared(opened, path, clock, ids)
    }

    fn prepared(
        mut connection: Connection,
        path: &Path,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Self, StoreError> {
        prepare(&mut connection, path)?;
        Ok(Self {
            connection: Mutex::new(connection),
            path: path.to_owned(),
            clock,
            ids,
            poisoned: AtomicBool::new(false),
        })
    }

    /// Reads, in one view of the database.
    pub(super) fn read<T>(&self, look: impl FnOnce(&Connection) -> Result<T, Stop>) -> Result<T, StoreError> {
        let mut connection = self.connection();
        let begun = connection.transaction_with_behavior(TransactionBehavior::Deferred);
        let transaction = begun.map_err(|error| fault(&self.path, &error))?;
        look(&transaction).map_err(|stop| self.failed(stop))
    }

    /// Writes, all of it or nothing. A refusal that is returned as a value is kept with what was noted before it; one that
    /// stopped the work undoes it.
    pub(super) fn write<T>(
        &self,
        change: impl FnOnce(&Writing<'_>) -> Result<Result<T, DeskRefusal>, Stop>,
    ) -> DeskAnswer<T> {
        if self.poisoned.load(Ordering::Acquire) {
            return Err(StoreError::Poisoned { path: self.path.clone() });
        }
        let mut connection = self.connection();
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(|error| fault(&self.path, &error))?;
        // Under the lock: whoever waited for it is as late as the clock says now.
        let writing = Writing { transaction, ids: self.ids.as_ref(), now: to_stored(self.clock.now()) };
        match change(&writing) {
            Ok(settled) => {
                writing.transaction.commit().map_err(|error| self.unkept(&error))?;
                Ok(settled)
            }
            Err(Stop::Refused(refusal)) => Ok(Err(refusal)),
            Err(stop) => Err(self.failed(stop)),
        }
    }

    /// Does what a change would do, and undoes it whatever came of it.
    pub(super) fn rehearsed<T>(&self, change: impl FnOnce(&Writing<'_>) -> Result<T, Stop>) -> DeskAnswer<T> {
        let mut connection = self.connection();
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(|error| fault(&self.path, &error))?;
        let writing = Writing { transaction, ids: self.ids.as_ref(), now: to_stored(self.clock.now()) };
        match change(&writing) {
            Ok(rehearsed) => {
                writing.transaction.rollback().map_err(|error| fault(&self.path, &error))?;
                Ok(Ok(rehearsed))
            }
            Err(Stop::Refused(refusal)) => Ok(Err(refusal)),
            Err(stop) => Err(self.failed(stop)),
        }
    }

    /// The time, in thousandths of a second.
    pub(super) fn now(&self) -> i64 {
        to_stored(self.clock.now())
    }

    /// Writes everything into the file itself, so that what was overwritten is nowhere else. A reader in the way leaves it
    /// to the next one who does this, or closes the desk.
    pub(super) fn settle(&self) -> Result<(), StoreError> {
        let settled =
            self.connection().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
        settled.map(drop).map_err(|error| fault(&self.path, &error))
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        // A transaction that a panic left behind was undone when it was dropped.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unkept(&self, error: &rusqlite::Error) -> StoreError {
        let fault = fault(&self.path, error);
        if matches!(fault, StoreError::Io { .. }) {
            self.poisoned.store(true, Ordering::Release);
        }
        fault
    }

    fn failed(&self, stop: Stop) -> StoreError {
        match stop {
            Stop::Refused(refusal) => StoreError::corrupt(&self.path, refusal.to_string()),
            Stop::Database(error) => fault(&self.path, &error),
            Stop::Damaged(detail) => StoreError::corrupt(&self.path, detail),
        }
    }
}

/// A transaction that writes.
#[derive(Debug)]
pub(super) struct Writing<'w> {
    pub(super) transaction: Transaction<'w>,
    ids: &'w dyn IdSource,
    /// When it happens, in thousandths of a second.
    pub(super) now: i64,
}

impl Writing<'_> {
    /// A name with that prefix that a table does not hold yet.
    pub(super) fn fresh(&self, prefix: &str, table: &'static str) -> Result<String, Stop> {
        for _ in 0..TRIES {
            let hash = sha256(self.ids.fresh().as_bytes());
            let id = format!("{prefix}{}", hex(hash.get(..6).unwrap_or_default()));
            let query = format!("SELECT EXISTS(SELECT 1 FROM {table} WHERE id = ?1)");
            if !self.transaction.query_row(&query, [&id], |row| row.get::<_, bool>(0))? {
                return Ok(id);
            }
        }
        Err(Stop::Damaged(format!("the source of names gives no name that `{table}` does not hold")))
    }
}

fn prepare(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| fault(path, &error);
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    let known = KNOWN;
    let found = version(connection, path)?;
    if found > known {
        return Err(StoreError::Newer { path: path.to_owned(), found, known });
    }
    for (pragma, value) in [("journal_mode", "WAL"), ("synchronous", "FULL")] {
        connection.pragma_update(None, pragma, value).map_err(failed)?;
    }
    for (pragma, value) in [
        ("foreign_keys", true),
        ("trusted_schema", false),
        ("cell_size_check", true),
        ("secure_delete", true),
    ] {
        connection.pragma_update(None, pragma, value).map_err(failed)?;
    }
    if found < known {
        migrate(connection, path)?;
    }
    check_structure(connection, path)
}

/// The version of a desk; 0 for a new file. Whatever else it is, it is refused.
fn version(connection: &Connection, path: &Path) -> Result<i64, StoreError> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let read = || Ok((pragma("application_id")?, pragma("user_version")?, pragma("schema_version")?));
    let (application, version, schema) = read().map_err(|error| fault(path, &error))?;
    if application == i64::from(APPLICATION_ID) && version > 0 {
        Ok(version)
    } else if application == 0 && version == 0 && schema == 0 {
        Ok(0)
    } else {
        Err(StoreError::corrupt(path, "it is a database of something else"))
    }
}

fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| fault(path, &error);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Under the lock: another process may have done it meanwhile.
    let found = version(&transaction, path)?;
    let done = usize::try_from(found).unwrap_or(usize::MAX);
    for migration in MIGRATIONS.iter().skip(done) {
        transaction.execute_batch(migration).map_err(failed)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
    transaction.pragma_update(None, "user_version", KNOWN).map_err(failed)?;
    transaction.commit().map_err(failed)
}

fn check_structure(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
    let size: i64 = connection.query_row(size, [], |row| row.get(0)).map_err(|error| fault(path, &error))?;
    if size > CHECKED_AT_ONCE {
        return Ok(());
    }
    match sound(connection) {
        Ok(()) => Ok(()),
        Err(Stop::Database(error)) => Err(fault(path, &error)),
        Err(Stop::Damaged(detail)) => Err(StoreError::corrupt(path, detail)),
        Err(Stop::Refused(refusal)) => Err(StoreError::corrupt(path, refusal.to_string())),
    }
}

fn sound(connection: &Connection) -> Result<(), Stop> {
    let said: String = connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if said == "ok" { Ok(()) } else { Err(Stop::Damaged(said.replace('\n', " "))) }
}

fn first(connection: &Connection, query: &str) -> Result<Option<String>, Stop> {
    let mut statement = connection.prepare(query)?;
    let mut rows = statement.query([])?;
    Ok(rows.next()?.map(|row| row.get(0)).transpose()?)
}

/// A content, if it is what its digest says.
pub(super) fn checked_content(digest: &str, text: String) -> Result<String, Stop> {
    if premath_kernel::Digest::of_bytes(text.as_bytes()).as_str() == digest {
        Ok(text)
    } else {
        Err(Stop::Damaged(format!("the content of {digest} is another one")))
    }
}

/// Refuses a row that an index led to and that is another one.
pub(super) fn named(wanted: &str, found: &str) -> Result<(), Stop> {
    if wanted == found {
        Ok(())
    } else {
        Err(Stop::Damaged(format!("the row of `{wanted}` is that of `{found}`")))
    }
}

/// What we wrote as JSON.
pub(super) fn stored_json(text: &str) -> Result<Value<'static>, Stop> {
    match parse(text.as_bytes(), Limits::default()) {
        Ok(value) => Ok(value.into_owned()),
        Err(error) => Err(Stop::Damaged(error.to_string())),
    }
}

/// A moment in thousandths of a second, as the tables keep it.
pub(super) fn to_stored(moment: Moment) -> i64 {
    moment.seconds().saturating_mul(1000).saturating_add(i64::from(moment.nanos() / 1_000_000))
}

/// A moment from thousandths of a second.
pub(super) fn from_stored(millis: i64) -> Moment {
    let nanos = u32::try_from(millis.rem_euclid(1000)).unwrap_or_default() * 1_000_000;
    Moment::new(millis.div_euclid(1000), nanos).unwrap_or(Moment::EPOCH)
}

/// What the database says, as the other stores say it.
fn fault(path: &Path, error: &rusqlite::Error) -> StoreError {
    let code = error.sqlite_error_code();
    match code {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Busy { path: path.to_owned() }
        }
        Some(ErrorCode::CannotOpen) if !path.exists() => StoreError::Missing { path: path.to_owned() },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::ConstraintViolation) => {
            StoreError::corrupt(path, one_line(error))
        }
        Some(_) => {
            let source = std::io::Error::other(one_line(error));
            StoreError::Io { doing: "use", path: path.to_owned(), source }
        }
        // A value of another type than we wrote, a row that must be there and is not.
        None => StoreError::corrupt(path, one_line(error)),
    }
}

fn one_line(error: &rusqlite::Error) -> String {
    error.to_string().replace('\n', " ")
}
