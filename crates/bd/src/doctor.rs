//! The doctor: finds damage in the stores, says in plain words what it means and what would mend it, and mends it on
//! request.
//!
//! Nothing is changed before a copy of it lies under `.premath/backup`, and nothing is removed but moved there; only what
//! is derived may go, because it is rebuilt. Mending twice mends nothing. It must not make evidence that was lost, and
//! must not accept a changed log without leaving a record.

mod backup;
mod files;
mod finding;
mod logs;
mod tidy;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use premath_kernel::Moment;

use self::backup::Backups;
use crate::audit::AuditLog;
use crate::disk::{Access, Disk, DiskFile, LockMode, LockOutcome};
use crate::error::StoreError;
use crate::inherited_rows::InheritedRows;
use crate::objects::Objects;
use crate::permit::{Maintenance, Permit, PermitRefusal};
use crate::verify::{Accepted, Checked, Lanes, RecordedHere, Repository, verify};
use crate::witnesses::Witnesses;

pub use self::finding::Finding;
pub use self::tidy::GITIGNORE;

/// How long a doctor waits for another.
const PATIENCE: Duration = Duration::from_secs(30);

/// Examines and mends one repository.
#[derive(Debug)]
pub struct Doctor {
    repository: Repository,
}

/// What is wrong.
#[derive(Debug)]
pub struct Diagnosis {
    /// How much was looked at.
    pub checked: Checked,
    /// What was found, file by file.
    pub findings: Vec<Finding>,
    /// How many more findings there are.
    pub omitted: u64,
    /// Whether everything is sound, warnings aside.
    pub is_sound: bool,
    /// How many problems a person accepted earlier.
    pub accepted: u64,
    /// What this clone put on record.
    pub recorded: RecordedHere,
}

/// Something that was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// Which file.
    pub path: PathBuf,
    /// What was done, in words.
    pub what: String,
    /// What lies under `.premath/backup` now.
    pub backups: Vec<PathBuf>,
    /// The witnesses that record what was accepted.
    pub witnesses: Vec<String>,
}

/// Something that could not be mended.
#[derive(Debug)]
pub struct RepairFailure {
    /// Which file.
    pub path: PathBuf,
    /// Why.
    pub error: StoreError,
}

/// What was done, and what is left.
#[derive(Debug)]
pub struct Treatment {
    /// What was mended, in order.
    pub repairs: Vec<Repair>,
    /// What failed.
    pub failures: Vec<RepairFailure>,
    /// What an examination finds now.
    pub remaining: Diagnosis,
}

/// Why nothing was mended.
#[derive(Debug, thiserror::Error)]
pub enum DoctorError {
    /// The permit is for something else.
    #[error(transparent)]
    Permit(#[from] PermitRefusal),
    /// A store gave no answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Doctor {
    /// For a repository.
    #[must_use]
    pub const fn new(repository: Repository) -> Self {
        Self { repository }
    }

    /// Looks at everything and changes nothing.
    ///
    /// # Errors
    /// `Missing` when the folder has no `.premath`; `Io` when a folder cannot be listed.
    pub fn examine(&self, progress: &mut dyn FnMut(&Checked)) -> Result<Diagnosis, StoreError> {
        let repository = &self.repository;
        let verification = verify(repository, progress)?;
        let mut findings: Vec<Finding> =
            verification.problems.kept().iter().filter_map(Finding::of_problem).collect();
        findings.extend(tidy::examine(repository, &repository.lanes()?)?);
        Ok(Diagnosis {
            checked: verification.checked,
            is_sound: verification.problems.is_sound(),
            omitted: verification.problems.omitted(),
            accepted: verification.accepted,
            recorded: verification.recorded,
            findings,
        })
    }

    /// Mends what can be mended, then looks again.
    ///
    /// # Errors
    /// `Permit` unless it is for repairs; `Busy` while another doctor is at work; what [`Self::examine`] says.
    pub fn repair(
        &self,
        permit: Permit,
        progress: &mut dyn FnMut(&Checked),
    ) -> Result<Treatment, DoctorError> {
        authorised(permit)?;
        let diagnosis = self.examine(progress)?;
        if diagnosis.findings.iter().all(|finding| finding.remedy.is_none()) {
            return Ok(Treatment { repairs: Vec::new(), failures: Vec::new(), remaining: diagnosis });
        }
        let _alone = self.lock()?;
        let repository = &self.repository;
        // Before a head is made: it would say that this clone wrote what came with it.
        InheritedRows::note(&repository.disk, &repository.folder().join(AuditLog::FILE_NAME))?;
        let lanes = repository.lanes()?;
        let witnesses = repository.witnesses();
        let now = repository.clock.now();
        let mut surgery = Surgery {
            disk: &repository.disk,
            backups: Backups::new(&repository.disk, &lanes, now),
            accepted: Accepted::read(&witnesses, &repository.root)?,
            lanes: &lanes,
            objects: &repository.objects(),
            witnesses: &witnesses,
            now,
            repairs: Vec::new(),
            failures: Vec::new(),
        };
        surgery.logs(&diagnosis)?;
        surgery.files(&diagnosis);
        surgery.tidy(&diagnosis);
        let Surgery { repairs, failures, .. } = surgery;
        Ok(Treatment { repairs, failures, remaining: self.examine(progress)? })
    }

    /// Two doctors on one patient would get in each other's way.
    fn lock(&self) -> Result<Box<dyn DiskFile>, StoreError> {
        let path = self.repository.folder().join("doctor.lock");
        let lock = self.repository.disk.open(&path, Access::Update).map_err(StoreError::opening(&path))?;
        match lock.lock(LockMode::Exclusive, PATIENCE).map_err(StoreError::io("lock", &path))? {
            LockOutcome::Held => Ok(lock),
            LockOutcome::Busy => Err(StoreError::Busy { path }),
        }
    }
}

/// The permit is spent whether or not it fits.
fn authorised(permit: Permit) -> Result<(), PermitRefusal> {
    match permit {
        Permit::Maintenance(grant) if grant.purpose() == Maintenance::Repair => Ok(()),
        Permit::Maintenance(_) | Permit::Turn(_) | Permit::Lease(_) | Permit::Operator(_) => {
            Err(PermitRefusal { detail: "mending takes a maintenance permit for repairs".to_owned() })
        }
    }
}

/// Mending under way.
struct Surgery<'s> {
    disk: &'s Arc<dyn Disk>,
    lanes: &'s Lanes<'s>,
    objects: &'s Objects,
    witnesses: &'s Witnesses,
    accepted: Accepted,
    backups: Backups,
    now: Moment,
    repairs: Vec<Repair>,
    failures: Vec<RepairFailure>,
}

impl Surgery<'_> {
    /// One failure does not keep the others from being mended.
    fn note(&mut self, path: &Path, outcome: Result<Option<Repair>, StoreError>) {
        match outcome {
            Ok(repair) => self.repairs.extend(repair),
            Err(error) => self.failures.push(RepairFailure { path: path.to_owned(), error }),
        }
    }
}
