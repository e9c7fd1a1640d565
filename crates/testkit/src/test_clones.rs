//! Clones with keys for tests: one secret, every folder a clone of its own, and a git that has what it is told.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use premath_bd::{CloneAuth, CloneIdentity, CloneKey, CloneLookup, CommittedFile, Disk, KeyedDisk};

/// Looks clones up without a system.
#[derive(Debug, Clone)]
pub struct TestClones {
    secret: Option<[u8; 32]>,
    place: String,
    committed: Arc<Mutex<BTreeMap<PathBuf, Vec<u8>>>>,
}

impl TestClones {
    /// A clone at a place, whose secret is this byte thirty-two times.
    #[must_use]
    pub fn at(place: &str, secret: u8) -> Self {
        Self { secret: Some([secret; 32]), place: place.to_owned(), committed: Arc::default() }
    }

    /// The same without the secret, as on a machine that does not have it.
    #[must_use]
    pub fn without_key(place: &str) -> Self {
        Self { secret: None, place: place.to_owned(), committed: Arc::default() }
    }

    /// What git has of a file from now on.
    pub fn commit(&self, path: impl Into<PathBuf>, bytes: Vec<u8>) {
        self.committed.lock().unwrap_or_else(PoisonError::into_inner).insert(path.into(), bytes);
    }

    /// A file system whose logs carry the key of this clone.
    #[must_use]
    pub fn keyed(&self, disk: impl Disk + 'static) -> Arc<dyn Disk> {
        Arc::new(KeyedDisk::new(Arc::new(disk), Arc::new(CloneAuth::new(self.clone()))))
    }
}

impl CloneLookup for TestClones {
    fn identify(&self, _folder: &Path) -> CloneIdentity {
        let key = self.secret.ok_or_else(|| "this test has no key".to_owned());
        CloneIdentity {
            key: key.map(|secret| CloneKey::derive(&secret, Path::new(&self.place))),
            former_keys: Vec::new(),
            place: self.place.clone(),
            records: Some(PathBuf::from("state/clones")),
        }
    }

    fn create_secret(&self, _folder: &Path) -> Result<(), String> {
        self.secret.map(|_| ()).ok_or_else(|| "this test has no key".to_owned())
    }

    fn committed(&self, path: &Path) -> Vec<CommittedFile> {
        let committed = self.committed.lock().unwrap_or_else(PoisonError::into_inner);
        let file = |bytes: &Vec<u8>| CommittedFile { version: "commit 1".to_owned(), bytes: bytes.clone() };
        committed.get(path).map(file).into_iter().collect()
    }
}
