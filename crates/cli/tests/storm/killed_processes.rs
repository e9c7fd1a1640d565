//! Runs of the command itself, ended with `kill -9` in the middle, over sockets and with a real sandbox.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use premath_testkit::faulty_disk::Seeded;
use serde_json::Value;
use tempfile::TempDir;

use crate::proxy::Proxy;
use crate::{runs, scene};

pub(crate) const PROTOCOLS: [&str; 3] = ["anthropic-messages", "openai-responses", "openai-chat"];
/// A process later it is over, or the scenario has no answer left.
const MOST_PROCESSES: usize = 12;

/// A repository whose model is behind a reader.
pub(crate) fn repository(proxy: &Proxy, protocol: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let ran = premath(folder.path(), &["init"]).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let settings = format!(
        "[models.providers.storm]\nprotocol = \"{protocol}\"\nbase_url = \"{}\"\n[models.timeouts]\nidle = 1\n",
        proxy.url
    );
    std::fs::write(folder.path().join("premath.toml"), settings).unwrap();
    std::fs::write(folder.path().join("a.txt"), "one\ntwo\n").unwrap();
    folder
}

/// The command in a folder.
pub(crate) fn premath(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_premath"));
    command.env_clear().env("PATH", "/usr/bin:/bin").current_dir(folder).args(arguments).stdin(Stdio::null());
    command.env("XDG_STATE_HOME", folder.with_extension("state"));
    command
}

/// Runs the command, and ends it behind so many lines; what it said.
fn until(mut command: Command, lines: Option<usize>) -> Vec<Value> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut said = Vec::new();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    for line in stdout.lines() {
        said.push(serde_json::from_str(&line.unwrap()).unwrap());
        if Some(said.len()) == lines {
            child.kill().unwrap();
            break;
        }
    }
    child.wait().unwrap();
    said
}

fn outcome(said: &[Value]) -> Option<&str> {
    said.last()?.get("outcome")?.as_str()
}

#[test]
fn a_run_that_is_killed_and_resumed_says_everything_once_and_does_everything_once() {
    let mut endings: BTreeMap<String, u64> = BTreeMap::new();
    let (mut requests, mut effects, mut processes) = (0, 0, 0);
    for number in 0..runs(9, 60) {
        let mut seed = Seeded::new(number + 10_000);
        let scenario = scene::scenario(&mut seed);
        let proxy = Proxy::new(&scenario);
        let folder = repository(&proxy, PROTOCOLS[seed.below(3)]);
        let mut ending = String::new();
        for process in 0..MOST_PROCESSES {
            processes += 1;
            let lines = (process < 4 && seed.below(3) > 0).then(|| seed.below(30) + 1);
            let is_begun = folder
                .path()
                .join(".premath/runs/storm/journal.jsonl")
                .metadata()
                .is_ok_and(|file| file.len() > 0);
            let arguments: &[&str] = if is_begun {
                &["resume", "storm", "--json"]
            } else {
                &["run", "weather it", "--model", "storm:model", "--run-id", "storm", "--json"]
            };
            // Cooling down is tested elsewhere, and takes its time.
            drop(std::fs::remove_file(folder.path().join(".premath/model_circuits.json")));
            let said = until(premath(folder.path(), arguments), lines);
            match outcome(&said) {
                Some(token @ ("completed" | "failed_closed")) => {
                    token.clone_into(&mut ending);
                    break;
                }
                Some(token) => token.clone_into(&mut ending),
                // Killed when all was written: the next process finds that it is over.
                None if is_begun && said.is_empty() && lines.is_none() => break,
                None => {}
            }
        }
        *endings.entry(ending).or_default() += 1;
        requests += proxy.seen.lock().unwrap().requests;
        effects += judge(number, &scenario, folder.path(), &proxy);
    }
    println!("{requests} requests, {effects} effects, {processes} processes, endings {endings:?}");
    assert!(requests > 0 && effects > 0, "nothing happened");
}

/// What must hold whatever happened; how many effects there were.
fn judge(number: u64, scenario: &str, folder: &Path, proxy: &Proxy) -> usize {
    let seen = proxy.seen.lock().unwrap();
    assert!(seen.wrong.is_empty(), "seed {number}: {:?}\n{scenario}", seen.wrong);
    let effects = std::fs::read_to_string(folder.join("effects.log")).unwrap_or_default();
    let mut once: Vec<&str> = effects.lines().collect();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), effects.lines().count(), "seed {number}: twice: {effects}\n{scenario}");
    for arguments in [&["verify"][..], &["replay", "storm"]] {
        let ran = premath(folder, arguments).output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "seed {number}: {arguments:?}: {ran:?}\n{scenario}");
    }
    once.len()
}

#[test]
fn a_kill_in_the_middle_of_a_tool_leaves_its_effect_once_and_the_turn_interrupted() {
    let slow = "name = \"slow\"\n[[turn]]\ntext = \"I note it.\"\n[[turn.call]]\nid = \"slow_note\"\ntool = \"shell\"\n\
        arguments = { command = \"echo slow_note >> effects.log; sleep 30\", workdir = \".\" }\n\
        [[turn]]\ntext = \"I look first.\"\nexpect = { tool_result = [{ id = \"slow_note\", contains = \"interrupted\" }] }\n\
        [[turn.call]]\nid = \"look\"\ntool = \"fs_read\"\narguments = { path = \"effects.log\" }\n\
        [[turn]]\ntext = \"It was noted once.\"\nexpect = { tool_result = [{ id = \"look\", contains = \"slow_note\" }] }\n";
    for protocol in PROTOCOLS {
        let proxy = Proxy::new(slow);
        let folder = repository(&proxy, protocol);
        let mut child = premath(
            folder.path(),
            &["run", "note it", "--model", "storm:model", "--run-id", "storm", "--json"],
        )
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
        // The shell makes the file a moment before it writes to it.
        let is_noted = || std::fs::read(folder.path().join("effects.log")).is_ok_and(|text| !text.is_empty());
        while !is_noted() {
            assert!(child.try_wait().unwrap().is_none(), "it ended before its tool did");
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let ran = premath(folder.path(), &["resume", "storm", "--json"]).output().unwrap();
        assert_eq!(ran.status.code(), Some(0), "{protocol}: {ran:?}");
        let text = std::fs::read_to_string(folder.path().join("effects.log")).unwrap();
        assert_eq!(text, "slow_note\n", "{protocol}");
        let shown = premath(folder.path(), &["turn", "show", "storm.t0001", "--json"]).output().unwrap();
        let card: Value = serde_json::from_slice(&shown.stdout).unwrap();
        assert_eq!(card["verdict"], "closed", "{card:#}");
        assert!(card.to_string().contains("interrupted"), "{card:#}");
        judge(0, slow, folder.path(), &proxy);
    }
}
