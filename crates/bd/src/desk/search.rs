//! Searching names and contents: by words, best first, with the passage that was found; where no word fits, by the letters
//! themselves. What the searcher typed is never a query language.

use premath_kernel::{Object, Value};
use rusqlite::{Connection, params};

use super::answer::Stop;
use super::database::Desk;
use super::file::{DeskFile, FILE_COLUMNS};
use crate::error::StoreError;

/// More words are not looked for.
const MOST_WORDS: usize = 32;

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Which.
    pub file: DeskFile,
    /// The passage around what was found, on one line.
    pub snippet: String,
}

impl Found {
    /// As it is shown.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        Object::fields()
            .field("id", self.file.id.as_str())
            .field("name", self.file.name.as_str())
            .field("snippet", self.snippet.as_str())
            .field("type", self.file.file_type.token())
            .finish()
    }
}

impl Desk {
    /// The files that fit best, so many of them.
    ///
    /// # Errors
    /// A database that failed.
    pub fn search(&self, query: &str, limit: usize) -> Result<Vec<Found>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|connection| {
            let found = by_words(connection, query, limit)?;
            if found.is_empty() { by_letters(connection, query, limit) } else { Ok(found) }
        })
    }
}

fn by_words(connection: &Connection, query: &str, limit: i64) -> Result<Vec<Found>, Stop> {
    let words: Vec<String> = query
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(MOST_WORDS)
        .map(|word| format!("\"{word}\"*"))
        .collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    // A word of the name counts as much as four of the body. Among equals the older file comes first.
    let statement = format!(
        "SELECT {FILE_COLUMNS}, snippet(words, -1, '', '', '…', 24) FROM words
         JOIN files ON files.number = words.rowid WHERE words MATCH ?1 AND files.deleted_at IS NULL
         ORDER BY bm25(words, 4.0, 1.0), files.number LIMIT ?2"
    );
    let mut statement = connection.prepare(&statement)?;
    let mut rows = statement.query(params![words.join(" OR "), limit])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(Found { file: DeskFile::read(row)?, snippet: one_line(&row.get::<_, String>(12)?) });
    }
    Ok(found)
}

fn by_letters(connection: &Connection, query: &str, limit: i64) -> Result<Vec<Found>, Stop> {
    let query = query.trim();
    if query.is_empty() {
        return Ok(Vec::new());
    }
    let statement = format!(
        "SELECT {FILE_COLUMNS}, substr(body, max(1, instr(lower(body), lower(?1)) - 60), 160) FROM words
         JOIN files ON files.number = words.rowid WHERE files.deleted_at IS NULL
           AND (instr(lower(words.name), lower(?1)) > 0 OR instr(lower(body), lower(?1)) > 0)
         ORDER BY instr(lower(words.name), lower(?1)) = 0, files.number LIMIT ?2"
    );
    let mut statement = connection.prepare(&statement)?;
    let mut rows = statement.query(params![query, limit])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(Found { file: DeskFile::read(row)?, snippet: one_line(&row.get::<_, String>(12)?) });
    }
    Ok(found)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
