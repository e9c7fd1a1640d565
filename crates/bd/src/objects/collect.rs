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

/// Which objects may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GarbageRules {
    /// Only those that were last put before then.
    pub before: Moment,
    /// Only so many of them, the oldest first, that the store has at most this many bytes; all of them when absent.
    pub max_bytes: Option<u64>,
}

impl GarbageRules {
    /// Everything that was last put before a moment.
    #[must_use]
    pub const fn before(before: Moment) -> Self {
        Self { before, max_bytes: None }
    }
}

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
    /// How many bytes they take, or took.
    pub examined_bytes: u64,
    /// How many of them are referred to.
    pub reachable: u64,
    /// How many are not, and are too young to be garbage.
    pub young: u64,
    /// How many are garbage that stays, because the store is small enough without them.
    pub spared: u64,
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
    /// Takes out objects that are not among the reachable ones and were last put before a moment. `progress` hears how many
    /// are out.
    ///
    /// Between a put and the row that refers to it lies a while. `before` must be so much earlier than the gathering of
    /// the reachable ones that whatever was put by then has its row.
    ///
    /// # Errors
    /// `Busy` while others put; `Io`. What was removed until then stays removed.
    pub fn collect_garbage(
        &self,
        reachable: &BTreeSet<ObjectId>,
        rules: &GarbageRules,
        collection: Collection,
        progress: &mut dyn FnMut(u64),
    ) -> Result<GarbageReport, StoreError> {
        let mut report = GarbageReport::default();
        let mut unreachable = Vec::new();
        for id in self {
            let id = id?;
            let Some(stat) = self.stat(&self.path_of(&id))? else { continue };
            report.examined += 1;
            report.examined_bytes += stat.length;
            if reachable.contains(&id) {
                report.reachable += 1;
            } else if is_garbage(&stat, rules.before) {
                unreachable.push((stat.modified, id, stat.length));
            } else {
                report.young += 1;
            }
        }
        unreachable.sort_unstable();
        let mut bytes = report.examined_bytes;
        for (_, id, length) in unreachable {
            if rules.max_bytes.is_some_and(|limit| bytes <= limit) {
                report.spared += 1;
            } else if self.is_taken(&id, rules.before, collection)? {
                bytes = bytes.saturating_sub(length);
                report.garbage.push(id);
                report.garbage_bytes += length;
                progress(u64::try_from(report.garbage.len()).unwrap_or(u64::MAX));
            } else {
                report.young += 1;
            }
        }
        report.garbage.sort_unstable();
        for path in self.incoming()? {
            if let Some(bytes) = self.clear_leftover(&path, rules.before, collection)? {
                report.leftovers += 1;
                report.leftover_bytes += bytes;
            }
        }
        Ok(report)
    }

    /// Whether an object is out now, or would be: somebody may have put it again since it was listed.
    fn is_taken(&self, id: &ObjectId, before: Moment, collection: Collection) -> Result<bool, StoreError> {
        if collection == Collection::Plan {
            return Ok(true);
        }
        let path = self.path_of(id);
        let _exclusive = self.lock(LockMode::Exclusive)?;
        match self.stat(&path)? {
            Some(stat) if is_garbage(&stat, before) => {
                self.disk.remove(&path).map_err(StoreError::io("remove", &path))?;
                Ok(true)
            }
            Some(_) | None => Ok(false),
        }
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

/// The empty object is never garbage: putting it again cannot make it young.
fn is_garbage(stat: &FileStat, before: Moment) -> bool {
    stat.length > 0 && stat.modified < before
}
