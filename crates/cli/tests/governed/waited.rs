//! What waited for a person is looked at again before it runs: the things it is about, what it would change, and the rules.

use crate::room::{Room, call};

/// Has another run rename a file, with a person's yes.
fn renamed(room: &Room, number: usize, name: &str) {
    let arguments = format!("file_id = \"{}\", name = \"{name}\"", room.files[number]);
    let before = room.pending("approvals");
    assert_eq!(room.begin("renames", &call("desk_rename_file", &arguments)).code, Some(3));
    let asked = room.pending("approvals");
    let id = asked.iter().find(|id| !before.contains(id)).unwrap();
    room.done(&["approvals", "approve", id]);
    room.done(&["resume", "renames"]);
}

/// One turn that renames two files of a person.
fn renaming_two(room: &Room) -> String {
    let one = |number: usize, name: &str| {
        format!(
            "[[turn.call]]\ntool = \"desk_rename_file\"\narguments = {{ file_id = \"{}\", name = \"{name}\" }}\n",
            room.files[number]
        )
    };
    format!("[[turn]]\ntext = \"Now.\"\n{}{}", one(0, "c.md"), one(1, "d.md"))
}

fn names(room: &Room) -> Vec<String> {
    room.items(&["desk", "list"]).iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_yes_to_a_file_is_none_to_what_it_is_called_by_now() {
    let room = Room::new(&["draft.md"], "");
    assert_eq!(room.begin("del", &room.deleting(&[0])).code, Some(3));
    let id = room.only("approvals");
    renamed(&room, 0, "contract.md");
    room.done(&["approvals", "approve", &id]);
    let ran = room.run(&["resume", "del"]);
    assert!(room.deleted().is_empty(), "{ran:?}");
    assert!(ran.stdout.contains("not what was asked about any more"), "{}", ran.stdout);
    assert!(room.audit(&["--run", "del", "--effect", "consumed"]).is_empty(), "it uses no yes up");
    room.is_sound(&["del", "renames"]);
}

#[test]
fn a_yes_to_a_change_is_none_to_another_change() {
    let room = Room::new(&[], "");
    room.write(".env", "A=1\n");
    let patch = call("apply_patch", r#"patch = "*** Begin Patch\n*** Delete File: .env\n*** End Patch""#);
    assert_eq!(room.work("patch", &patch, &[]).code, Some(3));
    room.done(&["approvals", "approve", &room.only("approvals")]);
    room.write(".env", "A=1\nB=never shown\n");
    let ran = room.run(&["resume", "patch"]);
    assert_eq!(std::fs::read_to_string(room.path().join(".env")).unwrap(), "A=1\nB=never shown\n", "{ran:?}");
    room.is_sound(&["patch"]);
}

#[test]
fn a_rule_that_nobody_promoted_keeps_a_waiting_run_from_going_on() {
    let room = Room::new(&["draft.md"], "");
    assert_eq!(room.begin("del", &room.deleting(&[0])).code, Some(3));
    room.done(&["approvals", "approve", &room.only("approvals")]);
    room.done(&["policy", "export", "policies"]);
    let rule = "@id(\"no.deletes\") @reason(\"Not any more\")\n\
        forbid (principal, action == Action::\"desk_delete_file\", resource);\n";
    room.write("policies/governor/no.cedar", rule);
    let examples = r#"{"no.deletes": {"match": [{"tool": "desk_delete_file", "arguments": {"id": "fil_1"}}],
        "noMatch": [{"tool": "desk_list_files", "arguments": {}}]}}"#;
    room.write("policies/governor/no.examples.json", examples);
    assert_eq!(room.refused(&["resume", "del"]), "governance.policy_package_unpinned");
    assert!(room.deleted().is_empty());
    assert!(room.run(&["resume", "del"]).stdout.contains("policies/governor/no.cedar"));
    // The run goes on when the files are the package in force again.
    std::fs::remove_file(room.path().join("policies/governor/no.cedar")).unwrap();
    std::fs::remove_file(room.path().join("policies/governor/no.examples.json")).unwrap();
    room.done(&["resume", "del"]);
    assert_eq!(room.deleted(), ["draft.md"]);
    room.is_sound(&["del"]);
}

#[test]
fn a_yes_is_not_used_while_its_turn_still_waits() {
    for seconds in [3, 6, 12, 24, 48] {
        let room = Room::new(&["a.md", "b.md"], &format!("policy.approval_seconds = {seconds}\n"));
        assert_eq!(room.begin("two", &renaming_two(&room)).code, Some(3));
        let asked = room.pending("approvals");
        let [first, second] = asked.as_slice() else { panic!("{asked:?}") };
        if room.run(&["approvals", "approve", first]).code != Some(0) {
            continue;
        }
        assert_eq!(room.run(&["resume", "two"]).code, Some(3), "the other one waits");
        let state = room.json(&["approvals", "show", first])["approval"]["state"].clone();
        if state == "expired" {
            continue;
        }
        assert_eq!(state, "approved", "it is used when the turn goes on, not before");
        room.until("approvals", first, "expired");
        room.until("approvals", second, "expired");
        assert_eq!(room.run(&["resume", "two"]).code, Some(3), "both are asked again");
        assert_eq!(room.pending("approvals").len(), 2);
        assert_eq!(names(&room), ["a.md", "b.md"], "nothing runs after its time");
        assert!(room.audit(&["--kind", "approval", "--effect", "consumed"]).is_empty());
        return;
    }
    panic!("nobody could answer in time");
}

#[test]
fn two_who_are_agreed_to_one_after_the_other_run_together() {
    let room = Room::new(&["a.md", "b.md"], "");
    assert_eq!(room.begin("two", &renaming_two(&room)).code, Some(3));
    for id in room.pending("approvals") {
        room.done(&["approvals", "approve", &id]);
    }
    room.done(&["resume", "two"]);
    assert_eq!(names(&room), ["c.md", "d.md"]);
    assert_eq!(room.audit(&["--kind", "approval", "--effect", "consumed"]).len(), 2);
    room.is_sound(&["two"]);
}
