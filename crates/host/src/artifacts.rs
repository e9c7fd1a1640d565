//! Documents below `artifacts/`: written whole or not at all, and read as they are.
//!
//! Nobody's authority by themselves: whoever reads one computes again what it says. It must not decide anything.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use premath_bd::{Access, StoreError, read_to_end, write_all_at};
use premath_kernel::{Value, encode};
use premath_wire::strict::{Limits, parse};
use serde::Serialize;

use crate::table::ActionError;
use crate::workspace::Workspace;

/// The most bytes of one document.
const LARGEST: usize = 64 << 20;

/// The bytes of a file; `None` where there is none.
pub(crate) fn read_artifact(workspace: &Workspace, path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    let failed = |doing| move |source| StoreError::Io { doing, path: path.to_path_buf(), source };
    let file = match workspace.disk.open(path, Access::Read) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(failed("open"))?,
    };
    read_to_end(file.as_ref(), 0, LARGEST).map(Some).map_err(failed("read"))
}

/// Writes a document in the place of the one before. A reader sees one or the other.
pub(crate) fn write_artifact(workspace: &Workspace, path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // Two writers at once must not share a half-written file.
    let temporary: PathBuf = folder.join(format!(".{name}.{}.new", workspace.ids.fresh()));
    let disk = workspace.disk.as_ref();
    let written = || {
        disk.create_folder(folder)?;
        let mut file = disk.open(&temporary, Access::Replace)?;
        write_all_at(file.as_mut(), bytes, 0)?;
        file.sync()?;
        disk.rename(&temporary, path)?;
        disk.sync_folder(folder)
    };
    written().map_err(|source| StoreError::Io { doing: "write", path: path.to_path_buf(), source })
}

/// A document as people read it: indented, one line feed at its end.
pub(crate) fn pretty(document: &impl Serialize) -> Result<Vec<u8>, ActionError> {
    let mut bytes =
        serde_json::to_vec_pretty(document).map_err(|source| ActionError::Unwritable { source })?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// A document as it is hashed.
pub(crate) fn canonical_value(document: &impl Serialize) -> Result<Value<'static>, ActionError> {
    let bytes = serde_json::to_vec(document).map_err(|source| ActionError::Unwritable { source })?;
    Ok(parse(&bytes, Limits::default())?.into_owned())
}

/// The canonical bytes of a document.
pub(crate) fn canonical_bytes(document: &impl Serialize) -> Result<Vec<u8>, ActionError> {
    canonical_value(document).map(|value| encode(&value))
}
