//! What a client shows once a change is made: carried with the answer, acted on by whoever has a screen. Data only.

use premath_bd::desk::{Item, Operation};
use serde_json::{Value, json};

/// The effects of a change on what is open.
pub(super) fn effects(operation: &Operation, item: &Item) -> Vec<Value> {
    let (id, name) = (item.id(), item.name());
    let refresh_file = || json!({"effect": "refresh_file", "fileId": id});
    let explorer = || json!({"effect": "refresh_explorer"});
    let indicator = |state: &str| json!({"effect": "tab_indicator", "fileId": id, "state": state});
    let notify = |text: String| json!({"effect": "notify", "level": "info", "text": text});
    match operation {
        // The id is given when the file is made; the client opens what the explorer then shows as new.
        Operation::CreateMarkdown { .. } | Operation::CreateSpreadsheet { .. } => vec![
            explorer(),
            json!({"effect": "open_panel", "name": name}),
            json!({"effect": "tab_indicator", "name": name, "state": "created"}),
            notify(format!("{name} was created")),
        ],
        Operation::UpdateMarkdown { .. } => vec![refresh_file(), indicator("modified")],
        Operation::UpdateCells { updates, .. } => {
            let first = updates.first().map(|update| update.cell.as_str()).unwrap_or_default();
            let scroll = json!({"effect": "scroll_to", "fileId": id, "cell": first});
            vec![refresh_file(), indicator("modified"), scroll]
        }
        Operation::RenameFile { .. } => vec![explorer(), refresh_file(), indicator("modified")],
        Operation::DeleteFile { .. } => {
            vec![explorer(), indicator("deleted"), notify(format!("{name} was deleted and can be restored"))]
        }
        Operation::CreateFolder { .. } | Operation::DeleteFolder { .. } | Operation::RestoreFolder { .. } => {
            vec![explorer()]
        }
        Operation::RestoreFile { .. } => vec![explorer(), refresh_file()],
    }
}
