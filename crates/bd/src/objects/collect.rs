//! Garbage: objects that nobody refers to, and files that killed puts left.
//!
//! Nothing that was put or put again after a moment is touched: its reference may not be written yet. Each object is
//! looked at once more under the lock that puts share, so a put either keeps the object or finds it gone and writes it.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use premath_kernel::Moment;

use super::{ObjectId, Objects};
use crate::disk::{Access, FileStat, LockMode, LockOutcome};
use crate::error::StoreError;

/// Whether garbage is only named or taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collection {
    /// Nothing is changed.
    Plan,
    /// It is removed.
    Remove,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GarbageReport {
    /// How many objects there are, or were.
    pub examined: u64,
    /// How many of them are referred to.
    pub reachable: u64,
    /// How many are not, and are too young to be garbage.
    pub young: u64,
    /// Those that are garbage: removed, or to be removed.
    pub garbage: Vec<ObjectId>,
    /// How many bytes they take.
    pub garbage_bytes: u64,
    /// How many files of killed puts were found: removed, or to be removed.
    pub leftovers: u64,
    /// How many bytes they take.
    pub leftover_bytes: u64,
}

impl Objects {
    /// Takes out objects that are not among the reachable ones and were last put before a moment.
    ///
    /// Between a put and the row that refers to it lies a while. `before` must be so much earlier than the gathering of
    /// the reachable ones that whatever was put by then has its row.
    ///
    /// # Errors
    /// `Busy` while others put; `Io`. What was removed until then stays removed.
    pub fn collect_garbage(
        &self,
        reachable: &BTreeSet<ObjectId>,
        before: Moment,
        collection: Collection,
    ) -> Result<GarbageReport, StoreError> {
        let mut report = GarbageReport::default();
        for id in self {
            let id = id?;
            report.examined += 1;
            if reachable.contains(&id) {
                report.reachable += 1;
            } else {
                self.consider(&id, before, collection, &mut report)?;
            }
        }
        for path in self.incoming()? {
            if let Some(bytes) = self.clear_leftover(&path, before, collection)? {
                report.leftovers += 1;
                report.leftover_bytes += bytes;
            }
        }
        Ok(report)
    }

    fn consider(
        &self,
        id: &ObjectId,
        before: Moment,
        collection: Collection,
        report: &mut GarbageReport,
    ) -> Result<(), StoreError> {
        let path = self.path_of(id);
        let is_garbage = |stat: &FileStat| stat.length > 0 && stat.modified < before;
        let Some(stat) = self.stat(&path)? else { return Ok(()) };
        if !is_garbage(&stat) {
            report.young += 1;
            return Ok(());
        }
        if collection == Collection::Remove {
            let _exclusive = self.lock(LockMode::Exclusive)?;
            // Somebody may have put it again since.
            match self.stat(&path)? {
                None => return Ok(()),
                Some(stat) if !is_garbage(&stat) => {
                    report.young += 1;
                    return Ok(());
                }
                Some(_) => self.disk.remove(&path).map_err(StoreError::io("remove", &path))?,
            }
        }
        report.garbage.push(*id);
        report.garbage_bytes += stat.length;
        Ok(())
    }

    /// Removes the file of a put that is over; its length, or `None` when it is young or somebody is still at it.
    fn clear_leftover(
        &self,
        path: &Path,
        before: Moment,
        collection: Collection,
    ) -> Result<Option<u64>, StoreError> {
        let Some(stat) = self.stat(path)?.filter(|stat| stat.modified < before) else { return Ok(None) };
        if collection == Collection::Plan {
            return Ok((!self.is_arriving(path)?).then_some(stat.length));
        }
        let _exclusive = self.lock(LockMode::Exclusive)?;
        if self.is_arriving(path)? {
            return Ok(None);
        }
        self.disk.remove(path).map_err(StoreError::io("remove", path))?;
        Ok(Some(stat.length))
    }

    /// Whether a put holds that file, or has just let it go under its name.
    pub(crate) fn is_arriving(&self, path: &Path) -> Result<bool, StoreError> {
        let file = match self.disk.open(path, Access::Read) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
            opened => opened.map_err(StoreError::io("open", path))?,
        };
        let held = file.lock(LockMode::Exclusive, Duration::ZERO).map_err(StoreError::io("lock", path))?;
        Ok(held == LockOutcome::Busy)
    }

    fn stat(&self, path: &Path) -> Result<Option<FileStat>, StoreError> {
        match self.disk.open(path, Access::Read) {
            Ok(file) => file.stat().map(Some).map_err(StoreError::io("look at", path)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("open", path)(error)),
        }
    }
}
