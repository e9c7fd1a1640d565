//! How a tool is called from a program, in a few lines for a model: its signature with the shapes of its arguments, what it does,
//! what it gives back, and one of its usage examples as a call.
//!
//! Everything is bounded. It must not show a call that the tool would not take: examples are the definition's own.

use serde_json::Value;

use super::bindings::{Binding, Bindings};
use crate::tools::{ToolKind, ToolSpec};

/// The most bytes of a signature, of what a tool does, and of what it gives back.
const SIGNATURE: usize = 1_000;
const DESCRIPTION: usize = 1_200;
const RETURNS: usize = 400;
/// The most bytes of an example; one that shows optional arguments is preferred when it is short.
const EXAMPLE: usize = 600;
const SHORT: usize = 200;
/// The most bytes of the functions of a run. Behind them a tool has its signature and a sentence.
const FUNCTIONS: usize = 32 << 10;
/// So deep are the shapes of arguments shown.
const DEEPEST: usize = 3;

/// The functions of these tools, as `bindings` bind them.
pub(crate) fn functions<'s>(
    bindings: &Bindings,
    tools: impl IntoIterator<Item = &'s ToolSpec>,
) -> Vec<String> {
    let mut room = FUNCTIONS;
    let entry = |spec: &ToolSpec| {
        let binding = bindings.of_tool(&spec.name)?;
        let whole = entry(spec, binding);
        let said = if whole.len() <= room { whole } else { brief(spec, binding) };
        room = room.saturating_sub(said.len());
        Some(said)
    };
    tools.into_iter().filter_map(entry).collect()
}

fn entry(spec: &ToolSpec, binding: &Binding) -> String {
    let mut text = format!(
        "{} ; {}\n  gives {}",
        signature(spec, binding),
        line(&spec.description, DESCRIPTION),
        line(&gives(spec, binding), RETURNS)
    );
    if let Some(example) = example(spec, binding) {
        text.push_str(&format!("\n  e.g. {example}"));
    }
    text
}

fn brief(spec: &ToolSpec, binding: &Binding) -> String {
    let said = spec.description.split('\n').next().unwrap_or_default();
    let said = said.split_once(". ").map_or(said, |(first, _)| first);
    format!("{} ; {}", signature(spec, binding), line(said, RETURNS))
}

/// A text on one line, cut where it is too long.
fn line(text: &str, most: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.len() <= most {
        return text;
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}…", text.get(..end).unwrap_or_default())
}

/// What a program gets: what the definition says of it, or what follows from its kind.
fn gives(spec: &ToolSpec, binding: &Binding) -> String {
    let said = if !spec.returns.is_empty() {
        spec.returns.as_str()
    } else if spec.kind == ToolKind::Intent {
        "a table {\"applied\": #f, \"intentDigest\": string}: it happens after the turn"
    } else if binding.is_command {
        "a table {\"exitCode\": integer, \"output\": string}"
    } else if binding.is_text {
        "a string"
    } else {
        "a string; a table or a list where it answers with JSON"
    };
    said.to_owned()
}

fn signature(spec: &ToolSpec, binding: &Binding) -> String {
    let schema: Value = serde_json::from_str(spec.input_schema.as_str()).unwrap_or_default();
    let members = schema.get("properties").and_then(Value::as_object);
    let (needed, optional) = binding.placed.split_at_checked(binding.least).unwrap_or((&binding.placed, &[]));
    let shown = |name: &String| named(name, members.and_then(|members| members.get(name)), 0);
    let mut parts = vec![binding.name.clone()];
    parts.extend(needed.iter().map(shown));
    let others = members.into_iter().flat_map(|members| members.keys());
    let others = others.filter(|name| !binding.placed.contains(name));
    let others: Vec<String> = optional.iter().chain(others).map(shown).collect();
    if !others.is_empty() {
        parts.push(format!("[{}]", others.join(" ")));
    }
    line(&format!("({})", parts.join(" ")), SIGNATURE)
}

fn named(name: &str, member: Option<&Value>, depth: usize) -> String {
    match member.map(|member| kind(member, depth)) {
        Some(kind) if !kind.is_empty() => format!("{name}:{kind}"),
        Some(_) | None => name.to_owned(),
    }
}

/// What a member may be: a word, the words it is one of, or the shape of what is in it.
fn kind(member: &Value, depth: usize) -> String {
    if let Some(choices) = member.get("enum").and_then(Value::as_array) {
        return choices.iter().map(ToString::to_string).collect::<Vec<_>>().join("|");
    }
    let word = match member.get("type") {
        Some(Value::Array(words)) => {
            return words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|");
        }
        Some(word) => word.as_str().unwrap_or_default(),
        None => "",
    };
    if depth >= DEEPEST {
        return word.to_owned();
    }
    match word {
        "array" => match member.get("items").map(|items| kind(items, depth + 1)) {
            Some(items) if !items.is_empty() => format!("list({items})"),
            Some(_) | None => "list".to_owned(),
        },
        "object" => table(member, depth),
        word => word.to_owned(),
    }
}

fn table(member: &Value, depth: usize) -> String {
    let required: Vec<&str> = member
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let members = member.get("properties").and_then(Value::as_object);
    if let Some(members) = members.filter(|members| !members.is_empty()) {
        let shown = |(name, member): (&String, &Value)| {
            let is_optional = if required.contains(&name.as_str()) { "" } else { "?" };
            named(&format!("{name}{is_optional}"), Some(member), depth + 1)
        };
        return format!("{{{}}}", members.iter().map(shown).collect::<Vec<_>>().join(" "));
    }
    match member.get("additionalProperties").filter(|other| other.is_object()) {
        Some(other) => format!("{{…:{}}}", kind(other, depth + 1)),
        None => "table".to_owned(),
    }
}

/// One of the tool's examples as a call: a short one that shows optional arguments, else the first that is not too long.
fn example(spec: &ToolSpec, binding: &Binding) -> Option<String> {
    let calls: Vec<(String, bool)> = spec
        .examples
        .iter()
        .filter_map(|example| serde_json::from_str(example.as_str()).ok())
        .filter_map(|example: Value| call(binding, example.as_object()?))
        .filter(|(text, _)| text.len() <= EXAMPLE)
        .collect();
    let telling = calls.iter().find(|(text, has_table)| *has_table && text.len() <= SHORT);
    telling.or_else(|| calls.first()).map(|(text, _)| text.clone())
}

/// A call with these arguments, and whether some of them are in a table.
fn call(binding: &Binding, arguments: &serde_json::Map<String, Value>) -> Option<(String, bool)> {
    let placed: Vec<&Value> = binding.placed.iter().map_while(|name| arguments.get(name)).collect();
    if placed.len() < binding.least {
        return None;
    }
    // One table alone is all of the arguments, so that one that is the only argument has to be in another.
    let is_alone = matches!(placed.as_slice(), [Value::Object(_)]) && arguments.len() == 1;
    let placed = if is_alone { Vec::new() } else { placed };
    let names = binding.placed.get(..placed.len()).unwrap_or_default();
    let rest: Vec<(&String, &Value)> = arguments.iter().filter(|(name, _)| !names.contains(name)).collect();
    let mut parts = vec![binding.name.clone()];
    parts.extend(placed.into_iter().map(written));
    if !rest.is_empty() {
        parts.push(pairs(rest.iter().copied()));
    }
    Some((format!("({})", parts.join(" ")), !rest.is_empty()))
}

fn pairs<'v>(members: impl Iterator<Item = (&'v String, &'v Value)>) -> String {
    let pairs: Vec<String> =
        members.map(|(name, value)| format!("{} {}", quoted(name), written(value))).collect();
    format!("(hash-table {})", pairs.join(" ")).replace("(hash-table )", "(hash-table)")
}

/// A value as an expression.
fn written(value: &Value) -> String {
    match value {
        Value::Null => "'null".to_owned(),
        Value::Bool(true) => "#t".to_owned(),
        Value::Bool(false) => "#f".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) if items.is_empty() => "'()".to_owned(),
        Value::Array(items) => format!("(list {})", items.iter().map(written).collect::<Vec<_>>().join(" ")),
        Value::Object(members) => pairs(members.iter()),
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
