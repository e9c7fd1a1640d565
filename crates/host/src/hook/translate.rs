//! A call of another agent as the call of ours that would do the same, with its real arguments.
//!
//! What cannot be translated without guessing is denied. It must not leave out a part of what would be done: a path that rules
//! do not see is a path that they do not hold.

use premath_tusk::policy::{PolicyCode, PolicyError};
use premath_tusk::turn_loop::Touch;
use serde_json::{Map, Value, json};

use super::format::HookFormat;
use super::patch;
use super::places::Places;

/// A call as rules see it.
#[derive(Debug)]
pub(super) struct Translated {
    /// The tool, as rules name it.
    pub(super) tool: String,
    /// Its arguments.
    pub(super) arguments: Value,
    /// What it touches, from the workdir.
    pub(super) touched: Vec<(String, Touch)>,
    /// Whether it is one of ours.
    pub(super) is_ours: bool,
}

impl Translated {
    fn ours(tool: &str, arguments: Value, touched: Vec<(String, Touch)>) -> Self {
        Self { tool: tool.to_owned(), arguments, touched, is_ours: true }
    }
}

/// The call of ours that stands for one of another agent.
///
/// # Errors
/// Arguments that are missing, or a path that is not below the workdir.
pub(super) fn translate(
    format: HookFormat,
    tool: &str,
    input: &Value,
    places: &Places,
) -> Result<Translated, Box<PolicyError>> {
    match (format, tool) {
        (_, "Bash") => command(input, places),
        (HookFormat::ClaudeCode, "Read" | "NotebookRead") => look(input, places),
        (HookFormat::ClaudeCode, "LS") => {
            let path = folder(input, places)?;
            Ok(Translated::ours("fs_list", json!({ "path": path }), vec![(path, Touch::Look)]))
        }
        (HookFormat::ClaudeCode, "Glob") => search(input, places, "^", input.get("pattern")),
        (HookFormat::ClaudeCode, "Grep") => search(input, places, text(input, "pattern")?, input.get("glob")),
        (HookFormat::ClaudeCode, "Write" | "Edit" | "MultiEdit" | "NotebookEdit") => {
            edit(tool, input, places)
        }
        (HookFormat::Codex, "apply_patch") => apply(input, places),
        (HookFormat::Codex, "view_image") => {
            let path = places.below(text(input, "path")?)?;
            Ok(Translated::ours("fs_read", json!({ "path": path }), vec![(path, Touch::Look)]))
        }
        (HookFormat::ClaudeCode | HookFormat::Codex, _) => {
            let arguments = if input.is_object() { input.clone() } else { json!({ "input": input }) };
            Ok(Translated { tool: tool.to_owned(), arguments, touched: Vec::new(), is_ours: false })
        }
    }
}

fn text<'v>(input: &'v Value, key: &str) -> Result<&'v str, Box<PolicyError>> {
    let found = input.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    found.ok_or_else(|| unreadable(&format!("`{key}` is missing, or is no text")))
}

/// An optional text that must be one when it is there.
fn optional<'v>(input: &'v Value, key: &str) -> Result<Option<&'v str>, Box<PolicyError>> {
    match input.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => text(input, key).map(Some),
    }
}

fn unreadable(what: &str) -> Box<PolicyError> {
    let what = format!("the arguments cannot be read: {what}");
    Box::new(PolicyError::new(PolicyCode::Denied, "hook", what))
}

fn command(input: &Value, places: &Places) -> Result<Translated, Box<PolicyError>> {
    let workdir = match optional(input, "workdir")? {
        Some(workdir) => places.below(workdir)?,
        None => places.here()?,
    };
    let command = text(input, "command")?;
    let arguments = json!({ "command": command, "workdir": workdir });
    let mut touched = patched(command, places)?;
    touched.push((workdir, Touch::Change));
    Ok(Translated::ours("shell", arguments, touched))
}

fn look(input: &Value, places: &Places) -> Result<Translated, Box<PolicyError>> {
    let named = optional(input, "file_path")?.map_or_else(|| text(input, "notebook_path"), Ok)?;
    let path = places.below(named)?;
    let mut arguments = Map::new();
    for key in ["offset", "limit"] {
        if let Some(count) =
            input.get(key).and_then(Value::as_u64).filter(|count| (1..10_000_000).contains(count))
        {
            arguments.insert(key.to_owned(), count.into());
        }
    }
    arguments.insert("path".to_owned(), path.clone().into());
    Ok(Translated::ours("fs_read", Value::Object(arguments), vec![(path, Touch::Look)]))
}

fn folder(input: &Value, places: &Places) -> Result<String, Box<PolicyError>> {
    optional(input, "path")?.map_or_else(|| places.here(), |path| places.below(path))
}

fn search(
    input: &Value,
    places: &Places,
    pattern: &str,
    glob: Option<&Value>,
) -> Result<Translated, Box<PolicyError>> {
    let path = folder(input, places)?;
    let mut arguments = Map::new();
    arguments.insert("pattern".to_owned(), pattern.into());
    arguments.insert("path".to_owned(), path.clone().into());
    match glob {
        None | Some(Value::Null) => {}
        Some(Value::String(glob)) => {
            arguments.insert("glob".to_owned(), places.pattern(glob)?.into());
        }
        Some(_) => return Err(unreadable("the pattern is no text")),
    }
    Ok(Translated::ours("fs_search", Value::Object(arguments), vec![(path, Touch::Look)]))
}

fn edit(tool: &str, input: &Value, places: &Places) -> Result<Translated, Box<PolicyError>> {
    let key = if tool == "NotebookEdit" { "notebook_path" } else { "file_path" };
    let path = places.below(text(input, key)?)?;
    let wrong = || unreadable("an edit has no texts");
    let given = |key: &str| input.get(key).and_then(Value::as_str);
    let patch = match tool {
        "Write" => patch::written(&path, given("content").ok_or_else(wrong)?),
        "NotebookEdit" => patch::edited(&path, [("", given("new_source").unwrap_or_default())]),
        "MultiEdit" => {
            let edits = input.get("edits").and_then(Value::as_array).ok_or_else(wrong)?;
            let edits: Option<Vec<(&str, &str)>> = edits.iter().map(patch::texts).collect();
            patch::edited(&path, edits.filter(|edits| !edits.is_empty()).ok_or_else(wrong)?)
        }
        _ => patch::edited(&path, [patch::texts(input).ok_or_else(wrong)?]),
    };
    Ok(Translated::ours("apply_patch", json!({ "patch": patch }), vec![(path, Touch::Patch)]))
}

/// What begins the name of a file in a patch.
const HEADERS: [&str; 4] = ["*** Add File: ", "*** Delete File: ", "*** Update File: ", "*** Move to: "];

/// The name that a line of a patch has, and what stands before it.
fn header(line: &str) -> Option<(&'static str, &str)> {
    HEADERS.into_iter().find_map(|header| Some((header, line.strip_prefix(header)?.trim())))
}

/// A patch in our own form; only its paths may be spelt otherwise.
fn apply(input: &Value, places: &Places) -> Result<Translated, Box<PolicyError>> {
    let patch = [input.get("command"), input.get("patch"), input.get("input"), Some(input)];
    let patch = patch.into_iter().flatten().find_map(Value::as_str);
    let patch = patch.ok_or_else(|| unreadable("there is no patch"))?;
    let mut lines = Vec::new();
    for line in patch.split('\n') {
        match header(line) {
            Some((header, path)) => lines.push(format!("{header}{}", places.below(path)?)),
            None => lines.push(line.to_owned()),
        }
    }
    Ok(Translated::ours("apply_patch", json!({ "patch": lines.join("\n") }), Vec::new()))
}

/// The files of a patch that is handed over inside of a command, as models of Codex do.
fn patched(command: &str, places: &Places) -> Result<Vec<(String, Touch)>, Box<PolicyError>> {
    if !command.contains("*** Begin Patch") {
        return Ok(Vec::new());
    }
    let named = command.lines().filter_map(|line| header(line.trim_start()));
    named.map(|(_, path)| Ok((places.below(path)?, Touch::Change))).collect()
}

#[cfg(test)]
mod tests;
