//! The limit on disk space: watches the file systems that a command can write, and adds up its files once they shrink.
//!
//! Free space is cheap to ask for and belongs to everybody, so a drop of it only starts a count, while the command stands
//! still. Counted are files that changed since the command began and files that it holds open without a name. It must not
//! end a command for what others wrote.

#![expect(clippy::disallowed_methods, reason = "what a command wrote is found in its folders")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use nix::sys::statvfs::statvfs;

use super::tree;
use crate::plan::Plan;

/// The least drop of free space between two counts, so that a busy machine does not stop a command all the time.
const STEP: u64 = 32 << 20;
/// What a block of the file system's accounting holds.
const BLOCK: u64 = 512;

/// What is known of the disk space of one command.
#[derive(Debug)]
pub(super) struct DiskUsage {
    places: Vec<PathBuf>,
    limit: u64,
    /// When the command began, as the file system tells it.
    since: (i64, i64),
    free: BTreeMap<u64, u64>,
    dropped: u64,
    allowance: u64,
}

impl DiskUsage {
    /// Begins to watch what a plan lets its command write. Its folder for temporary files was made for this run.
    pub(super) fn start(plan: &Plan) -> Self {
        let walls = &plan.walls;
        let workdir = walls.is_workdir_writable.then_some(&walls.workdir);
        let further = if walls.is_workdir_writable { walls.writable.as_slice() } else { &[] };
        let places: Vec<PathBuf> =
            workdir.into_iter().chain(further).chain([&plan.temporary]).cloned().collect();
        let made = fs::metadata(&plan.temporary);
        let since = made.map_or((i64::MAX, 0), |made| (made.ctime(), made.ctime_nsec()));
        let limit = walls.limits.disk;
        let mut usage = Self { places, limit, since, free: BTreeMap::new(), dropped: 0, allowance: limit };
        usage.free = usage.free_space();
        usage
    }

    /// Takes note of free space; whether so much of it went that the command's files have to be counted.
    pub(super) fn needs_count(&mut self) -> bool {
        let now = self.free_space();
        for (device, free) in &now {
            let before = self.free.get(device).copied().unwrap_or(*free);
            self.dropped = self.dropped.saturating_add(before.saturating_sub(*free));
        }
        self.free = now;
        self.dropped > self.allowance
    }

    /// Counts; whether the command is over its limit. It must stand still meanwhile.
    pub(super) fn is_over_limit(&mut self) -> bool {
        let taken = self.taken();
        self.dropped = 0;
        self.allowance = self.limit.saturating_sub(taken).max(STEP);
        taken > self.limit
    }

    fn free_space(&self) -> BTreeMap<u64, u64> {
        let free = |place: &PathBuf| {
            let device = fs::metadata(place).ok()?.dev();
            let space = statvfs(place).ok()?;
            Some((device, space.blocks_free().saturating_mul(space.fragment_size())))
        };
        self.places.iter().filter_map(free).collect()
    }

    fn taken(&self) -> u64 {
        let mut count = Count { since: self.since, seen: BTreeSet::new(), bytes: 0 };
        for place in &self.places {
            count.add_below(place);
        }
        let devices: BTreeSet<u64> = self.free.keys().copied().collect();
        for file in tree::open_files() {
            if file.nlink() == 0 && devices.contains(&file.dev()) {
                count.add(&file);
            }
        }
        count.bytes
    }
}

struct Count {
    since: (i64, i64),
    seen: BTreeSet<(u64, u64)>,
    bytes: u64,
}

impl Count {
    fn add_below(&mut self, place: &Path) {
        let mut open = vec![place.to_path_buf()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let Ok(metadata) = entry.metadata() else { continue };
                if metadata.is_dir() {
                    open.push(entry.path());
                } else {
                    self.add(&metadata);
                }
            }
        }
    }

    fn add(&mut self, file: &Metadata) {
        let is_changed = (file.ctime(), file.ctime_nsec()) >= self.since;
        if file.is_file() && is_changed && self.seen.insert((file.dev(), file.ino())) {
            self.bytes = self.bytes.saturating_add(file.blocks().saturating_mul(BLOCK));
        }
    }
}
