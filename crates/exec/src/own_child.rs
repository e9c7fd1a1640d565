//! A process of this very program that works for us: its lines are heard as they come, and it does not outlive us.
//!
//! It is given a pipe that ends when we do, however we end; a child that watches it goes by itself. It must not be used for
//! a command of somebody else's: there are no walls around it.

#![expect(clippy::disallowed_methods, reason = "processes are started in this crate")]

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};

/// The longest line that is heard.
const LONGEST: u64 = 16 << 20;

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildEnd {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal.
    Killed,
}

/// Starts a program, tells every line it prints, and waits for its end.
///
/// # Errors
/// It cannot be started or heard; a child that was started is ended.
pub fn run_own_child(
    program: &Path,
    arguments: &[OsString],
    hear: &mut dyn FnMut(&str),
) -> io::Result<ChildEnd> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()?;
    // Held until the child is over: its end is the end of us.
    let lifeline = child.stdin.take();
    let heard = child.stdout.take().map_or(Ok(()), |stdout| listen(BufReader::new(stdout), hear));
    if heard.is_err() {
        child.kill()?;
    }
    drop(lifeline);
    let status = child.wait()?;
    heard?;
    Ok(status.code().map_or(ChildEnd::Killed, ChildEnd::Exited))
}

fn listen(mut lines: BufReader<std::process::ChildStdout>, hear: &mut dyn FnMut(&str)) -> io::Result<()> {
    loop {
        let mut line = Vec::new();
        if lines.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        hear(String::from_utf8_lossy(&line).trim_end());
    }
}
