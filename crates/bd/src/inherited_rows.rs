//! How many rows of the tracked logs came with a clone: `.premath/inherited.head`, written once, before the first row that
//! this clone adds.
//!
//! Git brings tracked logs without what belongs to the machine that wrote them. Rows behind the inherited ones were written
//! here, so what they cite must be here; what the others cite may be elsewhere. The file stays out of git, as all heads do. It must not be
//! written again: a later count would take own rows for inherited ones.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_kernel::{Object, Value, encode};
use premath_wire::strict::{Limits, parse};

use crate::audit::AuditLog;
use crate::disk::{Access, Disk, read_to_end, write_all_at};
use crate::error::StoreError;
use crate::log::{Log, beside};

const KIND: &str = "premath.inherited_rows.v1";
/// The folder whose logs git tracks.
const FOLDER: &str = ".premath";
/// The tracked logs whose rows are only ever appended.
const LOGS: [&str; 3] = [AuditLog::FILE_NAME, "harness_kpi_remediations.jsonl", "harness_trajectory.jsonl"];
/// The file is far smaller.
const LONGEST: usize = 64 * 1024;

/// The counts of one clone.
#[derive(Debug, Default)]
pub(crate) struct InheritedRows {
    noted: BTreeMap<String, u64>,
}

impl InheritedRows {
    /// Its name in `.premath`.
    pub(crate) const FILE_NAME: &'static str = "inherited.head";

    /// Notes how long the tracked logs are, unless that was done before. Called before a row is added to any of them.
    ///
    /// # Errors
    /// `Io`
    pub(crate) fn note(disk: &Arc<dyn Disk>, log: &Path) -> Result<(), StoreError> {
        let Some(folder) =
            log.parent().filter(|folder| folder.file_name().is_some_and(|name| name == FOLDER))
        else {
            return Ok(());
        };
        let path = folder.join(Self::FILE_NAME);
        if exists(disk.as_ref(), &path)? {
            return Ok(());
        }
        let mut rows = Vec::new();
        for name in LOGS {
            rows.push((name.into(), crate::issues::counted(rows_without_head(disk, folder.join(name))?)));
        }
        let document = Object::fields()
            .field("kind", KIND)
            .field("rows", Value::Object(Object::from_members(rows).unwrap_or_default()))
            .field("schema", 1_u32)
            .finish();
        let mut bytes = encode(&document);
        bytes.push(b'\n');
        match disk.open(&path, Access::New) {
            // Another process noted the same just now.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            // The caller says that there is no folder.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            opened => opened
                .and_then(|mut file| {
                    write_all_at(file.as_mut(), &bytes, 0)?;
                    file.sync()
                })
                .map_err(StoreError::io("write", &path)),
        }
    }

    /// What was noted in a folder; nothing where no row was added since the clone was made, or where the note cannot be
    /// read.
    ///
    /// # Errors
    /// `Io`
    pub(crate) fn read(disk: &dyn Disk, folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(Self::FILE_NAME);
        let bytes = match disk.open(&path, Access::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            opened => {
                let file = opened.map_err(StoreError::io("open", &path))?;
                read_to_end(file.as_ref(), 0, LONGEST).map_err(StoreError::io("read", &path))?
            }
        };
        Ok(Self { noted: parse(&bytes, Limits::default()).ok().as_ref().and_then(noted).unwrap_or_default() })
    }

    /// How many rows of a log came with the clone.
    ///
    /// Without a note the head tells: it stays out of git, so a log with a head was written here from its first row on, and
    /// one without was not written here at all.
    ///
    /// # Errors
    /// `Io`
    pub(crate) fn of(&self, disk: &dyn Disk, log: &Path) -> Result<u64, StoreError> {
        let name = log.file_name().unwrap_or_default().to_string_lossy();
        if let Some(rows) = self.noted.get(name.as_ref()) {
            return Ok(*rows);
        }
        Ok(if exists(disk, &beside(log, "head"))? { 0 } else { u64::MAX })
    }

    /// Whether rows of any tracked log came with the clone. Without a note the head of the audit log tells, which every
    /// clone that wrote has.
    ///
    /// # Errors
    /// `Io`
    pub(crate) fn has_any(&self, disk: &dyn Disk, folder: &Path) -> Result<bool, StoreError> {
        if self.noted.is_empty() {
            return Ok(self.of(disk, &folder.join(AuditLog::FILE_NAME))? > 0);
        }
        Ok(self.noted.values().any(|rows| *rows > 0))
    }
}

fn noted(document: &Value<'_>) -> Option<BTreeMap<String, u64>> {
    let members = document.as_object()?;
    if members.get("kind")?.as_text()? != KIND {
        return None;
    }
    let rows = members.get("rows")?.as_object()?;
    rows.iter().map(|(name, rows)| Some((name.to_owned(), rows.as_number()?.as_u64()?))).collect()
}

/// The rows of a log that this clone has not written to yet; none of one that it has.
fn rows_without_head(disk: &Arc<dyn Disk>, path: PathBuf) -> Result<u64, StoreError> {
    if exists(disk.as_ref(), &beside(&path, "head"))? {
        return Ok(0);
    }
    match Log::new(Arc::clone(disk), path).read() {
        Ok(reader) => Ok(reader.extent().rows),
        Err(StoreError::Missing { .. }) => Ok(0),
        Err(error) => Err(error),
    }
}

fn exists(disk: &dyn Disk, path: &Path) -> Result<bool, StoreError> {
    match disk.open(path, Access::Read) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(StoreError::io("open", path)(error)),
    }
}
