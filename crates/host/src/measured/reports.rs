//! Reports: written once, kept by content, put on record; and read again only when they are what was put on record.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_bd::{
    Access, AuditFilter, Objects, StoreError, fresh_audit_id, objects_folder, read_to_end, write_all_at,
};
use premath_kernel::Digest;
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{AuditKind, AuditRow, Lineage, MeasureReport};
use serde::Serialize;
use serde::de::DeserializeOwned;

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
pub(crate) fn path_of(workspace: &Workspace, prefix: &str, digest: &Digest) -> PathBuf {
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
    path: &Path,
    kind: &str,
    action: &str,
) -> Result<Result<Vouched<R>, String>, ActionError> {
    let bytes = match read(workspace, path) {
        Ok(bytes) => bytes,
        Err(error) => return Ok(Err(format!("the report cannot be read: {error}"))),
    };
    let digest = Digest::of_bytes(&bytes);
    let filter = AuditFilter {
        kind: Some(AuditKind::Policy),
        effect: Some(MEASURED.to_owned()),
        tool: Some(action.to_owned()),
        digest: Some(digest.as_str().to_owned()),
        ..AuditFilter::default()
    };
    if audit_log(workspace).query(&filter, 1)?.rows.is_empty() {
        return Ok(Err(format!("nobody measured {digest} here: the audit log has no row about it")));
    }
    match serde_json::from_slice::<MeasureReport<R>>(&bytes) {
        Ok(report) if report.kind == kind => Ok(Ok(Vouched { digest, report })),
        Ok(report) => Ok(Err(format!("it is a `{}`", report.kind))),
        Err(error) => Ok(Err(format!("it cannot be read: {error}"))),
    }
}
