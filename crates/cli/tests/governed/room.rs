//! A repository with a desk of a person's files, and the person's own place for configuration and credential outside of it.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// The command.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_premath");
/// Long enough for a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What one run gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A repository, and the ids of the files on its desk.
#[derive(Debug)]
pub(crate) struct Room {
    folder: TempDir,
    outside: TempDir,
    pub(crate) files: Vec<String>,
}

impl Room {
    /// A desk with these files, under the person's own configuration.
    pub(crate) fn new(names: &[&str], configuration: &str) -> Self {
        let fresh = || TempDir::new().unwrap();
        let mut room = Self { folder: fresh(), outside: fresh(), files: Vec::new() };
        room.configure(configuration);
        room.done(&["init"]);
        for name in names {
            room.write("text", &format!("this is {name}\n"));
            room.done(&["desk", "add", name, "--file", "text"]);
            let shown = room.json(&["desk", "show", name]);
            room.files.push(shown["file"]["id"].as_str().unwrap().to_owned());
        }
        room
    }

    /// Changes the person's own configuration.
    pub(crate) fn configure(&self, configuration: &str) {
        std::fs::write(self.outside.path().join("config.toml"), configuration).unwrap();
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }

    /// Where the person's state is.
    pub(crate) fn state(&self) -> PathBuf {
        self.outside.path().join("state")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The command about to be started, as the person.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        self.settle(&mut command);
        command.args(arguments);
        command
    }

    /// Gives a command the person's place and environment.
    pub(crate) fn settle(&self, command: &mut Command) {
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("USER", "jo")
            .env("XDG_STATE_HOME", self.state())
            .env("PREMATH_CONFIG", self.outside.path().join("config.toml"))
            .current_dir(self.folder.path())
            .stdin(Stdio::null());
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        let output = self.command(arguments).output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs the command, which must end well, and returns what it printed.
    #[track_caller]
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}{}", ran.stdout, ran.stderr);
        ran.stdout
    }

    /// The document it prints, however it ends.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        self.ended(arguments).1
    }

    /// What it ends with, and the document it prints.
    #[track_caller]
    pub(crate) fn ended(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let ran = self.run(&[arguments, &["--json"]].concat());
        let last = ran.stdout.lines().last().unwrap_or_else(|| panic!("{arguments:?}: {ran:?}"));
        (ran.code, serde_json::from_str(last).unwrap())
    }

    /// What it is refused with; it must be.
    #[track_caller]
    pub(crate) fn refused(&self, arguments: &[&str]) -> String {
        let (code, answer) = self.ended(arguments);
        assert_eq!(code, Some(1), "{arguments:?}: {answer}");
        answer["refused"]["class"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// Begins a run of a scripted model with the tools of the desk.
    pub(crate) fn begin(&self, run: &str, turns: &str) -> Ran {
        self.work(run, turns, &["--desk"])
    }

    /// Begins a run of a scripted model.
    pub(crate) fn work(&self, run: &str, turns: &str, more: &[&str]) -> Ran {
        let scene = format!("scene-{run}.toml");
        self.write(&scene, &format!("name = \"scene\"\n{turns}[[turn]]\ntext = \"Done.\"\n"));
        let model = format!("scripted:{scene}");
        let begin = ["run", "tidy up", "--model", &model, "--run-id", run];
        self.run(&[&begin, more].concat())
    }

    /// What the calls of a run came to.
    pub(crate) fn results(&self, run: &str) -> Vec<Value> {
        let rows = self.items(&["runs", "export", run]);
        rows.iter().filter_map(|row| row["event"]["results"].as_array()).flatten().cloned().collect()
    }

    /// The turns of a model that deletes files, one after the other.
    pub(crate) fn deleting(&self, numbers: &[usize]) -> String {
        let one = |number: &usize| call("desk_delete_file", &format!("id = \"{}\"", self.files[*number]));
        numbers.iter().map(one).collect()
    }

    /// The turn of a model that proposes to delete all of them.
    pub(crate) fn planning(&self) -> String {
        let step = |id: &String| {
            format!(
                "{{ tool = \"desk_delete_file\", args = {{ id = \"{id}\" }}, rationale = \"it is old\" }}"
            )
        };
        let steps: Vec<_> = self.files.iter().map(step).collect();
        let arguments = format!(
            "goal = \"Delete the drafts\", rollback = \"restore each of them\", steps = [{}]",
            steps.join(", ")
        );
        call("desk_propose_plan", &arguments)
    }

    pub(crate) fn items(&self, arguments: &[&str]) -> Vec<Value> {
        self.json(arguments)["items"].as_array().unwrap().clone()
    }

    /// The ids of what waits: of `approvals` or `proposals`.
    pub(crate) fn pending(&self, family: &str) -> Vec<String> {
        let rows = self.items(&[family, "list", "--state", "pending"]);
        rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    }

    /// The one that waits.
    #[track_caller]
    pub(crate) fn only(&self, family: &str) -> String {
        let pending = self.pending(family);
        let [one] = pending.as_slice() else { panic!("{family}: {pending:?}") };
        one.clone()
    }

    /// The names of what is deleted.
    pub(crate) fn deleted(&self) -> Vec<String> {
        let rows = self.items(&["desk", "list", "--deleted"]);
        rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn audit(&self, filters: &[&str]) -> Vec<Value> {
        self.items(&[&["audit", "query", "--limit", "200"], filters].concat())
    }

    /// Waits until something is in a state that time brings.
    #[track_caller]
    pub(crate) fn until(&self, family: &str, id: &str, state: &str) {
        let member = family.trim_end_matches('s');
        let since = Instant::now();
        while self.json(&[family, "show", id])[member]["state"] != state {
            assert!(since.elapsed() < PATIENCE, "{id} is not {state}");
        }
    }

    /// Every store is sound, and the runs come out the same again.
    #[track_caller]
    pub(crate) fn is_sound(&self, runs: &[&str]) {
        self.done(&["verify"]);
        self.done(&["audit", "verify"]);
        for run in runs {
            self.done(&["replay", run]);
        }
    }
}

/// One turn with one call.
pub(crate) fn call(tool: &str, arguments: &str) -> String {
    format!("[[turn]]\ntext = \"Now.\"\n[[turn.call]]\ntool = \"{tool}\"\narguments = {{ {arguments} }}\n")
}
