//! Reports: written once, kept by content, put on record; and read again only when they are what was put on record.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_bd::{
    Access, AuditFilter, Objects, StoreError, fresh_audit_id, objects_folder, read_to_end, write_all_at,
};
use premath_kernel::{Digest, Value};
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{AuditKind, AuditRow, Lineage, MeasureReport};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::actions::repository;
use crate::recording::audit_log;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// The most bytes of a report.
const LARGEST: usize = 64 << 20;
/// What the audit log says of a report that was made.
const MEASURED: &str = "measured";

/// A report that is about to be made.
#[derive(Debug)]
pub(crate) struct ReportDraft<'r, R> {
    /// The action that makes it.
    pub(crate) action: &'r str,
    /// What its file begins with.
    pub(crate) prefix: &'r str,
    /// What it calls itself.
    pub(crate) kind: &'r str,
    /// Who made it.
    pub(crate) tool_version: String,
    /// What it was made of.
    pub(crate) lineage: Lineage,
    /// What came of it.
    pub(crate) result: R,
}

/// A report that was made.
#[derive(Debug)]
pub(crate) struct Recorded<R> {
    pub(crate) path: PathBuf,
    pub(crate) digest: Digest,
    pub(crate) report: MeasureReport<R>,
}

/// Where a report is that is named by its digest.
fn path_of(workspace: &Workspace, prefix: &str, digest: &Digest) -> PathBuf {
    let name = digest.as_str().rsplit(':').next().unwrap_or_default();
    workspace.root.join(".premath").join("reports").join(format!("{prefix}-{name}.json"))
}

/// Keeps a report and puts it on record.
pub(crate) fn record<R: Serialize>(
    workspace: &Workspace,
    draft: ReportDraft<'_, R>,
) -> Result<Recorded<R>, ActionError> {
    let at = format_time(to_millis(workspace.clock.now()));
    let report = MeasureReport {
        kind: draft.kind.to_owned(),
        at: at.clone(),
        tool_version: draft.tool_version,
        lineage: draft.lineage,
        result: draft.result,
    };
    let mut bytes =
        serde_json::to_vec_pretty(&report).map_err(|source| ActionError::Unwritable { source })?;
    bytes.push(b'\n');
    let digest = Digest::of_bytes(&bytes);
    objects(workspace).put(&mut bytes.as_slice())?;
    let path = path_of(workspace, draft.prefix, &digest);
    write(workspace, &path, &bytes)?;
    let actor = workspace.door.actor().unwrap_or_else(|| "operator".to_owned());
    let mut row =
        AuditRow::new(fresh_audit_id(workspace.ids.as_ref()), at, AuditKind::Policy, actor, MEASURED);
    row.tool = Some(draft.action.to_owned());
    row.args_digest = Some(digest.as_str().to_owned());
    row.policy_digest = Some(report.lineage.package_digest.clone());
    row.path = Some(crate::workspace::shown(&path));
    audit_log(workspace).append(&[row])?;
    Ok(Recorded { path, digest, report })
}

/// The objects of a repository.
pub(super) fn objects(workspace: &Workspace) -> Objects {
    let (disk, ids) = (Arc::clone(&workspace.disk), Arc::clone(&workspace.ids));
    Objects::new(disk, ids, objects_folder(&workspace.root))
}

/// Reads a whole file.
pub(crate) fn read(workspace: &Workspace, path: &Path) -> Result<Vec<u8>, StoreError> {
    let failed = |doing| move |source| StoreError::Io { doing, path: path.to_path_buf(), source };
    let file = workspace.disk.open(path, Access::Read).map_err(failed("open"))?;
    read_to_end(file.as_ref(), 0, LARGEST).map_err(failed("read"))
}

fn write(workspace: &Workspace, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let disk = workspace.disk.as_ref();
    let written = || {
        disk.create_folder(folder)?;
        let mut file = disk.open(path, Access::Replace)?;
        write_all_at(file.as_mut(), bytes, 0)?;
        file.sync()
    };
    written().map_err(|source| StoreError::Io { doing: "write", path: path.to_path_buf(), source })
}

/// Where a report is.
#[derive(Debug, Clone)]
pub(crate) enum ReportAt {
    /// Where somebody says.
    Named(PathBuf),
    /// Among what was kept, since a package came into force on its strength.
    Kept(Digest),
}

impl ReportAt {
    fn bytes(&self, workspace: &Workspace) -> Result<Vec<u8>, StoreError> {
        match self {
            Self::Named(path) => read(workspace, path),
            Self::Kept(digest) => kept(workspace, digest.as_str()),
        }
    }
}

/// The bytes that a digest names, among what was kept.
pub(crate) fn kept(workspace: &Workspace, digest: &str) -> Result<Vec<u8>, StoreError> {
    let id = digest.parse()?;
    objects(workspace).read_range(&id, 0, usize::MAX)
}

/// The reports that one action made here, by digest; or why nobody can tell.
#[derive(Debug)]
pub(super) struct Made(Result<BTreeSet<String>, String>);

impl Made {
    /// As the audit log says, where its chain holds from the first row to the head: a line that somebody put there by hand
    /// vouches for nothing.
    pub(super) fn by(workspace: &Workspace, action: &str) -> Result<Self, StoreError> {
        let filter = AuditFilter {
            kind: Some(AuditKind::Policy),
            effect: Some(MEASURED.to_owned()),
            tool: Some(action.to_owned()),
            ..AuditFilter::default()
        };
        let witnesses = repository(workspace).witnesses();
        let rows = audit_log(workspace).vouched(&filter, &witnesses, &workspace.root)?;
        let digest = |row: &Value<'_>| row.as_object()?.get("argsDigest")?.as_text().map(str::to_owned);
        Ok(Self(rows.map(|rows| rows.iter().filter_map(digest).collect())))
    }

    fn knows(&self, digest: &Digest) -> Result<(), String> {
        match &self.0 {
            Ok(known) if known.contains(digest.as_str()) => Ok(()),
            Ok(_) => Err(format!("nobody measured {digest} here: the audit log has no row about it")),
            Err(why) => Err(format!("{why}; `premath audit verify` says more")),
        }
    }
}

/// A report that this repository made, or why it does not count.
#[derive(Debug)]
pub(super) struct Vouched<R> {
    pub(super) digest: Digest,
    pub(super) report: MeasureReport<R>,
}

/// Reads a report and looks whether it is what was put on record.
///
/// The refusal is inside: a report that does not count is no accident.
pub(super) fn vouched<R: DeserializeOwned>(
    workspace: &Workspace,
    at: &ReportAt,
    kind: &str,
    made: &Made,
) -> Result<Vouched<R>, String> {
    let bytes = at.bytes(workspace).map_err(|error| format!("the report cannot be read: {error}"))?;
    let digest = Digest::of_bytes(&bytes);
    made.knows(&digest)?;
    match serde_json::from_slice::<MeasureReport<R>>(&bytes) {
        Ok(report) if report.kind == kind => Ok(Vouched { digest, report }),
        Ok(report) => Err(format!("it is a `{}`", report.kind)),
        Err(error) => Err(format!("it cannot be read: {error}")),
    }
}
