//! What the tests of the evidence stores share: a repository on a disk in memory, and everything that is on it.

#![expect(clippy::disallowed_methods, reason = "`cargo xtask prove` asks for the whole work by a variable")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]
#![allow(dead_code, reason = "each test uses what it needs of this module")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_bd::{Clock, Disk, IdSource, Journal, Objects, Repository, Witnesses, runs_folder};
use premath_kernel::{Moment, Object, Value};
use premath_testkit::faulty_disk::SimDisk;
use premath_testkit::{CountingIds, TestClock};

/// `PREMATH_PROVE=1` asks for the whole work; without it a slice is done.
pub(crate) fn amount(slice: usize, whole: usize) -> usize {
    if std::env::var("PREMATH_PROVE").is_ok_and(|value| value == "1") { whole } else { slice }
}

/// So many seconds after the beginning of time.
pub(crate) fn at(seconds: i64) -> Moment {
    Moment::new(seconds, 0).unwrap()
}

/// A repository.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    pub(crate) disk: SimDisk,
    pub(crate) clock: TestClock,
    ids: CountingIds,
}

impl Room {
    /// An empty one; its clock and its files agree on the time.
    pub(crate) fn new() -> Self {
        let disk = SimDisk::new();
        disk.set_time(at(1_000_000));
        disk.put(".premath/.gitignore", b"*\n").unwrap();
        Self::on(disk)
    }

    /// What a new process finds on a disk.
    pub(crate) fn on(disk: SimDisk) -> Self {
        Self { disk, clock: TestClock::at(at(1_000_000)), ids: CountingIds::default() }
    }

    pub(crate) fn dyn_disk(&self) -> Arc<dyn Disk> {
        Arc::new(self.disk.clone())
    }

    pub(crate) fn dyn_ids(&self) -> Arc<dyn IdSource> {
        Arc::new(self.ids.clone())
    }

    pub(crate) fn dyn_clock(&self) -> Arc<dyn Clock> {
        Arc::new(self.clock.clone())
    }

    pub(crate) fn repository(&self) -> Repository {
        Repository::new(self.dyn_disk(), self.dyn_clock(), self.dyn_ids(), Self::root())
    }

    pub(crate) fn root() -> &'static Path {
        Path::new("")
    }

    pub(crate) fn journal(&self, session: &str) -> Journal {
        Journal::open(self.dyn_disk(), &runs_folder(Self::root()), session).unwrap()
    }

    pub(crate) fn objects(&self) -> Objects {
        self.repository().objects()
    }

    pub(crate) fn witnesses(&self) -> Witnesses {
        self.repository().witnesses()
    }

    /// Every file and what is in it.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut open = vec![PathBuf::new()];
        while let Some(folder) = open.pop() {
            for entry in self.disk.list(&folder).unwrap() {
                let path = folder.join(&entry.name);
                if entry.is_folder {
                    open.push(path);
                } else {
                    let bytes = self.disk.bytes(&path).unwrap();
                    files.insert(path, bytes);
                }
            }
        }
        files
    }
}

/// An event of a kind.
pub(crate) fn event(kind: &'static str, number: u32) -> Value<'static> {
    Object::fields().field("kind", kind).field("number", number).finish()
}
