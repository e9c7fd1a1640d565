//! Garbage collection: removes objects that nothing in the repository cites any more.
//!
//! An object is kept while anything cites it, directly or through other kept objects; while it is younger than the minimum
//! age; and while it is younger than the oldest run that is under way, whose rows may not be written yet. Objects are removed
//! one by one, so a process that is killed has removed some of the garbage and nothing else. It must not guess: where
//! something cannot be read, nothing is removed.

mod digest_scan;
mod live_runs;
mod roots;

use std::collections::BTreeSet;
use std::time::Duration;

use premath_kernel::Moment;

use self::live_runs::oldest_live_start;
use self::roots::{each_cited, scan_content};
use crate::disk::{Access, DiskFile, LockMode, LockOutcome};
use crate::error::StoreError;
use crate::objects::{Collection, GarbageReport, GarbageRules, ObjectId, Objects};
use crate::permit::{Maintenance, Permit, PermitRefusal};
use crate::verify::Repository;

/// The youngest an object can be and still be garbage, in seconds. Between a put and its row lies less.
pub const SHORTEST_AGE_SECONDS: u64 = 60;
/// The minimum age where nobody configures one, in seconds: a day.
pub const DEFAULT_AGE_SECONDS: u64 = 86_400;

/// What may be collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionRules {
    /// How old an object must be, in seconds; at least [`SHORTEST_AGE_SECONDS`].
    pub min_age_seconds: u64,
    /// Collect only what it takes to bring the store down to this many bytes, the oldest first; everything when absent.
    pub max_bytes: Option<u64>,
}

/// How far a collection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GarbageProgress {
    /// Files and objects that were searched for citations.
    pub searched: u64,
    /// Bytes in them.
    pub searched_bytes: u64,
    /// Objects that were removed, or would be.
    pub removed: u64,
}

/// What a collection came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Garbage {
    /// What the store found.
    pub report: GarbageReport,
    /// Everything that was put from then on was kept.
    pub before: Moment,
    /// The runs that were under way, and kept everything that was put since the oldest of them began.
    pub live_runs: Vec<String>,
}

/// What a search came to.
struct Found {
    garbage: Garbage,
    reachable: BTreeSet<ObjectId>,
    rules: GarbageRules,
}

/// Why nothing was collected.
#[derive(Debug, thiserror::Error)]
pub enum GarbageError {
    /// The permit is for something else.
    #[error(transparent)]
    Permit(#[from] PermitRefusal),
    /// A store gave no answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Collects the garbage of one repository.
#[derive(Debug)]
pub struct GarbageCollector {
    repository: Repository,
}

impl GarbageCollector {
    /// For a repository.
    #[must_use]
    pub const fn new(repository: Repository) -> Self {
        Self { repository }
    }

    /// Finds the garbage and leaves it where it is.
    ///
    /// # Errors
    /// `Io` or `Corrupt` when something that may cite an object cannot be read.
    pub fn plan(
        &self,
        rules: RetentionRules,
        progress: &mut dyn FnMut(&GarbageProgress),
    ) -> Result<Garbage, StoreError> {
        let objects = self.repository.objects();
        let mut far = GarbageProgress::default();
        Ok(self.find(&objects, rules, &mut far, progress)?.garbage)
    }

    /// Removes the garbage. `announce` is told what is about to go, so that it is on record before it goes; its error stops
    /// the collection.
    ///
    /// # Errors
    /// `Permit` unless it is for collecting; `Busy` while another collection is at work; what [`Self::plan`] says.
    pub fn collect(
        &self,
        permit: Permit,
        rules: RetentionRules,
        announce: &mut dyn FnMut(&Garbage) -> Result<(), StoreError>,
        progress: &mut dyn FnMut(&GarbageProgress),
    ) -> Result<Garbage, GarbageError> {
        authorised(permit)?;
        let _alone = self.lock()?;
        let objects = self.repository.objects();
        let mut far = GarbageProgress::default();
        let Found { garbage, reachable, rules } = self.find(&objects, rules, &mut far, progress)?;
        if !garbage.report.garbage.is_empty() {
            announce(&garbage)?;
        }
        let report = objects.collect_garbage(&reachable, &rules, Collection::Remove, &mut |removed| {
            far.removed = removed;
            progress(&far);
        })?;
        Ok(Garbage { report, ..garbage })
    }

    fn find(
        &self,
        objects: &Objects,
        rules: RetentionRules,
        far: &mut GarbageProgress,
        progress: &mut dyn FnMut(&GarbageProgress),
    ) -> Result<Found, StoreError> {
        // A folder without `.premath` has nothing to collect, and is more likely a slip.
        self.repository.lanes().map(drop)?;
        // Before anything is searched: what is put from here on is too young.
        let now = self.repository.clock.now();
        let age = rules.min_age_seconds.max(SHORTEST_AGE_SECONDS);
        let aged = now.plus_seconds(-i64::try_from(age).unwrap_or(i64::MAX));
        let live = oldest_live_start(&self.repository)?;
        let before = live.since.map_or(aged, |since| since.min(aged));
        let reachable = self.reachable(objects, far, progress)?;
        let rules = GarbageRules { before, max_bytes: rules.max_bytes };
        let report = objects.collect_garbage(&reachable, &rules, Collection::Plan, &mut |_| ())?;
        Ok(Found { garbage: Garbage { report, before, live_runs: live.runs }, reachable, rules })
    }

    /// Every object that something cites, directly or through other objects that are cited.
    fn reachable(
        &self,
        objects: &Objects,
        far: &mut GarbageProgress,
        progress: &mut dyn FnMut(&GarbageProgress),
    ) -> Result<BTreeSet<ObjectId>, StoreError> {
        let stored = objects.iter().collect::<Result<BTreeSet<ObjectId>, StoreError>>()?;
        let mut reachable = BTreeSet::new();
        let mut unsearched = Vec::new();
        let mut reach = |id: ObjectId, unsearched: &mut Vec<ObjectId>| {
            if stored.contains(&id) && reachable.insert(id) {
                unsearched.push(id);
            }
        };
        let mut search = |bytes: u64| {
            far.searched += 1;
            far.searched_bytes += bytes;
            progress(far);
        };
        each_cited(&self.repository, &mut |id| reach(id, &mut unsearched), &mut search)?;
        while let Some(id) = unsearched.pop() {
            let Some(file) = objects.find(&id)? else { continue };
            let path = objects.path_of(&id);
            let bytes = scan_content(file.as_ref(), &mut |id| reach(id, &mut unsearched))
                .map_err(StoreError::io("read", &path))?;
            search(bytes);
        }
        Ok(reachable)
    }

    /// One collection at a time.
    fn lock(&self) -> Result<Box<dyn DiskFile>, StoreError> {
        let path = self.repository.folder().join("gc.lock");
        let lock = self.repository.disk.open(&path, Access::Update).map_err(StoreError::opening(&path))?;
        match lock.lock(LockMode::Exclusive, Duration::ZERO).map_err(StoreError::io("lock", &path))? {
            LockOutcome::Held => Ok(lock),
            LockOutcome::Busy => Err(StoreError::Busy { path }),
        }
    }
}

/// The permit is spent whether or not it fits.
fn authorised(permit: Permit) -> Result<(), PermitRefusal> {
    match permit {
        Permit::Maintenance(grant) if grant.purpose() == Maintenance::CollectGarbage => Ok(()),
        Permit::Maintenance(_) | Permit::Turn(_) | Permit::Lease(_) | Permit::Operator(_) => {
            Err(PermitRefusal { detail: "garbage is collected with a maintenance permit for it".to_owned() })
        }
    }
}
