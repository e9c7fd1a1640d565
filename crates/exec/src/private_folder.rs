//! The folder that a run has for itself: temporary files, a home, and the place where the new root is mounted.
//!
//! It is made for one run and removed after it, whatever the command left in it: folders nobody may enter, and folders
//! deeper than any path can name.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt as _, chown};
use std::path::{Path, PathBuf};

use nix::dir::Dir;
use nix::fcntl::{AT_FDCWD, AtFlags, OFlag, openat, renameat};
use nix::sys::stat::{FchmodatFlags, Mode, SFlag, fchmodat, fstatat};
use nix::unistd::{UnlinkatFlags, mkdtemp, unlinkat};

use crate::plan::Identity;

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
        let mut made = vec![folder.path.clone()];
        for inner in ["root", "tmp", "tmp/home"] {
            let path = folder.path.join(inner);
            std::fs::DirBuilder::new().mode(0o700).create(&path)?;
            made.push(path);
        }
        if let Some(identity) = identity {
            for path in made {
                chown(path, Some(identity.user), Some(identity.group))?;
            }
        }
        Ok(folder)
    }

    /// Tells a git inside about stand-ins, which are nobody's files, and that the workdir is to be trusted although it may
    /// belong to another user.
    pub(crate) fn tell_git(&self, ignored: &[PathBuf], identity: Option<Identity>) -> io::Result<()> {
        let settings = self.path.join("tmp/home/.config");
        let folder = settings.join("git");
        let names: String = ignored.iter().map(|path| format!("/{}\n", path.display())).collect();
        std::fs::DirBuilder::new().recursive(true).mode(0o755).create(&folder)?;
        let files = [("ignore", names), ("config", "[safe]\n\tdirectory = *\n".to_owned())];
        for (name, text) in &files {
            write_new(&folder.join(name), text)?;
        }
        if let Some(identity) = identity {
            let made = files.iter().map(|(name, _)| folder.join(name));
            for path in made.chain([settings, folder.clone()]) {
                chown(path, Some(identity.user), Some(identity.group))?;
            }
        }
        Ok(())
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

#[expect(clippy::disallowed_methods, reason = "a file of a folder that was made for this run")]
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    std::fs::write(path, text)
}

/// Removes a folder level by level: inner folders are moved up to the top first, so that depth needs neither stack nor
/// long paths. The command could write below `tmp` only, so no name of ours is taken.
fn remove(path: &Path) -> io::Result<()> {
    let top = open_folder(AT_FDCWD, path)?;
    let mut moved = 0_u64;
    empty(&top, &top, &mut moved)?;
    let mut next = 0_u64;
    while next < moved {
        let name = numbered(next);
        let folder = open_folder(&top, &name)?;
        empty(&folder, &top, &mut moved)?;
        drop(folder);
        unlinkat(&top, &name, UnlinkatFlags::RemoveDir)?;
        next += 1;
    }
    Ok(unlinkat(AT_FDCWD, path, UnlinkatFlags::RemoveDir)?)
}

fn numbered(number: u64) -> PathBuf {
    PathBuf::from(format!("removed-{number}"))
}

fn open_folder(at: impl std::os::fd::AsFd, path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    Ok(openat(at, path, flags, Mode::empty())?)
}

fn empty(folder: &OwnedFd, top: &OwnedFd, moved: &mut u64) -> io::Result<()> {
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
            renameat(folder, name, top, &numbered(*moved))?;
            *moved += 1;
        } else {
            unlinkat(folder, name, UnlinkatFlags::NoRemoveDir)?;
        }
    }
    Ok(())
}
