//! What evidence says in one word: the digest of a command, and of the walls around it.

use std::path::Path;

use premath_kernel::{Digest, Number, Object, Value, hex, sha256};
use premath_tusk::sandbox::SandboxCommand;
use serde_json::Value as Json;

/// The digest of program, arguments, workdir, environment names and standard input.
pub(crate) fn of_command(command: &SandboxCommand, workdir: &Path) -> String {
    let mut names: Vec<&str> = command.environment.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    let workdir = workdir.to_string_lossy();
    let input = hex(&sha256(&command.stdin));
    let value: Value<'_> = Object::fields()
        .field("arguments", Value::text_list(command.arguments.iter().map(String::as_str)))
        .field("environment", Value::text_list(names))
        .field("input", input.as_str())
        .field("program", command.program.as_str())
        .field("workdir", workdir.as_ref())
        .finish();
    Digest::prefixed("cmd1_", &value).as_str().to_owned()
}

/// The digest of everything a profile came to.
pub(crate) fn of_profile(document: &Json) -> String {
    Digest::prefixed("sbx1_", &canonical(document)).as_str().to_owned()
}

/// The same document as a canonical value. A number without one canonical spelling is written out.
fn canonical(document: &Json) -> Value<'_> {
    match document {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => match number.as_u64().and_then(Number::unsigned) {
            Some(number) => Value::Number(number),
            None => Value::Text(number.to_string().into()),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::Array(items.iter().map(canonical).collect()),
        Json::Object(members) => {
            let members =
                members.iter().map(|(name, value)| (name.as_str().into(), canonical(value))).collect();
            // Names are unique already, or the document would not exist.
            Object::from_members(members).map_or(Value::Null, Value::Object)
        }
    }
}
