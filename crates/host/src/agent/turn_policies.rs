//! The turn policies of a repository: `policies/turn/<policy key>.json`, members that the policy documents of its live turns
//! get beside what the configuration says.
//!
//! Read once, when a run begins: the run keeps them, and its call specs bind them. It must not judge them; the kernel reads
//! the documents that come of them.

use premath_bd::{Access, StoreError};
use premath_tusk::JsonText;
use premath_tusk::turn_loop::is_turn_policy;

use crate::table::ActionError;
use crate::workspace::Workspace;

/// Where they are.
const FOLDER: &str = "policies/turn";
/// The largest file.
const LARGEST: usize = 1 << 20;

/// Every document with the key of its policy, sorted by key.
pub(super) fn read(workspace: &Workspace) -> Result<Vec<(String, JsonText)>, ActionError> {
    let folder = workspace.root.join(FOLDER);
    let Ok(entries) = workspace.disk.list(&folder) else { return Ok(Vec::new()) };
    let mut names: Vec<String> = entries.into_iter().map(|entry| entry.name).collect();
    names.sort();
    names.iter().map(|name| document(workspace, name)).collect()
}

fn document(workspace: &Workspace, name: &str) -> Result<(String, JsonText), ActionError> {
    let path = workspace.root.join(FOLDER).join(name);
    let unusable = |why: &str| ActionError::Unavailable {
        what: format!("the turn policy `{FOLDER}/{name}` cannot be used: {why}"),
        hint: "docs/reference/turn-policies.md lists the names and members; fix the file or remove it"
            .to_owned(),
    };
    let key = name.strip_suffix(".json").filter(|key| is_turn_policy(key));
    let key = key.ok_or_else(|| unusable("no policy of a turn has this name"))?;
    let io = |doing: &'static str, source| StoreError::Io { doing, path: path.clone(), source };
    let file = workspace.disk.open(&path, Access::Read).map_err(|source| io("open", source))?;
    let bytes = premath_bd::read_to_end(file.as_ref(), 0, LARGEST).map_err(|source| io("read", source))?;
    let text = String::from_utf8(bytes).map_err(|_| unusable("it is not UTF-8"))?;
    let document = JsonText::new(text).map_err(|error| unusable(&error.to_string()))?;
    if !document.is_object() {
        return Err(unusable("it is not a JSON object"));
    }
    Ok((key.to_owned(), document))
}
