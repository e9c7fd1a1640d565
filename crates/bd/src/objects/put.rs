//! Taking content in: streamed to a file of its own, hashed on the way, named when it is durable.
//!
//! An answer means that the object is on the disk under its name, and that no collection which began before can have
//! taken it away. It must not answer when it does not know, and must not retry a failed sync.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use premath_wire::{InputClass, InputError, JsonPath};
use sha2::Digest as _;

use super::{BLOCK, INCOMING, ObjectId, ObjectRef, Objects};
use crate::disk::{Access, DiskFile, LockMode, write_all_at};
use crate::error::StoreError;
use crate::log::folder_of;

/// Content that has arrived and has no name yet. Its lock tells the collection that it is not a leftover.
struct Arrival {
    path: PathBuf,
    file: Box<dyn DiskFile>,
    object: ObjectRef,
}

impl Objects {
    /// Takes an object in. Content that is there already is not written again; damaged content is replaced.
    ///
    /// # Errors
    /// `Input` (`input.too_large`) beyond the limit; `Busy` while garbage is collected; `Poisoned` after a failed sync;
    /// `Io`, also for what `content` says. Nothing but the lock file is left behind.
    pub fn put(&self, content: &mut dyn Read) -> Result<ObjectRef, StoreError> {
        if self.poisoned.load(Ordering::Acquire) {
            return Err(StoreError::Poisoned { path: self.folder.clone() });
        }
        let (path, file) = self.begin()?;
        let arrived = self.receive(content, &path, file);
        let settled = arrived.and_then(|arrival| self.settle(arrival));
        if settled.as_ref().is_ok_and(|settled| settled.took_the_file) {
            return settled.map(|settled| settled.object);
        }
        let removed = self.disk.remove(&path);
        let object = settled?.object;
        match removed {
            // A collection was faster.
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StoreError::io("remove", &path)(error))
            }
            Ok(()) | Err(_) => Ok(object),
        }
    }

    /// Makes the file that the content arrives in.
    fn begin(&self) -> Result<(PathBuf, Box<dyn DiskFile>), StoreError> {
        let folder = self.folder.join(INCOMING);
        if !self.founded.load(Ordering::Acquire) {
            self.disk.create_folder(&folder).map_err(StoreError::io("make", &folder))?;
            self.sync_folder(&self.folder)?;
            self.sync_folder(folder_of(&self.folder))?;
            self.founded.store(true, Ordering::Release);
        }
        let path = folder.join(format!("{}.tmp", self.ids.fresh()));
        // Until it has its own lock, a collection might take it for a leftover.
        let _shared = self.lock(LockMode::Shared)?;
        let file = self.disk.open(&path, Access::Replace).map_err(StoreError::io("write", &path))?;
        file.lock(LockMode::Exclusive, Duration::ZERO).map_err(StoreError::io("lock", &path))?;
        Ok((path, file))
    }

    fn receive(
        &self,
        content: &mut dyn Read,
        path: &Path,
        mut file: Box<dyn DiskFile>,
    ) -> Result<Arrival, StoreError> {
        let mut hasher = sha2::Sha256::new();
        let mut block = vec![0; BLOCK];
        let mut size = 0_u64;
        loop {
            let count = match content.read(&mut block) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(StoreError::io("receive the content of", path)(error)),
            };
            let bytes = block.get(..count).unwrap_or_default();
            let length = u64::try_from(count).unwrap_or(u64::MAX);
            if length > self.limit.saturating_sub(size) {
                return Err(too_large(self.limit).into());
            }
            hasher.update(bytes);
            write_all_at(file.as_mut(), bytes, size).map_err(StoreError::io("write", path))?;
            size += length;
        }
        let object = ObjectRef { digest: ObjectId::from_hash(hasher.finalize().into()), size };
        Ok(Arrival { path: path.to_owned(), file, object })
    }

    /// Gives what arrived its name, or leaves it to an object that is there already.
    fn settle(&self, mut arrival: Arrival) -> Result<Settled, StoreError> {
        let object = arrival.object;
        let target = self.path_of(&object.digest);
        let shelf = folder_of(&target);
        let is_founded = self.shelves_founded.get(object.digest.shelf());
        let _shared = self.lock(LockMode::Shared)?;
        let took_the_file = match self.verify(&object.digest) {
            Ok(_) => {
                self.refresh(&target)?;
                false
            }
            Err(StoreError::Missing { .. } | StoreError::Corrupt { .. }) => {
                self.poisoning(arrival.file.sync()).map_err(StoreError::io("sync", &arrival.path))?;
                self.rename_to_shelf(&arrival.path, &target, is_founded)?;
                true
            }
            Err(error) => return Err(error),
        };
        // Object and shelf may be new, or made by a process that was stopped before it could say so to the disk.
        self.sync_folder(shelf)?;
        if !is_founded.is_some_and(|founded| founded.load(Ordering::Acquire)) {
            self.sync_folder(&self.folder)?;
            is_founded.into_iter().for_each(|founded| founded.store(true, Ordering::Release));
        }
        Ok(Settled { object, took_the_file })
    }

    fn rename_to_shelf(
        &self,
        from: &Path,
        target: &Path,
        is_founded: Option<&AtomicBool>,
    ) -> Result<(), StoreError> {
        let renamed = match self.disk.rename(from, target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let shelf = folder_of(target);
                is_founded.into_iter().for_each(|founded| founded.store(false, Ordering::Release));
                self.disk.create_folder(shelf).map_err(StoreError::io("make", shelf))?;
                self.disk.rename(from, target)
            }
            renamed => renamed,
        };
        renamed.map_err(StoreError::io("name", target))
    }

    /// Makes an object young again, so that a collection which thinks nobody needs it lets it be: its first byte is
    /// written over with itself. That need not outlive a power loss, because whoever put it would not either. The empty
    /// object has no such byte, and is never collected.
    fn refresh(&self, path: &Path) -> Result<(), StoreError> {
        let mut file = self.disk.open(path, Access::Update).map_err(StoreError::opening(path))?;
        let mut first = [0_u8; 1];
        if file.read_at(&mut first, 0).map_err(StoreError::io("read", path))? == 1 {
            write_all_at(file.as_mut(), &first, 0).map_err(StoreError::io("refresh", path))?;
        }
        Ok(())
    }

    fn sync_folder(&self, folder: &Path) -> Result<(), StoreError> {
        self.poisoning(self.disk.sync_folder(folder)).map_err(StoreError::io("sync", folder))
    }

    /// After a failed sync nobody knows what is on the disk, so nothing more is promised.
    fn poisoning<T>(&self, synced: io::Result<T>) -> io::Result<T> {
        if synced.is_err() {
            self.poisoned.store(true, Ordering::Release);
        }
        synced
    }
}

struct Settled {
    object: ObjectRef,
    took_the_file: bool,
}

fn too_large(limit: u64) -> InputError {
    let what = format!("an object has at most {limit} bytes here");
    InputError::new(InputClass::TooLarge, what, JsonPath::root())
}
