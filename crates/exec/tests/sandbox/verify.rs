//! What an attempt came to, from the state of the world: nothing the command says about itself is believed, except that it
//! got through.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use premath_tusk::sandbox::{Ending, SandboxError, SandboxRun};

use crate::cases::{Case, Expect};
use crate::variant::is_proof;
use crate::world::{ABSENT, World, snapshot};

/// What an attempt prints when something that must not work did.
pub(crate) const THROUGH: &str = "WENT-THROUGH";

/// How long after its time a tree may still live: two seconds, ten times that on a loaded machine.
fn patience() -> Duration {
    Duration::from_secs(if is_proof() { 2 } else { 20 })
}

pub(crate) fn breaches(
    world: &World,
    case: &Case,
    run: &Result<SandboxRun, SandboxError>,
    elapsed: Duration,
) -> Vec<String> {
    let run = match run {
        Ok(run) => run,
        Err(error) => return vec![format!("it did not run: {error} ({error:?})")],
    };
    let said = [&run.stdout.head, &run.stdout.tail, &run.stderr.head, &run.stderr.tail]
        .map(|piece| String::from_utf8_lossy(piece).into_owned())
        .concat();
    let mut found = of_world(world, &said);
    let limits = world.command(case).limits;
    if elapsed > limits.wall + patience() {
        found.push(format!("it took {elapsed:?}"));
    }
    let kept = u64::try_from(said.len()).unwrap();
    if kept > 4 * limits.output + 1024 {
        found.push(format!("{kept} bytes were kept"));
    }
    if !is_expected(case.expect, run) {
        found.push(format!("it ended as {:?} after {} bytes", run.ending, run.stdout.total_bytes));
    }
    if !found.is_empty() {
        found.push(format!(
            "layers {:?}, said: {}",
            run.evidence.layers,
            said.chars().take(2000).collect::<String>()
        ));
    }
    found
}

fn is_expected(expect: Expect, run: &SandboxRun) -> bool {
    match expect {
        Expect::Ended => !matches!(run.ending, Ending::TimedOut | Ending::Interrupted),
        Expect::TimedOut => run.ending == Ending::TimedOut,
        Expect::Failed => !matches!(run.ending, Ending::Exited(0)),
        Expect::Written(bytes) => run.stdout.total_bytes == bytes,
        Expect::Anything => true,
    }
}

fn of_world(world: &World, said: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut note = |is_breach: bool, what: String| {
        if is_breach {
            found.push(what);
        }
    };
    note(said.contains(THROUGH), "something went through".to_owned());
    note(said.contains(&world.secret), "the secret came out".to_owned());
    let after = snapshot(&world.outside);
    for path in world.before.keys().chain(after.keys()) {
        note(world.before.get(path) != after.get(path), format!("{} changed", path.display()));
    }
    for name in ABSENT {
        note(fs::symlink_metadata(world.workdir.join(name)).is_ok(), format!("{name} was made"));
    }
    for path in below(&world.workdir) {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        note(metadata.permissions().mode() & 0o6000 != 0, format!("{} has a set-id bit", path.display()));
        if metadata.is_file() && metadata.len() < 1 << 20 && !path.ends_with(".premath/desk.db") {
            let has_secret =
                fs::read(&path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(&world.secret));
            note(has_secret, format!("{} holds the secret", path.display()));
        }
        note(is_device(&metadata), format!("{} is a device", path.display()));
        note(path.file_name().is_some_and(|name| name == "core"), "a core was written".to_owned());
    }
    let left = fs::read_dir(world.outside.join("tmp")).unwrap().count();
    note(left > 0, format!("{left} temporary folders are left"));
    for elsewhere in ["/tmp", "/var/tmp", "/dev/shm", "/"] {
        note(Path::new(elsewhere).join(&world.mark).exists(), format!("something was made in {elsewhere}"));
    }
    note(world.tcp.accept().is_ok(), "a TCP connection arrived".to_owned());
    note(world.udp.recv(&mut [0; 16]).is_ok(), "a datagram arrived over UDP".to_owned());
    note(world.streams.iter().any(|socket| socket.accept().is_ok()), "a connection arrived".to_owned());
    note(
        world.datagrams.iter().any(|socket| socket.recv(&mut [0; 16]).is_ok()),
        "a datagram arrived".to_owned(),
    );
    note(!is_well(world), "the process outside was ended or stopped".to_owned());
    for process in marked(&world.mark) {
        note(true, format!("{process} is left of the tree"));
    }
    found
}

fn is_device(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    metadata.file_type().is_block_device() || metadata.file_type().is_char_device()
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found
}

fn is_well(world: &World) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", world.victim.0.id())).unwrap_or_default();
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    matches!(state, Some('S' | 'R' | 'D')) && !has_signal_coming(world)
}

/// A signal that was sent and has not arrived yet counts as one that did.
fn has_signal_coming(world: &World) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", world.victim.0.id())).unwrap_or_default();
    let pending = status.lines().filter(|line| line.starts_with("SigPnd:") || line.starts_with("ShdPnd:"));
    pending.flat_map(|line| line.split_whitespace().nth(1)).any(|mask| mask.contains(|digit| digit != '0'))
}

/// Processes that were given the mark with their environment.
fn marked(mark: &str) -> Vec<String> {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let has_mark = |path: &Path| {
        let environment = fs::read(path.join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(&format!("MARK={mark}"))
    };
    processes
        .map(|entry| entry.path())
        .filter(|path| has_mark(path))
        .map(|path| path.display().to_string())
        .collect()
}

/// What the same attempt comes to without a sandbox, so that it is known to be one.
pub(crate) fn bare(world: &World, case: &Case) -> Vec<String> {
    let command = world.command(case);
    let done = Command::new(&command.program)
        .args(&command.arguments)
        .envs(command.environment)
        .current_dir(&world.workdir)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    // A process that is being ended is on its way for a moment.
    for _ in 0..200 {
        let found = of_world(world, &said);
        if !found.is_empty() {
            return found;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    Vec::new()
}
