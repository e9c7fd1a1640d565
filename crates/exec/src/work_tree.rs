//! The folders of a workdir as they are on disk, over the one resolver of paths. It must not follow a link, nor cache.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use nix::sys::stat::{FileStat, fstat};
use premath_kernel::Digest;
use premath_tusk::tools::files::{EntryKind, FileError};
use premath_tusk::tools::{FileStamp, TreeContent, TreeEntry, WorkTree};

use crate::beneath::{Beneath, Plain, kind};
use crate::work_files::failure;

/// How much is read at once.
const BLOCK: usize = 256 * 1024;

impl WorkTree for Beneath {
    fn entries(&self, folder: &str) -> Result<Vec<TreeEntry>, FileError> {
        let statuses = self.statuses(Path::new(folder)).map_err(|error| failure(folder, error))?;
        let entry = |(name, status): (std::ffi::OsString, FileStat)| {
            let stamp = stamp(&status);
            match name.into_string() {
                Ok(name) => TreeEntry { name, stamp },
                // A name that is no text cannot be given back to us; it is told apart, and nothing opens it.
                Err(name) => TreeEntry {
                    name: name.to_string_lossy().into_owned(),
                    stamp: FileStamp { kind: EntryKind::Other, ..stamp },
                },
            }
        };
        Ok(statuses.into_iter().map(entry).collect())
    }

    fn content(&self, path: &str, limit: u64) -> Result<TreeContent, FileError> {
        match self.open_plain(Path::new(path)).map_err(|error| failure(path, error))? {
            Plain::Link(target, status) => {
                Ok(TreeContent { bytes: target.as_bytes().to_vec(), stamp: stamp(&status) })
            }
            Plain::File(mut file) => {
                let mut bytes = Vec::new();
                file.by_ref().take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(system(path))?;
                if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) {
                    Ok(TreeContent { bytes, stamp: stamp_of(path, &file)? })
                } else {
                    Err(FileError::TooLong { path: path.to_owned(), limit })
                }
            }
        }
    }

    fn digest(&self, path: &str) -> Result<(Digest, FileStamp), FileError> {
        match self.open_plain(Path::new(path)).map_err(|error| failure(path, error))? {
            Plain::Link(target, status) => Ok((Digest::of_bytes(target.as_bytes()), stamp(&status))),
            Plain::File(mut file) => {
                let digest = Digest::of_pieces(Blocks(&mut file)).map_err(system(path))?;
                Ok((digest, stamp_of(path, &file)?))
            }
        }
    }
}

/// A file in pieces.
struct Blocks<'f>(&'f mut File);

impl Iterator for Blocks<'_> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut block = vec![0; BLOCK];
        match self.0.read(&mut block) {
            Ok(0) => None,
            Ok(read) => {
                block.truncate(read);
                Some(Ok(block))
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => self.next(),
            Err(error) => Some(Err(error)),
        }
    }
}

fn system(path: &str) -> impl FnOnce(io::Error) -> FileError + '_ {
    move |source| FileError::System { path: path.to_owned(), source }
}

fn stamp_of(path: &str, file: &File) -> Result<FileStamp, FileError> {
    let status = fstat(file).map_err(|error| system(path)(error.into()))?;
    Ok(stamp(&status))
}

fn stamp(status: &FileStat) -> FileStamp {
    FileStamp {
        kind: kind(status),
        length: u64::try_from(status.st_size).unwrap_or(0),
        mode: status.st_mode,
        inode: status.st_ino,
        modified: (status.st_mtime, status.st_mtime_nsec),
        changed: (status.st_ctime, status.st_ctime_nsec),
    }
}

#[cfg(test)]
mod tests;
