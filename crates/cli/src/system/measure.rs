//! What measuring needs of the system: a scratch folder, this program run again with what it used, many of it at once.

#![expect(
    clippy::disallowed_methods,
    reason = "part of the module that owns the command's access to the system"
)]

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A folder that goes away again.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// A new one where temporary files belong.
    pub(crate) fn new() -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("premath-bench-{}", std::process::id()));
        std::fs::create_dir_all(folder.join(".premath"))?;
        Ok(Self(folder))
    }

    /// A folder below it that is no repository.
    pub(crate) fn folder(&self, name: &str) -> io::Result<PathBuf> {
        let folder = self.0.join("plain").join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// A folder below it with an empty `.premath`.
    pub(crate) fn repository(&self, name: &str) -> io::Result<PathBuf> {
        let folder = self.0.join(name);
        std::fs::create_dir_all(folder.join(".premath"))?;
        Ok(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed stays among the temporary files, where it does no harm.
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// Runs a command in a shell, without walls and without a word.
pub(crate) fn plain_shell(command: &str) -> io::Result<()> {
    let status = Command::new("sh").args(["-c", command]).stdin(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("`{command}` failed"))) }
}

/// What a program says on standard output. None where there is no such program, or it fails.
pub(crate) fn said_by(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Writes a file line by line.
pub(crate) fn write_lines(path: &Path, lines: impl Iterator<Item = String>) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for line in lines {
        file.write_all(line.as_bytes())?;
        file.write_all(b"\n")?;
    }
    file.flush()
}

/// This program in a process of its own, spoken with line by line.
#[derive(Debug)]
pub(crate) struct Spoken {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Spoken {
    /// Starts it in a folder.
    pub(crate) fn new(folder: &Path, words: &[&str]) -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(words).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn()?;
        let streams = child.stdin.take().zip(child.stdout.take());
        let (to, from) = streams.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self { child, to, from: BufReader::with_capacity(1024 * 1024, from) })
    }

    /// Says one line.
    pub(crate) fn say(&mut self, line: &str) -> io::Result<()> {
        self.to.write_all(format!("{line}\n").as_bytes())
    }

    /// Says one line and waits for one; an empty one where the other end is gone.
    pub(crate) fn ask(&mut self, line: &str) -> io::Result<String> {
        self.say(line)?;
        let mut answer = String::new();
        self.from.read_line(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for Spoken {
    fn drop(&mut self) {
        // It was started to be measured, and nothing of it is to stay.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// What a process used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Usage {
    /// Time on a processor.
    pub(crate) cpu: Duration,
    /// The most memory it held, in KiB.
    pub(crate) peak: u64,
    /// What it printed, in bytes.
    pub(crate) printed: u64,
}

/// What this process used so far; `None` where the system does not tell.
pub(crate) fn own_usage() -> Option<(Duration, u64)> {
    let scheduled = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    let nanos = scheduled.split_whitespace().next()?.parse().ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some((Duration::from_nanos(nanos), peak.split_whitespace().next()?.parse().ok()?))
}

/// Runs this program in a folder and says what it used. `None` when it fails or the system does not tell.
pub(crate) fn measured_run(folder: &Path, args: &[&str]) -> Option<Usage> {
    let answer = folder.join("answer");
    let output = Command::new(std::env::current_exe().ok()?)
        .args(["bench", "measured", "--"])
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(File::create(&answer).ok()?)
        .stderr(Stdio::piped())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let report = String::from_utf8_lossy(&output.stderr);
    let mut words = report.lines().last()?.strip_prefix("usage ")?.split_whitespace();
    let (nanos, peak) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    Some(Usage { cpu: Duration::from_nanos(nanos), peak, printed: std::fs::metadata(answer).ok()?.len() })
}

/// Lets so many processes at a time claim work until so many claims were made; claims per second.
pub(crate) fn claims_per_second(folder: &Path, processes: u64, claims: u64) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let (made, failed) = (AtomicU64::new(0), AtomicU64::new(0));
    let start = Instant::now();
    std::thread::scope(|scope| {
        for worker in 0..processes {
            let (program, made, failed) = (&program, &made, &failed);
            scope.spawn(move || {
                while made.fetch_add(1, Ordering::Relaxed) < claims {
                    let claimed = Command::new(program)
                        .args(["issue", "claim-next", "--assignee", &format!("worker-{worker}"), "--json"])
                        .current_dir(folder)
                        .stdin(Stdio::null())
                        .stderr(Stdio::null())
                        .output();
                    if !claimed
                        .is_ok_and(|output| output.stdout.windows(14).any(|part| part == b"\"claimed\":true"))
                    {
                        failed.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    #[expect(clippy::cast_precision_loss, reason = "a rate of a few hundred claims")]
    (failed.into_inner() == 0).then(|| claims as f64 / start.elapsed().as_secs_f64())
}

/// Runs this program several times at once, and says how long that took and what all of it used on processors, whatever it
/// started included. `None` when one fails or the system does not tell.
pub(crate) fn run_together(folder: &Path, lines: &[Vec<String>]) -> Option<(Duration, Duration)> {
    let program = std::env::current_exe().ok()?;
    let before = children_usage()?;
    let start = Instant::now();
    let mut children = Vec::new();
    for words in lines {
        let child = Command::new(&program)
            .args(words)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        children.push(child.ok()?);
    }
    let mut is_good = true;
    for mut child in children {
        is_good &= child.wait().is_ok_and(|status| status.success());
    }
    let wall = start.elapsed();
    is_good.then_some((wall, children_usage()?.saturating_sub(before)))
}

/// What children that ended used on processors, in user mode and in the system. The system counts in hundredths of a second.
fn children_usage() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, behind) = stat.rsplit_once(')')?;
    let mut numbers = behind.split_whitespace().skip(13).map(str::parse::<u64>);
    let (user, system) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some(Duration::from_millis((user + system) * 10))
}
