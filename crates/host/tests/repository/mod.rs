//! A repository in memory, with a clock that stands still and a person at its door.

use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::{Maintenance, MaintenanceGrant, OperatorBasis, OperatorGrant, Permit};
use premath_host::{
    DoorRefusal, Host, MutationDoor, NoAgent, NoModels, NoSandbox, Settings, VectorSource, Workspace,
};
use premath_kernel::Moment;
use premath_testkit::faulty_disk::SimDisk;
use premath_testkit::{CountingIds, TestClock};

/// A person at a terminal.
#[derive(Debug)]
struct Operator;

impl MutationDoor for Operator {
    fn permit(&self, action: &str) -> Result<Permit, DoorRefusal> {
        let purpose = match action {
            "issue.compact" => Some(Maintenance::Compact),
            "issue.import" | "workspace.init" => Some(Maintenance::Import),
            "workspace.doctor" => Some(Maintenance::Repair),
            _ => None,
        };
        Ok(match purpose {
            Some(purpose) => Permit::Maintenance(MaintenanceGrant::new(purpose)),
            None => Permit::Operator(OperatorGrant::new(Some("jo".to_owned()), OperatorBasis::Configured)),
        })
    }
}

/// The repository.
#[derive(Debug)]
pub(crate) struct Repository(Workspace);

impl Repository {
    /// An empty one, with a person at its door.
    pub(crate) fn new() -> Self {
        let now = Moment::new(1_800_000_000, 0).unwrap();
        Self(Workspace {
            disk: Arc::new(SimDisk::new()),
            clock: Arc::new(TestClock::at(now)),
            ids: Arc::new(CountingIds::new("id")),
            root: PathBuf::from("project"),
            door: Arc::new(Operator),
            settings: Settings::default(),
            redactor: premath_bd::Redactor::default(),
            retention: premath_host::Retention::default(),
            receipts: premath_bd::AuditReceipts::default(),
        })
    }

    /// The host over it.
    pub(crate) fn host<'r>(&'r self, vectors: &'r dyn VectorSource) -> Host<'r> {
        Host { vectors, workspace: &self.0, models: &NoModels, sandbox: &NoSandbox, agent: &NoAgent }
    }
}
