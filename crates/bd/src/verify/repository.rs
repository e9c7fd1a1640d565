//! A repository as a whole: what verification reads and the doctor mends. It must not open anything by itself.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::lanes::{FOLDER, ISSUES, Lanes};
use super::read_only::ReadOnly;
use crate::clock::{Clock, IdSource};
use crate::disk::Disk;
use crate::error::StoreError;
use crate::issues::{FileIssues, IssueStore as _};
use crate::objects::{Objects, objects_folder};
use crate::witnesses::{Witnesses, witnesses_folder};

/// A repository that uses premath.
#[derive(Debug, Clone)]
pub struct Repository {
    /// Its file system.
    pub disk: Arc<dyn Disk>,
    /// Its clock.
    pub clock: Arc<dyn Clock>,
    /// Its source of names.
    pub ids: Arc<dyn IdSource>,
    /// The folder that holds `.premath`; empty for the current one.
    pub root: PathBuf,
    /// Its issue memory.
    pub issues: PathBuf,
}

impl Repository {
    /// The repository in a folder, with its issue memory where it is unless somebody says otherwise.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>, root: &Path) -> Self {
        Self { disk, clock, ids, root: root.to_owned(), issues: root.join(FOLDER).join(ISSUES) }
    }

    /// `.premath`
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.root.join(FOLDER)
    }

    /// The same repository, where nothing can be changed and nothing is derived.
    pub(super) fn read_only(&self) -> Self {
        let disk = ReadOnly { disk: Arc::clone(&self.disk), with_indexes: false };
        Self { disk: Arc::new(disk), ..self.clone() }
    }

    /// Whether the index of issue memory, where there is one, holds what it should.
    pub(crate) fn has_sound_issue_index(&self) -> Result<bool, StoreError> {
        let disk = ReadOnly { disk: Arc::clone(&self.disk), with_indexes: true };
        let issues = FileIssues::new(Arc::new(disk), self.issues.clone());
        let read = issues.view().and_then(|view| {
            view.all()?;
            view.problems()?;
            view.graph().map(drop)
        });
        match read {
            Err(StoreError::DerivedDamaged { .. }) => Ok(false),
            Ok(()) | Err(StoreError::Missing { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn lanes(&self) -> Result<Lanes<'_>, StoreError> {
        Lanes::new(&self.disk, &self.root, &self.issues)
    }

    /// Its objects.
    #[must_use]
    pub fn objects(&self) -> Objects {
        Objects::new(Arc::clone(&self.disk), Arc::clone(&self.ids), objects_folder(&self.root))
    }

    /// Its witnesses.
    #[must_use]
    pub fn witnesses(&self) -> Witnesses {
        Witnesses::new(Arc::clone(&self.disk), Arc::clone(&self.ids), witnesses_folder(&self.root))
    }
}
