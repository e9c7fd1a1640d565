//! The ports of a run over a repository: its journal, its issue memory, its objects.

use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::desk::{self, DeskRefusal, ProposalDraft};
use premath_bd::issues::{Applied, FileIssues, IssueRow, IssueStore as _, Operation};
use premath_bd::{
    Change, Clock, Cursor, Journal, JournalEvent, JournalRow, JournalWriter, ObjectId, Objects, StoreError,
    TurnGrant, Witnesses, witnesses_folder,
};
use premath_kernel::{Digest, Moment, Value};
use premath_tusk::tools::files::{FileError, WorkFiles};
use premath_tusk::turn_loop::{IntentOutcome, IssuePort, ObjectPort, RunConfig, RunJournal};

use super::instructed::RunAuthority;
use super::kept::Projection;
use super::lease::Refused;
use super::people::stored;
use super::retention;
use super::run::Ground;
use crate::desk_store::{existing_desk, open_desk, publish};
use crate::recording::{For, apply};
use crate::workspace::{Retention, Workspace};

/// The most bytes of a file that is looked at for its digest.
const LARGEST: u64 = 64 << 20;

/// The journal of a run in its file.
#[derive(Debug)]
pub struct FileJournal {
    writer: JournalWriter,
    /// What stays of a run that keeps nothing.
    kept: Option<KeptRows>,
    clock: Arc<dyn Clock>,
}

/// The journal that stays when the one with everything goes.
#[derive(Debug)]
struct KeptRows {
    writer: JournalWriter,
    projection: Projection,
}

impl KeptRows {
    /// Opens it, and writes what a process that died had no time to.
    fn open(whole: &Journal, workspace: &Workspace, owner: &str) -> Result<Self, StoreError> {
        let journal = retention::kept(workspace, whole.session())?;
        let mut kept = Self { writer: journal.hold()?, projection: Projection::new(owner.to_owned()) };
        let mut behind = rows(&journal)?.len();
        for row in rows(whole)? {
            let projected = kept.projection.row(&row.event)?;
            if behind == 0 {
                kept.writer.append_events(&[projected], row.at)?;
            }
            behind = behind.saturating_sub(1);
        }
        Ok(kept)
    }

    fn append(&mut self, rows: &[JournalEvent], at: Moment) -> Result<(), StoreError> {
        let mut kept = Vec::with_capacity(rows.len());
        for row in rows {
            kept.push(self.projection.row(&row.value())?);
        }
        self.writer.append_events(&kept, at).map(drop)
    }
}

fn rows(journal: &Journal) -> Result<Vec<JournalRow>, StoreError> {
    match journal.read_from(Cursor::START, usize::MAX) {
        Err(StoreError::Missing { .. }) => Ok(Vec::new()),
        page => Ok(page?.rows),
    }
}

impl FileJournal {
    /// Opens it for writing; its rows bear the time of the workspace's clock.
    ///
    /// # Errors
    /// `Busy` while another process writes; `Io`.
    pub fn open(journal: &Journal, workspace: &Workspace) -> Result<Self, StoreError> {
        let clock = Arc::clone(&workspace.clock);
        let Retention::Digests { owner } = &workspace.retention else {
            return Ok(Self { writer: journal.hold()?, kept: None, clock });
        };
        retention::private(workspace, owner)?.prepare()?;
        let writer = journal.hold()?;
        let kept = KeptRows::open(journal, workspace, owner)?;
        Ok(Self { writer, kept: Some(kept), clock })
    }
}

impl RunJournal for FileJournal {
    fn append(&mut self, rows: &[JournalEvent]) -> Result<(), StoreError> {
        let now = self.clock.now();
        self.writer.append_events(rows, now)?;
        self.kept.as_mut().map_or(Ok(()), |kept| kept.append(rows, now))
    }

    fn seal(&mut self) -> Result<(), StoreError> {
        self.writer.sync_head()?;
        self.kept.as_mut().map_or(Ok(()), |kept| kept.writer.sync_head())
    }
}

/// Issue memory, behind permits that closed turns earned.
#[derive(Debug)]
pub(super) struct RunIssues<'g> {
    workspace: Workspace,
    run_id: String,
    authority: RunAuthority<'g>,
    store: FileIssues,
    witnesses: Witnesses,
    /// The witnesses that were stored, for whoever cites them.
    pub(super) cited: Vec<String>,
    /// The changes that were made, as references.
    pub(super) changes: Vec<String>,
}

impl<'g> RunIssues<'g> {
    pub(super) fn new(ground: Ground<'g>, config: &RunConfig) -> Self {
        let (workspace, run_id) = (ground.workspace, config.run_id.as_str());
        let disk = Arc::clone(&workspace.disk);
        Self {
            authority: RunAuthority::new(ground, config),
            store: FileIssues::new(Arc::clone(&disk), workspace.issues_path(None))
                .naming(workspace.id_naming()),
            witnesses: Witnesses::new(disk, Arc::clone(&workspace.ids), witnesses_folder(&workspace.root)),
            workspace: workspace.clone(),
            run_id: run_id.to_owned(),
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

impl IssuePort for RunIssues<'_> {
    fn witness(&mut self, records: &[Value<'_>]) -> Result<(), StoreError> {
        let ids = self.witnesses.put_records(records)?;
        self.cited.extend(ids.into_iter().map(|id| format!("witness://{id}")));
        Ok(())
    }

    fn apply(&mut self, grant: TurnGrant, change: &Change) -> Result<IntentOutcome, StoreError> {
        match change {
            Change::Issues(operation) => self.change_issues(grant, operation),
            Change::Desk(operation) => self.change_desk(grant, operation),
            Change::Propose(draft) => self.propose(grant, draft),
        }
    }

    fn found(&mut self, turn: &str, intent: &str) -> Result<Option<IntentOutcome>, StoreError> {
        match self.store.written_by(turn, intent) {
            Err(StoreError::Missing { .. }) | Ok(None) => {}
            found => return Ok(found?.as_ref().map(now)),
        }
        let Some(desk) = existing_desk(&self.workspace)? else { return Ok(None) };
        Ok(desk.applied_by(turn, intent)?.as_ref().map(written))
    }
}

impl RunIssues<'_> {
    fn change_issues(
        &mut self,
        grant: TurnGrant,
        operation: &Operation,
    ) -> Result<IntentOutcome, StoreError> {
        match self.ready() {
            // A run outside a repository can work; it has no issues to change.
            Err(StoreError::Missing { path }) => {
                let detail = format!("there is no issue memory at `{}`", path.display());
                return Ok(IntentOutcome::Refused { class: "issue_memory_missing".to_owned(), detail });
            }
            ready => ready?,
        }
        let permit = match self.authority.permit(grant, Some(operation)).map_err(stored)? {
            Ok(permit) => permit,
            Err(refused) => return Ok(unlinked(refused)),
        };
        let asked = For::Run(&self.run_id);
        let applied = apply(&self.workspace, &self.store, permit, operation, asked)?;
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

    fn change_desk(
        &mut self,
        grant: TurnGrant,
        operation: &desk::Operation,
    ) -> Result<IntentOutcome, StoreError> {
        let permit = match self.authority.permit(grant, None).map_err(stored)? {
            Ok(permit) => permit,
            Err(refused) => return Ok(unlinked(refused)),
        };
        let desk = open_desk(&self.workspace)?;
        let applied = desk.apply(permit, operation, &self.run_id)?;
        publish(&self.workspace, &desk)?;
        Ok(match applied {
            desk::Applied::Written(change) | desk::Applied::Repeated(change) => {
                self.changes.push(format!("desk://{}", change.item.id()));
                written(&change)
            }
            desk::Applied::Refused(refusal) => refused(refusal),
        })
    }

    fn propose(&mut self, grant: TurnGrant, draft: &ProposalDraft) -> Result<IntentOutcome, StoreError> {
        let permit = match self.authority.permit(grant, None).map_err(stored)? {
            Ok(permit) => permit,
            Err(refused) => return Ok(unlinked(refused)),
        };
        let desk = open_desk(&self.workspace)?;
        let wait_seconds = self.workspace.settings.policy.approval_seconds();
        let proposed = desk.propose_for(permit, draft, wait_seconds)?;
        publish(&self.workspace, &desk)?;
        Ok(match proposed {
            Ok(proposal) => {
                IntentOutcome::Changed { id: proposal.id, status: proposal.state.token().to_owned() }
            }
            Err(refusal) => refused(refusal),
        })
    }
}

/// A change that no instruction stands behind, and what to do about it.
fn unlinked(refused: Refused) -> IntentOutcome {
    let detail = format!("{}; {}", refused.detail, refused.hint);
    IntentOutcome::Refused { class: refused.class, detail }
}

fn refused(refusal: DeskRefusal) -> IntentOutcome {
    IntentOutcome::Refused { class: refusal.class.code().to_owned(), detail: refusal.detail }
}

fn written(change: &desk::Written) -> IntentOutcome {
    let status = match (change.item.is_deleted(), change.version) {
        (true, _) => "deleted".to_owned(),
        (false, Some(version)) => format!("version {version}"),
        (false, None) => "there".to_owned(),
    };
    IntentOutcome::Changed { id: change.item.id().to_owned(), status }
}

/// Objects and the files of the workdir.
#[derive(Debug)]
pub(super) struct RunObjects {
    objects: Objects,
    files: Arc<dyn WorkFiles>,
}

impl RunObjects {
    pub(super) fn new(workspace: &Workspace, files: Arc<dyn WorkFiles>) -> Result<Self, StoreError> {
        Ok(Self { objects: retention::objects(workspace)?, files })
    }
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
