//! From a call as a program writes it to an action and its arguments.
//!
//! Positional arguments come first, then at most one hash table with the others. A member that the table of functions does
//! not name never reaches an action: least of all one that names a file. It must not look at anything outside.

use std::borrow::Cow;
use std::path::{Component, Path};

use premath_kernel::{Object, Value};
use premath_repl::HostCall;

use super::denial::{ACTION_UNKNOWN, denied};
use super::functions::{HOST_CALL, ProgramFunction, named, of_action};
use crate::agent::RunRefused;
use crate::table::{ACTIONS, Door};

/// Members by which some action names a file.
const PATHS: [&str; 7] = ["featureLedger", "issues", "outcome", "output", "path", "source", "witness"];
/// Where instructions are, from the root of a repository.
const INSTRUCTIONS: [&str; 2] = ["instructions", ".premath/instructions"];

/// What a call asks for.
#[derive(Debug)]
pub(super) struct Resolved {
    /// The function behind it; none for an action that programs do not have
    pub(super) function: Option<&'static ProgramFunction>,
    /// The action
    pub(super) action: String,
    /// Its arguments
    pub(super) args: Value<'static>,
    /// Whether the program gets the whole envelope
    pub(super) is_whole: bool,
    /// Why the action is not called at all
    pub(super) refused: Option<RunRefused>,
}

/// Reads a call. `actor` is who takes work when the program names nobody.
pub(super) fn resolve(call: &HostCall, actor: &str) -> Resolved {
    if call.name == HOST_CALL {
        return resolve_by_action(call, actor);
    }
    let given = || Value::Array(call.arguments.clone());
    let Some(function) = named(&call.name) else {
        return refuse(&call.name, given(), unknown(&call.name));
    };
    let members = match members(function, &call.arguments) {
        Ok(members) => members,
        Err(why) => return Resolved { function: Some(function), ..refuse(function.action, given(), why) },
    };
    resolved(function, members, actor, false)
}

/// A call of which nothing is looked at but its name.
pub(super) fn unresolved(call: &HostCall, why: RunRefused) -> Resolved {
    let function = named(&call.name);
    let action = function.map_or(call.name.as_str(), |function| function.action);
    Resolved { function, ..refuse(action, Value::Array(Vec::new()), why) }
}

fn resolve_by_action(call: &HostCall, actor: &str) -> Resolved {
    let given = || Value::Array(call.arguments.clone());
    let Some(action) = call.arguments.first().and_then(Value::as_text) else {
        let why = invalid("`host-call` needs the name of an action, then one hash table".to_owned());
        return refuse(HOST_CALL, given(), why);
    };
    // No action has a longer name, and what a program made up is not repeated at length.
    let action = shortened(action);
    let members = match call.arguments.get(1) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Object(object)) => owned_members(object),
        Some(Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Array(_)) => {
            let why = invalid(format!("the arguments of `{action}` are one hash table"));
            return Resolved { is_whole: true, ..refuse(action, given(), why) };
        }
    };
    match of_action(action) {
        Some(function) => resolved(function, members, actor, true),
        None => {
            let args = object(members).unwrap_or(Value::Null);
            Resolved { is_whole: true, ..refuse(action, args, not_for_programs(action)) }
        }
    }
}

fn resolved(
    function: &'static ProgramFunction,
    mut members: Vec<(Cow<'static, str>, Value<'static>)>,
    actor: &str,
    is_whole: bool,
) -> Resolved {
    // Whoever takes work has a name; the program's own is that of whoever runs it.
    let takes_work = matches!(function.action, "issue.claim" | "issue.claim_next");
    if takes_work && !members.iter().any(|(name, _)| name == "assignee") {
        members.push((Cow::Borrowed("assignee"), Value::from(actor.to_owned())));
    }
    let refused = members.iter().find_map(|(name, value)| member_refused(function, name, value));
    let Some(args) = object(members) else {
        let why = invalid(format!("`{}` is given the same argument twice", function.name()));
        return Resolved { function: Some(function), is_whole, ..refuse(function.action, Value::Null, why) };
    };
    Resolved { function: Some(function), action: function.action.to_owned(), args, is_whole, refused }
}

/// The members that the arguments of a call name.
fn members(
    function: &ProgramFunction,
    arguments: &[Value<'static>],
) -> Result<Vec<(Cow<'static, str>, Value<'static>)>, RunRefused> {
    let (positional, table) = match arguments.split_last() {
        Some((Value::Object(table), before)) => (before, Some(table)),
        Some(_) | None => (arguments, None),
    };
    if positional.len() > function.positional.len() {
        let hint = "what else there is to say goes into one hash table, which comes last";
        let takes = function.positional.len();
        let what = format!("`{}` takes {takes} arguments before the hash table; {hint}", function.name());
        return Err(invalid(what));
    }
    let placed = function.positional.iter().zip(positional);
    let mut members: Vec<_> = placed.map(|(name, value)| (Cow::Borrowed(*name), value.clone())).collect();
    for (name, value) in table.map(owned_members).unwrap_or_default() {
        if members.iter().any(|(taken, _)| *taken == name) {
            let what = format!("`{}` is given `{}` twice", function.name(), shortened(&name).escape_debug());
            return Err(invalid(what));
        }
        members.push((name, value));
    }
    Ok(members)
}

fn owned_members(object: &Object<'static>) -> Vec<(Cow<'static, str>, Value<'static>)> {
    object.iter().map(|(name, value)| (Cow::Owned(name.to_owned()), value.clone())).collect()
}

fn object(members: Vec<(Cow<'static, str>, Value<'static>)>) -> Option<Value<'static>> {
    Object::from_members(members).ok().map(Value::Object)
}

/// Why a program may not name this member.
fn member_refused(function: &ProgramFunction, name: &str, value: &Value<'_>) -> Option<RunRefused> {
    if !function.takes(name) {
        return Some(if PATHS.contains(&name) {
            let detail = format!("a program names no file, and `{}` is given `{name}`", function.name());
            denied(detail, "leave it out: the repository's own is meant")
        } else {
            let known = [function.positional, function.named].concat().join(", ");
            invalid(format!(
                "`{}` takes no `{}`; it takes {known}",
                function.name(),
                shortened(name).escape_debug()
            ))
        });
    }
    let is_file = name == "path" && function.action.starts_with("instruction.");
    (is_file && !value.as_text().is_some_and(is_of_an_instruction)).then(|| {
        let hint = "instructions are in `instructions/` and `.premath/instructions/`";
        denied("a program names no file but that of an instruction", hint)
    })
}

/// Whether a path is one of an instruction as it is written, without a detour.
fn is_of_an_instruction(path: &str) -> bool {
    let path = Path::new(path.trim());
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    is_plain && INSTRUCTIONS.iter().any(|folder| path.parent() == Some(Path::new(folder)))
}

/// Why an action is none that programs have.
fn not_for_programs(action: &str) -> RunRefused {
    let shown = action.escape_debug();
    let Some(known) = ACTIONS.iter().find(|known| known.name == action) else { return unknown(action) };
    let detail = match known.door {
        Door::Effect => format!("`{shown}` reaches outside, and a program does not"),
        Door::Mutation | Door::Record => format!("`{shown}` is for people, not for programs"),
        Door::Read => format!("`{shown}` is not among the functions of programs"),
    };
    denied(detail, format!("`premath {}` is the command for it", known.command))
}

fn unknown(action: &str) -> RunRefused {
    let detail = format!("no action `{}`", shortened(action).escape_debug());
    let hint = "docs/reference/host-functions.md lists what there is".to_owned();
    RunRefused { class: ACTION_UNKNOWN.to_owned(), detail, hint }
}

/// The first letters of a name.
fn shortened(name: &str) -> &str {
    name.char_indices().nth(80).and_then(|(end, _)| name.get(..end)).unwrap_or(name)
}

fn invalid(what: String) -> RunRefused {
    let class = premath_wire::InputClass::FieldInvalid.code().to_owned();
    RunRefused { class, detail: what, hint: String::new() }
}

fn refuse(action: &str, args: Value<'static>, why: RunRefused) -> Resolved {
    Resolved { function: None, action: action.to_owned(), args, is_whole: false, refused: Some(why) }
}
