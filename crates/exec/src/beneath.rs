//! The one resolver of file names: everything that touches files for a tool goes through a [`Beneath`], and nothing that
//! does can leave its root, whatever the name says and whoever swaps folders for links meanwhile.
//!
//! The kernel resolves (`openat2`, `RESOLVE_BENEATH`); no path is put together and checked here. Where the kernel cannot,
//! every operation is refused.

mod error;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{
    AtFlags, OFlag, OpenHow, RenameFlags, ResolveFlag, open, openat, openat2, readlinkat, renameat2,
};
use nix::sys::stat::{FileStat, Mode, SFlag, fstat, fstatat, mkdirat};
use nix::unistd::{UnlinkatFlags, fsync, unlinkat};
use premath_tusk::tools::files::EntryKind;

use crate::hidden::STATE_FOLDER;

pub use self::error::PathError;

/// How often the kernel may see a rename in its way before we give up.
const MOST_RACES: usize = 128;
/// How many names for a temporary file are tried.
const MOST_NAMES: u64 = 1000;

/// The mode of a file that nobody executes.
pub(crate) const PLAIN: u32 = 0o644;

/// What a file is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reading.
    Read,
    /// Writing where it is, from its beginning; it must exist.
    Write,
    /// Writing at its end; it must exist.
    Append,
}

/// Which links are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Links {
    /// Those that stay below the root.
    Inside,
    /// None.
    None,
}

/// What is in the place where a file is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nothing may be.
    Free,
    /// Whatever is there gives way.
    Any,
}

/// What is found under a name when no link is followed.
#[derive(Debug)]
pub(crate) enum Plain {
    /// A regular file.
    File(File),
    /// A link: where it leads, and what the system says about the link itself.
    Link(OsString, FileStat),
}

/// One name in a folder, which need not be text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name.
    pub name: OsString,
    /// What it stands for.
    pub kind: EntryKind,
    /// The length of a file in bytes.
    pub length: u64,
}

/// Files below a root.
#[derive(Debug)]
pub struct Beneath {
    root: OwnedFd,
    /// Whether premath's own folders are out of reach.
    hides_state: bool,
}

impl Beneath {
    /// Everything below this folder, which is held open: from here on its name does not matter.
    ///
    /// # Errors
    /// When it is not a folder that can be opened.
    pub fn open_root(root: &Path) -> Result<Self, PathError> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let root = open(root, flags, Mode::empty()).map_err(|error| PathError::from_errno(root, error))?;
        Ok(Self { root, hides_state: false })
    }

    /// The same without premath's own folders: journals, desk, approvals and audit are read through tools of their own.
    #[must_use]
    pub fn without_state(mut self) -> Self {
        self.hides_state = true;
        self
    }

    /// Refuses what lies in a folder of premath's, by whatever name or link it was reached.
    fn refuse_state(&self, path: &Path, held: &OwnedFd) -> Result<(), PathError> {
        if !self.hides_state {
            return Ok(());
        }
        let place = |fd: &OwnedFd| {
            let link = format!("/proc/self/fd/{}", fd.as_raw_fd());
            std::fs::read_link(link).map_err(|source| PathError::System { path: path.to_path_buf(), source })
        };
        let (root, found) = (place(&self.root)?, place(held)?);
        // What is not below the root any more was moved away meanwhile, and is looked at as a whole.
        let inner = found.strip_prefix(&root).unwrap_or(&found);
        if inner.components().any(|part| is_state_folder(part.as_os_str())) {
            return Err(PathError::Reserved { path: path.to_path_buf() });
        }
        Ok(())
    }

    /// Opens a regular file that exists.
    ///
    /// # Errors
    /// A name that is none or leads out, something that is no regular file, or what the system says.
    pub fn open(&self, path: &Path, access: Access) -> Result<File, PathError> {
        let flags = match access {
            Access::Read => OFlag::O_RDONLY,
            Access::Write => OFlag::O_WRONLY,
            Access::Append => OFlag::O_WRONLY | OFlag::O_APPEND,
        };
        let links = match access {
            Access::Read => Links::Inside,
            Access::Write | Access::Append => Links::None,
        };
        // A pipe without its other end must not keep us waiting.
        let held = self.resolve(path, flags | OFlag::O_NONBLOCK | OFlag::O_NOCTTY, links)?;
        let status = fstat(&held).map_err(|error| PathError::from_errno(path, error))?;
        match kind(&status) {
            EntryKind::File => Ok(File::from(held)),
            found @ (EntryKind::Folder | EntryKind::Link | EntryKind::Other) => {
                Err(PathError::NotAFile { path: path.to_path_buf(), found })
            }
        }
    }

    /// Reads a file of at most `limit` bytes.
    ///
    /// # Errors
    /// As [`Beneath::open`]; and a file that is longer.
    pub fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, PathError> {
        let file = self.open(path, Access::Read)?;
        let mut bytes = Vec::new();
        let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|source| PathError::System { path: path.to_path_buf(), source })?;
        if u64::try_from(bytes.len()).is_ok_and(|length| length <= limit) {
            Ok(bytes)
        } else {
            Err(PathError::TooLong { path: path.to_path_buf(), limit })
        }
    }

    /// The names in a folder, sorted; `.` is the root.
    ///
    /// # Errors
    /// A name that is none or leads out, or what the system says.
    pub fn list(&self, path: &Path) -> Result<Vec<Entry>, PathError> {
        let failed = |error| PathError::from_errno(path, error);
        let folder = self.resolve(path, OFlag::O_RDONLY | OFlag::O_DIRECTORY, Links::Inside)?;
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let mut entries = Vec::new();
        for entry in Dir::openat(&folder, ".", flags, Mode::empty()).map_err(failed)?.iter() {
            let entry = entry.map_err(failed)?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." || (self.hides_state && is_state_folder(name)) {
                continue;
            }
            match fstatat(&folder, name, AtFlags::AT_SYMLINK_NOFOLLOW) {
                Ok(status) => entries.push(described(name, &status)),
                Err(Errno::ENOENT) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        entries.sort_unstable();
        Ok(entries)
    }

    /// What a name stands for; a link at its end is not followed.
    ///
    /// # Errors
    /// A name that is none or leads out, or what the system says.
    pub fn metadata(&self, path: &Path) -> Result<Entry, PathError> {
        let held = self.resolve(path, OFlag::O_PATH | OFlag::O_NOFOLLOW, Links::Inside)?;
        let status = fstat(&held).map_err(|error| PathError::from_errno(path, error))?;
        Ok(described(path.file_name().unwrap_or_default(), &status))
    }

    /// Makes a file that was not there, whole or not at all.
    ///
    /// # Errors
    /// As [`Beneath::replace`]; and a name that is taken.
    pub fn create(&self, path: &Path, bytes: &[u8]) -> Result<(), PathError> {
        self.put(path, bytes, PLAIN, Place::Free)
    }

    /// Puts a file in the place of whatever file or link has the name, whole or not at all; durable on return.
    ///
    /// # Errors
    /// A name that is none, leads out or goes through a link, a folder of that name, or what the system says.
    pub fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), PathError> {
        self.put(path, bytes, PLAIN, Place::Any)
    }

    /// Removes a file, a link or an empty folder.
    ///
    /// # Errors
    /// A name that is none, leads out or goes through a link, or what the system says.
    pub fn remove(&self, path: &Path) -> Result<(), PathError> {
        let failed = |error| PathError::from_errno(path, error);
        let (folder, name) = self.parent(path)?;
        match unlinkat(&folder, name, UnlinkatFlags::NoRemoveDir) {
            Err(Errno::EISDIR | Errno::EPERM) => {
                unlinkat(&folder, name, UnlinkatFlags::RemoveDir).map_err(failed)?
            }
            removed => removed.map_err(failed)?,
        }
        fsync(&folder).map_err(failed)
    }

    /// Makes a folder in one that exists.
    ///
    /// # Errors
    /// A name that is none, leads out, goes through a link or is taken, or what the system says.
    pub fn make_dir(&self, path: &Path) -> Result<(), PathError> {
        let failed = |error| PathError::from_errno(path, error);
        let (folder, name) = self.parent(path)?;
        mkdirat(&folder, name, Mode::from_bits_truncate(0o755)).map_err(failed)?;
        fsync(&folder).map_err(failed)
    }

    /// Puts a file somewhere, whole and with its mode, or not at all.
    pub(crate) fn put(&self, path: &Path, bytes: &[u8], mode: u32, place: Place) -> Result<(), PathError> {
        let failed = |error| PathError::from_errno(path, error);
        let flags = match place {
            Place::Free => RenameFlags::RENAME_NOREPLACE,
            Place::Any => RenameFlags::empty(),
        };
        let (folder, name) = self.parent(path)?;
        let (temporary, held) = temporary_file(&folder, mode).map_err(failed)?;
        let mut file = File::from(held);
        let placed = file
            .write_all(bytes)
            .and_then(|()| file.sync_all())
            .map_err(|source| PathError::System { path: path.to_path_buf(), source })
            .and_then(|()| renameat2(&folder, temporary.as_path(), &folder, name, flags).map_err(failed));
        if placed.is_err() {
            // The first failure is the one to tell.
            match unlinkat(&folder, temporary.as_path(), UnlinkatFlags::NoRemoveDir) {
                Ok(()) | Err(_) => {}
            }
        }
        placed?;
        fsync(&folder).map_err(failed)
    }

    /// The names in a folder with what the system says about each, sorted. No link is followed, nor the folder reached
    /// through one.
    pub(crate) fn statuses(&self, path: &Path) -> Result<Vec<(OsString, FileStat)>, PathError> {
        let failed = |error| PathError::from_errno(path, error);
        let folder = self.resolve(path, OFlag::O_RDONLY | OFlag::O_DIRECTORY, Links::None)?;
        let mut folder = Dir::from_fd(folder).map_err(failed)?;
        let mut names = Vec::new();
        for entry in folder.iter() {
            let entry = entry.map_err(failed)?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." {
                names.push(name.to_owned());
            }
        }
        names.sort_unstable();
        let mut statuses = Vec::with_capacity(names.len());
        for name in names {
            match fstatat(&folder, name.as_os_str(), AtFlags::AT_SYMLINK_NOFOLLOW) {
                Ok(status) => statuses.push((name, status)),
                Err(Errno::ENOENT) => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(statuses)
    }

    /// Opens a regular file that no link leads to, or says what it is instead.
    pub(crate) fn open_plain(&self, path: &Path) -> Result<Plain, PathError> {
        let failed = |error| PathError::from_errno(path, error);
        let flags = OFlag::O_RDONLY | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
        match self.resolve(path, flags, Links::None) {
            Ok(held) => {
                let status = fstat(&held).map_err(failed)?;
                match kind(&status) {
                    EntryKind::File => Ok(Plain::File(File::from(held))),
                    found @ (EntryKind::Folder | EntryKind::Link | EntryKind::Other) => {
                        Err(PathError::NotAFile { path: path.to_path_buf(), found })
                    }
                }
            }
            Err(PathError::Link { .. }) => {
                let (folder, name) = self.parent(path)?;
                let target = readlinkat(&folder, name).map_err(failed)?;
                let status = fstatat(&folder, name, AtFlags::AT_SYMLINK_NOFOLLOW).map_err(failed)?;
                Ok(Plain::Link(target, status))
            }
            Err(error) => Err(error),
        }
    }

    /// The folder that a path is in, held open, and its last name. It is for changing something there, so no link leads to
    /// it: what was checked by its name is what is changed.
    fn parent<'a>(&self, path: &'a Path) -> Result<(OwnedFd, &'a OsStr), PathError> {
        check(path)?;
        let invalid = |why: &'static str| PathError::Invalid { path: path.to_path_buf(), why };
        let ends_in_name = matches!(path.components().next_back(), Some(Component::Normal(_)));
        let ends_plainly =
            !path.as_os_str().as_bytes().ends_with(b"/") && !path.as_os_str().as_bytes().ends_with(b"/.");
        let name = path
            .file_name()
            .filter(|_| ends_in_name && ends_plainly)
            .ok_or_else(|| invalid("it ends in no name"))?;
        let above =
            path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY;
        Ok((self.resolve(above, flags, Links::None).map_err(|error| error.about(path))?, name))
    }

    fn resolve(&self, path: &Path, flags: OFlag, links: Links) -> Result<OwnedFd, PathError> {
        check(path)?;
        let below = ResolveFlag::RESOLVE_BENEATH | ResolveFlag::RESOLVE_NO_MAGICLINKS;
        let resolve = match links {
            Links::Inside => below,
            Links::None => below | ResolveFlag::RESOLVE_NO_SYMLINKS,
        };
        let how = OpenHow::new().flags(flags | OFlag::O_CLOEXEC).resolve(resolve);
        for _ in 0..MOST_RACES {
            match openat2(&self.root, path, how) {
                // Somebody renamed something while the kernel made sure that `..` stays below the root.
                Err(Errno::EAGAIN | Errno::EINTR) => {}
                Err(Errno::ELOOP) if links == Links::None => {
                    return Err(PathError::Link { path: path.to_path_buf() });
                }
                Err(error) => return Err(PathError::from_errno(path, error)),
                Ok(held) => return self.refuse_state(path, &held).map(|()| held),
            }
        }
        Err(PathError::from_errno(path, Errno::EAGAIN))
    }
}

fn is_state_folder(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(STATE_FOLDER)
}

/// Refuses what is no relative path, with more to say than the kernel has.
fn check(path: &Path) -> Result<(), PathError> {
    let bytes = path.as_os_str().as_bytes();
    let invalid = |why| Err(PathError::Invalid { path: path.to_path_buf(), why });
    if bytes.is_empty() {
        return invalid("it is empty");
    }
    if bytes.contains(&0) {
        return invalid("it holds a NUL");
    }
    if path.is_absolute() {
        return Err(PathError::Outside { path: path.to_path_buf() });
    }
    Ok(())
}

fn temporary_file(folder: &OwnedFd, mode: u32) -> Result<(PathBuf, OwnedFd), Errno> {
    let flags = OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_WRONLY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
    let process = std::process::id();
    for number in 0..MOST_NAMES {
        let name = PathBuf::from(format!(".premath-{process}-{number}.tmp"));
        match openat(folder, name.as_path(), flags, Mode::from_bits_truncate(mode)) {
            Ok(held) => return Ok((name, held)),
            Err(Errno::EEXIST) => {}
            Err(error) => return Err(error),
        }
    }
    Err(Errno::EEXIST)
}

pub(crate) fn kind(status: &FileStat) -> EntryKind {
    let format = SFlag::from_bits_truncate(status.st_mode) & SFlag::S_IFMT;
    if format == SFlag::S_IFREG {
        EntryKind::File
    } else if format == SFlag::S_IFDIR {
        EntryKind::Folder
    } else if format == SFlag::S_IFLNK {
        EntryKind::Link
    } else {
        EntryKind::Other
    }
}

fn described(name: &OsStr, status: &FileStat) -> Entry {
    Entry { name: name.to_owned(), kind: kind(status), length: u64::try_from(status.st_size).unwrap_or(0) }
}
