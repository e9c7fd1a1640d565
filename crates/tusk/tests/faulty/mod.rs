//! Files that fail at the n-th operation, in every way that matters.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use premath_tusk::tools::files::{FileContent, FileEntry, FileError, MemoryFiles, WorkFile, WorkFiles};

/// How an operation fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// This one, before it did anything.
    OnceBefore,
    /// This one, after it did everything.
    OnceAfter,
    /// This one and all that follow, before they did anything.
    EverBefore,
    /// This one and all writes that follow, before they did anything.
    WritesBefore,
    /// This one and all writes that follow, after they did everything.
    WritesAfter,
}

impl Fault {
    /// One fault and no more.
    pub(crate) const ONCE: [Self; 2] = [Self::OnceBefore, Self::OnceAfter];
    /// From one fault on.
    pub(crate) const FROM_THEN_ON: [Self; 3] = [Self::EverBefore, Self::WritesBefore, Self::WritesAfter];
}

#[derive(Debug)]
pub(crate) struct Faulty<'f> {
    inner: &'f MemoryFiles,
    fault: Fault,
    at: u64,
    count: AtomicU64,
}

impl<'f> Faulty<'f> {
    pub(crate) fn new(inner: &'f MemoryFiles, fault: Fault, at: u64) -> Self {
        Self { inner, fault, at, count: AtomicU64::new(0) }
    }

    pub(crate) fn has_struck(&self) -> bool {
        self.count.load(Ordering::SeqCst) > self.at
    }

    fn operate<T>(
        &self,
        path: &str,
        is_write: bool,
        operation: impl FnOnce() -> Result<T, FileError>,
    ) -> Result<T, FileError> {
        let number = self.count.fetch_add(1, Ordering::SeqCst);
        let strikes = match self.fault {
            Fault::OnceBefore | Fault::OnceAfter => number == self.at,
            Fault::EverBefore => number >= self.at,
            Fault::WritesBefore | Fault::WritesAfter => number == self.at || (number > self.at && is_write),
        };
        if !strikes {
            return operation();
        }
        let failure =
            FileError::System { path: path.to_owned(), source: io::Error::other("the disk is broken") };
        match self.fault {
            Fault::OnceAfter | Fault::WritesAfter => {
                drop(operation());
                Err(failure)
            }
            Fault::OnceBefore | Fault::EverBefore | Fault::WritesBefore => Err(failure),
        }
    }
}

impl WorkFiles for Faulty<'_> {
    fn metadata(&self, path: &str) -> Result<FileEntry, FileError> {
        self.operate(path, false, || self.inner.metadata(path))
    }

    fn list(&self, path: &str) -> Result<Vec<FileEntry>, FileError> {
        self.operate(path, false, || self.inner.list(path))
    }

    fn open(&self, path: &str) -> Result<Box<dyn WorkFile>, FileError> {
        self.operate(path, false, || self.inner.open(path))
    }

    fn read(&self, path: &str, limit: u64) -> Result<FileContent, FileError> {
        self.operate(path, false, || self.inner.read(path, limit))
    }

    fn create(&self, path: &str, content: &FileContent) -> Result<(), FileError> {
        self.operate(path, true, || self.inner.create(path, content))
    }

    fn replace(&self, path: &str, content: &FileContent) -> Result<(), FileError> {
        self.operate(path, true, || self.inner.replace(path, content))
    }

    fn remove(&self, path: &str) -> Result<(), FileError> {
        self.operate(path, true, || self.inner.remove(path))
    }

    fn make_folder(&self, path: &str) -> Result<(), FileError> {
        self.operate(path, true, || self.inner.make_folder(path))
    }
}
