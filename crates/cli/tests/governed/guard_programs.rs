//! Guards that are programs, in the sandbox of the system: one that works is heard, and one that is killed, hangs or writes
//! something else denies, with a typed reason and a row in the audit.

use serde_json::Value;

use crate::room::{Room, call};

/// Behaves until a text has the word, so that its self-test is green and the call itself meets what is broken.
fn guard(broken: &str, deadline: u32) -> String {
    let script = format!(
        "text=$(cat); case \"$text\" in *trouble*) {broken};; *) echo '{{\\\"triggered\\\": false}}';; esac"
    );
    format!(
        "[[guardrails.command]]\nname = \"scan\"\nrun = [\"/bin/sh\", \"-c\", '''{}''']\nstages = [\"input\"]\n\
         deadline_ms = {deadline}\n",
        script.replace("\\\"", "\"")
    )
}

fn write(text: &str) -> String {
    let patch = format!("*** Begin Patch\\n*** Add File: made.txt\\n+{text}\\n*** End Patch");
    call("apply_patch", &format!("patch = \"{patch}\""))
}

fn run(room: &Room, text: &str) -> Vec<Value> {
    room.write("scene.toml", &format!("name = \"scene\"\n{}[[turn]]\ntext = \"So be it.\"\n", write(text)));
    let ran =
        room.run(&["run", "write it", "--model", "scripted:scene.toml", "--run-id", "writes", "--json"]);
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{ran:?}"))).collect()
}

#[test]
fn a_program_that_works_is_heard_in_the_sandbox() {
    // It cannot write, and it has no network: what it says is all it can do.
    let room = Room::new(&[], &guard("touch reached; echo \"{\\\"triggered\\\": true}\"", 20_000));
    run(&room, "nothing of interest");
    assert!(room.path().join("made.txt").exists(), "it lets pass what it does not mind");
    let room = Room::new(&[], &guard("touch reached; echo \"{\\\"triggered\\\": true}\"", 20_000));
    run(&room, "trouble");
    assert!(!room.path().join("made.txt").exists(), "it fired");
    assert!(!room.path().join("reached").exists(), "it reads only");
    let rows = room.audit(&["--run", "writes", "--effect", "deny"]);
    assert!(rows.iter().any(|row| row["policyName"] == "scan"), "{rows:?}");
}

#[test]
fn a_program_that_is_killed_hangs_or_writes_garbage_denies_and_says_why() {
    for (broken, deadline, code) in [
        ("kill -9 $$", 20_000, "guard_unavailable"),
        ("sleep 600", 700, "guard_timed_out"),
        ("echo fine", 20_000, "guard_unreadable"),
    ] {
        let room = Room::new(&[], &guard(broken, deadline));
        let health = room.json(&["policy", "show"]);
        let scan = health["guards"].as_array().unwrap().iter().find(|guard| guard["id"] == "scan").unwrap();
        assert!(scan.get("red").is_none(), "{broken}: it is well until it is needed: {scan}");
        let events = run(&room, "trouble");
        assert!(!room.path().join("made.txt").exists(), "{broken}: the call ran");
        let finished = events.iter().find(|row| row["event"] == "call.finished").unwrap();
        assert_eq!(finished["errorCode"], "policy_denied", "{broken}: {finished}");
        let told = finished.to_string();
        assert!(!told.contains("scan") && !told.contains("guard_"), "{broken}: the model reads {told}");
        let rows = room.audit(&["--run", "writes", "--effect", "deny"]);
        let row = rows.iter().find(|row| row["policyName"] == "scan");
        let row = row.unwrap_or_else(|| panic!("{broken}: no row: {rows:?}"));
        assert!(row.to_string().contains(code), "{broken}: {row}");
        room.is_sound(&["writes"]);
    }
}
