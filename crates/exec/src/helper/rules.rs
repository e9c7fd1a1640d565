//! The Landlock rules: which files may be read, executed and written, which ports connected to, whom a signal reaches.
//!
//! Rights are granted on what is there, by descriptor. Landlock cannot take a right back below a folder that has it, so a
//! protected path without a mount over it is protected by not granting anything above it.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort, PathBeneath,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetStatus, Scope,
};
use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, openat};
use nix::sys::stat::{Mode, SFlag, fstat};

use crate::hidden::STATE_FOLDER;
use crate::layer::Layer;
use crate::plan::{Guard, Network, Plan, Refusal, State, Walls};
use crate::raw;
use crate::request::IGNORED;

/// The first version with rules for TCP.
const LEAST_ABI: u32 = 4;
/// The first version that tells the devices' own calls apart.
const ABI_WITH_DEVICES: u32 = 5;
/// The first version with scopes for signals and abstract sockets.
const ABI_WITH_SCOPES: u32 = 6;
/// The first version with a right to connect to the socket of a path.
const ABI_WITH_SOCKET_PATHS: u32 = 9;

const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
/// What programs ask /proc where it shows every process of the system: facts about the machine.
const SYSTEM_FACTS: [&str; 9] = [
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/kernel",
    "/proc/sys/vm",
    "/proc/uptime",
    "/proc/version",
];

fn refused(doing: &str, error: impl std::fmt::Display) -> Refusal {
    Refusal::new(Layer::Landlock, doing, error)
}

/// Restricts this process and whatever it becomes; answers the version of the interface.
pub(super) fn restrict(plan: &Plan, itself: Option<&OwnedFd>) -> Result<u32, Refusal> {
    let walls = &plan.walls;
    let abi = raw::landlock_abi().map_err(|error| refused("asking for the version", error))?;
    if abi < LEAST_ABI {
        return Err(refused("version", format!("{abi}, without rules for TCP; {LEAST_ABI} is required")));
    }
    if abi < ABI_WITH_SCOPES && !(walls.with_namespaces && walls.network == Network::None) {
        let detail = format!("{abi}, without scopes, and no namespaces that would do instead");
        return Err(refused("version", detail));
    }
    let mut rules = Rules { ruleset: handled(walls, abi)?, abi };
    rules.grant_system(walls)?;
    rules.grant_workdir(plan)?;
    if let Some(itself) = itself {
        rules.grant(itself, Rules::read())?;
    }
    if let Network::Ports(ports) = &walls.network {
        for port in ports {
            rules.ruleset = rules
                .ruleset
                .add_rule(NetPort::new(*port, AccessNet::ConnectTcp))
                .map_err(|error| refused("adding a port", error))?;
        }
    }
    let status = rules.ruleset.restrict_self().map_err(|error| refused("restricting", error))?;
    if status.ruleset == RulesetStatus::FullyEnforced && status.no_new_privs {
        Ok(abi)
    } else {
        Err(refused("restricting", format!("{:?}", status.ruleset)))
    }
}

/// What the rules are about: everything that this version of Landlock can deny. Anything it cannot is an error.
fn handled(walls: &Walls, abi: u32) -> Result<RulesetCreated, Refusal> {
    let mut files = AccessFs::from_all(ABI::V4);
    if abi >= ABI_WITH_DEVICES {
        files |= AccessFs::IoctlDev;
    }
    if abi >= ABI_WITH_SOCKET_PATHS {
        files |= AccessFs::ResolveUnix;
    }
    let ports = match walls.network {
        Network::None | Network::Ports(_) => AccessNet::BindTcp | AccessNet::ConnectTcp,
        Network::Any => AccessNet::BindTcp.into(),
    };
    let create = || -> Result<RulesetCreated, landlock::RulesetError> {
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let ruleset = ruleset.handle_access(files)?.handle_access(ports)?;
        if abi >= ABI_WITH_SCOPES {
            ruleset.scope(Scope::AbstractUnixSocket | Scope::Signal)?.create()
        } else {
            ruleset.create()
        }
    };
    create().map_err(|error| refused("creating the rules", error))
}

struct Rules {
    ruleset: RulesetCreated,
    abi: u32,
}

impl Rules {
    fn read() -> BitFlags<AccessFs> {
        AccessFs::from_read(ABI::V4)
    }

    /// Everything but making devices.
    fn write(&self) -> BitFlags<AccessFs> {
        let mut access = AccessFs::from_write(ABI::V4);
        access.remove(AccessFs::MakeChar | AccessFs::MakeBlock);
        if self.abi >= ABI_WITH_SOCKET_PATHS {
            access |= AccessFs::ResolveUnix;
        }
        access
    }

    fn grant(&mut self, held: impl AsFd, access: BitFlags<AccessFs>) -> Result<(), Refusal> {
        let status = fstat(held.as_fd()).map_err(|error| refused("looking at a path", error))?;
        let is_folder = kind(status.st_mode) == SFlag::S_IFDIR;
        let access = if is_folder { access } else { access & AccessFs::from_file(ABI::V9) };
        let added = (&mut self.ruleset).add_rule(PathBeneath::new(held, access)).map(drop);
        added.map_err(|error| refused("adding a path", error))
    }

    /// Grants on a path that may be missing.
    fn grant_path(&mut self, path: &Path, access: BitFlags<AccessFs>) -> Result<(), Refusal> {
        match openat(AT_FDCWD, path, OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty()) {
            Ok(held) => self.grant(held, access),
            Err(Errno::ENOENT | Errno::ENOTDIR | Errno::EACCES) => Ok(()),
            Err(error) => Err(refused("opening a path", error)),
        }
    }

    fn grant_system(&mut self, walls: &Walls) -> Result<(), Refusal> {
        for path in &walls.readable {
            self.grant_path(path, Self::read())?;
        }
        for device in DEVICES {
            self.grant_path(Path::new(device), AccessFs::ReadFile | AccessFs::WriteFile)?;
        }
        if walls.with_namespaces {
            self.grant_path(Path::new(IGNORED), AccessFs::ReadFile.into())?;
            // It shows nobody but the command's own processes.
            self.grant_path(Path::new("/proc"), AccessFs::ReadFile | AccessFs::ReadDir)?;
            self.grant_path(Path::new("/dev/shm"), Self::read() | self.write())?;
            return Ok(());
        }
        let own = format!("/proc/{}", nix::unistd::getpid());
        for path in SYSTEM_FACTS.into_iter().chain([own.as_str()]) {
            self.grant_path(Path::new(path), AccessFs::ReadFile | AccessFs::ReadDir)?;
        }
        Ok(())
    }

    fn grant_workdir(&mut self, plan: &Plan) -> Result<(), Refusal> {
        let walls = &plan.walls;
        self.grant_path(&plan.temporary, Self::read() | self.write())?;
        let workdir = open_folder(AT_FDCWD, Path::new("."))?;
        self.grant_reading(&workdir, walls)?;
        if walls.is_workdir_writable {
            for path in &walls.writable {
                self.grant_path(path, Self::read() | self.write())?;
            }
        }
        match walls.guard {
            Guard::Unwritable => Ok(()),
            Guard::Mounts => self.grant(&workdir, self.write()),
            Guard::Entries => self.grant_entries(&workdir, Path::new(""), &walls.protected, self.write()),
        }
    }

    /// Grants reading the workdir; without mounts that hide it, every entry of it but premath's own folder. Names can be
    /// listed everywhere.
    fn grant_reading(&mut self, workdir: &OwnedFd, walls: &Walls) -> Result<(), Refusal> {
        let State::Files(files) = &walls.state else { return self.grant(workdir, Self::read()) };
        if walls.with_namespaces {
            return self.grant(workdir, Self::read());
        }
        self.grant(workdir, AccessFs::ReadDir.into())?;
        self.grant_entries(workdir, Path::new(""), &[PathBuf::from(STATE_FOLDER)], Self::read())?;
        for file in files {
            let flags = OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
            match openat(workdir, file.as_path(), flags, Mode::empty()) {
                Ok(held) => self.grant(held, AccessFs::ReadFile.into())?,
                Err(Errno::ENOENT | Errno::ENOTDIR) => {}
                Err(error) => return Err(refused("opening a file of premath's own", error)),
            }
        }
        Ok(())
    }

    /// Grants a right on each entry that is neither in a list nor above something in it.
    fn grant_entries(
        &mut self,
        folder: &OwnedFd,
        at: &Path,
        protected: &[PathBuf],
        access: BitFlags<AccessFs>,
    ) -> Result<(), Refusal> {
        for name in names(folder)? {
            let path = at.join(&name);
            if protected.contains(&path) {
                continue;
            }
            let flags = OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
            let held = match openat(folder, name.as_path(), flags, Mode::empty()) {
                Ok(held) => held,
                Err(Errno::ENOENT) => continue,
                Err(error) => return Err(refused("opening an entry of the workdir", error)),
            };
            let status =
                fstat(&held).map_err(|error| refused("looking at an entry of the workdir", error))?;
            let kind = kind(status.st_mode);
            if protected.iter().any(|deeper| deeper.starts_with(&path)) {
                if kind == SFlag::S_IFDIR {
                    let inner = open_folder(&held, Path::new("."))?;
                    self.grant_entries(&inner, &path, protected, access)?;
                }
            } else if kind == SFlag::S_IFDIR || kind == SFlag::S_IFREG {
                self.grant(&held, access)?;
            }
        }
        Ok(())
    }
}

fn kind(mode: libc::mode_t) -> SFlag {
    SFlag::from_bits_truncate(mode) & SFlag::S_IFMT
}

fn open_folder(at: impl AsFd, path: &Path) -> Result<OwnedFd, Refusal> {
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC | OFlag::O_NOFOLLOW;
    openat(at, path, flags, Mode::empty()).map_err(|error| refused("opening the workdir", error))
}

fn names(folder: &OwnedFd) -> Result<Vec<PathBuf>, Refusal> {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let listing = |error| refused("listing the workdir", error);
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let mut entries = Dir::openat(folder, ".", flags, Mode::empty()).map_err(listing)?;
    let mut names = Vec::new();
    for entry in entries.iter() {
        let entry = entry.map_err(listing)?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(PathBuf::from(OsStr::from_bytes(name)));
        }
    }
    Ok(names)
}
