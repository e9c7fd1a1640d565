//! The tools: one for every action that is not left out, made once.
//!
//! Names, schemas and hints come from the table. It must not offer an action that [`LEFT_OUT`](crate::LEFT_OUT) names.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use premath_host::{ACTIONS, Action, Door};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value};

use crate::left_out::LEFT_OUT;
use crate::schemas::{hidden, input, output};

/// Mutations and records that take something away or put something in its place.
const REPLACING: [&str; 7] = [
    "dep.remove",
    "dep.replace",
    "harness.feature.write",
    "harness.session.write",
    "issue.lease_release",
    "issue.update",
    "scheme.eval",
];
/// What comes to the same when it is asked for twice.
const REPEATABLE: [&str; 6] = [
    "harness.feature.write",
    "harness.session.write",
    "issue.lease_renew",
    "issue.update",
    "observe.build",
    "required.witness.decide",
];
/// One tool.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The action behind it.
    pub(crate) action: &'static Action,
    /// Whether a call names an instruction.
    pub(crate) is_linked: bool,
    input: Arc<Map<String, Value>>,
    /// Made when somebody asks: most of a start would be schemas of answers.
    tool: OnceLock<Tool>,
}

impl Entry {
    /// Whether the tool takes a member of that name.
    pub(crate) fn takes(&self, member: &str) -> bool {
        let properties = self.input.get("properties").and_then(Value::as_object);
        properties.is_some_and(|properties| properties.contains_key(member))
    }

    /// What clients are told.
    pub(crate) fn tool(&self) -> &Tool {
        self.tool.get_or_init(|| {
            let description = sentence(self.action.summary);
            Tool::new(tool_name(self.action.name), description, Arc::clone(&self.input))
                .with_raw_output_schema(Arc::new(output(self.action)))
                .with_annotations(annotations(self.action))
        })
    }
}

/// Every tool, by its name.
#[derive(Debug)]
pub(crate) struct Catalogue(BTreeMap<String, Entry>);

impl Catalogue {
    /// The chosen tools over the table.
    pub(crate) fn new(chosen: &ToolChoice) -> Self {
        let wanted = actions().filter(|action| chosen.has(&tool_name(action.name)));
        Self(wanted.map(|action| (tool_name(action.name), entry(action))).collect())
    }

    /// The tool of that name.
    pub(crate) fn find(&self, name: &str) -> Option<&Entry> {
        self.0.get(name)
    }

    /// All of them, sorted.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        self.0.values().map(|entry| entry.tool().clone()).collect()
    }
}

/// Which tools clients are offered: a model that sees a hundred chooses worse among them, and some clients take no more than
/// forty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolChoice(Option<Vec<String>>);

impl ToolChoice {
    /// The tools with these names, and every tool of a family (`issue` for `issue_ready` and the others); all tools without
    /// a name.
    ///
    /// # Errors
    /// A name that is no tool and no family.
    pub fn of(names: &[String]) -> Result<Self, String> {
        let choice = Self((!names.is_empty()).then(|| names.to_vec()));
        let is_known = |name: &str| actions().any(|action| is_in(&tool_name(action.name), name));
        match names.iter().find(|name| !is_known(name)) {
            Some(unknown) => Err(unknown.clone()),
            None => Ok(choice),
        }
    }

    /// Every family, sorted.
    #[must_use]
    pub fn families() -> Vec<&'static str> {
        let mut families: Vec<_> = actions().filter_map(|action| action.name.split('.').next()).collect();
        families.dedup();
        families
    }

    fn has(&self, tool: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.iter().any(|name| is_in(tool, name)))
    }
}

/// Whether a tool is that one, or of that family.
fn is_in(tool: &str, name: &str) -> bool {
    tool.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

/// The actions that are tools.
fn actions() -> impl Iterator<Item = &'static Action> {
    ACTIONS.iter().filter(|action| LEFT_OUT.iter().all(|(name, _)| *name != action.name))
}

/// An action that is a tool, for another door with the same rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedAction {
    /// Which.
    pub action: &'static str,
    /// Whether a call names an instruction.
    pub is_linked: bool,
    /// Arguments that clients do not name.
    pub hidden: Vec<&'static str>,
}

/// Every action that is a tool.
#[must_use]
pub fn offered() -> Vec<OfferedAction> {
    actions()
        .map(|action| OfferedAction {
            action: action.name,
            is_linked: is_linked(action),
            hidden: hidden(action),
        })
        .collect()
}

/// What the tool over an action is called.
pub(crate) fn tool_name(action: &str) -> String {
    action.replace('.', "_")
}

/// Whether calls of an action name an instruction: those that change something, and those that write something down.
fn is_linked(action: &Action) -> bool {
    match action.door {
        // What runs an instruction is itself what others are linked to; a program names its own.
        Door::Mutation => !["instruction.run", "scheme.eval"].contains(&action.name),
        // What is derived can be built again by anybody.
        Door::Record => action.name.starts_with("harness."),
        Door::Read | Door::Effect => false,
    }
}

fn entry(action: &'static Action) -> Entry {
    let is_linked = is_linked(action);
    Entry { action, is_linked, input: Arc::new(input(action, is_linked)), tool: OnceLock::new() }
}

fn annotations(action: &Action) -> ToolAnnotations {
    let hints = ToolAnnotations::new().open_world(false);
    match action.door {
        Door::Read => hints.read_only(true),
        Door::Record | Door::Mutation | Door::Effect => {
            let hints = hints.read_only(false).destructive(REPLACING.contains(&action.name));
            // That something cannot be repeated is what is taken for granted.
            if REPEATABLE.contains(&action.name) { hints.idempotent(true) } else { hints }
        }
    }
}

/// A line of the table as a sentence.
fn sentence(line: &str) -> String {
    let mut letters = line.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().collect::<String>()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

#[cfg(test)]
mod tests;
