//! What a person takes over with `premath trust`, and what is left on record of it.

use crate::forgery::{put_rows, rows, unkeyed_head};
use crate::room::{AUDIT, JOURNAL, RESUME, Room};
use crate::unkeyed::without_mac;

#[test]
fn a_change_without_a_key_to_sign_it_is_refused_and_writes_nothing() {
    let room = Room::new();
    let before = room.read(AUDIT);
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_premath"))
        .args(["issue", "add", "one"])
        .env_clear()
        .current_dir(room.folder.path())
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{complaint}");
    assert!(complaint.contains("XDG_STATE_HOME"), "{complaint}");
    assert_eq!(room.read(AUDIT), before);
    let empty = tempfile::tempdir().unwrap();
    let command = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_premath"));
        command.args(arguments).env_clear().current_dir(empty.path()).output().unwrap().status.code()
    };
    assert_eq!((command(&["init"]), command(&["issue", "add", "one"])), (Some(4), Some(4)));
}

#[test]
fn a_copied_repository_is_trusted_on_record_and_goes_on() {
    let room = Room::new();
    let copy = Room::copied(&room);
    let ran = copy.run(&["trust", "--reason", "a new machine", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    // Runs are named one by one.
    assert_eq!(copy.run(&RESUME).code, Some(4));
    let ran = copy.run(&["trust", "--reason", "a new machine", "--runs", "one", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = copy.run(&RESUME);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let (_, verified) = copy.verify();
    let records = verified["takenOver"].as_array().unwrap();
    assert!(records.iter().all(|record| record["by"] == "workspace.trust"), "{verified}");
    assert!(records.iter().any(|record| record["reason"] == "a new machine"), "{verified}");
}

#[test]
fn a_log_that_contradicts_itself_is_not_trusted() {
    let room = Room::new();
    let copy = Room::copied(&room);
    let mut all = rows(&copy, JOURNAL);
    all.swap(1, 2);
    put_rows(&copy, JOURNAL, &all);
    let ran = copy.run(&["trust", "--reason", "a new machine", "--all", "--json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_eq!(copy.run(&RESUME).code, Some(4));
}

/// Data as a version without keys left it: rows without MACs, heads without MACs, and nothing in the state folder.
fn before_keys(room: &Room) {
    for log in [AUDIT, JOURNAL, ".premath/issues.jsonl", ".premath/runs/two/journal.jsonl"] {
        let bare: Vec<String> = rows(room, log).iter().map(|row| without_mac(row)).collect();
        put_rows(room, log, &bare);
        room.put(&format!("{log}.head"), unkeyed_head(room, log));
    }
    for entry in std::fs::read_dir(room.path(".premath/permits")).unwrap() {
        let name = format!(".premath/permits/{}", entry.unwrap().file_name().to_string_lossy());
        if name.ends_with(".jsonl") {
            let bare: Vec<String> = rows(room, &name).iter().map(|row| without_mac(row)).collect();
            put_rows(room, &name, &bare);
            room.put(&format!("{name}.head"), unkeyed_head(room, &name));
        }
    }
    std::fs::remove_dir_all(room.folder.state().join("premath/clones")).unwrap();
}

#[test]
fn data_from_before_keys_is_readable_and_goes_on_after_an_upgrade() {
    let room = Room::new();
    before_keys(&room);
    assert_eq!(room.run(&["runs", "show", "one"]).code, Some(0));
    assert_eq!(room.run(&RESUME).code, Some(4));
    let (code, verified) = room.verify();
    let is_unkeyed = |problem: &serde_json::Value| problem["class"] == "verify.unkeyed";
    assert!(code == 1 && verified["problems"].as_array().unwrap().iter().any(is_unkeyed), "{verified}");
    let ran = room.run(&["trust", "--upgrade", "--reason", "first start with keys", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let ran = room.run(&RESUME);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let (code, verified) = room.verify();
    assert_eq!(code, 0, "{verified}");
}

#[test]
fn without_the_key_verify_says_so_and_ends_with_4() {
    let room = Room::new();
    let ran = room.run_with(&["verify", "--json"], &[("XDG_STATE_HOME", "")]);
    let verified: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (ran.code, &verified["state"]),
        (Some(4), &serde_json::json!("not_verifiable_here")),
        "{ran:?}"
    );
    assert_eq!(verified["ok"], false);
}

/// The script of the forged journal, as it is in the repository.
#[test]
fn the_script_of_the_forged_journal_ends_with_a_refusal() {
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/forged-journal");
    let output =
        std::process::Command::new(script).env("PREMATH", env!("CARGO_BIN_EXE_premath")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}
