//! What a call names, as one text that a rule can match patterns against: sets of a rule language cannot be searched by
//! pattern.
//!
//! One name a line, lower case, each after exactly one slash: `/src/key.pem`. So `*/.env\n*` is a whole last part,
//! `*.pem\n*` an ending, `*/id_rsa*` a beginning.

use premath_tusk::policy::CallFacts;
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

/// In the one spelling: another way to write a path must not be a way around a rule.
fn push(text: &mut String, name: &str) {
    let mut parts: Vec<&str> = Vec::new();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    for part in parts {
        text.push('/');
        // A line break in a name would begin another name.
        text.extend(part.chars().flat_map(char::to_lowercase).map(|letter| match letter {
            '\n' | '\r' => ' ',
            letter => letter,
        }));
    }
    text.push('\n');
}

#[cfg(test)]
mod tests;
