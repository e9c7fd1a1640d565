//! R3: the n-th operation fails, once or for ever. Nothing is acknowledged that is not on the disk, what was acknowledged
//! stays, a failed sync is never tried again and ends the use of its log, and a new process on a healthy disk goes on.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what cannot be done fails the test")]

mod log_lines;

use log_lines::steps::Step;
use log_lines::{Lines, PATH, amount, empty_disk, found, line, lines_of, log_on};
use premath_bd::{Log, StoreError};
use premath_testkit::faulty_disk::{Failure, Fault, Lasting, Operation, Seeded, SimDisk};

const KINDS: [Operation; 10] = [
    Operation::Open,
    Operation::Rename,
    Operation::SyncFolder,
    Operation::Stat,
    Operation::Read,
    Operation::Append,
    Operation::WriteAt,
    Operation::SetLength,
    Operation::Sync,
    Operation::Lock,
];

/// How each run begins: without a log, with one of ours that is about to sync its head, with one whose last writer was
/// interrupted, and with one that somebody else wrote.
#[derive(Debug, Clone, Copy)]
enum Beginning {
    Nothing,
    BeforeSync,
    Torn,
    Foreign,
}

const BEGINNINGS: [Beginning; 4] =
    [Beginning::Nothing, Beginning::BeforeSync, Beginning::Torn, Beginning::Foreign];

fn begin(beginning: Beginning) -> (SimDisk, Lines) {
    let disk = empty_disk();
    let mut seeded = Seeded::new(3);
    let mut lines: Lines = Vec::new();
    match beginning {
        Beginning::Nothing => {}
        Beginning::BeforeSync => {
            lines = (0..253).map(|number| format!(r#"{{"n":{number}}}"#).into_bytes()).collect();
            let borrowed: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
            log_on(&disk).write().unwrap().append_all(&borrowed).unwrap();
        }
        Beginning::Torn => {
            lines = vec![line(&mut seeded, 1)];
            log_on(&disk).write().unwrap().append(&lines[0]).unwrap();
            let bytes = [disk.bytes(PATH).unwrap(), br#"{"n":2,"text":"cut sh"#.to_vec()].concat();
            disk.put(PATH, &bytes).unwrap();
        }
        Beginning::Foreign => {
            lines = vec![line(&mut seeded, 1), line(&mut seeded, 2)];
            disk.put(PATH, &lines.join(&b'\n')).unwrap();
        }
    }
    (disk, lines)
}

fn script() -> Vec<Step> {
    let mut seeded = Seeded::new(11);
    let mut fresh = |number: usize| line(&mut seeded, 1_000 + number);
    vec![
        Step::Append(fresh(1)),
        Step::Append(fresh(2)),
        Step::AppendAll(vec![fresh(3), fresh(4), fresh(5)]),
        Step::SyncHead,
        Step::Append(fresh(6)),
        Step::Replace(vec![fresh(7), fresh(8)]),
        Step::Append(fresh(9)),
        Step::Reopen,
        Step::Append(fresh(10)),
        Step::Replace(vec![fresh(11)]),
        Step::Reopen,
        Step::SyncHead,
        Step::Append(fresh(12)),
    ]
}

/// What the log may hold, as far as its writer was told.
struct Told {
    possible: Vec<Lines>,
    acknowledged: usize,
}

fn syncs(disk: &SimDisk) -> u64 {
    disk.count(Some(Operation::Sync)) + disk.count(Some(Operation::SyncFolder))
}

fn has_failed_sync(disk: &SimDisk) -> bool {
    disk.failed().iter().any(|operation| matches!(operation, Operation::Sync | Operation::SyncFolder))
}

/// With what a process goes on after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Obstinacy {
    /// Another writer of the same log.
    OtherWriter,
    /// The writer that failed, until it is closed.
    SameWriter,
}

/// Runs the script in one process that goes on after each failure as if nothing had happened.
fn run(
    disk: &SimDisk,
    log: &Log,
    before: &Lines,
    lasting: Lasting,
    obstinacy: Obstinacy,
    doing: &str,
) -> Told {
    let mut told = Told { possible: vec![before.clone()], acknowledged: 0 };
    let mut writer = None;
    for (at, step) in script().iter().enumerate() {
        let doing = format!("{doing}, step {at}");
        let unusable = has_failed_sync(disk);
        let (synced, bytes) = (syncs(disk), disk.bytes(PATH).unwrap_or_default());
        let result = step.run(log, &mut writer);
        if unusable && step.promises() {
            assert!(
                matches!(result, Err(StoreError::Poisoned { .. })),
                "{doing}: used after a failed sync: {result:?}"
            );
            assert_eq!(syncs(disk), synced, "{doing}: a failed sync was tried again");
        }
        match result {
            Ok(()) => {
                told.possible = told.possible.iter().filter_map(|lines| step.outcomes(lines).pop()).collect();
                told.acknowledged += usize::from(step.promises());
            }
            Err(error) => {
                assert!(
                    matches!(error, StoreError::Io { .. } | StoreError::Poisoned { .. }),
                    "{doing}: {error:?}"
                );
                let outcomes: Vec<Lines> =
                    told.possible.iter().flat_map(|lines| step.outcomes(lines)).collect();
                told.possible.extend(outcomes);
                told.possible.dedup();
                let is_append = matches!(step, Step::Append(_) | Step::AppendAll(_));
                if is_append && lasting == Lasting::Once {
                    let after = disk.bytes(PATH).unwrap_or_default();
                    // Half a line that was there before may have been cut off.
                    assert!(
                        bytes.starts_with(&after),
                        "{doing}: a line that nobody was promised is in the file"
                    );
                }
                if obstinacy == Obstinacy::OtherWriter {
                    writer = None;
                }
            }
        }
    }
    told
}

/// One failure, and everything that must hold after it. Says whether the failure came to pass.
fn try_failure(fresh: &SimDisk, before: &Lines, failure: Failure, obstinacy: Obstinacy, doing: &str) -> bool {
    let doing = format!("{doing}, {failure:?}, {obstinacy:?}");
    let disk = fresh.kill();
    disk.fail(failure);
    let log = log_on(&disk);
    let told = run(&disk, &log, before, failure.lasting, obstinacy, &doing);
    if disk.failed().is_empty() {
        return false;
    }
    disk.heal();
    let mut seeded = Seeded::new(failure.nth);
    for loss in 0..4 {
        let after = disk.crash(&mut |limit| if loss == 0 { 0 } else { seeded.below(limit) });
        found(&after, &told.possible, &format!("{doing}, power loss {loss}"));
    }
    go_on(&disk.kill(), &told, &mut seeded, &doing);
    true
}

/// A new process on the healthy disk.
fn go_on(disk: &SimDisk, told: &Told, seeded: &mut Seeded, doing: &str) {
    let doing = format!("{doing}, a new process");
    let mut expected = found(disk, &told.possible, &doing);
    for number in 0..2 {
        let next = line(seeded, 2_000_000 + number);
        log_on(disk).write().unwrap().append(&next).unwrap();
        expected.push(next);
        for loss in 0..3 {
            let after = disk.crash(&mut |limit| if loss == 0 { 0 } else { seeded.below(limit) });
            found(
                &after,
                std::slice::from_ref(&expected),
                &format!("{doing}, power loss {loss} after line {number}"),
            );
        }
    }
}

fn faults() -> impl Iterator<Item = (Fault, Lasting)> {
    let faults = [Fault::InputOutput, Fault::NoSpace, Fault::Short(0), Fault::Short(1), Fault::Short(600)];
    faults.into_iter().flat_map(|fault| [(fault, Lasting::Once), (fault, Lasting::ForEver)])
}

/// Tries every n-th failure until one is never reached; says how many there were.
fn try_all(of: Option<Operation>) -> usize {
    let stride = u64::try_from(amount(5, 1)).unwrap();
    let mut tried = 0;
    for beginning in BEGINNINGS {
        let (disk, before) = begin(beginning);
        for (fault, lasting) in faults() {
            let short_of_others = matches!(fault, Fault::Short(_))
                && of.is_some_and(|of| !matches!(of, Operation::Append | Operation::WriteAt));
            if short_of_others {
                continue;
            }
            let mut nth = 1;
            loop {
                let failure = Failure { of, nth, fault, lasting };
                let doing = format!("{beginning:?}");
                let ways = [Obstinacy::OtherWriter, Obstinacy::SameWriter];
                if !ways.map(|way| try_failure(&disk, &before, failure, way, &doing)).contains(&true) {
                    break;
                }
                tried += ways.len();
                nth += stride;
            }
        }
    }
    tried
}

#[test]
fn whichever_operation_fails_what_was_acknowledged_stays_and_the_next_process_goes_on() {
    let tried = try_all(None);
    assert!(tried >= amount(600, 3_000), "only {tried} failures came to pass");
}

#[test]
fn whichever_operation_of_a_kind_fails_what_was_acknowledged_stays_and_the_next_process_goes_on() {
    for kind in KINDS {
        let tried = try_all(Some(kind));
        // The log is only cut after another failure; see below.
        assert!(tried > 0 || kind == Operation::SetLength, "no {kind:?} was made to fail");
    }
}

#[test]
fn a_line_that_could_not_be_cut_back_is_whole_or_gone_for_the_next_process() {
    for beginning in BEGINNINGS {
        for first in [Operation::Append, Operation::Sync] {
            for nth in 1..12 {
                let doing = format!("{beginning:?}, {first:?} {nth} and every cut");
                let (disk, before) = begin(beginning);
                let fault = if first == Operation::Append { Fault::Short(20) } else { Fault::InputOutput };
                disk.fail(Failure { of: Some(first), nth, fault, lasting: Lasting::Once });
                let cut = Failure {
                    of: Some(Operation::SetLength),
                    nth: 1,
                    fault: Fault::InputOutput,
                    lasting: Lasting::ForEver,
                };
                disk.fail(cut);
                let told =
                    run(&disk, &log_on(&disk), &before, Lasting::ForEver, Obstinacy::OtherWriter, &doing);
                disk.heal();
                go_on(&disk.kill(), &told, &mut Seeded::new(nth), &doing);
            }
        }
    }
}

#[test]
fn without_a_failure_everything_is_acknowledged() {
    for beginning in BEGINNINGS {
        let (disk, before) = begin(beginning);
        let told = run(&disk, &log_on(&disk), &before, Lasting::Once, Obstinacy::OtherWriter, "no failure");
        assert_eq!(told.acknowledged, script().iter().filter(|step| step.promises()).count());
        assert_eq!(told.possible.len(), 1);
        go_on(&disk.kill(), &told, &mut Seeded::new(1), "no failure");
    }
}

#[test]
fn an_append_is_one_write_and_one_sync() {
    let (disk, _) = begin(Beginning::Nothing);
    let mut writer = log_on(&disk).write().unwrap();
    writer.append(b"{}").unwrap();
    for _ in 0..50 {
        let (synced, appended) = (syncs(&disk), disk.count(Some(Operation::Append)));
        writer.append(b"{}").unwrap();
        assert_eq!(syncs(&disk) - synced, 1);
        assert_eq!(disk.count(Some(Operation::Append)) - appended, 1);
    }
    drop(writer);
    // The same from a new process, but for the first after the head was sealed.
    for _ in 0..50 {
        let mut writer = log_on(&disk).write().unwrap();
        let synced = syncs(&disk);
        writer.append(b"{}").unwrap();
        assert_eq!(syncs(&disk) - synced, 1);
    }
}

#[test]
fn a_log_whose_sync_failed_takes_nothing_more_and_another_does() {
    let (disk, _) = begin(Beginning::Nothing);
    let log = log_on(&disk);
    let mut writer = log.write().unwrap();
    writer.append(b"{\"n\":1}").unwrap();
    disk.fail(Failure {
        of: Some(Operation::Sync),
        nth: 1,
        fault: Fault::InputOutput,
        lasting: Lasting::Once,
    });
    assert!(matches!(writer.append(b"{\"n\":2}"), Err(StoreError::Io { .. })));
    assert!(matches!(writer.append(b"{\"n\":3}"), Err(StoreError::Poisoned { .. })));
    assert!(matches!(writer.replace::<StoreError>(|_, _| Ok(())), Err(StoreError::Poisoned { .. })));
    drop(writer);
    assert!(matches!(log.write(), Err(StoreError::Poisoned { .. })));
    let same = log.clone();
    assert!(matches!(same.write(), Err(StoreError::Poisoned { .. })));
    log_on(&disk).write().unwrap().append(b"{\"n\":4}").unwrap();
    assert_eq!(lines_of(&log.read().unwrap()), [b"{\"n\":1}".to_vec(), b"{\"n\":4}".to_vec()]);
}

/// The head that could not be synced is the newest that can be seen, and the other one is about to be written over.
#[test]
fn a_head_whose_sync_failed_is_not_leant_on() {
    let disk = empty_disk();
    let mut writer = log_on(&disk).write().unwrap();
    for number in 0..2 {
        writer.append(format!(r#"{{"n":{number}}}"#).as_bytes()).unwrap();
        writer
            .replace::<StoreError>(|_, new| new.line(format!(r#"{{"new":{number}}}"#).as_bytes()).map(drop))
            .unwrap();
    }
    disk.fail(Failure {
        of: Some(Operation::Sync),
        nth: 1,
        fault: Fault::InputOutput,
        lasting: Lasting::Once,
    });
    writer.sync_head().unwrap_err();
    drop(writer);
    disk.heal();
    log_on(&disk).write().unwrap().append(b"{\"n\":2}").unwrap();
    let expected = vec![b"{\"new\":1}".to_vec(), b"{\"n\":2}".to_vec()];
    for seed in 0..500 {
        let mut seeded = Seeded::new(seed);
        let after = disk.crash(&mut |limit| seeded.below(limit));
        found(&after, std::slice::from_ref(&expected), &format!("seed {seed}"));
    }
}

#[test]
fn a_reader_gives_the_right_lines_or_an_error() {
    for beginning in BEGINNINGS {
        let (disk, before) = begin(beginning);
        let mut failures = Vec::new();
        for nth in 1..40 {
            for fault in [Fault::InputOutput, Fault::NoSpace] {
                failures.push(Failure { of: None, nth, fault, lasting: Lasting::Once });
            }
            let fault = Fault::Short(usize::try_from(nth).unwrap());
            failures.push(Failure { of: Some(Operation::Read), nth: 1, fault, lasting: Lasting::ForEver });
        }
        for failure in failures {
            disk.fail(failure);
            let mut lines = Lines::new();
            let read = log_on(&disk).read().and_then(|reader| {
                assert!(!reader.standing().is_tampered(), "{failure:?}");
                reader.each_line::<StoreError>(0, |_, line| {
                    lines.push(line.to_vec());
                    Ok(())
                })?;
                lines.extend(reader.unterminated_line().map(<[u8]>::to_vec));
                Ok(())
            });
            disk.heal();
            match read {
                Ok(()) => assert_eq!(lines, before, "{beginning:?}, {failure:?}"),
                Err(StoreError::Io { .. }) => {
                    assert!(before.starts_with(&lines), "{beginning:?}, {failure:?}")
                }
                Err(StoreError::Missing { .. }) => assert!(matches!(beginning, Beginning::Nothing)),
                Err(error) => panic!("{beginning:?}, {failure:?}: {error:?}"),
            }
        }
    }
}
