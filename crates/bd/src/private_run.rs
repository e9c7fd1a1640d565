//! The private store of a run that must leave nothing behind but digests: its journals and its objects, until it is over.
//!
//! `.premath/runs/<run>/private`, which nobody but its owner can look into. It belongs to the first run of a work; those that
//! go on from it and those that work for it keep theirs there too, so that all of it goes at once. It must not decide when.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::clock::IdSource;
use crate::disk::Disk;
use crate::error::StoreError;
use crate::journal::{Journal, check_name, runs_folder, sessions};
use crate::objects::Objects;

/// The folder in that of the run.
const FOLDER: &str = "private";

/// The private store of one run. Nothing is made until [`Self::prepare`].
#[derive(Debug, Clone)]
pub struct PrivateRun {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
}

impl PrivateRun {
    /// The store of a run in a repository.
    ///
    /// # Errors
    /// `Input` when the name of the run is not a name.
    pub fn of(disk: Arc<dyn Disk>, root: &Path, run_id: &str) -> Result<Self, StoreError> {
        check_name(run_id, "runId")?;
        Ok(Self { disk, folder: runs_folder(root).join(run_id).join(FOLDER) })
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes its folder, for its owner alone.
    ///
    /// # Errors
    /// `Io`
    pub fn prepare(&self) -> Result<(), StoreError> {
        let above = self.folder.parent().unwrap_or_else(|| Path::new(""));
        self.disk.create_folder(above).map_err(StoreError::io("make", above))?;
        self.disk.create_private_folder(&self.folder).map_err(StoreError::io("make", &self.folder))?;
        self.disk.sync_folder(above).map_err(StoreError::io("sync", above))
    }

    /// Whether it is there.
    ///
    /// # Errors
    /// `Io` when the system does not tell.
    pub fn exists(&self) -> Result<bool, StoreError> {
        match self.disk.list(&self.folder) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(StoreError::io("list", &self.folder)(error)),
        }
    }

    /// The whole journal of a run that keeps it here.
    ///
    /// # Errors
    /// `Input` when the name of the run is not a name.
    pub fn journal(&self, run_id: &str) -> Result<Journal, StoreError> {
        Ok(Journal::open(Arc::clone(&self.disk), &self.journals(), run_id)?.unrecorded())
    }

    /// The runs that have a journal here.
    ///
    /// # Errors
    /// `Io`
    pub fn runs(&self) -> Result<Vec<String>, StoreError> {
        sessions(self.disk.as_ref(), &self.journals())
    }

    /// The objects of all of them.
    #[must_use]
    pub fn objects(&self, ids: Arc<dyn IdSource>) -> Objects {
        Objects::new(Arc::clone(&self.disk), ids, self.folder.join("objects"))
    }

    /// Deletes all of it. What is not there is fine: somebody may have died in the middle of this.
    ///
    /// # Errors
    /// `Io`
    pub fn delete(&self) -> Result<(), StoreError> {
        if !self.exists()? {
            return Ok(());
        }
        delete_folder(self.disk.as_ref(), &self.folder)?;
        let above = self.folder.parent().unwrap_or_else(|| Path::new(""));
        self.disk.sync_folder(above).map_err(StoreError::io("sync", above))
    }

    /// Where they are.
    pub(crate) fn journals(&self) -> PathBuf {
        self.folder.join("runs")
    }
}

fn delete_folder(disk: &dyn Disk, folder: &Path) -> Result<(), StoreError> {
    for entry in disk.list(folder).map_err(StoreError::io("list", folder))? {
        let path = folder.join(&entry.name);
        if entry.is_folder {
            delete_folder(disk, &path)?;
        } else {
            gone(disk.remove(&path)).map_err(StoreError::io("remove", &path))?;
        }
    }
    gone(disk.remove_folder(folder)).map_err(StoreError::io("remove", folder))
}

fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
