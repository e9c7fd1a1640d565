//! Every text and every blob in the database, for a search that must not miss a table or a column of a later version.
//! It must not know what they mean.

use rusqlite::types::ValueRef;

use super::database::Desk;
use crate::error::StoreError;

/// Tables with rows of their own: neither SQLite's nor those behind the index of words, which only repeat others.
const TABLES: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
                      AND name <> 'words' AND name NOT LIKE 'words\\_%' ESCAPE '\\' ORDER BY name";

impl Desk {
    /// Hands every text and every blob to `visit`.
    ///
    /// # Errors
    /// `Corrupt`, `Busy`, `Io`.
    pub fn each_text(&self, visit: &mut dyn FnMut(&[u8])) -> Result<(), StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare(TABLES)?;
            let tables = statement.query_map([], |row| row.get::<_, String>(0))?;
            for table in tables.collect::<Result<Vec<String>, _>>()? {
                let quoted = table.replace('"', "\"\"");
                let mut statement = connection.prepare(&format!("SELECT * FROM \"{quoted}\""))?;
                let columns = statement.column_count();
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    for column in 0..columns {
                        if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = row.get_ref(column)? {
                            visit(bytes);
                        }
                    }
                }
            }
            Ok(())
        })
    }
}
