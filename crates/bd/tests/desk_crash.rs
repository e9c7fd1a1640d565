//! The desk under processes that are killed, that race each other, and on files that are not what they should be.

#![expect(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "it starts, watches and kills processes of its own, and looks at the files"
)]

mod desk_room;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use desk_room::{ada, at, markdown, open, person, plan, question};
use premath_bd::desk::{
    Applied, ApprovalScope, AskedCall, Decision, Desk, Operation, PersonCredential, StepState, TextChange,
    Verdict,
};
use premath_bd::{IdSource, StoreError};
use premath_testkit::TestClock;

const ROLE: &str = "PREMATH_DESK_ROLE";
const FOLDER: &str = "PREMATH_DESK_FOLDER";
/// How many changes the script makes.
const SCRIPT: usize = 10;

/// Counts like the others, and stops for ever at one number, in the middle of whatever asked for a name.
#[derive(Debug)]
struct StoppingIds {
    given: AtomicU64,
    last: u64,
}

impl IdSource for StoppingIds {
    fn fresh(&self) -> String {
        let number = self.given.fetch_add(1, Ordering::Relaxed) + 1;
        if number > self.last {
            say("stopped");
            loop {
                std::thread::park();
            }
        }
        format!("file-{number}")
    }
}

fn say(line: &str) {
    println!("\nsay {line}");
    std::io::stdout().flush().unwrap();
}

fn stopping(folder: &Path, last: u64) -> Desk {
    let ids = Arc::new(StoppingIds { given: AtomicU64::new(0), last });
    Desk::open(&folder.join(Desk::FILE_NAME), Arc::new(TestClock::at(at(0))), ids).unwrap()
}

fn yes() -> Decision {
    Decision {
        verdict: Verdict::Approve,
        scope: ApprovalScope::Once,
        message: None,
        valid_until: None,
        shown: None,
    }
}

/// One change after the other, everything the desk can do at least once.
fn step(desk: &Desk, number: usize) {
    let applied = |operation: &Operation| match desk.apply(person(), operation, "").unwrap() {
        Applied::Written(_) => {}
        other @ (Applied::Repeated(_) | Applied::Refused(_)) => panic!("{other:?}"),
    };
    let file = || desk.list(None, None, 1).unwrap().unwrap().files[0].id.clone();
    let request = question("c1", "fil_1", "a.md");
    let approval = || desk.approvals(None, None, 1).unwrap()[0].id.clone();
    let proposal = || desk.proposals(None, None, 1).unwrap().remove(0);
    match number {
        0 => applied(&markdown("a.md", "one")),
        1 => applied(&Operation::UpdateMarkdown {
            file: file(),
            version: 1,
            change: TextChange::Content("two".to_owned()),
        }),
        2 => drop(desk.request_approval(&request).unwrap().unwrap()),
        3 => drop(desk.decide_approval(&ada(), &approval(), &yes()).unwrap().unwrap()),
        4 => {
            let call = AskedCall {
                run_id: &request.run_id,
                call_id: &request.call_id,
                tool_call_id: &request.tool_call_id,
                tool: &request.tool,
                arguments: &request.arguments,
                targets: &request.targets,
            };
            desk.consume_approval(&ada(), &approval(), &call).unwrap().unwrap();
        }
        5 => applied(&Operation::DeleteFile { file: file(), version: None }),
        6 => drop(desk.propose(&plan(2), 900).unwrap().unwrap()),
        7 => {
            let proposal = proposal();
            desk.approve_proposal(&ada(), &proposal.id, &proposal.plan_digest, None).unwrap().unwrap();
        }
        8 => {
            let proposal = proposal();
            desk.begin_execution(&ada(), &proposal.id, &proposal.plan_digest, "w", 30).unwrap().unwrap();
        }
        _ => drop(desk.record_step(&proposal().id, 1, 1, StepState::Ok, "").unwrap().unwrap()),
    }
}

/// Everything in every table, as text.
fn dump(folder: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(folder.join(Desk::FILE_NAME)).unwrap();
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'words%'
         AND name NOT LIKE 'sqlite%' ORDER BY name";
    let mut statement = connection.prepare(names).unwrap();
    let tables: Vec<String> =
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut lines = Vec::new();
    for table in tables.into_iter().chain(["words".to_owned()]) {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2")).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values: Vec<_> = (0..columns)
                .map(|at| format!("{:?}", row.get::<_, rusqlite::types::Value>(at).unwrap()))
                .collect();
            lines.push(format!("{table}: {}", values.join(" ")));
        }
    }
    lines
}

fn child(role: &str, folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_child_of_the_other_tests", "--nocapture", "--test-threads", "1"])
        .env(ROLE, role)
        .env(FOLDER, folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What the child says, line by line, until it says no more.
fn said(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("say ").map(str::to_owned))
}

#[test]
fn the_child_of_the_other_tests() {
    // Other tests start it as a process of its own, and say what for; by itself it has nothing to do.
    let Ok(role) = std::env::var(ROLE) else { return };
    let folder = std::env::var(FOLDER).unwrap();
    let folder = Path::new(&folder);
    match role.split_once(' ') {
        Some(("script", last)) => {
            let desk = stopping(folder, last.parse().unwrap());
            for number in 0..SCRIPT {
                step(&desk, number);
                say(&format!("done {number}"));
            }
        }
        Some(("create", name)) => {
            let desk = open(folder, &TestClock::at(at(0)), name).unwrap();
            for number in 0_u64.. {
                let created = desk.apply(person(), &markdown(&format!("{name} {number}"), "x"), "").unwrap();
                assert!(matches!(created, Applied::Written(_)), "{created:?}");
                say(&format!("done {number}"));
            }
        }
        Some(("decide", name)) => {
            let desk = open(folder, &TestClock::at(at(0)), name).unwrap();
            let credential = PersonCredential::new(name.to_owned(), [7; 32]);
            let id = desk.approvals(None, None, 1).unwrap()[0].id.clone();
            say("ready");
            std::io::stdin().lines().next().unwrap().unwrap();
            match desk.decide_approval(&credential, &id, &yes()).unwrap() {
                Ok(approval) => say(&format!("won {}", approval.decided_by.unwrap())),
                Err(refusal) => say(&format!("lost {refusal}")),
            }
        }
        _ => panic!("no such role: {role}"),
    }
}

#[test]
fn a_process_that_is_killed_between_two_statements_leaves_only_what_it_acknowledged() {
    let mut stops = 0;
    for last in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let mut process = child(&format!("script {last}"), folder.path());
        let lines: Vec<_> = said(&mut process).take_while(|line| line != "stopped").collect();
        process.kill().unwrap();
        process.wait().unwrap();
        if lines.len() == SCRIPT {
            break;
        }
        stops += 1;
        let untouched = tempfile::tempdir().unwrap();
        let desk = stopping(untouched.path(), u64::MAX);
        (0..lines.len()).for_each(|number| step(&desk, number));
        // The next process finds what was acknowledged, exactly, and goes on.
        let again = open(folder.path(), &TestClock::at(at(0)), "again").unwrap();
        assert_eq!(dump(folder.path()), dump(untouched.path()), "stopped at name {}", last + 1);
        again.check().unwrap();
        (lines.len()..SCRIPT).for_each(|number| step(&again, number));
    }
    assert!(stops >= 12, "only {stops} places to stop at");
}

#[test]
fn a_process_that_is_killed_at_any_time_loses_nothing_it_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = 0;
    let rounds = 8;
    for round in 0..rounds {
        let mut process = child(&format!("create round-{round}"), folder.path());
        let mut lines = said(&mut process);
        let done = lines.by_ref().take(5 + round).count();
        process.kill().unwrap();
        process.wait().unwrap();
        // What it said before it was killed, and we had not read yet.
        acknowledged += done + lines.count();
        let desk = open(folder.path(), &TestClock::at(at(0)), "look").unwrap();
        desk.check().unwrap();
        let total = usize::try_from(desk.list(None, None, 1).unwrap().unwrap().total).unwrap();
        assert!(
            (acknowledged..=acknowledged + round + 1).contains(&total),
            "{acknowledged}, and {total} there"
        );
        let mut rows = 0;
        desk.drain::<StoreError>(&mut |_| {
            rows += 1;
            Err(StoreError::Busy { path: "full".into() })
        })
        .unwrap_err();
        assert_eq!(rows, 1);
    }
    let desk = open(folder.path(), &TestClock::at(at(0)), "look").unwrap();
    let total = desk.list(None, None, 1).unwrap().unwrap().total;
    assert_eq!(desk.drain::<StoreError>(&mut |_| Ok(())).unwrap(), total, "a change without its row");
}

#[test]
fn two_processes_decide_and_one_of_them_learns_who_won() {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let desk = open(folder.path(), &TestClock::at(at(0)), "main").unwrap();
        let id = desk.request_approval(&question("c1", "fil_1", "a.md")).unwrap().unwrap().approval.id;
        let mut processes = ["ada", "bob"].map(|name| child(&format!("decide {name}"), folder.path()));
        let mut lines = Vec::new();
        for process in &mut processes {
            let mut said = said(process);
            assert_eq!(said.next().unwrap(), "ready");
            lines.push(said);
        }
        for process in &mut processes {
            process.stdin.take().unwrap().write_all(b"go\n").unwrap();
        }
        let mut outcomes: Vec<_> = lines.into_iter().map(|said| said.collect::<Vec<_>>().remove(0)).collect();
        processes.iter_mut().for_each(|process| assert!(process.wait().unwrap().success()));
        outcomes.sort();
        let winner = desk.approval(&id).unwrap().unwrap().decided_by.unwrap();
        assert_eq!(outcomes[1], format!("won {winner}"));
        assert!(outcomes[0].starts_with("lost approval_decided: "), "{outcomes:?}");
        assert!(outcomes[0].contains(&format!("by `{winner}`")), "{outcomes:?}");
    }
}

/// A desk of some size, closed; its bytes.
fn closed(folder: &Path) -> Vec<u8> {
    let desk = open(folder, &TestClock::at(at(0)), "main").unwrap();
    for number in 0..40 {
        let content = format!("content {number} ").repeat(60);
        desk.apply(person(), &markdown(&format!("file {number}"), &content), "").unwrap();
    }
    drop(desk);
    std::fs::read(folder.join(Desk::FILE_NAME)).unwrap()
}

fn contents(desk: &Desk) -> Result<Vec<String>, StoreError> {
    let page = desk.list(None, None, 99)?.unwrap();
    page.files.iter().map(|file| Ok(desk.read_file(&file.id, None)?.unwrap().content)).collect()
}

#[test]
fn a_damaged_file_is_refused_and_no_other_content_is_handed_out() {
    let folder = tempfile::tempdir().unwrap();
    let sound = closed(folder.path());
    let path = folder.path().join(Desk::FILE_NAME);
    let truth = contents(&open(folder.path(), &TestClock::at(at(0)), "x").unwrap()).unwrap();
    let mut noticed = 0;
    for place in (0..sound.len()).step_by(sound.len() / 150) {
        let mut damaged = sound.clone();
        damaged[place] ^= 0x15;
        std::fs::write(&path, &damaged).unwrap();
        let read = open(folder.path(), &TestClock::at(at(0)), "x").and_then(|desk| contents(&desk));
        match read {
            Ok(read) => assert!(read == truth, "byte {place}: something else was handed out"),
            Err(StoreError::Corrupt { .. } | StoreError::Newer { .. }) => noticed += 1,
            Err(other) => panic!("byte {place}: {other}"),
        }
    }
    assert!(noticed > 20, "only {noticed} noticed");
    for bytes in [&sound[..sound.len() / 2], &sound[..5000], b"not a database at all", &[0; 4096]] {
        std::fs::write(&path, bytes).unwrap();
        let opened = open(folder.path(), &TestClock::at(at(0)), "x").map(drop);
        assert!(matches!(opened, Err(StoreError::Corrupt { .. })), "{} bytes: {opened:?}", bytes.len());
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "what is refused is left alone");
    }
}

#[test]
fn a_database_of_a_newer_version_or_of_something_else_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(closed(folder.path()));
    let path = folder.path().join(Desk::FILE_NAME);
    let change =
        |statement: &str| rusqlite::Connection::open(&path).unwrap().execute_batch(statement).unwrap();
    let opened = || open(folder.path(), &TestClock::at(at(0)), "x").map(drop);
    change("PRAGMA user_version = 5");
    let error = opened().unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 5, known: 4, .. }), "{error}");
    change("PRAGMA user_version = 4; PRAGMA application_id = 77");
    assert!(matches!(opened().unwrap_err(), StoreError::Corrupt { .. }));
    std::fs::remove_file(&path).unwrap();
    change("CREATE TABLE somebody(elses INTEGER)");
    assert!(matches!(opened().unwrap_err(), StoreError::Corrupt { .. }));
}

#[test]
fn what_is_not_there_is_missing_and_what_is_locked_is_busy() {
    let folder = tempfile::tempdir().unwrap();
    let existing = |path: &Path| {
        let ids = Arc::new(premath_testkit::CountingIds::default());
        Desk::open_existing(path, Arc::new(TestClock::at(at(0))), ids).map(drop)
    };
    let path = folder.path().join(Desk::FILE_NAME);
    assert!(matches!(existing(&path).unwrap_err(), StoreError::Missing { .. }));
    std::fs::write(&path, b"").unwrap();
    assert!(matches!(existing(&path).unwrap_err(), StoreError::Missing { .. }));
    assert!(matches!(
        open(&folder.path().join("no such folder"), &TestClock::at(at(0)), "x").map(drop).unwrap_err(),
        StoreError::Missing { .. }
    ));
    drop(closed(folder.path()));
    existing(&path).unwrap();

    let desk = open(folder.path(), &TestClock::at(at(0)), "busy").unwrap();
    let desk = desk.with_patience(std::time::Duration::from_millis(1)).unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let busy = desk.apply(person(), &markdown("x", ""), "").unwrap_err();
    assert!(matches!(busy, StoreError::Busy { .. }), "{busy}");
    assert_eq!(desk.list(None, None, 1).unwrap().unwrap().total, 40, "readers do not wait for writers");
    other.execute_batch("ROLLBACK").unwrap();
    assert!(matches!(desk.apply(person(), &markdown("x", ""), "").unwrap(), Applied::Written(_)));
}
