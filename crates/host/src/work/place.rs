//! Where a session of work keeps its things: its session, its ledger, its journal, and the lock that makes it the only one.
//!
//! A worker has a folder of its own under `.premath/workers`; the session of the repository itself has the lanes everybody
//! knows. It must not make anything before somebody works.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use premath_bd::{
    Access, DiskFile, FeatureLedgerStore, LockMode, LockOutcome, SessionStore, StoreError, Trajectory,
};
use premath_wire::InputError;

use crate::actions::issue::{invalid, told};
use crate::workspace::Workspace;

/// Who works when nobody was named.
const MAIN: &str = "main";
/// Time for a process of the same name that was asked to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where one session is.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) worker: String,
    /// Whether it is a worker's own, and not the repository's.
    pub(crate) is_named: bool,
    root: PathBuf,
}

impl Place {
    /// The place of a worker, or of the repository itself.
    pub(crate) fn of(workspace: &Workspace, worker: Option<&str>) -> Result<Self, InputError> {
        let root = workspace.root.join(".premath");
        let Some(worker) = told(worker) else {
            return Ok(Self { worker: MAIN.to_owned(), is_named: false, root });
        };
        let is_plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '-' | '_');
        if worker.len() > 64 || !worker.chars().all(is_plain) {
            let what = "a worker is named with letters, digits, `-` and `_`, at most 64";
            return Err(invalid(what, "workerId"));
        }
        Ok(Self { worker: worker.to_owned(), is_named: true, root })
    }

    /// The folder of all workers.
    pub(crate) fn workers(&self) -> PathBuf {
        self.root.join("workers")
    }

    fn folder(&self) -> PathBuf {
        if self.is_named { self.workers().join(&self.worker) } else { self.root.clone() }
    }

    pub(crate) fn session(&self, workspace: &Workspace) -> SessionStore {
        SessionStore::new(Arc::clone(&workspace.disk), self.folder().join("harness_session.json"))
    }

    pub(crate) fn ledger(&self, workspace: &Workspace) -> FeatureLedgerStore {
        let path = self.folder().join("harness_feature_ledger.json");
        FeatureLedgerStore::new(Arc::clone(&workspace.disk), path)
    }

    pub(crate) fn trajectory(&self, workspace: &Workspace) -> Trajectory {
        let path = self.root.join("harness_trajectory.jsonl");
        Trajectory::new(Arc::clone(&workspace.disk), path)
    }

    /// Makes the folder, and keeps every other process of this name out until the answer is dropped.
    ///
    /// # Errors
    /// `Missing` where there is no repository: none is made on the way. `Busy` while another process works under this name.
    pub(crate) fn enter(&self, workspace: &Workspace) -> Result<Box<dyn DiskFile>, StoreError> {
        match workspace.disk.list(&self.root) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(StoreError::Missing { path: self.root.clone() });
            }
            Ok(_) | Err(_) => {}
        }
        let folder = self.workers().join(&self.worker);
        let made = workspace.disk.create_folder(&folder);
        made.map_err(|source| StoreError::Io { doing: "make", path: folder.clone(), source })?;
        let path = folder.join("worker.lock");
        let failed = |source| StoreError::Io { doing: "lock", path: path.clone(), source };
        let file = workspace.disk.open(&path, Access::Update).map_err(failed)?;
        match file.lock(LockMode::Exclusive, PATIENCE).map_err(failed)? {
            LockOutcome::Held => Ok(file),
            LockOutcome::Busy => Err(StoreError::Busy { path: path.clone() }),
        }
    }
}
