//! The folder that a run has for itself: its temporary files, its home, and a place to mount a root of its own on.
//!
//! It is made for one run and removed after it, whatever the command left in it: folders nobody may enter, and folders
//! deeper than any path can name.

use std::ffi::CStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, RenameFlags, openat, renameat2};
use nix::sys::stat::{FchmodatFlags, Mode, SFlag, fchmodat, fstatat};
use nix::unistd::{UnlinkatFlags, mkdtemp, unlinkat};

use crate::plan::Identity;

/// How many names are tried for a folder that is to be removed.
const MOST_NAMES: usize = 10_000;

/// The folder of one run, removed when this is dropped.
#[derive(Debug)]
pub(crate) struct PrivateFolder {
    path: PathBuf,
}

impl PrivateFolder {
    /// Where such folders are made.
    pub(crate) fn base() -> io::Result<PathBuf> {
        std::fs::canonicalize(std::env::temp_dir())
    }

    /// Makes one that belongs to who will use it.
    pub(crate) fn make(base: &Path, identity: Option<Identity>) -> io::Result<Self> {
        let folder = Self { path: mkdtemp(&base.join("premath-sandbox-XXXXXX"))? };
        if let Some(identity) = identity {
            chown(&folder.path, Some(identity.user), Some(identity.group))?;
        }
        Ok(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // What cannot be removed stays in the system's folder for temporary files, which is cleaned by others.
        match remove(&self.path) {
            Ok(()) | Err(_) => {}
        }
    }
}

/// Removes a folder level by level: inner folders are moved up to the top first, so that depth needs neither stack nor
/// long paths.
fn remove(path: &Path) -> io::Result<()> {
    let top = open_folder(AT_FDCWD, path)?;
    let mut moved = Vec::new();
    empty(&top, &top, &mut moved)?;
    let mut next = 0;
    while let Some(name) = moved.get(next).cloned() {
        let folder = open_folder(&top, &name)?;
        empty(&folder, &top, &mut moved)?;
        drop(folder);
        unlinkat(&top, &name, UnlinkatFlags::RemoveDir)?;
        next += 1;
    }
    Ok(unlinkat(AT_FDCWD, path, UnlinkatFlags::RemoveDir)?)
}

fn open_folder(at: impl std::os::fd::AsFd, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    Ok(openat(at, path, flags, Mode::empty())?)
}

fn empty(folder: &OwnedFd, top: &OwnedFd, moved: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut names = Vec::new();
    for entry in Dir::openat(folder, ".", OFlag::O_RDONLY | OFlag::O_CLOEXEC, Mode::empty())?.iter() {
        let name = entry?.file_name().to_owned();
        if name.as_c_str() != c"." && name.as_c_str() != c".." {
            names.push(name);
        }
    }
    for name in names {
        let name = name.as_c_str();
        let status = fstatat(folder, name, AtFlags::AT_SYMLINK_NOFOLLOW)?;
        if SFlag::from_bits_truncate(status.st_mode) & SFlag::S_IFMT == SFlag::S_IFDIR {
            // Nobody is left who could swap it for a link.
            fchmodat(folder, name, Mode::from_bits_truncate(0o700), FchmodatFlags::FollowSymlink)?;
            moved.push(move_up(folder, name, top, moved.len())?);
        } else {
            unlinkat(folder, name, UnlinkatFlags::NoRemoveDir)?;
        }
    }
    Ok(())
}

/// Moves a folder to the top under a name that nobody has taken, be it by chance or on purpose.
fn move_up(folder: &OwnedFd, name: &CStr, top: &OwnedFd, number: usize) -> io::Result<PathBuf> {
    for attempt in 0..MOST_NAMES {
        let target = PathBuf::from(format!("removed-{number}-{attempt}"));
        match renameat2(folder, name, top, &target, RenameFlags::RENAME_NOREPLACE) {
            Err(Errno::EEXIST) => {}
            Err(error) => return Err(error.into()),
            Ok(()) => return Ok(target),
        }
    }
    Err(io::Error::other("no name is free"))
}
