//! The file that `--workflow` names, as the document that `run.start` takes. Must not judge it: the host does.

use std::path::Path;

use premath_kernel::Value;
use premath_wire::Json;
use toml::Table;

use crate::error::CliError;
use crate::system;

const HINT: &str = "what a workflow can say: docs/reference/workflows.md";

/// Reads a workflow. Files that it names as models are meant from where it is.
pub(super) fn read(path: &Path) -> Result<Value<'static>, CliError> {
    let name = path.display();
    let bytes = system::read_named(path, "--workflow takes a readable file")?;
    let text = String::from_utf8(bytes)
        .map_err(|_| CliError::usage(format!("`{name}` is not UTF-8"), "write it as UTF-8 text"))?;
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    document(&text, folder).map_err(|why| CliError::usage(format!("`{name}`: {why}"), HINT))
}

fn document(text: &str, folder: &Path) -> Result<Value<'static>, String> {
    let mut table: Table = text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        format!("line {line}: {}", error.message())
    })?;
    anchor(&mut table, folder);
    let json = serde_json::to_string(&table).map_err(|error| error.to_string())?;
    serde_json::from_str::<Json>(&json).map(|json| json.0).map_err(|error| error.to_string())
}

fn anchor(table: &mut Table, folder: &Path) {
    for (key, value) in table.iter_mut() {
        match value {
            toml::Value::String(text) if key == "model" => {
                if let Some((provider @ ("scripted" | "replay"), file)) = text.split_once(':') {
                    let path = folder.join(file);
                    // One name for a file, however it was reached: who judges is compared with who made it.
                    let path = path.strip_prefix(".").unwrap_or(&path);
                    *text = format!("{provider}:{}", path.display());
                }
            }
            toml::Value::Table(table) => anchor(table, folder),
            toml::Value::Array(values) => {
                values
                    .iter_mut()
                    .filter_map(toml::Value::as_table_mut)
                    .for_each(|table| anchor(table, folder));
            }
            toml::Value::String(_)
            | toml::Value::Integer(_)
            | toml::Value::Float(_)
            | toml::Value::Boolean(_)
            | toml::Value::Datetime(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
