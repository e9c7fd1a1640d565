//! The whole disk as a value: files, names, locks and what is about to fail. Copying it is cheap; nothing in it is shared.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path};

use premath_bd::{FileStat, FolderEntry, LockMode, LockOutcome};
use premath_kernel::Moment;

use super::content::Content;
use super::faults::{EXISTS, Faults, IS_A_FOLDER, NO_SPACE, NO_SUCH_FILE, NOT_A_FOLDER, errno};
use super::names::{Key, Names};

pub(super) const ROOT: u64 = 1;

#[derive(Debug, Clone)]
enum Inode {
    Folder,
    File(Content),
}

#[derive(Debug, Clone)]
pub(super) struct State {
    inodes: BTreeMap<u64, Inode>,
    names: Names,
    /// Who holds what of which file.
    locks: BTreeMap<u64, BTreeMap<u64, LockMode>>,
    handles: u64,
    next_inode: u64,
    pub(super) time: Moment,
    pub(super) capacity: Option<u64>,
    pub(super) faults: Faults,
    pub(super) mark: u64,
}

impl State {
    pub(super) fn new() -> Self {
        Self {
            inodes: BTreeMap::from([(ROOT, Inode::Folder)]),
            names: Names::default(),
            locks: BTreeMap::new(),
            handles: 0,
            next_inode: ROOT + 1,
            time: Moment::EPOCH,
            capacity: None,
            faults: Faults::default(),
            mark: 0,
        }
    }

    /// The next moment: no two changes happen at the same time.
    pub(super) fn tick(&mut self) -> Moment {
        let (seconds, nanos) = (self.time.seconds(), self.time.nanos());
        self.time = Moment::new(seconds, nanos + 1)
            .or_else(|| Moment::new(seconds.saturating_add(1), 0))
            .unwrap_or(self.time);
        self.time
    }

    /// The disk when the process is gone and the system is not: everything is as it was seen, no lock is held.
    pub(super) fn without_process(&self) -> Self {
        Self { locks: BTreeMap::new(), faults: Faults::default(), ..self.clone() }
    }

    /// The disk after a power loss.
    pub(super) fn survivor(&self, choose: &mut dyn FnMut(usize) -> usize) -> Self {
        let names = self.names.survivor(choose);
        let mut inodes = BTreeMap::from([(ROOT, Inode::Folder)]);
        for inode in names.linked() {
            match self.inodes.get(&inode) {
                Some(Inode::File(content)) => inodes.insert(inode, Inode::File(content.survivor(choose))),
                Some(Inode::Folder) => inodes.insert(inode, Inode::Folder),
                None => None,
            };
        }
        Self {
            inodes,
            names,
            locks: BTreeMap::new(),
            faults: Faults::default(),
            capacity: self.capacity,
            ..*self
        }
    }

    pub(super) fn new_handle(&mut self) -> u64 {
        self.handles += 1;
        self.handles
    }

    fn folder(&self, path: &Path) -> io::Result<u64> {
        match self.find(path)? {
            inode if matches!(self.inodes.get(&inode), Some(Inode::Folder)) => Ok(inode),
            _ => Err(errno(NOT_A_FOLDER)),
        }
    }

    pub(super) fn find(&self, path: &Path) -> io::Result<u64> {
        let mut here = vec![ROOT];
        for component in path.components() {
            let folder = here.last().copied().unwrap_or(ROOT);
            match component {
                Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
                Component::ParentDir => {
                    here.pop();
                }
                Component::Normal(name) => {
                    if !matches!(self.inodes.get(&folder), Some(Inode::Folder)) {
                        return Err(errno(NOT_A_FOLDER));
                    }
                    let found = self.names.get(folder, &name.to_string_lossy());
                    here.push(found.ok_or_else(|| errno(NO_SUCH_FILE))?);
                }
            }
        }
        Ok(here.last().copied().unwrap_or(ROOT))
    }

    /// The folder and the name a path ends in; the folder must be there.
    fn key(&self, path: &Path) -> io::Result<Key> {
        let name = path.file_name().ok_or_else(|| errno(IS_A_FOLDER))?;
        let folder = self.folder(path.parent().unwrap_or_else(|| Path::new("")))?;
        Ok((folder, name.to_string_lossy().into_owned()))
    }

    fn add(&mut self, inode: Inode, key: Key) -> u64 {
        let number = self.next_inode;
        self.next_inode += 1;
        self.inodes.insert(number, inode);
        self.names.link(key, number);
        number
    }

    /// A file, made when it does not exist and `create` says so.
    pub(super) fn open(&mut self, path: &Path, create: bool) -> io::Result<u64> {
        match self.find(path) {
            Ok(inode) => self.content(inode).map(|_| inode),
            Err(error) if create && error.kind() == io::ErrorKind::NotFound => {
                let key = self.key(path)?;
                let now = self.tick();
                Ok(self.add(Inode::File(Content::new(now)), key))
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn create_folder(&mut self, path: &Path) -> io::Result<()> {
        match self.find(path) {
            Ok(inode) => match self.inodes.get(&inode) {
                Some(Inode::Folder) => Ok(()),
                _ => Err(errno(EXISTS)),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.create_folder(path.parent().unwrap_or_else(|| Path::new("")))?;
                let key = self.key(path)?;
                self.add(Inode::Folder, key);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Of files only: no store renames a folder.
    pub(super) fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let keys = (self.key(from)?, self.key(to)?);
        let inode = self.find(from)?;
        self.content(inode)?;
        let (from, to) = keys;
        if let Some(target) = self.names.get(to.0, &to.1) {
            self.content(target)?;
        }
        if from != to {
            self.names.rename(from, to, inode);
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, path: &Path) -> io::Result<()> {
        let inode = self.find(path)?;
        self.content(inode)?;
        let key = self.key(path)?;
        self.names.unlink(key);
        Ok(())
    }

    pub(super) fn remove_folder(&mut self, path: &Path) -> io::Result<()> {
        let folder = self.folder(path)?;
        if self.names.within(folder).next().is_some() {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        let key = self.key(path)?;
        self.names.unlink(key);
        Ok(())
    }

    pub(super) fn list(&self, path: &Path) -> io::Result<Vec<FolderEntry>> {
        let folder = self.folder(path)?;
        let entry = |(name, inode): (&str, u64)| FolderEntry {
            name: name.to_owned(),
            is_folder: matches!(self.inodes.get(&inode), Some(Inode::Folder)),
            is_special: false,
        };
        Ok(self.names.within(folder).map(entry).collect())
    }

    pub(super) fn sync_folder(&mut self, path: &Path) -> io::Result<()> {
        let folder = self.folder(path)?;
        self.names.sync(folder);
        Ok(())
    }

    /// Makes every name durable, whoever changed it.
    pub(super) fn sync_all_names(&mut self) {
        let folders: Vec<u64> = self.inodes.keys().copied().collect();
        for folder in folders {
            self.names.sync(folder);
        }
    }

    pub(super) fn content(&self, inode: u64) -> io::Result<&Content> {
        match self.inodes.get(&inode) {
            Some(Inode::File(content)) => Ok(content),
            Some(Inode::Folder) => Err(errno(IS_A_FOLDER)),
            None => Err(errno(NO_SUCH_FILE)),
        }
    }

    pub(super) fn content_mut(&mut self, inode: u64) -> io::Result<&mut Content> {
        match self.inodes.get_mut(&inode) {
            Some(Inode::File(content)) => Ok(content),
            Some(Inode::Folder) => Err(errno(IS_A_FOLDER)),
            None => Err(errno(NO_SUCH_FILE)),
        }
    }

    pub(super) fn stat(&self, inode: u64) -> io::Result<FileStat> {
        let content = self.content(inode)?;
        let length = u64::try_from(content.bytes().len()).unwrap_or(u64::MAX);
        Ok(FileStat { length, modified: content.modified, changed: content.modified, identity: inode })
    }

    /// How many of the `wanted` bytes behind a file's end there is room for.
    pub(super) fn room(&self, wanted: usize) -> io::Result<usize> {
        let Some(capacity) = self.capacity else { return Ok(wanted) };
        let length = |inode: u64| self.content(inode).map_or(0, |content| content.bytes().len());
        let used: usize = self.names.linked().map(length).sum();
        let free = usize::try_from(capacity).unwrap_or(usize::MAX).saturating_sub(used);
        if free == 0 && wanted > 0 { Err(errno(NO_SPACE)) } else { Ok(free.min(wanted)) }
    }

    pub(super) fn lock(&mut self, inode: u64, handle: u64, mode: LockMode) -> LockOutcome {
        let holders = self.locks.entry(inode).or_default();
        let clashes = |(other, held): (&u64, &LockMode)| {
            *other != handle && (mode == LockMode::Exclusive || *held == LockMode::Exclusive)
        };
        if holders.iter().any(clashes) {
            return LockOutcome::Busy;
        }
        holders.insert(handle, mode);
        LockOutcome::Held
    }

    pub(super) fn unlock(&mut self, inode: u64, handle: u64) {
        if let Some(holders) = self.locks.get_mut(&inode) {
            holders.remove(&handle);
        }
    }
}
