//! Ways around the gate, from outside the sandbox: whoever writes the repository and cannot read the person's state folder
//! edits, deletes, replays, rolls back, repoints and swaps its files (R27).
//!
//! After each attack the command that would act on it is run: nothing may change in issue memory, and `verify` must name what
//! was touched. A new attack is one entry of a table.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test starts programs and reads what they say; what is missing fails it"
)]

#[path = "../folder/mod.rs"]
#[expect(dead_code, reason = "other tests read what a command says to people")]
mod folder;

mod audit;
mod elsewhere;
mod evidence;
mod forgery;
mod issue_path;
mod issues;
mod journal;
mod package;
mod permits;
mod room;
mod trust;
#[path = "../unkeyed/mod.rs"]
mod unkeyed;

use room::{ISSUES, Room};

/// One way around the gate.
pub(crate) struct Attack {
    /// What is done, in words.
    pub(crate) name: &'static str,
    /// Does it.
    pub(crate) act: fn(&Room),
    /// The command that would act on it.
    pub(crate) then: &'static [&'static str],
    /// In which environment, beside that of the person.
    pub(crate) with: &'static [(&'static str, &'static str)],
    /// How that must end; any refusal where it is not said.
    pub(crate) exit: Option<i32>,
    /// What `verify` must name; nothing where no file was touched.
    pub(crate) named: Option<&'static str>,
}

impl Attack {
    /// Files are changed, and a command of the person acts on them.
    pub(crate) const fn on_files(
        name: &'static str,
        then: &'static [&'static str],
        named: &'static str,
        act: fn(&Room),
    ) -> Self {
        Self { name, act, then, with: &[], exit: None, named: Some(named) }
    }

    /// The same, with the exit code that is promised.
    pub(crate) const fn exits(self, exit: i32) -> Self {
        Self { exit: Some(exit), ..self }
    }
}

/// Tries every attack on the same repository, and says which got through.
#[track_caller]
pub(crate) fn hold(attacks: &[Attack]) {
    hold_in(&Room::new(), attacks);
}

/// The same on a repository that is prepared already.
#[track_caller]
pub(crate) fn hold_in(room: &Room, attacks: &[Attack]) {
    let mut through = Vec::new();
    for attack in attacks {
        room.restore();
        (attack.act)(room);
        through.extend(outcome(room, attack).err().map(|why| format!("{}: {why}", attack.name)));
    }
    assert!(
        through.is_empty(),
        "{} of {} got through:\n{}",
        through.len(),
        attacks.len(),
        through.join("\n")
    );
}

fn outcome(room: &Room, attack: &Attack) -> Result<(), String> {
    let memories = || [room.path(ISSUES), room.outside_issues()].map(|path| std::fs::read(path).ok());
    let before = memories();
    let ran = room.run_with(attack.then, attack.with);
    let is_refused = match attack.exit {
        Some(code) => ran.code == Some(code),
        None => ran.code.is_some_and(|code| code != 0),
    };
    if !is_refused {
        return Err(format!("`{}` ended with {:?}: {ran:?}", attack.then.join(" "), ran.code));
    }
    if memories() != before {
        return Err("issue memory changed".to_owned());
    }
    let Some(named) = attack.named else { return Ok(()) };
    let (_, verified) = room.verify();
    let problems = verified["problems"].as_array().unwrap();
    // What was changed is the `path` of a problem, what is gone its `missing`. A folder stands for any file in it.
    let is_named =
        |path: &str| if named.ends_with('/') { path.contains(named) } else { path.ends_with(named) };
    let names = |problem: &serde_json::Value| {
        let is_it = |member: &str| problem[member].as_str().is_some_and(is_named);
        is_it("path") || is_it("missing")
    };
    match problems.iter().any(names) {
        true => Ok(()),
        false => Err(format!("`verify` does not name {named}: {verified}")),
    }
}

/// How many attacks there are: a number that only grows.
#[test]
fn there_are_at_least_ninety_ways_to_try() {
    let families = [
        audit::ATTACKS,
        elsewhere::ATTACKS,
        evidence::ATTACKS,
        issue_path::ATTACKS,
        issues::ATTACKS,
        journal::ATTACKS,
        package::ATTACKS,
        permits::ATTACKS,
    ];
    assert!(families.iter().map(|family| family.len()).sum::<usize>() >= 90);
}

/// Without an attack every command that is tried above works: none of them is refused for another reason.
#[test]
fn without_an_attack_every_command_works() {
    let room = Room::new();
    let (code, verified) = room.verify();
    assert_eq!(code, 0, "{verified}");
    for command in [&room::RESUME[..], &room::SPEND_MORE, &room::BY_HAND, &room::RUN_MORE] {
        room.restore();
        let ran = room.run(command);
        assert_eq!(ran.code, Some(0), "{command:?}: {ran:?}");
    }
    room.restore();
    // The same call is the same turn, and its permit is spent.
    assert_eq!(room.run(&room::SPEND_AGAIN).code, Some(1));
}
