//! `[loop]` of the configuration, in runs: the command line over the file over the default, and the turns of a workflow.

#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "what is not there fails the test")]

mod folder;

use folder::{Folder, Ran};
use serde_json::Value;

/// A model that reads line after line and then is done: one turn more than it reads lines.
fn reads(lines: usize) -> String {
    let mut scenario = "name = \"reads\"\n".to_owned();
    for line in 1..=lines {
        let call =
            format!("tool = \"fs_read\"\narguments = {{ path = \"a.txt\", offset = {line}, limit = 1 }}\n");
        scenario.push_str(&format!("[[turn]]\n[[turn.call]]\nid = \"read_{line}\"\n{call}"));
    }
    scenario.push_str("[[turn]]\ntext = \"read\"\n");
    scenario
}

fn project(lines: usize, person: &str, repository: &str) -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder.write("a.txt", "line\n".repeat(lines + 1));
    folder.write("reads.toml", reads(lines));
    folder.write("mine.toml", person);
    folder.write("premath.toml", repository);
    folder
}

fn run(folder: &Folder, more: &[&str]) -> Ran {
    let arguments = [&["run", "read", "--model", "scripted:reads.toml", "--json"], more].concat();
    let output = folder.command(&arguments).env("PREMATH_CONFIG", "mine.toml").output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn answer(ran: &Ran) -> Value {
    serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap()
}

fn config_of(folder: &Folder, run: &str) -> Value {
    folder.json(&["runs", "export", run]).1["items"][0]["event"]["config"].clone()
}

#[test]
fn a_flag_counts_more_than_a_file_and_a_file_more_than_the_default() {
    let folder = project(
        4,
        "loop.max_turns = 4\nloop.parallel = 2\n",
        "loop.max_turns = 3\nloop.result_bytes = 4096\n",
    );
    let ran = run(&folder, &["--run-id", "file"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!((answer(&ran)["outcome"].clone(), answer(&ran)["turns"].clone()), ("limit".into(), 3.into()));
    let ran = run(&folder, &["--run-id", "flag", "--max-turns", "9", "--profile", "read-only"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let config = config_of(&folder, "flag");
    assert_eq!(config["limits"]["turns"], 9);
    assert_eq!((&config["limits"]["parallel"], &config["limits"]["tokens"]), (&2.into(), &4_000_000.into()));
    assert_eq!((&config["context"]["resultBytes"], &config["profile"]), (&4096.into(), &"read-only".into()));
}

#[test]
fn scopes_and_checkpoints_of_a_file_hold() {
    let person = "loop.scopes = [\"files:read\"]\nloop.checkpoint_before = [\"fs_read\"]\n";
    let folder = project(1, person, "");
    let ran = run(&folder, &["--run-id", "asked"]);
    assert_eq!(ran.code, Some(3), "nobody is there to be asked: {ran:?}");
    let tools = config_of(&folder, "asked")["tools"].clone();
    assert!(tools.as_array().unwrap().iter().all(|tool| tool["scope"] == "files:read"), "{tools}");
}

/// Seed: 001 §3/1, 001 §8/8
#[test]
fn an_empty_list_of_scopes_grants_none_in_a_file_and_by_flag() {
    let assert_none_granted = |config: serde_json::Value| {
        for tool in config["tools"].as_array().unwrap() {
            let scope = tool["scope"].as_str().unwrap();
            assert!(!scope.starts_with("files:") && scope != "process:run", "{tool}");
        }
    };
    let folder = project(1, "loop.scopes = []\n", "");
    run(&folder, &["--run-id", "by-file"]);
    assert_none_granted(config_of(&folder, "by-file"));
    let folder = project(1, "", "");
    run(&folder, &["--run-id", "by-flag", "--scope", "none"]);
    assert_none_granted(config_of(&folder, "by-flag"));
}

#[test]
fn a_workflow_ends_at_its_turns_unless_a_measured_reason_is_given() {
    let folder = project(61, "loop.max_turns = 100\n", "");
    let ran = run(&folder, &["--run-id", "plain"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let answered = answer(&ran);
    assert_eq!((&answered["outcome"], &answered["turns"]), (&"limit".into(), &60.into()));
    assert!(answered["detail"].as_str().unwrap().contains("workflowTurns"), "{answered}");
    assert_eq!(folder.json(&["replay", "plain"]).1["identical"], true);

    folder.write(
        "mine.toml",
        "[loop]\nmax_turns = 100\nautonomous = { trigger = \"reading takes 61 turns\" }\n",
    );
    let ran = run(&folder, &["--run-id", "measured"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(answer(&ran)["turns"], 62);
    assert_eq!(config_of(&folder, "measured")["autonomy"], "reading takes 61 turns");
}

#[test]
fn a_file_that_cannot_be_keeps_a_run_from_beginning() {
    for (person, repository, said) in [
        ("", "[loop]\nmax_turns = 61\n", "a repository can lower a limit and not raise it"),
        ("", "[loop]\nmax_turn = 5\n", "there is no such key"),
        (
            "loop.profile = \"read-only\"\n",
            "[loop]\nprofile = \"network\"\n",
            "cannot let commands reach further",
        ),
    ] {
        let folder = project(1, person, repository);
        let ran = run(&folder, &[]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains(said) && ran.stderr.contains("(premath.toml, line 2)"), "{}", ran.stderr);
        assert!(!folder.path().join(".premath/runs").exists());
    }
}

#[test]
fn the_configuration_shows_what_a_run_may_use_and_who_said_so() {
    let folder = project(1, "", "[loop]\nmax_minutes = 5\nmax_cost_usd = \"0.50\"\n");
    let (_, shown) = folder.json(&["config", "show"]);
    let rows = shown["items"].as_array().unwrap();
    let row = |key: &str| rows.iter().find(|row| row["key"] == key).unwrap().clone();
    assert_eq!(
        (&row("loop.max_minutes")["value"], &row("loop.max_minutes")["place"]),
        (&"5".into(), &"premath.toml:2".into())
    );
    assert_eq!(row("loop.max_cost_usd")["value"], "0.50");
    assert_eq!(
        (&row("loop.max_turns")["value"], &row("loop.max_turns")["layer"]),
        (&"60".into(), &"default".into())
    );
    assert_eq!(rows.iter().filter(|row| row["key"].as_str().unwrap().starts_with("loop.")).count(), 28);
}
