//! Content-addressed objects: payloads that rows refer to by the digest of what they hold.
//!
//! `.premath/objects/ab/cdef…`, one file each, never changed once it has its name. Content streams through a file of its
//! own under `incoming` and gets its name when it is durable. A shared lock keeps a put and the garbage collection from
//! passing each other. It must not hold an object in memory, and reading must not make a file.

mod collect;
mod id;
mod put;
mod read;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::clock::IdSource;
use crate::disk::{Access, Disk, DiskFile, FolderEntry, LockMode, LockOutcome};
use crate::error::StoreError;

pub use self::collect::{Collection, GarbageReport, GarbageRules};
pub use self::id::{ObjectId, ObjectRef};
pub use self::read::ObjectReader;

/// The largest object that is taken unless somebody says otherwise.
pub const DEFAULT_OBJECT_LIMIT: u64 = 1 << 30;

const INCOMING: &str = "incoming";
const LOCK: &str = "lock";
/// How long a put waits for the garbage collection, and the other way round.
const PATIENCE: Duration = Duration::from_secs(30);
/// How much is read and written at once.
const BLOCK: usize = 256 * 1024;

/// A folder of objects. Cheap to clone; clones share what they know of failed syncs.
#[derive(Debug, Clone)]
pub struct Objects {
    disk: Arc<dyn Disk>,
    ids: Arc<dyn IdSource>,
    folder: PathBuf,
    limit: u64,
    /// Set by a failed sync: what is on the disk is then not known.
    poisoned: Arc<AtomicBool>,
    /// Whether this process has made the names of the folders durable.
    founded: Arc<AtomicBool>,
    /// The same for each shelf, by the first byte of its objects' names.
    shelves_founded: Arc<[AtomicBool]>,
}

impl Objects {
    /// The objects in a folder, which is made by the first put.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, ids: Arc<dyn IdSource>, folder: PathBuf) -> Self {
        let unset = || Arc::new(AtomicBool::new(false));
        Self {
            disk,
            ids,
            folder,
            limit: DEFAULT_OBJECT_LIMIT,
            poisoned: unset(),
            founded: unset(),
            shelves_founded: (0..=u8::MAX).map(|_| AtomicBool::new(false)).collect(),
        }
    }

    /// The same store, taking objects of at most `limit` bytes.
    #[must_use]
    pub fn with_limit(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where an object is, or would be.
    #[must_use]
    pub fn path_of(&self, id: &ObjectId) -> PathBuf {
        id.place(&self.folder)
    }

    /// Whether there is a file for it. Whether that holds what it should, `verify` says.
    ///
    /// # Errors
    /// `Io` when the system does not tell.
    pub fn contains(&self, id: &ObjectId) -> Result<bool, StoreError> {
        Ok(self.find(id)?.is_some())
    }

    /// The objects, folder by folder, in order. Other files are passed over.
    #[must_use]
    pub fn iter(&self) -> ObjectIds<'_> {
        ObjectIds { objects: self, shelves: None, current: Vec::new().into_iter() }
    }

    /// The file of an object; none where there is none.
    pub(crate) fn find(&self, id: &ObjectId) -> Result<Option<Box<dyn DiskFile>>, StoreError> {
        let path = self.path_of(id);
        match self.disk.open(&path, Access::Read) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("open", &path)(error)),
        }
    }

    /// The lock between putting (shared) and collecting (exclusive). It ends with the handle.
    fn lock(&self, mode: LockMode) -> Result<Box<dyn DiskFile>, StoreError> {
        let path = self.folder.join(LOCK);
        let file = self.disk.open(&path, Access::Update).map_err(StoreError::opening(&path))?;
        match file.lock(mode, PATIENCE).map_err(StoreError::io("lock", &path))? {
            LockOutcome::Held => Ok(file),
            LockOutcome::Busy => Err(StoreError::Busy { path }),
        }
    }

    /// What is in a folder; nothing when there is no such folder.
    fn entries(&self, folder: &Path) -> Result<Vec<FolderEntry>, StoreError> {
        match self.disk.list(folder) {
            Ok(entries) => Ok(entries),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(StoreError::io("list", folder)(error)),
        }
    }

    /// The folders that objects are in, by name.
    fn shelves(&self) -> Result<Vec<String>, StoreError> {
        let is_shelf = |name: &String| {
            name.len() == 2 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let entries = self.entries(&self.folder)?;
        Ok(entries
            .into_iter()
            .filter(|entry| entry.is_folder)
            .map(|entry| entry.name)
            .filter(is_shelf)
            .collect())
    }

    fn on_shelf(&self, shelf: &str) -> Result<Vec<ObjectId>, StoreError> {
        let entries = self.entries(&self.folder.join(shelf))?;
        let object =
            |entry: FolderEntry| ObjectId::from_place(shelf, &entry.name).filter(|_| !entry.is_folder);
        Ok(entries.into_iter().filter_map(object).collect())
    }

    /// The object whose file that is.
    pub(crate) fn id_at(&self, path: &Path) -> Option<ObjectId> {
        let shelf = path.parent().filter(|shelf| shelf.parent() == Some(&self.folder))?;
        ObjectId::from_place(&shelf.file_name()?.to_string_lossy(), &path.file_name()?.to_string_lossy())
    }

    /// Keeps puts out until what is returned is dropped.
    pub(crate) fn alone(&self) -> Result<Box<dyn DiskFile>, StoreError> {
        self.lock(LockMode::Exclusive)
    }

    /// Files of puts, by path: some of them may be under way, the others were left by killed ones.
    pub(crate) fn incoming(&self) -> Result<Vec<PathBuf>, StoreError> {
        let folder = self.folder.join(INCOMING);
        let entries = self.entries(&folder)?;
        Ok(entries
            .into_iter()
            .filter(|entry| !entry.is_folder)
            .map(|entry| folder.join(entry.name))
            .collect())
    }
}

impl<'o> IntoIterator for &'o Objects {
    type Item = Result<ObjectId, StoreError>;
    type IntoIter = ObjectIds<'o>;

    fn into_iter(self) -> ObjectIds<'o> {
        self.iter()
    }
}

/// The names of objects, listed one folder at a time.
#[derive(Debug)]
pub struct ObjectIds<'o> {
    objects: &'o Objects,
    shelves: Option<std::vec::IntoIter<String>>,
    current: std::vec::IntoIter<ObjectId>,
}

impl Iterator for ObjectIds<'_> {
    type Item = Result<ObjectId, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.shelves.is_none() {
            match self.objects.shelves() {
                Ok(shelves) => self.shelves = Some(shelves.into_iter()),
                Err(error) => {
                    self.shelves = Some(Vec::new().into_iter());
                    return Some(Err(error));
                }
            }
        }
        loop {
            if let Some(id) = self.current.next() {
                return Some(Ok(id));
            }
            let shelf = self.shelves.as_mut()?.next()?;
            match self.objects.on_shelf(&shelf) {
                Ok(ids) => self.current = ids.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Where the objects of a repository are.
#[must_use]
pub fn objects_folder(root: &Path) -> PathBuf {
    root.join(".premath").join("objects")
}
