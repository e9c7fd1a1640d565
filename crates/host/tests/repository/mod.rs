//! A repository in memory, with a clock that stands still and a door that is open or shut.

use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::{Maintenance, MaintenanceGrant, OperatorBasis, OperatorGrant, Permit};
use premath_host::{DoorRefusal, Host, MutationDoor, Settings, VectorSource, Workspace};
use premath_kernel::Moment;
use premath_testkit::clock::{CountingIds, TestClock};
use premath_testkit::faulty_disk::SimDisk;

/// Who stands at the door.
#[derive(Debug)]
enum Standing {
    Operator,
    Nobody,
}

impl MutationDoor for Standing {
    fn permit(&self, action: &str) -> Result<Permit, DoorRefusal> {
        let purpose = match action {
            "issue.compact" => Some(Maintenance::Compact),
            "issue.import" | "workspace.init" => Some(Maintenance::Import),
            "workspace.doctor" => Some(Maintenance::Repair),
            _ => None,
        };
        match (self, purpose) {
            (Self::Nobody, _) => Err(DoorRefusal {
                class: "mutation.use_evidence_missing",
                detail: "nobody is here".to_owned(),
                hint: "come in".to_owned(),
            }),
            (Self::Operator, Some(purpose)) => Ok(Permit::Maintenance(MaintenanceGrant::new(purpose))),
            (Self::Operator, None) => {
                Ok(Permit::Operator(OperatorGrant::new(Some("jo".to_owned()), OperatorBasis::Configured)))
            }
        }
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
            door: Arc::new(Standing::Operator),
            settings: Settings::default(),
        })
    }

    /// The same repository with nobody at its door.
    pub(crate) fn shut(&self) -> Self {
        Self(Workspace { door: Arc::new(Standing::Nobody), ..self.0.clone() })
    }

    /// The host over it.
    pub(crate) fn host<'r>(&'r self, vectors: &'r dyn VectorSource) -> Host<'r> {
        Host { vectors, workspace: &self.0 }
    }
}
