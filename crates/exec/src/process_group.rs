//! A control group that limits how many processes a tree has, for user 0, whom the limit of the system does not bind.
//!
//! It is made for one run and removed after it. Where none can be made there is none; the helper refuses in that case.

#![expect(clippy::disallowed_methods, reason = "control groups are files of the kernel")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::id;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the controller is, in either version of control groups, and what has to name it before it counts.
const PLACES: [(&str, Option<&str>); 2] =
    [("/sys/fs/cgroup", Some("cgroup.subtree_control")), ("/sys/fs/cgroup/pids", None)];

/// How many names are tried.
const MOST_NAMES: usize = 1000;

static NEXT: AtomicU64 = AtomicU64::new(0);

/// A group, removed when this is dropped.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    path: PathBuf,
}

impl ProcessGroup {
    /// Makes a group of at most so many processes, if the system lets us.
    pub(crate) fn make(most: u64) -> Option<Self> {
        PLACES.into_iter().filter(|(place, control)| counts(Path::new(place), *control)).find_map(
            |(place, _)| {
                let group = Self { path: make_folder(Path::new(place))? };
                fs::write(group.path.join("pids.max"), most.to_string()).ok()?;
                Some(group)
            },
        )
    }

    /// Moves a process into the group; what it starts is born there.
    pub(crate) fn take(&self, process: u32) -> std::io::Result<()> {
        fs::write(self.path.join("cgroup.procs"), process.to_string())
    }
}

/// A folder with a name of its own. Process numbers come back, and are not the same everywhere.
fn make_folder(place: &Path) -> Option<PathBuf> {
    for _ in 0..MOST_NAMES {
        let path = place.join(format!("premath-sandbox-{}-{}", id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        match fs::create_dir(&path) {
            Ok(()) => return Some(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(_) => return None,
        }
    }
    None
}

fn counts(place: &Path, control: Option<&str>) -> bool {
    match control {
        Some(file) => fs::read_to_string(place.join(file))
            .is_ok_and(|controllers| controllers.split_ascii_whitespace().any(|name| name == "pids")),
        None => place.join("cgroup.procs").exists(),
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // Its processes are dead; one that is not yet reaped by its namespace keeps it for a moment.
        for _ in 0..100 {
            match fs::remove_dir(&self.path) {
                Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                    crate::clock::pause(std::time::Duration::from_millis(1));
                }
                Ok(()) | Err(_) => return,
            }
        }
    }
}
