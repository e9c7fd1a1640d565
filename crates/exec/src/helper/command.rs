//! The last process before the command: it takes the place of the command behind all walls.
//!
//! Whatever it says, it says before `execve`, into a pipe that `execve` closes.

use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::process::ExitCode;

use nix::errno::Errno;
use nix::fcntl::{AtFlags, OFlag, open};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use nix::unistd::{
    Pid, chdir, dup2_stderr, dup2_stdin, dup2_stdout, execve, execveat, fchdir, getegid, geteuid, getppid,
    setsid, write,
};

use super::{Given, TRY, filter, identity, limits, rules};
use crate::layer::Layer;
use crate::plan::{Facts, Inside, Message, Network, Plan, Refusal};
use crate::raw;

/// The first descriptor that is not standard.
const FIRST_OTHER: u32 = 3;

/// Becomes the command, or says why not.
pub(super) fn become_command(given: &Given, told: &OwnedFd, supervisor: Pid) -> ExitCode {
    let message = match put_up(given, told, supervisor) {
        Ok(start) => Message::NotStarted { detail: start.execute() },
        Err(refusal) => Message::Refused(refusal),
    };
    say(told, &message);
    ExitCode::FAILURE
}

fn say(told: &OwnedFd, message: &Message) -> bool {
    let Ok(body) = serde_json::to_vec(message) else { return false };
    let Ok(length) = u32::try_from(body.len()) else { return false };
    let mut frame = length.to_le_bytes().to_vec();
    frame.extend_from_slice(&body);
    write(told, &frame) == Ok(frame.len())
}

/// Puts up the walls, in the order in which each still can be.
fn put_up(given: &Given, told: &OwnedFd, supervisor: Pid) -> Result<Start, Refusal> {
    let plan = &given.plan;
    own_session(supervisor)?;
    take_descriptors(given)?;
    let start = Start::new(plan)?;
    let filters = filter::programs(&plan.walls)
        .map_err(|error| Refusal::new(Layer::Seccomp, "building the filter", error))?;
    identity::drop_privileges()?;
    let landlock_abi = rules::restrict(plan, start.itself.as_ref())?;
    limits::set(&plan.walls.limits, plan.walls.with_namespaces)?;
    raw::default_signals().map_err(|error| Refusal::new(Layer::Session, "resetting signals", error))?;
    let filter = filter::digest(&filters);
    for program in &filters {
        seccompiler::apply_filter(program)
            .map_err(|error| Refusal::new(Layer::Seccomp, "applying the filter", error))?;
    }
    let facts = Facts {
        layers: enforced(plan),
        landlock_abi,
        filter,
        user: geteuid().as_raw(),
        group: getegid().as_raw(),
    };
    if say(told, &Message::Started(facts)) {
        Ok(start)
    } else {
        Err(Refusal::new(Layer::Session, "reporting the walls", "nobody listens"))
    }
}

fn own_session(supervisor: Pid) -> Result<(), Refusal> {
    let refused = |error| Refusal::new(Layer::Session, "leaving the session", error);
    setsid().map_err(refused)?;
    prctl::set_pdeathsig(Signal::SIGKILL).map_err(refused)?;
    // Had the supervisor died before that call, nobody would end us.
    if getppid() == supervisor { Ok(()) } else { Err(refused(Errno::ESRCH)) }
}

fn take_descriptors(given: &Given) -> Result<(), Refusal> {
    let refused = |error| Refusal::new(Layer::Descriptors, "taking the descriptors", error);
    dup2_stdin(&given.input).map_err(refused)?;
    dup2_stdout(&given.output).map_err(refused)?;
    dup2_stderr(&given.error).map_err(refused)?;
    raw::close_on_exec_from(FIRST_OTHER)
        .map_err(|error| Refusal::new(Layer::Descriptors, "closing the descriptors", error))?;
    let moved = if given.plan.walls.with_namespaces {
        chdir(&given.plan.walls.workdir)
    } else {
        fchdir(&given.workdir)
    };
    moved.map_err(|error| Refusal::new(Layer::Descriptors, "entering the workdir", error))
}

fn enforced(plan: &Plan) -> Vec<Layer> {
    let mut layers: Vec<Layer> = Layer::ALL
        .into_iter()
        .filter(|layer| !layer.is_namespace() && *layer != Layer::UnprivilegedUser)
        .collect();
    if plan.walls.with_namespaces {
        layers.extend([Layer::MountNamespace, Layer::PidNamespace, Layer::UserNamespace]);
        if plan.walls.network == Network::None {
            layers.push(Layer::NetworkNamespace);
        }
    }
    if !geteuid().is_root() {
        layers.push(Layer::UnprivilegedUser);
    }
    layers
}

/// What `execve` takes.
struct Start {
    /// Our own program, when that is what runs.
    itself: Option<OwnedFd>,
    candidates: Vec<CString>,
    arguments: Vec<CString>,
    environment: Vec<CString>,
}

impl Start {
    fn new(plan: &Plan) -> Result<Self, Refusal> {
        let text = |text: String| {
            CString::new(text)
                .map_err(|error| Refusal::new(Layer::Environment, "preparing the command", error))
        };
        let path =
            plan.environment.iter().find(|(name, _)| name == "PATH").map_or("", |(_, value)| value.as_str());
        let candidates = if plan.program.contains('/') {
            vec![text(plan.program.clone())?]
        } else {
            let folders = path.split(':').filter(|folder| !folder.is_empty());
            folders.map(|folder| text(format!("{folder}/{}", plan.program))).collect::<Result<_, _>>()?
        };
        let arguments = std::iter::once(&plan.program).chain(&plan.arguments);
        let itself = match plan.inside {
            Inside::Program => None,
            Inside::Trial => Some(open("/proc/self/exe", OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty()))
                .transpose()
                .map_err(|error| Refusal::new(Layer::Session, "opening the helper", error))?,
        };
        Ok(Self {
            itself,
            candidates,
            arguments: arguments.map(|argument| text(argument.clone())).collect::<Result<_, _>>()?,
            environment: plan
                .environment
                .iter()
                .map(|(name, value)| text(format!("{name}={value}")))
                .collect::<Result<_, _>>()?,
        })
    }

    /// Executes the first candidate there is; returns only when none could be.
    fn execute(&self) -> String {
        if let Some(itself) = &self.itself {
            let arguments = [c"helper".to_owned(), CString::new(TRY).unwrap_or_default()];
            return match execveat(itself, c"", &arguments, &self.environment, AtFlags::AT_EMPTY_PATH) {
                Ok(never) => match never {},
                Err(error) => error.desc().to_owned(),
            };
        }
        let mut seen = Errno::ENOENT;
        for candidate in &self.candidates {
            match execve(candidate, &self.arguments, &self.environment) {
                Ok(never) => match never {},
                Err(Errno::ENOENT | Errno::ENOTDIR) => {}
                Err(error) => seen = error,
            }
        }
        seen.desc().to_owned()
    }
}
