//! `premath run`, `resume`, `replay`, `runs` and `turn`: what each ends with, what it prints, and what it leaves alone.

#![expect(clippy::disallowed_methods, reason = "the tests look at the files the command leaves")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod error_document;
mod folder;

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use error_document::answer_in;
use folder::{Folder, Ran};
use serde_json::Value;

const READS: &str = "name = \"reads\"\n[[turn]]\ntext = \"I read.\"\n[[turn.call]]\nid = \"read\"\ntool = \"fs_read\"\n\
    arguments = { path = \"a.txt\" }\n[[turn]]\ntext = \"Read.\"\n";
const WAITS: &str = "name = \"waits\"\n[[turn]]\ntext = \"I wait.\"\n[[turn.call]]\nid = \"wait\"\ntool = \"shell\"\n\
    arguments = { command = \"touch begun; while [ ! -e go ]; do sleep 0.02; done; echo went >> went.log\", workdir = \".\" }\n\
    [[turn]]\ntext = \"It went.\"\n";

fn repository(scenario: &str) -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder.write("scene.toml", scenario);
    folder.write("a.txt", "one\n");
    folder
}

const RUN: [&str; 4] = ["run", "do it", "--model", "scripted:scene.toml"];

fn run(folder: &Folder, more: &[&str]) -> Ran {
    folder.run(&[&RUN, more].concat())
}

fn lines(ran: &Ran) -> Vec<Value> {
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn last(ran: &Ran) -> Value {
    lines(ran).pop().unwrap()
}

fn schema(name: &str) -> jsonschema::Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas").join(name);
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// Everything below `.premath`, with its length.
fn kept(folder: &Folder) -> BTreeSet<String> {
    fn walk(path: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(path).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                found.insert(entry.path().display().to_string());
                walk(&entry.path(), found);
            } else {
                found.insert(format!("{} {}", entry.path().display(), entry.metadata().unwrap().len()));
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(&folder.path().join(".premath"), &mut found);
    found
}

#[test]
fn every_line_of_a_run_fits_its_schema_and_the_last_is_the_answer() {
    let mut scenes = vec![(READS.to_owned(), vec![])];
    scenes.push((READS.replace("fs_read", "no_such_tool"), vec![]));
    scenes.push((READS.to_owned(), vec!["--max-turns", "1"]));
    scenes.push((READS.to_owned(), vec!["--checkpoint-every", "1"]));
    let (event, answer) = (schema("run-event.json"), schema("run.json"));
    for (scene, more) in scenes {
        let folder = repository(&scene);
        let ran = run(&folder, &[&["--json"], &more[..]].concat());
        let said = lines(&ran);
        let (last, events) = said.split_last().unwrap();
        for line in events {
            let errors: Vec<String> = event.iter_errors(line).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{line}: {errors:?}");
        }
        let errors: Vec<String> = answer.iter_errors(last).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{last}: {errors:?}");
        assert!(events.len() > 3, "{said:?}");
    }
}

#[test]
fn a_run_ends_with_the_code_of_its_ending() {
    let refusing = "name = \"no\"\n[[turn]]\nrefusal = \"I would rather not.\"\n";
    let failing =
        "name = \"down\"\n[[turn]]\ntext = \"never\"\nfault = [{ kind = \"server_error\", always = true }]\n";
    for (scene, more, code, outcome) in [
        (READS, &[][..], 0, "completed"),
        (READS, &["--max-turns", "1"], 1, "limit"),
        (READS, &["--checkpoint-before", "fs_read"], 3, "needs_person"),
        (refusing, &[], 1, "failed_closed"),
        (failing, &[], 1, "model_failed"),
    ] {
        let folder = repository(scene);
        let ran = run(&folder, &[more, &["--json"]].concat());
        assert_eq!(ran.code, Some(code), "{outcome}: {ran:?}");
        assert_eq!(last(&ran)["outcome"], outcome, "{ran:?}");
        let ran = run(&repository(scene), &[more, &["--envelope"]].concat());
        assert_eq!(ran.code, Some(code), "{outcome}: {ran:?}");
        assert_eq!(last(&ran)["payload"]["outcome"], outcome, "{ran:?}");
    }
}

#[test]
fn what_cannot_begin_says_where_and_leaves_nothing_behind() {
    let folder = repository(READS);
    folder.write("bad.toml", "pattern = \"chain\"\n[[stage]]\nname = \"x\"\npromt = \"y\"\n");
    folder.write("broken.toml", "pattern = \n");
    folder.write("blank.toml", "pattern = \"chain\"\n[[stage]]\nname = \"x\"\nprompt = \" \"\n");
    folder.write(
        "twice.toml",
        "pattern = \"route\"\n[[route]]\nname = \"a\"\nwhen = \"w\"\nprompt = \"p\"\n\
         [[route]]\nname = \"a\"\nwhen = \"w\"\nprompt = \"p\"\n",
    );
    folder.write("judge.toml", "pattern = \"evaluator_optimizer\"\n[evaluator]\nmodel = \"nobody:x\"\n");
    assert_eq!(folder.run(&["issue", "add", "work", "--id", "bd-9"]).code, Some(0));
    assert_eq!(run(&folder, &["--run-id", "taken"]).code, Some(0));
    let before = kept(&folder);
    for (arguments, code, place) in [
        (&["run", "x", "--model", "scripted:scene.toml", "--run-id", "taken"][..], 2, "$.runId"),
        (&["run", "x", "--model", "scripted:scene.toml", "--run-id", "../up"], 2, "$.runId"),
        (
            &["run", "x", "--model", "scripted:scene.toml", "--workflow", "bad.toml"],
            2,
            "$.workflow.stage[0].promt",
        ),
        (
            &["run", "x", "--model", "scripted:scene.toml", "--workflow", "broken.toml"],
            2,
            "`broken.toml`: line 1",
        ),
        (&["run", "x", "--model", "scripted:scene.toml", "--workflow", "none.toml"], 4, "none.toml"),
        (&["run", "x", "--model", "scripted:scene.toml", "--scope", "moon:walk"], 2, "$.scopes"),
        (
            &["run", "x", "--model", "scripted:scene.toml", "--issue", "bd-9", "--scope", "moon:walk"],
            2,
            "$.scopes",
        ),
        (
            &["run", "x", "--model", "scripted:scene.toml", "--checkpoint-before", "shel"],
            2,
            "$.checkpointBefore",
        ),
        (
            &["run", "x", "--model", "scripted:scene.toml", "--workflow", "blank.toml"],
            2,
            "$.workflow.stage[0].prompt",
        ),
        (
            &["run", "x", "--model", "scripted:scene.toml", "--workflow", "twice.toml"],
            2,
            "$.workflow.route[1].name",
        ),
        (
            &["run", "x", "--model", "scripted:scene.toml", "--issue", "bd-9", "--workflow", "judge.toml"],
            2,
            "$.workflow.evaluator.model",
        ),
        (&["run", "x", "--model", "scripted:none.toml"], 4, "none.toml"),
        (&["run", "x", "--model", "nobody:x"], 2, "$.models[0]"),
        (&["run", " ", "--model", "scripted:scene.toml"], 2, "task"),
        (&["resume", "nothing"], 2, "$.runId"),
        (&["resume", "taken"], 2, "is over"),
        (&["replay", "nothing"], 2, "$.runId"),
        (&["runs", "show", "nothing"], 2, "$.runId"),
        (&["runs", "export", "nothing"], 2, "$.runId"),
        (&["turn", "show", "nothing.t0001"], 2, "$."),
        (&["turn", "show", "taken.t0099"], 2, "$."),
    ] {
        for json in [false, true] {
            let flag: &[&str] = if json { &["--json"] } else { &[] };
            let ran = folder.run(&[arguments, flag].concat());
            assert_eq!(ran.code, Some(code), "{arguments:?}: {ran:?}");
            assert_eq!(answer_in(ran.code, &ran.stdout), "", "{arguments:?}");
            assert_eq!(ran.stdout.is_empty(), !json, "{arguments:?}");
            assert!(
                ran.stderr.starts_with("error: ") && ran.stderr.contains(place),
                "{arguments:?}: {ran:?}"
            );
            assert_eq!(kept(&folder), before, "{arguments:?} wrote something");
        }
    }
}

#[test]
fn an_issue_that_cannot_be_taken_refuses_the_run() {
    let folder = repository(READS);
    for arguments in [
        &["issue", "add", "first", "--id", "bd-1"][..],
        &["issue", "add", "second", "--id", "bd-2"],
        &["issue", "add", "held", "--id", "bd-3"],
        &["issue", "add", "over", "--id", "bd-4", "--ephemeral"],
        &["dep", "add", "bd-2", "bd-1"],
        &["issue", "claim", "bd-3", "--assignee", "somebody"],
        &["issue", "update", "bd-4", "--status", "closed"],
    ] {
        let ran = folder.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
    }
    let before = std::fs::read(folder.path().join(".premath/issues.jsonl")).unwrap();
    for issue in ["bd-99", "bd-2", "bd-3", "bd-4"] {
        let ran = run(&folder, &["--issue", issue, "--json"]);
        assert_eq!(ran.code, Some(1), "{issue}: {ran:?}");
        let class = last(&ran)["refused"]["class"].as_str().unwrap().to_owned();
        assert!(!class.is_empty(), "{issue}: {ran:?}");
    }
    assert_eq!(std::fs::read(folder.path().join(".premath/issues.jsonl")).unwrap(), before);
    assert!(folder.json(&["runs", "list"]).1["items"].as_array().unwrap().is_empty());
    assert!(!folder.path().join(".premath/runs").exists(), "a run that was refused left a folder");
}

/// The command in a process of its own, beside the test.
fn begin(folder: &Folder, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_premath"))
        .env_clear()
        .env("XDG_STATE_HOME", folder.state())
        .env("PATH", "/usr/bin:/bin")
        .current_dir(folder.path())
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn until(child: &mut Child, folder: &Folder, file: &str) {
    while !folder.path().join(file).exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before `{file}` was there");
        std::thread::yield_now();
    }
}

#[test]
fn a_run_is_driven_by_one_process_at_a_time_and_nothing_is_lost() {
    let folder = repository(WAITS);
    assert_eq!(folder.run(&["issue", "add", "wait", "--id", "bd-1"]).code, Some(0));
    let mut child = begin(&folder, &[&RUN[..], &["--run-id", "one", "--issue", "bd-1", "--json"]].concat());
    until(&mut child, &folder, "begun");
    for arguments in [&["resume", "one"][..], &["resume", "one", "--json"], &["resume"]] {
        let ran = folder.run(arguments);
        assert_eq!(ran.code, Some(3), "{arguments:?}: {ran:?}");
        assert_eq!(answer_in(ran.code, &ran.stdout), "", "{ran:?}");
        assert_eq!(ran.stdout.is_empty(), !arguments.contains(&"--json"), "{ran:?}");
    }
    let again = run(&folder, &["--run-id", "one"]);
    assert!(matches!(again.code, Some(2 | 3)), "{again:?}");
    folder.write("go", "");
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{said}");
    assert_eq!(std::fs::read_to_string(folder.path().join("went.log")).unwrap(), "went\n");
    assert_eq!(folder.run(&["replay", "one"]).code, Some(0));
    assert_eq!(folder.run(&["verify"]).code, Some(0));
    let issue = folder.json(&["issue", "show", "bd-1"]).1;
    assert!(issue["issue"]["lease"].is_null(), "the lease was let go: {issue:#}");
}

#[test]
fn a_person_who_interrupts_gets_a_run_that_goes_on() {
    let folder = repository(WAITS);
    let mut child = begin(&folder, &[&RUN[..], &["--run-id", "one", "--json"]].concat());
    until(&mut child, &folder, "begun");
    let id = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{said}");
    assert!(said.lines().last().unwrap().contains("\"outcome\":\"interrupted\""), "{said}");
    let ran = folder.run(&["resume", "one", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!folder.path().join("went.log").exists(), "what was interrupted is not made again by itself");
    assert_eq!(folder.run(&["replay", "one"]).code, Some(0));
    assert_eq!(folder.run(&["verify"]).code, Some(0));
}

#[test]
fn a_reader_that_goes_away_does_not_end_the_run() {
    for more in [&["--json"][..], &[]] {
        let folder = repository(READS);
        let mut child = begin(&folder, &[&RUN[..], &["--run-id", "one"], more].concat());
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        child.wait().unwrap();
        assert!(!stderr.contains("panicked"), "{stderr}");
        assert_eq!(folder.json(&["runs", "show", "one"]).1["run"]["outcome"], "completed");
    }
}

#[test]
fn a_repository_that_cannot_be_written_is_named_and_no_model_is_asked() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = repository(READS);
    let home = folder.path().join(".premath");
    let locked = |mode| std::fs::set_permissions(&home, std::fs::Permissions::from_mode(mode)).unwrap();
    locked(0o555);
    if std::fs::write(home.join("probe"), "").is_ok() {
        // Somebody for whom permissions mean nothing.
        locked(0o755);
        return;
    }
    let ran = run(&folder, &["--run-id", "one"]);
    locked(0o755);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_journal_that_cannot_grow_ends_the_run_and_it_goes_on_later() {
    let folder = repository(READS);
    folder.write("a.txt", "much\n".repeat(3_000));
    assert_eq!(run(&folder, &["--run-id", "whole"]).code, Some(0));
    let whole = folder.path().join(".premath/runs/whole/journal.jsonl").metadata().unwrap().len();
    // The longest file in blocks of 512 bytes: room for the beginning, not for the results.
    let line = format!(
        "trap '' XFSZ; ulimit -f {}; exec '{}' run 'do it' --model scripted:scene.toml --run-id one",
        (whole - 8_000) / 512,
        env!("CARGO_BIN_EXE_premath")
    );
    let ran = Command::new("sh")
        .args(["-c", &line])
        .env_clear()
        .env("XDG_STATE_HOME", folder.state())
        .env("PATH", "/usr/bin:/bin")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(4), "{ran:?}");
    assert!(folder.path().join(".premath/runs/one/journal.jsonl").metadata().unwrap().len() > 1_000);
    let ran = folder.run(&["resume", "one", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(folder.run(&["replay", "one"]).code, Some(0));
    assert_eq!(folder.run(&["verify"]).code, Some(0));
}

#[test]
fn a_raised_limit_lets_a_run_go_on() {
    let folder = repository(READS);
    assert_eq!(run(&folder, &["--run-id", "one", "--max-turns", "1"]).code, Some(1));
    assert_eq!(folder.run(&["resume", "one"]).code, Some(1));
    assert_eq!(folder.run(&["resume", "one", "--max-turns", "5"]).code, Some(0));
    assert_eq!(folder.run(&["replay", "one"]).code, Some(0));
}

#[test]
fn a_question_nobody_answered_is_asked_again() {
    let folder = repository(READS);
    assert_eq!(run(&folder, &["--run-id", "one", "--checkpoint-every", "1"]).code, Some(3));
    let ran = folder.run(&["resume", "one", "--json"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert_eq!(folder.json(&["runs", "show", "one"]).1["run"]["outcome"], "needs_person");
}

#[test]
fn a_run_that_was_tampered_with_is_found_by_replay_and_verify() {
    let folder = repository(READS);
    assert_eq!(run(&folder, &["--run-id", "one"]).code, Some(0));
    let journal = folder.path().join(".premath/runs/one/journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, text.replacen("accepted", "rejected", 1)).unwrap();
    assert_eq!(folder.run(&["verify"]).code, Some(1));
    let ran = folder.run(&["replay", "one", "--json"]);
    assert_eq!((ran.code, &last(&ran)["identical"]), (Some(1), &Value::Bool(false)), "{ran:?}");
}

#[test]
fn nothing_goes_on_from_a_journal_that_was_edited() {
    let shell = "name = \"good\"\n[[turn]]\ntext = \"now\"\n[[turn.call]]\ntool = \"shell\"\n\
        arguments = { command = \"echo good > ran.txt\", workdir = \".\" }\n[[turn]]\ntext = \"done\"\n";
    let edits: [fn(String) -> String; 2] = [
        |text| text.replace("echo good > ran.txt", "echo evil > ran.txt"),
        |text| format!("{text}{{\"note\":1}}\n"),
    ];
    for edit in edits {
        let folder = repository(shell);
        let ran = run(&folder, &["--run-id", "one", "--checkpoint-before", "shell"]);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        let journal = folder.path().join(".premath/runs/one/journal.jsonl");
        let text = std::fs::read_to_string(&journal).unwrap();
        std::fs::write(&journal, edit(text.clone())).unwrap();
        assert_ne!(edit(text.clone()), text);
        let ran = folder.run(&["resume", "one"]);
        assert_eq!(ran.code, Some(4), "{ran:?}");
        assert!(ran.stderr.contains("premath verify"), "{ran:?}");
        assert!(!folder.path().join("ran.txt").exists());
        let ran = folder.run(&["replay", "one", "--json"]);
        assert_eq!((ran.code, &last(&ran)["identical"]), (Some(1), &Value::Bool(false)), "{ran:?}");
        assert_ne!(folder.run(&["turn", "show", "one.t0001"]).code, Some(0));
        assert_eq!(folder.run(&["runs", "show", "one"]).code, Some(0));
    }
}

#[test]
fn a_run_that_was_handed_over_goes_on_in_its_newest_session_wherever_its_process_died() {
    let folder = repository(&READS.replace("Read.", "I hand over."));
    folder.write("a.txt", "much\n".repeat(3_000));
    let full = ["--run-id", "one", "--context-tokens", "5000", "--max-turns", "5", "--json"];
    let ran = run(&folder, &full);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let newest = last(&ran)["runId"].as_str().unwrap().to_owned();
    assert!(newest.starts_with("one.s"), "{ran:?}");
    let ran = folder.run(&["resume", "one", "--json"]);
    assert_eq!((ran.code, last(&ran)["runId"].as_str()), (Some(1), Some(newest.as_str())), "{ran:?}");
    for entry in std::fs::read_dir(folder.path().join(".premath/runs")).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() != "one" {
            std::fs::remove_dir_all(entry.path()).unwrap();
        }
    }
    // Somebody took them away, and a person answers for it: only then does the run go on.
    assert_eq!(folder.run(&["resume", "one", "--json"]).code, Some(4));
    assert_eq!(folder.run(&["trust", "--all", "--reason", "taken away by this test"]).code, Some(0));
    let ran = folder.run(&["resume", "one", "--json"]);
    assert_eq!(last(&ran)["outcome"], "limit", "{ran:?}");
    assert!(folder.path().join(".premath/runs/one.s2/journal.jsonl").is_file());
    for session in ["one", "one.s2"] {
        assert_eq!(folder.run(&["replay", session]).code, Some(0), "{session}");
    }
}
