//! A repository with a killed run, a finished run, an instruction and a spent permit, and the disk as it was: every attack
//! begins from the same bytes at the same place, because keys are bound to places.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::folder::{Folder, Ran};

pub(crate) const ID: &str = "20261115T071252Z-link";
pub(crate) const JOURNAL: &str = ".premath/runs/one/journal.jsonl";
pub(crate) const OTHER_JOURNAL: &str = ".premath/runs/two/journal.jsonl";
pub(crate) const AUDIT: &str = ".premath/audit.jsonl";
pub(crate) const ISSUES: &str = ".premath/issues.jsonl";
pub(crate) const LEDGER: &str = ".premath/permits/20261115T071252Z-link.jsonl";
pub(crate) const OTHER_LEDGER: &str = ".premath/permits/run-two.jsonl";
pub(crate) const WITNESS: &str = "artifacts/ciwitness/20261115T071252Z-link.json";
pub(crate) const ENVELOPE: &str = "instructions/20261115T071252Z-link.json";
pub(crate) const POLICY: &str = "policies/instruction/default.json";

/// The repository, and copies of it.
pub(crate) struct Room {
    pub(crate) folder: Folder,
    copies: TempDir,
}

impl Room {
    /// Prepares the repository, once.
    pub(crate) fn new() -> Self {
        let room = Self { folder: Folder::new(), copies: TempDir::new().unwrap() };
        room.begin();
        room.work()
    }

    /// The same under a package that was measured and promoted here.
    pub(crate) fn with_package() -> Self {
        let room = Self { folder: Folder::new(), copies: TempDir::new().unwrap() };
        room.begin();
        room.promote_package();
        room.work()
    }

    fn work(self) -> Self {
        let room = self;
        room.finish_a_run();
        room.keep("before-spending");
        room.spend_a_permit();
        room.kill_a_run();
        room.keep("now");
        fs::create_dir_all(room.copies.path().join("outside")).unwrap();
        fs::write(room.outside_issues(), room.earlier("before-spending", ISSUES)).unwrap();
        room
    }

    /// A copy of it in another place, of the same person.
    pub(crate) fn copied(room: &Self) -> Self {
        let copied = Self { folder: Folder::new(), copies: TempDir::new().unwrap() };
        copy(room.folder.path(), copied.folder.path());
        copy(&room.folder.state(), &copied.folder.state());
        copied
    }

    fn begin(&self) {
        self.git(&["init", "--quiet", "."]);
        self.works(&["init"]);
        for id in ["bd-1", "bd-2", "bd-3"] {
            self.works(&["issue", "add", "work", "--id", id]);
        }
        self.commit();
        let policy: Value = serde_json::from_str(&self.read(POLICY)).unwrap();
        let envelope = json!({
            "schema": 1,
            "intent": "link a change",
            "scope": {"issueId": "bd-2"},
            "policyDigest": policy["policyDigest"],
            "normalizerId": "premath.normalizer.v1",
            "requestedChecks": ["issue", "graph"],
            "capabilityClaims": ["capabilities.change_morphisms.issue_update"],
        });
        self.folder.write(ENVELOPE, envelope.to_string());
        self.works(&["instruction-run", ENVELOPE]);
    }

    fn promote_package(&self) {
        let rows = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/guardrails/dataset.jsonl");
        self.folder.write("rows.jsonl", fs::read(rows).unwrap());
        self.works(&["policy", "draft", "ours"]);
        self.folder.write(
            "policies/drafts/ours/guardrails.json",
            r#"{"pii": {"input": "flag", "output": "redact"}, "hosts": ["*.example.org"]}"#,
        );
        let eval = self.report(&["eval", "guardrails", "--dataset", "rows.jsonl", "--draft", "ours"]);
        let redteam = self.report(&["redteam", "run", "--draft", "ours"]);
        self.works(&["policy", "promote", "--draft", "ours", "--eval", &eval, "--redteam", &redteam]);
        self.commit();
    }

    /// Where a measurement left its report.
    fn report(&self, arguments: &[&str]) -> String {
        let mut command = self.folder.command(&[arguments, &["--json"]].concat());
        command.env("PATH", "/usr/bin:/bin").timeout(std::time::Duration::from_secs(500));
        let answer: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        answer["reportPath"].as_str().unwrap().to_owned()
    }

    fn finish_a_run(&self) {
        self.folder.write("two.toml", scene(&[&notes("bd-3", "from the first run"), ""]));
        self.works(&["run", "do it", "--model", "scripted:two.toml", "--run-id", "two"]);
    }

    fn spend_a_permit(&self) {
        self.works(&SPEND_AGAIN);
    }

    fn kill_a_run(&self) {
        let turns = [wait("1"), wait("2"), notes("bd-1", "from the model"), String::new()];
        let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
        self.folder.write("one.toml", scene(&turns));
        let arguments = ["run", "do it", "--model", "scripted:one.toml", "--run-id", "one"];
        let mut child = self.start(&arguments);
        self.await_file("begun1", &mut child);
        self.keep("while-running");
        self.folder.write("go1", "");
        self.await_file("begun2", &mut child);
        child.kill().unwrap();
        child.wait().unwrap();
        self.folder.write("go2", "");
        self.await_tidy();
    }

    /// Waits until the names that were held while the command ran are gone: it outlives premath, and so does their holder.
    fn await_tidy(&self) {
        // The folders above held names go last, in the order of their names.
        let held = self.path(".github");
        let started = std::time::Instant::now();
        while held.symlink_metadata().is_ok() {
            assert!(started.elapsed().as_secs() < 20, "{} stayed behind", held.display());
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    fn start(&self, arguments: &[&str]) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_premath"));
        command.env_clear().env("PATH", "/usr/bin:/bin").env("XDG_STATE_HOME", self.folder.state());
        command.current_dir(self.folder.path()).args(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    fn await_file(&self, name: &str, child: &mut Child) {
        while !self.path(name).exists() {
            assert!(child.try_wait().unwrap().is_none(), "the run ended before it waited");
            std::thread::yield_now();
        }
    }

    /// Keeps a copy of everything, the state of the person too.
    fn keep(&self, name: &str) {
        copy(self.folder.path(), &self.copies.path().join(name).join("work"));
        copy(&self.folder.state(), &self.copies.path().join(name).join("state"));
    }

    /// Puts everything back as it was.
    pub(crate) fn restore(&self) {
        for entry in fs::read_dir(self.folder.path()).unwrap() {
            remove(&entry.unwrap().path());
        }
        remove(&self.folder.state());
        copy(&self.copies.path().join("now").join("work"), self.folder.path());
        copy(&self.copies.path().join("now").join("state"), &self.folder.state());
    }

    /// Issue memory in a folder outside of the repository: a copy of that before the permit was spent.
    pub(crate) fn outside_issues(&self) -> PathBuf {
        self.copies.path().join("outside/issues.jsonl")
    }

    /// A file as it was in a copy.
    pub(crate) fn earlier(&self, copy: &str, path: &str) -> Vec<u8> {
        fs::read(self.copies.path().join(copy).join("work").join(path)).unwrap()
    }

    /// Puts a file, and its head, back as they were in a copy: both genuine, both old.
    pub(crate) fn roll_back(&self, copy: &str, path: &str) {
        for name in [path.to_owned(), format!("{path}.head")] {
            self.put(&name, self.earlier(copy, &name));
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn delete(&self, name: &str) {
        remove(&self.path(name));
    }

    pub(crate) fn git(&self, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]);
        let output = command.args(arguments).current_dir(self.folder.path()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }

    /// Commits everything that git takes.
    pub(crate) fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "--quiet", "-m", "work"]);
    }

    #[track_caller]
    fn works(&self, arguments: &[&str]) {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
    }

    /// The command of the person.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, &[])
    }

    /// The same in another environment.
    pub(crate) fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.folder.command(arguments);
        command.env("PATH", "/usr/bin:/bin").envs(variables.iter().copied());
        let output = command.output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// What `verify` says.
    pub(crate) fn verify(&self) -> (i32, Value) {
        self.folder.json(&["verify"])
    }
}

pub(crate) const RESUME: [&str; 3] = ["resume", "one", "--json"];
pub(crate) const SPEND_AGAIN: [&str; 9] =
    ["issue", "update", "bd-2", "--notes", "linked", "--instruction", ID, "--call-id", "call-1"];
pub(crate) const SPEND_MORE: [&str; 9] =
    ["issue", "update", "bd-2", "--notes", "more", "--instruction", ID, "--call-id", "call-2"];
pub(crate) const RUN_MORE: [&str; 6] =
    ["run", "do it", "--model", "scripted:two.toml", "--json", "--run-id=three"];
pub(crate) const BY_HAND: [&str; 5] = ["issue", "update", "bd-2", "--notes", "by hand"];

fn scene(turns: &[&str]) -> String {
    let turns = turns.iter().map(|calls| format!("[[turn]]\ntext = \"now\"\n{calls}"));
    format!("name = \"scene\"\n{}", turns.collect::<String>())
}

fn wait(number: &str) -> String {
    format!(
        "[[turn.call]]\ntool = \"shell\"\narguments = {{ command = \"seq 1 9000; touch begun{number}; \
         while [ ! -e go{number} ]; do sleep 0.02; done\", workdir = \".\" }}\n"
    )
}

fn notes(id: &str, text: &str) -> String {
    format!("[[turn.call]]\ntool = \"issue_update\"\narguments = {{ id = \"{id}\", notes = \"{text}\" }}\n")
}

fn remove(path: &Path) {
    match fs::symlink_metadata(path) {
        Ok(there) if there.is_dir() => fs::remove_dir_all(path).unwrap(),
        Ok(_) => fs::remove_file(path).unwrap(),
        Err(_) => {}
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target)
                .unwrap_or_else(|error| panic!("{}: {error}", entry.path().display()));
        }
    }
}
