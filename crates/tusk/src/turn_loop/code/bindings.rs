//! The tools of a run as functions of its programs: under which names, and how their arguments become a call's.
//!
//! A tool is bound under its own name and, where that has underscores, under the same with hyphens. One that programs may not
//! call is not bound. It must not validate arguments: the tool's schema does.

use std::collections::{BTreeMap, BTreeSet};

use premath_kernel::{Value, encode};
use premath_repl::{HostCall, HostFailure, HostFunction, Limits, Session};

use super::tool::SHAPE;
use crate::JsonText;
use crate::tools::{Caller, ToolSpec};

/// The tools that programs can call.
#[derive(Debug, Default)]
pub(crate) struct Bindings {
    tools: Vec<Binding>,
    /// Which tool a name of a program means.
    names: BTreeMap<String, usize>,
}

/// One tool.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) tool: String,
    /// What programs call it first of all.
    pub(crate) name: String,
    /// The arguments that have a place: those that are required, or else the only one that is a text.
    pub(crate) placed: Vec<String>,
    /// How many of them are required.
    pub(crate) least: usize,
    /// Whether what it gives back is the text of a file or a command, never a value.
    pub(crate) is_text: bool,
    /// Whether it runs a command, which gives back its code as well.
    pub(crate) is_command: bool,
}

/// Scopes of tools that give back what is in a file or what a command said.
const TEXT: [&str; 3] = ["files:", "process:", "refs:"];
/// The scope of tools that run commands.
const COMMANDS: &str = "process:";

impl Bindings {
    pub(crate) fn of<'s>(specs: impl IntoIterator<Item = &'s ToolSpec>) -> Self {
        let library = Session::new(Limits::default(), Vec::new()).map(|session| session.names());
        let mut taken: BTreeSet<String> = library.unwrap_or_default().into_iter().collect();
        let mut bindings = Self::default();
        for spec in specs.into_iter().filter(|spec| spec.allowed_callers.contains(&Caller::Code)) {
            let at = bindings.tools.len();
            let mut name = spec.name.clone();
            if !name.starts_with(|first: char| first.is_ascii_alphabetic()) || taken.contains(&name) {
                name = format!("tool-{name}");
            }
            for bound in [name.clone(), name.replace('_', "-")] {
                if taken.insert(bound.clone()) {
                    bindings.names.insert(bound, at);
                }
            }
            let (placed, least) = places(&spec.input_schema);
            bindings.tools.push(Binding {
                tool: spec.name.clone(),
                name,
                placed,
                least,
                is_text: TEXT.iter().any(|scope| spec.scope.starts_with(scope)),
                is_command: spec.scope.starts_with(COMMANDS),
            });
        }
        bindings
    }

    /// The functions, as a session takes them.
    pub(crate) fn functions(&self) -> Vec<HostFunction> {
        let function = |(name, at): (&String, &usize)| {
            let (least, most) = self.tools.get(*at).map_or((0, 0), |tool| (tool.least, tool.placed.len()));
            HostFunction::new(name, least.min(1), most.saturating_add(1))
        };
        self.names.iter().map(function).collect()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Binding> {
        self.tools.get(*self.names.get(name)?)
    }

    pub(crate) fn of_tool(&self, tool: &str) -> Option<&Binding> {
        self.tools.iter().find(|binding| binding.tool == tool)
    }

    /// The tool that a call names, and its arguments as one object.
    pub(crate) fn call(&self, call: &HostCall) -> Result<(&Binding, JsonText), HostFailure> {
        let binding = self.get(&call.name).ok_or_else(|| {
            misfit("tool.unknown_or_disallowed", format!("there is no function `{}`", call.name))
        })?;
        let members = members(binding, &call.arguments).ok_or_else(|| {
            let wanted: Vec<&str> =
                [call.name.as_str()].into_iter().chain(binding.placed.iter().map(String::as_str)).collect();
            let message = format!("it is called as ({}): {SHAPE}", wanted.join(" "));
            misfit("tool.schema_invalid", message)
        })?;
        let text = String::from_utf8_lossy(&encode(&members)).into_owned();
        let arguments =
            JsonText::new(text).map_err(|error| misfit("tool.schema_invalid", error.to_string()))?;
        Ok((binding, arguments))
    }
}

/// The arguments as one object: one table is all of them; else the required ones by position, and a table of others behind.
fn members(binding: &Binding, arguments: &[Value<'static>]) -> Option<Value<'static>> {
    if let [table @ Value::Object(_)] = arguments {
        return Some(table.clone());
    }
    let given = arguments.len().min(binding.placed.len());
    if given < binding.least {
        return None;
    }
    let (placed, rest) = arguments.split_at_checked(given)?;
    let mut members: BTreeMap<String, Value<'static>> = match rest {
        [] => BTreeMap::new(),
        [Value::Object(table)] => {
            table.iter().map(|(key, value)| (key.to_owned(), value.clone().into_owned())).collect()
        }
        _more => return None,
    };
    for (name, value) in binding.placed.iter().zip(placed) {
        // One that is given twice would be one of two, and nobody could say which.
        if members.insert(name.clone(), value.clone()).is_some() {
            return None;
        }
    }
    Some(object(members))
}

fn object(members: BTreeMap<String, Value<'static>>) -> Value<'static> {
    let members = members.into_iter().map(|(key, value)| (key.into(), value)).collect();
    premath_kernel::Object::from_members(members).map_or(Value::Null, Value::Object)
}

/// The members of a schema that have a place, and how many of them are required.
fn places(schema: &JsonText) -> (Vec<String>, usize) {
    let schema: serde_json::Value = serde_json::from_str(schema.as_str()).unwrap_or_default();
    let names = schema.get("required").and_then(serde_json::Value::as_array);
    let required: Vec<String> =
        names.into_iter().flatten().filter_map(|name| name.as_str().map(str::to_owned)).collect();
    if !required.is_empty() {
        let least = required.len();
        return (required, least);
    }
    let members = schema.get("properties").and_then(serde_json::Value::as_object).into_iter().flatten();
    let is_text =
        |member: &serde_json::Value| member.get("type").and_then(|kind| kind.as_str()) == Some("string");
    let mut texts: Vec<String> =
        members.filter(|(_, member)| is_text(member)).map(|(name, _)| name.clone()).collect();
    if texts.len() > 1 {
        texts.clear();
    }
    (texts, 0)
}

fn misfit(class: &str, message: String) -> HostFailure {
    HostFailure { class: class.to_owned(), message, retryable: false }
}
