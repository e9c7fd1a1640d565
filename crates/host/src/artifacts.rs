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
    real_folders(workspace, folder)?;
    let written = || {
        disk.create_folder(folder)?;
        let mut file = disk.open(&temporary, Access::New)?;
        write_all_at(file.as_mut(), bytes, 0)?;
        file.sync()?;
        disk.rename(&temporary, path)?;
        disk.sync_folder(folder)?;
        sync_names_above(workspace, folder)
    };
    written().map_err(|source| StoreError::Io { doing: "write", path: path.to_path_buf(), source })
}

/// Makes the names of a folder and of those above it durable, up to the root: a document in a folder that a power loss takes
/// is lost. Always, because whoever made them may have died before this.
fn sync_names_above(workspace: &Workspace, folder: &Path) -> std::io::Result<()> {
    let above = folder.ancestors().skip(1).take_while(|above| above.starts_with(&workspace.root));
    for folder in above {
        workspace.disk.sync_folder(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?;
    }
    Ok(())
}

/// Refuses a folder that is reached over a link. Commands may write here, and a link that one of them left would have us
/// write to wherever it leads.
fn real_folders(workspace: &Workspace, folder: &Path) -> Result<(), StoreError> {
    let Ok(below) = folder.strip_prefix(&workspace.root) else { return Ok(()) };
    let mut at = workspace.root.clone();
    for part in below.components() {
        let here = if at.as_os_str().is_empty() { Path::new(".") } else { at.as_path() };
        let name = part.as_os_str().to_string_lossy();
        let entries = match workspace.disk.list(here) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            listed => {
                listed.map_err(|source| StoreError::Io { doing: "list", path: here.to_owned(), source })?
            }
        };
        at.push(part);
        match entries.iter().find(|entry| entry.name == name) {
            None => return Ok(()),
            Some(entry) if entry.is_folder => {}
            Some(_) => {
                let source = std::io::Error::other("it is a link or a file where a folder should be");
                return Err(StoreError::Io { doing: "write below", path: at, source });
            }
        }
    }
    Ok(())
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
