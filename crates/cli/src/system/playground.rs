//! Folders that are attacked, and what is left of them.

#![expect(
    clippy::disallowed_methods,
    reason = "part of the module that owns the command's access to the system"
)]

use std::collections::BTreeMap;
use std::io;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

/// A folder that goes away again.
#[derive(Debug)]
pub(crate) struct Playground(PathBuf);

impl Playground {
    /// A new one where temporary files belong.
    pub(crate) fn new(name: &str) -> io::Result<Self> {
        let folder = super::fresh_folder(name)?;
        Ok(Self(std::fs::canonicalize(folder)?))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Playground {
    fn drop(&mut self) {
        // What cannot be removed stays among the temporary files, where it does no harm.
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// Puts a file somewhere, with the folders above it.
pub(crate) fn put_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, bytes)
}

/// Puts a copy of this very program somewhere.
pub(crate) fn copy_program(path: &Path) -> io::Result<()> {
    std::fs::copy(std::env::current_exe()?, path).map(drop)
}

/// Another name for the same file; a copy where that cannot be.
pub(crate) fn put_again(file: &Path, path: &Path) -> io::Result<()> {
    std::fs::hard_link(file, path).or_else(|_| std::fs::copy(file, path).map(drop))
}

/// Makes a name lead somewhere else.
pub(crate) fn put_link(path: &Path, leads_to: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(leads_to, path)
}

/// Every file below a folder, or the file itself, with what it holds. Links are not followed.
pub(crate) fn contents(path: &Path) -> io::Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut left = vec![path.to_path_buf()];
    while let Some(path) = left.pop() {
        let kind = match std::fs::symlink_metadata(&path) {
            Ok(kind) => kind,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        if kind.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                left.push(entry?.path());
            }
        } else if kind.is_file() {
            let bytes = std::fs::read(&path)?;
            found.insert(path, bytes);
        } else {
            found.insert(path, b"not a file".to_vec());
        }
    }
    Ok(found)
}

/// An ear on the loopback address.
#[derive(Debug)]
pub(crate) struct Ear(TcpListener);

impl Ear {
    pub(crate) fn new() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        listener.set_nonblocking(true)?;
        Ok(Self(listener))
    }

    pub(crate) fn port(&self) -> io::Result<u16> {
        self.0.local_addr().map(|address| address.port())
    }

    /// Whether anybody knocked since the last time.
    pub(crate) fn heard(&self) -> bool {
        self.0.accept().is_ok()
    }
}
