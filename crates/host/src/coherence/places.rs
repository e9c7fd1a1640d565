//! Reading what is compared: files and folders below the root, by name.

use std::io::ErrorKind;

use premath_bd::StoreError;

use crate::artifacts::read_artifact;
use crate::workspace::Workspace;

/// So deep are folders looked into.
const DEEPEST: usize = 12;

/// The text of a file; nothing where there is none. What is no text is read as well as it goes.
pub(super) fn text(workspace: &Workspace, name: &str) -> Result<Option<String>, StoreError> {
    let bytes = read_artifact(workspace, &workspace.root.join(name))?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// The bytes of a file; nothing where there is none.
pub(super) fn bytes(workspace: &Workspace, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
    read_artifact(workspace, &workspace.root.join(name))
}

/// Every file below a folder whose name ends so, sorted; what begins with a dot is passed over.
pub(super) fn files(workspace: &Workspace, folder: &str, ending: &str) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    collect(workspace, folder, ending, 0, &mut found)?;
    found.sort_unstable();
    Ok(found)
}

fn collect(
    workspace: &Workspace,
    folder: &str,
    ending: &str,
    depth: usize,
    found: &mut Vec<String>,
) -> Result<(), StoreError> {
    let path = workspace.root.join(folder);
    let entries = match workspace.disk.list(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        listed => listed.map_err(|source| StoreError::Io { doing: "list", path, source })?,
    };
    for entry in entries.into_iter().filter(|entry| !entry.name.starts_with('.')) {
        let name = format!("{folder}/{}", entry.name);
        if entry.is_folder && depth < DEEPEST {
            collect(workspace, &name, ending, depth + 1, found)?;
        } else if !entry.is_folder && entry.name.ends_with(ending) {
            found.push(name);
        }
    }
    Ok(())
}

/// The line of a text that has these words, counted from one.
pub(super) fn line_of(text: &str, words: &str) -> Option<usize> {
    text.lines().position(|line| line.contains(words)).map(|at| at + 1)
}
