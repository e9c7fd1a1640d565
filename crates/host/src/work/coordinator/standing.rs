//! What coordinators remember of each other: how many workers ran, and since when the throughput figure is too low.
//!
//! `.premath/coordinator.json`. It is nobody's authority: without it a coordinator is more careful, never less.

use std::io::ErrorKind;
use std::path::PathBuf;

use premath_bd::{Access, StoreError, read_to_end};
use premath_kernel::Object;
use premath_tusk::session::KpiStanding;
use premath_wire::time::{format_time, parse_time, to_millis};
use premath_wire::v1::{KpiAnswer, RemediationRow};
use serde::{Deserialize, Serialize};

use crate::actions::harness_kpi;
use crate::actions::issue_upkeep::place_file;
use crate::table::{ActionError, Host};
use crate::workspace::Workspace;

const KIND: &str = "premath.coordinator.v1";
const LARGEST: usize = 1 << 16;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Document {
    schema: u32,
    kind: String,
    /// The most workers that ran at once, the last time.
    workers: Option<usize>,
    /// When the figure was first seen to be too low.
    rollback_since: Option<String>,
}

/// What is remembered.
#[derive(Debug)]
pub(super) struct Standing {
    pub(super) workers: Option<usize>,
    rollback_since: Option<String>,
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
        Ok(Self { workers: document.workers, rollback_since: document.rollback_since })
    }

    fn store(&self, workspace: &Workspace) -> Result<(), ActionError> {
        let document = Document {
            schema: 1,
            kind: KIND.to_owned(),
            workers: self.workers,
            rollback_since: self.rollback_since.clone(),
        };
        let mut bytes =
            serde_json::to_vec_pretty(&document).map_err(|source| ActionError::Unwritable { source })?;
        bytes.push(b'\n');
        Ok(place_file(workspace.disk.as_ref(), &path(workspace), &bytes)?)
    }

    /// Remembers how many ran at once.
    pub(super) fn ran(&mut self, workspace: &Workspace, workers: usize) -> Result<(), ActionError> {
        self.workers = Some(workers);
        self.store(workspace)
    }

    /// What the figure says of starting more workers: a remediation counts for as long as the figure stays where it is.
    pub(super) fn kpi(&mut self, host: &Host<'_>) -> Result<KpiStanding, ActionError> {
        let report = report(host)?;
        if report.decision.state != "rollback" {
            if self.rollback_since.take().is_some() {
                self.store(host.workspace)?;
            }
            return Ok(KpiStanding::Free);
        }
        let remediated =
            report.latest_remediation.as_ref().and_then(|row: &RemediationRow| parse_time(&row.recorded_at));
        let since = match self.rollback_since.as_deref().and_then(parse_time) {
            Some(since) => since,
            // What was done about it before anybody looked counts too, if it is about these rows.
            None if remediated >= parse_time(&report.window.start) && remediated.is_some() => {
                return Ok(KpiStanding::Free);
            }
            None => {
                let now = to_millis(host.workspace.clock.now());
                self.rollback_since = Some(format_time(now));
                self.store(host.workspace)?;
                now
            }
        };
        let is_remediated = remediated.is_some_and(|at| at >= since);
        Ok(if is_remediated { KpiStanding::Free } else { KpiStanding::Rollback })
    }

    pub(super) fn kpi_state(&self, host: &Host<'_>) -> Result<String, ActionError> {
        Ok(report(host)?.decision.state)
    }
}

fn report(host: &Host<'_>) -> Result<KpiAnswer, ActionError> {
    let answer = harness_kpi::report(host, &Object::fields().finish())?;
    serde_json::from_str(answer.payload.get()).map_err(|source| ActionError::Unwritable { source })
}
