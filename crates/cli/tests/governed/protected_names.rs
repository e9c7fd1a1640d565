//! Protected names and premath's own folder in runs: what a shell cannot write, what a person is asked about, what no tool
//! reads.

use serde_json::Value;

use crate::room::{Room, call};

fn patch(text: &str) -> String {
    call("apply_patch", &format!("patch = \"*** Begin Patch\\n{text}\\n*** End Patch\""))
}

fn shell(command: &str) -> String {
    call("shell", &format!("command = '''{command}''', workdir = \".\""))
}

fn git(room: &Room) {
    let done =
        std::process::Command::new("git").args(["init", "-q"]).current_dir(room.path()).status().unwrap();
    assert!(done.success());
}

#[test]
fn a_patch_of_an_absent_protected_name_waits_for_a_person_who_sees_the_diff() {
    let room = Room::new(&[], "");
    git(&room);
    for (run, path) in [
        ("envrc", ".envrc"),
        ("workflow", ".github/workflows/ci.yml"),
        ("agents", "AGENTS.md"),
        ("hook", ".git/hooks/pre-commit"),
    ] {
        let asked = room.work(run, &patch(&format!("*** Add File: {path}\\n+echo drowned")), &[]);
        assert_eq!(asked.code, Some(3), "{path}: {asked:?}");
        assert!(!room.path().join(path).exists(), "{path}");
        let id = room.only("approvals");
        let shown = room.json(&["approvals", "show", &id]).to_string();
        assert!(shown.contains("+echo drowned") && shown.contains("other programs obey"), "{path}: {shown}");
        room.done(&["approvals", "approve", &id]);
        let resumed = room.run(&["resume", run]);
        assert_eq!(resumed.code, Some(0), "{path}: {resumed:?}");
        assert_eq!(std::fs::read_to_string(room.path().join(path)).unwrap(), "echo drowned\n");
    }
}

#[test]
fn a_patch_that_a_person_denies_changes_no_protected_name() {
    let room = Room::new(&[], "");
    assert_eq!(room.work("denied", &patch("*** Add File: .mcp.json\\n+{}"), &[]).code, Some(3));
    room.done(&["approvals", "deny", &room.only("approvals")]);
    room.run(&["resume", "denied"]);
    assert!(!room.path().join(".mcp.json").exists());
}

#[test]
fn a_shell_cannot_make_a_protected_name_and_the_model_reads_how_to_ask() {
    let room = Room::new(&[], "");
    let turns = [
        shell("echo x > .envrc"),
        shell("mkdir -p .github/workflows; echo x > .github/workflows/ci.yml"),
        call("shell", "command = 'mkdir -p workflows; echo x > workflows/ci.yml', workdir = \".github\""),
        patch("*** Add File: .github/dependabot.yml\\n+version: 2"),
        call("shell", "command = 'mkdir -p workflows; echo x > workflows/ci.yml', workdir = \".github\""),
    ];
    let ran = room.work("writes", &turns.concat(), &[]);
    let results = room.results("writes");
    let note = |at: usize| results[at]["note"].as_str().unwrap_or_default().to_owned();
    assert!(note(0).contains("`.envrc` is protected: propose the change with apply_patch"), "{results:?}");
    assert!(note(1).contains("`.github/workflows` is protected"), "{results:?}");
    assert_eq!(results[4]["errorCode"], "path.protected", "{results:?}");
    assert!(
        !room.path().join(".envrc").exists() && !room.path().join(".github/workflows").exists(),
        "{ran:?}"
    );
    assert!(room.path().join(".github/dependabot.yml").exists(), "{ran:?}");
}

#[test]
fn neither_file_tools_nor_commands_read_records_of_premath() {
    let room = Room::new(&["a.md"], "");
    std::fs::write(room.path().join(".premath/probe.jsonl"), "drowned\n").unwrap();
    let turns = [
        call("fs_read", "path = \".premath/probe.jsonl\""),
        call("fs_list", "path = \".\", depth = 3, all = true"),
        call("fs_search", "pattern = \"drowned\", path = \".\""),
        shell(
            "cat .premath/probe.jsonl .premath/audit.jsonl .premath/desk.db; ln -s .premath/probe.jsonl link; ls -A .premath",
        ),
        call("fs_read", "path = \"link\""),
        call("fs_list", "path = \".premath\""),
    ];
    let ran = room.work("reads", &turns.concat(), &["--scope", "files:read", "--scope", "process:run"]);
    let results = room.results("reads");
    assert_eq!(results.len(), 6, "{ran:?}");
    for at in [0, 4, 5] {
        assert_eq!(results[at]["errorCode"], "context.scope_violation", "{at}: {results:?}");
    }
    let texts: Vec<String> = results.iter().map(Value::to_string).collect();
    assert!(texts.iter().all(|text| !text.contains("drowned\\n")), "{texts:?}");
    assert!(!texts[1].contains(".premath/"), "{}", texts[1]);
}

#[test]
fn the_first_line_of_a_run_says_that_history_is_readable_unless_the_profile_hides_it() {
    let room = Room::new(&[], "");
    git(&room);
    let first = |run: &str, profile: &str| {
        let ran = room.work(run, "", &["--profile", profile]);
        format!("{}{}", ran.stdout, ran.stderr).lines().next().unwrap_or_default().to_owned()
    };
    assert!(first("open", "workspace-write").contains("git history is readable"));
    assert!(!first("closed", "isolated").contains("git history"));
    let checked = room.run(&["sandbox", "check"]).stdout;
    assert!(checked.contains("git history is readable in read-only, workspace-write, network"), "{checked}");
}
