//! Changes that a program announced and of which nobody noted what came of them, because the process was ended in between.
//!
//! While an evaluation may announce something it holds a mark: a file whose lock dies with the process. Whoever writes rows
//! next finds marks that nobody holds, and notes `scheme.interrupted` for what is open under them. It must not speak for an
//! evaluation that goes on.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use premath_bd::{
    Access, Cursor, DiskFile, Journal, JournalEvent, LockMode, LockOutcome, StoreError, doors_folder,
};
use premath_kernel::{Object, Value};
use premath_wire::v1::{FindingState, Severity, StoreProblem};

use super::door::CLIENT;
use crate::workspace::{Workspace, shown};

/// Somebody who looks after a mark lets go of it at once.
const PATIENCE: Duration = Duration::from_secs(1);
/// So often a mark is made again that somebody else took for one that was left behind.
const ATTEMPTS: usize = 5;
/// So many rows are read at once.
const PAGE: usize = 1_000;

/// The mark of an evaluation that goes on.
#[derive(Debug)]
pub(super) struct Mark {
    path: PathBuf,
    #[expect(dead_code, reason = "its lock is held until it is dropped")]
    file: Box<dyn DiskFile>,
}

/// One announcement, as its row says it.
struct Announced {
    evaluation: String,
    event: Value<'static>,
}

fn folder(workspace: &Workspace) -> PathBuf {
    doors_folder(&workspace.root).join(CLIENT).join("open")
}

impl Mark {
    /// Marks an evaluation as one that may announce something.
    ///
    /// # Errors
    /// `Busy`, `Io`. Nothing may be announced then.
    pub(super) fn new(workspace: &Workspace, evaluation: &str) -> Result<Self, StoreError> {
        let folder = folder(workspace);
        let path = folder.join(evaluation);
        let failed = |source| StoreError::Io { doing: "mark", path: path.clone(), source };
        workspace.disk.create_folder(&folder).map_err(failed)?;
        for _ in 0..ATTEMPTS {
            let file = workspace.disk.open(&path, Access::Update).map_err(failed)?;
            let is_held = file.lock(LockMode::Exclusive, PATIENCE).map_err(failed)? == LockOutcome::Held;
            let is_there = || -> std::io::Result<bool> {
                Ok(workspace.disk.list(&folder)?.iter().any(|entry| entry.name == evaluation))
            };
            // Before the lock was had somebody may have taken the mark away.
            if is_held && is_there().map_err(failed)? {
                return Ok(Self { path, file });
            }
        }
        Err(StoreError::Busy { path })
    }

    /// Takes the mark away: everything that was announced is noted.
    pub(super) fn lift(self, workspace: &Workspace) -> Result<(), StoreError> {
        removed(workspace, &self.path)
    }
}

fn removed(workspace: &Workspace, path: &Path) -> Result<(), StoreError> {
    match workspace.disk.remove(path) {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(StoreError::Io { doing: "remove", path: path.to_path_buf(), source })
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Notes as interrupted what was announced by evaluations that are no more.
///
/// # Errors
/// `Busy`, `Io`: they stay open.
pub(super) fn close_abandoned(workspace: &Workspace, journal: &Journal) -> Result<(), StoreError> {
    let folder = folder(workspace);
    // Held until their rows are written, so that nobody else writes the same.
    let mut abandoned = Vec::new();
    for name in marks(workspace)? {
        let path = folder.join(&name);
        if let Some(file) = abandoned_mark(workspace, &path)? {
            abandoned.push((name, path, file));
        }
    }
    if abandoned.is_empty() {
        return Ok(());
    }
    let open = open(journal)?;
    let theirs = open.iter().filter(|one| abandoned.iter().any(|(name, ..)| *name == one.evaluation));
    let rows: Vec<JournalEvent> = theirs.map(interrupted).collect();
    if !rows.is_empty() {
        journal.write()?.append_events(&rows, workspace.clock.now())?;
    }
    abandoned.iter().try_for_each(|(_, path, _)| removed(workspace, path))
}

fn marks(workspace: &Workspace) -> Result<Vec<String>, StoreError> {
    let folder = folder(workspace);
    match workspace.disk.list(&folder) {
        Ok(entries) => Ok(entries.into_iter().map(|entry| entry.name).collect()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(StoreError::Io { doing: "list", path: folder, source }),
    }
}

/// A mark that nobody holds any more, held now; none where somebody does, or it is gone.
fn abandoned_mark(workspace: &Workspace, path: &Path) -> Result<Option<Box<dyn DiskFile>>, StoreError> {
    let failed = |source| StoreError::Io { doing: "look at", path: path.to_path_buf(), source };
    let file = match workspace.disk.open(path, Access::Read) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(failed)?,
    };
    let held = file.lock(LockMode::Exclusive, Duration::ZERO).map_err(failed)?;
    Ok((held == LockOutcome::Held).then_some(file))
}

fn interrupted(one: &Announced) -> JournalEvent {
    let said = |name: &str| one.event.as_object().and_then(|event| event.get(name)).cloned();
    let fields = Object::fields()
        .field("evaluation", one.evaluation.clone())
        .optional("index", said("index"))
        .optional("action", said("action"))
        .optional("argsDigest", said("argsDigest"));
    JournalEvent::new("scheme.interrupted", fields)
}

/// What was announced and is not followed by what came of it, in the order of the announcements.
fn open(journal: &Journal) -> Result<Vec<Announced>, StoreError> {
    let mut open: BTreeMap<(String, String), (u64, Announced)> = BTreeMap::new();
    let mut cursor = Cursor::START;
    loop {
        let page = match journal.read_from(cursor, PAGE) {
            Err(StoreError::Missing { .. }) => break,
            page => page?,
        };
        for row in page.rows {
            let event = row.event.as_object();
            let text = |name: &str| event.and_then(|event| event.get(name)).and_then(Value::as_text);
            let (Some(kind), Some(evaluation)) = (text("kind"), text("evaluation")) else { continue };
            let index = event.and_then(|event| event.get("index")).map(premath_kernel::encode);
            let index = String::from_utf8(index.unwrap_or_default()).unwrap_or_default();
            let (kind, key) = (kind.to_owned(), (evaluation.to_owned(), index));
            if kind == "scheme.intent" {
                let one = Announced { evaluation: key.0.clone(), event: row.event };
                open.insert(key, (row.seq, one));
            } else if matches!(kind.as_str(), "scheme.call" | "scheme.interrupted") {
                open.remove(&key);
            }
        }
        cursor = page.next;
        if page.is_end {
            break;
        }
    }
    let mut rows: Vec<(u64, Announced)> = open.into_values().collect();
    rows.sort_by_key(|(seq, _)| *seq);
    Ok(rows.into_iter().map(|(_, one)| one).collect())
}

/// What `verify` says of announcements that are open and that nobody is about to close.
///
/// # Errors
/// `Io` when a file cannot be read.
pub(crate) fn announcement_problems(workspace: &Workspace) -> Result<Vec<StoreProblem>, StoreError> {
    let journal = Journal::open(Arc::clone(&workspace.disk), &doors_folder(&workspace.root), CLIENT)?;
    let mut problems = Vec::new();
    for one in open(&journal)? {
        let path = folder(workspace).join(&one.evaluation);
        let is_going_on =
            marks(workspace)?.contains(&one.evaluation) && abandoned_mark(workspace, &path)?.is_none();
        if is_going_on {
            continue;
        }
        let action = one.event.as_object().and_then(|event| event.get("action")).and_then(Value::as_text);
        problems.push(StoreProblem {
            class: "scheme.intent_open".to_owned(),
            severity: Severity::Warning,
            state: FindingState::Notice,
            path: shown(journal.path()),
            line: None,
            missing: None,
            detail: format!(
                "{} announced `{}`, and no row says what came of it",
                one.evaluation,
                action.unwrap_or("unknown")
            ),
            meaning: "a program was ended in the middle of a change, which is made or not".to_owned(),
            hint: "the next program that calls something notes it as interrupted".to_owned(),
        });
    }
    Ok(problems)
}
