//! What every change works with, and how a file gets its next version. It must not check what the change is about.

use premath_kernel::Digest;
use rusqlite::params;

use super::super::answer::{DeskRefusalClass, Stop};
use super::super::cells::Cells;
use super::super::database::{Writing, to_stored};
use super::super::file::{DeskFile, FileType, LONGEST_CONTENT, LONGEST_NAME, Origin, is_name, signed};
use super::super::read::content_row;
use crate::permit::Authority;

/// One change being made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bench<'b> {
    pub(super) writing: &'b Writing<'b>,
    pub(super) authority: &'b Authority,
    pub(super) actor: &'b str,
    /// The number of the change.
    pub(super) number: i64,
}

/// What becomes of a file.
#[derive(Debug)]
pub(super) struct Next {
    pub(super) name: String,
    pub(super) folder: Option<String>,
    /// Another content; none when it stays.
    pub(super) content: Option<String>,
    pub(super) is_deleted: bool,
}

impl Next {
    /// The file as it is.
    pub(super) fn like(file: &DeskFile) -> Self {
        Self {
            name: file.name.clone(),
            folder: file.folder.clone(),
            content: None,
            is_deleted: file.deleted_at.is_some(),
        }
    }
}

impl Bench<'_> {
    /// Whose work a new thing is.
    pub(super) const fn origin(&self) -> Origin {
        if self.authority.is_person { Origin::Person } else { Origin::Bot }
    }

    /// The first version of a file.
    pub(super) fn found(
        &self,
        id: &str,
        name: &str,
        file_type: FileType,
        folder: Option<&str>,
        content: &str,
    ) -> Result<u64, Stop> {
        check_name(name)?;
        self.living_folder(folder)?;
        let (digest, bytes) = self.keep(content)?;
        let insert = "INSERT INTO files(id, name, type, folder, origin, created_by, created_at, updated_at,
               version, digest, bytes) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, 1, ?8, ?9)";
        let now = self.writing.now;
        let origin = self.origin().token();
        let row = params![id, name, file_type.token(), folder, origin, self.actor, now, digest, bytes];
        self.writing.transaction.execute(insert, row)?;
        self.remember(id)?;
        self.index(id, file_type, Some(content))?;
        Ok(1)
    }

    /// The next version of a file.
    pub(super) fn put(&self, file: &DeskFile, next: Next) -> Result<u64, Stop> {
        let version = file.version + 1;
        let (digest, bytes) = match &next.content {
            Some(content) => self.keep(content)?,
            None => (file.digest.clone(), signed(file.bytes)),
        };
        let is_touched = next.content.is_some() && self.authority.is_person;
        let origin = if is_touched { Origin::Person } else { file.origin };
        let was_deleted = file.deleted_at.map(to_stored);
        let deleted_at = next.is_deleted.then(|| was_deleted.unwrap_or(self.writing.now));
        let by_change = next.is_deleted.then_some(self.number);
        let update = "UPDATE files SET name = ?2, folder = ?3, origin = ?4, updated_at = ?5, version = ?6,
               digest = ?7, bytes = ?8, deleted_at = ?9, deleted_by_change = ?10 WHERE id = ?1";
        let (name, folder, now) = (&next.name, &next.folder, self.writing.now);
        let number = signed(version);
        let row =
            params![file.id, name, folder, origin.token(), now, number, digest, bytes, deleted_at, by_change];
        self.writing.transaction.execute(update, row)?;
        self.remember(&file.id)?;
        let content = match (next.is_deleted, next.content) {
            (true, _) => None,
            (false, Some(content)) => Some(content),
            (false, None) => Some(content_row(&self.writing.transaction, &digest)?),
        };
        self.index(&file.id, file.file_type, content.as_deref())?;
        Ok(version)
    }

    /// Keeps a content, once.
    fn keep(&self, content: &str) -> Result<(String, i64), Stop> {
        if content.len() > LONGEST_CONTENT {
            let detail = format!("{} bytes; {LONGEST_CONTENT} are possible", content.len());
            return Err(Stop::refused(DeskRefusalClass::Invalid, detail));
        }
        let digest = Digest::of_bytes(content.as_bytes()).as_str().to_owned();
        let insert = "INSERT INTO contents(digest, text) VALUES(?1, ?2) ON CONFLICT DO NOTHING";
        self.writing.transaction.execute(insert, params![digest, content])?;
        Ok((digest, i64::try_from(content.len()).unwrap_or(i64::MAX)))
    }

    /// The file as it is now becomes a version that stays.
    fn remember(&self, id: &str) -> Result<(), Stop> {
        let insert =
            "INSERT INTO versions(file, version, name, folder, digest, bytes, is_deleted, change, at)
             SELECT id, version, name, folder, digest, bytes, deleted_at IS NOT NULL, ?2, ?3
             FROM files WHERE id = ?1";
        self.writing.transaction.execute(insert, params![id, self.number, self.writing.now])?;
        Ok(())
    }

    /// What a search finds of a file; nothing of a deleted one.
    fn index(&self, id: &str, file_type: FileType, content: Option<&str>) -> Result<(), Stop> {
        let delete = "DELETE FROM words WHERE rowid = (SELECT number FROM files WHERE id = ?1)";
        self.writing.transaction.execute(delete, [id])?;
        let Some(content) = content else { return Ok(()) };
        let insert = "INSERT INTO words(rowid, name, body) SELECT number, name, ?2 FROM files WHERE id = ?1";
        match file_type {
            FileType::Markdown => self.writing.transaction.execute(insert, params![id, content])?,
            FileType::Spreadsheet => {
                let words = Cells::from_content(content)?.words();
                self.writing.transaction.execute(insert, params![id, words])?
            }
        };
        Ok(())
    }
}

pub(super) fn check_name(name: &str) -> Result<(), Stop> {
    if is_name(name) {
        return Ok(());
    }
    let detail =
        format!("a name has 1 to {LONGEST_NAME} characters on one line, none of them blank at its ends");
    Err(Stop::refused(DeskRefusalClass::Invalid, detail))
}

pub(super) fn not_found(kind: &str, id: &str) -> Stop {
    Stop::refused(DeskRefusalClass::NotFound, format!("no {kind} `{}`", id.escape_debug()))
}
