//! The index of a trajectory: deleted, damaged, stale, foreign or forbidden, the answers are those of the slow way.

#![expect(clippy::disallowed_methods, reason = "the tests look at, damage and restore the files themselves")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod steps;

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use premath_bd::{
    Access, Disk, DiskFile, FolderEntry, Grouping, LockMode, LockOutcome, NewStep, OsDisk, Query, Trajectory,
};
use premath_kernel::{Moment, Value};
use premath_testkit::faulty_disk::{Failure, Fault, Lasting, Operation, Seeded, SimDisk};
use premath_wire::v1::ProjectionMode;
use steps::{Known, Lane, expected, file_of, many};

fn marks(trajectory: &Trajectory, mode: ProjectionMode, limit: usize) -> Vec<usize> {
    let answer = trajectory.query(&Query { mode, limit, grouping: Grouping::None }).unwrap();
    let mark = |row: &Value<'_>| row.as_object()?.get("mark")?.as_number()?.as_u64();
    answer.items.iter().map(|row| usize::try_from(mark(row).unwrap()).unwrap()).collect()
}

type Holds = fn(&Known) -> bool;

#[track_caller]
fn assert_answers(trajectory: &Trajectory, rows: &[Known], limits: &[usize]) {
    for limit in limits.iter().copied() {
        let modes: [(ProjectionMode, Holds); 3] = [
            (ProjectionMode::Latest, |_| true),
            (ProjectionMode::Failed, Known::is_failed),
            (ProjectionMode::RetryNeeded, Known::is_worth_a_retry),
        ];
        for (mode, holds) in modes {
            assert_eq!(marks(trajectory, mode, limit), expected(rows, holds, limit), "{mode:?} {limit}");
        }
    }
}

fn lane_of(rows: &[Known]) -> Lane {
    let lane = Lane::new();
    lane.write(&file_of(rows, 700));
    lane
}

#[test]
fn two_hundred_thousand_rows_are_answered_as_the_slow_way_answers() {
    let rows = many(200_000, 86_400, 1);
    let lane = lane_of(&rows);
    assert_answers(&lane.trajectory(), &rows, &[20]);
    let answer = lane
        .trajectory()
        .query(&Query { mode: ProjectionMode::Failed, limit: 1_000, grouping: Grouping::ByFailureClass })
        .unwrap();
    let failed = rows.iter().filter(|row| row.is_failed()).count();
    let retry = rows.iter().filter(|row| row.is_worth_a_retry()).count();
    assert_eq!((answer.total, answer.failed, answer.retry_needed), (200_000, failed as u64, retry as u64));
    assert_eq!((answer.warning_count, answer.warnings.len()), (285, 20));
    assert_eq!(answer.warnings[1].line, Some(1402));
    let (groups, _) = answer.groups.unwrap();
    for group in &groups {
        let count = rows.iter().filter(|row| row.class == group.failure_class).count();
        assert_eq!(group.count, count as u64, "{}", group.failure_class);
    }
    let held = lane.index();
    fs::remove_file(lane.index_path()).unwrap();
    assert_answers(&lane.trajectory(), &rows, &[1_000]);
    assert!(held == lane.index(), "the index was not rebuilt to the same bytes");
}

#[test]
fn ties_that_the_limit_cuts_are_broken_right() {
    for (seconds, seed) in [(1, 2), (3, 3), (60, 4)] {
        let rows = many(4_000, seconds, seed);
        let lane = lane_of(&rows);
        assert_answers(&lane.trajectory(), &rows, &[1, 20, 1_333, 9_999]);
    }
}

#[test]
fn an_index_that_grows_has_the_bytes_of_one_that_is_built_at_once() {
    for seconds in [1, 50, 86_400] {
        let rows = many(9_000, seconds, 5);
        let text = file_of(&rows, 700);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let lane = Lane::new();
        for end in [1_500, 2_100, 6_000, lines.len()] {
            lane.write(&lines[..end].concat());
            let known = lines[..end].iter().filter(|line| line.contains("mark")).count();
            assert_answers(&lane.trajectory(), &rows[..known], &[25]);
        }
        let grown = lane.index();
        fs::remove_file(lane.index_path()).unwrap();
        assert_answers(&lane.trajectory(), &rows, &[25]);
        assert!(grown == lane.index(), "{seconds}");
        let leftovers: Vec<String> =
            OsDisk.list(lane.folder.path()).unwrap().into_iter().map(|entry| entry.name).collect();
        assert_eq!(
            leftovers,
            [
                "harness_trajectory.jsonl",
                "harness_trajectory.jsonl.index",
                "harness_trajectory.jsonl.index.lock"
            ]
        );
    }
}

#[test]
fn an_edit_of_the_same_length_is_answered_from_the_log() {
    let mut rows = many(3_000, 86_400, 6);
    let lane = lane_of(&rows);
    assert_answers(&lane.trajectory(), &rows, &[20]);
    let before = lane.index();
    let first = expected(&rows[..2_000], |row| row.class == "failed", 1)[0];
    lane.edit(|lines| {
        let line = lines.iter_mut().find(|line| line.contains(&format!("\"mark\":{first},"))).unwrap();
        *line = line.replace("\"failed\"", "\"passed\"");
    });
    rows[first].class = "passed";
    assert_answers(&lane.trajectory(), &rows, &[20]);
    assert!(before != lane.index(), "the index still says what the log does not");
}

#[test]
fn an_edit_of_rows_of_ours_is_answered_from_the_log_and_named() {
    let lane = Lane::new();
    let trajectory = lane.trajectory();
    for index in 0..1_100_i64 {
        let step = NewStep {
            step_id: format!("s{index:04}"),
            action: "a".into(),
            result_class: "failed".into(),
            ..NewStep::default()
        };
        trajectory.append(&step, &Moment::new(index, 0).unwrap()).unwrap();
    }
    let query = Query { mode: ProjectionMode::Failed, limit: 2_000, grouping: Grouping::None };
    let answer = trajectory.query(&query).unwrap();
    assert_eq!((answer.items.len(), answer.warning_count), (1_100, 0));
    let held = lane.index();
    trajectory.query(&query).unwrap();
    assert!(held == lane.index());
    lane.edit(|lines| lines[500] = lines[500].replace("\"failed\"", "\"passed\""));
    let answer = trajectory.query(&query).unwrap();
    assert_eq!((answer.failed, answer.items.len()), (1_099, 1_099));
    assert_eq!(answer.warnings[0].class, "harness_trajectory.log.changed");
}

#[test]
fn a_damaged_index_is_never_believed_and_is_mended() {
    let rows = many(3_000, 400, 7);
    let lane = lane_of(&rows);
    assert_answers(&lane.trajectory(), &rows, &[40]);
    let sound = lane.index();
    let pages = sound.len() / 4096;
    assert!(pages > 14, "{pages}");
    let damages: Vec<Vec<u8>> = (0..pages)
        .map(|page| {
            let mut damaged = sound.clone();
            damaged[page * 4096 + 50] ^= 0x40;
            damaged
        })
        .chain([
            Vec::new(),
            sound[..4096].to_vec(),
            sound[..sound.len() - 1].to_vec(),
            b"not an index".to_vec(),
        ])
        .collect();
    for (number, damaged) in damages.iter().enumerate() {
        fs::write(lane.index_path(), damaged).unwrap();
        assert_answers(&lane.trajectory(), &rows, &[40, 5_000]);
        assert!(lane.index() == sound, "damage {number} stayed");
    }
}

#[test]
fn an_index_of_another_log_or_of_a_longer_one_is_not_believed() {
    let rows = many(3_000, 86_400, 8);
    let other = lane_of(&many(3_000, 86_400, 9));
    let longer = lane_of(&[rows.clone(), many(2_000, 86_400, 10)].concat());
    for foreign in [other, longer] {
        marks(&foreign.trajectory(), ProjectionMode::Latest, 1);
        let lane = lane_of(&rows);
        fs::copy(foreign.index_path(), lane.index_path()).unwrap();
        assert_answers(&lane.trajectory(), &rows, &[20]);
    }
}

#[test]
fn who_finds_another_one_building_answers_without_an_index() {
    let rows = many(3_000, 86_400, 11);
    let lane = lane_of(&rows);
    let lock =
        OsDisk.open(&lane.folder.path().join("harness_trajectory.jsonl.index.lock"), Access::Update).unwrap();
    assert_eq!(lock.lock(LockMode::Exclusive, Duration::ZERO).unwrap(), LockOutcome::Held);
    assert_answers(&lane.trajectory(), &rows, &[20]);
    assert!(!lane.index_path().exists());
    drop(lock);
    assert_answers(&lane.trajectory(), &rows, &[20]);
    assert!(lane.index_path().exists());
}

/// A file system on which nothing but the log can be read, and nothing written.
#[derive(Debug)]
struct ReadOnly;

impl Disk for ReadOnly {
    fn clone_auth(&self) -> Option<&Arc<premath_bd::CloneAuth>> {
        None
    }

    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn DiskFile>> {
        if access == Access::Read {
            OsDisk.open(path, access)
        } else {
            Err(io::ErrorKind::PermissionDenied.into())
        }
    }
    fn create_folder(&self, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    fn create_private_folder(&self, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    fn remove_folder(&self, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    fn remove(&self, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<FolderEntry>> {
        OsDisk.list(folder)
    }
    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::PermissionDenied.into())
    }
}

#[test]
fn a_folder_that_cannot_be_written_to_is_answered_without_an_index_or_with_an_old_one() {
    let rows = many(6_000, 300, 12);
    let lane = lane_of(&rows);
    let reader = Trajectory::new(Arc::new(ReadOnly), lane.path.clone());
    assert_answers(&reader, &rows, &[30, 3_000]);
    assert!(!lane.index_path().exists());
    let half = lane_of(&rows[..3_000]);
    marks(&half.trajectory(), ProjectionMode::Latest, 1);
    fs::copy(half.index_path(), lane.index_path()).unwrap();
    assert_answers(&reader, &rows, &[30, 3_000]);
    assert!(lane.index() == half.index());
}

#[test]
fn a_window_is_counted_through_the_index_as_without_it() {
    let rows = many(5_000, 86_400, 13);
    let lane = lane_of(&rows);
    let midnight = 1_767_225_600;
    let at = |second: u64| Moment::new(midnight + i64::try_from(second).unwrap(), 0).unwrap();
    let plain = Trajectory::new(Arc::new(ReadOnly), lane.path.clone());
    for (start, end) in [(0, 86_399), (40_000, 40_000), (20_000, 60_000), (86_000, 90_000)] {
        let counts = lane.trajectory().window(at(start), at(end)).unwrap();
        assert_eq!(counts, plain.window(at(start), at(end)).unwrap());
        let within = rows.iter().filter(|row| (start..=end).contains(&row.second)).count();
        let after = rows.iter().filter(|row| row.second > end).count();
        assert_eq!((counts.window_rows, counts.future_rows), (within as u64, after as u64));
    }
    assert!(lane.index_path().exists());
}

const LOG: &str = "lane/harness_trajectory.jsonl";

fn simulated(rows: &[Known]) -> (SimDisk, Trajectory) {
    let disk = SimDisk::new();
    disk.put(LOG, file_of(rows, 700).as_bytes()).unwrap();
    let trajectory = Trajectory::new(Arc::new(disk.clone()), LOG.into());
    (disk, trajectory)
}

#[test]
fn a_power_loss_while_the_index_is_written_leaves_right_answers() {
    let rows = many(1_300, 30, 14);
    let (disk, trajectory) = simulated(&rows);
    disk.record();
    assert_answers(&trajectory, &rows, &[9]);
    let moments = disk.recorded();
    assert!(moments.len() > 4, "{}", moments.len());
    for moment in moments {
        for seed in 0..4 {
            let mut seeded = Seeded::new(seed);
            let after = moment.crash(&mut |limit| if seed == 0 { 0 } else { seeded.below(limit) });
            assert_answers(&Trajectory::new(Arc::new(after), LOG.into()), &rows, &[9, 2_000]);
        }
    }
}

#[test]
fn whatever_fails_around_the_index_fails_no_question() {
    let rows = many(1_300, 30, 15);
    let kinds = [Operation::WriteAt, Operation::Rename, Operation::Lock, Operation::Remove];
    for of in kinds {
        for nth in 1..=3 {
            for fault in [Fault::InputOutput, Fault::NoSpace] {
                let (disk, trajectory) = simulated(&rows);
                disk.fail(Failure { of: Some(of), nth, fault, lasting: Lasting::ForEver });
                assert_answers(&trajectory, &rows, &[9]);
                disk.heal();
                assert_answers(&trajectory, &rows, &[9]);
                let (sound, reference) = simulated(&rows);
                assert_answers(&reference, &rows, &[9]);
                let index = format!("{LOG}.index");
                assert!(
                    disk.bytes(&index).unwrap() == sound.bytes(&index).unwrap(),
                    "{of:?} {nth} {fault:?}"
                );
            }
        }
    }
}

#[test]
fn a_row_that_decayed_without_a_trace_is_not_answered_from_the_index() {
    let disk = SimDisk::new();
    disk.put("lane/other", b"").unwrap();
    let trajectory = Trajectory::new(Arc::new(disk.clone()), LOG.into());
    for index in 0..1_100_i64 {
        let step = NewStep {
            step_id: format!("s{index:04}"),
            action: "a".into(),
            result_class: "failed".into(),
            ..NewStep::default()
        };
        trajectory.append(&step, &Moment::new(-index, 0).unwrap()).unwrap();
    }
    let query = Query { mode: ProjectionMode::Failed, limit: 3, grouping: Grouping::None };
    assert_eq!(trajectory.query(&query).unwrap().warning_count, 0);
    let text = String::from_utf8(disk.bytes(LOG).unwrap()).unwrap();
    disk.rot(LOG, text.replacen("\"failed\"", "\"passed\"", 1).into_bytes()).unwrap();
    let answer = trajectory.query(&query).unwrap();
    let first = answer.items[0].as_object().unwrap().get("stepId").and_then(Value::as_text);
    assert_eq!((first, answer.failed), (Some("s0001"), 1_099));
    assert_eq!(answer.warnings[0].class, "harness_trajectory.log.changed");
}
