//! Attacks that leave the files alone: another environment, another place, another door.

use crate::room::{JOURNAL, RESUME, SPEND_MORE};
use crate::{Attack, hold, room::Room};

const TRUST: [&str; 5] = ["trust", "--reason", "because I say so", "--all", "--json"];

const fn with(
    name: &'static str,
    then: &'static [&'static str],
    with: &'static [(&'static str, &'static str)],
    exit: i32,
) -> Attack {
    Attack { name, act: |_| (), then, with, exit: Some(exit), named: None }
}

pub(crate) const ATTACKS: &[Attack] = &[
    with("no state folder at all, for a resume", &RESUME, &[("XDG_STATE_HOME", "")], 4),
    with("no state folder at all, for a permit", &SPEND_MORE, &[("XDG_STATE_HOME", "")], 4),
    with(
        "a state folder of somebody else, for a resume",
        &RESUME,
        &[("XDG_STATE_HOME", "/tmp/premath-nobody")],
        4,
    ),
    with(
        "a state folder of somebody else, for a permit",
        &SPEND_MORE,
        &[("XDG_STATE_HOME", "/tmp/premath-nobody")],
        4,
    ),
    with("a step trusts what it likes", &TRUST, &[("PREMATH_STEP_TOKEN", "1")], 1),
    with("a trust without a reason", &["trust", "--all"], &[], 2),
    with("a program trusts", &["scheme-eval", "-e", "(host-call \"workspace.trust\")"], &[], 1),
    Attack {
        name: "another key in the state folder",
        act: |room| std::fs::write(room.folder.state().join("premath/clone.key"), [7_u8; 32]).unwrap(),
        then: &RESUME,
        with: &[],
        exit: Some(4),
        named: None,
    },
    Attack {
        name: "the state folder is in the repository",
        act: |room| {
            let inside = room.path("state/premath");
            std::fs::create_dir_all(&inside).unwrap();
            std::fs::copy(room.folder.state().join("premath/clone.key"), inside.join("clone.key")).unwrap();
            std::fs::remove_dir_all(room.folder.state()).unwrap();
            std::os::unix::fs::symlink(room.path("state"), room.folder.state()).unwrap();
        },
        then: &RESUME,
        with: &[],
        exit: Some(4),
        named: None,
    },
    Attack::on_files("the folder of git belongs to another clone", &RESUME, JOURNAL, |room| {
        std::fs::rename(room.path(".git"), room.path("other.git")).unwrap();
        std::os::unix::fs::symlink(room.path("other.git"), room.path(".git")).unwrap();
    })
    .exits(4),
    Attack::on_files(
        "the whole of .premath as it was earlier",
        &SPEND_MORE,
        ".premath/audit.jsonl",
        |room| {
            for log in [".premath/audit.jsonl", ".premath/issues.jsonl", crate::room::LEDGER] {
                room.roll_back("before-spending", log);
            }
        },
    ),
];

#[test]
fn no_way_around_the_gate_leads_elsewhere() {
    hold(ATTACKS);
}

/// A copy of the repository in another place can be read, and nothing in it is gone on with.
#[test]
fn a_copy_elsewhere_is_readable_and_not_resumable() {
    let room = Room::new();
    let elsewhere = Room::copied(&room);
    assert_eq!(elsewhere.run(&["issue", "list"]).code, Some(0));
    assert_eq!(elsewhere.run(&["runs", "show", "one"]).code, Some(0));
    let ran = elsewhere.run(&RESUME);
    assert_eq!(ran.code, Some(4), "{ran:?}");
}
