//! A folder with a store in it, and the command under test started there with an environment of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use super::process::{Answer, Started};
use super::rekeying::rekey;
use super::unkeyed::{unkeyed_head, without_mac};

/// The command under test, as this test was built: in release when the test is.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_premath");

/// Where no time is promised: long enough for any machine, and whoever takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder that is gone with this value.
#[derive(Debug)]
pub(crate) struct Workplace {
    folder: TempDir,
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // Some stores never had a key.
        drop(fs::remove_dir_all(self.state()));
    }
}

impl Workplace {
    /// An empty folder.
    pub(crate) fn empty() -> Self {
        Self { folder: TempDir::with_prefix("premath-crash-").unwrap() }
    }

    /// A folder after `premath init`.
    pub(crate) fn initialised() -> Self {
        let place = Self::empty();
        place.accepted(&["init", "--json"]);
        place
    }

    /// The same files in another folder.
    pub(crate) fn copied(&self) -> Self {
        let place = Self::empty();
        copy(self.path(), place.path());
        if self.state().is_dir() {
            fs::create_dir_all(place.state()).unwrap();
            copy(&self.state(), &place.state());
            rekey(&place);
        }
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A file of the store.
    pub(crate) fn lane(&self, name: &str) -> PathBuf {
        self.path().join(".premath").join(name)
    }

    /// The command with these arguments, not started.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(arguments);
        self.settle(&mut command);
        command
    }

    /// Lets a program run here, with nothing in its environment but where programs are.
    pub(crate) fn settle(&self, command: &mut Command) {
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").current_dir(self.path());
        command.env("XDG_STATE_HOME", self.state());
    }

    /// Where the state of the person is.
    pub(super) fn state(&self) -> PathBuf {
        self.path().with_extension("state")
    }

    /// Where the clone keeps the newest head of a lane.
    pub(crate) fn record(&self, lane: &str) -> PathBuf {
        let clones = self.state().join("premath/clones");
        let clone = fs::read_dir(clones).unwrap().next().unwrap().unwrap();
        clone.path().join(format!(".premath%2F{lane}.head"))
    }

    /// Leaves these logs as a version without keys wrote them, and takes the person's state away.
    pub(crate) fn remove_keys(&self, logs: &[&str]) {
        for log in logs {
            let path = self.lane(log);
            let rows = fs::read_to_string(&path).unwrap();
            let rows: String = rows.lines().map(|row| format!("{}\n", without_mac(row))).collect();
            fs::write(&path, &rows).unwrap();
            fs::write(self.lane(&format!("{log}.head")), unkeyed_head(&rows)).unwrap();
        }
        fs::remove_dir_all(self.state()).unwrap();
    }

    /// One run that nobody disturbs.
    pub(crate) fn run(&self, arguments: &[&str]) -> Answer {
        self.run_within(PATIENCE, arguments)
    }

    /// One run that must have ended by then.
    pub(crate) fn run_within(&self, patience: Duration, arguments: &[&str]) -> Answer {
        Started::new(&mut self.command(arguments)).finish(patience)
    }

    /// The document of one run that must be accepted.
    #[track_caller]
    pub(crate) fn accepted(&self, arguments: &[&str]) -> Value {
        let answer = self.run(arguments);
        assert!(answer.is_accepted(), "{arguments:?}: {answer:?}");
        answer.document().unwrap()
    }

    /// What `premath verify` finds wrong, warnings left out; nothing when the stores are sound.
    pub(crate) fn unsound(&self) -> Option<String> {
        let answer = self.run(&["verify", "--json"]);
        let is_sound = answer.document().is_some_and(|report| report.get("ok") == Some(&Value::Bool(true)));
        (!is_sound || !answer.is_accepted()).then(|| format!("verify: {answer:?}"))
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
            // How old an object is decides whether it is garbage.
            let time = entry.metadata().unwrap().modified().unwrap();
            fs::File::open(target).unwrap().set_modified(time).unwrap();
        }
    }
}
