//! The sandbox on Linux: plans a run, has the helper carry it out, and puts the evidence together.
//!
//! Namespaces are used where the system has them. A run is never repeated once its command has started.

mod identity;

use std::fs::Metadata;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;
use premath_tusk::sandbox::{
    Ending, Interrupt, Profile, Sandbox, SandboxCommand, SandboxError, SandboxEvidence, SandboxReport,
    SandboxRun,
};
use serde_json::json;

use crate::check;
use crate::config::SandboxConfig;
use crate::digest;
use crate::extra::further;
use crate::hidden::{hidden, hidden_folders, state};
use crate::layer::Layer;
use crate::plan::{Facts, Guard, Inside, Limits, Network, Plan, Refusal, Walls, writes_workdir};
use crate::private_folder::PrivateFolder;
use crate::process_group::ProcessGroup;
use crate::protected::{Protected, protected};
use crate::readable::{Readable, readable};
use crate::request;
use crate::run::{self, Feed, Outcome, Stopped};
use crate::worktree::repository_of;

/// Commands behind the walls of the operating system.
#[derive(Debug)]
pub struct OsSandbox {
    config: SandboxConfig,
    /// Set once the system turned out to have no namespaces for us.
    lacks_namespaces: AtomicBool,
    /// What may be read, looked up once.
    readable: OnceLock<Readable>,
}

impl OsSandbox {
    /// A sandbox with this configuration.
    #[must_use]
    pub fn new(config: SandboxConfig) -> Self {
        Self { config, lacks_namespaces: AtomicBool::new(false), readable: OnceLock::new() }
    }

    pub(crate) fn extra_protected(&self) -> &[PathBuf] {
        &self.config.extra_protected
    }
}

impl Sandbox for OsSandbox {
    fn run(&self, command: &SandboxCommand, interrupt: &Interrupt) -> Result<SandboxRun, SandboxError> {
        self.run_inside(Inside::Program, command, interrupt)
    }

    fn check(&self) -> Result<SandboxReport, SandboxError> {
        check::check(self)
    }
}

impl OsSandbox {
    /// Runs a command, or tries the walls that the command would have.
    pub(crate) fn run_inside(
        &self,
        inside: Inside,
        command: &SandboxCommand,
        interrupt: &Interrupt,
    ) -> Result<SandboxRun, SandboxError> {
        request::validate(command)?;
        let place = Place::find(command)?;
        let mut with_namespaces =
            command.profile == Profile::Isolated || !self.lacks_namespaces.load(Ordering::Relaxed);
        let mut may_mount = true;
        let mut with_group = false;
        loop {
            let means = Means { inside, with_namespaces, may_mount, with_group };
            let attempt = self.attempt(command, &place, means, interrupt)?;
            let Some(refusal) = &attempt.outcome.said.refused else {
                return attempt.finish(command, &place);
            };
            // Without namespaces, or without mounts over protected paths, other rules hold the same.
            if with_namespaces && refusal.layer.is_namespace() && command.profile != Profile::Isolated {
                self.lacks_namespaces.store(true, Ordering::Relaxed);
                with_namespaces = false;
            } else if attempt.guard == Guard::Mounts && refusal.layer == Layer::ProtectedPaths {
                may_mount = false;
            } else if !with_group && refusal.layer == Layer::ResourceLimits {
                with_group = true;
            } else {
                return Err(unavailable(command.profile, refusal));
            }
        }
    }
}

fn unavailable(profile: Profile, refusal: &Refusal) -> SandboxError {
    SandboxError::LayerUnavailable {
        profile: profile.as_str().to_owned(),
        layer: refusal.layer.as_str().to_owned(),
        detail: refusal.detail.clone(),
    }
}

fn system(doing: &str) -> impl FnOnce(io::Error) -> SandboxError {
    let doing = doing.to_owned();
    move |source| SandboxError::System { doing, source }
}

/// Where a command runs, held open: from here on its name does not matter.
#[derive(Debug)]
struct Place {
    path: PathBuf,
    held: OwnedFd,
    metadata: Metadata,
    base: PathBuf,
}

impl Place {
    fn find(command: &SandboxCommand) -> Result<Self, SandboxError> {
        let unusable = |detail: String| SandboxError::Workdir { path: command.workdir.clone(), detail };
        let path = std::fs::canonicalize(&command.workdir).map_err(|error| unusable(error.to_string()))?;
        let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let held = open(&path, flags, Mode::empty()).map_err(|error| unusable(error.desc().to_owned()))?;
        let metadata = std::fs::metadata(&path).map_err(|error| unusable(error.to_string()))?;
        let base = PrivateFolder::base().map_err(system("finding the folder for temporary files"))?;
        if base.starts_with(&path) {
            return Err(unusable("it holds the folder for temporary files".to_owned()));
        }
        if ["/dev", "/proc", "/sys"].iter().any(|special| path.starts_with(special)) {
            return Err(unusable("it is no folder of files".to_owned()));
        }
        if path.to_str().is_none() {
            return Err(unusable("its name is not UTF-8".to_owned()));
        }
        Ok(Self { path, held, metadata, base })
    }
}

/// What an attempt may use.
#[derive(Debug, Clone, Copy)]
struct Means {
    inside: Inside,
    with_namespaces: bool,
    may_mount: bool,
    with_group: bool,
}

/// One run of the helper.
#[derive(Debug)]
struct Attempt {
    walls: Walls,
    guard: Guard,
    outcome: Outcome,
}

impl OsSandbox {
    fn attempt(
        &self,
        command: &SandboxCommand,
        place: &Place,
        means: Means,
        interrupt: &Interrupt,
    ) -> Result<Attempt, SandboxError> {
        let identity = identity::choose(&place.path, &place.metadata, command.profile);
        let private = PrivateFolder::make(&place.base, identity)
            .map_err(system("making a folder for temporary files"))?;
        let (guard, protected) = self.guard(command, place, means);
        let stand_ins = protected.absent.clone();
        let group = means.with_group.then(|| ProcessGroup::make(command.limits.processes)).flatten();
        let has_process_group = group.is_some();
        let walls = self.walls(command, place, means, Held { guard, protected, identity, has_process_group });
        let temporary = temporary(&walls, &private);
        let step = format!("sandbox {}", digest::of_command(command, &place.path));
        let plan = Plan {
            walls,
            inside: means.inside,
            program: command.program.clone(),
            arguments: command.arguments.clone(),
            environment: request::environment(command, &temporary, &step),
            private: private.path().to_path_buf(),
            temporary,
            stand_ins,
        };
        let feed = Feed {
            helper: &self.config.helper,
            workdir: &place.held,
            stdin: &command.stdin,
            limits: &command.limits,
            interrupt,
            group: group.as_ref(),
        };
        let outcome = run::run(&plan, &feed).map_err(system("running the sandbox helper"))?;
        Ok(Attempt { walls: plan.walls, guard, outcome })
    }

    /// How the protected paths of this workdir are held. Where they are mounts, the helper makes stand-ins for absent ones.
    fn guard(&self, command: &SandboxCommand, place: &Place, means: Means) -> (Guard, Protected) {
        if !writes_workdir(command.profile) {
            return (Guard::Unwritable, Protected::default());
        }
        let found = protected(&place.path, &further(&place.path, &self.config.extra_protected));
        if !means.with_namespaces || !means.may_mount || found.has_links {
            (Guard::Entries, found)
        } else {
            (Guard::Mounts, found)
        }
    }

    /// The sockets of a workdir that the configuration names, relative to it.
    fn sockets(&self, workdir: &Path) -> Vec<PathBuf> {
        let below = |path: &PathBuf| {
            let path = path.strip_prefix(workdir).unwrap_or(path);
            path.is_relative().then(|| path.components().collect())
        };
        self.config.sockets.iter().filter_map(below).collect()
    }

    fn walls(&self, command: &SandboxCommand, place: &Place, means: Means, held: Held) -> Walls {
        let readable = self.readable.get_or_init(|| readable(&self.config.readable));
        let limits = &command.limits;
        let repository =
            if command.profile.hides_history() { Vec::new() } else { repository_of(&place.path) };
        let hides = means.with_namespaces && means.may_mount;
        // Where the other sockets cannot be hidden, none may be connected to.
        let sockets = if hides { self.sockets(&place.path) } else { Vec::new() };
        let network = match command.profile {
            Profile::ReadOnly | Profile::WorkspaceWrite | Profile::Isolated => Network::None,
            Profile::Network => self.config.connect_ports.clone().map_or(Network::Any, Network::Ports),
        };
        Walls {
            profile: command.profile.as_str().to_owned(),
            workdir: place.path.clone(),
            is_workdir_writable: writes_workdir(command.profile),
            network,
            with_namespaces: means.with_namespaces,
            identity: held.identity,
            readable: readable.paths.iter().cloned().chain(repository).collect(),
            links: readable.links.clone(),
            writable: real(&self.config.writable),
            guard: held.guard,
            protected: held.protected.all,
            hidden: if hides { hidden(&place.path, &self.config.readable, &sockets) } else { Vec::new() },
            hidden_folders: if hides { hidden_folders(&place.path, command.profile) } else { Vec::new() },
            state: state(&place.path, &command.state),
            sockets,
            has_process_group: held.has_process_group,
            limits: Limits {
                cpu_seconds: limits.cpu.as_secs().max(1),
                memory: limits.memory,
                processes: limits.processes,
                file_size: limits.file_size,
                disk: limits.disk,
                descriptors: limits.descriptors,
            },
        }
    }
}

/// Where the command finds its temporary files: where programs look for it, unless something else lies below that. A
/// right to write holds for everything below a folder, so the folder has to be the command's alone.
fn temporary(walls: &Walls, private: &PrivateFolder) -> PathBuf {
    let usual = PathBuf::from("/tmp");
    let mut others = walls.readable.iter().chain(&walls.writable).chain([&walls.workdir]);
    if walls.with_namespaces && !others.any(|path| path.starts_with(&usual)) {
        usual
    } else {
        private.path().to_path_buf()
    }
}

/// What was decided about a workdir.
#[derive(Debug)]
struct Held {
    guard: Guard,
    protected: Protected,
    identity: Option<crate::plan::Identity>,
    has_process_group: bool,
}

fn real(paths: &[PathBuf]) -> Vec<PathBuf> {
    paths.iter().filter_map(|path| std::fs::canonicalize(path).ok()).filter(|path| path.is_dir()).collect()
}

impl Attempt {
    fn finish(self, command: &SandboxCommand, place: &Place) -> Result<SandboxRun, SandboxError> {
        let outcome = self.outcome;
        if let Some(detail) = outcome.said.not_started {
            return Err(SandboxError::Program { program: command.program.clone(), detail });
        }
        let ending = match (outcome.stopped, outcome.said.ended) {
            (Some(Stopped::TimedOut), _) => Ending::TimedOut,
            (Some(Stopped::Interrupted), _) => Ending::Interrupted,
            (None, Some(ended)) if ended.is_over_disk_limit => Ending::DiskLimit,
            (None, Some(ended)) => ended
                .code
                .map(Ending::Exited)
                .or_else(|| ended.signal.map(Ending::Signalled))
                .ok_or_else(|| lost("the command ended in no way there is"))?,
            (None, None) => return Err(lost("the helper ended before its command")),
        };
        let facts = match (outcome.said.started, outcome.stopped) {
            (Some(facts), _) => facts,
            // Stopped before the walls stood: nothing ran, and nothing may be claimed.
            (None, Some(_)) => {
                Facts { layers: Vec::new(), landlock_abi: 0, filter: String::new(), user: 0, group: 0 }
            }
            (None, None) => return Err(lost("the helper did not say what it put up")),
        };
        let time = |read: fn(&crate::plan::Ended) -> u64| {
            Duration::from_micros(outcome.said.ended.as_ref().map_or(0, read))
        };
        Ok(SandboxRun {
            ending,
            evidence: SandboxEvidence {
                workdir: place.path.clone(),
                profile: command.profile,
                profile_digest: digest::of_profile(&json!({ "facts": &facts, "walls": &self.walls })),
                command_digest: digest::of_command(command, &place.path),
                layers: names(&facts.layers),
                operator_override: None,
                wall: outcome.wall,
                user: time(|ended| ended.user_microseconds),
                system: time(|ended| ended.system_microseconds),
            },
            stdout: outcome.stdout,
            stderr: outcome.stderr,
        })
    }
}

fn names(layers: &[Layer]) -> Vec<String> {
    let mut names: Vec<String> = layers.iter().map(|layer| layer.as_str().to_owned()).collect();
    names.sort_unstable();
    names
}

fn lost(what: &str) -> SandboxError {
    SandboxError::System {
        doing: "running the sandbox helper".to_owned(),
        source: io::Error::other(what.to_owned()),
    }
}
