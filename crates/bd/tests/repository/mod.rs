//! A repository with something in every lane, each written by the store that owns it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what cannot be done fails the test")]
#![allow(dead_code, reason = "each test uses what it needs of this module")]

use premath_bd::issues::{
    Applied, Change, FileIssues, Holder, IssueChanges, IssueDraft, IssueStore, Operation, apply, snapshot_ref,
};
use premath_bd::{
    FeatureChange, FeatureLedgerStore, NewStep, ObjectId, OperatorBasis, OperatorGrant, Permit,
    SessionChange, SessionStore, StoreError, Trajectory,
};
use premath_kernel::{FeatureStatus, Object, Value};

use crate::room::{Room, at, event};

pub(crate) const ISSUES: &str = ".premath/issues.jsonl";
pub(crate) const TRAJECTORY: &str = ".premath/harness_trajectory.jsonl";
pub(crate) const WORKER: &str = ".premath/workers/w1/harness_trajectory.jsonl";
pub(crate) const JOURNAL: &str = ".premath/runs/s1/journal.jsonl";
pub(crate) const SESSION: &str = ".premath/harness_session.json";
pub(crate) const LEDGER: &str = ".premath/harness_feature_ledger.json";

/// What the rows refer to.
#[derive(Debug)]
pub(crate) struct Refs {
    pub(crate) object: ObjectId,
    pub(crate) witness: String,
}

/// Three issues, four steps in two trajectories, six events in two journals, two objects, two witnesses, a session, a
/// ledger.
pub(crate) fn furnished() -> (Room, Refs) {
    let room = Room::new();
    let object = room.objects().put(&mut b"a payload".as_slice()).unwrap().digest;
    room.objects().put(&mut b"another.".as_slice()).unwrap();
    let core =
        |number: u32| Object::fields().field("number", number).field("witnessKind", "test.v1").finish();
    let witness = room.witnesses().put(&core(1), None).unwrap();
    let other = room.witnesses().put(&core(2), Some(&Value::from("a message"))).unwrap();
    for title in ["first", "second", "third"] {
        issue(&room, title);
    }
    step(&room, "one", &[]);
    step(&room, "two", &[witness.clone(), "lease://handoff/bd-1/released/x".to_owned()]);
    step_in(&room, WORKER, "three", &[other]);
    step_in(&room, WORKER, "four", &[]);
    let mut journal = room.journal("s1").write().unwrap();
    journal.append(&event("call", 1), at(1_000_001)).unwrap();
    journal.append(&event("intent", 2), at(1_000_002)).unwrap();
    let receipt = Object::fields()
        .field("kind", "receipt")
        .field("payload", Object::fields().field("body", object.reference()).finish())
        .field("witness", format!("witness://{witness}"))
        .finish();
    journal.append(&receipt, at(1_000_003)).unwrap();
    drop(journal);
    let mut journal = room.journal("s2").write().unwrap();
    journal.append_many(&[event("call", 1), event("call", 2), receipt], at(1_000_004)).unwrap();
    drop(journal);
    documents(&room, &witness);
    (room, Refs { object, witness })
}

fn issues(room: &Room) -> FileIssues {
    FileIssues::new(room.dyn_disk(), ISSUES.into())
}

pub(crate) fn issue(room: &Room, title: &str) {
    let draft = IssueDraft { title: title.to_owned(), ..IssueDraft::default() };
    let permit = Permit::Operator(OperatorGrant::new(None, OperatorBasis::Configured));
    let operation = Operation::Add { draft: Box::new(draft), prefix: "bd".to_owned() };
    match apply(&issues(room), permit, &operation, &at(1_000_000)).unwrap() {
        Applied::Written(_) => {}
        refused @ (Applied::Nothing(_) | Applied::Refused(_)) => panic!("{refused:?}"),
    }
}

pub(crate) fn retitle(room: &Room, id: &str, title: &str) {
    let changes =
        IssueChanges { texts: vec![("title", Change::Set(title.to_owned()))], ..IssueChanges::default() };
    let operation =
        Operation::Update { id: id.to_owned(), changes: Box::new(changes), holder: Holder::default() };
    let permit = Permit::Operator(OperatorGrant::new(None, OperatorBasis::Configured));
    match apply(&issues(room), permit, &operation, &at(1_000_001)).unwrap() {
        Applied::Written(_) => {}
        refused @ (Applied::Nothing(_) | Applied::Refused(_)) => panic!("{refused:?}"),
    }
}

pub(crate) fn step(room: &Room, name: &str, witness_refs: &[String]) {
    step_in(room, TRAJECTORY, name, witness_refs);
}

fn step_in(room: &Room, path: &str, name: &str, witness_refs: &[String]) {
    use premath_bd::Disk as _;
    room.disk.create_folder(std::path::Path::new(path).parent().unwrap()).unwrap();
    let step = NewStep {
        step_id: name.to_owned(),
        action: "test".to_owned(),
        result_class: "accepted".to_owned(),
        witness_refs: witness_refs.to_vec(),
        ..NewStep::default()
    };
    Trajectory::new(room.dyn_disk(), path.into()).append(&step, &at(1_000_000)).unwrap();
}

fn documents(room: &Room, witness: &str) {
    let snapshot = |path: &str| -> Result<Option<String>, StoreError> {
        let store = FileIssues::new(room.dyn_disk(), path.into());
        let view = store.view()?;
        snapshot_ref(view.as_ref()).map(Some)
    };
    let change = SessionChange { witness_refs: Some(vec![witness.to_owned()]), ..SessionChange::default() };
    SessionStore::new(room.dyn_disk(), SESSION.into())
        .write(&change, ISSUES, &at(1_000_000), snapshot)
        .unwrap();
    let change = FeatureChange {
        feature_id: "f1".to_owned(),
        status: FeatureStatus::Pending,
        issue_id: None,
        session_ref: None,
        summary: None,
        instruction_refs: None,
        verification_refs: Some(vec![format!("witness://{witness}")]),
    };
    FeatureLedgerStore::new(room.dyn_disk(), LEDGER.into()).write(&change, &at(1_000_000)).unwrap();
}
