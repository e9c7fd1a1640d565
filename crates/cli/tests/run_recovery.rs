//! Going on after a process died: what was asked for is done, nothing is done twice, nobody else's issue is touched.

#![expect(clippy::disallowed_methods, reason = "the tests look at the files the command leaves")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod folder;

use std::path::Path;
use std::process::{Child, Command, Stdio};

use folder::{Folder, Ran};
use serde_json::Value;

const WAIT: &str = "[[turn.call]]\ntool = \"shell\"\n\
    arguments = { command = \"touch begun; while [ ! -e go ]; do sleep 0.02; done\", workdir = \".\" }\n";
const CLOSE: &str = "[[turn.call]]\ntool = \"shell\"\narguments = { command = \"test -e a.txt\", workdir = \".\" }\n\
    [[turn.call]]\ntool = \"issue_update\"\narguments = { id = \"bd-1\", status = \"closed\" }\n";
const READ: &str = "[[turn.call]]\ntool = \"fs_read\"\narguments = { path = \"big.txt\" }\n";

fn scene(turns: &[&str]) -> String {
    let turns = turns.iter().map(|calls| format!("[[turn]]\ntext = \"now\"\n{calls}"));
    format!("name = \"scene\"\n{}", turns.collect::<String>())
}

fn repository(turns: &[&str]) -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    let verified = ["--description", "Verification: test -e a.txt"];
    assert_eq!(
        folder.run(&[&["issue", "add", "work", "--id", "bd-1"][..], &verified].concat()).code,
        Some(0)
    );
    folder.write("scene.toml", scene(turns));
    folder.write("a.txt", "one\n");
    folder
}

const RUN: [&str; 8] =
    ["run", "do it", "--model", "scripted:scene.toml", "--run-id", "one", "--issue", "bd-1"];

/// The command in a process of its own, until its first call waits.
fn begin(folder: &Folder, arguments: &[&str]) -> Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_premath"))
        .env_clear()
        .env("XDG_STATE_HOME", folder.state())
        .env("PATH", "/usr/bin:/bin")
        .current_dir(folder.path())
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !folder.path().join("begun").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it waited");
        std::thread::yield_now();
    }
    child
}

fn kill(mut child: Child, folder: &Folder) {
    child.kill().unwrap();
    child.wait().unwrap();
    folder.write("go", "");
}

fn status(folder: &Folder, issue: &str) -> Value {
    let (_, shown) = folder.json(&["issue", "show", issue]);
    shown.pointer("/issue/status").unwrap().clone()
}

fn last(ran: &Ran) -> Value {
    serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap()
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

#[test]
fn a_change_that_a_closed_turn_asked_for_is_made_when_the_process_died_before_it() {
    let folder = repository(&[WAIT, CLOSE, ""]);
    let mut child = begin(&folder, &RUN);
    let (kept, saved) = (folder.path().join(".premath"), folder.path().join("saved"));
    copy(&kept, &saved);
    folder.write("go", "");
    assert!(child.wait().unwrap().success());
    // The store as it was while the run held its issue, and the journal until the turn was closed.
    let journal = kept.join("runs/one/journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    let rows: Vec<&str> = text.lines().collect();
    let closed = rows.iter().rposition(|row| row.contains("\"turn.applied\"")).unwrap();
    let cut: String = rows.iter().take(closed).map(|row| format!("{row}\n")).collect();
    std::fs::remove_dir_all(&kept).unwrap();
    copy(&saved, &kept);
    std::fs::write(&journal, cut).unwrap();
    assert_eq!(status(&folder, "bd-1"), "in_progress");
    // What was rolled back is not gone on with until a person answers for it.
    assert_eq!(folder.run(&["resume", "one"]).code, Some(4));
    let trusted = folder.run(&["trust", "--all", "--reason", "rolled back by this test"]);
    assert_eq!(trusted.code, Some(0), "{trusted:?}");
    let ran = folder.run(&["resume", "one", "--json"]);
    assert_eq!((ran.code, &last(&ran)["applied"]), (Some(0), &Value::from(1)), "{ran:?}");
    assert_eq!(status(&folder, "bd-1"), "closed");
    assert_eq!(folder.run(&["replay", "one"]).code, Some(0));
}

#[test]
fn an_issue_that_somebody_else_closed_is_not_gone_on_with() {
    let folder = repository(&[WAIT, ""]);
    kill(begin(&folder, &RUN), &folder);
    assert_eq!(folder.run(&["issue", "update", "bd-1", "--status", "closed"]).code, Some(0));
    let ran = folder.run(&["resume", "one", "--json"]);
    assert_eq!(
        (ran.code, &last(&ran)["refused"]["class"]),
        (Some(1), &Value::from("lease_issue_closed")),
        "{ran:?}"
    );
}

#[test]
fn an_issue_that_the_run_closed_itself_lets_it_say_its_last_word() {
    let folder = repository(&[CLOSE, WAIT, ""]);
    kill(begin(&folder, &RUN), &folder);
    assert_eq!(status(&folder, "bd-1"), "closed");
    let ran = folder.run(&["resume", "one", "--json"]);
    assert_eq!((ran.code, &last(&ran)["outcome"]), (Some(0), &Value::from("completed")), "{ran:?}");
}

#[test]
fn limits_are_taken_or_refused_and_never_passed_over() {
    let folder = repository(&[WAIT, ""]);
    kill(begin(&folder, &RUN), &folder);
    let ran = folder.run(&["resume", "one", "--max-turns", "9"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("without limits"), "{ran:?}");
    assert_eq!(folder.run(&["resume", "one"]).code, Some(0));
    for (flag, value, member) in [
        ("--max-workers", "5", "\"workers\":5"),
        ("--checkpoint-every", "7", "\"checkpointEvery\":7"),
        ("--checkpoint-before", "shell", "\"checkpointBefore\":[\"shell\"]"),
    ] {
        let folder = repository(&[&READ.replace("big", "a"), ""]);
        assert_eq!(folder.run(&[&RUN[..], &["--max-turns", "1"]].concat()).code, Some(1));
        folder.run(&["resume", "one", flag, value]);
        let journal = std::fs::read_to_string(folder.path().join(".premath/runs/one/journal.jsonl")).unwrap();
        let resumed = journal.lines().find(|row| row.contains("\"run.resumed\"")).unwrap();
        assert!(resumed.contains(member), "{flag}: {resumed}");
    }
}

#[test]
fn a_session_that_a_run_was_handed_over_to_goes_on_under_the_lease_of_the_first() {
    let folder = repository(&[READ, "", ""]);
    folder.write("big.txt", "much\n".repeat(3_000));
    let full = [&RUN[..], &["--context-tokens", "5000", "--max-turns", "4"]].concat();
    let ran = folder.run(&[&full[..], &["--json"]].concat());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let newest = last(&ran)["runId"].as_str().unwrap().to_owned();
    assert!(newest.starts_with("one.s"), "{ran:?}");
    assert!(folder.path().join(format!(".premath/runs/{newest}/journal.jsonl")).is_file(), "{newest}");
    // Somebody who died under the name of the first session holds it still.
    assert_eq!(folder.run(&["issue", "claim", "bd-1", "--assignee", "premath/one"]).code, Some(0));
    for arguments in [&["resume", newest.as_str(), "--json"][..], &["resume", "--json"]] {
        let ran = folder.run(arguments);
        assert_eq!(last(&ran)["runId"], newest.as_str(), "{arguments:?}: {ran:?}");
        assert_eq!(last(&ran)["outcome"], "limit", "{ran:?}");
    }
}

#[test]
fn a_judge_that_died_goes_on_judging() {
    let folder = repository(&["", ""]);
    let wait = WAIT.replace("touch begun; ", "");
    let verdict =
        "[[turn.call]]\ntool = \"give_verdict\"\narguments = { pass = true, critique = \"fine\" }\n";
    folder.write("judge.toml", scene(&[&wait, verdict, ""]));
    folder.write(
        "flow.toml",
        "pattern = \"evaluator_optimizer\"\n[evaluator]\nmodel = \"scripted:judge.toml\"\nprompt = \"Is it good?\"\n",
    );
    folder.write("begun", "");
    let mut child = begin(&folder, &[&RUN[..], &["--workflow", "flow.toml"]].concat());
    let journal = folder.path().join(".premath/runs/one.bd-2/journal.jsonl");
    while !std::fs::read_to_string(&journal).is_ok_and(|text| text.contains("\"turn.intended\"")) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was judged");
        std::thread::yield_now();
    }
    kill(child, &folder);
    let ran = folder.run(&["resume", "one", "--json"]);
    assert_eq!((ran.code, &last(&ran)["outcome"]), (Some(0), &Value::from("completed")), "{ran:?}");
    let text = std::fs::read_to_string(&journal).unwrap();
    assert!(text.contains("\"give_verdict\"") && text.contains("\"run.resumed\""), "{text}");
}

#[test]
fn a_run_without_issue_memory_is_told_so_and_goes_on() {
    let add = "[[turn.call]]\ntool = \"issue_add\"\narguments = { title = \"more\" }\n";
    let folder = Folder::new();
    folder.write("scene.toml", scene(&[add, ""]));
    let ran = folder.run(&["run", "do it", "--model", "scripted:scene.toml", "--json"]);
    assert_eq!((ran.code, &last(&ran)["outcome"]), (Some(0), &Value::from("completed")), "{ran:?}");
    assert!(ran.stdout.contains("\"errorCode\":\"issues.missing\""), "{ran:?}");
}

#[test]
fn a_session_behind_a_chosen_route_goes_on_without_the_choice() {
    let choose = "[[turn.call]]\ntool = \"choose_route\"\narguments = { route = \"a\" }\n";
    let folder = repository(&[choose, READ, ""]);
    folder.write("big.txt", "much\n".repeat(3_000));
    folder.write("flow.toml", "pattern = \"route\"\n[[route]]\nname = \"a\"\nwhen = \"x\"\nprompt = \"p\"\n");
    let full = ["--workflow", "flow.toml", "--context-tokens", "5000", "--max-turns", "6", "--json"];
    let ran = folder.run(&[&RUN[..], &full].concat());
    let newest = last(&ran)["runId"].as_str().unwrap().to_owned();
    assert!(newest.starts_with("one.s"), "{ran:?}");
    let ran = folder.run(&["resume", &newest, "--max-turns", "1", "--json"]);
    assert_eq!((ran.code, &last(&ran)["outcome"]), (Some(1), &Value::from("limit")), "{ran:?}");
    let has_choice = |run: &str| {
        let path = folder.path().join(format!(".premath/runs/{run}/journal.jsonl"));
        std::fs::read_to_string(path).unwrap().lines().next().unwrap().contains("choose_route")
    };
    assert_eq!((has_choice("one"), has_choice(&newest)), (true, false));
}

#[test]
fn a_worker_that_cannot_begin_is_shown_and_its_parent_is_told_why() {
    let spawn =
        "[[turn.call]]\ntool = \"spawn_worker\"\narguments = { title = \"part\", task = \"do it\" }\n";
    let folder = repository(&[spawn, ""]);
    folder.write("flow.toml", "pattern = \"orchestrator_workers\"\n");
    // Where its journal belongs there is something else.
    folder.write(".premath/runs/one.bd-2", "");
    let ran = folder.run(&[&RUN[..], &["--workflow", "flow.toml", "--json"]].concat());
    let finished = ran.stdout.lines().find(|line| line.contains("worker.finished")).unwrap();
    assert!(finished.contains("failed_closed") && finished.contains("one.bd-2"), "{finished}");
    let journal = std::fs::read_to_string(folder.path().join(".premath/runs/one/journal.jsonl")).unwrap();
    let returned = journal.lines().find(|row| row.contains("\"workers.returned\"")).unwrap();
    assert!(returned.contains("not_started") && returned.contains("cannot"), "{returned}");
}

fn objects(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(objects(&path));
        } else {
            found.push(path);
        }
    }
    found
}

#[test]
fn a_run_whose_journal_cites_a_missing_object_is_refused_by_its_name_and_goes_on_when_it_is_back() {
    let prints =
        "[[turn.call]]\ntool = \"shell\"\narguments = { command = \"cat big.txt\", workdir = \".\" }\n";
    let folder = repository(&[prints, prints, ""]);
    let long: String = (0..9_000).map(|line| format!("line {line}\n")).collect();
    folder.write("big.txt", &long);
    let ran = folder.run(&[
        "run",
        "read it",
        "--model",
        "scripted:scene.toml",
        "--run-id",
        "one",
        "--max-turns",
        "1",
    ]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let cited = folder.run(&["runs", "export", "one"]).stdout;
    let store = folder.path().join(".premath/objects");
    let is_cited = |path: &std::path::PathBuf| {
        let parent = path.parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
        cited.contains(&format!("sha256:{parent}{}", path.file_name().unwrap().to_string_lossy()))
    };
    let object = objects(&store).into_iter().find(is_cited).expect("what was read is an object");
    let aside = folder.path().join("aside");
    std::fs::rename(&object, &aside).unwrap();
    let before = std::fs::read(folder.path().join(".premath/runs/one/journal.jsonl")).unwrap();
    let (code, refused) = folder.json(&["resume", "one", "--max-turns", "5"]);
    let said = |member: &str| refused.pointer(member).and_then(Value::as_str).unwrap_or_default().to_owned();
    assert_eq!((code, said("/refused/class").as_str()), (1, "object_missing"), "{refused}");
    let name = object.file_name().unwrap().to_string_lossy().into_owned();
    assert!(said("/refused/detail").contains(&name), "{refused}");
    assert!(said("/refused/hint").contains("premath verify"), "{refused}");
    let after = std::fs::read(folder.path().join(".premath/runs/one/journal.jsonl")).unwrap();
    assert_eq!(before, after, "nothing was written");
    assert_eq!(folder.run(&["verify"]).code, Some(1));
    std::fs::rename(&aside, &object).unwrap();
    assert_eq!(folder.run(&["resume", "one", "--max-turns", "5"]).code, Some(0));
}
