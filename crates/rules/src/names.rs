//! What a call names, as one text that a rule can match patterns against: sets of a rule language cannot be searched by
//! pattern.
//!
//! One name a line, lower case, each after exactly one slash: `/src/key.pem`. So `*/.env\n*` is a whole last part,
//! `*.pem\n*` an ending, `*/id_rsa*` a beginning.

use premath_tusk::policy::CallFacts;
use premath_tusk::tools::in_one_spelling;
use serde_json::Value;

/// Arguments that name files, whatever the tool.
const PATHS: [&str; 2] = ["path", "glob"];

/// The names of a call: of its targets, and what its arguments `path` and `glob` say.
pub(crate) fn names(call: &CallFacts<'_>) -> String {
    let mut text = String::new();
    for target in call.targets {
        push(&mut text, &target.id);
        if target.name != target.id {
            push(&mut text, &target.name);
        }
    }
    for argument in PATHS {
        if let Some(path) = call.arguments.get(argument).and_then(Value::as_str) {
            push(&mut text, path);
        }
    }
    text
}

fn push(text: &mut String, name: &str) {
    text.push_str(&in_one_spelling(name));
    text.push('\n');
}

#[cfg(test)]
mod tests;
