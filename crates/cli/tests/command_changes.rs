//! The files that commands of a run change: what their rows say, where the earlier bytes are, and which turns are refused
//! for them. Beside it what a worker may change of issue memory.

#![expect(clippy::disallowed_methods, reason = "the tests look at the files the command leaves")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "what cannot be done, or is not in an answer, fails the test"
)]

mod folder;

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use folder::{Folder, Ran};
use serde_json::Value;

/// One answer of a model: shell commands at the same time.
fn turn(commands: &[(&str, &str)]) -> String {
    let mut text = "[[turn]]\ntext = \"now\"\n".to_owned();
    for (id, command) in commands {
        text.push_str(&format!(
            "[[turn.call]]\nid = \"{id}\"\ntool = \"shell\"\narguments = {{ command = '''{command}''', workdir = \".\" }}\n"
        ));
    }
    text
}

fn scene(turns: &[&[(&str, &str)]]) -> String {
    let turns: String = turns.iter().map(|commands| turn(commands)).collect();
    format!("name = \"scene\"\n{turns}[[turn]]\ntext = \"Done.\"\n")
}

fn plain(turns: &[&[(&str, &str)]]) -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder.write("scene.toml", scene(turns));
    folder
}

fn git(folder: &Folder, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new("git")
        .current_dir(folder.path())
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    output.stdout
}

/// A repository in which everything so far is committed.
fn committed(folder: &Folder) {
    git(folder, &["init", "-q"]);
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-qm", "begin"]);
}

/// The command as a person runs it: their state is outside the repository.
fn ask(folder: &Folder, arguments: &[&str]) -> Ran {
    let state = folder.path().with_extension("state");
    let mut command = folder.command(arguments);
    let output = command.env("PATH", "/usr/bin:/bin").env("XDG_STATE_HOME", state).output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let ran = ask(folder, &[arguments, &["--json"]].concat());
    assert!(!ran.stderr.contains("panicked"), "{arguments:?}: {ran:?}");
    let last = ran.stdout.lines().last();
    serde_json::from_str(last.ok_or_else(|| format!("{arguments:?}: {ran:?}")).unwrap()).unwrap()
}

const RUN: [&str; 6] = ["run", "do it", "--model", "scripted:scene.toml", "--run-id", "one"];

fn completed(folder: &Folder) {
    let answer = json(folder, &RUN);
    assert_eq!(answer["outcome"], "completed", "{answer}");
    assert_eq!(json(folder, &["replay", "one"])["identical"], true);
}

/// A call of a turn, as `turn show` has it.
fn call(folder: &Folder, turn: u64, id: &str) -> Value {
    let card = json(folder, &["turn", "show", &format!("one.t{turn:04}")]);
    let calls = card["calls"].as_array().unwrap();
    let found = calls.iter().find(|call| call["toolCallId"].as_str().unwrap().ends_with(id));
    found.ok_or_else(|| format!("no {id} in {card}")).unwrap().clone()
}

/// The files of a call: path and what became of each.
fn changes(call: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let artifacts = call["artifacts"].as_array().unwrap();
    artifacts.iter().map(|artifact| (text(&artifact["path"]), text(&artifact["change"]))).collect()
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(path, change)| ((*path).to_owned(), (*change).to_owned())).collect()
}

fn artifact(call: &Value, path: &str) -> Value {
    let artifacts = call["artifacts"].as_array().unwrap();
    artifacts
        .iter()
        .find(|artifact| artifact["path"] == path)
        .ok_or_else(|| call.to_string())
        .unwrap()
        .clone()
}

/// The bytes that an undo would write.
fn earlier(folder: &Folder, artifact: &Value) -> Vec<u8> {
    let before = &artifact["before"];
    if let Some(blob) = before["gitBlob"].as_str() {
        return git(folder, &["cat-file", "blob", blob]);
    }
    let name = before["objectRef"].as_str().unwrap().strip_prefix("sha256:").unwrap();
    let (shelf, rest) = name.split_at(2);
    std::fs::read(folder.path().join(".premath/objects").join(shelf).join(rest)).unwrap()
}

const EVERYTHING: &str = "echo x >> clean.txt; echo y >> dirty.txt; rm -r gone; chmod +x tool.sh; mv old.txt new.txt; \
    mkdir -p target/deep; echo l > target/deep/f; echo l > x.log; ln -s clean.txt link; touch same.txt; rm untracked.txt; \
    printf 'a\\0b' > binary; mkdir empty; exit 3";

fn everything() -> Folder {
    let folder = plain(&[&[("c1", EVERYTHING)], &[("c2", "echo z >> clean.txt; echo x > logs/y.txt")]]);
    for name in ["clean.txt", "dirty.txt", "gone/a.txt", "gone/b.txt", "tool.sh", "old.txt", "same.txt"] {
        folder.write(name, format!("{name}\n"));
    }
    folder.write("logs/old.log", "l\n");
    folder.write(".gitignore", "*.log\ntarget/\n");
    committed(&folder);
    folder.write("dirty.txt", "mine\n");
    folder.write("untracked.txt", "mine too\n");
    folder
}

#[test]
fn every_kind_of_change_is_a_row_with_what_was_there_before() {
    let folder = everything();
    completed(&folder);
    let first = call(&folder, 1, "c1");
    assert_eq!(first["exitCode"], 3, "a command that fails is looked at like any other");
    let wanted = [
        ("binary", "created"),
        ("clean.txt", "changed"),
        ("dirty.txt", "changed"),
        ("gone/a.txt", "removed"),
        ("gone/b.txt", "removed"),
        ("link", "created"),
        ("new.txt", "created"),
        ("old.txt", "removed"),
        ("tool.sh", "mode"),
        ("untracked.txt", "removed"),
    ];
    assert_eq!(changes(&first), pairs(&wanted), "{first}");
    assert_eq!(first["observed"], serde_json::json!({ "source": "git", "ignored": "excluded" }));
    for (path, bytes) in [
        ("clean.txt", "clean.txt\n"),
        ("dirty.txt", "mine\n"),
        ("gone/a.txt", "gone/a.txt\n"),
        ("untracked.txt", "mine too\n"),
        ("tool.sh", "tool.sh\n"),
    ] {
        let row = artifact(&first, path);
        assert_eq!(earlier(&folder, &row), bytes.as_bytes(), "{path}");
        let digest = premath_kernel::Digest::of_bytes(bytes.as_bytes());
        assert_eq!(row["before"]["digest"], digest.as_str(), "{path}");
        assert_eq!(row["before"]["mode"], "100644", "{path}");
    }
    assert!(artifact(&first, "clean.txt")["before"]["gitBlob"].is_string(), "git has what was clean");
    assert!(artifact(&first, "dirty.txt")["before"]["objectRef"].is_string(), "nobody else has what was not");
    assert_eq!(artifact(&first, "tool.sh")["mode"], "100755");
    let link = premath_kernel::Digest::of_bytes(b"clean.txt");
    assert_eq!(artifact(&first, "link")["digest"], link.as_str(), "a link is not followed");
    assert!(artifact(&first, "new.txt").get("before").is_none());
}

#[test]
fn the_second_command_has_only_its_own_changes_and_restores_what_the_first_left() {
    let folder = everything();
    completed(&folder);
    let second = call(&folder, 2, "c2");
    let wanted = [("clean.txt", "changed"), ("logs/y.txt", "created")];
    assert_eq!(changes(&second), pairs(&wanted), "a new file in a folder of ignored ones is seen: {second}");
    assert_eq!(earlier(&folder, &artifact(&second, "clean.txt")), b"clean.txt\nx\n");
}

#[test]
fn runs_show_and_turn_show_name_the_files_of_each_call() {
    let folder = everything();
    completed(&folder);
    let shown = ask(&folder, &["runs", "show", "one"]).stdout;
    assert!(shown.contains("Files") && shown.contains("clean.txt") && shown.contains("removed"), "{shown}");
    let card = json(&folder, &["runs", "show", "one"]);
    assert_eq!(card["turns"][1]["files"].as_array().unwrap().len(), 2, "{card}");
    let shown = ask(&folder, &["turn", "show", "one.t0001"]).stdout;
    assert!(shown.contains("mode tool.sh") && shown.contains("ignored paths: excluded"), "{shown}");
}

#[test]
fn a_change_of_a_person_between_two_commands_is_not_taken_for_the_commands() {
    // The person is the model's own patch here: it changes a file between two commands.
    let patch = "[[turn]]\ntext = \"patch\"\n[[turn.call]]\nid = \"p\"\ntool = \"apply_patch\"\narguments = { patch = '''\
        *** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch\n''' }\n";
    let folder = plain(&[]);
    folder.write(
        "scene.toml",
        format!(
            "name = \"scene\"\n{}{patch}{}[[turn]]\ntext = \"Done.\"\n",
            turn(&[("c1", "true")]),
            turn(&[("c2", "echo x > b.txt")])
        ),
    );
    folder.write("a.txt", "one\n");
    committed(&folder);
    completed(&folder);
    assert_eq!(changes(&call(&folder, 3, "c2")), pairs(&[("b.txt", "created")]));
}

#[test]
fn outside_git_every_file_is_compared_and_the_row_says_so() {
    let folder = plain(&[&[("c1", "echo x >> a.txt; mkdir target; echo y > target/f")]]);
    folder.write("a.txt", "one\n");
    folder.write(".gitignore", "target/\n");
    completed(&folder);
    let call = call(&folder, 1, "c1");
    assert_eq!(changes(&call), pairs(&[("a.txt", "changed"), ("target/f", "created")]));
    assert_eq!(call["observed"], serde_json::json!({ "source": "walk", "ignored": "included" }));
    assert_eq!(earlier(&folder, &artifact(&call, "a.txt")), b"one\n");
}

#[test]
fn what_is_over_the_limit_or_holds_a_secret_is_named_as_not_restorable() {
    let folder =
        plain(&[&[("c1", "for f in big.bin config.txt server.pem small.txt; do echo x >> $f; done")]]);
    let configured = std::fs::read_to_string(folder.path().join("premath.toml")).unwrap();
    folder.write("premath.toml", format!("{configured}\n[tools.shell]\nkeep_bytes = 100\n"));
    folder.write("big.bin", vec![7_u8; 1_000]);
    folder.write("server.pem", "k\n");
    folder.write("config.txt", format!("token = AKIA{}\n", "ZK3QX7LM2VB7NC4R"));
    folder.write("small.txt", "s\n");
    // What the scene and the repository themselves hold would use the limit up.
    committed(&folder);
    for name in ["big.bin", "config.txt", "server.pem", "small.txt"] {
        git(&folder, &["rm", "-q", "--cached", name]);
    }
    completed(&folder);
    let call = call(&folder, 1, "c1");
    let why = |path: &str| artifact(&call, path)["before"]["notRestorable"].as_str().map(str::to_owned);
    assert!(why("big.bin").unwrap().contains("tools.shell.keep_bytes"), "{call}");
    assert!(why("server.pem").unwrap().contains("name"), "{call}");
    assert!(why("config.txt").unwrap().contains("it holds a secret"), "{call}");
    assert_eq!(why("small.txt"), None);
    assert_eq!(earlier(&folder, &artifact(&call, "small.txt")), b"s\n");
    assert!(ask(&folder, &["turn", "show", "one.t0001"]).stdout.contains("not restorable"));
}

#[test]
fn a_policy_that_names_apply_patch_alone_refuses_a_command_that_changed_a_file() {
    for (command, verdict) in [("echo x > new.txt", "refused"), ("cat a.txt", "closed")] {
        let folder = plain(&[&[("c1", command)]]);
        let configured = std::fs::read_to_string(folder.path().join("premath.toml")).unwrap();
        folder.write("premath.toml", format!("{configured}\n[loop]\nedit_surfaces = [\"apply_patch\"]\n"));
        folder.write("a.txt", "one\n");
        json(&folder, &RUN);
        let card = json(&folder, &["turn", "show", "one.t0001"]);
        assert_eq!(card["verdict"], verdict, "{command}: {card}");
        if verdict == "refused" {
            assert_eq!(card["reasons"].as_array().unwrap().len(), 1, "{card}");
            assert_eq!(card["reasons"][0]["class"], "runtime.shell_boundary_violation");
            assert_eq!(card["reasons"][0]["subject"], "new.txt");
        }
    }
}

#[test]
fn two_commands_at_the_same_time_name_each_other() {
    let waits = |mine: &str, other: &str| {
        format!(
            "touch {mine}; n=0; while [ ! -e {other} ] && [ $n -lt 500 ]; do sleep 0.02; n=$((n+1)); done"
        )
    };
    let (left, right) = (waits("left", "right"), waits("right", "left"));
    let folder = plain(&[&[("c1", &left), ("c2", &right)], &[("c3", "echo alone > alone")]]);
    completed(&folder);
    let (first, second) = (call(&folder, 1, "c1"), call(&folder, 1, "c2"));
    let named = |call: &Value| call["observed"]["overlaps"][0].as_str().unwrap().to_owned();
    assert!(named(&first).ends_with("c2"), "{first}");
    assert!(named(&second).ends_with("c1"), "{second}");
    assert!(call(&folder, 2, "c3")["observed"].get("overlaps").is_none());
    let shown = ask(&folder, &["turn", "show", "one.t0001"]).stdout;
    assert!(shown.contains("at the same time"), "{shown}");
}

#[test]
fn a_command_of_a_program_has_its_own_rows() {
    let folder = plain(&[]);
    folder.write(
        "scene.toml",
        "name = \"scene\"\n[[turn]]\ntext = \"now\"\n[[turn.call]]\nid = \"p\"\ntool = \"code_execution\"\n\
         arguments = { program = '''(shell \"echo x > made.txt\" \".\")''' }\n[[turn]]\ntext = \"Done.\"\n",
    );
    let answer = json(&folder, &[&RUN[..], &["--action-mode", "code"]].concat());
    assert_eq!(answer["outcome"], "completed", "{answer}");
    let card = json(&folder, &["turn", "show", "one.t0001"]);
    let calls = card["calls"].as_array().unwrap();
    let shell = calls.iter().find(|call| call["tool"] == "shell").unwrap();
    assert_eq!(changes(shell), pairs(&[("made.txt", "created")]), "{card}");
}

#[test]
fn a_tree_of_many_changes_is_cut_and_all_of_them_are_in_an_object() {
    let folder = plain(&[&[("c1", "mkdir many; for n in $(seq 1100); do echo $n > many/$n; done")]]);
    completed(&folder);
    let call = call(&folder, 1, "c1");
    assert_eq!(call["artifacts"].as_array().unwrap().len(), 1_000);
    let why = call["observed"]["incomplete"].as_str().unwrap();
    let (_, reference) = why.rsplit_once("sha256:").unwrap();
    let (shelf, rest) = reference.split_at(2);
    let all = std::fs::read(folder.path().join(".premath/objects").join(shelf).join(rest)).unwrap();
    let all: Value = serde_json::from_slice(&all).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 1_100);
}

/// A repository with issues `bd-1` (parent), `bd-2` (stranger), and a parent run that spawns one worker.
fn with_worker(spawn: &str, worker: &str) -> Folder {
    let folder = plain(&[]);
    folder.write(
        "scene.toml",
        format!(
            "name = \"scene\"\n[[turn]]\ntext = \"I give it away.\"\n[[turn.call]]\nid = \"s\"\ntool = \"spawn_worker\"\n\
             arguments = {{ title = \"part\", task = \"Do the part.\"{spawn} }}\n[[turn]]\ntext = \"Done.\"\n"
        ),
    );
    folder.write("worker.toml", format!("name = \"worker\"\n{worker}[[turn]]\ntext = \"Worked.\"\n"));
    folder.write(
        "flow.toml",
        "pattern = \"orchestrator_workers\"\n[worker]\nmodel = \"scripted:worker.toml\"\nmax_turns = 6\n",
    );
    for (id, title) in [("bd-1", "whole"), ("bd-2", "other")] {
        assert_eq!(ask(&folder, &["issue", "add", title, "--id", id]).code, Some(0));
    }
    folder
}

fn update(id: &str) -> String {
    format!(
        "[[turn]]\ntext = \"change\"\n[[turn.call]]\nid = \"u{id}\"\ntool = \"issue_update\"\n\
         arguments = {{ id = \"{id}\", notes = \"by the worker\" }}\n"
    )
}

fn run_workers(folder: &Folder) -> Value {
    json(folder, &[&RUN[..], &["--issue", "bd-1", "--workflow", "flow.toml"]].concat());
    json(folder, &["runs", "show", "one.bd-3"])
}

fn notes(folder: &Folder, id: &str) -> Value {
    json(folder, &["issue", "show", id])["issue"]["notes"].clone()
}

#[test]
fn a_worker_changes_its_own_issue_and_what_descends_from_it() {
    let add = "[[turn]]\ntext = \"split\"\n[[turn.call]]\nid = \"a\"\ntool = \"issue_discover\"\n\
               arguments = { parentIssue = \"bd-3\", title = \"found\" }\n";
    let folder = with_worker("", &format!("{}{add}{}", update("bd-3"), update("bd-4")));
    let worker = run_workers(&folder);
    assert_eq!(worker["run"]["outcome"], "completed", "{worker}");
    assert_eq!(notes(&folder, "bd-3"), "by the worker");
    assert_eq!(notes(&folder, "bd-4"), "by the worker", "what it found itself is its own");
}

#[test]
fn a_worker_that_changes_another_issue_is_refused_and_nothing_is_changed() {
    for other in ["bd-2", "bd-1"] {
        let folder = with_worker("", &update(other));
        let worker = run_workers(&folder);
        assert_eq!(worker["turns"][0]["verdict"], "refused", "{other}: {worker}");
        assert_eq!(worker["turns"][0]["failureClasses"], serde_json::json!(["context.scope_violation"]));
        assert_eq!(notes(&folder, other), Value::Null, "{other}");
        let card = json(&folder, &["turn", "show", "one.bd-3.t0001"]);
        assert_eq!(card["reasons"][0]["subject"], other, "{card}");
    }
}

#[test]
fn a_worker_that_adds_an_issue_of_nobody_is_refused() {
    let add = "[[turn]]\ntext = \"add\"\n[[turn.call]]\nid = \"a\"\ntool = \"issue_add\"\narguments = { title = \"mine\" }\n";
    let folder = with_worker("", add);
    let worker = run_workers(&folder);
    assert_eq!(
        worker["turns"][0]["failureClasses"],
        serde_json::json!(["context.scope_violation"]),
        "{worker}"
    );
    assert_eq!(json(&folder, &["issue", "list"])["count"], 3, "nothing was added");
}

#[test]
fn a_specialist_that_writes_outside_its_scope_by_a_command_is_refused() {
    let scope = ", read = [\".\"], write = [\"docs\"]";
    for (command, verdict) in [("echo x > docs/a.md", "closed"), ("echo x > src.rs", "refused")] {
        let folder = with_worker(scope, &turn(&[("c1", command)]));
        folder.write("docs/b.md", "b\n");
        let worker = run_workers(&folder);
        assert_eq!(worker["turns"][0]["verdict"], verdict, "{command}: {worker}");
        if verdict == "refused" {
            assert_eq!(worker["turns"][0]["failureClasses"], serde_json::json!(["context.scope_violation"]));
        }
    }
}

#[test]
fn a_specialist_that_may_not_read_everything_runs_no_command() {
    let folder = with_worker(", read = [\"docs\"], write = [\"docs\"]", &turn(&[("c1", "cat secret")]));
    let worker = run_workers(&folder);
    let card = json(&folder, &["turn", "show", "one.bd-3.t0001"]);
    assert_eq!(card["calls"][0]["errorCode"], "tool.unknown_or_disallowed", "{worker}");
}

#[test]
fn init_writes_the_baseline_that_it_finds_and_boot_runs_it() {
    let folder = Folder::new();
    folder.write("Makefile", "test:\n\ttrue\n");
    let (_, answer) = folder.json(&["init"]);
    assert_eq!(answer["baseline"], "make test", "{answer}");
    let shown = json(&folder, &["config", "show"]);
    let rows = shown["items"].as_array().unwrap();
    let row = rows.iter().find(|row| row["key"] == "session.baseline").unwrap();
    assert_eq!(row["value"], "make test");
    let booted = json(&folder, &["boot"]);
    assert!(booted["baseline"]["evidenceRef"].is_string(), "{booted}");
}

#[test]
fn boot_and_step_without_a_baseline_are_refused_unless_a_person_declines_one() {
    let folder = plain(&[]);
    for arguments in [&["boot"][..], &["step", "--work-cmd", "true"]] {
        let ran = ask(&folder, &[arguments, &["--json"]].concat());
        assert_eq!(ran.code, Some(1), "{arguments:?}: {ran:?}");
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(answer["refused"]["class"], "session_baseline_missing", "{answer}");
        assert!(answer["refused"]["hint"].as_str().unwrap().contains("[session]"), "{answer}");
    }
    let worker = ask(&folder, &["worker", "--worker-id", "w", "--work-cmd", "true", "--json"]);
    assert_eq!(worker.code, Some(1), "{worker:?}");
    assert!(worker.stdout.contains("session_baseline_missing"), "{worker:?}");
    assert_eq!(ask(&folder, &["boot", "--verify-cmd", "true"]).code, Some(0));
    let configured = std::fs::read_to_string(folder.path().join("premath.toml")).unwrap();
    folder.write("premath.toml", format!("{configured}baseline = \"none\"\n"));
    assert_eq!(ask(&folder, &["boot"]).code, Some(0));
    assert_eq!(
        ask(&folder, &["step", "--work-cmd", "true"]).code,
        Some(2),
        "work has to be verified by something"
    );
}

#[test]
fn step_verifies_with_the_baseline_when_no_other_command_is_named() {
    let folder = plain(&[]);
    let configured = std::fs::read_to_string(folder.path().join("premath.toml")).unwrap();
    folder.write("premath.toml", format!("{configured}baseline = \"test -e done\"\n"));
    assert_eq!(ask(&folder, &["issue", "add", "work", "--id", "bd-1"]).code, Some(0));
    let answer = json(&folder, &["step", "--work-cmd", "touch done"]);
    assert_eq!(answer["outcome"], "completed", "{answer}");
    assert_eq!(json(&folder, &["issue", "show", "bd-1"])["issue"]["status"], "closed");
}

#[test]
fn an_active_issue_that_does_not_exist_is_refused() {
    let folder = plain(&[]);
    assert_eq!(ask(&folder, &["issue", "add", "work", "--id", "bd-1"]).code, Some(0));
    for (variable, id, code) in [
        ("PREMATH_ACTIVE_ISSUE_ID", "bd-9", 1),
        ("PREMATH_ISSUE_ID", "bd-9", 1),
        ("PREMATH_ACTIVE_ISSUE_ID", "bd-1", 0),
    ] {
        let mut command = folder.command(&["boot", "--verify-cmd", "true", "--json"]);
        let output = command.env("PATH", "/usr/bin:/bin").env(variable, id).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{variable}={id}: {output:?}");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        if code == 1 {
            assert_eq!(answer["refused"]["class"], "escalation_issue_context_unknown", "{answer}");
        }
    }
}

#[test]
fn a_file_that_nobody_can_read_is_named_and_stops_nothing() {
    let folder = plain(&[&[("c1", "echo x > new.txt; chmod 000 locked; true")]]);
    folder.write("locked", "l\n");
    let path = folder.path().join("locked");
    completed(&folder);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let call = call(&folder, 1, "c1");
    assert!(changes(&call).contains(&("new.txt".to_owned(), "created".to_owned())), "{call}");
    assert_eq!(artifact(&call, "locked")["mode"], "100000", "{call}");
}
