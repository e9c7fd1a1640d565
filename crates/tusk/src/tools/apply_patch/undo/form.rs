//! An undo record as it is kept: what each file was with its bytes, what it became by its digest alone.
//!
//! What is read back can be asked and taken back, but not applied: what the patch wrote is not in it.

use std::collections::BTreeSet;
use std::path::Path;

use data_encoding::BASE64;
use premath_kernel::{Digest, Object, Value};

use super::UndoRecord;
use crate::tools::apply_patch::change::{AfterFile, FileChange};
use crate::tools::files::FileContent;
use crate::tools::work_path::WorkPath;

const SCHEMA: &str = "premath.undo_record.v0";

/// A record that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the undo record is not one at `{pointer}`: {why}")]
pub struct UndoRecordError {
    /// Where, as a JSON pointer.
    pub pointer: String,
    /// What is wrong there.
    pub why: &'static str,
}

type Read<T> = Result<T, UndoRecordError>;

impl UndoRecord {
    /// The record as it is kept.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        Object::fields()
            .field("changes", self.changes.iter().map(change_value).collect::<Vec<_>>())
            .field("folders", Value::text_list(self.folders.iter().map(String::as_str)))
            .field("schema", SCHEMA)
            .finish()
    }

    /// Reads a record that was kept.
    ///
    /// # Errors
    /// What is not as [`UndoRecord::to_value`] writes it, and where.
    pub fn from_value(value: &Value<'_>) -> Result<Self, UndoRecordError> {
        let record = Row::new(value, "", &["changes", "folders", "schema"])?;
        if record.text("schema")? != SCHEMA {
            return Err(record.wrong("schema", "it is another one than ours"));
        }
        let mut folders = Vec::new();
        for (index, folder) in record.list("folders")?.iter().enumerate() {
            let pointer = format!("/folders/{index}");
            folders.push(path(folder, &pointer)?.as_str().to_owned());
        }
        let mut changes = Vec::new();
        let mut paths = BTreeSet::new();
        for (index, item) in record.list("changes")?.iter().enumerate() {
            let pointer = format!("/changes/{index}");
            let change = read_change(item, &pointer)?;
            if !paths.insert(change.path.clone()) {
                return Err(UndoRecordError { pointer, why: "the file is there twice" });
            }
            changes.push(change);
        }
        Ok(Self { folders, changes })
    }
}

fn change_value(change: &FileChange) -> Value<'_> {
    let before = change.before.as_ref().map_or(Value::Null, before_value);
    let after = change.after.as_ref().map_or(Value::Null, |after| {
        let fields = Object::fields().field("digest", after.digest().as_str().to_owned());
        fields.field("executable", after.is_executable()).finish()
    });
    Object::fields()
        .field("after", after)
        .field("before", before)
        .field("path", change.path.as_str())
        .finish()
}

fn before_value(content: &FileContent) -> Value<'_> {
    let fields = Object::fields()
        .field("digest", content.digest().as_str().to_owned())
        .field("executable", content.executable);
    match std::str::from_utf8(&content.bytes) {
        Ok(text) => fields.field("text", text),
        Err(_) => fields.field("base64", BASE64.encode(&content.bytes)),
    }
    .finish()
}

fn read_change(value: &Value<'_>, pointer: &str) -> Read<FileChange> {
    let row = Row::new(value, pointer, &["after", "before", "path"])?;
    let path = path(row.get("path")?, &row.below("path"))?;
    let before =
        row.optional("before")?.map(|before| read_before(before, &row.below("before"))).transpose()?;
    let after = row.optional("after")?.map(|after| read_after(after, &row.below("after"))).transpose()?;
    Ok(FileChange { path, before, after })
}

fn read_after(value: &Value<'_>, pointer: &str) -> Read<AfterFile> {
    let row = Row::new(value, pointer, &["digest", "executable"])?;
    Ok(AfterFile::Known { digest: row.digest("digest")?, executable: row.flag("executable")? })
}

fn read_before(value: &Value<'_>, pointer: &str) -> Read<FileContent> {
    let is_text = value.as_object().is_some_and(|object| object.get("text").is_some());
    let content = if is_text { "text" } else { "base64" };
    let row = Row::new(value, pointer, &["digest", "executable", content])?;
    let bytes = match row.text(content)? {
        text if is_text => text.as_bytes().to_vec(),
        text => BASE64.decode(text.as_bytes()).map_err(|_| row.wrong("base64", "it is no base64"))?,
    };
    let file = FileContent { bytes, executable: row.flag("executable")? };
    if row.digest("digest")? != file.digest() {
        return Err(row.wrong("digest", "the content has another one"));
    }
    Ok(file)
}

/// A path in its one spelling, below the workdir.
fn path(value: &Value<'_>, pointer: &str) -> Read<WorkPath> {
    let text = value.as_text().unwrap_or_default();
    let path = WorkPath::read(text, Path::new("/")).ok();
    let plain = path.filter(|path| path.as_str() == text && !path.is_root());
    plain.ok_or_else(|| UndoRecordError {
        pointer: pointer.to_owned(),
        why: "it is no path below the workdir",
    })
}

/// An object with exactly these members.
struct Row<'v> {
    object: &'v Object<'v>,
    pointer: String,
}

impl<'v> Row<'v> {
    fn new(value: &'v Value<'v>, pointer: &str, names: &[&str]) -> Read<Self> {
        let wrong = |why| UndoRecordError { pointer: pointer.to_owned(), why };
        let object = value.as_object().ok_or_else(|| wrong("it is no object"))?;
        if object.len() != names.len() || names.iter().any(|name| object.get(name).is_none()) {
            return Err(wrong("a member is missing, or is there that should not be"));
        }
        Ok(Self { object, pointer: pointer.to_owned() })
    }

    fn below(&self, name: &str) -> String {
        format!("{}/{name}", self.pointer)
    }

    fn wrong(&self, name: &str, why: &'static str) -> UndoRecordError {
        UndoRecordError { pointer: self.below(name), why }
    }

    fn get(&self, name: &str) -> Read<&'v Value<'v>> {
        self.object.get(name).ok_or_else(|| self.wrong(name, "it is missing"))
    }

    /// A member that may be null.
    fn optional(&self, name: &str) -> Read<Option<&'v Value<'v>>> {
        Ok(Some(self.get(name)?).filter(|value| **value != Value::Null))
    }

    fn text(&self, name: &str) -> Read<&'v str> {
        self.get(name)?.as_text().ok_or_else(|| self.wrong(name, "it is no text"))
    }

    fn flag(&self, name: &str) -> Read<bool> {
        self.get(name)?.as_bool().ok_or_else(|| self.wrong(name, "it is neither true nor false"))
    }

    fn list(&self, name: &str) -> Read<&'v [Value<'v>]> {
        self.get(name)?.as_array().ok_or_else(|| self.wrong(name, "it is no list"))
    }

    fn digest(&self, name: &str) -> Read<Digest> {
        let text = self.text(name)?;
        let digits = text.strip_prefix("sha256:").unwrap_or_default();
        let is_one =
            digits.len() == 64 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        Digest::claimed(text).filter(|_| is_one).ok_or_else(|| self.wrong(name, "it is no digest"))
    }
}
