//! What sessions, ledgers, trajectories and remediations have in common: a clock that is read under the lock, and folders
//! of their own below `.premath`.

#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use premath_bd::{
    Access, Clock, Disk, FeatureChange, FeatureLedgerStore, LockMode, LockOutcome, NewStep, OsDisk,
    RemediationLog, SessionChange, SessionStore, StoreError, Trajectory,
};
use premath_kernel::{FeatureStatus, Moment};
use premath_testkit::faulty_disk::SimDisk;

/// A lane, by the file it is in.
type Write = fn(Arc<dyn Disk>, &Path, &dyn Clock) -> Result<(), StoreError>;

const LANES: [(&str, Write); 4] = [
    ("session.json", |disk, path, clock| {
        SessionStore::new(disk, path.into())
            .write(&SessionChange::default(), "", clock, |_| Ok(None))
            .map(drop)
    }),
    ("ledger.json", |disk, path, clock| {
        let change = FeatureChange {
            feature_id: "f1".into(),
            status: FeatureStatus::Pending,
            issue_id: None,
            summary: None,
            session_ref: None,
            instruction_refs: None,
            verification_refs: None,
        };
        FeatureLedgerStore::new(disk, path.into()).write(&change, clock).map(drop)
    }),
    ("trajectory.jsonl", |disk, path, clock| {
        let step = NewStep {
            step_id: "s".into(),
            action: "a".into(),
            result_class: "ok".into(),
            ..NewStep::default()
        };
        Trajectory::new(disk, path.into()).append(&step, clock).map(drop)
    }),
    ("harness_kpi_remediations.jsonl", |disk, path, clock| {
        RemediationLog::beside(disk, path).append("note", clock).map(drop)
    }),
];

/// A clock that looks whether the lock is held whenever it is asked.
#[derive(Debug)]
struct Watching {
    lock: PathBuf,
    last: Mutex<Option<LockOutcome>>,
}

impl Clock for Watching {
    fn now(&self) -> Moment {
        let lock = OsDisk.open(&self.lock, Access::Update).unwrap();
        *self.last.lock().unwrap() = Some(lock.lock(LockMode::Exclusive, Duration::ZERO).unwrap());
        Moment::EPOCH
    }
}

#[test]
fn whoever_waited_for_the_lock_is_as_late_as_the_clock_says_then() {
    let folder = tempfile::tempdir().unwrap();
    for (name, write) in LANES {
        let lock = folder.path().join(format!("{name}.lock"));
        let clock = Watching { lock, last: Mutex::new(None) };
        write(Arc::new(OsDisk), &folder.path().join(name), &clock).unwrap();
        assert_eq!(*clock.last.lock().unwrap(), Some(LockOutcome::Busy), "{name}");
    }
}

#[test]
fn a_folder_that_was_made_for_a_lane_outlives_a_power_loss_with_it() {
    for (name, write) in LANES {
        for is_half_made in [false, true] {
            let disk = SimDisk::new();
            disk.put("p/.premath/issues.jsonl", b"").unwrap();
            let path = Path::new("p/.premath/workers/w1").join(name);
            if is_half_made {
                // Somebody made the folders and was interrupted before anything else.
                disk.create_folder(path.parent().unwrap()).unwrap();
            }
            write(Arc::new(disk.clone()), &path, &Moment::EPOCH).unwrap();
            let after = disk.crash(&mut |_| 0);
            assert!(!after.bytes(&path).unwrap().is_empty(), "{name}, {is_half_made}");
        }
    }
}

#[test]
fn a_folder_elsewhere_is_not_made_and_named_as_missing() {
    for (name, write) in LANES {
        for folder in ["p/lanes", "p/.premath/../lanes", "q/.premath", "q/.premath/workers"] {
            let disk = SimDisk::new();
            disk.put("p/.premath/issues.jsonl", b"").unwrap();
            let error =
                write(Arc::new(disk.clone()), &Path::new(folder).join(name), &Moment::EPOCH).unwrap_err();
            assert!(matches!(&error, StoreError::Missing { path } if path == Path::new(folder)), "{error}");
            assert!(disk.list(Path::new("p/lanes")).is_err() && disk.list(Path::new("q")).is_err());
        }
    }
}
