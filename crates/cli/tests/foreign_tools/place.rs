//! A repository, a server beside it, and a person with a credential outside both.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};

use crate::folder::{Folder, Ran};
use crate::server::ARGUMENTS;

/// A repository whose configuration names one server.
#[derive(Debug)]
pub(crate) struct Place {
    folder: Folder,
    /// Variables of the person's environment.
    variables: RefCell<BTreeMap<String, String>>,
}

const RUN: [&str; 6] = ["run", "ask for the weather", "--model", "scripted:scene.toml", "--run-id", "w"];

/// A process that is killed, without a word before.
#[derive(Debug)]
pub(crate) struct Killed(std::process::Child);

impl Drop for Killed {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A tool as a server defines it.
pub(crate) fn tool(name: &str, description: &str) -> Value {
    json!({
        "name": name, "description": description,
        "inputSchema": { "type": "object", "properties": { "town": { "type": "string" } } }
    })
}

/// What a server does that has these tools.
pub(crate) fn behaviour(tools: &[Value]) -> Value {
    json!({ "tools": tools, "does": {} })
}

impl Place {
    /// A repository that names the server, on these terms.
    pub(crate) fn new(behaviour: &Value, terms: &str) -> Self {
        let place = Self { folder: Folder::new(), variables: RefCell::default() };
        place.configure("");
        place.folder.write("server/behaviour.json", behaviour.to_string());
        place.folder.write("repository/readme.md", "hello\n");
        let program = std::env::current_exe().unwrap();
        let arguments = ARGUMENTS.map(|one| format!("{one:?}")).join(", ");
        let table = format!(
            "[mcp.servers.weather]\ncommand = {:?}\nargs = [{arguments}]\ncwd = {:?}\n{terms}\n",
            program.to_str().unwrap(),
            place.folder.path().join("server").to_str().unwrap(),
        );
        assert_eq!(place.run(&["init"]).code, Some(0));
        let file = place.folder.path().join("repository/premath.toml");
        let before = fs::read_to_string(&file).unwrap_or_default();
        fs::write(file, format!("{before}\n{table}")).unwrap();
        place
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[])
    }

    /// The command as a command in the sandbox would run it.
    pub(crate) fn as_step(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[("PREMATH_STEP_TOKEN", "1")])
    }

    /// The command as an agent that is no step of ours would run it.
    pub(crate) fn below(&self, variable: &str, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[(variable, "1")])
    }

    fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.folder.command(arguments);
        command.envs(self.variables.borrow().iter()).envs(variables.iter().copied());
        command.env("PREMATH_CONFIG", self.folder.path().join("mine.toml"));
        command.current_dir(self.folder.path().join("repository"));
        command.env("XDG_STATE_HOME", self.folder.path().join("state")).env("USER", "jo");
        let output = command.timeout(std::time::Duration::from_secs(60)).output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The command with `--json`: what it ended with, and its document.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let ran = self.run(&[arguments, &["--json"]].concat());
        let last = ran.stdout.lines().last().unwrap_or_else(|| panic!("{arguments:?}: {ran:?}"));
        (ran.code.unwrap(), serde_json::from_str(last).unwrap())
    }

    /// Shows, and approves what was shown.
    #[track_caller]
    pub(crate) fn approve(&self, target: &str) {
        let (code, shown) = self.json(&["tools", "approve", target]);
        assert_eq!(code, 1, "nothing is approved unseen: {shown}");
        let digest = shown["shownDigest"].as_str().unwrap_or_else(|| panic!("{shown}"));
        let (code, approved) = self.json(&["tools", "approve", target, "--digest", digest]);
        assert_eq!((code, &approved["outcome"]), (0, &json!("approved")), "{approved}");
    }

    /// Approves the server, then everything that it defines.
    #[track_caller]
    pub(crate) fn approve_all(&self) {
        self.approve("weather");
        self.approve("weather");
    }

    /// Says what the person's own file says.
    pub(crate) fn configure(&self, person: &str) {
        self.folder.write("mine.toml", person);
    }

    /// Sets a variable of the person's environment.
    pub(crate) fn set(&self, name: &str, value: &str) {
        self.variables.borrow_mut().insert(name.to_owned(), value.to_owned());
    }

    /// Whether a file of the repository has these words in it.
    pub(crate) fn keeps(&self, words: &str) -> bool {
        let mut folders = vec![self.folder.path().join("repository")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).contains(words) {
                    return true;
                }
            }
        }
        false
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.folder.path().join("repository").join(name).exists()
    }

    /// What a tool was called with, one after the other.
    pub(crate) fn arguments(&self, tool: &str) -> Vec<Value> {
        let log = fs::read_to_string(self.folder.path().join("server/log.txt")).unwrap_or_default();
        let called = |line: &str| serde_json::from_str(line.strip_prefix(&format!("called {tool} "))?).ok();
        log.lines().filter_map(called).collect()
    }

    /// Takes the folder away that the server works in.
    pub(crate) fn lose_the_server(&self) {
        fs::remove_dir_all(self.server()).unwrap();
    }

    pub(crate) fn behave(&self, behaviour: &Value) {
        self.folder.write("server/behaviour.json", behaviour.to_string());
    }

    /// The folder of the server.
    pub(crate) fn server(&self) -> std::path::PathBuf {
        self.folder.path().join("server")
    }

    /// What the server noted: that it was started, what was called.
    pub(crate) fn noted(&self, what: &str) -> usize {
        let log = fs::read_to_string(self.folder.path().join("server/log.txt")).unwrap_or_default();
        log.lines().filter(|line| line.starts_with(what)).count()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        self.folder.write(&format!("repository/{name}"), text);
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join("repository").join(name)).unwrap()
    }

    /// Where a file of the repository is.
    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join("repository").join(name)
    }

    /// Lets a file of the repository be started.
    pub(crate) fn executable(&self, name: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The process of the server that was started last.
    pub(crate) fn started_last(&self) -> String {
        let log = fs::read_to_string(self.folder.path().join("server/log.txt")).unwrap();
        log.lines().filter_map(|line| line.strip_prefix("started ")).next_back().unwrap().to_owned()
    }

    fn scene(&self, calls: &[&str]) {
        let mut scene = "name = \"calls\"\n".to_owned();
        for (index, call) in calls.iter().enumerate() {
            // Three equal calls would have a person asked.
            let town = if index < 2 { "Bern" } else { "Basel" };
            scene.push_str(&format!(
                "[[turn]]\ntext = \"I call it.\"\n[[turn.call]]\ntool = \"{call}\"\narguments = {{ town = \"{town}\" }}\n"
            ));
        }
        scene.push_str("[[turn]]\ntext = \"Done.\"\n");
        self.write("scene.toml", &scene);
    }

    /// A run whose model calls tools, one a turn, and ends.
    pub(crate) fn calls(&self, calls: &[&str], more: &[&str]) -> (i32, Value) {
        self.scene(calls);
        self.json(&[&RUN[..], more].concat())
    }

    /// The same, begun and not waited for. Whoever lets go of it kills it.
    pub(crate) fn begins(&self, calls: &[&str]) -> Killed {
        self.scene(calls);
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_premath"));
        command.env_clear().args(RUN).current_dir(self.folder.path().join("repository"));
        command.env("XDG_STATE_HOME", self.folder.path().join("state")).env("USER", "jo");
        command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
        Killed(command.stderr(std::process::Stdio::null()).spawn().unwrap())
    }

    /// The journal of the run.
    pub(crate) fn journal(&self) -> String {
        self.read(".premath/runs/w/journal.jsonl")
    }

    /// The state of each tool as `tools check` finds it.
    pub(crate) fn states(&self) -> Vec<(String, String)> {
        let (_, found) = self.json(&["tools", "check"]);
        let state = |row: &Value| {
            let class = row["class"].as_str().or_else(|| row["state"].as_str()).unwrap();
            (row["tool"].as_str().unwrap().to_owned(), class.to_owned())
        };
        found["tools"].as_array().unwrap().iter().map(state).collect()
    }
}
