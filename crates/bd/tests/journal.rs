//! What the run journal promises: chained rows, acknowledged when they are durable, read by cursor, and checked whole.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what cannot be done fails the test"
)]

mod room;

use std::collections::BTreeSet;

use premath_bd::{Cursor, Journal, ProblemClass, StoreError, runs_folder};
use premath_kernel::{Digest, Object, Value, encode};
use premath_testkit::faulty_disk::{Operation, Seeded};
use premath_wire::InputClass;
use premath_wire::strict::{Limits, parse};
use room::{Room, amount, at, event};

const PATH: &str = ".premath/runs/s1/journal.jsonl";

fn written(count: u32) -> (Room, Journal) {
    let room = Room::new();
    let journal = room.journal("s1");
    let mut writer = journal.write().unwrap();
    for number in 1..=count {
        writer.append(&event("call", number), at(1_000_000 + i64::from(number))).unwrap();
    }
    drop(writer);
    (room, journal)
}

fn lines(room: &Room) -> Vec<Vec<u8>> {
    let bytes = room.disk.bytes(PATH).unwrap();
    bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// Reads everything, a few rows at a time.
fn numbers(journal: &Journal) -> Vec<u64> {
    let mut cursor = Cursor::START;
    let mut seen = Vec::new();
    loop {
        let page = journal.read_from(cursor, 3).unwrap();
        seen.extend(page.rows.iter().map(|row| row.seq));
        cursor = page.next.to_string().parse().unwrap();
        if page.is_end {
            return seen;
        }
    }
}

#[test]
fn a_row_names_the_row_before_it_and_hashes_to_its_digest() {
    let (room, _) = written(3);
    let mut before: Option<String> = None;
    for (line, number) in lines(&room).iter().zip(1_u32..) {
        let value = parse(line, Limits::default()).unwrap();
        let row = value.as_object().unwrap();
        assert_eq!(encode(&value), line.trim_ascii_end(), "a row is written in its canonical form");
        assert_eq!(row.get("schema"), Some(&Value::from(1)));
        assert_eq!(row.get("kind").and_then(Value::as_text), Some("premath.run.journal.v1"));
        assert_eq!(row.get("seq"), Some(&Value::from(number)));
        assert_eq!(row.get("event"), Some(&event("call", number)));
        assert_eq!(row.get("prev").and_then(Value::as_text), before.as_deref());
        let digest = Digest::of(&Value::Object(row.without("rowDigest")));
        assert_eq!(row.get("rowDigest").and_then(Value::as_text), Some(digest.as_str()));
        before = Some(digest.as_str().to_owned());
    }
}

#[test]
fn an_answer_says_which_row_it_became() {
    let room = Room::new();
    let journal = room.journal("s1");
    let first = journal.append(&event("call", 1), at(5)).unwrap();
    let second = journal.append(&event("receipt", 2), at(6)).unwrap();
    assert_eq!((first.seq, second.seq), (1, 2));
    let page = journal.read_from(Cursor::START, 10).unwrap();
    assert_eq!(page.rows[0].row_digest, first.row_digest);
    assert_eq!(page.rows[1].prev.as_ref(), Some(&first.row_digest));
    assert_eq!(page.rows[1].at, at(6));
    assert!(page.is_end);
}

#[test]
fn a_journal_that_nobody_wrote_is_missing_and_asking_makes_no_file() {
    let room = Room::new();
    let before = room.files();
    let journal = room.journal("s1");
    assert!(matches!(journal.read_from(Cursor::START, 1), Err(StoreError::Missing { .. })));
    assert!(matches!(journal.verify(), Err(StoreError::Missing { .. })));
    assert_eq!(room.files(), before);
}

#[test]
fn reading_changes_nothing() {
    let (room, journal) = written(3);
    let before = room.files();
    numbers(&journal);
    journal.verify().unwrap();
    assert_eq!(room.files(), before);
}

#[test]
fn a_session_is_a_name_and_never_a_path() {
    let room = Room::new();
    let long = "x".repeat(129);
    for name in
        ["", " ", ".", "..", ".hidden", "a/b", "../up", "/etc", "a\\b", "a\nb", "a\0b", " a", long.as_str()]
    {
        let refused = Journal::open(room.dyn_disk(), &runs_folder(Room::root()), name).unwrap_err();
        assert!(matches!(refused, StoreError::Input(_)), "{name:?}: {refused}");
    }
    for name in ["hs1_20261115T071252Z_bd-1", "a", "ünïcode", "a..b", "x".repeat(128).as_str()] {
        Journal::open(room.dyn_disk(), &runs_folder(Room::root()), name).unwrap();
    }
}

#[test]
fn an_event_without_a_kind_is_refused_and_nothing_is_written() {
    let (room, journal) = written(1);
    let before = room.files();
    let blank = Object::fields().field("kind", " ").finish();
    let cases = [
        (Value::from("text"), InputClass::FieldInvalid),
        (Object::fields().field("number", 1).finish(), InputClass::FieldMissing),
        (Object::fields().field("kind", 1).finish(), InputClass::FieldInvalid),
        (blank.clone(), InputClass::FieldInvalid),
    ];
    for (case, class) in &cases {
        match journal.append(case, at(9)) {
            Err(StoreError::Input(error)) => assert_eq!(error.class, *class),
            other => panic!("{other:?}"),
        }
    }
    let several = [event("call", 2), blank];
    assert!(matches!(journal.write().unwrap().append_many(&several, at(9)), Err(StoreError::Input(_))));
    assert_eq!(room.files(), before);
    assert_eq!(journal.append(&event("call", 2), at(9)).unwrap().seq, 2);
}

#[test]
fn several_events_take_one_write_and_one_sync() {
    let (room, journal) = written(1);
    let mut writer = journal.write().unwrap();
    let count = |kind| room.disk.count(Some(kind));
    let before = (count(Operation::Append), count(Operation::Sync));
    let events: Vec<Value<'_>> = (2..=40).map(|number| event("call", number)).collect();
    let answers = writer.append_many(&events, at(7)).unwrap();
    assert_eq!((count(Operation::Append), count(Operation::Sync)), (before.0 + 1, before.1 + 1));
    assert_eq!(answers.iter().map(|answer| answer.seq).collect::<Vec<_>>(), (2..=40).collect::<Vec<_>>());
    assert!(writer.append_many(&[], at(7)).unwrap().is_empty());
    writer.append(&event("call", 41), at(8)).unwrap();
    drop(writer);
    assert_eq!(numbers(&journal), (1..=41).collect::<Vec<_>>());
    assert!(journal.verify().unwrap().problems.kept().is_empty());
}

#[test]
fn one_writer_keeps_others_out_and_readers_in() {
    let (_room, journal) = written(1);
    let mut writer = journal.write().unwrap();
    assert!(matches!(journal.write(), Err(StoreError::Busy { .. })));
    writer.append(&event("call", 2), at(7)).unwrap();
    assert_eq!(numbers(&journal), [1, 2]);
    drop(writer);
    journal.append(&event("call", 3), at(8)).unwrap();
}

#[test]
fn following_reads_the_end_and_not_the_whole_journal() {
    let (room, journal) = written(5_000);
    let all = journal.read_from(Cursor::START, usize::MAX).unwrap();
    assert_eq!(all.rows.len(), 5_000);
    journal.append(&event("call", 5_001), at(9)).unwrap();
    let before = room.disk.count(Some(Operation::Read));
    let page = journal.read_from(all.next, 10).unwrap();
    let reads = room.disk.count(Some(Operation::Read)) - before;
    assert_eq!(page.rows.iter().map(|row| row.seq).collect::<Vec<_>>(), [5_001]);
    assert!(reads <= 3, "{reads} reads for one row");
}

#[test]
fn a_cursor_that_names_the_wrong_place_still_finds_its_row() {
    let (_room, journal) = written(20);
    for text in ["7", "7@0", "7@1", "7@100", "7@999999", "7@18446744073709551615"] {
        let page = journal.read_from(text.parse().unwrap(), 2).unwrap();
        assert_eq!(page.rows.iter().map(|row| row.seq).collect::<Vec<_>>(), [8, 9], "{text}");
    }
    for text in ["", "x", "-1", "+1", "1@", "@1", "1@2@3", " 1", "1@-2", "0@5", "99999999999999999999"] {
        assert!(text.parse::<Cursor>().is_err(), "{text:?}");
    }
    assert_eq!(Cursor::behind(7).to_string().parse::<Cursor>().unwrap().seq(), 7);
}

#[test]
fn a_cursor_behind_the_end_of_a_cut_journal_is_an_error_and_not_a_wait() {
    let (room, journal) = written(5);
    let end = journal.read_from(Cursor::START, 10).unwrap().next;
    assert!(journal.read_from(end, 10).unwrap().rows.is_empty());
    let lines = lines(&room);
    room.disk.put(PATH, &lines[..3].concat()).unwrap();
    assert!(matches!(journal.read_from(end, 10), Err(StoreError::Corrupt { .. })));
}

#[test]
fn lines_that_are_no_rows_are_passed_over_and_named() {
    let (room, journal) = written(4);
    let mut lines = lines(&room);
    lines.insert(2, b"{\"kind\":\"other\"}\n".to_vec());
    lines.insert(2, b"garbage \xff\n".to_vec());
    lines.push(b"more garbage\n".to_vec());
    room.disk.put(PATH, &lines.concat()).unwrap();
    assert_eq!(numbers(&journal), [1, 2, 3, 4]);
    let page = journal.read_from(Cursor::START, 10).unwrap();
    let garbage = u64::try_from(lines[..2].concat().len()).unwrap();
    assert_eq!(page.unreadable_count, 3);
    assert_eq!(page.unreadable.first(), Some(&garbage));
}

#[test]
fn a_chain_goes_on_behind_a_torn_line_and_behind_one_without_a_newline() {
    let (room, journal) = written(3);
    let whole = room.disk.bytes(PATH).unwrap();
    room.disk.put(PATH, &[whole.as_slice(), b"{\"schema\":1,\"ki"].concat()).unwrap();
    assert_eq!(journal.append(&event("call", 4), at(9)).unwrap().seq, 4);
    assert!(journal.verify().unwrap().problems.is_sound());

    let whole = room.disk.bytes(PATH).unwrap();
    room.disk.put(PATH, whole.trim_ascii_end()).unwrap();
    assert_eq!(journal.append(&event("call", 5), at(9)).unwrap().seq, 5);
    assert_eq!(numbers(&journal), [1, 2, 3, 4, 5]);
    let report = journal.verify().unwrap();
    let chain = [ProblemClass::ChainBroken, ProblemClass::RowDigestMismatch, ProblemClass::BadLine];
    assert!(!report.problems.kept().iter().any(|problem| chain.contains(&problem.class)), "{report:?}");
}

/// Edits, removes, swaps, repeats or cuts rows, so that the file is another one.
fn tamper(lines: &[Vec<u8>], seeded: &mut Seeded) -> Vec<Vec<u8>> {
    let mut changed = lines.to_vec();
    let at = seeded.below(lines.len());
    match seeded.below(6) {
        0 => {
            let column = seeded.below(changed[at].len() - 1);
            changed[at][column] ^= 1 << seeded.below(7);
        }
        1 => drop(changed.remove(at)),
        2 => {
            let other = (at + 1 + seeded.below(lines.len() - 1)) % lines.len();
            changed.swap(at, other);
        }
        3 => changed.insert(seeded.below(lines.len()), lines[at].clone()),
        4 => changed.truncate(at),
        // A forger who knows the format gives the edited row its digest.
        _ => changed[at] = forged(&changed[at]),
    }
    changed
}

fn forged(line: &[u8]) -> Vec<u8> {
    let value = parse(line, Limits::default()).unwrap();
    let row = value.as_object().unwrap();
    let mut members: Vec<_> = row
        .iter()
        .filter(|(name, _)| !matches!(*name, "event" | "rowDigest"))
        .map(|(name, value)| (name.into(), value.clone()))
        .collect();
    members.push(("event".into(), event("forged", 0)));
    let unsealed = Value::Object(Object::from_members(members.clone()).unwrap());
    members.push(("rowDigest".into(), Value::from(Digest::of(&unsealed).as_str().to_owned())));
    [encode(&Value::Object(Object::from_members(members).unwrap())), b"\n".to_vec()].concat()
}

#[test]
fn whatever_is_done_to_the_rows_is_noticed_and_all_but_the_last_row_without_the_head() {
    let (room, journal) = written(12);
    let lines = lines(&room);
    for seed in 0..amount(300, 5_000) {
        let mut seeded = Seeded::new(u64::try_from(seed).unwrap());
        let changed = tamper(&lines, &mut seeded);
        let copy = Room::on(room.disk.kill());
        copy.disk.put(PATH, &changed.concat()).unwrap();
        let report = copy.journal("s1").verify().unwrap();
        assert!(!report.problems.is_sound(), "seed {seed}: not noticed");
        // The chain alone notices everything but a change at its very end.
        let headless = Room::new();
        headless.disk.put(PATH, &changed.concat()).unwrap();
        let alone = headless.journal("s1").verify().unwrap();
        let is_at_the_end =
            changed.len() <= 12 && changed[..changed.len().min(11)] == lines[..changed.len().min(11)];
        assert!(is_at_the_end || !alone.problems.is_sound(), "seed {seed}: the chain does not notice");
    }
    assert!(journal.verify().unwrap().problems.kept().is_empty());
}

#[test]
fn one_edited_row_is_one_finding_on_its_line() {
    let (room, journal) = written(9);
    let mut lines = lines(&room);
    let text = String::from_utf8(lines[4].clone()).unwrap();
    lines[4] = text.replace("\"number\":5", "\"number\":6").into_bytes();
    room.disk.put(PATH, &lines.concat()).unwrap();
    let report = journal.verify().unwrap();
    let found: Vec<_> = report.problems.kept().iter().map(|problem| (problem.class, problem.line)).collect();
    assert_eq!(found, [(ProblemClass::RowDigestMismatch, Some(5)), (ProblemClass::LogChanged, None)]);
}

#[test]
fn after_a_power_loss_every_acknowledged_row_is_there_once_and_the_chain_holds() {
    let room = Room::new();
    room.disk.record();
    let journal = room.journal("s1");
    let mut acknowledged = 0_u64;
    for number in 1..=4_u32 {
        let last = journal.append(&event("call", number), at(7)).unwrap();
        acknowledged = last.seq;
        room.disk.set_mark(acknowledged);
    }
    let mut writer = journal.write().unwrap();
    for group in 0..3_u32 {
        let events: Vec<Value<'_>> = (0..3).map(|number| event("call", group * 3 + number)).collect();
        acknowledged = writer.append_many(&events, at(8)).unwrap().last().unwrap().seq;
        room.disk.set_mark(acknowledged);
    }
    drop(writer);
    assert_eq!(acknowledged, 13);
    let states = room.disk.recorded();
    for (number, state) in states.iter().enumerate() {
        for seed in 0..amount(8, 200) {
            let mut seeded = Seeded::new(u64::try_from(number * 1_000 + seed).unwrap());
            let after = Room::on(state.crash(&mut |limit| seeded.below(limit)));
            check_after_crash(&after, state.mark(), &format!("state {number}, seed {seed}"));
        }
    }
}

#[test]
fn a_writer_behind_a_killed_one_makes_the_names_durable_itself() {
    let room = Room::new();
    room.disk.record();
    room.journal("s1").append(&event("call", 1), at(7)).unwrap();
    for (number, state) in room.disk.recorded().iter().enumerate() {
        let next = Room::on(state.kill());
        let last = next.journal("s1").append(&event("call", 2), at(8)).unwrap();
        let after = Room::on(next.disk.crash(&mut |_| 0));
        assert_eq!(numbers(&after.journal("s1")), (1..=last.seq).collect::<Vec<_>>(), "state {number}");
    }
}

fn check_after_crash(after: &Room, acknowledged: u64, place: &str) {
    // `.premath` is there; the rest is what the journal made.
    let journal = after.journal("s1");
    let next = journal.append(&event("next", 0), at(9)).unwrap_or_else(|error| panic!("{place}: {error}"));
    assert!(next.seq > acknowledged, "{place}: row {} after {acknowledged} were acknowledged", next.seq);
    let seen = numbers(&journal);
    assert_eq!(seen, (1..=next.seq).collect::<Vec<_>>(), "{place}");
    let report = journal.verify().unwrap();
    let classes: BTreeSet<_> = report.problems.kept().iter().map(|problem| problem.class).collect();
    assert!(report.problems.is_sound(), "{place}: {classes:?}");
}
