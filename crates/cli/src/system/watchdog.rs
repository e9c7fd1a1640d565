//! The end of a process that must answer: late, or broken, it still says no.

#![expect(clippy::disallowed_methods, reason = "this module owns the command's access to the system")]

use std::io::{IsTerminal, Write as _};
use std::os::fd::AsFd;
use std::os::unix::fs::FileTypeExt as _;
use std::time::Duration;

/// The code that blocks, for every agent whose hook we are.
const BLOCKS: i32 = 2;

/// From now on a panic, and time that runs out, end this process with the code that blocks and a word on standard error.
///
/// # Errors
/// There is no thread that could watch.
pub(crate) fn blocks_when_lost(after: Duration) -> std::io::Result<()> {
    // Where a panic aborts, nothing behind it could still pick the code.
    std::panic::set_hook(Box::new(|_| end("it panicked; this is a fault of premath")));
    let late = move || {
        std::thread::sleep(after);
        end(&format!("there was no decision within {} s", after.as_secs()));
    };
    std::thread::Builder::new().name("watchdog".to_owned()).spawn(late).map(drop)
}

#[expect(clippy::exit, reason = "whoever holds the answer up is not waited for")]
fn end(what: &str) {
    // Where nobody can be told, the code still blocks.
    drop(std::io::stderr().write_all(format!("premath guard: policy_denied: {what}\n").as_bytes()));
    std::process::exit(BLOCKS);
}

/// Whether somebody can hear what is written there. What was closed is a device that swallows everything.
pub(crate) fn is_heard(stream: &(impl AsFd + IsTerminal)) -> bool {
    let Ok(copy) = stream.as_fd().try_clone_to_owned() else { return false };
    let kind = std::fs::File::from(copy).metadata().map(|found| found.file_type());
    kind.is_ok_and(|kind| stream.is_terminal() || !kind.is_char_device())
}

#[cfg(test)]
mod tests;
