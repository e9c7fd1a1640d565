//! What verification promises: everything durable is looked at, every kind of damage has its class and its place, and
//! nothing is changed by looking.

#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod repository;
mod room;

use std::collections::BTreeSet;

use premath_bd::{
    ChainWatch, Link, Log, Problem, ProblemClass, Problems, Reference, Repository, StoreError, Verification,
    references, seal, verify,
};
use premath_kernel::{Object, Value};
use premath_testkit::faulty_disk::{Failure, Fault, Lasting, Operation, Seeded};
use premath_wire::strict::{Limits, parse};
use repository::{ISSUES, JOURNAL, LEDGER, SESSION, TRAJECTORY, furnished};
use room::{Room, amount, event};

fn verified(room: &Room) -> Verification {
    verify(&room.repository(), &mut |_| ()).unwrap()
}

fn found(room: &Room) -> Vec<(ProblemClass, String, Option<u64>)> {
    let seen = |problem: &Problem| (problem.class, problem.path.display().to_string(), problem.line);
    verified(room).problems.kept().iter().map(seen).collect()
}

/// One problem of a class, with its path and line.
fn one(class: ProblemClass, path: &str, line: Option<u64>) -> Vec<(ProblemClass, String, Option<u64>)> {
    vec![(class, path.to_owned(), line)]
}

fn edit(room: &Room, path: &str, change: impl FnOnce(&mut Vec<Vec<u8>>)) {
    let bytes = room.disk.bytes(path).unwrap();
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    change(&mut lines);
    room.disk.put(path, &lines.concat()).unwrap();
}

#[test]
fn a_sound_repository_verifies_and_everything_is_counted() {
    let (room, _) = furnished();
    let mut heard = 0;
    let verification = verify(&room.repository(), &mut |_| heard += 1).unwrap();
    assert_eq!(verification.problems, Problems::default());
    assert_eq!(verification.accepted, 0);
    let checked = verification.checked;
    assert_eq!((checked.logs, checked.journals), (5, 2));
    assert_eq!((checked.rows, checked.chained_rows, checked.unverified_rows), (13, 10, 0));
    assert_eq!((checked.objects, checked.witnesses, checked.documents), (2, 2, 2));
    assert_eq!(checked.object_bytes, 17);
    assert_eq!(checked.references, 8);
    assert!(heard >= 9, "{heard} words of progress");
}

#[test]
fn looking_changes_nothing_and_makes_nothing() {
    let (room, _) = furnished();
    // So many that a reader would like an index.
    let mut log = Log::new(room.dyn_disk(), ISSUES.into()).write().unwrap();
    for number in 100..1_000 {
        log.append(format!("{{\"id\":\"bd-{number}\",\"title\":\"x\"}}").as_bytes()).unwrap();
    }
    drop(log);
    let before = room.files();
    room.disk.record();
    verified(&room);
    let writes =
        [Operation::Append, Operation::WriteAt, Operation::SetLength, Operation::Rename, Operation::Remove];
    let states = room.disk.recorded();
    assert!(states.len() > 1, "opening is recorded");
    let counts = |operation| states.last().unwrap().count(Some(operation)) - states[0].count(Some(operation));
    assert_eq!(writes.map(counts), [0; 5]);
    assert_eq!(room.files(), before);
}

#[test]
fn a_folder_that_is_no_repository_is_missing_and_an_empty_one_is_sound() {
    let room = Room::new();
    assert_eq!(verified(&room).problems, Problems::default());
    let nowhere = Repository { root: "nowhere".into(), ..room.repository() };
    let answer = verify(&nowhere, &mut |_| ());
    assert!(matches!(answer, Err(StoreError::Missing { .. })));
}

#[test]
fn issue_memory_is_looked_for_where_it_is() {
    let (room, _) = furnished();
    room.disk.put("notes/work.jsonl", b"not an issue\n").unwrap();
    let elsewhere = Repository { issues: "notes/work.jsonl".into(), ..room.repository() };
    let verification = verify(&elsewhere, &mut |_| ()).unwrap();
    let problem = &verification.problems.kept()[0];
    assert_eq!((problem.class, problem.path.to_str()), (ProblemClass::BadLine, Some("notes/work.jsonl")));
}

#[test]
fn an_edited_row_is_found_in_every_chained_log() {
    for path in [TRAJECTORY, JOURNAL] {
        let (room, _) = furnished();
        edit(&room, path, |lines| {
            let text = String::from_utf8(lines[1].clone()).unwrap();
            lines[1] = text.replacen("2", "3", 1).into_bytes();
        });
        let found = found(&room);
        assert!(found.contains(&(ProblemClass::RowDigestMismatch, path.to_owned(), Some(2))), "{found:?}");
        assert!(found.contains(&(ProblemClass::LogChanged, path.to_owned(), None)), "{found:?}");
    }
}

#[test]
fn a_removed_row_breaks_the_chain_where_the_next_one_stands() {
    let (room, _) = furnished();
    edit(&room, JOURNAL, |lines| drop(lines.remove(1)));
    let chain = one(ProblemClass::ChainBroken, JOURNAL, Some(2));
    assert_eq!(found(&room), [chain, one(ProblemClass::LogShorter, JOURNAL, None)].concat());
}

#[test]
fn rows_cut_off_the_end_are_missed_by_the_head() {
    for path in [ISSUES, TRAJECTORY, JOURNAL] {
        let (room, _) = furnished();
        edit(&room, path, |lines| drop(lines.pop()));
        let mut found = found(&room);
        found.retain(|(class, ..)| *class != ProblemClass::SnapshotStale);
        assert_eq!(found, one(ProblemClass::LogShorter, path, None));
    }
    let (room, _) = furnished();
    premath_bd::Disk::remove(&room.disk, ISSUES.as_ref()).unwrap();
    assert!(found(&room).contains(&(ProblemClass::LogShorter, ISSUES.to_owned(), None)));
}

#[test]
fn an_edited_issue_row_is_found_by_its_seal_and_by_the_head() {
    let (room, _) = furnished();
    edit(&room, ISSUES, |lines| {
        let text = String::from_utf8(lines[0].clone()).unwrap();
        lines[0] = text.replacen("first", "faked", 1).into_bytes();
    });
    let mut found = found(&room);
    found.retain(|(class, ..)| *class != ProblemClass::SnapshotStale);
    let expected =
        [one(ProblemClass::LogChanged, ISSUES, None), one(ProblemClass::RowDigestMismatch, ISSUES, Some(1))];
    assert_eq!(found, expected.concat());
}

#[test]
fn a_line_that_was_changed_with_the_files_time_set_back_is_found() {
    let (room, _) = furnished();
    let mut bytes = room.disk.bytes(JOURNAL).unwrap();
    let at = bytes.len() - 100;
    bytes[at] ^= 1;
    room.disk.rot(JOURNAL, bytes).unwrap();
    let classes: BTreeSet<ProblemClass> = found(&room).into_iter().map(|(class, ..)| class).collect();
    assert!(classes.contains(&ProblemClass::LogChanged), "{classes:?}");
}

#[test]
fn bad_lines_and_foreign_forms_are_named_with_their_line() {
    let (room, _) = furnished();
    edit(&room, ISSUES, |lines| {
        lines.insert(1, b"not json\n".to_vec());
        lines.insert(2, b"[1]\n".to_vec());
        lines.insert(3, b"{\"no\":\"issue\"}\n".to_vec());
        lines.insert(4, b"\r\n".to_vec());
        lines[0].splice(0..0, *b"\xEF\xBB\xBF");
        lines.push(b"{\"half".to_vec());
    });
    let found = found(&room);
    for (class, line) in [
        (ProblemClass::BadLine, 2),
        (ProblemClass::BadLine, 3),
        (ProblemClass::BadLine, 4),
        (ProblemClass::TextForm, 1),
        (ProblemClass::TornTail, 8),
    ] {
        let count = found.iter().filter(|one| **one == (class, ISSUES.to_owned(), Some(line))).count();
        assert_eq!(count, 1, "{class} on line {line}: {found:?}");
    }
}

#[test]
fn carriage_returns_do_not_break_a_chain() {
    let (room, _) = furnished();
    edit(&room, JOURNAL, |lines| {
        for line in lines {
            line.insert(line.len() - 1, b'\r');
        }
    });
    let expected =
        [one(ProblemClass::TextForm, JOURNAL, Some(1)), one(ProblemClass::LogChanged, JOURNAL, None)];
    assert_eq!(found(&room), expected.concat());
}

#[test]
fn a_missing_head_is_a_warning_and_a_fresh_checkout_is_sound() {
    let (room, _) = furnished();
    for path in room.files().into_keys().filter(|path| path.extension().is_some_and(|end| end == "head")) {
        premath_bd::Disk::remove(&room.disk, &path).unwrap();
    }
    let verification = verified(&room);
    assert!(verification.problems.is_sound());
    assert_eq!(verification.problems.total(), 5);
    assert!(verification.problems.kept().iter().all(|problem| problem.class == ProblemClass::HeadMissing));
}

#[test]
fn a_log_that_was_tampered_with_and_written_to_since_is_still_found() {
    let (room, _) = furnished();
    edit(&room, TRAJECTORY, |lines| drop(lines.pop()));
    repository::step(&room, "later", &[]);
    assert_eq!(found(&room), one(ProblemClass::LogChanged, TRAJECTORY, None));
}

#[test]
fn a_crash_between_append_and_head_is_no_finding() {
    let (room, _) = furnished();
    let row = room.disk.bytes(JOURNAL).unwrap();
    let value =
        parse(row.split(|byte| *byte == b'\n').rfind(|line| !line.is_empty()).unwrap(), Limits::default())
            .unwrap();
    let last = Link::of(value.as_object().unwrap()).unwrap();
    let next =
        Object::fields().field("event", event("call", 9)).field("kind", "premath.run.journal.v1").finish();
    let (line, _) = seal(next.as_object().unwrap(), Some(&last)).unwrap();
    room.disk.put(JOURNAL, &[row, line, b"\n".to_vec()].concat()).unwrap();
    assert_eq!(found(&room), []);
}

#[test]
fn damaged_objects_and_witnesses_are_found() {
    let (room, refs) = furnished();
    let object = room.objects().path_of(&refs.object).display().to_string();
    let witness = format!(".premath/witnesses/{}.json", refs.witness);
    room.disk.put(&object, b"another").unwrap();
    room.disk.put(&witness, b"{}").unwrap();
    let expected = [
        one(ProblemClass::WitnessMismatch, &witness, None),
        one(ProblemClass::ObjectMismatch, &object, None),
    ];
    assert_eq!(found(&room), expected.concat());
}

#[test]
fn references_to_what_is_not_there_are_found_where_they_stand() {
    let (room, refs) = furnished();
    premath_bd::Disk::remove(&room.disk, &room.objects().path_of(&refs.object)).unwrap();
    premath_bd::Disk::remove(&room.disk, format!(".premath/witnesses/{}.json", refs.witness).as_ref())
        .unwrap();
    let found = found(&room);
    assert!(found.iter().all(|(class, ..)| *class == ProblemClass::ReferenceMissing), "{found:?}");
    let places: BTreeSet<(&str, Option<u64>)> =
        found.iter().map(|(_, path, line)| (path.as_str(), *line)).collect();
    let second = ".premath/runs/s2/journal.jsonl";
    let expected =
        [(TRAJECTORY, Some(2)), (JOURNAL, Some(3)), (second, Some(3)), (SESSION, None), (LEDGER, None)];
    assert_eq!(places, BTreeSet::from(expected));
}

#[test]
fn only_what_is_spelled_as_a_reference_is_one() {
    let witness = format!("w1_{}", "a".repeat(52));
    let object = format!("sha256:{}", "b".repeat(64));
    let row = Object::fields()
        .field("note", witness.as_str())
        .field("payloadDigest", object.as_str())
        .field("witnessRefs", Value::text_list([witness.as_str(), "lease://handoff/x", "w1_short"]))
        .field(
            "event",
            Object::fields()
                .field("body", format!("object://{object}"))
                .field("objectRef", object.as_str())
                .finish(),
        )
        .field("text", format!("witness://{witness}"))
        .field("path", "object://sha256:../../etc")
        .finish();
    let found = references(row.as_object().unwrap());
    let object = Reference::Object(object.parse().unwrap());
    let witness = Reference::Witness(witness);
    assert_eq!(found, [object.clone(), object, witness.clone(), witness]);
}

#[test]
fn runs_and_gates_are_references_only_where_a_member_is_meant_for_them() {
    let digest = format!("sha256:{}", "b".repeat(64));
    let row = |name: &'static str| {
        let texts = ["run://r-1/t0001".to_owned(), format!("gate://{digest}"), "run://../x".to_owned()];
        Object::fields().field(name, Value::text_list(texts.iter().map(String::as_str))).finish().into_owned()
    };
    let found = references(row("lineageRefs").as_object().unwrap());
    assert_eq!(found, [Reference::Run("r-1".to_owned()), Reference::Outcome(digest.parse().unwrap())]);
    // What a model says must not make a repository fail its verification.
    assert_eq!(references(row("text").as_object().unwrap()), []);
    let step = |action: &'static str| {
        let refs = Value::text_list([digest.as_str()]);
        Object::fields().field("action", action).field("witnessRefs", refs).finish().into_owned()
    };
    assert_eq!(references(step("harness.step").as_object().unwrap()).len(), 1);
    assert_eq!(references(step("run").as_object().unwrap()), []);
}

#[test]
fn documents_that_cannot_be_read_are_found_and_those_of_others_told_apart() {
    let (room, _) = furnished();
    room.disk.put(SESSION, b"{\"schema\":1,").unwrap();
    let ledger = String::from_utf8(room.disk.bytes(LEDGER).unwrap()).unwrap();
    room.disk.put(LEDGER, ledger.replace("\"schema\": 1", "\"schema\": 2").as_bytes()).unwrap();
    let expected =
        [one(ProblemClass::DocumentForeign, LEDGER, None), one(ProblemClass::DocumentInvalid, SESSION, None)];
    assert_eq!(found(&room), expected.concat());
}

#[test]
fn a_session_that_saw_other_issues_is_a_warning() {
    let (room, _) = furnished();
    repository::issue(&room, "another");
    assert_eq!(found(&room), one(ProblemClass::SnapshotStale, SESSION, None));
    assert!(verified(&room).problems.is_sound());
}

#[test]
fn a_file_that_cannot_be_read_is_a_finding_and_the_others_are_looked_at() {
    let (room, _) = furnished();
    let reads = {
        let before = room.disk.count(Some(Operation::Read));
        verified(&room);
        room.disk.count(Some(Operation::Read)) - before
    };
    for nth in 1..=reads {
        let failure =
            Failure { of: Some(Operation::Read), nth, fault: Fault::InputOutput, lasting: Lasting::Once };
        let (room, _) = furnished();
        room.disk.fail(failure);
        let verification = verified(&room);
        let kept = verification.problems.kept();
        assert!(kept.iter().any(|problem| problem.class == ProblemClass::Unreadable), "read {nth}: {kept:?}");
        assert!(verification.checked.objects >= 1 || nth < reads, "read {nth}: it stopped");
    }
}

#[test]
fn a_million_problems_are_counted_and_a_thousand_kept() {
    let room = Room::new();
    room.disk.put(ISSUES, &b"x\n".repeat(5_000)).unwrap();
    let verification = verified(&room);
    assert_eq!(verification.problems.kept().len(), 1_000);
    assert_eq!(verification.problems.total(), 5_001);
    assert_eq!(verification.problems.omitted(), 4_001);
    assert!(!verification.problems.is_sound());
}

#[test]
fn every_flipped_bit_of_the_evidence_is_found() {
    let (room, refs) = furnished();
    let object = room.objects().path_of(&refs.object).display().to_string();
    let witness = format!(".premath/witnesses/{}.json", refs.witness);
    for path in [JOURNAL, TRAJECTORY, &object, &witness] {
        let sound = room.disk.bytes(path).unwrap();
        let flips = amount(60, 5_000);
        for seed in 0..flips {
            let mut seeded = Seeded::new(u64::try_from(seed).unwrap());
            let mut bytes = sound.clone();
            // The newline behind a witness is white space.
            let at = seeded.below(bytes.len() - 1);
            bytes[at] ^= 1 << seeded.below(8);
            room.disk.rot(path, bytes).unwrap();
            assert!(!verified(&room).problems.is_sound(), "{path}, seed {seed}");
        }
        room.disk.rot(path, sound).unwrap();
    }
    assert!(verified(&room).problems.is_sound());
}

#[test]
fn a_chain_may_follow_rows_that_have_none_but_not_the_other_way_round() {
    let plain = |name: &'static str| Object::fields().field("name", name).finish();
    let row = |value: &Value<'_>, after: Option<&Link>| {
        let (line, link) = seal(value.as_object().unwrap(), after).unwrap();
        (parse(&line, Limits::default()).unwrap().into_owned(), link)
    };
    let (one, link) = row(&plain("one"), None);
    let (two, _) = row(&plain("two"), Some(&link));
    let classes = |rows: &[&Value<'_>]| -> Vec<ProblemClass> {
        let mut watch = ChainWatch::default();
        rows.iter().flat_map(|row| watch.row(row.as_object().unwrap())).map(|(class, _)| class).collect()
    };
    assert_eq!(classes(&[&plain("old"), &plain("older"), &one, &two]), []);
    assert_eq!(classes(&[&one, &plain("new"), &two]), [ProblemClass::ChainBroken]);
    assert_eq!(classes(&[&two]), [ProblemClass::ChainBroken]);
    assert_eq!(classes(&[&one, &one, &two]), [ProblemClass::ChainBroken]);
    let resealed = row(&two, Some(&link)).0;
    assert_eq!(resealed, two, "sealing replaces what was sealed before");
    let skipping = row(&plain("three"), Some(&Link { seq: link.seq + 1, digest: link.digest.clone() })).0;
    assert_eq!(classes(&[&one, &skipping]), [ProblemClass::ChainBroken], "a number is left out");
    let (forged, _) = row(&plain("won"), None);
    assert_eq!(classes(&[&forged, &two]), [ProblemClass::ChainBroken], "the first row is another one");
    let odd = Object::fields().field("seq", "1").finish();
    assert_eq!(classes(&[&odd]), [ProblemClass::ChainBroken]);
}

#[test]
fn classes_are_sorted_and_every_one_says_what_to_do() {
    assert!(ProblemClass::ALL.is_sorted_by(|left, right| left.code() < right.code()));
    for class in ProblemClass::ALL {
        assert!(
            class.code().starts_with("verify.") && !class.hint().is_empty() && !class.meaning().is_empty()
        );
    }
    let warnings: Vec<&str> =
        ProblemClass::ALL.iter().filter(|class| class.is_warning()).map(|class| class.code()).collect();
    let expected = [
        "verify.committed",
        "verify.head_missing",
        "verify.merge_driver_missing",
        "verify.not_verifiable_here",
        "verify.reference_not_here",
        "verify.snapshot_stale",
        "verify.text_form",
        "verify.torn_tail",
    ];
    assert_eq!(warnings, expected);
}
