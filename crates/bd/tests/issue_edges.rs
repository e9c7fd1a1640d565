//! The edges of issue memory: files that others wrote, rows too large to read, work that others hold, and a disk that
//! changes under a writer. Nothing readable is hidden, nothing acknowledged is lost, nobody's work is undone.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "what cannot be done fails the test, and it writes the files that others would"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use premath_bd::issues::{
    Applied, Change, ClaimTerms, FileIssues, Holder, IssueChanges, IssueDraft, IssueStore, Limit, Operation,
    apply, read_exchange,
};
use premath_bd::{
    Clock, Disk, LeaseGrant, Maintenance, MaintenanceGrant, OperatorBasis, OperatorGrant, OsDisk, Permit,
    StoreError,
};
use premath_kernel::{DependencyKind, Digest, Moment};
use premath_testkit::TestClock;
use premath_testkit::faulty_disk::{Operation as DiskOperation, SimDisk};

fn operator() -> Permit {
    Permit::Operator(OperatorGrant::new(None, OperatorBasis::Configured))
}

fn at(second: i64) -> Moment {
    Moment::new(1_800_000_000 + second, 0).unwrap()
}

fn store(folder: &Path) -> FileIssues {
    FileIssues::new(Arc::new(OsDisk), folder.join("issues.jsonl"))
}

fn holding(text: impl AsRef<[u8]>) -> (tempfile::TempDir, FileIssues) {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.create().unwrap();
    std::fs::write(store.path(), text).unwrap();
    (folder, store)
}

fn ids(store: &FileIssues) -> Vec<String> {
    let view = store.view().unwrap();
    view.graph().unwrap().facts.into_iter().map(|facts| facts.id).collect()
}

fn add(store: &FileIssues, draft: IssueDraft) -> Applied {
    let add = Operation::Add { draft: Box::new(draft), prefix: "bd".to_owned() };
    apply(store, operator(), &add, &at(0)).unwrap()
}

fn titled(title: &str) -> IssueDraft {
    IssueDraft { title: title.to_owned(), ..IssueDraft::default() }
}

fn update(id: &str, name: &'static str, text: String) -> Operation {
    let changes = IssueChanges { texts: vec![(name, Change::Set(text))], ..IssueChanges::default() };
    Operation::Update { id: id.to_owned(), changes: Box::new(changes), holder: Holder::default() }
}

fn written(applied: Applied) -> String {
    match applied {
        Applied::Written(written) => written.row.id().to_owned(),
        Applied::Nothing(_) => "nothing".to_owned(),
        Applied::Refused(refusal) => refusal.class.code().to_owned(),
    }
}

#[test]
fn a_row_that_readers_would_refuse_is_not_acknowledged() {
    let (_folder, store) = holding("{\"id\":\"bd-1\",\"title\":\"t\"}\n");
    // Each quotation mark takes two bytes in the file.
    let error =
        apply(&store, operator(), &update("bd-1", "notes", "\"".repeat(68_000_000)), &at(0)).unwrap_err();
    assert!(matches!(error, StoreError::Input(_)), "{error}");
    assert_eq!(store.view().unwrap().row_count(), 1);
}

#[test]
fn a_byte_order_mark_and_a_missing_newline_hide_nothing() {
    let (_folder, store) = holding("\u{FEFF}{\"id\":\"bd-1\",\"title\":\"t\"}");
    assert_eq!(ids(&store), ["bd-1"]);
    assert_eq!(written(add(&store, titled("next"))), "bd-2");
    assert_eq!(ids(&store), ["bd-1", "bd-2"]);
}

#[test]
fn a_last_line_that_cannot_be_read_is_kept_and_named_and_its_number_is_taken() {
    for line in [
        "{\"id\":\"bd-7\",\"id\":\"bd-7\",\"title\":\"twice\"}",
        "{\"id\":\"bd-7\",\"big\":12345678901234567890}",
        "notes of somebody about bd-7",
    ] {
        let (_folder, store) = holding(format!("{{\"id\":\"bd-1\"}}\n{line}"));
        let problems = store.view().unwrap().problems().unwrap();
        assert!(problems.iter().any(|problem| problem.line == 2), "{line}: {problems:?}");
        let next = written(add(&store, titled("next")));
        assert_eq!(next, if line.starts_with('{') { "bd-8" } else { "bd-2" }, "{line}");
        assert!(std::fs::read_to_string(store.path()).unwrap().contains(line), "{line} is gone");
    }
}

#[test]
fn what_is_cut_off_is_kept_aside() {
    let (folder, store) = holding("{\"id\":\"bd-1\"}\nx\0y\n{\"id\":\"bd-3\"}\n{\"id\":\"bd-4\",\"tit");
    add(&store, titled("next"));
    let torn = std::fs::read(folder.path().join("issues.jsonl.torn")).unwrap();
    assert!(torn.ends_with(b"{\"id\":\"bd-4\",\"tit\n"), "{}", String::from_utf8_lossy(&torn));
}

#[test]
fn a_row_that_lacks_its_newline_and_is_followed_by_zeros_can_be_claimed() {
    let (_folder, store) = holding("{\"id\":\"bd-1\"}\n{\"id\":\"bd-2\",\"priority\":0}\0\0\0");
    let claim = Operation::ClaimNext { terms: ClaimTerms::of("ada") };
    assert_eq!(written(apply(&store, operator(), &claim, &at(0)).unwrap()), "bd-2");
}

/// A clock that somebody else moves on as soon as it is looked at the first time.
#[derive(Debug)]
struct LateClock(TestClock);

impl Clock for LateClock {
    fn now(&self) -> Moment {
        self.0.now()
    }
}

#[test]
fn a_holder_that_waited_for_the_lock_beyond_its_lease_is_too_late() {
    let disk = SimDisk::new();
    disk.create_folder(Path::new("w")).unwrap();
    let store = FileIssues::new(Arc::new(disk.clone()), PathBuf::from("w/issues.jsonl"));
    store.create().unwrap();
    add(&store, titled("t"));
    let claim = Operation::Claim {
        id: "bd-1".to_owned(),
        terms: ClaimTerms { ttl_seconds: 30, ..ClaimTerms::of("w") },
    };
    assert_eq!(written(apply(&store, operator(), &claim, &at(0)).unwrap()), "bd-1");
    let clock = LateClock(TestClock::at(at(10)));
    let watched = clock.0.clone();
    // The lock is the first operation of the change: time passes while it is waited for.
    disk.interrupt(1, move || watched.set(at(31)));
    let mut late = update("bd-1", "notes", "too late".to_owned());
    if let Operation::Update { holder, .. } = &mut late {
        *holder = Holder { owner: Some("w".to_owned()), lease_id: None, fence: Some(1) };
    }
    assert_eq!(written(apply(&store, operator(), &late, &clock).unwrap()), "lease_stale");
}

#[test]
fn a_worker_names_its_fence_to_renew_and_to_release() {
    let (_folder, store) = holding("{\"id\":\"bd-1\"}\n");
    let grant = || Permit::Lease(LeaseGrant::new("instr1_x".to_owned(), Digest::claimed("pol1_x").unwrap()));
    let claim = Operation::Claim { id: "bd-1".to_owned(), terms: ClaimTerms::of("w") };
    assert_eq!(written(apply(&store, grant(), &claim, &at(0)).unwrap()), "bd-1");
    for fence in [None, Some(1)] {
        let holder = Holder { owner: Some("w".to_owned()), lease_id: None, fence };
        let renew = Operation::LeaseRenew { id: "bd-1".to_owned(), holder: holder.clone(), ttl_seconds: 60 };
        let expected = if fence.is_some() { "bd-1" } else { "lease_stale" };
        assert_eq!(written(apply(&store, grant(), &renew, &at(1)).unwrap()), expected);
        let release = Operation::LeaseRelease { id: "bd-1".to_owned(), holder };
        assert_eq!(written(apply(&store, grant(), &release, &at(2)).unwrap()), expected);
    }
}

#[test]
fn an_import_undoes_nothing_that_is_newer_or_that_somebody_works_on() {
    let (_folder, store) = holding("");
    for title in ["one", "two", "three"] {
        add(&store, titled(title));
    }
    let exported = std::fs::read(store.path()).unwrap();
    let claim = Operation::Claim { id: "bd-1".to_owned(), terms: ClaimTerms::of("w") };
    apply(&store, operator(), &claim, &at(10)).unwrap();
    apply(&store, operator(), &update("bd-2", "notes", "done here".to_owned()), &at(10)).unwrap();
    let newer = String::from_utf8(exported).unwrap().replace("\"title\":\"three\"", "\"title\":\"THREE\"");
    let newer = newer.replace("2027-01-15T08:00:00Z\",\"write", "2027-02-15T08:00:00Z\",\"write");
    let grant = MaintenanceGrant::new(Maintenance::Import);
    let imported = store.import(grant, read_exchange(newer.as_bytes()).rows, &at(20)).unwrap();
    let view = store.view().unwrap();
    let text = |id: &str, name: &str| view.row(id).unwrap().unwrap().text(name).map(ToOwned::to_owned);
    assert_eq!(text("bd-1", "assignee").as_deref(), Some("w"));
    assert!(imported.kept.contains(&"bd-1".to_owned()), "{imported:?}");
    assert_eq!(text("bd-3", "title").as_deref(), Some("THREE"), "{imported:?}");
    let older = store
        .import(
            MaintenanceGrant::new(Maintenance::Import),
            read_exchange(br#"{"id":"bd-2","title":"old","updated_at":"2020-01-01T00:00:00Z"}"#).rows,
            &at(30),
        )
        .unwrap();
    assert_eq!((older.written, older.kept), (0, vec!["bd-2".to_owned()]));
}

#[test]
fn a_row_written_into_a_file_that_was_replaced_meanwhile_is_not_acknowledged() {
    let disk = SimDisk::new();
    disk.create_folder(Path::new("w")).unwrap();
    let path = PathBuf::from("w/issues.jsonl");
    let store = FileIssues::new(Arc::new(disk.clone()), path.clone());
    store.create().unwrap();
    add(&store, titled("t"));
    let mut refused = 0;
    for nth in 1..30 {
        let (other, synced) = (disk.clone(), Arc::new(AtomicU64::new(u64::MAX)));
        let seen = Arc::clone(&synced);
        disk.put("w/copy", &disk.bytes(&path).unwrap()).unwrap();
        let before = disk.count(Some(DiskOperation::Sync));
        disk.interrupt(nth, move || {
            seen.store(other.count(Some(DiskOperation::Sync)), Ordering::Relaxed);
            other.rename(Path::new("w/copy"), Path::new("w/issues.jsonl")).unwrap();
        });
        let fresh = FileIssues::new(Arc::new(disk.clone()), path.clone());
        let operation = update("bd-1", "notes", format!("note {nth}"));
        match apply(&fresh, operator(), &operation, &at(nth.try_into().unwrap())) {
            // Once it was durable and seen to be in the right file, whoever replaces the file takes it away knowingly.
            Ok(_) if synced.load(Ordering::Relaxed) > before => {}
            Ok(_) => {
                let view = fresh.view().unwrap();
                let notes = view.row("bd-1").unwrap().unwrap().text("notes").map(ToOwned::to_owned);
                assert_eq!(notes, Some(format!("note {nth}")), "acknowledged at operation {nth} and gone");
            }
            Err(error) => {
                assert!(matches!(error, StoreError::Busy { .. }), "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 0, "the file was never replaced at a bad moment");
}

#[test]
fn a_compaction_that_cannot_be_done_does_not_fill_the_history() {
    let (folder, store) = holding("");
    add(&store, titled("t"));
    std::fs::create_dir(folder.path().join("issues.jsonl.tmp")).unwrap();
    for note in 0..20 {
        apply(&store, operator(), &update("bd-1", "notes", format!("note {note}")), &at(note)).unwrap();
    }
    assert!(!folder.path().join("issues.history.jsonl").exists());
    assert_eq!(store.history("bd-1").unwrap().len(), 21);
}

#[test]
fn a_new_issue_closes_no_cycle_with_those_that_waited_for_it() {
    let (_folder, store) =
        holding("{\"id\":\"bd-1\",\"dependencies\":[{\"depends_on_id\":\"bd-9\",\"type\":\"blocks\"}]}\n");
    let mut draft = titled("nine");
    draft.id = Some("bd-9".to_owned());
    draft.dependencies = vec![(DependencyKind::Blocks, "bd-1".to_owned())];
    assert_eq!(written(add(&store, draft)), "issue_graph.cycle");
    assert!(store.view().unwrap().ready(Limit::All).unwrap().is_empty());
}

#[test]
fn a_lock_file_that_was_removed_while_somebody_waited_is_no_lock() {
    let disk = SimDisk::new();
    disk.create_folder(Path::new("w")).unwrap();
    let store = FileIssues::new(Arc::new(disk.clone()), PathBuf::from("w/issues.jsonl"));
    store.create().unwrap();
    // Between opening the lock file and locking it somebody cleans up.
    let other = disk.clone();
    disk.interrupt(2, move || drop(other.remove(Path::new("w/issues.jsonl.lock"))));
    assert_eq!(written(add(&store, titled("t"))), "bd-1");
    assert!(disk.bytes("w/issues.jsonl.lock").is_ok(), "the lock is held on a file that nobody can see");
}
