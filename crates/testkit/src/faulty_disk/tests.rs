//! The faulty disk itself: what it may lose, what it must keep, and when it fails.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::time::Duration;

use premath_bd::{Access, Disk, DiskFile, LockMode, LockOutcome};

use super::{Every, Failure, Fault, Lasting, Operation, Seeded, SimDisk};

fn open(disk: &SimDisk, path: &str, access: Access) -> Box<dyn DiskFile> {
    disk.open(Path::new(path), access).unwrap()
}

/// What the file may hold after a power loss, `None` where it is not there; every possibility.
fn after_power_loss(disk: &SimDisk, path: &str) -> BTreeSet<Option<Vec<u8>>> {
    let mut every = Every::default();
    let mut left = BTreeSet::new();
    while every.more() {
        left.insert(disk.crash(&mut |limit| every.choose(limit)).bytes(path).ok());
    }
    left
}

fn text(bytes: &str) -> Option<Vec<u8>> {
    Some(bytes.as_bytes().to_vec())
}

#[test]
fn what_was_synced_stays() {
    let disk = SimDisk::new();
    let mut file = open(&disk, "a", Access::Append);
    file.append(b"abc").unwrap();
    file.sync().unwrap();
    disk.sync_folder(Path::new(".")).unwrap();
    assert_eq!(after_power_loss(&disk, "a"), BTreeSet::from([text("abc")]));
}

#[test]
fn a_synced_file_without_a_synced_name_may_be_gone_but_is_never_less() {
    let disk = SimDisk::new();
    let mut file = open(&disk, "a", Access::Append);
    file.append(b"abc").unwrap();
    file.sync().unwrap();
    assert_eq!(after_power_loss(&disk, "a"), BTreeSet::from([None, text("abc")]));
}

#[test]
fn an_unsynced_append_may_be_lost_torn_or_zeros() {
    let disk = SimDisk::new();
    disk.put("a", b"x").unwrap();
    open(&disk, "a", Access::Append).append(b"abc").unwrap();
    let left = after_power_loss(&disk, "a");
    for one in ["x", "xabc", "xab\0", "xa\0\0", "x\0\0\0", "x\0\0c", "xa\0c"] {
        assert!(left.contains(&text(one)), "{one:?} cannot happen");
    }
    assert!(left.iter().flatten().all(|bytes| bytes.starts_with(b"x")), "what was durable changed");
}

#[test]
fn an_unsynced_overwrite_mixes_old_and_new() {
    let disk = SimDisk::new();
    disk.put("a", b"old").unwrap();
    open(&disk, "a", Access::Update).write_at(b"NEW", 0).unwrap();
    let left = after_power_loss(&disk, "a");
    assert!(left.is_superset(&BTreeSet::from([text("old"), text("NEW"), text("Nld"), text("olW")])));
    assert!(!left.contains(&text("\0\0\0")), "an overwritten byte is the old or the new one");
}

#[test]
fn a_cut_may_come_before_or_after_what_is_written_behind_it() {
    let disk = SimDisk::new();
    disk.put("a", b"abcdef").unwrap();
    let mut file = open(&disk, "a", Access::Append);
    file.set_length(2).unwrap();
    file.append(b"XY").unwrap();
    let left = after_power_loss(&disk, "a");
    assert!(left.is_superset(&BTreeSet::from([
        text("abcdef"),
        text("ab"),
        text("abXY"),
        text("abXYef"),
        text("ab\0\0")
    ])));
}

#[test]
fn sectors_of_a_long_write_survive_one_by_one() {
    let disk = SimDisk::new();
    disk.put("a", b"").unwrap();
    open(&disk, "a", Access::Append).append(&[1; 1_300]).unwrap();
    let is_torn_in_the_middle = |seed: u64| {
        let mut seeded = Seeded::new(seed);
        let bytes = disk.crash(&mut |limit| seeded.below(limit)).bytes("a").unwrap();
        let hole = [vec![1; 512], vec![0; 512], vec![1; 276]].concat();
        bytes == hole
    };
    assert!((0..5_000).any(is_torn_in_the_middle));
}

#[test]
fn a_rename_leaves_the_old_or_the_new_file_and_never_neither() {
    let disk = SimDisk::new();
    disk.put("a", b"old").unwrap();
    let mut file = open(&disk, "b", Access::Replace);
    file.write_at(b"new", 0).unwrap();
    file.sync().unwrap();
    disk.rename(Path::new("b"), Path::new("a")).unwrap();
    assert_eq!(disk.bytes("a").unwrap(), b"new");
    assert_eq!(after_power_loss(&disk, "a"), BTreeSet::from([text("old"), text("new")]));
    disk.sync_folder(Path::new("")).unwrap();
    assert_eq!(after_power_loss(&disk, "a"), BTreeSet::from([text("new")]));
    assert_eq!(after_power_loss(&disk, "b"), BTreeSet::from([None]));
}

#[test]
fn names_survive_apart_but_never_before_what_they_build_on() {
    let disk = SimDisk::new();
    disk.put("folder/x", b"").unwrap();
    drop(open(&disk, "first", Access::Append));
    drop(open(&disk, "second", Access::Append));
    disk.rename(Path::new("first"), Path::new("folder/first")).unwrap();
    let mut every = Every::default();
    let mut seen = BTreeSet::new();
    while every.more() {
        let left = disk.crash(&mut |limit| every.choose(limit));
        let has = |path: &str| left.bytes(path).is_ok();
        assert!(!(has("first") && has("folder/first")), "the file is in both places");
        seen.insert((has("first"), has("folder/first"), has("second")));
    }
    assert!(seen.contains(&(false, false, true)), "a later name may survive an earlier one");
    assert!(seen.contains(&(false, true, false)));
    // Syncing where a file went to makes durable where it came from.
    disk.sync_folder(Path::new("folder")).unwrap();
    assert_eq!(after_power_loss(&disk, "folder/first"), BTreeSet::from([text("")]));
    assert_eq!(after_power_loss(&disk, "first"), BTreeSet::from([None]));
    assert_eq!(after_power_loss(&disk, "second"), BTreeSet::from([None, text("")]));
}

#[test]
fn a_killed_process_leaves_what_it_wrote_and_no_lock() {
    let disk = SimDisk::new();
    let mut file = open(&disk, "a", Access::Append);
    assert_eq!(file.lock(LockMode::Exclusive, Duration::ZERO).unwrap(), LockOutcome::Held);
    file.append(b"abc").unwrap();
    let left = disk.kill();
    assert_eq!(left.bytes("a").unwrap(), b"abc");
    let other = open(&left, "a", Access::Read);
    assert_eq!(other.lock(LockMode::Exclusive, Duration::ZERO).unwrap(), LockOutcome::Held);
    assert!(left.crash(&mut |_| 0).bytes("a").is_err(), "a kill made something durable");
}

#[test]
fn a_lock_is_busy_for_others_until_its_handle_is_dropped() {
    let disk = SimDisk::new();
    let lock = |file: &dyn DiskFile, mode| file.lock(mode, Duration::from_secs(30)).unwrap();
    let first = open(&disk, "a", Access::Update);
    let second = open(&disk, "a", Access::Update);
    assert_eq!(lock(first.as_ref(), LockMode::Shared), LockOutcome::Held);
    assert_eq!(lock(second.as_ref(), LockMode::Shared), LockOutcome::Held);
    assert_eq!(lock(second.as_ref(), LockMode::Exclusive), LockOutcome::Busy);
    drop(first);
    assert_eq!(lock(second.as_ref(), LockMode::Exclusive), LockOutcome::Held);
    let third = open(&disk, "a", Access::Read);
    assert_eq!(lock(third.as_ref(), LockMode::Shared), LockOutcome::Busy);
}

#[test]
fn after_a_failed_sync_the_bytes_are_seen_and_never_durable_unless_written_again() {
    let disk = SimDisk::new();
    disk.put("a", b"x").unwrap();
    let mut file = open(&disk, "a", Access::Update);
    file.write_at(b"lost", 1).unwrap();
    disk.fail(Failure {
        of: Some(Operation::Sync),
        nth: 1,
        fault: Fault::InputOutput,
        lasting: Lasting::Once,
    });
    assert!(file.sync().is_err());
    assert_eq!(disk.bytes("a").unwrap(), b"xlost");
    file.write_at(b"!", 5).unwrap();
    file.sync().unwrap();
    assert_eq!(disk.bytes("a").unwrap(), b"xlost!");
    assert_eq!(after_power_loss(&disk, "a"), BTreeSet::from([text("x\0\0\0\0!")]));
    file.write_at(b"lost", 1).unwrap();
    file.sync().unwrap();
    assert_eq!(after_power_loss(&disk, "a"), BTreeSet::from([text("xlost!")]));
}

#[test]
fn the_nth_operation_fails_once_or_for_ever() {
    for (lasting, expected) in
        [(Lasting::Once, [true, false, true, true]), (Lasting::ForEver, [true, false, false, false])]
    {
        let disk = SimDisk::new();
        let file = open(&disk, "a", Access::Append);
        disk.fail(Failure { of: Some(Operation::Stat), nth: 2, fault: Fault::NoSpace, lasting });
        let mut seen = [false; 4];
        for one in &mut seen {
            let stat = file.stat();
            assert!(stat.as_ref().err().is_none_or(|error| error.kind() == io::ErrorKind::StorageFull));
            *one = stat.is_ok();
        }
        assert_eq!(seen, expected);
        assert_eq!(disk.count(Some(Operation::Stat)), 4);
        disk.heal();
        assert!(file.stat().is_ok());
    }
}

#[test]
fn only_a_file_that_was_opened_for_appending_is_appended_to() {
    let disk = SimDisk::new();
    for access in [Access::Update, Access::Replace] {
        assert_eq!(open(&disk, "a", access).append(b"x").unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
    let mut file = open(&disk, "a", Access::Append);
    file.append(b"ab").unwrap();
    // Whatever place is named, as on Linux.
    file.write_at(b"c", 0).unwrap();
    assert_eq!(disk.bytes("a").unwrap(), b"abc");
}

#[test]
fn a_short_write_takes_fewer_bytes_and_says_so() {
    let disk = SimDisk::new();
    let mut file = open(&disk, "a", Access::Append);
    disk.fail(Failure { of: None, nth: 1, fault: Fault::Short(9), lasting: Lasting::ForEver });
    assert_eq!(file.append(b"abc").unwrap(), 2);
    assert_eq!(file.append(b"0123456789abcdef").unwrap(), 9);
    assert_eq!(disk.bytes("a").unwrap(), b"ab012345678");
}

#[test]
fn a_full_disk_takes_what_fits_and_then_nothing_until_there_is_room() {
    let disk = SimDisk::new();
    let mut file = open(&disk, "a", Access::Append);
    disk.set_capacity(Some(5));
    assert_eq!(file.append(b"abc").unwrap(), 3);
    assert_eq!(file.append(b"def").unwrap(), 2);
    assert_eq!(file.append(b"f").unwrap_err().kind(), io::ErrorKind::StorageFull);
    file.set_length(4).unwrap();
    assert_eq!(file.append(b"X").unwrap(), 1);
    disk.set_capacity(Some(6));
    assert_eq!(file.append(b"Y").unwrap(), 1);
    assert_eq!(disk.bytes("a").unwrap(), b"abcdXY");
}

#[test]
fn a_recording_holds_the_disk_before_each_change_and_at_the_end() {
    let disk = SimDisk::new();
    disk.record();
    let mut file = open(&disk, "a", Access::Append);
    file.append(b"1").unwrap();
    disk.set_mark(7);
    file.append(b"2").unwrap();
    let recorded = disk.recorded();
    let seen: Vec<_> = recorded.iter().map(|disk| (disk.mark(), disk.bytes("a").ok())).collect();
    assert_eq!(seen, [(0, None), (0, text("")), (7, text("1")), (7, text("12"))]);
}

#[test]
fn an_interruption_happens_between_two_operations() {
    let disk = SimDisk::new();
    let file = open(&disk, "a", Access::Append);
    let other = disk.clone();
    disk.interrupt(2, move || other.put("a", b"in between").unwrap());
    let before = file.stat().unwrap();
    let after = file.stat().unwrap();
    assert_eq!((before.length, after.length), (0, 10));
    assert!(before.modified < after.modified);
}

#[test]
fn decay_changes_bytes_and_not_the_time() {
    let disk = SimDisk::new();
    disk.put("a", b"abc").unwrap();
    let file = open(&disk, "a", Access::Read);
    let before = file.stat().unwrap();
    disk.rot("a", b"aXc".to_vec()).unwrap();
    assert_eq!(file.stat().unwrap(), before);
    assert_eq!(disk.bytes("a").unwrap(), b"aXc");
}
