//! What the tests of the desk share: desks in a file and in memory, permits of both kinds, a person, and calls to ask about.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what cannot be done fails the test")]
#![allow(dead_code, reason = "each test uses what it needs of this module")]

pub(crate) mod turn;

use std::path::Path;
use std::sync::Arc;

use premath_bd::desk::{
    Applied, ApprovalKind, ApprovalRequest, Cells, Desk, DeskRefusal, Operation, PersonCredential, PlanStep,
    ProposalDraft, Target, Written,
};
use premath_bd::{OperatorBasis, OperatorGrant, Permit};
use premath_kernel::{Moment, Object, Value};
use premath_testkit::{CountingIds, TestClock};
use premath_wire::strict::{Limits, parse};

pub(crate) fn at(seconds: i64) -> Moment {
    Moment::new(1_800_000_000 + seconds, 0).unwrap()
}

/// A desk, its clock, and the folder it is in.
#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) desk: Desk,
    pub(crate) clock: TestClock,
    pub(crate) folder: Option<tempfile::TempDir>,
}

/// One desk of each kind, for what must hold of both.
pub(crate) fn rooms() -> [Room; 2] {
    [memory(), file()]
}

pub(crate) fn memory() -> Room {
    let clock = TestClock::at(at(0));
    let ids = Arc::new(CountingIds::default());
    let desk = Desk::in_memory(Arc::new(clock.clone()), ids).unwrap();
    Room { desk, clock, folder: None }
}

pub(crate) fn file() -> Room {
    let folder = tempfile::tempdir().unwrap();
    let clock = TestClock::at(at(0));
    let desk = open(folder.path(), &clock, "file").unwrap();
    Room { desk, clock, folder: Some(folder) }
}

pub(crate) fn open(folder: &Path, clock: &TestClock, names: &str) -> Result<Desk, premath_bd::StoreError> {
    let ids = Arc::new(CountingIds::new(names));
    Desk::open(&folder.join(Desk::FILE_NAME), Arc::new(clock.clone()), ids)
}

pub(crate) fn person() -> Permit {
    Permit::Operator(OperatorGrant::new(Some("ada".to_owned()), OperatorBasis::Configured))
}

pub(crate) fn ada() -> PersonCredential {
    PersonCredential::new("ada".to_owned(), [7; 32])
}

pub(crate) fn markdown(name: &str, content: &str) -> Operation {
    Operation::CreateMarkdown { name: name.to_owned(), folder: None, content: content.to_owned() }
}

pub(crate) fn json(text: &str) -> Value<'static> {
    parse(text.as_bytes(), Limits::default()).unwrap().into_owned()
}

pub(crate) fn cells(text: &str) -> Cells {
    Cells::read(json(text)).unwrap()
}

impl Room {
    /// Makes a change as a person.
    pub(crate) fn done(&self, operation: &Operation) -> Written {
        match self.desk.apply(person(), operation, "").unwrap() {
            Applied::Written(written) => *written,
            other @ (Applied::Repeated(_) | Applied::Refused(_)) => panic!("{other:?}"),
        }
    }

    /// Is refused a change as a person.
    pub(crate) fn refused(&self, operation: &Operation) -> DeskRefusal {
        match self.desk.apply(person(), operation, "").unwrap() {
            Applied::Refused(refusal) => refusal,
            other @ (Applied::Written(_) | Applied::Repeated(_)) => panic!("{other:?}"),
        }
    }

    pub(crate) fn content(&self, id: &str) -> String {
        self.desk.read_file(id, None).unwrap().unwrap().content
    }

    /// Everything in the outbox, taken.
    pub(crate) fn told(&self) -> Vec<Value<'static>> {
        let mut rows = Vec::new();
        self.desk
            .drain::<premath_bd::StoreError>(&mut |taken| {
                rows.extend(taken.iter().map(|row| row.borrowed().into_owned()));
                Ok(())
            })
            .unwrap();
        rows
    }
}

pub(crate) fn member<'v>(row: &'v Value<'_>, name: &str) -> &'v str {
    row.as_object().unwrap().get(name).and_then(Value::as_text).unwrap_or_default()
}

pub(crate) fn target(id: &str, name: &str) -> Target {
    Target { kind: "desk_file".to_owned(), id: id.to_owned(), name: name.to_owned() }
}

/// A question about deleting a file, open for a minute.
pub(crate) fn question(call: &str, file: &str, name: &str) -> ApprovalRequest {
    ApprovalRequest {
        run_id: "run-1".to_owned(),
        call_id: "run-1.t0001".to_owned(),
        tool_call_id: call.to_owned(),
        kind: ApprovalKind::Confirmation,
        tool: "desk_delete_file".to_owned(),
        arguments: Object::fields().field("file_id", file.to_owned()).finish().into_owned(),
        targets: vec![target(file, name)],
        diff: None,
        reason: "it deletes a file".to_owned(),
        rule: "delete-asks".to_owned(),
        tier: "destructive".to_owned(),
        expires_at: at(60),
    }
}

/// A plan of so many steps.
pub(crate) fn plan(steps: usize) -> ProposalDraft {
    let step = |number: usize| PlanStep {
        id: String::new(),
        tool: "desk_delete_file".to_owned(),
        arguments: json(&format!("{{\"file_id\":\"fil_{number}\"}}")),
        rationale: "it is old".to_owned(),
        targets: vec![target(&format!("fil_{number}"), &format!("old-{number}.md"))],
        preview: None,
        shown: format!("1e20_{number}"),
        compensation: None,
    };
    ProposalDraft {
        run_id: "run-1".to_owned(),
        goal: "tidy up".to_owned(),
        rollback: "restore them".to_owned(),
        steps: (1..=steps).map(step).collect(),
    }
}
