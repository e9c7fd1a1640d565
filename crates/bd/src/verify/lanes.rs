//! Which files a repository has: its logs and its documents, those of its workers too.
//!
//! A file that is not there is not listed, unless something beside it says that it should be. It must not read them.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::log_check::Chaining;
use crate::audit::AuditLog;
use crate::disk::{Access, Disk};
use crate::error::StoreError;
use crate::journal;
use crate::log::{Log, RowForm, beside};
use crate::model_circuits::ModelCircuitStore;
use crate::permits::{PermitLedger, doors_folder, ledgers};
use crate::policies::PolicyStore;
use crate::private_run::PrivateRun;

pub(super) const FOLDER: &str = ".premath";
pub(super) const ISSUES: &str = "issues.jsonl";
pub(super) const SESSION: &str = "harness_session.json";
pub(super) const CIRCUITS: &str = ModelCircuitStore::FILE_NAME;
const DOCUMENTS: [&str; 2] = ["harness_feature_ledger.json", SESSION];

/// What a log holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LaneKind {
    /// Issues, the last line for an id winning.
    Issues,
    /// Issue rows that were superseded.
    History,
    /// One row per step, or one per remediation.
    Trajectory,
    /// One row per event of a session.
    Journal,
    /// One row per decision, approval and change.
    Audit,
    /// One row per instruction that was issued, and per permit that was spent.
    Permits,
    /// One row per policy package that came into force.
    Promotions,
}

impl LaneKind {
    /// Whether its rows are chained.
    pub(crate) const fn chaining(self) -> Chaining {
        match self {
            Self::Issues | Self::History | Self::Promotions => Chaining::Unchained,
            Self::Trajectory | Self::Journal | Self::Audit | Self::Permits => Chaining::Chained,
        }
    }

    /// Whether its rows cite evidence.
    pub(crate) const fn has_references(self) -> bool {
        matches!(self, Self::Trajectory | Self::Journal)
    }

    /// What the log at a path from the root holds; none for one that is kept elsewhere by choice.
    fn of(relative: &str) -> Option<Self> {
        let name = relative.strip_prefix(".premath/")?;
        Some(match name.rsplit('/').next()? {
            ISSUES => Self::Issues,
            "issues.history.jsonl" => Self::History,
            AuditLog::FILE_NAME => Self::Audit,
            "promotions.jsonl" => Self::Promotions,
            journal::FILE => Self::Journal,
            _ if name.starts_with("permits/") => Self::Permits,
            _ => Self::Trajectory,
        })
    }

    /// A log of this kind.
    pub(crate) fn log(self, disk: Arc<dyn Disk>, path: PathBuf) -> Log {
        let log = Log::new(disk, path);
        match self {
            Self::Issues => log.tracked(RowForm::Issue),
            Self::History => log.tracked(RowForm::Copies),
            Self::Trajectory => log.tracked(RowForm::Chained),
            Self::Journal | Self::Audit | Self::Permits => log,
            Self::Promotions => log.tracked(RowForm::Plain),
        }
    }

    /// Whether it is a journal.
    pub(crate) const fn is_journal(self) -> bool {
        matches!(self, Self::Journal)
    }

    /// Whether its rows are issues.
    pub(crate) const fn holds_issues(self) -> bool {
        matches!(self, Self::Issues)
    }
}

/// A log of the repository.
#[derive(Debug, Clone)]
pub(crate) struct Lane {
    /// What it holds.
    pub(crate) kind: LaneKind,
    /// The log.
    pub(crate) log: Log,
}

/// The repository's files.
#[derive(Debug, Clone)]
pub(crate) struct Lanes<'r> {
    disk: &'r Arc<dyn Disk>,
    root: &'r Path,
    issues: &'r Path,
}

impl<'r> Lanes<'r> {
    /// Looks at the repository in a folder.
    ///
    /// # Errors
    /// `Missing` when it has no `.premath`.
    pub(super) fn new(disk: &'r Arc<dyn Disk>, root: &'r Path, issues: &'r Path) -> Result<Self, StoreError> {
        let folder = root.join(FOLDER);
        disk.list(&folder).map_err(StoreError::opening(&folder))?;
        Ok(Self { disk, root, issues })
    }

    /// `.premath` itself.
    pub(crate) fn folder(&self) -> PathBuf {
        self.root.join(FOLDER)
    }

    /// The folder of the repository.
    pub(crate) fn root(&self) -> &Path {
        self.root
    }

    /// A path as the repository's records name it: from its root, with slashes.
    pub(crate) fn relative(&self, path: &Path) -> String {
        let path = path.strip_prefix(self.root).unwrap_or(path);
        let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        parts.join("/")
    }

    /// Whether git tracks the logs and documents of a folder: those of `.premath` itself, and none below it.
    pub(crate) fn is_tracked(&self, path: &Path) -> bool {
        path.parent() == Some(self.folder().as_path())
    }

    /// Its logs.
    pub(crate) fn logs(&self) -> Result<Vec<Lane>, StoreError> {
        let mut lanes = Vec::new();
        self.add(&mut lanes, LaneKind::Issues, self.issues.to_owned())?;
        self.add(&mut lanes, LaneKind::History, history_path(self.issues))?;
        self.add(&mut lanes, LaneKind::Audit, self.folder().join(AuditLog::FILE_NAME))?;
        self.add(&mut lanes, LaneKind::Promotions, PolicyStore::log_path(self.root))?;
        for folder in self.worker_folders()? {
            self.add(&mut lanes, LaneKind::Trajectory, folder.join("harness_trajectory.jsonl"))?;
            self.add(&mut lanes, LaneKind::Trajectory, folder.join("harness_kpi_remediations.jsonl"))?;
            self.add(&mut lanes, LaneKind::Journal, folder.join(journal::FILE))?;
        }
        for instruction in ledgers(self.disk.as_ref(), self.root)? {
            let ledger = PermitLedger::open(Arc::clone(self.disk), self.root, &instruction)?;
            self.add(&mut lanes, LaneKind::Permits, ledger.path().to_owned())?;
        }
        let doors = doors_folder(self.root);
        for door in journal::sessions(self.disk.as_ref(), &doors)? {
            self.add(&mut lanes, LaneKind::Journal, doors.join(door).join(journal::FILE))?;
        }
        let runs = journal::runs_folder(self.root);
        for session in journal::sessions(self.disk.as_ref(), &runs)? {
            self.add(&mut lanes, LaneKind::Journal, runs.join(session).join(journal::FILE))?;
        }
        self.add_gone(&mut lanes)?;
        Ok(lanes)
    }

    /// The journals of runs that keep nothing, while those are there. Nothing of them is kept outside the repository.
    pub(crate) fn private_journals(&self) -> Result<Vec<Lane>, StoreError> {
        let mut lanes = Vec::new();
        for session in journal::sessions(self.disk.as_ref(), &journal::runs_folder(self.root))? {
            let private = PrivateRun::of(Arc::clone(self.disk), self.root, &session)?;
            for run in private.runs()? {
                let kind = LaneKind::Journal;
                let path = private.journals().join(run).join(journal::FILE);
                lanes.push(Lane { kind, log: kind.log(Arc::clone(self.disk), path).unrecorded() });
            }
        }
        Ok(lanes)
    }

    /// Its documents: sessions, feature ledgers, and what is remembered of providers of models.
    pub(crate) fn documents(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut documents = Vec::new();
        for folder in self.worker_folders()? {
            for name in DOCUMENTS {
                let path = folder.join(name);
                if self.exists(&path)? {
                    documents.push(path);
                }
            }
        }
        let circuits = self.folder().join(CIRCUITS);
        if self.exists(&circuits)? {
            documents.push(circuits);
        }
        Ok(documents)
    }

    /// The folders that hold harness lanes: `.premath` and one for each worker.
    pub(crate) fn worker_folders(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut folders = vec![self.folder()];
        let workers = self.folder().join("workers");
        let entries = match self.disk.list(&workers) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            listed => listed.map_err(StoreError::io("list", &workers))?,
        };
        folders.extend(
            entries.into_iter().filter(|entry| entry.is_folder).map(|entry| workers.join(entry.name)),
        );
        Ok(folders)
    }

    fn add(&self, lanes: &mut Vec<Lane>, kind: LaneKind, path: PathBuf) -> Result<(), StoreError> {
        if self.exists(&path)? || self.exists(&beside(&path, "head"))? {
            lanes.push(Lane { kind, log: kind.log(Arc::clone(self.disk), path) });
        }
        Ok(())
    }

    /// Logs that this clone knows outside the repository and that are not there.
    fn add_gone(&self, lanes: &mut Vec<Lane>) -> Result<(), StoreError> {
        let home = Log::new(Arc::clone(self.disk), self.folder().join(AuditLog::FILE_NAME));
        let Some(auth) = &home.auth else { return Ok(()) };
        let recorded = auth.recorded_logs(self.disk.as_ref());
        for relative in recorded.map_err(StoreError::io("list the records of", &self.folder()))? {
            let path = self.root.join(&relative);
            let is_known = lanes.iter().any(|lane| lane.log.path() == path);
            if let Some(kind) = LaneKind::of(&relative).filter(|_| !is_known) {
                lanes.push(Lane { kind, log: kind.log(Arc::clone(self.disk), path) });
            }
        }
        Ok(())
    }

    /// Whether there is such a file. One that cannot be opened is there.
    fn exists(&self, path: &Path) -> Result<bool, StoreError> {
        match self.disk.open(path, Access::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Ok(_) | Err(_) => Ok(true),
        }
    }
}

/// The files of an issue memory that hold rows: its log, its history, and the audit log beside it.
pub(crate) fn issue_files(issues: &Path) -> [PathBuf; 3] {
    let stem = issues.file_stem().unwrap_or_default().to_string_lossy();
    [issues.to_owned(), history_path(issues), issues.with_file_name(format!("{stem}.audit.jsonl"))]
}

/// `issues.jsonl` has its history in `issues.history.jsonl`.
fn history_path(issues: &Path) -> PathBuf {
    let stem = issues.file_stem().unwrap_or_default().to_string_lossy();
    let extension = issues.extension().map(|extension| format!(".{}", extension.to_string_lossy()));
    issues.with_file_name(format!("{stem}.history{}", extension.unwrap_or_default()))
}
