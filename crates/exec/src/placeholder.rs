//! Stand-ins for protected paths that are absent: a mount can only hold a name where there is something to mount on.
//!
//! A stand-in is empty and not writable, and exists for the length of a run. A folder that had to be made above one carries
//! the sticky bit. Both are recognised by that after a crash. Runs in one workdir share a lock on it; the last one removes
//! the stand-ins. The process that holds them must not be the one that a person may kill: `helper::stand_ins` does.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{AtFlags, Flock, FlockArg, OFlag, openat};
use nix::sys::stat::{FchmodatFlags, Mode, SFlag, fchmodat, fstatat, mkdirat};
use nix::unistd::{Gid, Uid, UnlinkatFlags, fchownat, linkat, unlinkat};

use crate::clock;
use crate::plan::{Identity, StandIns};
use crate::protected::Kind;

/// How long the last run may take to tidy up before we go without stand-ins.
const PATIENCE: Duration = Duration::from_secs(2);
const NOT_WRITABLE: libc::mode_t = 0o222;
const MARKED_FOLDER: libc::mode_t = 0o1755;
const PLAIN_FOLDER: libc::mode_t = 0o755;

/// Stand-ins that are in place while this is held.
#[derive(Debug)]
pub(crate) struct Placeholders {
    lock: Flock<OwnedFd>,
    paths: Vec<PathBuf>,
    parents: Vec<PathBuf>,
}

impl Placeholders {
    /// Puts a stand-in wherever a protected path is missing in a folder, which is given open. The folders made above them
    /// belong to the user that the command runs as.
    pub(crate) fn put(workdir: OwnedFd, wanted: &StandIns, owner: Option<Identity>) -> io::Result<Self> {
        let lock = shared_lock(workdir)?;
        let paths = wanted.paths.iter().map(|(path, _)| path.clone()).collect();
        let placeholders = Self { lock, paths, parents: wanted.parents.clone() };
        let mut first_file = None;
        let made =
            wanted.parents.iter().try_for_each(|path| placeholders.put_parent(path, owner)).and_then(|()| {
                let mut each = wanted.paths.iter();
                each.try_for_each(|(path, kind)| placeholders.put_one(path, *kind, &mut first_file))
            });
        match made {
            Ok(()) => Ok(placeholders),
            Err(error) => {
                placeholders.take_away();
                Err(error.into())
            }
        }
    }

    fn put_parent(&self, path: &Path, owner: Option<Identity>) -> Result<(), Errno> {
        match mkdirat(&*self.lock, path, Mode::from_bits_truncate(MARKED_FOLDER)) {
            Err(Errno::EEXIST) => return Ok(()),
            made => made?,
        }
        let Some(owner) = owner else { return Ok(()) };
        let (user, group) = (Uid::from_raw(owner.user), Gid::from_raw(owner.group));
        fchownat(&*self.lock, path, Some(user), Some(group), AtFlags::AT_SYMLINK_NOFOLLOW)
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
        for path in &self.parents {
            self.release_parent(path);
        }
    }

    /// Removes a folder that was made for a stand-in. One that the command put something into stays, without its mark.
    fn release_parent(&self, path: &Path) {
        let flags = AtFlags::AT_SYMLINK_NOFOLLOW;
        let is_marked =
            fstatat(&*self.lock, path, flags).is_ok_and(|status| is_marked_folder(status.st_mode));
        if !is_marked || unlinkat(&*self.lock, path, UnlinkatFlags::RemoveDir).is_ok() {
            return;
        }
        let mode = Mode::from_bits_truncate(PLAIN_FOLDER);
        match fchmodat(&*self.lock, path, mode, FchmodatFlags::FollowSymlink) {
            Ok(()) | Err(_) => {}
        }
    }

    fn as_stand_in(&self, path: &Path) -> Option<UnlinkatFlags> {
        let status = fstatat(&*self.lock, path, AtFlags::AT_SYMLINK_NOFOLLOW).ok()?;
        stand_in_kind(status.st_mode, status.st_size).map(|kind| match kind {
            Kind::Folder => UnlinkatFlags::RemoveDir,
            Kind::File => UnlinkatFlags::NoRemoveDir,
        })
    }
}

/// What a path stands in for, by its mode and length; none when it is no stand-in. A folder must be empty as well.
pub(crate) fn stand_in_kind(mode: libc::mode_t, length: i64) -> Option<Kind> {
    if mode & NOT_WRITABLE != 0 {
        return None;
    }
    let kind = SFlag::from_bits_truncate(mode) & SFlag::S_IFMT;
    if kind == SFlag::S_IFDIR {
        Some(Kind::Folder)
    } else {
        (kind == SFlag::S_IFREG && length == 0).then_some(Kind::File)
    }
}

/// Whether a folder was made to hold a stand-in.
pub(crate) fn is_marked_folder(mode: libc::mode_t) -> bool {
    SFlag::from_bits_truncate(mode) & SFlag::S_IFMT == SFlag::S_IFDIR && mode & 0o7777 == MARKED_FOLDER
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
