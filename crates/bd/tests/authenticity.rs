//! Who wrote a log: what a clone with a key relies on, and what it refuses.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what cannot be done fails the test")]

use std::path::Path;
use std::sync::Arc;

use premath_bd::issues::{Applied, FileIssues, IssueDraft, Operation, apply};
use premath_bd::{
    Cursor, Disk, Distrust, Journal, OperatorBasis, OperatorGrant, Permit, ProblemClass, StoreError,
    runs_folder,
};
use premath_kernel::{Moment, Object, Value};
use premath_testkit::faulty_disk::{Seeded, SimDisk};
use premath_testkit::{TestClock, TestClones};

const JOURNAL: &str = ".premath/runs/one/journal.jsonl";
const HEAD: &str = ".premath/runs/one/journal.jsonl.head";
const ISSUES: &str = ".premath/issues.jsonl";

fn at(seconds: i64) -> Moment {
    Moment::new(seconds, 0).unwrap()
}

fn event(number: u32) -> Value<'static> {
    Object::fields().field("kind", "test").field("number", number).finish()
}

fn clone() -> TestClones {
    TestClones::at("/work", 7)
}

fn journal(disk: &Arc<dyn Disk>) -> Journal {
    Journal::open(Arc::clone(disk), &runs_folder(Path::new("")), "one").unwrap()
}

/// A disk with a journal of three rows.
fn written() -> SimDisk {
    let disk = SimDisk::new();
    disk.put(".premath/.gitignore", b"*\n").unwrap();
    let keyed = clone().keyed(disk.clone());
    for number in 1..=3 {
        journal(&keyed).append(&event(number), at(1)).unwrap();
    }
    disk
}

fn distrust(error: &StoreError) -> Distrust {
    let StoreError::Untrusted { reason, .. } = error else { panic!("{error}") };
    *reason
}

/// Why nothing is appended to the journal, and what a check says of it.
fn refused(disk: &SimDisk) -> (Distrust, Vec<ProblemClass>) {
    let keyed = clone().keyed(disk.clone());
    let report = journal(&keyed).verify().unwrap();
    let classes = report.problems.kept().iter().map(|problem| problem.class).collect();
    (distrust(&journal(&keyed).append(&event(9), at(2)).unwrap_err()), classes)
}

fn lines(disk: &SimDisk, path: &str) -> Vec<String> {
    let bytes = disk.bytes(path).unwrap();
    String::from_utf8(bytes).unwrap().lines().map(str::to_owned).collect()
}

fn put_lines(disk: &SimDisk, path: &str, lines: &[String]) {
    disk.put(path, lines.iter().map(|line| format!("{line}\n")).collect::<String>().as_bytes()).unwrap();
}

#[test]
fn a_journal_of_this_clone_is_appended_to_and_read() {
    let disk = written();
    let keyed = clone().keyed(disk.clone());
    assert_eq!(journal(&keyed).append(&event(4), at(2)).unwrap().seq, 4);
    assert!(journal(&keyed).verify().unwrap().problems.kept().is_empty());
    assert!(lines(&disk, JOURNAL).iter().all(|row| row.contains("\"mac\":\"")));
}

#[test]
fn a_journal_without_its_head_is_read_and_not_written() {
    let disk = written();
    disk.remove(Path::new(HEAD)).unwrap();
    let (reason, classes) = refused(&disk);
    assert_eq!((reason, classes), (Distrust::Foreign, vec![ProblemClass::NotAuthentic]));
    let page = journal(&clone().keyed(disk)).read_from(Cursor::START, 10).unwrap();
    assert_eq!(page.rows.len(), 3);
}

#[test]
fn rows_behind_the_head_count_when_this_clone_signed_them() {
    let disk = written();
    let head = disk.bytes(HEAD).unwrap();
    journal(&clone().keyed(disk.clone())).append(&event(4), at(2)).unwrap();
    // As a process leaves it that was killed between its append and its head.
    disk.put(HEAD, &head).unwrap();
    let keyed = clone().keyed(disk);
    assert!(journal(&keyed).verify().unwrap().problems.kept().is_empty());
    assert_eq!(journal(&keyed).append(&event(5), at(3)).unwrap().seq, 5);
}

#[test]
fn a_row_behind_the_head_that_another_clone_signed_does_not_count() {
    let disk = written();
    let head = disk.bytes(HEAD).unwrap();
    journal(&clone().keyed(disk.clone())).append(&event(4), at(2)).unwrap();
    disk.put(HEAD, &head).unwrap();
    let mut rows = lines(&disk, JOURNAL);
    let forged =
        rows.pop().unwrap().replace("\"mac\":\"", "\"mac\":\"00").replace("00\",\"prev", "\",\"prev");
    rows.push(forged);
    put_lines(&disk, JOURNAL, &rows);
    assert_eq!(refused(&disk).0, Distrust::Foreign);
}

#[test]
fn a_journal_that_was_rolled_back_with_its_head_is_refused() {
    let disk = written();
    let (rows, head) = (disk.bytes(JOURNAL).unwrap(), disk.bytes(HEAD).unwrap());
    journal(&clone().keyed(disk.clone())).append(&event(4), at(2)).unwrap();
    disk.put(JOURNAL, &rows).unwrap();
    disk.put(HEAD, &head).unwrap();
    assert_eq!(refused(&disk), (Distrust::RolledBack, vec![ProblemClass::RolledBack]));
}

#[test]
fn another_place_another_secret_and_no_secret_vouch_for_nothing() {
    let disk = written();
    for (other, reason) in [
        (TestClones::at("/elsewhere", 7), Distrust::Foreign),
        (TestClones::at("/work", 8), Distrust::Foreign),
        (TestClones::without_key("/work"), Distrust::NoKey),
    ] {
        let keyed = other.keyed(disk.clone());
        assert_eq!(distrust(&journal(&keyed).append(&event(9), at(2)).unwrap_err()), reason);
        assert_eq!(distrust(&journal(&keyed).position().unwrap_err()), reason);
    }
}

#[test]
fn after_a_power_loss_whatever_is_left_of_a_journal_is_still_its_clones() {
    for seed in 0..200 {
        let disk = SimDisk::new();
        disk.put(".premath/.gitignore", b"*\n").unwrap();
        let keyed = clone().keyed(disk.clone());
        for number in 1..=4 {
            journal(&keyed).append(&event(number), at(1)).unwrap();
        }
        let mut seeded = Seeded::new(seed);
        let after = clone().keyed(disk.crash(&mut |limit| seeded.below(limit)));
        let appended = journal(&after).append(&event(5), at(2)).unwrap();
        assert_eq!(appended.seq, 5, "seed {seed}");
    }
}

fn add(disk: &Arc<dyn Disk>, id: &str) -> Result<Applied, StoreError> {
    let draft = IssueDraft { id: Some(id.to_owned()), title: id.to_owned(), ..IssueDraft::default() };
    let permit = Permit::Operator(OperatorGrant::new(None, OperatorBasis::Configured));
    let store = FileIssues::new(Arc::clone(disk), ISSUES.into());
    apply(
        &store,
        permit,
        &Operation::Add { draft: Box::new(draft), prefix: "bd".to_owned() },
        &TestClock::at(at(5)),
    )
}

#[test]
fn issue_memory_that_somebody_edited_takes_nothing_until_git_has_it() {
    let disk = SimDisk::new();
    disk.put(".premath/.gitignore", b"*\n").unwrap();
    let clones = clone();
    add(&clones.keyed(disk.clone()), "bd-1").unwrap();
    let edited = String::from_utf8(disk.bytes(ISSUES).unwrap()).unwrap().replace("bd-1", "bd-7");
    disk.put(ISSUES, edited.as_bytes()).unwrap();
    assert_eq!(distrust(&add(&clones.keyed(disk.clone()), "bd-2").unwrap_err()), Distrust::Foreign);
    clones.commit(ISSUES, edited.into_bytes());
    add(&clones.keyed(disk.clone()), "bd-2").unwrap();
    // What git brought is taken over: the next change needs no commit.
    add(&clones.keyed(disk), "bd-3").unwrap();
}

#[test]
fn an_older_row_of_issue_memory_cannot_be_appended_again() {
    let disk = SimDisk::new();
    disk.put(".premath/.gitignore", b"*\n").unwrap();
    let keyed = clone().keyed(disk.clone());
    add(&keyed, "bd-1").unwrap();
    add(&keyed, "bd-2").unwrap();
    let mut rows = lines(&disk, ISSUES);
    rows.push(rows.first().unwrap().clone());
    put_lines(&disk, ISSUES, &rows);
    assert_eq!(distrust(&add(&keyed, "bd-3").unwrap_err()), Distrust::Foreign);
}
