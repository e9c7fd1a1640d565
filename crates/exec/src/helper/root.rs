//! A root of our own: only what may be read or written is mounted in it, so that not even a socket elsewhere can be named.
//!
//! It runs as the first process of the new namespaces, before any other wall, and must leave nothing of the old root.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::fs::{DirBuilderExt as _, symlink};
use std::path::{Component, Path, PathBuf};

use nix::fcntl::{OFlag, open};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sys::stat::{Mode, SFlag, fchmod, fstat};
use nix::unistd::{chdir, geteuid, pivot_root};

use super::limits;
use crate::hidden::STATE_FOLDER;
use crate::layer::Layer;
use crate::plan::{Guard, Plan, Refusal, State, Walls};
use crate::protected::Kind;
use crate::raw;
use crate::request::IGNORED;

const NONE: Option<&str> = None;
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
/// A home for `shm_open`, and a limit on it.
const DEVICE_FOLDER: &str = "mode=755,size=64m,nr_inodes=4096";

fn refused(doing: &str, error: impl std::fmt::Display) -> Refusal {
    Refusal::new(Layer::MountNamespace, doing, error)
}

/// Builds the root and moves into it.
pub(super) fn build(plan: &Plan, workdir: &OwnedFd) -> Result<(), Refusal> {
    let walls = &plan.walls;
    // The command's own folder serves as the place to mount on; what is in it is mounted again further in.
    let new_root = plan.private.as_path();
    let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
    mount(NONE, "/", NONE, private, NONE).map_err(|error| refused("making mounts private", error))?;
    let temporary =
        raw::copy_tree(new_root).map_err(|error| refused("opening the folder for temporary files", error))?;
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some("tmpfs"), new_root, Some("tmpfs"), flags, Some("mode=755,size=4m"))
        .map_err(|error| refused("mounting the new root", error))?;
    let build = Build { root: new_root };
    build.readable(walls).map_err(|error| refused("mounting what may be read", error))?;
    build.devices().map_err(|error| refused("mounting devices", error))?;
    build.writable(plan, &temporary).map_err(|error| refused("mounting what may be written", error))?;
    build.workdir(walls, workdir).map_err(|error| refused("mounting the workdir", error))?;
    let held = |error| Refusal::new(Layer::ProtectedPaths, "mounting protected paths read-only", error);
    let covers = Covers::make(new_root).map_err(held)?;
    if walls.guard == Guard::Mounts {
        build.protected(plan, &covers).map_err(held)?;
    }
    build.hidden(walls, &covers).map_err(|error| refused("hiding files", error))?;
    build.state(walls).map_err(|error| refused("hiding premath's own folder", error))?;
    build.processes()?;
    // The last thing that is made: nothing is mounted through a link, which would still lead into the old root.
    build.links(plan).map_err(|error| refused("making links", error))?;
    build.ignored(plan).map_err(|error| refused("listing stand-ins", error))?;
    move_into(new_root).map_err(|error| refused("changing the root", error))?;
    limit_processes(walls)
}

struct Build<'a> {
    root: &'a Path,
}

impl Build<'_> {
    /// Where a path of the old root is in the new one.
    fn inside(&self, path: &Path) -> PathBuf {
        let mut inside = self.root.to_path_buf();
        inside.extend(path.components().filter(|part| matches!(part, Component::Normal(_))));
        inside
    }

    fn folder(&self, path: &Path) -> io::Result<()> {
        match std::fs::DirBuilder::new().recursive(true).mode(0o755).create(self.inside(path)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    fn bind(&self, source: &Path, path: &Path, is_folder: bool, attributes: u64) -> io::Result<()> {
        let target = self.inside(path);
        if is_folder {
            self.folder(path)?;
        } else {
            path.parent().map_or(Ok(()), |parent| self.folder(parent))?;
            let flags = OFlag::O_CREAT | OFlag::O_WRONLY | OFlag::O_CLOEXEC | OFlag::O_NOFOLLOW;
            match open(&target, flags, Mode::from_bits_truncate(0o444)) {
                Ok(_) | Err(nix::errno::Errno::EROFS | nix::errno::Errno::EACCES) => {}
                Err(error) => return Err(error.into()),
            }
        }
        mount(Some(source), &target, NONE, MsFlags::MS_BIND | MsFlags::MS_REC, NONE)?;
        raw::add_mount_attributes(&target, attributes, true)
    }

    fn readable(&self, walls: &Walls) -> io::Result<()> {
        let attributes = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
        for path in mounted(&walls.readable) {
            // What is not there, or out of reach for who we are now, is not readable in the new root either.
            let Ok(metadata) = std::fs::metadata(&path) else { continue };
            self.bind(&path, &path, metadata.is_dir(), attributes)?;
        }
        Ok(())
    }

    fn links(&self, plan: &Plan) -> io::Result<()> {
        self.folder(Path::new("/var"))?;
        let other = (PathBuf::from("/var/tmp"), plan.temporary.clone());
        for (link, target) in plan.walls.links.iter().chain([&other]) {
            link.parent().map_or(Ok(()), |parent| self.folder(parent))?;
            match symlink(target, self.inside(link)) {
                // Something else has that name: a workdir, or what may be read.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made?,
            }
        }
        Ok(())
    }

    #[expect(clippy::disallowed_methods, reason = "a file of a root that was made for this run")]
    fn ignored(&self, plan: &Plan) -> io::Result<()> {
        let stand_ins = plan.stand_ins.paths.iter();
        let names: String = stand_ins.map(|(path, _)| format!("/{}\n", path.display())).collect();
        std::fs::write(self.inside(Path::new(IGNORED)), names)
    }

    fn devices(&self) -> io::Result<()> {
        let folder = Path::new("/dev");
        self.folder(folder)?;
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NOEXEC;
        mount(Some("tmpfs"), &self.inside(folder), Some("tmpfs"), flags, Some(DEVICE_FOLDER))?;
        for name in DEVICES {
            let path = folder.join(name);
            self.bind(&path, &path, false, libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NOEXEC)?;
        }
        symlink("/proc/self/fd", self.inside(&folder.join("fd")))?;
        for (number, name) in ["stdin", "stdout", "stderr"].into_iter().enumerate() {
            symlink(format!("/proc/self/fd/{number}"), self.inside(&folder.join(name)))?;
        }
        self.folder(&folder.join("shm"))
    }

    fn writable(&self, plan: &Plan, temporary: &OwnedFd) -> io::Result<()> {
        let attributes = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
        self.folder(&plan.temporary)?;
        raw::add_tree_attributes(temporary, attributes)?;
        raw::mount_tree(temporary, &self.inside(&plan.temporary))?;
        if plan.walls.is_workdir_writable {
            for path in &plan.walls.writable {
                self.bind(path, path, true, attributes)?;
            }
        }
        Ok(())
    }

    /// The parent's descriptor belongs to the mounts we left, so the workdir is opened again, and must be the same folder:
    /// whoever swapped its name meanwhile swaps nothing.
    fn workdir(&self, walls: &Walls, workdir: &OwnedFd) -> io::Result<()> {
        let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let held = open(&walls.workdir, flags, Mode::empty())?;
        let (planned, found) = (fstat(workdir)?, fstat(&held)?);
        if (planned.st_dev, planned.st_ino) != (found.st_dev, found.st_ino) {
            return Err(io::Error::other("it became another folder"));
        }
        let source = PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd()));
        let mut attributes = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
        if !walls.is_workdir_writable {
            attributes |= libc::MOUNT_ATTR_RDONLY;
        }
        self.bind(&source, &walls.workdir, true, attributes)
    }

    /// A mount point can neither be renamed nor removed. So every folder above a protected path becomes one, writable,
    /// and the path itself one that is read-only.
    fn protected(&self, plan: &Plan, covers: &Covers) -> io::Result<()> {
        let top = self.inside(&plan.walls.workdir);
        let mut pinned: Vec<PathBuf> = Vec::new();
        for path in &plan.walls.protected {
            let above: Vec<&Path> =
                path.ancestors().skip(1).filter(|one| !one.as_os_str().is_empty()).collect();
            for folder in above.into_iter().rev() {
                if !pinned.iter().any(|known| known == folder) {
                    pin(&top.join(folder), 0)?;
                    pinned.push(folder.to_path_buf());
                }
            }
            match plan.stand_ins.paths.iter().find(|(stand_in, _)| stand_in == path) {
                Some((_, kind)) => covers.cover(&top.join(path), *kind)?,
                None => pin(&top.join(path), libc::MOUNT_ATTR_RDONLY)?,
            }
        }
        Ok(())
    }

    /// An empty file over each: it cannot be taken away, and what is below it has no name.
    fn hidden(&self, walls: &Walls, covers: &Covers) -> io::Result<()> {
        let top = self.inside(&walls.workdir);
        let files = walls.hidden.iter().map(|path| (path, Kind::File));
        let folders = walls.hidden_folders.iter().map(|path| (path, Kind::Folder));
        for (path, kind) in files.chain(folders) {
            match covers.cover(&top.join(path), kind) {
                // Somebody took it away meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                covered => covered?,
            }
        }
        Ok(())
    }

    /// A folder of our own over premath's: in it are the files that may be read, and no others come into it.
    fn state(&self, walls: &Walls) -> io::Result<()> {
        let State::Files(files) = &walls.state else { return Ok(()) };
        let top = self.inside(&walls.workdir);
        let shown = self.root.join(".state");
        std::fs::DirBuilder::new().mode(0o755).create(&shown)?;
        for file in files {
            let (source, Some(name)) = (top.join(file), file.file_name()) else { continue };
            let flags = OFlag::O_CREAT | OFlag::O_WRONLY | OFlag::O_CLOEXEC | OFlag::O_NOFOLLOW;
            // What is absent, or a link, is not shown.
            if std::fs::symlink_metadata(&source).is_ok_and(|metadata| metadata.is_file()) {
                drop(open(&shown.join(name), flags, Mode::from_bits_truncate(0o444))?);
                mount(Some(&source), &shown.join(name), NONE, MsFlags::MS_BIND, NONE)?;
            }
        }
        let place = top.join(STATE_FOLDER);
        mount(Some(&shown), &place, NONE, MsFlags::MS_BIND | MsFlags::MS_REC, NONE)?;
        let attributes = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
        raw::add_mount_attributes(&place, attributes, true)
    }

    fn processes(&self) -> Result<(), Refusal> {
        let refused = |error: io::Error| Refusal::new(Layer::PidNamespace, "mounting /proc", error);
        self.folder(Path::new("/proc")).map_err(refused)?;
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
        mount(Some("proc"), &self.inside(Path::new("/proc")), Some("proc"), flags, NONE)
            .map_err(|error| refused(error.into()))
    }
}

/// An empty file and an empty folder, read-only, to be mounted over stand-ins: a copy of a mount is as read-only as the
/// mount, so each costs one call.
struct Covers {
    file: PathBuf,
    folder: PathBuf,
}

impl Covers {
    fn make(root: &Path) -> io::Result<Self> {
        let covers = Self { file: root.join(".empty-file"), folder: root.join(".empty-folder") };
        let flags = OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_WRONLY | OFlag::O_CLOEXEC;
        drop(open(&covers.file, flags, Mode::from_bits_truncate(0o444))?);
        std::fs::DirBuilder::new().mode(0o555).create(&covers.folder)?;
        for cover in [&covers.file, &covers.folder] {
            pin(cover, libc::MOUNT_ATTR_RDONLY)?;
        }
        Ok(covers)
    }

    /// The stand-in was made by the parent, under a lock that every run in this workdir holds; it is no link.
    fn cover(&self, path: &Path, kind: Kind) -> io::Result<()> {
        let cover = match kind {
            Kind::File => &self.file,
            Kind::Folder => &self.folder,
        };
        Ok(mount(Some(cover), path, NONE, MsFlags::MS_BIND, NONE)?)
    }
}

/// Mounts a path over itself. A link cannot be a mount point and would lead elsewhere, so it is refused.
fn pin(path: &Path, attributes: u64) -> io::Result<()> {
    let tree = raw::copy_tree(path)?;
    if SFlag::from_bits_truncate(fstat(&tree)?.st_mode) & SFlag::S_IFMT == SFlag::S_IFLNK {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a protected path became a link"));
    }
    if attributes != 0 {
        raw::add_tree_attributes(&tree, attributes)?;
    }
    raw::mount_tree(&tree, path)
}

/// What to mount for what may be read: outermost paths only, and `/etc` once instead of each of its files. Who may read
/// which file of it is for Landlock to say.
fn mounted(readable: &[PathBuf]) -> Vec<PathBuf> {
    let settings = Path::new("/etc");
    let mut paths: Vec<PathBuf> = readable
        .iter()
        .map(|path| if path.starts_with(settings) { settings.to_path_buf() } else { path.clone() })
        .collect();
    paths.sort_unstable();
    let mut outermost: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !outermost.iter().any(|outer| path.starts_with(outer)) {
            outermost.push(path);
        }
    }
    outermost
}

fn move_into(new_root: &Path) -> io::Result<()> {
    let shared = open(&new_root.join("dev/shm"), OFlag::O_RDONLY | OFlag::O_CLOEXEC, Mode::empty())?;
    fchmod(&shared, Mode::from_bits_truncate(0o1777))?;
    drop(shared);
    chdir(new_root)?;
    // The old root ends up on top of the new one, from where it is taken away.
    pivot_root(".", ".")?;
    umount2(".", MntFlags::MNT_DETACH)?;
    chdir("/")?;
    raw::add_mount_attributes(Path::new("/"), libc::MOUNT_ATTR_RDONLY, false)
}

/// User 0 is not bound by the limit on processes; the process namespace of a newer kernel has one of its own, a control
/// group another. Counting is too slow for whoever forks as fast as it can: without either, user 0 runs nothing.
#[expect(clippy::disallowed_methods, reason = "the limit is a file below /proc")]
fn limit_processes(walls: &Walls) -> Result<(), Refusal> {
    const LEAST: u64 = 301;
    const FILE: &str = "/proc/sys/kernel/pid_max";
    if walls.has_process_group || !geteuid().is_root() {
        return Ok(());
    }
    let most = walls.limits.processes.saturating_add(2).max(LEAST).to_string();
    match std::fs::write(FILE, &most).and_then(|()| std::fs::read_to_string(FILE)) {
        Ok(now) if now.trim() == most => Ok(()),
        Ok(_) | Err(_) => Err(limits::unbound_user()),
    }
}
