//! What lies where policy is expected, links and pipes included: whoever only looks for files takes a link for nothing.
//! It must not follow a link unless told to.

#![expect(clippy::disallowed_methods, reason = "this module owns the command's access to the system")]

use std::io::ErrorKind;
use std::path::Path;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A file with nothing in it.
    EmptyFile,
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A link, wherever it leads.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

impl EntryKind {
    fn of(found: &std::fs::Metadata) -> Self {
        let kind = found.file_type();
        if kind.is_symlink() {
            Self::Link
        } else if kind.is_dir() {
            Self::Folder
        } else if !kind.is_file() {
            Self::Other
        } else if found.len() == 0 {
            Self::EmptyFile
        } else {
            Self::File
        }
    }
}

/// What a name stands for; none when nothing has it.
pub(crate) fn kind_of(path: &Path) -> std::io::Result<Option<EntryKind>> {
    match std::fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(EntryKind::of(&found))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What a link leads to; none when that is nowhere.
pub(crate) fn kind_behind(path: &Path) -> std::io::Result<Option<EntryKind>> {
    match std::fs::metadata(path) {
        Ok(found) => Ok(Some(EntryKind::of(&found))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Everything in a folder, sorted by name.
pub(crate) fn entries(folder: &Path) -> std::io::Result<Vec<(String, EntryKind)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = EntryKind::of(&std::fs::symlink_metadata(entry.path())?);
        found.push((entry.file_name().to_string_lossy().into_owned(), kind));
    }
    found.sort_by(|left, right| left.0.cmp(&right.0));
    Ok(found)
}
