//! Issue memory on a disk that loses power and refuses: no acknowledged change is lost, none happens twice, the history
//! keeps every row, and the next change works. Compaction and the index are part of what is interrupted.

#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::issues::{
    Applied, Change, ClaimTerms, FileIssues, Holder, IssueChanges, IssueDraft, IssueRow, IssueStore,
    Operation, apply,
};
use premath_bd::{Disk, OperatorBasis, OperatorGrant, Permit};
use premath_kernel::Moment;
use premath_testkit::faulty_disk::{Failure, Fault, Lasting, Seeded, SimDisk};

const PATH: &str = "work/issues.jsonl";

fn operator() -> Permit {
    Permit::Operator(OperatorGrant::new(None, OperatorBasis::Configured))
}

fn at(step: usize) -> Moment {
    Moment::new(1_800_000_000 + i64::try_from(step).unwrap(), 0).unwrap()
}

fn store(disk: &SimDisk) -> FileIssues {
    FileIssues::new(Arc::new(disk.clone()), PathBuf::from(PATH))
}

fn prepared() -> SimDisk {
    let disk = SimDisk::new();
    disk.create_folder(PathBuf::from("work").as_path()).unwrap();
    store(&disk).create().unwrap();
    disk.sync_folder(PathBuf::from("work").as_path()).unwrap();
    disk.sync_folder(PathBuf::from("").as_path()).unwrap();
    disk
}

fn operation(seeded: &mut Seeded, step: usize) -> Operation {
    let id = format!("bd-{}", 1 + seeded.below(3));
    match seeded.below(5) {
        0 => {
            let draft = IssueDraft { title: format!("work {step}"), ..IssueDraft::default() };
            Operation::Add { draft: Box::new(draft), prefix: "bd".to_owned() }
        }
        1 => Operation::ClaimNext { terms: ClaimTerms::of("ada") },
        2 => Operation::LeaseRelease {
            id,
            holder: Holder { owner: Some("ada".to_owned()), ..Holder::default() },
        },
        _ => {
            let texts = vec![("notes", Change::Set(format!("note {step}")))];
            let changes = IssueChanges { texts, ..IssueChanges::default() };
            Operation::Update { id, changes: Box::new(changes), holder: Holder::default() }
        }
    }
}

/// The newest row of each issue.
type Rows = BTreeMap<String, IssueRow>;

fn rows(disk: &SimDisk) -> Rows {
    let store = store(disk);
    let view = store.view().unwrap();
    let lines = view.all().unwrap().into_iter().map(|row| view.line(row).unwrap());
    lines.map(|line| IssueRow::read(&line).unwrap()).map(|row| (row.id().to_owned(), row)).collect()
}

/// Every revision of every issue that was acknowledged is in the history, once.
fn check_history(disk: &SimDisk, acknowledged: &Rows, doing: &str) {
    for (id, newest) in acknowledged {
        let revisions: Vec<u64> = store(disk).history(id).unwrap().iter().map(IssueRow::rev).collect();
        let expected: Vec<u64> = (1..=newest.rev()).collect();
        assert!(revisions.starts_with(&expected), "{doing}: {id} has {revisions:?}, not {expected:?}");
        assert!(revisions.len() <= expected.len() + 1, "{doing}: {id} has {revisions:?}");
    }
}

fn check(disk: &SimDisk, before: &Rows, after: &Rows, doing: &str) {
    let found = rows(disk);
    assert!(
        found == *before || found == *after,
        "{doing}: rows that were never acknowledged, or were and are gone"
    );
    assert!(!store(disk).view().unwrap().standing().is_tampered(), "{doing}: somebody is accused");
    check_history(disk, before, doing);
    let add = Operation::Add {
        draft: Box::new(IssueDraft { title: "next".to_owned(), ..IssueDraft::default() }),
        prefix: "bd".to_owned(),
    };
    let applied = apply(&store(disk), operator(), &add, &at(1000)).unwrap();
    assert!(matches!(applied, Applied::Written(_)), "{doing}: the next change is refused");
    assert_eq!(rows(disk).len(), found.len() + 1, "{doing}");
}

fn whole() -> bool {
    #[expect(clippy::disallowed_methods, reason = "the long form is asked for by the environment")]
    let asked = std::env::var_os("PREMATH_PROVE");
    asked.is_some()
}

#[test]
fn a_power_loss_at_any_moment_loses_no_acknowledged_change() {
    let runs = if whole() { 400 } else { 25 };
    let mut states = 0_usize;
    for seed in 0..runs {
        let mut seeded = Seeded::new(seed);
        let disk = prepared();
        let mut history = vec![rows(&disk)];
        disk.record();
        disk.set_mark(0);
        for step in 0..12 {
            apply(&store(&disk), operator(), &operation(&mut seeded, step), &at(step)).unwrap();
            history.push(rows(&disk));
            disk.set_mark(u64::try_from(history.len() - 1).unwrap());
        }
        for (number, moment) in disk.recorded().iter().enumerate() {
            let mark = usize::try_from(moment.mark()).unwrap();
            let (before, after) = (&history[mark], history.get(mark + 1).unwrap_or(&history[mark]));
            for choice in 0..3 {
                let crashed = moment.crash(&mut |limit| if choice == 0 { 0 } else { seeded.below(limit) });
                check(&crashed, before, after, &format!("seed {seed}, operation {number}, choice {choice}"));
                states += 1;
            }
            check(&moment.kill(), before, after, &format!("seed {seed}, operation {number}, killed"));
            states += 1;
        }
    }
    println!("power loss in issue memory: {states} states, 0 acknowledged changes lost");
    assert!(states > if whole() { 100_000 } else { 5_000 }, "only {states} states");
}

#[test]
fn an_operation_of_the_disk_that_fails_acknowledges_nothing_it_did_not_keep() {
    let step = if whole() { 1 } else { 5 };
    let mut failures = 0_usize;
    for (fault, lasting) in [
        (Fault::InputOutput, Lasting::Once),
        (Fault::NoSpace, Lasting::ForEver),
        (Fault::Short(7), Lasting::Once),
        (Fault::InputOutput, Lasting::ForEver),
    ] {
        for nth in (1..400).step_by(step) {
            let disk = prepared();
            let mut seeded = Seeded::new(77);
            disk.fail(Failure { of: None, nth, fault, lasting });
            let mut acknowledged = rows_of(&disk);
            let mut attempted = acknowledged.clone();
            for at_step in 0..10 {
                let operation = operation(&mut seeded, at_step);
                match apply(&store(&disk), operator(), &operation, &at(at_step)) {
                    Ok(Applied::Written(written)) => {
                        attempted.insert(written.row.id().to_owned(), written.row.clone());
                        acknowledged.clone_from(&attempted);
                    }
                    Ok(Applied::Nothing(_) | Applied::Refused(_)) => {}
                    Err(_) => break,
                }
            }
            failures += disk.failed().len();
            disk.heal();
            let found = rows(&disk);
            for (id, row) in &acknowledged {
                assert!(
                    found.get(id).is_some_and(|found| found.rev() >= row.rev()),
                    "{fault:?} {nth}: {id} is lost"
                );
            }
            let more = found.len().abs_diff(acknowledged.len());
            assert!(more <= 1, "{fault:?} {nth}: {more} changes that nobody acknowledged");
            check_history(&disk, &acknowledged, &format!("{fault:?} {lasting:?} {nth}"));
        }
    }
    println!("failing operations in issue memory: {failures} failures, 0 acknowledged changes lost");
    assert!(failures > 100, "only {failures} failures");
}

/// Rows of a disk that may refuse to be read; nothing was acknowledged on it yet.
fn rows_of(disk: &SimDisk) -> Rows {
    rows(&disk.kill())
}
