//! The session handoff on a real file system: what a write keeps, clears and replaces, and what damage does.

#![expect(clippy::disallowed_methods, reason = "the tests look at and damage the files themselves")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::{Access, Disk, LockMode, OsDisk, Session, SessionChange, SessionStore, StoreError};
use premath_kernel::{Moment, Value};
use premath_testkit::faulty_disk::{Failure, Fault, Lasting, Seeded, SimDisk};
use premath_wire::v1::SessionState;
use tempfile::TempDir;

struct Lane {
    _folder: TempDir,
    path: PathBuf,
}

impl Lane {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("harness_session.json");
        Self { _folder: folder, path }
    }

    fn store(&self) -> SessionStore {
        SessionStore::new(Arc::new(OsDisk), self.path.clone())
    }

    fn write(&self, change: &SessionChange, second: i64) -> Session {
        self.try_write(change, second).unwrap()
    }

    fn try_write(&self, change: &SessionChange, second: i64) -> Result<Session, StoreError> {
        self.store()
            .write(change, ".premath/issues.jsonl", &at(second), |path| Ok(Some(format!("iss1_of:{path}"))))
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.path).unwrap()
    }
}

fn at(second: i64) -> Moment {
    Moment::new(1_763_190_772 + second, 123_456_789).unwrap()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn refs(refs: &[&str]) -> Option<Vec<String>> {
    Some(refs.iter().map(|reference| (*reference).to_owned()).collect())
}

fn full() -> SessionChange {
    SessionChange {
        state: Some(SessionState::Active),
        session_id: some("hs-mine"),
        issue_id: some("bd-7"),
        summary: some(" half done "),
        next_step: some("the other half"),
        instruction_refs: refs(&["i2", "i1", "i1"]),
        witness_refs: refs(&["w2", " w1 ", ""]),
        lineage_refs: refs(&["ctx://a"]),
        issues_path: some("issues.jsonl"),
    }
}

#[test]
fn a_new_session_is_stopped_and_names_itself() {
    let lane = Lane::new();
    let session =
        lane.write(&SessionChange { issue_id: some("bd 7/x"), ..SessionChange::default() }, 0).document;
    assert_eq!((session.schema, session.session_kind.as_str()), (1, "premath.harness.session.v1"));
    assert_eq!(session.session_id, "hs1_20251115T071252Z_bd-7-x");
    assert_eq!(session.state, SessionState::Stopped);
    assert_eq!(session.started_at, "2025-11-15T07:12:52.123Z");
    assert_eq!(
        (session.updated_at.as_str(), session.stopped_at.as_deref()),
        ("2025-11-15T07:12:52.123Z", Some("2025-11-15T07:12:52.123Z"))
    );
    assert_eq!(session.issues_path.as_deref(), Some(".premath/issues.jsonl"));
    assert_eq!(session.issues_snapshot_ref.as_deref(), Some("iss1_of:.premath/issues.jsonl"));
    let nobody =
        Lane::new().write(&SessionChange { session_id: some("  "), ..SessionChange::default() }, 0).document;
    assert_eq!(nobody.session_id, "hs1_20251115T071252Z_none");
}

/// Seed: 002 §11/7
#[test]
fn what_is_not_said_stays_and_only_the_time_moves() {
    let lane = Lane::new();
    let first = lane.write(&full(), 0).document;
    assert_eq!(
        (first.summary.as_deref(), first.instruction_refs.as_slice()),
        (Some("half done"), ["i1".to_owned(), "i2".to_owned()].as_slice())
    );
    let second = lane.write(&SessionChange::default(), 60).document;
    let mut expected = first;
    expected.updated_at = "2025-11-15T07:13:52.123Z".to_owned();
    assert_eq!(second, expected);
}

/// Seed: 002 §11/9
#[test]
fn blank_clears_and_a_list_replaces_the_list() {
    let lane = Lane::new();
    lane.write(&full(), 0);
    let change = SessionChange {
        issue_id: some(" "),
        summary: some(""),
        next_step: some("\t"),
        instruction_refs: refs(&["i9"]),
        witness_refs: refs(&[" ", ""]),
        issues_path: some(""),
        ..SessionChange::default()
    };
    let session = lane.write(&change, 1).document;
    assert_eq!((session.issue_id, session.summary, session.next_step), (None, None, None));
    assert_eq!((session.instruction_refs, session.witness_refs), (vec!["i9".to_owned()], Vec::new()));
    assert_eq!(session.lineage_refs, ["ctx://a"]);
    assert_eq!((session.issues_path, session.issues_snapshot_ref), (None, None));
    let text = lane.text();
    for gone in ["issueId", "summary", "nextStep", "witnessRefs", "issuesPath", "issuesSnapshotRef"] {
        assert!(!text.contains(gone), "{gone} in {text}");
    }
    assert_eq!(lane.write(&SessionChange::default(), 2).document.issues_path, None, "cleared is kept too");
}

#[test]
fn a_name_can_be_changed_but_not_cleared() {
    let lane = Lane::new();
    lane.write(&full(), 0);
    let blank = SessionChange { session_id: some(" "), ..SessionChange::default() };
    assert_eq!(lane.write(&blank, 1).document.session_id, "hs-mine");
    let other = SessionChange { session_id: some(" hs-other "), ..SessionChange::default() };
    assert_eq!(lane.write(&other, 2).document.session_id, "hs-other");
}

/// Seed: 002 §11/3
#[test]
fn it_says_when_it_was_stopped_exactly_while_it_is() {
    let lane = Lane::new();
    let write = |state, second| {
        let session = lane.write(&SessionChange { state, ..SessionChange::default() }, second).document;
        assert_eq!(session.started_at, "2025-11-15T07:12:52.123Z");
        (session.state, session.stopped_at)
    };
    let stopped = |time: &str| (SessionState::Stopped, some(time));
    assert_eq!(write(Some(SessionState::Active), 0), (SessionState::Active, None));
    assert_eq!(write(None, 1), (SessionState::Active, None));
    assert_eq!(write(Some(SessionState::Stopped), 2), stopped("2025-11-15T07:12:54.123Z"));
    assert_eq!(write(None, 3), stopped("2025-11-15T07:12:54.123Z"));
    assert_eq!(write(Some(SessionState::Stopped), 4), stopped("2025-11-15T07:12:54.123Z"));
    assert_eq!(write(Some(SessionState::Active), 5), (SessionState::Active, None));
    assert_eq!(write(Some(SessionState::Stopped), 6), stopped("2025-11-15T07:12:58.123Z"));
}

#[test]
fn fields_that_are_not_ours_stay() {
    let lane = Lane::new();
    lane.write(&full(), 0);
    let theirs = r#""zz":{"deep":[1,2.5,null,{"a":"b"}]},"#;
    fs::write(&lane.path, lane.text().replacen('{', &format!("{{{theirs}"), 1)).unwrap();
    let session = lane.write(&SessionChange { summary: some("on"), ..SessionChange::default() }, 1);
    let kept = session.whole.as_object().unwrap().get("zz").unwrap();
    assert_eq!(premath_kernel::encode(kept), br#"{"deep":[1,2.5,null,{"a":"b"}]}"#);
    assert_eq!(lane.store().read().unwrap(), session);
}

#[test]
fn equal_writes_give_equal_bytes() {
    let one = Lane::new();
    let other = Lane::new();
    let shuffled = SessionChange { instruction_refs: refs(&[" i1", "i2", "i2 "]), ..full() };
    one.write(&full(), 0);
    other.write(&shuffled, 0);
    assert_eq!(one.text(), other.text());
    assert!(one.text().ends_with("}\n"));
}

#[test]
fn damage_is_named_by_its_place_and_left_alone() {
    let sound = {
        let lane = Lane::new();
        lane.write(&full(), 0);
        lane.text()
    };
    let cases = [
        ("{", "input.json_invalid"),
        ("", "input.json_invalid"),
        ("[]", "at $"),
        (&*sound.replace("\"bd-7\"", "7"), "at $.issueId"),
        (&*sound.replace("\"w1\"", "{}"), "at $.witnessRefs[0]"),
        (&*sound.replace("\"active\"", "\"paused\""), "at $.state"),
        (&*sound.replace("harness.session.v1", "harness.other.v1"), "at $.sessionKind"),
        (&*sound.replace("\"schema\": 1", "\"schema\": 2"), "at $.schema"),
        (&*sound.replace("2025-11-15T", "2025-11-15 "), "at $.startedAt"),
        (&*sound.replace("\"sessionId\": \"hs-mine\",", ""), "at $.sessionId"),
        (&*sound.replacen('{', "{\"state\":\"active\",", 1), "input.duplicate_key"),
    ];
    for (damaged, place) in cases {
        assert_ne!(damaged, sound, "{place}");
        let lane = Lane::new();
        fs::write(&lane.path, damaged).unwrap();
        for error in [lane.store().read().unwrap_err(), lane.try_write(&full(), 1).unwrap_err()] {
            let StoreError::Corrupt { path, detail } = &error else { panic!("{error:?}") };
            assert_eq!(path, &lane.path);
            assert!(detail.contains(place), "{place}: {detail}");
        }
        assert_eq!(lane.text(), damaged, "{place}");
    }
}

#[test]
fn what_is_missing_is_missing() {
    let lane = Lane::new();
    assert!(matches!(lane.store().read().unwrap_err(), StoreError::Missing { path } if path == lane.path));
    let nowhere = SessionStore::new(Arc::new(OsDisk), lane.path.join("below/session.json"));
    let written = nowhere.write::<StoreError>(&full(), "", &at(0), |_| Ok(None));
    assert!(matches!(written.unwrap_err(), StoreError::Missing { path } if path == lane.path.join("below")));
}

#[test]
fn a_snapshot_that_cannot_be_taken_leaves_the_session_as_it_was() {
    let lane = Lane::new();
    lane.write(&full(), 0);
    let before = lane.text();
    let refused = StoreError::Missing { path: "issues".into() };
    let written = lane.store().write(&SessionChange::default(), "", &at(9), |_| Err(refused));
    assert!(matches!(written, Err(StoreError::Missing { .. })));
    assert_eq!(lane.text(), before);
    assert!(!lane.path.with_extension("json.tmp").exists());
}

#[test]
fn writers_in_several_threads_lose_nothing() {
    let lane = Lane::new();
    lane.write(&full(), 0);
    std::thread::scope(|scope| {
        for worker in 0..4_u32 {
            let lane = &lane;
            scope.spawn(move || {
                for _ in 0..10 {
                    let change = SessionChange {
                        summary: (worker == 0).then(|| "summary".to_owned()),
                        next_step: (worker == 1).then(|| "next".to_owned()),
                        lineage_refs: (worker == 2).then(|| vec!["ctx://b".to_owned()]),
                        ..SessionChange::default()
                    };
                    lane.write(&change, 1);
                }
            });
        }
    });
    let session = lane.store().read().unwrap();
    let text =
        |name: &str| session.whole.as_object().unwrap().get(name).and_then(Value::as_text).map(str::to_owned);
    assert_eq!((text("summary"), text("nextStep")), (some("summary"), some("next")));
    assert_eq!(session.document.lineage_refs, ["ctx://b"]);
}

#[test]
fn a_reader_does_not_wait_for_a_writer_and_makes_no_files() {
    let lane = Lane::new();
    lane.write(&full(), 0);
    let names = || OsDisk.list(lane.path.parent().unwrap()).unwrap();
    let before = names();
    let lock = OsDisk.open(&lane.path.with_extension("json.lock"), Access::Update).unwrap();
    lock.lock(LockMode::Exclusive, std::time::Duration::ZERO).unwrap();
    assert_eq!(lane.store().read().unwrap().document.session_id, "hs-mine");
    assert_eq!(names(), before);
}

const SESSION: &str = "lane/session.json";

fn simulated() -> SimDisk {
    let disk = SimDisk::new();
    disk.put("lane/other", b"").unwrap();
    write_on(&disk, "first").unwrap();
    disk
}

fn write_on(disk: &SimDisk, summary: &str) -> Result<Session, StoreError> {
    let store = SessionStore::new(Arc::new(disk.clone()), SESSION.into());
    store.write(&SessionChange { summary: some(summary), ..SessionChange::default() }, "", &at(0), |_| {
        Ok(None)
    })
}

fn summary_on(disk: &SimDisk) -> String {
    let store = SessionStore::new(Arc::new(disk.clone()), SESSION.into());
    store.read().unwrap().document.summary.unwrap()
}

#[test]
fn a_power_loss_leaves_the_old_session_or_the_new_one() {
    let disk = simulated();
    disk.record();
    write_on(&disk, "second").unwrap();
    disk.set_mark(1);
    let mut seen = [0, 0];
    for (number, moment) in disk.recorded().iter().enumerate() {
        for seed in 0..40 {
            let mut seeded = Seeded::new(seed);
            let after = moment.crash(&mut |limit| if seed == 0 { 0 } else { seeded.below(limit) });
            let summary = summary_on(&after);
            let is_new = summary == "second";
            assert!(
                is_new || (summary == "first" && moment.mark() == 0),
                "moment {number}, seed {seed}: {summary}"
            );
            seen[usize::from(is_new)] += 1;
            write_on(&after, "third").unwrap();
            assert_eq!(summary_on(&after.crash(&mut |_| 0)), "third", "moment {number}, seed {seed}");
        }
    }
    assert!(seen[0] > 100 && seen[1] > 40, "{seen:?}");
}

#[test]
fn whichever_operation_fails_the_session_is_the_old_one_or_the_new_one() {
    for fault in [Fault::InputOutput, Fault::NoSpace, Fault::Short(3)] {
        for lasting in [Lasting::Once, Lasting::ForEver] {
            let operations = {
                let disk = simulated();
                let before = disk.count(None);
                write_on(&disk, "second").unwrap();
                disk.count(None) - before
            };
            assert!(operations >= 8, "{operations}");
            for nth in 1..=operations {
                let disk = simulated();
                disk.fail(Failure { of: None, nth, fault, lasting });
                let written = write_on(&disk, "second");
                disk.heal();
                let summary = summary_on(&disk);
                match written {
                    Ok(_) => assert_eq!(summary, "second", "{fault:?} {lasting:?} {nth}"),
                    Err(error) => {
                        assert!(
                            matches!(error, StoreError::Io { .. }),
                            "{fault:?} {lasting:?} {nth}: {error:?}"
                        );
                        assert!(summary == "first" || summary == "second");
                    }
                }
                write_on(&disk, "third").unwrap();
                assert_eq!(summary_on(&disk), "third");
            }
        }
    }
}

#[test]
fn who_waits_in_vain_is_told_so() {
    let disk = simulated();
    let lock = disk.open("lane/session.json.lock".as_ref(), Access::Update).unwrap();
    lock.lock(LockMode::Exclusive, std::time::Duration::ZERO).unwrap();
    assert!(matches!(write_on(&disk, "second").unwrap_err(), StoreError::Busy { path } if path == *SESSION));
    drop(lock);
    write_on(&disk, "second").unwrap();
}
