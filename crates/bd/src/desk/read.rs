//! Reading the desk: lists, contents, the tree, histories. What a content should be is in its digest, and what is not that
//! is not handed out.

use premath_kernel::Value;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::answer::{DeskAnswer, DeskRefusal, DeskRefusalClass, Stop};
use super::database::{Desk, checked_content, from_stored, named, stored_json};
use super::file::{
    DeskFile, FILE_COLUMNS, FOLDER_COLUMNS, FileType, Folder, Item, Version, signed, unsigned,
};
use crate::error::StoreError;

/// Some files, in the order they were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The files.
    pub files: Vec<DeskFile>,
    /// How many there are in all.
    pub total: u64,
    /// Where the next page begins; none after the last one.
    pub next_cursor: Option<String>,
}

/// A file with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadFile {
    /// The file as it is now.
    pub file: DeskFile,
    /// The content that was asked for.
    pub content: String,
}

/// One line of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// How many folders it is in.
    pub depth: usize,
    /// What it is.
    pub item: Item,
}

impl Desk {
    /// Files that are not deleted, so many from a cursor on. Every file comes once, whatever is changed between two pages.
    ///
    /// # Errors
    /// A database that failed. Refuses a cursor that it did not give.
    pub fn list(&self, file_type: Option<FileType>, cursor: Option<&str>, limit: usize) -> DeskAnswer<Page> {
        self.refusable(|connection| {
            let after: i64 = match cursor {
                None => 0,
                Some(id) => connection
                    .query_row("SELECT number FROM files WHERE id = ?1", [id], |row| row.get(0))
                    .optional()?
                    .ok_or_else(|| {
                        Stop::refused(DeskRefusalClass::Invalid, "the cursor is not one of ours")
                    })?,
            };
            let token = file_type.map(FileType::token);
            let condition = "deleted_at IS NULL AND (?1 IS NULL OR type = ?1)";
            let count = format!("SELECT COUNT(*) FROM files WHERE {condition}");
            let total = unsigned(connection.query_row(&count, [token], |row| row.get(0))?)?;
            let query = format!(
                "SELECT {FILE_COLUMNS} FROM files WHERE {condition} AND number > ?2 ORDER BY number LIMIT ?3"
            );
            let limit = limit.max(1);
            let wanted = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
            let mut files = files(connection, &query, params![token, after, wanted])?;
            let has_more = files.len() > limit;
            files.truncate(limit);
            let next_cursor = files.last().filter(|_| has_more).map(|file| file.id.clone());
            Ok(Page { files, total, next_cursor })
        })
    }

    /// Files that were deleted, the last one first.
    ///
    /// # Errors
    /// A database that failed.
    pub fn deleted(&self, limit: usize) -> Result<Vec<DeskFile>, StoreError> {
        let query = format!(
            "SELECT {FILE_COLUMNS} FROM files WHERE deleted_at IS NOT NULL
             ORDER BY deleted_at DESC, number DESC LIMIT ?1"
        );
        self.read(|connection| files(connection, &query, [i64::try_from(limit).unwrap_or(i64::MAX)]))
    }

    /// A file or a folder, deleted or not.
    ///
    /// # Errors
    /// A database that failed.
    pub fn item(&self, id: &str) -> Result<Option<Item>, StoreError> {
        self.read(|connection| item_row(connection, id))
    }

    /// The ids of files and folders of that very name; deleted ones only where nothing else is called that.
    ///
    /// # Errors
    /// A database that failed.
    pub fn called(&self, name: &str) -> Result<Vec<String>, StoreError> {
        self.read(|connection| {
            // Where something of that name is there, what was deleted is not meant.
            let query = "WITH named AS (SELECT id, deleted_at FROM files WHERE name = ?1
                   UNION ALL SELECT id, deleted_at FROM folders WHERE name = ?1)
                 SELECT id FROM named WHERE deleted_at IS NULL
                   OR NOT EXISTS (SELECT 1 FROM named WHERE deleted_at IS NULL)";
            let mut statement = connection.prepare(query)?;
            let ids = statement.query_map([name], |row| row.get(0))?;
            Ok(ids.collect::<Result<_, _>>()?)
        })
    }

    /// A file with its content, or with that of an earlier version. Deleted files can be read by version only.
    ///
    /// # Errors
    /// A database that failed; `Corrupt` when the content is not what its digest says. Refuses what is not there.
    pub fn read_file(&self, id: &str, version: Option<u64>) -> DeskAnswer<ReadFile> {
        self.refusable(|connection| {
            let file = file_row(connection, id)?.ok_or_else(|| not_found("file", id))?;
            let digest = match version {
                None if file.deleted_at.is_some() => {
                    let detail = format!("`{}` ({id}) is deleted", file.name);
                    return Err(Stop::refused(DeskRefusalClass::Deleted, detail));
                }
                None => file.digest.clone(),
                Some(version) => {
                    let query = "SELECT digest FROM versions WHERE file = ?1 AND version = ?2";
                    let row = params![id, signed(version)];
                    let digest = connection.query_row(query, row, |row| row.get(0)).optional()?;
                    digest.ok_or_else(|| not_found("version", &format!("{id} {version}")))?
                }
            };
            let content = content_row(connection, &digest)?;
            Ok(ReadFile { file, content })
        })
    }

    /// Every version of a file, oldest first.
    ///
    /// # Errors
    /// A database that failed. Refuses a file that is not there.
    pub fn history(&self, id: &str) -> DeskAnswer<Vec<Version>> {
        self.refusable(|connection| {
            file_row(connection, id)?.ok_or_else(|| not_found("file", id))?;
            let query =
                "SELECT versions.version, name, digest, bytes, is_deleted, versions.at, action, actor,
                   authority FROM versions JOIN changes ON changes.number = versions.change
                 WHERE file = ?1 ORDER BY versions.version";
            let mut statement = connection.prepare(query)?;
            let mut rows = statement.query([id])?;
            let mut versions = Vec::new();
            while let Some(row) = rows.next()? {
                let authority: Value<'static> = stored_json(&row.get::<_, String>(8)?)?;
                versions.push(Version {
                    version: unsigned(row.get(0)?)?,
                    name: row.get(1)?,
                    digest: row.get(2)?,
                    bytes: unsigned(row.get(3)?)?,
                    is_deleted: row.get(4)?,
                    at: from_stored(row.get(5)?),
                    action: row.get(6)?,
                    actor: row.get(7)?,
                    authority,
                });
            }
            Ok(versions)
        })
    }

    /// Folders and files that are not deleted, each folder before what is in it, by name.
    ///
    /// # Errors
    /// A database that failed.
    pub fn tree(&self) -> Result<Vec<TreeEntry>, StoreError> {
        self.read(|connection| {
            let query = format!("SELECT {FOLDER_COLUMNS} FROM folders WHERE deleted_at IS NULL");
            let mut statement = connection.prepare(&query)?;
            let mut rows = statement.query([])?;
            let mut within: Within = Within::new();
            while let Some(row) = rows.next()? {
                let folder = Folder::read(row)?;
                within.entry(folder.parent.clone()).or_default().push(Item::Folder(folder));
            }
            let query = format!("SELECT {FILE_COLUMNS} FROM files WHERE deleted_at IS NULL");
            for file in files(connection, &query, [])? {
                within.entry(file.folder.clone()).or_default().push(Item::File(file));
            }
            Ok(walk(within))
        })
    }

    /// Reads where the answer may be a refusal.
    pub(super) fn refusable<T>(&self, look: impl FnOnce(&Connection) -> Result<T, Stop>) -> DeskAnswer<T> {
        self.read(|connection| match look(connection) {
            Ok(answer) => Ok(Ok(answer)),
            Err(Stop::Refused(refusal)) => Ok(Err(refusal)),
            Err(stop) => Err(stop),
        })
    }
}

/// What is in a folder; under none is what is at the top.
type Within = std::collections::BTreeMap<Option<String>, Vec<Item>>;

fn walk(mut within: Within) -> Vec<TreeEntry> {
    let sorted = |mut items: Vec<Item>| {
        // Folders first, then by name; reversed, because the last one is taken first.
        items.sort_by(|left, right| {
            let key = |item: &Item| (matches!(item, Item::File(_)), item.name().to_lowercase());
            (key(right), right.id()).cmp(&(key(left), left.id()))
        });
        items
    };
    let mut entries = Vec::new();
    let top = sorted(within.remove(&None).unwrap_or_default());
    let mut open: Vec<(usize, Item)> = top.into_iter().map(|item| (0, item)).collect();
    while let Some((depth, item)) = open.pop() {
        if let Item::Folder(folder) = &item {
            // Taken out, so that folders that contain each other cannot keep us here for ever.
            let inside = sorted(within.remove(&Some(folder.id.clone())).unwrap_or_default());
            open.extend(inside.into_iter().map(|item| (depth + 1, item)));
        }
        entries.push(TreeEntry { depth, item });
    }
    entries
}

fn files(
    connection: &Connection,
    query: &str,
    parameters: impl rusqlite::Params,
) -> Result<Vec<DeskFile>, Stop> {
    let mut statement = connection.prepare(query)?;
    let mut rows = statement.query(parameters)?;
    let mut files = Vec::new();
    while let Some(row) = rows.next()? {
        files.push(DeskFile::read(row)?);
    }
    Ok(files)
}

/// A file, deleted or not.
pub(super) fn file_row(connection: &Connection, id: &str) -> Result<Option<DeskFile>, Stop> {
    let query = format!("SELECT {FILE_COLUMNS} FROM files WHERE id = ?1");
    let file = files(connection, &query, [id])?.pop();
    file.iter().try_for_each(|file| named(id, &file.id))?;
    Ok(file)
}

/// A folder, deleted or not.
pub(super) fn folder_row(connection: &Connection, id: &str) -> Result<Option<Folder>, Stop> {
    let query = format!("SELECT {FOLDER_COLUMNS} FROM folders WHERE id = ?1");
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query([id])?;
    let folder = rows.next()?.map(Folder::read).transpose()?;
    folder.iter().try_for_each(|folder| named(id, &folder.id))?;
    Ok(folder)
}

/// A file or a folder, deleted or not.
pub(super) fn item_row(connection: &Connection, id: &str) -> Result<Option<Item>, Stop> {
    match file_row(connection, id)? {
        Some(file) => Ok(Some(Item::File(file))),
        None => Ok(folder_row(connection, id)?.map(Item::Folder)),
    }
}

/// A content, checked.
pub(super) fn content_row(connection: &Connection, digest: &str) -> Result<String, Stop> {
    let query = "SELECT text FROM contents WHERE digest = ?1";
    let text = connection.query_row(query, [digest], |row| row.get::<_, String>(0)).optional()?;
    let text = text.ok_or_else(|| Stop::Damaged(format!("the content of {digest} is not there")))?;
    checked_content(digest, text)
}

fn not_found(kind: &str, id: &str) -> Stop {
    let detail = format!("no {kind} `{}`", id.escape_debug());
    Stop::Refused(DeskRefusal::new(DeskRefusalClass::NotFound, detail))
}
