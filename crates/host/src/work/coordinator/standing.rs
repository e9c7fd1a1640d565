//! What coordinators remember of each other: how many workers ran at once.
//!
//! `.premath/coordinator.json`. It is nobody's authority: without it a coordinator is more careful, never less.

use std::io::ErrorKind;
use std::path::PathBuf;

use premath_bd::{Access, StoreError, read_to_end};
use premath_kernel::Object;
use premath_tusk::session::KpiStanding;
use premath_wire::v1::KpiAnswer;
use serde::{Deserialize, Serialize};

use crate::actions::harness_kpi;
use crate::actions::issue_upkeep::place_file;
use crate::table::{ActionError, Host};
use crate::workspace::Workspace;

const KIND: &str = "premath.coordinator.v1";
const LARGEST: usize = 1 << 16;
/// What the figure says when it fell too low.
pub(super) const ROLLBACK: &str = "rollback";

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Document {
    schema: u32,
    kind: String,
    /// The most workers that ran at once, the last time.
    workers: Option<usize>,
}

/// What is remembered.
#[derive(Debug)]
pub(super) struct Standing {
    /// As many as may run under a rollback: what earlier coordinators ran, or this one before it.
    pub(super) workers: Option<usize>,
}

fn path(workspace: &Workspace) -> PathBuf {
    workspace.root.join(".premath").join("coordinator.json")
}

impl Standing {
    pub(super) fn load(workspace: &Workspace) -> Result<Self, ActionError> {
        let path = path(workspace);
        let read = workspace.disk.open(&path, Access::Read);
        let bytes = match read.and_then(|file| read_to_end(file.as_ref(), 0, LARGEST)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(StoreError::Io { doing: "read", path, source }.into()),
        };
        let document: Document = serde_json::from_slice(&bytes).unwrap_or_default();
        Ok(Self { workers: document.workers })
    }

    fn store(&self, workspace: &Workspace) -> Result<(), ActionError> {
        let document = Document { schema: 1, kind: KIND.to_owned(), workers: self.workers };
        let mut bytes =
            serde_json::to_vec_pretty(&document).map_err(|source| ActionError::Unwritable { source })?;
        bytes.push(b'\n');
        Ok(place_file(workspace.disk.as_ref(), &path(workspace), &bytes)?)
    }

    /// Remembers how many run at once, where that is more than ever did.
    pub(super) fn ran(&mut self, workspace: &Workspace, workers: usize) -> Result<(), ActionError> {
        if self.workers.is_some_and(|most| most >= workers) {
            return Ok(());
        }
        self.workers = Some(workers);
        self.store(workspace)
    }

    /// Remembers how many ran at once in a run that went to its end while nothing held it back, fewer or more.
    pub(super) fn ended(&mut self, workspace: &Workspace, workers: usize) -> Result<(), ActionError> {
        if workers == 0 || self.workers == Some(workers) {
            return Ok(());
        }
        self.workers = Some(workers);
        self.store(workspace)
    }

    /// What the figure says of starting more workers.
    pub(super) fn kpi(&self, host: &Host<'_>) -> Result<KpiStanding, ActionError> {
        let report = report(host)?;
        let holds_back = report.decision.state == ROLLBACK && !report.remedied;
        Ok(if holds_back { KpiStanding::Rollback } else { KpiStanding::Free })
    }

    pub(super) fn kpi_state(&self, host: &Host<'_>) -> Result<String, ActionError> {
        Ok(report(host)?.decision.state)
    }
}

fn report(host: &Host<'_>) -> Result<KpiAnswer, ActionError> {
    let answer = harness_kpi::report(host, &Object::fields().finish())?;
    serde_json::from_str(answer.payload.get()).map_err(|source| ActionError::Unwritable { source })
}
