//! Every action has its command and its schema, and the committed schemas are what the types say.

use premath_wire::v1::{SCHEMA_NAMES, schema};

use super::places::{bytes, files, line_of, text};
use super::shown::CommandShape;
use super::{CoherenceClass, Found};
use crate::table::{ACTIONS, ActionError};
use crate::workspace::Workspace;

const TABLE: &str = "crates/host/src/table/entries.rs";
/// What answers with a schema has none of its own.
const OF_SCHEMAS: &str = "json-schema";

pub(super) fn check(
    workspace: &Workspace,
    commands: &[CommandShape],
    found: &mut Found,
) -> Result<(), ActionError> {
    let table = text(workspace, TABLE)?.unwrap_or_default();
    found.count("actions", ACTIONS.len());
    for action in ACTIONS {
        let line = line_of(&table, &format!("name: \"{}\"", action.name));
        if !commands.iter().any(|command| command.path == action.command) {
            let detail = format!("`{}` has no command `premath {}`", action.name, action.command);
            found.problem(CoherenceClass::ActionCommandMissing, TABLE, line, detail);
        }
        let name = action.output_schema;
        if name != OF_SCHEMAS && bytes(workspace, &format!("schemas/{name}.json"))?.is_none() {
            let detail =
                format!("`{}` answers in `{name}`, and schemas/{name}.json is not there", action.name);
            found.problem(CoherenceClass::ActionSchemaMissing, TABLE, line, detail);
        }
    }
    schemas(workspace, found)
}

fn schemas(workspace: &Workspace, found: &mut Found) -> Result<(), ActionError> {
    found.count("schemas", SCHEMA_NAMES.len());
    for name in SCHEMA_NAMES {
        let file = format!("schemas/{name}.json");
        let committed = bytes(workspace, &file)?;
        let committed: Option<serde_json::Value> =
            committed.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if committed != schema(name).map(schemars::Schema::to_value) {
            let detail = "it is not what the types say".to_owned();
            found.problem(CoherenceClass::SchemaStale, &file, None, detail);
        }
    }
    for file in files(workspace, "schemas", ".json")? {
        if !SCHEMA_NAMES.iter().any(|name| file == format!("schemas/{name}.json")) {
            let detail = "nobody generates it".to_owned();
            found.problem(CoherenceClass::SchemaStale, &file, None, detail);
        }
    }
    Ok(())
}
