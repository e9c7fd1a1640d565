//! What the doctor promises: damage is found and explained, mending keeps a copy of everything it touches, leaves a record
//! of what it accepts, and leaves nothing to mend.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what cannot be done fails the test")]

mod repository;
mod room;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use premath_bd::{
    ACCEPTANCE_KIND, Access, Collection, Diagnosis, Disk as _, Doctor, DoctorError, GITIGNORE, GarbageRules,
    LockMode, Maintenance, MaintenanceGrant, OperatorBasis, OperatorGrant, Permit, StoreError, Treatment,
};
use premath_kernel::Value;
use premath_testkit::faulty_disk::{Failure, Fault, Lasting};
use repository::{ISSUES, JOURNAL, LEDGER, Refs, SESSION, TRAJECTORY, furnished};
use room::{Room, amount, at};

fn doctor(room: &Room) -> Doctor {
    Doctor::new(room.repository())
}

fn repairs() -> Permit {
    Permit::Maintenance(MaintenanceGrant::new(Maintenance::Repair))
}

fn examined(room: &Room) -> Diagnosis {
    doctor(room).examine(&mut |_| ()).unwrap()
}

fn mended(room: &Room) -> Treatment {
    let treatment = doctor(room).repair(repairs(), &mut |_| ()).unwrap();
    assert!(treatment.failures.is_empty(), "{:?}", treatment.failures);
    treatment
}

fn classes(diagnosis: &Diagnosis) -> BTreeSet<&'static str> {
    diagnosis.findings.iter().map(|finding| finding.class).collect()
}

fn edit(room: &Room, path: &str, change: impl FnOnce(&mut Vec<Vec<u8>>)) {
    let bytes = room.disk.bytes(path).unwrap();
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    change(&mut lines);
    room.disk.put(path, &lines.concat()).unwrap();
}

/// Something that happens to a repository, and the classes it should be found as.
type Harm = (&'static str, fn(&Room, &Refs), &'static [&'static str]);

const HARMS: &[Harm] = &[
    ("half a line", |room, _| append(room, JOURNAL, b"{\"half"), &["verify.torn_tail"]),
    (
        "a missing newline",
        |room, _| {
            let bytes = room.disk.bytes(TRAJECTORY).unwrap();
            room.disk.put(TRAJECTORY, bytes.trim_ascii_end()).unwrap();
        },
        &["verify.torn_tail", "verify.log_shorter_than_head"],
    ),
    (
        "bad lines",
        |room, _| append(room, ISSUES, b"garbage \xff\n[1]\n{\"no\":\"id\"}\n"),
        &["verify.bad_line"],
    ),
    (
        "a byte order mark",
        |room, _| edit(room, ISSUES, |lines| drop(lines[0].splice(0..0, *b"\xEF\xBB\xBF"))),
        &["verify.text_form", "verify.log_changed"],
    ),
    (
        "carriage returns",
        |room, _| {
            edit(room, JOURNAL, |lines| lines.iter_mut().for_each(|line| line.insert(line.len() - 1, b'\r')))
        },
        &["verify.text_form", "verify.log_changed"],
    ),
    (
        "no head",
        |room, _| room.disk.remove(Path::new(&format!("{JOURNAL}.head"))).unwrap(),
        &["verify.head_missing"],
    ),
    (
        "a head of noise",
        |room, _| room.disk.put(format!("{ISSUES}.head"), &[7; 4096]).unwrap(),
        &["verify.head_missing"],
    ),
    (
        "an edited row",
        |room, _| {
            edit(room, JOURNAL, |lines| {
                lines[1] =
                    String::from_utf8(lines[1].clone()).unwrap().replacen("intent", "intend", 1).into_bytes();
            })
        },
        &["verify.row_digest_mismatch", "verify.log_changed"],
    ),
    (
        "a removed row",
        |room, _| edit(room, TRAJECTORY, |lines| drop(lines.remove(0))),
        &["verify.chain_broken", "verify.log_shorter_than_head"],
    ),
    (
        "a row that became noise",
        |room, _| edit(room, JOURNAL, |lines| lines[0][0] = b'#'),
        &["verify.bad_line", "verify.chain_broken", "verify.log_changed"],
    ),
    (
        "an edited issue",
        |room, _| {
            edit(room, ISSUES, |lines| {
                lines[0] =
                    String::from_utf8(lines[0].clone()).unwrap().replacen("first", "faked", 1).into_bytes();
            })
        },
        &["verify.row_digest_mismatch", "verify.log_changed"],
    ),
    (
        "rows of an issue in the wrong order",
        |room, _| edit(room, ISSUES, |lines| lines.push(lines[0].clone())),
        &["verify.row_order"],
    ),
    (
        "a change with the time set back",
        |room, _| {
            let mut bytes = room.disk.bytes(ISSUES).unwrap();
            let at = bytes.windows(5).position(|window| window == b"first").unwrap();
            bytes[at] = b'F';
            room.disk.rot(ISSUES, bytes).unwrap();
        },
        &["verify.row_digest_mismatch", "verify.log_changed"],
    ),
    (
        "a log that is gone",
        |room, _| room.disk.remove(Path::new(TRAJECTORY)).unwrap(),
        &["verify.log_shorter_than_head"],
    ),
    (
        "a damaged witness",
        |room, refs| {
            room.disk.put(format!(".premath/witnesses/{}.json", refs.witness), b"{}").unwrap();
        },
        &["verify.witness_mismatch"],
    ),
    (
        "a damaged object",
        |room, refs| room.disk.put(room.objects().path_of(&refs.object), b"x").unwrap(),
        &["verify.object_mismatch"],
    ),
    (
        "a marked document",
        |room, _| {
            let bytes = room.disk.bytes(SESSION).unwrap();
            room.disk.put(SESSION, &[b"\xEF\xBB\xBF".to_vec(), bytes].concat()).unwrap();
        },
        &["verify.document_invalid"],
    ),
    (
        "a broken document",
        |room, _| room.disk.put(LEDGER, b"{\"schema\":1,").unwrap(),
        &["verify.document_invalid"],
    ),
    (
        "leftovers",
        |room, _| {
            for path in [
                "issues.jsonl.tmp",
                "runs/s1/journal.jsonl.tmp",
                "witnesses/w.1.tmp",
                "objects/incoming/1.tmp",
            ] {
                room.disk.put(format!(".premath/{path}"), b"half").unwrap();
            }
        },
        &["doctor.leftover_file"],
    ),
    (
        "an index that was cut",
        |room, _| room.disk.put(format!("{ISSUES}.index"), b"cut").unwrap(),
        &["doctor.index_unusable"],
    ),
    (
        "an index without a log",
        |room, _| room.disk.put(".premath/gone.jsonl.index", &[0; 4096]).unwrap(),
        &["doctor.index_unusable"],
    ),
    (
        "no .gitignore",
        |room, _| room.disk.remove(Path::new(".premath/.gitignore")).unwrap(),
        &["doctor.gitignore_missing"],
    ),
];

fn append(room: &Room, path: &str, bytes: &[u8]) {
    let before = room.disk.bytes(path).unwrap();
    room.disk.put(path, &[before.as_slice(), bytes].concat()).unwrap();
}

fn harmed(harm: &Harm) -> Room {
    let (room, refs) = furnished();
    (harm.1)(&room, &refs);
    // Hours later.
    room.clock.set(at(1_100_000));
    room.disk.set_time(at(1_100_000));
    room
}

/// What is left of a harm that only a person can make good.
fn is_for_a_person(class: &str) -> bool {
    class == "verify.reference_missing"
}

#[test]
fn a_sound_repository_has_no_findings_and_needs_no_repairs() {
    let (room, _) = furnished();
    assert!(classes(&examined(&room)).is_empty());
    let before = room.files();
    let treatment = mended(&room);
    assert!(treatment.repairs.is_empty());
    assert_eq!(room.files(), before);
}

#[test]
fn every_harm_is_found_explained_and_left_alone_by_looking() {
    for harm in HARMS {
        let room = harmed(harm);
        let before = room.files();
        let diagnosis = examined(&room);
        for class in harm.2 {
            assert!(classes(&diagnosis).contains(class), "{}: {:?}", harm.0, classes(&diagnosis));
        }
        for finding in &diagnosis.findings {
            assert!(!finding.detail.is_empty() && !finding.meaning.is_empty() && !finding.hint.is_empty());
            assert!(finding.remedy.is_some() || is_for_a_person(finding.class), "{}: {finding:?}", harm.0);
        }
        let is_sound = diagnosis.findings.iter().all(|finding| finding.is_warning);
        assert_eq!(diagnosis.is_sound, is_sound, "{}", harm.0);
        assert_eq!(room.files(), before, "{}", harm.0);
    }
}

#[test]
fn every_harm_is_mended_and_the_second_time_there_is_nothing_to_do() {
    for harm in HARMS {
        let room = harmed(harm);
        let treatment = mended(&room);
        assert!(!treatment.repairs.is_empty(), "{}", harm.0);
        let left = classes(&treatment.remaining);
        assert!(left.iter().all(|class| is_for_a_person(class)), "{}: {left:?}", harm.0);
        let before = room.files();
        let again = mended(&room);
        assert!(again.repairs.is_empty(), "{}: {:?}", harm.0, again.repairs);
        assert_eq!(room.files(), before, "{}", harm.0);
    }
}

/// Every byte string that was in a file before is in some file now, unless the file is derived.
fn check_nothing_lost(before: &BTreeMap<PathBuf, Vec<u8>>, room: &Room, place: &str) {
    let after = room.files();
    let contents: BTreeSet<&Vec<u8>> = after.values().collect();
    for (path, bytes) in before {
        let end = path.extension().map(|end| end.to_string_lossy().into_owned()).unwrap_or_default();
        let is_derived = matches!(end.as_str(), "index" | "lock" | "head");
        assert!(is_derived || contents.contains(bytes), "{place}: {} is nowhere", path.display());
    }
}

#[test]
fn nothing_is_lost_by_mending() {
    for harm in HARMS {
        let room = harmed(harm);
        let before = room.files();
        let treatment = mended(&room);
        check_nothing_lost(&before, &room, harm.0);
        for backup in treatment.repairs.iter().flat_map(|repair| &repair.backups) {
            assert!(backup.starts_with(".premath/backup"), "{}: {}", harm.0, backup.display());
            room.disk.bytes(backup).unwrap();
        }
    }
}

#[test]
fn rows_survive_mending_in_their_order() {
    let rows = |room: &Room, path: &str| -> Vec<Vec<u8>> {
        let bytes = room.disk.bytes(path).unwrap_or_default();
        bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
    };
    let (sound, _) = furnished();
    for harm in HARMS {
        let room = harmed(harm);
        mended(&room);
        for path in [ISSUES, TRAJECTORY, JOURNAL] {
            let (before, after) = (rows(&sound, path), rows(&room, path));
            let missing = before.iter().filter(|row| !after.contains(row)).count();
            // What a harm took or changed cannot come back; nothing else may go.
            let allowed = match harm.0 {
                "a log that is gone" if path == TRAJECTORY => before.len(),
                "an edited row" | "a row that became noise" if path == JOURNAL => 1,
                "a removed row" if path == TRAJECTORY => 1,
                "an edited issue" | "a change with the time set back" if path == ISSUES => 1,
                _ => 0,
            };
            assert_eq!(missing, allowed, "{}: {path}", harm.0);
            for line in &after {
                assert!(line.starts_with(b"{") && line.ends_with(b"}"), "{}: {path}", harm.0);
            }
        }
    }
}

#[test]
fn lines_that_are_moved_out_are_in_a_file_of_their_own() {
    let room = harmed(&HARMS[2]);
    let treatment = mended(&room);
    let repair = &treatment.repairs[0];
    assert!(repair.what.contains("3 lines"), "{}", repair.what);
    let out = repair.backups.iter().find(|path| path.to_string_lossy().ends_with(".bad-lines")).unwrap();
    assert_eq!(room.disk.bytes(out).unwrap(), b"garbage \xff\n[1]\n{\"no\":\"id\"}\n");
    assert!(
        out.starts_with(".premath/backup") && out.to_string_lossy().contains("19700113T173320Z-issues.jsonl")
    );
}

#[test]
fn what_is_accepted_is_on_record_and_holds_for_those_very_bytes_only() {
    let accepting =
        ["verify.log_changed", "verify.log_shorter_than_head", "verify.chain_broken", "verify.row_order"];
    for harm in HARMS {
        let room = harmed(harm);
        let treatment = mended(&room);
        let witnesses: Vec<&String> = treatment.repairs.iter().flat_map(|repair| &repair.witnesses).collect();
        let is_accepted = harm.2.iter().any(|class| accepting.contains(class));
        assert_eq!(!witnesses.is_empty(), is_accepted, "{}", harm.0);
        for id in witnesses {
            let witness = room.witnesses().get(id).unwrap();
            let kind = witness.as_object().unwrap().get("witnessKind").and_then(Value::as_text);
            assert_eq!(kind, Some(ACCEPTANCE_KIND));
        }
    }
    // The record does not cover what is done next.
    let room = harmed(&HARMS[7]);
    mended(&room);
    assert_eq!(examined(&room).accepted, 1);
    edit(&room, JOURNAL, |lines| drop(lines.remove(0)));
    let diagnosis = examined(&room);
    assert!(classes(&diagnosis).contains("verify.chain_broken"), "{:?}", classes(&diagnosis));
    assert!(classes(&diagnosis).contains("verify.row_digest_mismatch"), "{:?}", classes(&diagnosis));
}

#[test]
fn work_goes_on_after_mending() {
    for harm in HARMS {
        let room = harmed(harm);
        mended(&room);
        repository::issue(&room, "next");
        repository::step(&room, "next", &[]);
        room.journal("s1").append(&room::event("next", 1), at(1_100_000)).unwrap();
        let left = classes(&examined(&room));
        assert!(left.iter().all(|class| is_for_a_person(class)), "{}: {left:?}", harm.0);
    }
}

#[test]
fn only_a_permit_for_repairs_lets_anything_be_mended() {
    let room = harmed(&HARMS[0]);
    let before = room.files();
    let others = [
        Permit::Maintenance(MaintenanceGrant::new(Maintenance::Compact)),
        Permit::Maintenance(MaintenanceGrant::new(Maintenance::Import)),
        Permit::Operator(OperatorGrant::new(None, OperatorBasis::Configured)),
    ];
    for permit in others {
        let answer = doctor(&room).repair(permit, &mut |_| ());
        assert!(matches!(answer, Err(DoctorError::Permit(_))), "{answer:?}");
    }
    assert_eq!(room.files(), before);
}

#[test]
fn a_file_that_somebody_is_writing_is_no_leftover() {
    let (room, _) = furnished();
    let path = ".premath/issues.jsonl.tmp";
    room.disk.put(path, b"half").unwrap();
    assert!(classes(&examined(&room)).is_empty(), "it is young");
    room.clock.set(at(1_100_000));
    let lock = room.disk.open(Path::new(".premath/issues.jsonl.lock"), Access::Update).unwrap();
    lock.lock(LockMode::Exclusive, std::time::Duration::ZERO).unwrap();
    assert!(classes(&examined(&room)).is_empty(), "its log is locked");
    drop(lock);
    assert_eq!(classes(&examined(&room)), BTreeSet::from(["doctor.leftover_file"]));
}

#[test]
fn a_log_that_is_locked_is_not_mended_and_the_others_are() {
    let (room, _) = furnished();
    append(&room, JOURNAL, b"{\"half");
    append(&room, TRAJECTORY, b"{\"half");
    let lock = room.disk.open(Path::new(&format!("{JOURNAL}.lock")), Access::Update).unwrap();
    lock.lock(LockMode::Exclusive, std::time::Duration::ZERO).unwrap();
    let treatment = doctor(&room).repair(repairs(), &mut |_| ()).unwrap();
    assert_eq!(treatment.repairs.len(), 1);
    assert_eq!(treatment.repairs[0].path, Path::new(TRAJECTORY));
    assert!(matches!(treatment.failures[0].error, StoreError::Busy { .. }));
    drop(lock);
    assert_eq!(mended(&room).repairs.len(), 1);
}

#[test]
fn two_doctors_do_not_work_at_once() {
    let room = harmed(&HARMS[0]);
    let lock = room.disk.open(Path::new(".premath/doctor.lock"), Access::Update).unwrap();
    lock.lock(LockMode::Exclusive, std::time::Duration::ZERO).unwrap();
    let answer = doctor(&room).repair(repairs(), &mut |_| ());
    assert!(matches!(answer, Err(DoctorError::Store(StoreError::Busy { .. }))), "{answer:?}");
}

#[test]
fn a_doctor_who_is_killed_at_any_point_has_lost_nothing_and_the_next_one_finishes() {
    let stride = if amount(0, 1) == 1 { 1 } else { 3 };
    for harm in HARMS {
        let room = harmed(harm);
        let before = room.files();
        room.disk.record();
        mended(&room);
        for (number, state) in room.disk.recorded().into_iter().enumerate().step_by(stride) {
            let after = Room::on(state.kill());
            after.clock.set(at(1_200_000));
            let place = format!("{}, state {number}", harm.0);
            check_nothing_lost(&before, &after, &place);
            mended(&after);
            check_nothing_lost(&before, &after, &place);
            let left = classes(&examined(&after));
            assert!(left.iter().all(|class| is_for_a_person(class)), "{place}: {left:?}");
        }
    }
}

#[test]
fn tampering_is_never_forgotten_without_a_record() {
    for harm in HARMS.iter().filter(|harm| harm.2.contains(&"verify.log_changed")) {
        let room = harmed(harm);
        room.disk.record();
        mended(&room);
        for (number, state) in room.disk.recorded().into_iter().enumerate() {
            let after = Room::on(state.kill());
            after.clock.set(at(1_100_000));
            let diagnosis = examined(&after);
            let is_known = classes(&diagnosis).contains("verify.log_changed");
            let is_recorded = after.witnesses().iter().unwrap().count() > 2;
            assert!(is_known || is_recorded, "{}, state {number}", harm.0);
        }
    }
}

#[test]
fn an_operation_that_fails_is_reported_and_nothing_is_lost() {
    let stride = if amount(0, 1) == 1 { 1 } else { 5 };
    for harm in HARMS.iter().step_by(stride.min(4)) {
        let count = {
            let room = harmed(harm);
            let before = room.disk.count(None);
            mended(&room);
            room.disk.count(None) - before
        };
        for nth in (1..=count).step_by(stride) {
            let room = harmed(harm);
            let before = room.files();
            room.disk.fail(Failure { of: None, nth, fault: Fault::NoSpace, lasting: Lasting::Once });
            // Whatever it answers, the patient is not worse off.
            drop(doctor(&room).repair(repairs(), &mut |_| ()));
            room.disk.heal();
            let place = format!("{}, operation {nth}", harm.0);
            check_nothing_lost(&before, &room, &place);
            let later = Room::on(room.disk.kill());
            later.clock.set(at(1_200_000));
            mended(&later);
            let left = classes(&examined(&later));
            assert!(left.iter().all(|class| is_for_a_person(class)), "{place}: {left:?}");
        }
    }
}

#[test]
fn the_gitignore_keeps_what_is_this_machines_own_out() {
    let room = harmed(HARMS.last().unwrap());
    mended(&room);
    assert_eq!(room.disk.bytes(".premath/.gitignore").unwrap(), GITIGNORE.as_bytes());
    for line in ["*.lock", "*.head", "*.index", "*.tmp", "/backup/"] {
        assert!(GITIGNORE.lines().any(|own| own == line), "{line}");
    }
}

#[test]
fn an_index_with_a_damaged_page_is_deleted_and_verification_does_not_need_it() {
    use premath_bd::issues::{FileIssues, IssueStore as _};
    let (room, _) = furnished();
    let mut log = premath_bd::Log::new(room.dyn_disk(), ISSUES.into()).write().unwrap();
    for number in 100..2_000 {
        log.append(format!("{{\"id\":\"bd-{number}\",\"title\":\"x\"}}").as_bytes()).unwrap();
    }
    drop(log);
    let index = format!("{ISSUES}.index");
    let issues = FileIssues::new(room.dyn_disk(), ISSUES.into());
    let count = issues.view().unwrap().all().unwrap().len();
    let sound = room.disk.bytes(&index).unwrap();
    assert!(classes(&examined(&room)).is_empty(), "a sound index is no finding");
    for page in [1, sound.len() / 4096 - 1] {
        let mut damaged = sound.clone();
        damaged[page * 4096 + 2_000] ^= 1;
        room.disk.rot(&index, damaged).unwrap();
        assert_eq!(classes(&examined(&room)), BTreeSet::from(["doctor.index_unusable"]), "page {page}");
        mended(&room);
        assert!(room.disk.bytes(&index).is_err());
        assert_eq!(issues.view().unwrap().all().unwrap().len(), count);
        assert_eq!(room.disk.bytes(&index).unwrap(), sound, "it is rebuilt to the same bytes");
    }
}

#[test]
fn copies_of_one_second_do_not_write_over_each_other() {
    let (room, _) = furnished();
    let mut kept = BTreeSet::new();
    for number in 0..3 {
        append(&room, JOURNAL, format!("garbage {number}\n").as_bytes());
        let before = room.disk.bytes(JOURNAL).unwrap();
        let treatment = mended(&room);
        let copies = treatment.repairs.iter().flat_map(|repair| &repair.backups);
        let copy = copies.clone().find(|path| room.disk.bytes(path).unwrap() == before).unwrap();
        assert!(kept.insert(copy.clone()), "{}", copy.display());
    }
    for path in kept {
        assert!(
            room.disk.bytes(&path).unwrap().windows(7).any(|window| window == b"garbage"),
            "{}",
            path.display()
        );
    }
}

#[test]
fn a_put_under_way_is_left_alone() {
    let (room, _) = furnished();
    let path = Path::new(".premath/objects/incoming/9.tmp");
    room.disk.put(path, b"half").unwrap();
    room.clock.set(at(1_100_000));
    let put = room.disk.open(path, Access::Update).unwrap();
    put.lock(LockMode::Exclusive, std::time::Duration::ZERO).unwrap();
    assert!(classes(&examined(&room)).is_empty());
    assert!(mended(&room).repairs.is_empty());
    drop(put);
    assert_eq!(mended(&room).repairs.len(), 1);
    let report = room
        .objects()
        .collect_garbage(&BTreeSet::new(), &GarbageRules::before(at(0)), Collection::Plan, &mut |_| ())
        .unwrap();
    assert_eq!(report.leftovers, 0);
}

#[test]
fn an_edited_issue_that_was_accepted_stays_so_when_issue_memory_is_compacted() {
    use premath_bd::issues::{FileIssues, IssueStore as _};
    let room = harmed(&(
        "another edited issue",
        |room, _| {
            edit(room, ISSUES, |lines| {
                lines[1] =
                    String::from_utf8(lines[1].clone()).unwrap().replacen("second", "faked!", 1).into_bytes();
            })
        },
        &[],
    ));
    mended(&room);
    let issues = FileIssues::new(room.dyn_disk(), ISSUES.into());
    let before = room.disk.bytes(ISSUES).unwrap();
    repository::retitle(&room, "bd-1", "once more");
    issues.compact(MaintenanceGrant::new(Maintenance::Compact)).unwrap();
    assert!(!room.disk.bytes(ISSUES).unwrap().starts_with(&before), "the rows have moved");
    let diagnosis = examined(&room);
    assert!(classes(&diagnosis).is_empty(), "{:?}", diagnosis.findings);
    assert_eq!(diagnosis.accepted, 1);
}
