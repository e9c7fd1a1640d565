//! The files of a workdir as far as a role may touch them.
//!
//! Folders cover what the kernel's scope check says they cover, so that what is let through here is what the turn may show
//! as evidence. Of folders above the scope only the way into it is seen. It must not be taken for a wall around commands:
//! those have their own.

use std::fmt;
use std::sync::Arc;

use premath_kernel::{Access, Roots};

use super::{EntryKind, FileContent, FileEntry, FileError, WorkFile, WorkFiles};

/// Files within the scope of a role.
#[derive(Debug)]
pub struct ScopedFiles {
    inner: Arc<dyn WorkFiles>,
    read: Scope,
    write: Scope,
}

/// Folders and files, and all below them.
struct Scope {
    names: Vec<String>,
    roots: Roots,
}

impl fmt::Debug for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.names.fmt(formatter)
    }
}

impl Scope {
    fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        // A blank name would be read as the workdir itself.
        let told = names.into_iter().filter(|name| !name.trim().is_empty());
        let names: Vec<String> = told.map(str::to_owned).collect();
        Self { roots: Roots::new(names.iter().map(String::as_str)), names }
    }

    /// Whether a folder lies on the way into it.
    fn is_below(&self, path: &str) -> bool {
        let folder = Roots::new([path]);
        self.names.iter().any(|name| folder.cover(name))
    }
}

impl ScopedFiles {
    /// The files that may be read, and those that may be written. Neither gives the other.
    #[must_use]
    pub fn new<'a>(
        inner: Arc<dyn WorkFiles>,
        read: impl IntoIterator<Item = &'a str>,
        write: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self { inner, read: Scope::new(read), write: Scope::new(write) }
    }

    fn refuse_unless(&self, is_covered: bool, path: &str, access: Access) -> Result<(), FileError> {
        if is_covered { Ok(()) } else { Err(FileError::OutOfScope { path: path.to_owned(), access }) }
    }

    fn may_write(&self, path: &str) -> Result<(), FileError> {
        self.refuse_unless(self.write.roots.cover(path), path, Access::Write)?;
        self.refuse_links(&self.write, path, Access::Write)
    }

    fn may_read(&self, path: &str) -> Result<(), FileError> {
        self.refuse_unless(self.read.roots.cover(path), path, Access::Read)?;
        self.refuse_links(&self.read, path, Access::Read)
    }

    /// Refuses a path through a link, or to one: behind it may lie what is out of scope.
    fn refuse_links(&self, scope: &Scope, path: &str, access: Access) -> Result<(), FileError> {
        if scope.roots.cover(".") {
            return Ok(());
        }
        let folders = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
        for part in folders.chain([path]) {
            match self.inner.metadata(part) {
                Ok(entry) => self.refuse_unless(entry.kind != EntryKind::Link, part, access)?,
                Err(FileError::Missing { .. }) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Whether the name may be known: within the scope, or on the way into it.
    fn is_seen(&self, path: &str) -> bool {
        [&self.read, &self.write].into_iter().any(|scope| scope.roots.cover(path) || scope.is_below(path))
    }
}

impl WorkFiles for ScopedFiles {
    fn metadata(&self, path: &str) -> Result<FileEntry, FileError> {
        self.refuse_unless(self.is_seen(path), path, Access::Read)?;
        self.inner.metadata(path)
    }

    fn list(&self, path: &str) -> Result<Vec<FileEntry>, FileError> {
        if self.read.roots.cover(path) {
            self.may_read(path)?;
            return self.inner.list(path);
        }
        self.refuse_unless(self.is_seen(path), path, Access::Read)?;
        let mut entries = self.inner.list(path)?;
        entries.retain(|entry| {
            let name = &entry.name;
            self.is_seen(&if path == "." { name.clone() } else { format!("{path}/{name}") })
        });
        Ok(entries)
    }

    fn open(&self, path: &str) -> Result<Box<dyn WorkFile>, FileError> {
        self.may_read(path)?;
        self.inner.open(path)
    }

    /// Whoever may change a file may compare it with what they take it for.
    fn read(&self, path: &str, limit: u64) -> Result<FileContent, FileError> {
        if self.write.roots.cover(path) {
            self.may_write(path)?
        } else {
            self.may_read(path)?
        }
        self.inner.read(path, limit)
    }

    fn create(&self, path: &str, content: &FileContent) -> Result<(), FileError> {
        self.may_write(path)?;
        self.inner.create(path, content)
    }

    fn replace(&self, path: &str, content: &FileContent) -> Result<(), FileError> {
        self.may_write(path)?;
        self.inner.replace(path, content)
    }

    fn remove(&self, path: &str) -> Result<(), FileError> {
        self.may_write(path)?;
        self.inner.remove(path)
    }

    fn make_folder(&self, path: &str) -> Result<(), FileError> {
        self.may_write(path)?;
        self.inner.make_folder(path)
    }
}
