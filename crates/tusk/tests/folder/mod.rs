//! A real folder, for tests only: it trusts its paths, which the product must not.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use premath_tusk::tools::files::{EntryKind, FileContent, FileEntry, FileError, WorkFile, WorkFiles};

#[derive(Debug)]
pub(crate) struct Folder(pub(crate) PathBuf);

#[expect(clippy::wildcard_enum_match_arm, reason = "the errors of a system are no decision of ours")]
fn failed(path: &str, source: io::Error) -> FileError {
    let path = path.to_owned();
    match source.kind() {
        ErrorKind::NotFound => FileError::Missing { path },
        ErrorKind::AlreadyExists => FileError::Exists { path },
        ErrorKind::NotADirectory => FileError::Invalid { path, why: "no folder".to_owned() },
        _ => FileError::System { path, source },
    }
}

impl Folder {
    fn on<T>(&self, path: &str, act: impl FnOnce(PathBuf) -> io::Result<T>) -> Result<T, FileError> {
        act(self.0.join(path)).map_err(|source| failed(path, source))
    }
}

fn entry(name: &str, status: &fs::Metadata) -> FileEntry {
    let kind = if status.is_file() {
        EntryKind::File
    } else if status.is_dir() {
        EntryKind::Folder
    } else if status.is_symlink() {
        EntryKind::Link
    } else {
        EntryKind::Other
    };
    FileEntry { name: name.to_owned(), kind, length: status.len() }
}

impl WorkFiles for Folder {
    fn metadata(&self, path: &str) -> Result<FileEntry, FileError> {
        self.on(path, |at| fs::symlink_metadata(at).map(|status| entry(path, &status)))
    }

    fn list(&self, path: &str) -> Result<Vec<FileEntry>, FileError> {
        let mut entries = self.on(path, |at| {
            fs::read_dir(at)?
                .map(|found| {
                    found
                        .and_then(|found| Ok(entry(&found.file_name().to_string_lossy(), &found.metadata()?)))
                })
                .collect::<io::Result<Vec<_>>>()
        })?;
        entries.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(entries)
    }

    fn open(&self, path: &str) -> Result<Box<dyn WorkFile>, FileError> {
        self.on(path, |at| fs::File::open(at).map(|file| Box::new(file) as Box<dyn WorkFile>))
    }

    fn read(&self, path: &str, limit: u64) -> Result<FileContent, FileError> {
        let (bytes, status) = self.on(path, |at| Ok((fs::read(&at)?, fs::metadata(&at)?)))?;
        if bytes.len() as u64 > limit {
            return Err(FileError::TooLong { path: path.to_owned(), limit });
        }
        Ok(FileContent { bytes, executable: status.permissions().mode() & 0o111 != 0 })
    }

    fn create(&self, path: &str, content: &FileContent) -> Result<(), FileError> {
        self.on(path, |at| fs::File::create_new(at).map(|_| ()))?;
        self.replace(path, content)
    }

    fn replace(&self, path: &str, content: &FileContent) -> Result<(), FileError> {
        self.on(path, |at| fs::write(at, &content.bytes))
    }

    fn remove(&self, path: &str) -> Result<(), FileError> {
        self.on(path, |at| if at.is_dir() { fs::remove_dir(at) } else { fs::remove_file(at) })
    }

    fn make_folder(&self, path: &str) -> Result<(), FileError> {
        self.on(path, fs::create_dir)
    }
}
