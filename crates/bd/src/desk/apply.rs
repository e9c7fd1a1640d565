//! Making one change of a file or a folder, on the strength of one permit, once.
//!
//! The change, the version it makes, the words a search finds and the row for the audit are one transaction. A change that
//! a turn has made already is not made again, so that a process that was stopped may simply try.

mod bench;
mod edits;
mod folders;

use premath_kernel::{Object, Value, encode};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use self::bench::Bench;
use super::answer::{DeskAnswer, DeskRefusal, Stop};
use super::database::{Desk, Writing};
use super::file::{Item, unsigned};
use super::operation::Operation;
use super::outbox::Told;
use super::read::{content_row, file_row, item_row};
use crate::error::StoreError;
use crate::issues::counted;
use crate::permit::{Authority, Permit};

/// What a change came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Applied {
    /// It was made.
    Written(Box<Written>),
    /// The same intent of the same turn had made it before, and it was not made again.
    Repeated(Box<Written>),
    /// It was refused, and nothing changed.
    Refused(DeskRefusal),
}

/// A change that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The host action.
    pub action: String,
    /// The file or folder, as it is now.
    pub item: Item,
    /// The version of the file that the change made.
    pub version: Option<u64>,
    /// What takes it back.
    pub undo: Operation,
}

/// A change that was tried and not kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rehearsal {
    /// The file or folder, as it would be. The id of a new one is not the one it will get.
    pub item: Item,
    /// The content of the file before; none for a new or a deleted one, and for folders.
    pub before: Option<String>,
    /// The content of the file afterwards; none for a deleted one, and for folders.
    pub after: Option<String>,
}

impl Desk {
    /// Makes one change. `by` is the run, or the person where the permit does not say who it is.
    ///
    /// # Errors
    /// A database that failed; nothing was acknowledged then.
    pub fn apply(&self, permit: Permit, operation: &Operation, by: &str) -> Result<Applied, StoreError> {
        let authority = match permit.authorise(operation) {
            Ok(authority) => authority,
            Err(refusal) => return Ok(Applied::Refused(refusal.into())),
        };
        let actor = authority.member("actor").unwrap_or(by).to_owned();
        let answer = self.write(|writing| {
            let intent = authority.member("turn_digest").zip(authority.member("intent_digest"));
            if let Some((turn, intent)) = intent
                && let Some(written) = change_of(&writing.transaction, turn, intent)?
            {
                return Ok(Ok(Applied::Repeated(Box::new(written))));
            }
            let written = change(writing, &authority, &actor, operation)?;
            Ok(Ok(Applied::Written(Box::new(written))))
        })?;
        Ok(answer.unwrap_or_else(Applied::Refused))
    }

    /// What a change would do, which is then not done: for whoever asks, and for the person who is asked.
    ///
    /// # Errors
    /// A database that failed. Refuses as [`Self::apply`] would.
    pub fn rehearse(&self, operation: &Operation) -> DeskAnswer<Rehearsal> {
        let authority = Authority::rehearsal();
        self.rehearsed(|writing| {
            let connection = &writing.transaction;
            let before = operation.item().map(|id| content_now(connection, id)).transpose()?.flatten();
            let written = change(writing, &authority, "", operation)?;
            let after = content_now(connection, written.item.id())?;
            Ok(Rehearsal { item: written.item, before, after })
        })
    }

    /// The change that a turn made for an intent: how a process that was stopped learns whether it was made.
    ///
    /// # Errors
    /// A database that failed.
    pub fn applied_by(&self, turn_digest: &str, intent_digest: &str) -> Result<Option<Written>, StoreError> {
        self.read(|connection| change_of(connection, turn_digest, intent_digest))
    }
}

fn change(
    writing: &Writing<'_>,
    authority: &Authority,
    actor: &str,
    operation: &Operation,
) -> Result<Written, Stop> {
    let id = match operation {
        Operation::CreateMarkdown { .. } | Operation::CreateSpreadsheet { .. } => {
            writing.fresh("fil_", "files")?
        }
        Operation::CreateFolder { .. } => writing.fresh("fol_", "folders")?,
        Operation::UpdateMarkdown { .. }
        | Operation::UpdateCells { .. }
        | Operation::RenameFile { .. }
        | Operation::DeleteFile { .. }
        | Operation::DeleteFolder { .. }
        | Operation::RestoreFile { .. }
        | Operation::RestoreFolder { .. } => operation.item().unwrap_or_default().to_owned(),
    };
    let number = note(writing, authority, actor, operation, &id)?;
    let version = Bench { writing, authority, actor, number }.perform(operation, &id)?;
    let stored = version.map(super::file::signed);
    let update = "UPDATE changes SET version = ?2 WHERE number = ?1";
    writing.transaction.execute(update, params![number, stored])?;
    let written = written(&writing.transaction, operation.action().to_owned(), &id, version)?;
    tell(writing, authority, actor, operation, &written)?;
    Ok(written)
}

/// Notes who changes what, before it is changed.
fn note(
    writing: &Writing<'_>,
    authority: &Authority,
    actor: &str,
    operation: &Operation,
    id: &str,
) -> Result<i64, Stop> {
    let insert = "INSERT INTO changes(action, arguments, arguments_digest, item, actor, authority,
           turn_digest, intent_digest, at) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let members = authority.members().map(|(name, value)| (name.into(), Value::from(value))).collect();
    let members = Object::from_members(members).map_err(|error| Stop::Damaged(error.to_string()))?;
    let digest = operation.args_digest();
    let row = params![
        operation.action(),
        text(&operation.args()),
        digest.as_str(),
        id,
        actor,
        text(&Value::Object(members)),
        authority.member("turn_digest"),
        authority.member("intent_digest"),
        writing.now,
    ];
    writing.transaction.execute(insert, row)?;
    Ok(writing.transaction.last_insert_rowid())
}

fn tell(
    writing: &Writing<'_>,
    authority: &Authority,
    actor: &str,
    operation: &Operation,
    written: &Written,
) -> Result<(), Stop> {
    let digest = operation.args_digest();
    let target = Object::fields()
        .field("id", written.item.id())
        .field("kind", written.item.kind())
        .field("name", written.item.name())
        .finish();
    let data = Object::fields()
        .field("action", operation.action())
        .optional("authority", authority.members().next().map(|(_, kind)| kind))
        .optional("version", written.version.map(counted))
        .finish();
    let about = Object::fields()
        .field("argsDigest", digest.as_str())
        .field("data", data)
        .optional("intentDigest", authority.member("intent_digest"))
        .optional("policyDigest", authority.member("policy_digest"))
        .optional("reason", authority.member("override_reason"))
        .optional("runId", authority.member("turn_digest").map(|_| actor))
        .field("targets", vec![target])
        .field("tool", operation.action())
        .optional("turnDigest", authority.member("turn_digest"));
    writing.tell(Told::Mutation, actor, "applied", &about.finish())
}

fn change_of(connection: &Connection, turn: &str, intent: &str) -> Result<Option<Written>, Stop> {
    let query = "SELECT action, item, version FROM changes WHERE turn_digest = ?1 AND intent_digest = ?2";
    let columns = |row: &Row<'_>| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, Option<i64>>(2)?))
    };
    let found = connection.query_row(query, params![turn, intent], columns).optional()?;
    let Some((action, item, version)) = found else { return Ok(None) };
    written(connection, action, &item, version.map(unsigned).transpose()?).map(Some)
}

fn written(connection: &Connection, action: String, id: &str, version: Option<u64>) -> Result<Written, Stop> {
    let item = item_row(connection, id)?
        .ok_or_else(|| Stop::Damaged(format!("`{id}` was changed and is not there")))?;
    let undo = match (&item, version) {
        (Item::File(_), version) => undo_of_version(connection, id, version.unwrap_or_default())?,
        (Item::Folder(_), _) if action == "desk.delete_folder" => {
            Operation::RestoreFolder { folder: id.to_owned() }
        }
        (Item::Folder(_), _) => Operation::DeleteFolder { folder: id.to_owned() },
    };
    Ok(Written { action, item, version, undo })
}

/// What makes a file what it was before one of its versions.
fn undo_of_version(connection: &Connection, id: &str, version: u64) -> Result<Operation, Stop> {
    let file = id.to_owned();
    let before = version.saturating_sub(1);
    let query = "SELECT is_deleted FROM versions WHERE file = ?1 AND version = ?2";
    let row = params![id, super::file::signed(before)];
    let was_deleted: Option<bool> = connection.query_row(query, row, |row| row.get(0)).optional()?;
    Ok(match was_deleted {
        Some(false) => Operation::RestoreFile { file, version: Some(before) },
        // It was not there before, or it was deleted.
        Some(true) | None => Operation::DeleteFile { file, version: None },
    })
}

impl Bench<'_> {
    /// Changes what is there; returns the version of the file that it makes.
    fn perform(&self, operation: &Operation, id: &str) -> Result<Option<u64>, Stop> {
        match operation {
            Operation::CreateMarkdown { name, folder, content } => {
                self.create_markdown(id, name, folder.as_deref(), content).map(Some)
            }
            Operation::CreateSpreadsheet { name, folder, cells } => {
                self.create_spreadsheet(id, name, folder.as_deref(), cells).map(Some)
            }
            Operation::CreateFolder { name, parent } => {
                self.create_folder(id, name, parent.as_deref()).map(|()| None)
            }
            Operation::UpdateMarkdown { file, version, change } => {
                self.update_markdown(file, *version, change).map(Some)
            }
            Operation::UpdateCells { file, version, updates } => {
                self.update_cells(file, *version, updates).map(Some)
            }
            Operation::RenameFile { file, name, version } => self.rename(file, name, *version).map(Some),
            Operation::DeleteFile { file, version } => self.delete_file(file, *version).map(Some),
            Operation::RestoreFile { file, version } => self.restore_file(file, *version).map(Some),
            Operation::DeleteFolder { folder } => self.delete_folder(folder).map(|()| None),
            Operation::RestoreFolder { folder } => self.restore_folder(folder).map(|()| None),
        }
    }

    /// The file that must be there, deleted or not.
    fn file(&self, id: &str) -> Result<super::file::DeskFile, Stop> {
        file_row(&self.writing.transaction, id)?.ok_or_else(|| bench::not_found("file", id))
    }
}

/// The content of a file that is not deleted.
fn content_now(connection: &Connection, id: &str) -> Result<Option<String>, Stop> {
    match file_row(connection, id)? {
        Some(file) if file.deleted_at.is_none() => content_row(connection, &file.digest).map(Some),
        Some(_) | None => Ok(None),
    }
}

/// Canonical JSON.
pub(super) fn text(value: &Value<'_>) -> String {
    String::from_utf8_lossy(&encode(value)).into_owned()
}
