//! Changes and the audit log: the one place where a change that a store acknowledged gets its row.
//!
//! The log is opened before the change is made: where it cannot be written, nothing changes. A process that is killed
//! between the change and its row leaves a change that `audit verify --reconcile` finds, for the row of an issue says who
//! wrote it. Rows about a run anchor its journal: which row it had when something was authorised. It must not decide whether
//! a change may happen.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use premath_bd::issues::{Applied, FileIssues, Imported, IssueRow, Operation, apply as bare_apply};
use premath_bd::{
    Access, AuditLog, AuditWriter, Journal, JournalAnchor, Permit, StoreError, change_row, fresh_audit_id,
    import_row, runs_folder,
};
use premath_kernel::{Digest, Object, Value};
use premath_wire::Json;
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{AuditKind, AuditRow};

use crate::workspace::Workspace;

/// The audit log of a repository.
#[must_use]
pub fn audit_log(workspace: &Workspace) -> AuditLog {
    log_at(workspace, workspace.root.join(".premath").join(AuditLog::FILE_NAME))
}

fn log_at(workspace: &Workspace, path: PathBuf) -> AuditLog {
    AuditLog::new(Arc::clone(&workspace.disk), path, workspace.redactor.clone())
        .with_receipts(workspace.receipts.clone())
}

/// The audit log that an issue memory belongs to: that of its repository, or one beside it where it has none.
pub(crate) fn audit_log_of(workspace: &Workspace, issues: &Path) -> AuditLog {
    let home = issues.parent().filter(|folder| folder.file_name().is_some_and(|name| name == ".premath"));
    if let Some(home) = home {
        return log_at(workspace, home.join(AuditLog::FILE_NAME));
    }
    let is_own = plain(issues) == plain(&workspace.issues_path(None));
    if is_own && workspace.disk.list(&workspace.root.join(".premath")).is_ok() {
        return audit_log(workspace);
    }
    let stem = issues.file_stem().unwrap_or_default().to_string_lossy();
    log_at(workspace, issues.with_file_name(format!("{stem}.audit.jsonl")))
}

/// A path without detours: `memo/../memo/issues.jsonl` is the same file as `memo/issues.jsonl`.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            Component::ParentDir | Component::Normal(_) | Component::RootDir | Component::Prefix(_) => {
                plain.push(part);
            }
        }
    }
    plain
}

/// Whether a change is made for a run, and which.
#[derive(Debug, Clone, Copy)]
pub(crate) enum For<'r> {
    /// A person, or whoever else stands at the door.
    Door,
    /// A run.
    Run(&'r str),
    /// A turn without a model, which is in this journal.
    Turn(&'r Journal),
}

/// A path as anchors and witnesses name it: from the root, with slashes.
pub(crate) fn named_from_root(workspace: &Workspace, path: &Path) -> String {
    let relative = path.strip_prefix(&workspace.root).unwrap_or(path);
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

/// A row about a run, with the anchor of the journal that stays of it.
pub(crate) fn anchored(workspace: &Workspace, mut row: AuditRow) -> Result<AuditRow, StoreError> {
    let Some(run_id) = row.run_id.clone() else { return Ok(row) };
    if let Some(anchor) = For::Run(&run_id).anchor(workspace)? {
        row.data = Some(Json(anchor.beside(row.data.as_ref().map(|data| &data.0))));
    }
    Ok(row)
}

impl For<'_> {
    /// The row of its journal that a change rests on, read before the change is made: a journal that this clone did not write
    /// authorises none.
    fn anchor(self, workspace: &Workspace) -> Result<Option<JournalAnchor>, StoreError> {
        let journal = match self {
            Self::Door => return Ok(None),
            Self::Turn(journal) => journal.clone(),
            Self::Run(run_id) => {
                match Journal::open(Arc::clone(&workspace.disk), &runs_folder(&workspace.root), run_id) {
                    Err(StoreError::Input(_)) => return Ok(None),
                    opened => opened?,
                }
            }
        };
        let last = journal.position()?;
        Ok(last.map(|last| JournalAnchor::new(named_from_root(workspace, journal.path()), Some(&last))))
    }
}

/// Makes one change of issue memory, on the strength of one permit, and puts it on record.
pub(crate) fn apply(
    workspace: &Workspace,
    store: &FileIssues,
    permit: Permit,
    operation: &Operation,
    asked: For<'_>,
) -> Result<Applied, StoreError> {
    let recorder = Recorder::open(workspace, store.path())?;
    let anchor = asked.anchor(workspace)?;
    let applied = bare_apply(store, permit, operation, workspace.clock.as_ref())?;
    if let Applied::Written(written) = &applied {
        recorder.change(&written.row, &operation.args_digest(), asked, anchor.as_ref())?;
    }
    Ok(applied)
}

/// An audit log that is ready to be written.
#[derive(Debug)]
pub(crate) struct Recorder {
    log: AuditLog,
    /// None where there is no log yet: what is refused does not begin one.
    writer: Option<AuditWriter>,
}

impl Recorder {
    /// Opens the log that an issue memory belongs to.
    pub(crate) fn open(workspace: &Workspace, issues: &Path) -> Result<Self, StoreError> {
        let log = audit_log_of(workspace, issues);
        log.require_authentic()?;
        let writer = match workspace.disk.open(log.path(), Access::Read) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Ok(_) | Err(_) => Some(log.write()?),
        };
        Ok(Self { log, writer })
    }

    fn append(self, row: AuditRow) -> Result<(), StoreError> {
        let mut writer = match self.writer {
            Some(writer) => writer,
            None => self.log.write()?,
        };
        writer.append(&[row]).map(drop)
    }

    fn change(
        self,
        row: &IssueRow,
        args: &Digest,
        asked: For<'_>,
        anchor: Option<&JournalAnchor>,
    ) -> Result<(), StoreError> {
        let Some(mut audit) = change_row(row, Some(args)) else { return Ok(()) };
        if let For::Run(run_id) = asked {
            audit.run_id = Some(run_id.to_owned());
        }
        if let Some(anchor) = anchor {
            audit.data = Some(Json(anchor.beside(audit.data.as_ref().map(|data| &data.0))));
        }
        self.append(audit)
    }

    /// Puts rows on record that were taken over together.
    pub(crate) fn import(
        self,
        workspace: &Workspace,
        imported: &Imported,
        source: &str,
    ) -> Result<(), StoreError> {
        if imported.written == 0 {
            return Ok(());
        }
        let mut row = import_row(imported.at, workspace.door.actor().as_deref(), imported.written);
        row.path = Some(source.to_owned());
        self.append(row)
    }

    /// Puts upkeep on record: what it is called, and what it came to.
    pub(crate) fn upkeep(
        self,
        workspace: &Workspace,
        action: &str,
        data: Value<'static>,
    ) -> Result<(), StoreError> {
        let mut row = done(workspace, action);
        row.data = Some(Json(data));
        self.append(row)
    }
}

/// Puts the writing of a lane on record that is nobody's authority. It has no sync of its own, and a folder that is no
/// repository has no log.
pub(crate) fn note_lane(
    workspace: &Workspace,
    action: &str,
    args: &Value<'_>,
    args_digest: &Digest,
) -> Result<(), StoreError> {
    let text = |name: &str| args.as_object()?.get(name)?.as_text().map(str::to_owned);
    let mut row = done(workspace, action);
    row.args_digest = Some(args_digest.as_str().to_owned());
    row.issue_id = text("issueId");
    row.path = text("path");
    row.data = Some(Json(Object::fields().field("authority", "maintenance").finish()));
    match audit_log(workspace).append_lazily(&[row]) {
        Err(StoreError::Missing { .. }) => Ok(()),
        written => written.map(drop),
    }
}

fn done(workspace: &Workspace, action: &str) -> AuditRow {
    let at = format_time(to_millis(workspace.clock.now()));
    let actor = workspace.door.actor().unwrap_or_else(|| "operator".to_owned());
    let id = fresh_audit_id(workspace.ids.as_ref());
    let mut row = AuditRow::new(id, at, AuditKind::Mutation, actor, "applied");
    row.tool = Some(action.to_owned());
    row
}
