//! What becomes of a question: too late is no, a yes is used once, and two who answer at the same time are not two answers.

use std::process::Stdio;

use serde_json::json;

use crate::room::Room;

#[test]
fn an_expired_approval_never_runs() {
    let room = Room::new(&["notes.md"], "policy.approval_seconds = 1\n");
    let ran = room.begin("late", &room.deleting(&[0]));
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let asked = room.items(&["approvals", "list"]);
    let id = asked[0]["id"].as_str().unwrap().to_owned();
    room.until("approvals", &id, "expired");
    assert_eq!(room.refused(&["approvals", "approve", &id]), "approval_expired");
    let rows = room.audit(&["--kind", "approval", "--effect", "expired"]);
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!((&row["approvalId"], &row["actor"]), (&json!(id), &json!("clock")));
    assert_eq!(room.run(&["resume", "late"]).code, Some(3), "it asks again");
    assert!(room.deleted().is_empty(), "what no person agreed to does not run");
    room.until("approvals", &id, "expired");
    assert_eq!(room.refused(&["approvals", "approve", &id]), "approval_expired", "the second time as well");
    assert_eq!(
        room.audit(&["--kind", "approval", "--effect", "expired"]).len(),
        2,
        "each expiry is told once"
    );
    assert!(room.audit(&["--kind", "approval", "--effect", "approved"]).is_empty());
    room.is_sound(&["late"]);
}

#[test]
fn a_resumed_run_asks_an_expired_question_again_and_a_new_yes_runs_the_call() {
    let room = Room::new(&["notes.md"], "policy.approval_seconds = 1\n");
    assert_eq!(room.begin("late", &room.deleting(&[0])).code, Some(3));
    let id = room.items(&["approvals", "list"])[0]["id"].as_str().unwrap().to_owned();
    room.until("approvals", &id, "expired");
    room.configure("policy.approval_seconds = 600\n");
    assert_eq!(room.run(&["resume", "late"]).code, Some(3));
    assert_eq!(room.only("approvals"), id, "the same question under the same id");
    room.done(&["approvals", "approve", &id]);
    room.done(&["resume", "late"]);
    assert_eq!(room.deleted(), ["notes.md"]);
    let rows = room.audit(&["--run", "late", "--kind", "approval"]);
    let effects: Vec<_> = rows.iter().rev().map(|row| row["effect"].as_str().unwrap()).collect();
    assert_eq!(effects, ["requested", "expired", "requested", "approved", "consumed"]);
    room.is_sound(&["late"]);
}

#[test]
fn a_yes_that_nobody_uses_in_time_never_runs() {
    // However slow the machine is, some wait is long enough to answer in.
    for seconds in [2, 4, 8, 16, 32] {
        let room = Room::new(&["notes.md"], &format!("policy.approval_seconds = {seconds}\n"));
        assert_eq!(room.begin("late", &room.deleting(&[0])).code, Some(3));
        let id = room.items(&["approvals", "list"])[0]["id"].as_str().unwrap().to_owned();
        if room.run(&["approvals", "approve", &id]).code != Some(0) {
            continue;
        }
        room.until("approvals", &id, "expired");
        assert_eq!(room.run(&["resume", "late"]).code, Some(3), "it asks again");
        assert!(room.deleted().is_empty(), "the yes was too old");
        assert_eq!(room.audit(&["--kind", "approval", "--effect", "approved"]).len(), 1);
        assert_eq!(room.audit(&["--kind", "approval", "--effect", "expired"]).len(), 1);
        assert!(room.audit(&["--kind", "approval", "--effect", "consumed"]).is_empty());
        return;
    }
    panic!("nobody could answer in time");
}

#[test]
fn a_yes_is_used_once() {
    let room = Room::new(&["notes.md"], "");
    // The model asks for the same call again after it was undone for it.
    assert_eq!(room.begin("twice", &room.deleting(&[0, 0])).code, Some(3));
    let first = room.only("approvals");
    room.done(&["approvals", "approve", &first]);
    let ran = room.run(&["resume", "twice"]);
    assert_eq!(room.deleted(), ["notes.md"], "{ran:?}");
    assert_eq!(room.json(&["approvals", "show", &first])["approval"]["state"], "consumed");
    let used = room.audit(&["--kind", "approval", "--effect", "consumed"]);
    assert_eq!(used.len(), 1, "{used:?}");
    assert_eq!(room.refused(&["approvals", "approve", &first]), "approval_decided");
}

#[test]
fn a_yes_for_one_run_is_none_for_another() {
    let room = Room::new(&["a.md"], "");
    assert_eq!(room.begin("one", &room.deleting(&[0])).code, Some(3));
    room.done(&["approvals", "approve", &room.only("approvals")]);
    // The very same call in another run.
    assert_eq!(room.begin("two", &room.deleting(&[0])).code, Some(3));
    assert_eq!(room.json(&["approvals", "show", &room.only("approvals")])["approval"]["runId"], "two");
    assert!(room.deleted().is_empty());
    room.done(&["resume", "one"]);
    assert_eq!(room.deleted(), ["a.md"]);
}

#[test]
fn a_yes_for_the_run_covers_the_same_thing_again_and_nothing_else() {
    let room = Room::new(&["a.md", "b.md"], "");
    let rename = |number: usize, name: &str| {
        let arguments = format!("file_id = \"{}\", name = \"{name}\"", room.files[number]);
        crate::room::call("desk_rename_file", &arguments)
    };
    let turns = [rename(0, "c.md"), rename(0, "d.md"), rename(1, "e.md")].concat();
    assert_eq!(room.begin("all", &turns).code, Some(3));
    let first = room.only("approvals");
    room.done(&["approvals", "approve", &first, "--scope", "run"]);
    assert_eq!(room.run(&["resume", "all"]).code, Some(3), "the other file is asked about");
    let asked = room.json(&["approvals", "show", &room.only("approvals")]);
    assert_eq!(asked["approval"]["targets"][0]["name"], "b.md");
    let names: Vec<_> =
        room.items(&["desk", "list"]).iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect();
    assert!(names.contains(&"d.md".to_owned()) && names.contains(&"b.md".to_owned()), "{names:?}");
    assert_eq!(room.audit(&["--kind", "approval", "--effect", "consumed"]).len(), 2);
    room.is_sound(&["all"]);
}

#[test]
fn of_many_who_answer_at_the_same_time_one_decides() {
    let room = Room::new(&["notes.md"], "");
    assert_eq!(room.begin("del", &room.deleting(&[0])).code, Some(3));
    let id = room.only("approvals");
    let verbs = ["approve", "deny", "approve", "deny"];
    let children: Vec<_> = verbs
        .iter()
        .map(|verb| {
            let mut command = room.command(&["approvals", verb, &id, "--json"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let ended: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    let winners: Vec<_> = verbs
        .iter()
        .zip(&ended)
        .filter(|(_, output)| output.status.success())
        .map(|(verb, _)| *verb)
        .collect();
    let [winner] = winners.as_slice() else { panic!("{winners:?}: {ended:?}") };
    for output in ended.iter().filter(|output| !output.status.success()) {
        assert!(String::from_utf8_lossy(&output.stdout).contains("approval_decided"), "{output:?}");
    }
    let state = if *winner == "approve" { "approved" } else { "denied" };
    assert_eq!(room.json(&["approvals", "show", &id])["approval"]["state"], state);
    let decided = [
        room.audit(&["--kind", "approval", "--effect", "approved"]),
        room.audit(&["--kind", "approval", "--effect", "denied"]),
    ]
    .concat();
    assert_eq!(decided.len(), 1, "{decided:?}");
    room.done(&["resume", "del"]);
    assert_eq!(room.deleted().len(), usize::from(*winner == "approve"));
    room.is_sound(&["del"]);
}

/// Every file below a folder in which a text is.
fn files_with(folder: &std::path::Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if std::fs::read(&path).unwrap().windows(text.len()).any(|window| window == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn a_secret_in_what_a_person_says_is_kept_nowhere() {
    // Put together here, so that no scanner of source code takes it for one.
    let secret = format!("ghp{}16C7e42F292c6912E7710c838347Ae178B4a", "_");
    let said = format!("no: {secret} is not yours");
    let room = Room::new(&["a.md", "b.md"], "");
    assert_eq!(room.begin("del", &room.deleting(&[0])).code, Some(3));
    let id = room.only("approvals");
    let denied = room.json(&["approvals", "deny", &id, "--message", &said]);
    let kept = denied["approval"]["message"].as_str().unwrap();
    assert!(kept.starts_with("no: [redacted:") && kept.ends_with("is not yours"), "{kept}");
    room.done(&["resume", "del"]);
    for (run, verb) in [("plan", "reject"), ("more", "approve")] {
        assert_eq!(room.begin(run, &room.planning()).code, Some(3));
        let plan = room.only("proposals");
        let decided = room.json(&["proposals", verb, &plan, "--message", &said]);
        assert!(decided["proposal"]["message"].as_str().unwrap().contains("[redacted:"), "{decided}");
        room.done(&["resume", run]);
    }
    assert_eq!(files_with(&room.path().join(".premath"), &secret), Vec::<String>::new());
}
