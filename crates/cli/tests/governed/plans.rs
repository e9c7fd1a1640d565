//! Plans: one card, one yes, every step once, also when whoever carries it out is killed in the middle, and all of it can be
//! taken back.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::{NamedTempFile, TempDir};

use crate::held_plans::change;
use crate::room::{PROGRAM, Room};
use crate::terminal::{PROMPT, Terminal};

const NAMES: [&str; 3] = ["a.md", "b.md", "c.md"];

fn steps(proposal: &Value) -> Vec<String> {
    let steps = proposal["proposal"]["steps"].as_array().unwrap();
    steps.iter().map(|step| step["state"].as_str().unwrap_or("open").to_owned()).collect()
}

/// Seed: 003 §5/5, 003 §4/1, 003 §5/4
#[test]
fn three_deletes_are_one_plan_one_yes_and_three_undos_that_work_after_a_restart() {
    let room = Room::new(&NAMES, "");
    let ran = room.begin("three", &room.planning());
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(ran.stdout.matches("a plan of 3 steps needs you").count(), 1, "one card: {}", ran.stdout);
    for name in NAMES {
        assert!(ran.stdout.contains(&format!("desk_delete_file {name}\n")), "{name}: {}", ran.stdout);
    }
    assert!(room.pending("approvals").is_empty(), "nobody is asked three times");
    assert!(room.deleted().is_empty());
    let id = room.only("proposals");
    let shown = room.json(&["proposals", "show", &id]);
    let done = room.json(&["proposals", "approve", &id]);
    assert_eq!(done["proposal"]["state"], "executed");
    assert_eq!(done["proposal"]["planDigest"], shown["proposal"]["planDigest"], "what was shown ran");
    assert_eq!(steps(&done), ["ok", "ok", "ok"]);
    assert_eq!(room.deleted().len(), 3);
    room.done(&["resume", "three"]);
    for name in NAMES {
        room.done(&["desk", "restore", name]);
        assert_eq!(room.json(&["desk", "show", name])["content"], format!("this is {name}\n"));
    }
    assert!(room.deleted().is_empty());
    room.is_sound(&["three", &id]);
}

#[test]
fn at_a_terminal_one_card_and_one_yes_carry_out_a_plan() {
    for (line, deleted) in [("y\n", 3), ("n not now\n", 0)] {
        let room = Room::new(&NAMES, "");
        let turns = room.planning();
        room.write("scene-three.toml", &format!("name = \"scene\"\n{turns}[[turn]]\ntext = \"Done.\"\n"));
        let run = ["run", "tidy up", "--desk", "--model", "scripted:scene-three.toml", "--run-id", "three"];
        let mut terminal = Terminal::start(&room, &run);
        terminal.shows("carry it out?");
        terminal.shows(PROMPT);
        terminal.types("what?\n");
        assert!(terminal.shows(PROMPT).contains("nothing is decided"));
        terminal.types(line);
        let (code, screen) = (terminal.ends(), terminal.text());
        assert_eq!(code, Some(0), "{screen}");
        assert_eq!(screen.matches("a plan of 3 steps needs you").count(), 1, "{screen}");
        assert!(NAMES.iter().all(|name| screen.contains(name)), "{screen}");
        assert_eq!(room.deleted().len(), deleted, "{line}: {screen}");
        room.is_sound(&["three"]);
    }
}

/// Seed: 003 §4/1
#[test]
fn three_deletes_in_one_turn_are_none() {
    let room = Room::new(&NAMES, "");
    let calls = room
        .files
        .iter()
        .map(|id| format!("[[turn.call]]\ntool = \"desk_delete_file\"\narguments = {{ id = \"{id}\" }}\n"));
    let turn = format!("[[turn]]\ntext = \"All of them.\"\n{}", calls.collect::<String>());
    let told = room.work("batch", &turn, &["--desk", "--json"]).stdout;
    let judged: Vec<Value> = told
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|event| event["event"] == "call.judged")
        .collect();
    assert_eq!(judged.len(), 3, "{told}");
    assert!(judged.iter().all(|event| event["effect"] == "deny"), "nobody is asked: {judged:?}");
    let rows = room.audit(&["--run", "batch", "--kind", "decision"]);
    assert_eq!(rows.len(), 3, "{rows:?}");
    for row in rows {
        assert_eq!((row["effect"].as_str(), row["policyName"].as_str()), (Some("deny"), Some("plan-first")));
        assert_eq!(row["reason"], "one turn would destroy 3 things");
    }
    room.is_sound(&["batch"]);
    assert!(room.pending("approvals").is_empty(), "nobody is shown a third of it");
    assert!(room.deleted().is_empty());
    let results = room.results("batch");
    assert_eq!(results.len(), 3, "{results:?}");
    for result in results {
        assert_eq!(result["errorCode"], "policy_requires_approval");
        assert!(result["message"].as_str().unwrap().contains("desk_propose_plan"), "{result}");
    }
}

#[test]
fn a_rejected_plan_does_nothing_and_stays_rejected() {
    let room = Room::new(&NAMES, "");
    assert_eq!(room.begin("three", &room.planning()).code, Some(3));
    let id = room.only("proposals");
    room.done(&["proposals", "reject", &id, "--message", "keep them"]);
    assert_eq!(room.refused(&["proposals", "approve", &id]), "proposal_rejected");
    room.done(&["resume", "three"]);
    assert!(room.deleted().is_empty());
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A repository as it is now, with what the clone knows of its logs.
fn save(room: &Room) -> TempDir {
    let saved = TempDir::new().unwrap();
    copy(&room.path().join(".premath"), &saved.path().join("repository"));
    copy(&room.state(), &saved.path().join("state"));
    saved
}

/// Puts both back to what was saved: the same clone at an earlier time, not a log that somebody shortened.
fn reset(saved: &TempDir, room: &Room) {
    for (name, place) in [("repository", room.path().join(".premath")), ("state", room.state())] {
        std::fs::remove_dir_all(&place).unwrap();
        copy(&saved.path().join(name), &place);
    }
}

/// Whether a program is there; where everything must run, it has to be.
fn is_there(program: &str) -> bool {
    let probed = Command::new(program).arg("-V").output();
    let is_there = probed.is_ok_and(|output| output.status.success());
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(is_there || !is_ci, "`{program}` is not installed");
    is_there
}

/// Approves a plan under strace, with more options of it.
fn traced(room: &Room, id: &str, options: &[&str]) -> String {
    let log = NamedTempFile::new().unwrap();
    let mut strace = Command::new("strace");
    room.settle(&mut strace);
    strace.args(["-f", "-y", "-e", "trace=fsync", "-o"]).arg(log.path()).args(options);
    strace.args([PROGRAM, "proposals", "approve", id, "--json"]).output().unwrap();
    std::fs::read_to_string(log.path()).unwrap()
}

/// Which syncs of a run are of the desk: the n-th of its thread.
fn syncs(log: &str) -> Vec<usize> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found = Vec::new();
    for line in log.lines().filter(|line| line.contains(" fsync(")) {
        let nth = counts.entry(line.split_once(' ').unwrap().0).or_default();
        *nth += 1;
        if line.contains("/desk.db-wal>") {
            found.push(*nth);
        }
    }
    found
}

#[test]
fn a_plan_that_is_killed_in_the_middle_is_gone_on_with_and_every_step_is_done_once() {
    if !is_there("strace") {
        return;
    }
    let room = Room::new(&NAMES, "");
    assert_eq!(room.begin("three", &room.planning()).code, Some(3));
    let id = room.only("proposals");
    let saved = save(&room);
    let points = syncs(&traced(&room, &id, &[]));
    assert_eq!(room.deleted().len(), 3, "nobody disturbed it");
    let mut cut = BTreeMap::new();
    for point in points {
        reset(&saved, &room);
        let inject = format!("inject=fsync:signal=KILL:when={point}");
        traced(&room, &id, &["-e", &inject]);
        let left = room.deleted().len();
        let state = room.json(&["proposals", "show", &id])["proposal"]["state"].as_str().unwrap().to_owned();
        *cut.entry((state.clone(), left)).or_insert(0) += 1;
        let verb = if state == "pending" { "approve" } else { "resume" };
        let (code, done) = room.ended(&["proposals", verb, &id]);
        assert_eq!(code, Some(0), "cut at sync {point}, {state}: {done}");
        assert_eq!(done["proposal"]["state"], "executed", "cut at sync {point}: {done}");
        assert_eq!(steps(&done), ["ok", "ok", "ok"], "cut at sync {point}");
        assert_once(&room, point);
        room.done(&["resume", "three"]);
        room.is_sound(&["three", &id]);
    }
    let middle = cut.keys().filter(|(state, left)| state == "executing" && (1..=2).contains(left)).count();
    assert!(middle >= 2, "none of them was in the middle: {cut:?}");
}

#[test]
fn a_plan_that_was_cut_off_goes_on_only_with_what_was_shown() {
    if !is_there("strace") {
        return;
    }
    let room = Room::new(&NAMES, "");
    assert_eq!(room.begin("three", &room.planning()).code, Some(3));
    let id = room.only("proposals");
    let saved = save(&room);
    let points = syncs(&traced(&room, &id, &[]));
    let cut = points.into_iter().find(|point| {
        reset(&saved, &room);
        traced(&room, &id, &["-e", &format!("inject=fsync:signal=KILL:when={point}")]);
        room.deleted() == ["a.md"]
    });
    assert!(cut.is_some(), "none of them was behind the first step");
    let rename = format!("file_id = \"{}\", name = \"important-b.md\"", room.files[1]);
    change(&room, "other", "desk_rename_file", &rename);
    let (code, done) = room.ended(&["proposals", "resume", &id]);
    assert_eq!((code, done["proposal"]["state"].as_str()), (Some(1), Some("failed")), "{done}");
    assert_eq!(steps(&done), ["ok", "failed", "skipped"], "{done}");
    let why = done["proposal"]["steps"][1]["detail"].as_str().unwrap();
    assert!(why.starts_with("plan_stale: "), "{why}");
    assert_eq!(room.deleted(), ["a.md"]);
    room.is_sound(&["three", "other", &id]);
}

/// Every file was deleted once: its history and the audit have one change each.
#[track_caller]
fn assert_once(room: &Room, point: usize) {
    assert_eq!(room.deleted().len(), 3, "cut at sync {point}");
    for id in &room.files {
        let history = room.items(&["desk", "history", id]);
        let actions: Vec<_> = history.iter().map(|version| version["changedBy"].clone()).collect();
        assert_eq!(
            actions,
            [json!("desk.create_markdown"), json!("desk.delete_file")],
            "cut at sync {point}: {history:?}"
        );
    }
    let told = room.audit(&["--kind", "mutation", "--tool", "desk.delete_file"]);
    assert_eq!(told.len(), 3, "cut at sync {point}: {told:?}");
}

#[test]
fn a_plan_that_several_approve_at_once_is_carried_out_once() {
    let room = Room::new(&NAMES, "");
    assert_eq!(room.begin("three", &room.planning()).code, Some(3));
    let id = room.only("proposals");
    let children: Vec<_> = (0..3)
        .map(|_| {
            let mut command = room.command(&["proposals", "approve", &id, "--json"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let ended: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    let executed = ended.iter().filter(|output| output.status.success()).count();
    assert_eq!(executed, 1, "{ended:?}");
    assert_eq!(room.json(&["proposals", "show", &id])["proposal"]["state"], "executed");
    assert_once(&room, 0);
    assert_eq!(room.audit(&["--kind", "proposal", "--effect", "approved"]).len(), 1);
    room.is_sound(&["three", &id]);
}
