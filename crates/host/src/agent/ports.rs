//! The ports of a run over a repository: its journal, its issue memory, its objects.

use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::issues::{Applied, FileIssues, IssueRow, IssueStore as _, apply};
use premath_bd::{
    Change, Clock, Journal, JournalEvent, JournalWriter, ObjectId, Objects, Permit, StoreError, TurnGrant,
    Witnesses, objects_folder, witnesses_folder,
};
use premath_kernel::{Digest, Value};
use premath_tusk::tools::files::{FileError, WorkFiles};
use premath_tusk::turn_loop::{IntentOutcome, IssuePort, ObjectPort, RunJournal};

use crate::workspace::Workspace;

/// The most bytes of a file that is looked at for its digest.
const LARGEST: u64 = 64 << 20;

/// The journal of a run in its file.
#[derive(Debug)]
pub struct FileJournal {
    writer: JournalWriter,
    clock: Arc<dyn Clock>,
}

impl FileJournal {
    /// Opens it for writing; its rows bear the time of the workspace's clock.
    ///
    /// # Errors
    /// `Busy` while another process writes; `Io`.
    pub fn open(journal: &Journal, workspace: &Workspace) -> Result<Self, StoreError> {
        Ok(Self { writer: journal.hold()?, clock: Arc::clone(&workspace.clock) })
    }
}

impl RunJournal for FileJournal {
    fn append(&mut self, rows: &[JournalEvent]) -> Result<(), StoreError> {
        self.writer.append_events(rows, self.clock.now()).map(drop)
    }

    fn seal(&mut self) -> Result<(), StoreError> {
        self.writer.sync_head()
    }
}

/// Issue memory, behind permits that closed turns earned.
#[derive(Debug)]
pub(super) struct RunIssues {
    store: FileIssues,
    witnesses: Witnesses,
    clock: Arc<dyn Clock>,
    /// The witnesses that were stored, for whoever cites them.
    pub(super) cited: Vec<String>,
    /// The changes that were made, as references.
    pub(super) changes: Vec<String>,
}

impl RunIssues {
    pub(super) fn new(workspace: &Workspace) -> Self {
        let disk = Arc::clone(&workspace.disk);
        Self {
            store: FileIssues::new(Arc::clone(&disk), workspace.issues_path(None)),
            witnesses: Witnesses::new(disk, Arc::clone(&workspace.ids), witnesses_folder(&workspace.root)),
            clock: Arc::clone(&workspace.clock),
            cited: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// A derived file that is damaged is thrown away before a permit is spent on it.
    fn ready(&self) -> Result<(), StoreError> {
        match self.store.view().map(drop) {
            Err(StoreError::DerivedDamaged { .. }) => self.store.discard_index(),
            other => other,
        }
    }
}

fn now(row: &IssueRow) -> IntentOutcome {
    let status = row.text("status").unwrap_or("open").to_owned();
    IntentOutcome::Applied { issue_id: row.id().to_owned(), status }
}

impl IssuePort for RunIssues {
    fn witness(&mut self, record: &Value<'_>) -> Result<(), StoreError> {
        let id = self.witnesses.put_record(record)?;
        self.cited.push(format!("witness://{id}"));
        Ok(())
    }

    fn apply(&mut self, grant: TurnGrant, change: &Change) -> Result<IntentOutcome, StoreError> {
        let Change::Issues(operation) = change;
        match self.ready() {
            // A run outside a repository can work; it has no issues to change.
            Err(StoreError::Missing { path }) => {
                let detail = format!("there is no issue memory at `{}`", path.display());
                return Ok(IntentOutcome::Refused { class: "issue_memory_missing".to_owned(), detail });
            }
            ready => ready?,
        }
        let applied = apply(&self.store, Permit::Turn(grant), operation, self.clock.as_ref())?;
        Ok(match applied {
            Applied::Written(written) => {
                self.changes.push(format!("issue://{}@{}", written.row.id(), written.row.rev()));
                now(&written.row)
            }
            Applied::Nothing(_) => IntentOutcome::Unchanged,
            Applied::Refused(refusal) => {
                IntentOutcome::Refused { class: refusal.class.code().to_owned(), detail: refusal.detail }
            }
        })
    }

    fn found(&mut self, turn: &str, intent: &str) -> Result<Option<IntentOutcome>, StoreError> {
        match self.store.written_by(turn, intent) {
            Err(StoreError::Missing { .. }) => Ok(None),
            found => Ok(found?.as_ref().map(now)),
        }
    }
}

/// Objects and the files of the workdir.
#[derive(Debug)]
pub(super) struct RunObjects {
    objects: Objects,
    files: Arc<dyn WorkFiles>,
}

impl RunObjects {
    pub(super) fn new(workspace: &Workspace, files: Arc<dyn WorkFiles>) -> Self {
        Self { objects: objects(workspace), files }
    }
}

/// The objects of a repository.
pub(super) fn objects(workspace: &Workspace) -> Objects {
    let folder = objects_folder(&workspace.root);
    Objects::new(Arc::clone(&workspace.disk), Arc::clone(&workspace.ids), folder)
}

impl ObjectPort for RunObjects {
    fn store(&mut self, mut bytes: &[u8]) -> Result<String, StoreError> {
        Ok(self.objects.put(&mut bytes)?.digest.to_string())
    }

    fn look(&mut self, reference: &str) -> Result<Option<String>, StoreError> {
        if let Ok(id) = reference.parse::<ObjectId>() {
            return Ok(self.objects.contains(&id)?.then(|| id.to_string()));
        }
        match self.files.read(reference, LARGEST) {
            Ok(content) => Ok(Some(Digest::of_bytes(&content.bytes).as_str().to_owned())),
            Err(FileError::System { source, .. }) => {
                Err(StoreError::Io { doing: "read", path: PathBuf::from(reference), source })
            }
            Err(_) => Ok(None),
        }
    }
}
