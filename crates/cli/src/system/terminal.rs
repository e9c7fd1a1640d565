//! Questions at a terminal: what was typed before a question is discarded, and an answer is read until a deadline.
//!
//! Reads the file descriptor itself, never through a buffer of the process, so that nothing typed earlier is left in one.

use std::io::{IsTerminal as _, Write as _};
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{FlushArg, tcdrain, tcflush};
use nix::unistd::read;
use premath_tusk::sandbox::Interrupt;

use super::outside::is_attended;

/// How often an interruption and the deadline are looked for, in milliseconds.
const POLL_MILLIS: u16 = 50;
/// The longest line that is read, in bytes.
const LONGEST_LINE: usize = 16 * 1024;

/// What came of reading a line from the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TerminalLine {
    /// A line, trimmed.
    Text(String),
    /// The deadline passed first.
    TimedOut,
    /// The input ended, or an interruption was requested.
    Closed,
}

/// Whether standard output is on a terminal.
pub(crate) fn shows_output() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether there is a terminal that shows what is written: standard output, or standard error in its place.
pub(crate) fn has_screen() -> bool {
    std::io::stdout().is_terminal() || std::io::stderr().is_terminal()
}

/// Waits until everything written is on the terminal, then discards what was typed so far. Returns whether both were done;
/// where they were not, no answer may be read.
pub(crate) fn discard_typed_ahead() -> bool {
    let (mut stdout, mut stderr) = (std::io::stdout(), std::io::stderr());
    if stdout.flush().is_err() || stderr.flush().is_err() {
        return false;
    }
    let is_drained =
        [stdout.is_terminal().then(|| tcdrain(&stdout)), stderr.is_terminal().then(|| tcdrain(&stderr))]
            .into_iter()
            .flatten()
            .all(|drained| drained.is_ok());
    is_drained && tcflush(std::io::stdin(), FlushArg::TCIFLUSH).is_ok()
}

/// The line that a person types; none where nobody sits at the terminal, or the person asks for the end.
pub(crate) fn typed_line(interrupt: &Interrupt) -> Option<String> {
    match read_terminal_line(interrupt, None) {
        TerminalLine::Text(line) => Some(line),
        TerminalLine::TimedOut | TerminalLine::Closed => None,
    }
}

/// Reads one line from the terminal, until the deadline at most.
pub(crate) fn read_terminal_line(interrupt: &Interrupt, deadline: Option<Instant>) -> TerminalLine {
    if !is_attended() {
        return TerminalLine::Closed;
    }
    let stdin = std::io::stdin();
    let mut line = Vec::new();
    loop {
        if interrupt.is_requested() {
            return TerminalLine::Closed;
        }
        if deadline.is_some_and(|deadline| remaining(deadline).is_zero()) {
            return TerminalLine::TimedOut;
        }
        let mut polled = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        match poll(&mut polled, PollTimeout::from(POLL_MILLIS)) {
            Ok(0) | Err(Errno::EINTR) => continue,
            Ok(_) => {}
            Err(_) => return TerminalLine::Closed,
        }
        let mut bytes = [0_u8; 1024];
        let count = match read(stdin.as_fd(), &mut bytes) {
            Ok(0) => return TerminalLine::Closed,
            Ok(count) => count,
            Err(Errno::EINTR | Errno::EAGAIN) => continue,
            Err(_) => return TerminalLine::Closed,
        };
        line.extend(bytes.iter().take(count));
        if line.len() > LONGEST_LINE {
            return TerminalLine::Closed;
        }
        if line.ends_with(b"\n") || line.ends_with(b"\r") {
            return TerminalLine::Text(String::from_utf8_lossy(&line).trim().to_owned());
        }
    }
}

fn remaining(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(super::stopwatch())
}
