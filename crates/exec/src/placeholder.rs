//! Stand-ins for protected paths that are not there: a name can only be held by a mount where there is something to mount on.
//!
//! A stand-in is empty and not writable, is there for the length of a run, and is known by that when a run before was
//! killed. Several runs in one workdir hold a shared lock on it; whoever is last takes the stand-ins away.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{AtFlags, Flock, FlockArg, OFlag, open, openat};
use nix::sys::stat::{Mode, SFlag, fstatat, mkdirat};
use nix::unistd::{UnlinkatFlags, linkat, unlinkat};

use crate::clock;
use crate::protected::{Kind, Protected};

/// How long the last run may take to tidy up before we go without stand-ins.
const PATIENCE: Duration = Duration::from_secs(2);
const NOT_WRITABLE: libc::mode_t = 0o222;

/// Stand-ins that are in place while this is held.
#[derive(Debug)]
pub(crate) struct Placeholders {
    lock: Flock<OwnedFd>,
    paths: Vec<PathBuf>,
}

impl Placeholders {
    /// Puts a stand-in wherever a protected path is missing.
    pub(crate) fn put(workdir: &Path, protected: &Protected) -> io::Result<Self> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let lock = shared_lock(open(workdir, flags, Mode::empty())?)?;
        let placeholders = Self { lock, paths: protected.all.clone() };
        let mut first_file = None;
        for (path, kind) in &protected.absent {
            if let Err(error) = placeholders.put_one(path, *kind, &mut first_file) {
                placeholders.take_away();
                return Err(error.into());
            }
        }
        Ok(placeholders)
    }

    /// One empty file serves for all of them: another name of it costs a fraction of another file.
    fn put_one<'a>(&self, path: &'a Path, kind: Kind, first: &mut Option<&'a Path>) -> Result<(), Errno> {
        let made = match (kind, *first) {
            (Kind::Folder, _) => mkdirat(&*self.lock, path, Mode::from_bits_truncate(0o555)),
            (Kind::File, Some(first)) => linkat(&*self.lock, first, &*self.lock, path, AtFlags::empty())
                .or_else(|_| self.put_file(path)),
            (Kind::File, None) => self.put_file(path).inspect(|()| *first = Some(path)),
        };
        // Another run was faster. Whatever else has the name by now is no stand-in, and cannot be treated as one.
        if made == Err(Errno::EEXIST) && self.as_stand_in(path).is_some() { Ok(()) } else { made }
    }

    fn put_file(&self, path: &Path) -> Result<(), Errno> {
        let flags = OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_WRONLY | OFlag::O_CLOEXEC;
        openat(&*self.lock, path, flags, Mode::from_bits_truncate(0o444)).map(drop)
    }

    /// Takes the stand-ins away, unless another run needs them.
    pub(crate) fn take_away(self) {
        if self.lock.relock(FlockArg::LockExclusiveNonblock).is_err() {
            return;
        }
        for path in &self.paths {
            if let Some(flag) = self.as_stand_in(path) {
                // A folder that somebody put something into meanwhile stays.
                match unlinkat(&*self.lock, path.as_path(), flag) {
                    Ok(()) | Err(_) => {}
                }
            }
        }
    }

    fn as_stand_in(&self, path: &Path) -> Option<UnlinkatFlags> {
        let status = fstatat(&*self.lock, path, AtFlags::AT_SYMLINK_NOFOLLOW).ok()?;
        if status.st_mode & NOT_WRITABLE != 0 {
            return None;
        }
        let kind = SFlag::from_bits_truncate(status.st_mode) & SFlag::S_IFMT;
        if kind == SFlag::S_IFDIR {
            Some(UnlinkatFlags::RemoveDir)
        } else {
            (kind == SFlag::S_IFREG && status.st_size == 0).then_some(UnlinkatFlags::NoRemoveDir)
        }
    }
}

fn shared_lock(mut folder: OwnedFd) -> io::Result<Flock<OwnedFd>> {
    let started = clock::now();
    loop {
        match Flock::lock(folder, FlockArg::LockSharedNonblock) {
            Ok(lock) => return Ok(lock),
            Err((_, error)) if started.elapsed() > PATIENCE => return Err(error.into()),
            Err((back, Errno::EWOULDBLOCK | Errno::EINTR)) => folder = back,
            Err((_, error)) => return Err(error.into()),
        }
        clock::pause(Duration::from_millis(5));
    }
}
