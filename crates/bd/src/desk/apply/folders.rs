//! Changes of folders. A folder takes what is in it along, both ways.

use rusqlite::{OptionalExtension as _, params};

use super::super::answer::{DeskRefusalClass, Stop};
use super::super::file::{DeskFile, FILE_COLUMNS, Folder};
use super::super::read::folder_row;
use super::bench::{Bench, Next, check_name, not_found};

impl Bench<'_> {
    pub(super) fn create_folder(&self, id: &str, name: &str, parent: Option<&str>) -> Result<(), Stop> {
        check_name(name)?;
        self.living_folder(parent)?;
        let insert = "INSERT INTO folders(id, name, parent, origin, created_by, created_at)
             VALUES(?1, ?2, ?3, ?4, ?5, ?6)";
        let row = params![id, name, parent, self.origin().token(), self.actor, self.writing.now];
        self.writing.transaction.execute(insert, row)?;
        Ok(())
    }

    pub(super) fn delete_folder(&self, id: &str) -> Result<(), Stop> {
        let folder = self.folder(id)?;
        if folder.deleted_at.is_some() {
            let detail = format!("folder `{}` ({id}) is deleted", folder.name);
            return Err(Stop::refused(DeskRefusalClass::Deleted, detail));
        }
        let below = "WITH RECURSIVE below(id) AS (SELECT ?1 UNION
               SELECT folders.id FROM folders JOIN below ON folders.parent = below.id
               WHERE folders.deleted_at IS NULL)";
        let condition = "folder IN (SELECT id FROM below) AND deleted_at IS NULL";
        for file in self.files_where(below, condition, id, None)? {
            self.put(&file, Next { is_deleted: true, ..Next::like(&file) })?;
        }
        let update = format!(
            "{below} UPDATE folders SET deleted_at = ?2, deleted_by_change = ?3 WHERE id IN (SELECT id FROM below)"
        );
        self.writing.transaction.execute(&update, params![id, self.writing.now, self.number])?;
        Ok(())
    }

    pub(super) fn restore_folder(&self, id: &str) -> Result<(), Stop> {
        let folder = self.folder(id)?;
        let query = "SELECT deleted_by_change FROM folders WHERE id = ?1";
        let deleted: Option<i64> = self.writing.transaction.query_row(query, [id], |row| row.get(0))?;
        let Some(deleted) = deleted else {
            let detail = format!("folder `{}` ({id}) is not deleted", folder.name);
            return Err(Stop::refused(DeskRefusalClass::NotDeleted, detail));
        };
        let parent = self.nearest_living(folder.parent.as_deref())?;
        let transaction = &self.writing.transaction;
        transaction.execute("UPDATE folders SET parent = ?2 WHERE id = ?1", params![id, parent])?;
        // What one deletion took along comes back together; what was deleted before stays deleted.
        let below = "WITH RECURSIVE below(id) AS (SELECT ?1 UNION
               SELECT folders.id FROM folders JOIN below ON folders.parent = below.id
               WHERE folders.deleted_by_change = ?2)";
        let condition = "folder IN (SELECT id FROM below) AND deleted_by_change = ?2";
        for file in self.files_where(below, condition, id, Some(deleted))? {
            self.put(&file, Next { is_deleted: false, ..Next::like(&file) })?;
        }
        let update = format!(
            "{below} UPDATE folders SET deleted_at = NULL, deleted_by_change = NULL
             WHERE id IN (SELECT id FROM below)"
        );
        transaction.execute(&update, params![id, deleted])?;
        Ok(())
    }

    /// Refuses a folder that is not there, or deleted.
    pub(super) fn living_folder(&self, id: Option<&str>) -> Result<(), Stop> {
        let Some(id) = id else { return Ok(()) };
        let folder = self.folder(id)?;
        if folder.deleted_at.is_none() {
            return Ok(());
        }
        let detail = format!("folder `{}` ({id}) is deleted", folder.name);
        Err(Stop::refused(DeskRefusalClass::Deleted, detail))
    }

    /// The folder, or the first one above it that is not deleted; none is the top.
    pub(super) fn nearest_living(&self, id: Option<&str>) -> Result<Option<String>, Stop> {
        let mut id = id.map(str::to_owned);
        while let Some(wanted) = id {
            let query = "SELECT parent, deleted_at IS NULL FROM folders WHERE id = ?1";
            let found = self.writing.transaction.query_row(query, [&wanted], |row| {
                Ok((row.get::<_, Option<String>>(0)?, row.get::<_, bool>(1)?))
            });
            match found.optional()? {
                Some((_, true)) => return Ok(Some(wanted)),
                Some((parent, false)) => id = parent,
                None => return Err(Stop::Damaged(format!("folder `{wanted}` is named and not there"))),
            }
        }
        Ok(None)
    }

    fn folder(&self, id: &str) -> Result<Folder, Stop> {
        folder_row(&self.writing.transaction, id)?.ok_or_else(|| not_found("folder", id))
    }

    fn files_where(
        &self,
        with: &str,
        condition: &str,
        id: &str,
        change: Option<i64>,
    ) -> Result<Vec<DeskFile>, Stop> {
        let query =
            format!("{with} SELECT {FILE_COLUMNS} FROM files WHERE {condition} ORDER BY files.number");
        let mut statement = self.writing.transaction.prepare(&query)?;
        let mut rows = match change {
            Some(change) => statement.query(params![id, change])?,
            None => statement.query([id])?,
        };
        let mut files = Vec::new();
        while let Some(row) = rows.next()? {
            files.push(DeskFile::read(row)?);
        }
        Ok(files)
    }
}
