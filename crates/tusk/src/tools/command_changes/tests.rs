//! Facts about the files that a command changed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use premath_bd::{Objects, OsDisk, OsIds, Redactor};
use premath_kernel::{ChangeKind, Digest};

use super::{ActiveCommands, ChangeTracker, CommandChanges, KeepLimits, TrackedWorkdir};
use crate::sandbox::{Interrupt, Sandbox, SandboxCommand, SandboxError, SandboxReport, SandboxRun};
use crate::tools::files::{EntryKind, FileError};
use crate::tools::work_tree::{FileStamp, TreeContent, TreeEntry, WorkTree};
use crate::tools::{ProtectedPaths, ToolFailure};

/// One folder of files in memory, some of which are written by somebody else whenever they are read.
#[derive(Debug, Default)]
struct Files(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    files: BTreeMap<String, (Vec<u8>, i64)>,
    restless: Vec<String>,
    reads: usize,
    clock: i64,
    is_unreachable: bool,
}

impl Files {
    fn write(&self, name: &str, bytes: &[u8]) {
        let mut inner = self.0.lock().unwrap();
        inner.clock += 1;
        let clock = inner.clock;
        inner.files.insert(name.to_owned(), (bytes.to_vec(), clock));
    }

    fn reads(&self) -> usize {
        self.0.lock().unwrap().reads
    }
}

fn stamp(bytes: &[u8], clock: i64) -> FileStamp {
    FileStamp {
        kind: EntryKind::File,
        length: u64::try_from(bytes.len()).unwrap(),
        mode: 0o100_644,
        inode: 1,
        modified: (clock, 0),
        changed: (clock, 0),
    }
}

impl WorkTree for Files {
    fn entries(&self, folder: &str) -> Result<Vec<TreeEntry>, FileError> {
        let inner = self.0.lock().unwrap();
        if folder != "." || inner.is_unreachable {
            return Err(FileError::Outside { path: folder.to_owned() });
        }
        let entry = |(name, (bytes, clock)): (&String, &(Vec<u8>, i64))| TreeEntry {
            name: name.clone(),
            stamp: stamp(bytes, *clock),
        };
        Ok(inner.files.iter().map(entry).collect())
    }

    fn content(&self, path: &str, limit: u64) -> Result<TreeContent, FileError> {
        let mut inner = self.0.lock().unwrap();
        inner.reads += 1;
        inner.clock += 1;
        let clock = inner.clock;
        let is_restless = inner.restless.iter().any(|name| name == path);
        let Some((bytes, written)) = inner.files.get_mut(path) else {
            return Err(FileError::Missing { path: path.to_owned() });
        };
        if is_restless {
            *written = clock;
        }
        if u64::try_from(bytes.len()).unwrap() > limit {
            return Err(FileError::TooLong { path: path.to_owned(), limit });
        }
        Ok(TreeContent { bytes: bytes.clone(), stamp: stamp(bytes, *written) })
    }

    fn digest(&self, path: &str) -> Result<(Digest, FileStamp), FileError> {
        self.content(path, u64::MAX).map(|content| (Digest::of_bytes(&content.bytes), content.stamp))
    }
}

/// There is no git here, so nobody asks.
#[derive(Debug)]
struct NoGit;

impl Sandbox for NoGit {
    fn run(&self, _: &SandboxCommand, _: &Interrupt) -> Result<SandboxRun, SandboxError> {
        Err(SandboxError::NoSandbox)
    }

    fn check(&self) -> Result<SandboxReport, SandboxError> {
        Err(SandboxError::NoSandbox)
    }
}

fn tracker(files: &Arc<Files>, folder: &Path, limits: KeepLimits) -> ChangeTracker {
    let tree: Arc<Files> = Arc::clone(files);
    ChangeTracker::new(TrackedWorkdir {
        run_id: "run".to_owned(),
        tree,
        sandbox: Arc::new(NoGit),
        workdir: folder.to_path_buf(),
        protected: ProtectedPaths::standard(),
        objects: Objects::new(Arc::new(OsDisk), Arc::new(OsIds), folder.join("objects")),
        redactor: Redactor::default(),
        limits,
        active: Arc::new(ActiveCommands::default()),
    })
}

fn observed(tracker: &ChangeTracker, command: impl FnOnce()) -> CommandChanges {
    let baseline = tracker.begin("call", &Interrupt::default()).unwrap();
    command();
    tracker.finish(baseline)
}

#[test]
fn a_file_that_nobody_wrote_is_read_once_in_a_run() {
    let (folder, files) = (tempfile::tempdir().unwrap(), Arc::new(Files::default()));
    for name in ["a", "b", "c"] {
        files.write(name, name.as_bytes());
    }
    let tracker = tracker(&files, folder.path(), KeepLimits::standard());
    for _ in 0..3 {
        assert!(observed(&tracker, || {}).artifacts.is_empty());
    }
    assert_eq!(files.reads(), 3, "each was copied once");
    let changes = observed(&tracker, || files.write("b", b"other"));
    assert_eq!(changes.artifacts.len(), 1);
    assert_eq!(files.reads(), 4, "and the one that was written was hashed");
}

#[test]
fn a_file_that_is_written_with_the_bytes_it_had_did_not_change() {
    let (folder, files) = (tempfile::tempdir().unwrap(), Arc::new(Files::default()));
    files.write("a", b"same");
    let tracker = tracker(&files, folder.path(), KeepLimits::standard());
    assert!(observed(&tracker, || files.write("a", b"same")).artifacts.is_empty());
}

#[test]
fn a_file_that_changes_while_it_is_read_is_named_and_not_said_to_be_kept() {
    let (folder, files) = (tempfile::tempdir().unwrap(), Arc::new(Files::default()));
    files.write("busy", b"one");
    files.0.lock().unwrap().restless.push("busy".to_owned());
    let tracker = tracker(&files, folder.path(), KeepLimits::standard());
    let changes = observed(&tracker, || files.write("busy", b"two"));
    let row = changes.artifacts.first().unwrap();
    assert_eq!((row.change, &row.digest), (Some(ChangeKind::Changed), &None), "nobody knows what it holds");
    let before = row.before.as_ref().unwrap();
    assert!(before.object_ref.is_none() && before.not_restorable.is_some(), "{before:?}");
}

#[test]
fn what_did_not_fit_before_one_command_is_tried_again_before_the_next() {
    let (folder, files) = (tempfile::tempdir().unwrap(), Arc::new(Files::default()));
    for name in ["a", "b"] {
        files.write(name, b"1234");
    }
    let tracker = tracker(&files, folder.path(), KeepLimits { bytes: 5, files: 10 });
    let lost = |changes: &CommandChanges| {
        changes.artifacts.first().unwrap().before.as_ref().unwrap().not_restorable.clone()
    };
    let first = observed(&tracker, || files.write("b", b"5678"));
    assert!(lost(&first).unwrap().as_str().contains("keep_bytes"), "`a` used the limit up");
    let second = observed(&tracker, || files.write("b", b"9"));
    assert_eq!(lost(&second), None, "`a` is kept by now");
}

#[test]
fn a_copy_that_was_collected_since_is_not_referred_to() {
    let (folder, files) = (tempfile::tempdir().unwrap(), Arc::new(Files::default()));
    files.write("a", b"one");
    let tracker = tracker(&files, folder.path(), KeepLimits::standard());
    let changes = observed(&tracker, || {
        let id = premath_bd::ObjectId::of(b"one");
        let objects = Objects::new(Arc::new(OsDisk), Arc::new(OsIds), folder.path().join("objects"));
        remove(&objects.path_of(&id));
        files.write("a", b"two");
    });
    let before = changes.artifacts.first().unwrap().before.clone().unwrap();
    assert!(before.object_ref.is_none() && before.not_restorable.is_some(), "{before:?}");
}

#[expect(clippy::disallowed_methods, reason = "a test removes a file")]
fn remove(path: &Path) {
    std::fs::remove_file(path).unwrap();
}

#[test]
fn a_workdir_that_cannot_be_looked_at_runs_no_command_and_one_that_is_lost_meanwhile_is_incomplete() {
    let (folder, files) = (tempfile::tempdir().unwrap(), Arc::new(Files::default()));
    files.write("a", b"one");
    let tracker = tracker(&files, folder.path(), KeepLimits::standard());
    let baseline = tracker.begin("call", &Interrupt::default()).unwrap();
    files.0.lock().unwrap().is_unreachable = true;
    let changes = tracker.finish(baseline);
    assert!(changes.observed.incomplete.is_some(), "{changes:?}");
    let refused: ToolFailure = tracker.begin("call", &Interrupt::default()).unwrap_err();
    assert_eq!(refused.error_code, "shell.not_observed");
}
