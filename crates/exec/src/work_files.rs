//! The files of a workdir as tools see them, over the one resolver of paths. It must not open anything another way.

#[cfg(test)]
mod tests;

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use premath_tusk::tools::files::{EntryKind, FileContent, FileEntry, FileError, WorkFile, WorkFiles};

use crate::beneath::{Access, Beneath, Entry, PLAIN, PathError, Place};

/// Who may execute a file.
const EXECUTE: u32 = 0o111;

impl Beneath {
    fn opened(&self, path: &str) -> Result<std::fs::File, FileError> {
        Self::open(self, Path::new(path), Access::Read).map_err(|error| failure(path, error))
    }

    fn placed(&self, path: &str, content: &FileContent, place: Place) -> Result<(), FileError> {
        let mode = if content.executable { PLAIN | EXECUTE } else { PLAIN };
        self.put(Path::new(path), &content.bytes, mode, place).map_err(|error| failure(path, error))
    }
}

impl WorkFiles for Beneath {
    fn metadata(&self, path: &str) -> Result<FileEntry, FileError> {
        Self::metadata(self, Path::new(path)).map(entry).map_err(|error| failure(path, error))
    }

    fn list(&self, path: &str) -> Result<Vec<FileEntry>, FileError> {
        let entries = Self::list(self, Path::new(path)).map_err(|error| failure(path, error))?;
        Ok(entries.into_iter().map(entry).collect())
    }

    fn open(&self, path: &str) -> Result<Box<dyn WorkFile>, FileError> {
        Ok(Box::new(self.opened(path)?))
    }

    fn read(&self, path: &str, limit: u64) -> Result<FileContent, FileError> {
        let failed = |source| FileError::System { path: path.to_owned(), source };
        let file = self.opened(path)?;
        let executable = file.metadata().map_err(failed)?.permissions().mode() & EXECUTE != 0;
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut io::Read::take(file, limit.saturating_add(1)), &mut bytes)
            .map_err(failed)?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) {
            Ok(FileContent { bytes, executable })
        } else {
            Err(FileError::TooLong { path: path.to_owned(), limit })
        }
    }

    fn create(&self, path: &str, content: &FileContent) -> Result<(), FileError> {
        self.placed(path, content, Place::Free)
    }

    fn replace(&self, path: &str, content: &FileContent) -> Result<(), FileError> {
        self.placed(path, content, Place::Any)
    }

    fn remove(&self, path: &str) -> Result<(), FileError> {
        Self::remove(self, Path::new(path)).map_err(|error| failure(path, error))
    }

    fn make_folder(&self, path: &str) -> Result<(), FileError> {
        self.make_dir(Path::new(path)).map_err(|error| failure(path, error))
    }
}

fn entry(entry: Entry) -> FileEntry {
    let kind = entry.kind;
    match entry.name.into_string() {
        Ok(name) => FileEntry { name, kind, length: entry.length },
        // A name that is no text cannot be given back to us; it is shown, and nothing opens it.
        Err(name) => FileEntry {
            name: name.to_string_lossy().into_owned(),
            kind: EntryKind::Other,
            length: entry.length,
        },
    }
}

pub(crate) fn failure(path: &str, error: PathError) -> FileError {
    let path = path.to_owned();
    match error {
        PathError::Invalid { why, .. } => FileError::Invalid { path, why: why.to_owned() },
        PathError::Outside { .. } => FileError::Outside { path },
        PathError::Reserved { .. } => FileError::OutOfScope { path, access: premath_kernel::Access::Read },
        PathError::Link { .. } => FileError::Link { path },
        PathError::Missing { .. } => FileError::Missing { path },
        PathError::Exists { .. } => FileError::Exists { path },
        PathError::NotAFile { .. } => FileError::WrongKind { path, wanted: "regular file" },
        PathError::TooLong { limit, .. } => FileError::TooLong { path, limit },
        PathError::Unsupported { .. } => {
            let source = io::Error::new(io::ErrorKind::Unsupported, "paths cannot be kept below a root here");
            FileError::System { path, source }
        }
        PathError::System { source, .. } => FileError::System { path, source },
    }
}
