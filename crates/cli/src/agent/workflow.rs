//! A workflow file: TOML as people write it, as the arguments of `run.start`.

use std::path::Path;

use premath_kernel::{Object, Value};
use premath_wire::strict::{Limits, parse};

use crate::error::CliError;
use crate::system;

/// The document that a file holds.
pub(crate) fn read(path: &Path) -> Result<Value<'static>, CliError> {
    let bytes = system::read_named(path, "name a workflow file; docs/reference/workflows.md says what is in one")?;
    let shown = path.display();
    let invalid = |what: String| {
        CliError::usage(format!("`{shown}` is not a workflow: {what}"), "see docs/reference/workflows.md")
    };
    let text = String::from_utf8(bytes).map_err(|_| invalid("it is not UTF-8".to_owned()))?;
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| invalid(one_line(&error.to_string())))?;
    let json = serde_json::to_vec(&table).map_err(|error| invalid(error.to_string()))?;
    let value = parse(&json, Limits::default()).map_err(|error| invalid(error.to_string()))?;
    match value.into_owned() {
        document @ Value::Object(_) => Ok(document),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Array(_) => {
            Ok(Object::fields().finish())
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
