//! Writing a log: appending lines durably, and keeping its head.
//!
//! An answer means that the line is on the disk. It must not retry a failed sync, must not leave half a line behind where
//! it can help it, and must not answer when it does not know.

use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;

use super::authenticity::{Authenticity, Custody};
use super::head::{Base, Extent, Head};
use super::reader::LogReader;
use super::scan::is_checkpoint;
use super::{Log, Place, Standing, folder_of};
use crate::clone_auth::LogAuth;
use crate::disk::{Access, DiskFile, FileStat, LockMode, LockOutcome, write_all_at};
use crate::error::{Distrust, StoreError};

/// A lock file that was replaced while we waited for it is opened again; more often than this nobody does that.
const LOCK_ATTEMPTS: usize = 16;
/// The head is made durable every so many lines.
const HEAD_SYNC_ROWS: u64 = 256;

/// When a line is on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durability {
    /// Before anybody is told.
    Now,
    /// With the next one that is.
    Later,
}

/// A log whose lock we hold. Dropping it lets the lock go.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact about the file that changes on its own")]
pub struct LogWriter {
    pub(super) log: Log,
    /// Held for as long as this lives; closing it is what releases the lock.
    _lock: Box<dyn DiskFile>,
    pub(super) reader: LogReader,
    pub(super) head: Head,
    head_file: Option<Box<dyn DiskFile>>,
    /// A head that another writer sealed, if its sync came to that.
    unconfirmed: Option<Head>,
    /// Whether all that the log holds is on the disk.
    pub(super) settled: bool,
    /// Whether the log was found changed and no durable head says so yet.
    unrecorded_break: bool,
    /// Set by a failure: what is in the file is then only known by opening it anew.
    pub(super) failed: bool,
    /// The newest head outside the repository, once it was written.
    record_file: Option<Box<dyn DiskFile>>,
    /// Whether a person is to vouch for what nothing else vouches for.
    awaits_person: bool,
}

/// Who answers for a log that is opened for writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Voucher {
    /// The log itself: it is authentic, or nothing is written.
    Log,
    /// A person who looks at it, and leaves a record.
    Person,
}

impl Log {
    /// Waits for the lock and opens the log for writing. The file is made when it does not exist.
    ///
    /// # Errors
    /// `Busy` when another process keeps the lock; `Missing` without a folder; `Poisoned` after a failed sync; `Untrusted`
    /// when this clone did not write it; `Io`.
    pub fn write(&self) -> Result<LogWriter, StoreError> {
        self.open_writer(Voucher::Log)
    }

    /// The same for a person who answers for a log that this clone did not write: [`LogWriter::accept`] takes it over.
    ///
    /// # Errors
    /// As [`Self::write`], but never `Untrusted`.
    pub(crate) fn write_for_person(&self) -> Result<LogWriter, StoreError> {
        self.open_writer(Voucher::Person)
    }

    fn open_writer(&self, voucher: Voucher) -> Result<LogWriter, StoreError> {
        if self.poisoned.load(Ordering::Acquire) {
            return Err(StoreError::Poisoned { path: self.path.clone() });
        }
        let lock = self.exclusive_lock()?;
        let found = self.read_head()?;
        self.make_key(found.as_ref());
        self.require_key()?;
        let log = self.clone();
        let file = self.disk.open(&self.path, Access::Append).map_err(StoreError::opening(&self.path))?;
        let stat = file.stat().map_err(StoreError::io("look at", &self.path))?;
        let reader = LogReader::new(log.clone(), file, &stat, found.clone())?;
        if self.custody == Custody::Tracked {
            reader.refuse_conflict_markers()?;
        }
        let authenticity = reader.authenticity()?;
        let awaits_person =
            matches!(authenticity, Authenticity::Distrusted(..)) && voucher == Voucher::Person;
        let committed = match authenticity {
            Authenticity::Committed(version) => {
                Some(Base { extent: reader.extent(), version: Some(version) })
            }
            Authenticity::Distrusted(..) if awaits_person => None,
            other @ (Authenticity::Unguarded | Authenticity::Authentic | Authenticity::Distrusted(..)) => {
                other.require(&log).map(|()| None)?
            }
        };
        let is_committed = committed.is_some();
        let unrecorded_break = reader.standing().is_tampered() && !is_committed;
        let breaks = found.as_ref().map_or(0, |head| head.breaks) + u64::from(unrecorded_break);
        let described = found.as_ref().filter(|_| reader.is_vouched_for);
        let lazy = described.and_then(|head| head.lazy);
        let mut writer = LogWriter {
            log,
            _lock: lock,
            settled: lazy.is_none() && (stat.length == 0 || described.is_some()),
            head: Head {
                extent: described.map_or_else(|| reader.extent(), |head| head.extent),
                lazy,
                checkpoints: reader.checkpoints().to_vec(),
                next: None,
                breaks,
                base: committed.or_else(|| reader.base()),
                ..found.clone().unwrap_or_default()
            },
            reader,
            head_file: None,
            unconfirmed: found.clone().filter(|head| head.sealed),
            unrecorded_break,
            failed: false,
            record_file: None,
            awaits_person,
        };
        if awaits_person {
            // Nothing is written before the person has said so.
            return Ok(writer);
        }
        writer.establish(found.as_ref(), stat)?;
        if is_committed {
            // Before a line comes behind what git has: together they are in no commit.
            writer.head.file = Some(stat);
            writer.seal_head()?;
        }
        Ok(writer)
    }

    /// Makes the key of the clone for the first log that is written. What another key signed is not overwritten with a new
    /// one.
    fn make_key(&self, found: Option<&Head>) {
        if let Some(auth) = self.auth.as_ref().filter(|_| found.is_none_or(|head| head.mac.is_none())) {
            auth.make_key();
        }
    }

    /// Refuses to write without a key: the next command could not tell what was written from a forgery.
    fn require_key(&self) -> Result<(), StoreError> {
        match self.auth.as_ref().and_then(LogAuth::missing_key) {
            None => Ok(()),
            Some(why) => Err(StoreError::Untrusted {
                path: self.path.clone(),
                reason: Distrust::NoKey,
                detail: format!("this clone has no key to sign it with: {why}"),
            }),
        }
    }

    fn exclusive_lock(&self) -> Result<Box<dyn DiskFile>, StoreError> {
        let path = &self.lock_path;
        for _ in 0..LOCK_ATTEMPTS {
            let lock = self.disk.open(path, Access::Update).map_err(StoreError::opening(path))?;
            match lock.lock(LockMode::Exclusive, self.patience).map_err(StoreError::io("lock", path))? {
                // Somebody may have removed the file while we waited, and others lock a new one: ours is no lock then.
                LockOutcome::Held if self.is_another(path, lock.as_ref()) => {}
                LockOutcome::Held => return Ok(lock),
                LockOutcome::Busy => break,
            }
        }
        Err(StoreError::Busy { path: self.path.clone() })
    }

    /// Whether another file, or none, has this name by now. What cannot be looked at is taken for what it was.
    fn is_another(&self, path: &Path, file: &dyn DiskFile) -> bool {
        let named = match self.disk.open(path, Access::Read) {
            Ok(named) => named.stat(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return true,
            Err(_) => return false,
        };
        match (named, file.stat()) {
            (Ok(named), Ok(stat)) => named.identity != stat.identity,
            _ => false,
        }
    }

    /// Makes the names of the log and its head durable.
    pub(super) fn sync_names(&self) -> Result<(), StoreError> {
        let folder = folder_of(&self.path);
        self.synced(folder, self.disk.sync_folder(folder))
    }

    /// What a sync said. After a failed one nobody knows what is on the disk, so this log takes nothing more.
    pub(super) fn synced(&self, path: &Path, result: io::Result<()>) -> Result<(), StoreError> {
        result.map_err(|source| {
            self.poisoned.store(true, Ordering::Release);
            StoreError::io("sync", path)(source)
        })
    }
}

impl LogWriter {
    /// Sees to it that the log and its head are there under their names, whatever happens next.
    fn establish(&mut self, found: Option<&Head>, stat: FileStat) -> Result<(), StoreError> {
        // The first head is written twice, before its name is durable and after; whoever finds only the first one does
        // this again.
        if let Some(head) = found.filter(|head| head.turn > 1) {
            // The log may be new, or have replaced another one without anybody having made sure of it.
            let is_unsure = stat.length == 0 || head.next.is_some();
            return if is_unsure { self.log.sync_names() } else { Ok(()) };
        }
        self.settle(stat.length)?;
        self.head.turn = 0;
        self.head.file = Some(stat);
        let path = self.log.head_path.clone();
        self.write_head(false).map_err(StoreError::io("write", &path))?;
        self.log.sync_names()?;
        self.seal_head()
    }

    /// The log as it is under the lock.
    #[must_use]
    pub fn reader(&self) -> &LogReader {
        &self.reader
    }

    /// How the log stood to its head when it was opened.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.reader.standing()
    }

    /// Appends one line, durably. The lock is kept for the next one.
    ///
    /// # Errors
    /// `Io`: nothing was acknowledged, and the file is as it was unless even that failed.
    pub fn append(&mut self, line: &[u8]) -> Result<Place, StoreError> {
        let before = self.append_lines(&[line], Durability::Now)?;
        Ok(Place { offset: before.bytes, length: u32::try_from(line.len()).unwrap_or(u32::MAX) })
    }

    /// Appends several lines with one write and one sync. A crash may leave the first few of them, each whole.
    ///
    /// # Errors
    /// `Io`: none of them was acknowledged, and the file is as it was unless even that failed.
    pub fn append_all(&mut self, lines: &[&[u8]]) -> Result<Vec<Place>, StoreError> {
        if lines.is_empty() {
            return Ok(Vec::new());
        }
        let mut extent = self.append_lines(lines, Durability::Now)?;
        let mut places = Vec::with_capacity(lines.len());
        for line in lines {
            let length = u32::try_from(line.len()).unwrap_or(u32::MAX);
            places.push(Place { offset: extent.bytes, length });
            extent.bytes += u64::from(length) + 1;
        }
        Ok(places)
    }

    /// Writes several lines with one write and leaves the sync to the next append, or to [`Self::sync_head`]. They
    /// survive the end of this process; a power loss may take them, from the last one on.
    ///
    /// # Errors
    /// `Io`: the file is as it was unless even that failed.
    pub fn append_lazily(&mut self, lines: &[&[u8]]) -> Result<(), StoreError> {
        if lines.is_empty() {
            return Ok(());
        }
        self.append_lines(lines, Durability::Later).map(drop)
    }

    /// Appends lines behind the extent that it returns.
    fn append_lines(&mut self, lines: &[&[u8]], durability: Durability) -> Result<Extent, StoreError> {
        self.usable()?;
        self.failed = true;
        if self.unrecorded_break {
            // Once something is written behind it, only this remembers that it was changed.
            self.seal_head()?;
        }
        let path = self.log.head_path.clone();
        self.confirm_head().map_err(StoreError::io("sync", &path))?;
        let mended = self.mend()?;
        let mut bytes = Vec::with_capacity(lines.iter().map(|line| line.len() + 1).sum::<usize>() + 1);
        if mended.lacks_newline {
            bytes.push(b'\n');
        }
        for line in lines {
            bytes.extend_from_slice(line);
            bytes.push(b'\n');
        }
        self.write_once(&bytes, mended.length, durability)?;
        self.note(mended.extent, lines, durability);
        self.failed = false;
        Ok(mended.extent)
    }

    /// Declares the log to be as it should be: the head is written anew, durably, and what was found changed by others
    /// is forgotten. For a person who looked at it; whoever calls this keeps the record of it.
    ///
    /// # Errors
    /// `Io`; `Poisoned` after a failure.
    pub fn accept(&mut self) -> Result<(), StoreError> {
        self.usable()?;
        let stat = self.reader.file.stat().map_err(StoreError::io("look at", &self.log.path))?;
        if self.awaits_person {
            self.head.base = Some(Base { extent: self.reader.extent, version: None });
            self.head.extent = self.reader.extent;
            self.head.lazy = None;
            self.unconfirmed = None;
            self.awaits_person = false;
            self.forget_record()?;
        }
        self.head.file = Some(stat);
        self.head.breaks = 0;
        self.sync_head()?;
        self.log.sync_names()
    }

    /// Whether a person who mends a log may take it over: one that stays on this machine only where every line is of this
    /// clone, so that nothing but its head is in doubt.
    ///
    /// # Errors
    /// `Untrusted`.
    pub(crate) fn check_acceptable(&self) -> Result<(), StoreError> {
        if self.awaits_person && self.log.custody == Custody::Machine {
            return self.reader.require_own_lines();
        }
        Ok(())
    }

    /// Forgets the head outside the repository: a person took the log over as it is now.
    fn forget_record(&mut self) -> Result<(), StoreError> {
        self.record_file = None;
        self.log.forget_record()
    }

    pub(super) fn usable(&self) -> Result<(), StoreError> {
        if self.failed || self.log.poisoned.load(Ordering::Acquire) {
            return Err(StoreError::Poisoned { path: self.log.path.clone() });
        }
        Ok(())
    }

    /// Makes the head durable: at a stop, and with a witness.
    ///
    /// # Errors
    /// `Io`; `Poisoned` after a failure.
    pub fn sync_head(&mut self) -> Result<(), StoreError> {
        self.usable()?;
        self.seal_head()
    }

    /// Writes the head and syncs it, together with what it speaks of.
    pub(super) fn seal_head(&mut self) -> Result<(), StoreError> {
        self.settle(self.reader.extent.bytes)?;
        let path = self.log.head_path.clone();
        let synced = self.write_head(true).map_err(StoreError::io("write", &path))?.sync();
        self.log.synced(&path, synced)?;
        self.head.sealed = true;
        self.unrecorded_break = false;
        Ok(())
    }

    /// After a failed sync the lines before it that had none may be lost too: the head must not vouch for them.
    fn disown_lazy_lines(&mut self) {
        if self.head.lazy.take().is_some() {
            self.head.file = None;
            drop(self.write_head(false));
        }
    }

    /// One write, one sync. When either fails the file is cut back to `length`, so that nobody builds on a line that
    /// nobody was promised; after a failed sync this log takes nothing more in this process.
    fn write_once(&mut self, bytes: &[u8], length: u64, durability: Durability) -> Result<(), StoreError> {
        let path = self.log.path.clone();
        let file = &mut self.reader.file;
        let written = loop {
            match file.append(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(count) if count < bytes.len() => break Err(io::ErrorKind::StorageFull.into()),
                written => break written.map(drop),
            }
        };
        if let Err(source) = written {
            let cut = file.set_length(length);
            return Err(not_written(&path, source, &cut));
        }
        if durability == Durability::Now
            && let Err(source) = file.sync()
        {
            self.log.poisoned.store(true, Ordering::Release);
            let cut = file.set_length(length);
            self.disown_lazy_lines();
            return Err(not_written(&path, source, &cut));
        }
        // Programs that know nothing of our lock put another file in its place; a line in the old one is lost.
        if self.log.is_another(&path, self.reader.file.as_ref()) {
            return Err(StoreError::Busy { path });
        }
        Ok(())
    }

    /// Takes note of the lines that were appended. They are safe already: a head that cannot be written only makes the
    /// next opening look for itself.
    fn note(&mut self, before: Extent, lines: &[&[u8]], durability: Durability) {
        self.reader.extent = before;
        for line in lines {
            let extent = self.reader.extent.and(line);
            self.checkpoint(extent);
        }
        let extent = self.reader.extent;
        self.settled = durability == Durability::Now;
        match durability {
            Durability::Now => (self.head.extent, self.head.lazy) = (extent, None),
            Durability::Later => self.head.lazy = Some(extent),
        }
        self.head.checkpoints.clone_from(&self.reader.checkpoints);
        let Ok(stat) = self.reader.file.stat() else { return };
        self.head.file = Some(stat);
        // Unsynced, the head may fall behind; a failed sync has poisoned the log for what comes after this line.
        if extent.rows / HEAD_SYNC_ROWS == before.rows / HEAD_SYNC_ROWS {
            drop(self.write_head(false));
        } else {
            drop(self.seal_head());
        }
    }

    pub(super) fn checkpoint(&mut self, extent: Extent) {
        let last = self.reader.checkpoints.last().copied().unwrap_or_default();
        if is_checkpoint(&last, &extent) {
            let mut remembered =
                Head { checkpoints: std::mem::take(&mut self.reader.checkpoints), ..Head::default() };
            remembered.remember(extent);
            self.reader.checkpoints = remembered.checkpoints;
        }
        self.reader.extent = extent;
    }

    pub(super) fn write_head(&mut self, sealed: bool) -> io::Result<&mut Box<dyn DiskFile>> {
        self.confirm_head()?;
        let (offset, bytes) = self.head.advance(sealed, self.log.auth.as_ref());
        self.record_head(&bytes, offset)?;
        let file = self.opened_head()?;
        write_all_at(file.as_mut(), &bytes, offset)?;
        Ok(file)
    }

    /// Keeps the head outside the repository as well. It knows of no line that is not durable, so it never runs ahead.
    fn record_head(&mut self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let Some(path) = self.log.record_path() else { return Ok(()) };
        let mut file = match self.record_file.take() {
            Some(file) => file,
            None => match self.log.disk.open(&path, Access::Update) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    self.log.disk.create_folder(folder_of(&path))?;
                    self.log.disk.open(&path, Access::Update)?
                }
                opened => opened?,
            },
        };
        if self.head.turn == 1 {
            // Counting begins anew: what an earlier log of this name left there must not look newer.
            file.set_length(0)?;
        }
        write_all_at(file.as_mut(), bytes, offset)?;
        self.record_file = Some(file);
        Ok(())
    }

    /// Makes sure of a head that another writer sealed, before anything leans on it: the lines that are about to come
    /// behind what it knows, and the head that is about to be written over the other one.
    fn confirm_head(&mut self) -> io::Result<()> {
        let Some((offset, bytes)) = self.unconfirmed.as_ref().map(Head::written) else { return Ok(()) };
        let log = self.log.clone();
        let file = self.opened_head()?;
        write_all_at(file.as_mut(), &bytes, offset)?;
        file.sync().inspect_err(|_| log.poisoned.store(true, Ordering::Release))?;
        self.unconfirmed = None;
        Ok(())
    }

    fn opened_head(&mut self) -> io::Result<&mut Box<dyn DiskFile>> {
        let file = match self.head_file.take() {
            Some(file) => file,
            None => self.log.disk.open(&self.log.head_path, Access::Update)?,
        };
        Ok(self.head_file.insert(file))
    }
}

fn not_written(path: &Path, source: io::Error, cut: &io::Result<()>) -> StoreError {
    let doing = if cut.is_ok() { "append to" } else { "append to (and cut back)" };
    StoreError::Io { doing, path: path.to_owned(), source }
}
