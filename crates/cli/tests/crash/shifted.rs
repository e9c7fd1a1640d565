//! Clocks that are wrong: the command is started with libfaketime in front of the C library.

use std::process::Command;

use super::figures::is_there;

/// The way to run a program with another time.
#[derive(Debug, Clone)]
pub(crate) struct Shifted {
    library: String,
}

impl Shifted {
    /// `None` after a named skip. Where the library is, its own wrapper knows.
    pub(crate) fn find() -> Option<Self> {
        if !is_there("faketime", "--version", "faketime") {
            return None;
        }
        let shown = Command::new("faketime")
            .args(["-f", "+0s", "sh", "-c", "echo \"$LD_PRELOAD\""])
            .output()
            .unwrap();
        let library = String::from_utf8(shown.stdout).unwrap().trim().to_owned();
        assert!(library.contains("libfaketime"), "faketime does not say where its library is: `{library}`");
        Some(Self { library })
    }

    /// Lets a program see a time that is off by so many seconds. How long something takes stays as it is.
    pub(crate) fn by(&self, seconds: i64, command: &mut Command) {
        command
            .env("LD_PRELOAD", &self.library)
            .env("FAKETIME", format!("{seconds:+}"))
            .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
            .env("NO_FAKE_STAT", "1");
    }
}
