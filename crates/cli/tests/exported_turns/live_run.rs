//! Real runs of the examples and of the demo, and the commands that look at them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_premath");
/// The examples: the six patterns, and the one that is judged by a model.
pub(crate) const PATTERNS: [&str; 7] = [
    "single",
    "chain",
    "route",
    "parallel",
    "orchestrator_workers",
    "evaluator_optimizer",
    "evaluator_model",
];

/// The repository that the tests are of.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A project in which something was run.
#[derive(Debug)]
pub(crate) struct Project {
    folder: TempDir,
    pub(crate) root: PathBuf,
}

/// The lines of a command's ends, for messages.
pub(crate) fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{:?}\n{}{}", output.status.code(), text(&output.stdout), text(&output.stderr))
}

impl Project {
    /// The example project, before anything was run in it.
    pub(crate) fn example() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut project = Self { root: folder.path().to_owned(), folder };
        project.accepted(&["init", "--example", "project"]);
        project.root = project.root.join("project");
        project
    }

    /// An empty project.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = Self { root: folder.path().to_owned(), folder };
        project.accepted(&["init"]);
        project
    }

    /// One example of a pattern, run to its end.
    pub(crate) fn pattern(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut project = Self { root: folder.path().to_owned(), folder };
        let script = repository().join("examples/patterns/run.sh");
        let output = project
            .command("sh")
            .arg(script)
            .args([name, "--run-id", "the-run"])
            .env("PREMATH", PROGRAM)
            .output()
            .unwrap();
        assert!(output.status.success(), "{name}: {}", shown(&output));
        let said = String::from_utf8(output.stdout).unwrap();
        project.root = PathBuf::from(said.lines().next().unwrap().strip_prefix("in ").unwrap());
        project
    }

    /// The demo, run to its end.
    pub(crate) fn demo() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut project = Self { root: folder.path().to_owned(), folder };
        project.accepted(&["run", "--demo", "--keep", "demo"]);
        project.root = project.root.join("demo");
        project
    }

    /// A command in the project, with an environment of its own.
    pub(crate) fn command(&self, program: &str) -> Command {
        let home = self.folder.path();
        let nothing = home.join("nothing.toml");
        fs::write(&nothing, "").unwrap();
        let mut command = Command::new(program);
        command
            .current_dir(&self.root)
            .env("PREMATH_CONFIG", nothing)
            .env("XDG_STATE_HOME", home.with_extension("state"))
            .env("TMPDIR", home)
            .env("PREMATH_BIN", PROGRAM);
        command
    }

    pub(crate) fn premath(&self, arguments: &[&str]) -> Output {
        self.command(PROGRAM).args(arguments).output().unwrap()
    }

    /// The same, which must succeed.
    pub(crate) fn accepted(&self, arguments: &[&str]) -> String {
        let output = self.premath(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", shown(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The JSON that a command prints, however it ends.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.premath(arguments);
        serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("{arguments:?}: {error}: {}", shown(&output)))
            .unwrap()
    }

    /// The call ids of every judged turn of every run, workers included.
    pub(crate) fn judged_turns(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.root.join(".premath/runs"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let mut turns = Vec::new();
        for run in names {
            let card = self.json(&["runs", "show", &run, "--json"]);
            for turn in card["turns"].as_array().unwrap() {
                assert_ne!(turn["verdict"], "open", "{run}: {turn}");
                turns.push(turn["callId"].as_str().unwrap().to_owned());
            }
        }
        assert!(!turns.is_empty());
        turns
    }

    /// What `turn export` writes.
    pub(crate) fn case(&self, call_id: &str, more: &[&str]) -> String {
        self.accepted(&[&["turn", "export", call_id], more].concat())
    }

    /// What `harness-join-check` says of a case.
    pub(crate) fn judge(&self, case: &str) -> Value {
        let path = self.folder.path().join("case.json");
        fs::write(&path, case).unwrap();
        self.json(&["harness-join-check", "--input", path.to_str().unwrap(), "--json"])
    }
}
