//! The files of one package, in memory: read whole, named by digest, put into place.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use premath_kernel::{Digest, Value};

use super::{DRAFTS, below, described};
use crate::disk::{Access, Disk, read_to_end, write_all_at};
use crate::error::StoreError;

/// So many files are a package, not more.
const MOST_FILES: usize = 500;
/// The most bytes of one file.
const LARGEST: usize = 1 << 20;
/// So deep are its folders.
const DEEPEST: usize = 4;
/// Folders beside a package that are no part of it. Control, instruction and required policies are bound by digests of their
/// own and decide about whoever promotes packages too; drafts are packages that somebody still edits.
const APART: [&str; 4] = ["control", DRAFTS, "instruction", "required"];

fn is_apart(name: &str, depth: usize) -> bool {
    depth == 0 && APART.contains(&name)
}

/// The files of a package by name; a name has `/` between its parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PolicyFiles(BTreeMap<String, Vec<u8>>);

impl PolicyFiles {
    /// Everything in a folder; an empty package where there is none. What begins with a dot is nobody's policy.
    ///
    /// # Errors
    /// It cannot be read, or is no package: too many files, too large, too deep.
    pub fn read(disk: &dyn Disk, folder: &Path) -> Result<Self, StoreError> {
        let mut files = BTreeMap::new();
        collect(disk, folder, "", 0, &mut files)?;
        Ok(Self(files))
    }

    /// From files in memory.
    #[must_use]
    pub const fn new(files: BTreeMap<String, Vec<u8>>) -> Self {
        Self(files)
    }

    /// Whether it holds no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One file.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).map(Vec::as_slice)
    }

    /// Every file, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
    }

    /// The document that it is known by: every name with the digest of what it holds.
    #[must_use]
    pub fn describe(&self) -> Value<'static> {
        described(self.iter().map(|(name, bytes)| (name, Digest::of_bytes(bytes))))
    }

    /// The digest of that document.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::prefixed("pol1_", &self.describe())
    }

    /// Makes a folder hold these files and no others. Each file is whole at every moment; the folder is not.
    ///
    /// What goes, goes first: a name can be a file now and a folder then, or the other way round.
    pub(super) fn place(&self, disk: &dyn Disk, folder: &Path) -> Result<(), StoreError> {
        if is_stand_in(disk, folder) {
            disk.remove(folder).map_err(StoreError::io("remove", folder))?;
        }
        disk.create_folder(folder).map_err(StoreError::io("make", folder))?;
        let there = Self::read(disk, folder)?;
        for (name, _) in there.iter().filter(|(name, _)| self.get(name).is_none()) {
            let path = below(folder, name);
            disk.remove(&path).map_err(StoreError::io("remove", &path))?;
        }
        drop_empty(disk, folder, 0)?;
        for (name, bytes) in self.iter().filter(|(name, bytes)| there.get(name) != Some(*bytes)) {
            write(disk, &below(folder, name), bytes)?;
        }
        disk.sync_folder(folder).map_err(StoreError::io("sync", folder))
    }

    /// What stands in the way of a file of this package in a folder and would stay there: nothing of a package, so nobody
    /// takes it away.
    pub(super) fn obstacle(&self, disk: &dyn Disk, folder: &Path) -> Option<PathBuf> {
        self.iter().find_map(|(name, _)| stays(disk, &below(folder, name), 0))
    }
}

/// What keeps a folder from going when its files go: a name that begins with a dot and is not ours.
fn stays(disk: &dyn Disk, folder: &Path, depth: usize) -> Option<PathBuf> {
    // What cannot be listed is no folder, and a file is replaced.
    let entries = disk.list(folder).ok().filter(|_| depth <= DEEPEST)?;
    entries.into_iter().find_map(|entry| {
        let path = folder.join(&entry.name);
        if entry.name.starts_with('.') {
            return (entry.is_folder || !is_temporary(&entry.name)).then_some(path);
        }
        if entry.is_folder { stays(disk, &path, depth + 1) } else { None }
    })
}

/// Whether [`write`] left it when its process died.
fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".new")
}

/// Takes away the folders below one in which nothing is left. Whether nothing is left in this one.
fn drop_empty(disk: &dyn Disk, folder: &Path, depth: usize) -> Result<bool, StoreError> {
    let entries = disk.list(folder).map_err(StoreError::io("list", folder))?;
    let mut is_empty = true;
    for entry in entries {
        let path = folder.join(&entry.name);
        if entry.is_folder && is_apart(&entry.name, depth) {
            is_empty = false;
            continue;
        }
        if entry.is_folder && !entry.name.starts_with('.') && depth <= DEEPEST {
            if drop_empty(disk, &path, depth + 1)? {
                disk.remove_folder(&path).map_err(StoreError::io("remove", &path))?;
                continue;
            }
        } else if !entry.is_folder && is_temporary(&entry.name) {
            disk.remove(&path).map_err(StoreError::io("remove", &path))?;
            continue;
        }
        is_empty = false;
    }
    Ok(is_empty)
}

/// Writes a file whole, or leaves the old one.
pub(super) fn write(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    disk.create_folder(folder).map_err(StoreError::io("make", folder))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary: PathBuf = folder.join(format!(".{name}.new"));
    let written = || {
        let mut file = disk.open(&temporary, Access::Replace)?;
        write_all_at(file.as_mut(), bytes, 0)?;
        file.sync()
    };
    written().map_err(StoreError::io("write", &temporary))?;
    disk.rename(&temporary, path).map_err(StoreError::io("replace", path))?;
    disk.sync_folder(folder).map_err(StoreError::io("sync", folder))
}

/// An empty file in the place of the folder: a sandbox put it there while a command ran, and was killed.
fn is_stand_in(disk: &dyn Disk, folder: &Path) -> bool {
    let Ok(file) = disk.open(folder, Access::Read) else { return false };
    read_to_end(file.as_ref(), 0, 1).is_ok_and(|bytes| bytes.is_empty())
}

fn collect(
    disk: &dyn Disk,
    folder: &Path,
    prefix: &str,
    depth: usize,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), StoreError> {
    let entries = match disk.list(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound && depth == 0 => return Ok(()),
        Err(_) if depth == 0 && is_stand_in(disk, folder) => return Ok(()),
        listed => listed.map_err(StoreError::io("list", folder))?,
    };
    let is_part = |name: &str| !name.starts_with('.') && !is_apart(name, depth);
    for entry in entries.into_iter().filter(|entry| is_part(&entry.name)) {
        let path = folder.join(&entry.name);
        let name = if prefix.is_empty() { entry.name } else { format!("{prefix}/{}", entry.name) };
        if depth > DEEPEST || files.len() >= MOST_FILES {
            return Err(StoreError::corrupt(
                &path,
                "a package has at most 500 files, at most 4 folders deep",
            ));
        }
        if entry.is_special {
            return Err(StoreError::corrupt(&path, "it is neither a file nor a folder; take it away"));
        }
        if entry.is_folder {
            collect(disk, &path, &name, depth + 1, files)?;
            continue;
        }
        let file = disk.open(&path, Access::Read).map_err(StoreError::opening(&path))?;
        let bytes = read_to_end(file.as_ref(), 0, LARGEST + 1).map_err(StoreError::io("read", &path))?;
        if bytes.len() > LARGEST {
            return Err(StoreError::corrupt(&path, "a file of a package has at most 1 MiB"));
        }
        files.insert(name, bytes);
    }
    Ok(())
}
