//! The self-test from inside: the program, behind the walls, tries what each of them forbids and says what came of it.
//!
//! It must only try what does no harm should it go through.

#![expect(clippy::disallowed_methods, reason = "trying to read what must not be readable is the point")]

use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::ExitCode;

use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::resource::{Resource, getrlimit};
use nix::sys::signal::kill;
use nix::unistd::{geteuid, getpid, getppid, getsid};
use serde::{Deserialize, Serialize};

use crate::layer::Layer;
use crate::raw;

/// What came of trying one layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trial {
    pub(crate) layer: Layer,
    pub(crate) held: bool,
    pub(crate) detail: String,
}

/// Everything that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrialReport {
    pub(crate) trials: Vec<Trial>,
    /// Whether the objects of the repository could be listed.
    pub(crate) reads_history: bool,
}

/// Tries everything and prints the report.
pub(super) fn run() -> ExitCode {
    let reads_history = std::fs::read_dir(".git/objects").is_ok_and(|mut objects| objects.next().is_some());
    let report = TrialReport { trials: Layer::ALL.into_iter().flat_map(try_layer).collect(), reads_history };
    let Ok(text) = serde_json::to_vec(&report) else { return ExitCode::FAILURE };
    match std::io::stdout().write_all(&text) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn try_layer(layer: Layer) -> Vec<Trial> {
    let trial = |held: bool, detail: &str| Trial { layer, held, detail: detail.to_owned() };
    match layer {
        Layer::Capabilities => {
            vec![trial(raw::has_no_capabilities().unwrap_or(false), "every set is empty")]
        }
        Layer::Environment => {
            let is_told = std::env::var_os("PREMATH_STEP_TOKEN").is_some_and(|token| !token.is_empty());
            vec![trial(is_told && std::env::vars_os().count() <= 12, "only our own variables are set")]
        }
        Layer::Descriptors => vec![trial(open_descriptors() == Some(3), "nothing is open but 0, 1 and 2")],
        Layer::Landlock => try_landlock(),
        Layer::MountNamespace => vec![trial(has_own_root(), "the root is one of our own")],
        Layer::NetworkNamespace => {
            vec![trial(has_only_loopback(), "there is no interface but the inner one")]
        }
        Layer::NoNewPrivileges => {
            vec![trial(prctl::get_no_new_privs() == Ok(true), "the flag is set")]
        }
        Layer::PidNamespace => vec![trial(getppid().as_raw() == 1, "the parent is the first process")],
        Layer::ProtectedPaths => try_protected(),
        Layer::ResourceLimits => vec![trial(has_limits(), "each limit is set, and no core is written")],
        Layer::Seccomp => try_filter(),
        Layer::Session => {
            let is_own = getsid(None) == Ok(getpid()) && std::fs::File::open("/dev/tty").is_err();
            vec![trial(is_own, "the session is its own and has no terminal")]
        }
        Layer::UnprivilegedUser => vec![trial(!geteuid().is_root(), "the user is not 0")],
        Layer::UserNamespace => {
            let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
            vec![trial(map.split_ascii_whitespace().nth(2) == Some("1"), "one user is mapped")]
        }
    }
}

fn open_descriptors() -> Option<usize> {
    // The listing is open while it is read.
    Some(std::fs::read_dir("/proc/self/fd").ok()?.count().saturating_sub(1))
}

fn has_own_root() -> bool {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let is_root = |line: &&str| line.split(' ').nth(4) == Some("/");
    mounts.lines().find(is_root).is_some_and(|line| line.contains(" - tmpfs "))
}

fn has_only_loopback() -> bool {
    let Ok(devices) = std::fs::read_to_string("/proc/net/dev") else { return false };
    devices.lines().skip(2).all(|line| line.trim_start().starts_with("lo:"))
}

fn has_limits() -> bool {
    let finite = [
        Resource::RLIMIT_CPU,
        Resource::RLIMIT_AS,
        Resource::RLIMIT_NPROC,
        Resource::RLIMIT_FSIZE,
        Resource::RLIMIT_NOFILE,
    ];
    let is_finite = |resource| getrlimit(resource).is_ok_and(|(soft, _)| soft != libc::RLIM_INFINITY);
    getrlimit(Resource::RLIMIT_CORE) == Ok((0, 0)) && finite.into_iter().all(is_finite)
}

fn try_landlock() -> Vec<Trial> {
    let trial = |held: bool, detail: &str| Trial { layer: Layer::Landlock, held, detail: detail.to_owned() };
    let is_denied = |error: std::io::Error| error.kind() == std::io::ErrorKind::PermissionDenied;
    vec![
        // Everybody may list the root, but for Landlock.
        trial(std::fs::read_dir("/").is_err_and(is_denied), "listing the root is denied"),
        trial(TcpListener::bind("127.0.0.1:0").is_err_and(is_denied), "binding a TCP port is denied"),
        trial(kill(getppid(), None) == Err(Errno::EPERM), "signals to the supervisor are denied"),
    ]
}

fn try_filter() -> Vec<Trial> {
    let denied = [
        (libc::SYS_ptrace, "ptrace"),
        (libc::SYS_unshare, "unshare"),
        (libc::SYS_io_uring_setup, "io_uring"),
        (libc::SYS_keyctl, "keyctl"),
        (libc::SYS_bpf, "bpf"),
        (libc::SYS_mount, "mount"),
    ];
    let mut trials: Vec<Trial> = denied
        .into_iter()
        .map(|(call, name)| Trial {
            layer: Layer::Seccomp,
            held: raw::try_empty_call(call) == Some(libc::EPERM),
            detail: format!("{name} is denied"),
        })
        .collect();
    let held = raw::try_empty_call(libc::SYS_clone3) == Some(libc::ENOSYS);
    trials.push(Trial { layer: Layer::Seccomp, held, detail: "clone3 is unknown".to_owned() });
    trials
}

/// The workdir of the self-test holds a repository and a folder `sub`, and nothing else.
fn try_protected() -> Vec<Trial> {
    let trial =
        |held: bool, detail: &str| Trial { layer: Layer::ProtectedPaths, held, detail: detail.to_owned() };
    let is_writable = std::fs::write("sub/probe", "x").is_ok();
    let mut trials = vec![
        trial(std::fs::write(".git/hooks/pre-commit", "x").is_err(), "a hook cannot be written"),
        trial(std::fs::write(".git/config", "x").is_err(), "the configuration cannot be written"),
        trial(std::fs::rename(".git", "moved").is_err(), "the repository cannot be moved away"),
        trial(std::fs::create_dir_all(".premath/x").is_err(), "a missing protected path cannot be made"),
    ];
    if is_writable {
        trials.push(trial(Path::new("sub/probe").exists(), "the rest of the workdir can be written"));
    }
    trials
}
