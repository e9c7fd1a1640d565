//! The examples of the patterns, run: each completes, verifies and replays, and each worker is a child issue that was taken
//! and let go of, with a session and a journal of its own.

#![expect(clippy::disallowed_methods, reason = "a process is what is tested")]
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "what is not there fails the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_premath");

/// An example that was run in a fresh project.
struct Ran {
    _folder: TempDir,
    project: PathBuf,
    run: String,
    said: String,
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/patterns")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Runs `run.sh`, and reads from its first line where the project is.
fn example(name: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("sh")
        .arg(examples().join("run.sh"))
        .args([name, "--run-id", "the-run"])
        .env("PREMATH", PROGRAM)
        .env("PREMATH_CONFIG", nothing(folder.path()))
        .env("XDG_STATE_HOME", folder.path().join("state"))
        .env("TMPDIR", folder.path())
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{name}: {said}{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "", "{name}");
    let project = PathBuf::from(said.lines().next().unwrap().strip_prefix("in ").unwrap());
    Ran { _folder: folder, project, run: "the-run".to_owned(), said }
}

/// A configuration that says nothing, in place of the one of whoever runs the tests.
fn nothing(folder: &Path) -> PathBuf {
    let path = folder.join("nothing.toml");
    fs::write(&path, "").unwrap();
    path
}

/// A project in which nothing was run yet.
fn project() -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    let ran =
        Ran { project: folder.path().to_owned(), _folder: folder, run: String::new(), said: String::new() };
    assert_eq!(ran.command(&["init", "--example", "project"]).status.code(), Some(0));
    for entry in fs::read_dir(examples()).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, project.join(path.file_name().unwrap())).unwrap();
    }
    Ran { project, ..ran }
}

impl Ran {
    /// Runs the branches, and gives the lines of the run's journal.
    fn parallel(&self, run: &str, more: &[&str]) -> Vec<String> {
        let named = ["run", "x", "--issue", "bd-2", "--model", "scripted:parallel.toml", "--run-id", run];
        let output = self.command(&[&named[..], &["--workflow", "parallel.workflow.toml"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let journal =
            fs::read_to_string(self.project.join(format!(".premath/runs/{run}/journal.jsonl"))).unwrap();
        journal.split_inclusive('\n').map(ToOwned::to_owned).collect()
    }

    fn command(&self, arguments: &[&str]) -> Output {
        nothing(self.project.parent().unwrap());
        self.plain(arguments)
    }

    /// Under the configuration that is there.
    fn plain(&self, arguments: &[&str]) -> Output {
        Command::new(PROGRAM)
            .args(arguments)
            .env("PREMATH_CONFIG", self.project.parent().unwrap().join("nothing.toml"))
            .env("XDG_STATE_HOME", self._folder.path().join("state"))
            .current_dir(&self.project)
            .output()
            .unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.command(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The repository verifies, and so many runs in it come out the same again.
    fn is_sound(&self, runs: usize) {
        self.json(&["verify"]);
        let listing = self.json(&["runs", "list"]);
        let items = listing["items"].as_array().unwrap();
        assert_eq!(items.len(), runs, "{listing}");
        for row in items {
            assert_eq!(row["outcome"], "completed", "{row}");
            let replayed = self.json(&["replay", row["runId"].as_str().unwrap()]);
            assert_eq!(replayed["identical"], true, "{replayed}");
        }
    }

    fn status(&self, issue: &str) -> String {
        self.json(&["issue", "show", issue])["issue"]["status"].as_str().unwrap().to_owned()
    }

    /// A worker: a child of `parent`, added by a turn, taken and let go of on its parent's authority; its own session.
    fn is_worker(&self, issue: &str, parent: &str) {
        let history = self.json(&["issue", "history", issue]);
        let rows = history["items"].as_array().unwrap();
        let done: Vec<String> = rows
            .iter()
            .map(|row| format!("{} {}", row["wrote"].as_str().unwrap(), row["authority"].as_str().unwrap()))
            .collect();
        let begun = ["issue.add turn", "issue.claim lease", "issue.lease_release lease"];
        assert_eq!(done.get(..3).unwrap(), begun, "{issue}: {history}");
        let card = self.json(&["issue", "show", issue]);
        let edges = card["dependsOn"].as_array().unwrap();
        assert!(edges.iter().any(|edge| edge["id"] == parent && edge["type"] == "parent-child"), "{card}");

        let run = format!("{}.{issue}", self.run);
        let worker = self.project.join(".premath/workers").join(&run);
        let session: Value =
            serde_json::from_slice(&fs::read(worker.join("harness_session.json")).unwrap()).unwrap();
        assert_eq!((&session["sessionId"], &session["state"]), (&run.as_str().into(), &"stopped".into()));
        assert_eq!(session["issueId"], issue);
        let shown = self.json(&["runs", "show", &run]);
        assert_eq!(shown["run"]["parentRunId"], self.run.as_str(), "{shown}");
    }

    fn tools(&self) -> Vec<Vec<String>> {
        let shown = self.json(&["runs", "show", &self.run]);
        let names = |turn: &Value| {
            let tools = turn["tools"].as_array().into_iter().flatten();
            tools.map(|tool| tool.as_str().unwrap().to_owned()).collect()
        };
        shown["turns"].as_array().unwrap().iter().map(names).collect()
    }
}

/// Seed: 001 §6/4, 001 §3/6
#[test]
fn single_files_an_issue_through_the_gate_in_one_turn() {
    let ran = example("single");
    ran.is_sound(1);
    assert_eq!(ran.tools(), [["issue_add"]]);
    assert_eq!(ran.status("bd-7"), "open");
}

#[test]
fn chain_asks_a_prompt_after_the_other() {
    let ran = example("chain");
    ran.is_sound(1);
    assert_eq!(ran.tools().len(), 4);
    assert!(ran.said.contains("never looks at its first argument"), "{}", ran.said);
}

#[test]
fn route_goes_where_the_first_turn_chose() {
    let ran = example("route");
    ran.is_sound(1);
    assert_eq!(ran.tools(), [vec!["choose_route".to_owned()], vec!["fs_search".to_owned()], Vec::new()]);
}

/// Seed: 001 §4.5/3, 001 §4.5/5, 002 §4/3, 001 §8/17
#[test]
fn parallel_runs_every_branch_as_a_worker_and_joins_them() {
    let ran = example("parallel");
    ran.is_sound(3);
    ran.is_worker("bd-7", "bd-2");
    ran.is_worker("bd-8", "bd-2");
    assert_eq!(ran.tools(), [vec!["spawn_worker".to_owned(); 2], Vec::new()]);
    assert!(ran.said.contains("turn 1 · the harness begins the branches"), "{}", ran.said);
    assert_eq!(ran.json(&["runs", "list", "--issue", "bd-7"])["count"], 1);
    let exported = ran.project.join("exported.jsonl");
    ran.json(&["runs", "export", &ran.run, "--output", "exported.jsonl"]);
    let journal = ran.project.join(".premath/runs").join(&ran.run).join("journal.jsonl");
    assert_eq!(fs::read(exported).unwrap(), fs::read(journal).unwrap(), "byte for byte");
    // The turns of workers are not those of the run.
    assert!(ran.said.contains("\nturn 2\n") && !ran.said.contains("\nturn 3"), "{}", ran.said);
}

/// Seed: 001 §3/22, 001 §3/23, 001 §4.6/7, 002 §4/3, 001 §8/17, 001 §6/2
#[test]
fn an_orchestrator_spawns_workers_and_closes_their_issues() {
    let ran = example("orchestrator_workers");
    ran.is_sound(3);
    for issue in ["bd-7", "bd-8"] {
        ran.is_worker(issue, "bd-2");
        assert_eq!(ran.status(issue), "closed");
    }
}

#[test]
fn what_a_command_refuses_is_made_again_until_it_passes() {
    let ran = example("evaluator_optimizer");
    ran.is_sound(1);
    let judged = ran.tools().iter().filter(|tools| *tools == &["shell"]).count();
    assert_eq!(judged, 2, "{}", ran.said);
    assert!(fs::read_to_string(ran.project.join("greet.sh")).unwrap().contains("${1:-world}"));
}

#[test]
fn a_model_judges_as_a_worker_that_changes_nothing() {
    let ran = example("evaluator_model");
    ran.is_sound(2);
    ran.is_worker("bd-7", "bd-2");
    let shown = ran.json(&["runs", "export", "the-run.bd-7"]);
    let config = &shown["items"][0]["event"]["config"];
    assert_eq!(config["profile"], "read-only", "{config}");
    let names: Vec<&str> =
        config["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"give_verdict") && names.contains(&"shell"), "{names:?}");
    assert!(!names.contains(&"apply_patch") && !names.contains(&"issue_add"), "{names:?}");
}

/// Seed: 003 §3/1
#[test]
fn nobody_judges_their_own_work_and_nothing_is_begun_for_it() {
    let ran = example("evaluator_model");
    let before = ran.json(&["issue", "history", "bd-2"]);
    for workflow in ["evaluator_model.workflow.toml", "./evaluator_model.workflow.toml"] {
        let producer = "scripted:evaluator_model-judge.toml";
        let output =
            ran.command(&["run", "x", "--issue", "bd-2", "--workflow", workflow, "--model", producer]);
        assert_eq!(output.status.code(), Some(2));
        let said = text(&output.stderr);
        assert!(
            said.contains("would judge its own work") && said.contains("$.workflow.evaluator.model"),
            "{said}"
        );
    }
    assert_eq!(ran.json(&["issue", "history", "bd-2"]), before, "the issue was not taken");
    assert_eq!(ran.json(&["runs", "list"])["count"], 2);
}

/// Seed: 001 §3/24
#[test]
fn a_worker_has_no_more_scopes_than_its_parent() {
    let ran = example("orchestrator_workers");
    let output = ran.command(&[
        "run",
        "look",
        "--issue",
        "bd-2",
        "--workflow",
        "parallel.workflow.toml",
        "--model",
        "scripted:parallel.toml",
        "--run-id",
        "narrow",
        "--scope",
        "files:read",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let rows = ran.json(&["runs", "export", "narrow.bd-9"]);
    let tools = rows["items"][0]["event"]["config"]["tools"].as_array().unwrap().clone();
    assert!(tools.iter().all(|tool| tool["scope"] == "files:read"), "{tools:?}");
    assert!(!tools.is_empty());
}

#[test]
fn a_run_that_stopped_before_it_was_judged_is_judged_when_it_goes_on() {
    let ran = project();
    let workflow = ["--workflow", "evaluator_optimizer.workflow.toml"];
    let started =
        ["run", "x", "--model", "scripted:evaluator_optimizer.toml", "--run-id", "later", "--max-turns", "2"];
    assert_eq!(ran.command(&[&started[..], &workflow].concat()).status.code(), Some(1));
    let output = ran.command(&["resume", "later", "--max-turns", "20"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("turn 3 · the harness has it judged") && !said.contains("interrupted"), "{said}");
    assert_eq!(ran.json(&["replay", "later"])["identical"], true);
}

#[test]
fn branches_that_were_not_begun_are_begun_when_the_run_goes_on() {
    let ran = project();
    let mut journal = ran.parallel("cut", &[]);
    // As if the process had died when the branches were about to be asked for.
    journal.truncate(2);
    let path = ran.project.join(".premath/runs/cut/journal.jsonl");
    fs::write(&path, journal.concat()).unwrap();
    // Nobody but a person vouches for a journal that was cut.
    assert_eq!(ran.command(&["resume", "cut"]).status.code(), Some(4));
    let trusted = ran.command(&["trust", "--runs", "cut", "--reason", "cut by this test"]);
    assert_eq!(trusted.status.code(), Some(0), "{}{}", text(&trusted.stdout), text(&trusted.stderr));
    let output = ran.command(&["resume", "cut"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(ran.json(&["runs", "show", "cut"])["workers"].as_array().unwrap().len(), 2);
}

#[test]
fn a_workflow_that_its_limits_do_not_allow_does_not_begin() {
    let ran = project();
    for (flags, person, said) in [
        (&["--max-workers", "1"][..], "", "more workers than the limit of workers allows"),
        (&[][..], "loop.max_depth = 0\n", "workers, which the limit of depth does not allow"),
    ] {
        fs::write(ran.project.parent().unwrap().join("nothing.toml"), person).unwrap();
        let more = ["run", "x", "--issue", "bd-2", "--model", "scripted:parallel.toml"];
        let workflow = ["--workflow", "parallel.workflow.toml"];
        let output = ran.plain(&[&more[..], &workflow, flags].concat());
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }
}
