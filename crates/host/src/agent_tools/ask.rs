//! Tools that ask for a change of issue memory: the arguments are read as the action reads them, and an intent comes out.
//!
//! They change nothing. Whether the change will be made is decided when the turn is closed, and again by the store.

mod definitions;

use std::sync::Arc;

use premath_bd::issues::{Holder, IssueDraft, Operation};
use premath_tusk::tools::{
    Arguments, PendingIntent, Risk, SpecError, Tool, ToolContext, ToolFailure, ToolKind, ToolOutput, ToolSpec,
};
use premath_wire::strict::{Limits, parse};

pub(super) use self::definitions::DEFINITIONS;

use super::describe::described;
use super::failure::failure;
use super::shut::Reader;
use crate::actions::issue::{Plan, invalid};
use crate::table::ActionError;

/// A tool that asks.
#[derive(Debug)]
pub(super) struct Definition {
    /// The action it asks for.
    action: &'static str,
    /// How the action reads its arguments.
    plan: Plan,
    /// What must be granted.
    scope: &'static str,
    risk: Risk,
    /// What it does, for the model.
    description: &'static str,
    /// The schema of its arguments.
    schema: &'static str,
    /// Arguments as they are meant to be given.
    examples: &'static [&'static str],
    /// Whether it is offered only after a search found it.
    is_deferred: bool,
}

/// Asks for a change of issue memory.
#[derive(Debug)]
pub(super) struct AskTool {
    spec: ToolSpec,
    plan: Plan,
    reader: Arc<Reader>,
    holder: Arc<Option<(String, Holder)>>,
}

impl AskTool {
    pub(super) fn new(
        definition: &'static Definition,
        reader: Arc<Reader>,
        holder: Arc<Option<(String, Holder)>>,
    ) -> Result<Self, SpecError> {
        let name = definition.action.replace('.', "_");
        let (description, schema) = (definition.description, definition.schema);
        let mut spec = ToolSpec::new(&name, definition.scope, description, schema, definition.examples)?;
        spec.kind = ToolKind::Intent;
        spec.risk = definition.risk;
        spec.defer_loading = definition.is_deferred && reader.workspace().settings.tools.defer();
        Ok(Self { spec, plan: definition.plan, reader, holder })
    }

    fn planned(&self, arguments: &Arguments) -> Result<Operation, ActionError> {
        let text = arguments.value().to_string();
        let asked = parse(text.as_bytes(), Limits::default())?;
        let planned = (self.plan)(&self.reader.workspace().settings, &asked)?;
        match planned.issues {
            None => Ok(planned.operation),
            Some(_) => Err(invalid("a tool works on the repository's issue memory only", "issues").into()),
        }
    }
}

impl Tool for AskTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        context.go_on()?;
        let operation = self.planned(arguments).map_err(failure)?;
        self.reader.must_exist(&named(&operation, arguments))?;
        let operation = held(operation, self.holder.as_ref().as_ref());
        let note = described(&operation);
        let targets = self.reader.issue_targets(&operation)?;
        let intent = PendingIntent { targets, ..operation.into() };
        Ok(ToolOutput { note, intent: Some(intent), ..ToolOutput::default() })
    }

    /// The issues it is about, by title: an id says nothing to a person.
    fn preview(&self, arguments: &Arguments, _: &ToolContext<'_>) -> Result<Option<String>, ToolFailure> {
        let operation = self.planned(arguments).map_err(failure)?;
        let titles = self.reader.titles(&named(&operation, arguments))?;
        let line = |(id, title): (String, String)| {
            format!("issue {}: {}\n", id.escape_debug(), title.escape_debug())
        };
        Ok(Some(titles.into_iter().map(line).collect::<String>()).filter(|text| !text.is_empty()))
    }
}

/// The issues that must be there, each with the pointer to the argument that names it.
fn named<'o>(operation: &'o Operation, arguments: &Arguments) -> Vec<(String, &'o str)> {
    let one = |name: &str, id: &'o String| (format!("/{name}"), id.as_str());
    match operation {
        Operation::Add { draft, .. } => targets(draft, arguments),
        Operation::Discover { parent, draft, .. } => {
            let mut named = vec![one("parentIssue", parent)];
            named.extend(targets(draft, arguments));
            named
        }
        Operation::DependencyAdd { id, depends_on, .. } => vec![one("id", id), one("dependsOn", depends_on)],
        Operation::Update { id, .. }
        | Operation::Claim { id, .. }
        | Operation::LeaseRenew { id, .. }
        | Operation::LeaseRelease { id, .. }
        // A dependency on nothing is there to be taken away.
        | Operation::DependencyRemove { id, .. }
        | Operation::DependencyReplace { id, .. } => vec![one("id", id)],
        Operation::ClaimNext { .. } => Vec::new(),
    }
}

fn targets<'o>(draft: &'o IssueDraft, arguments: &Arguments) -> Vec<(String, &'o str)> {
    let parent = arguments.text("parent").map(str::trim);
    let pointer = |id: &str| if parent == Some(id) { "/parent" } else { "/dependsOn" };
    draft.dependencies.iter().map(|(_, id)| (pointer(id).to_owned(), id.as_str())).collect()
}

/// The operation as the run may ask for it: with the lease that it holds on its issue, and with none on any other.
fn held(mut operation: Operation, held: Option<&(String, Holder)>) -> Operation {
    let (id, holder) = match &mut operation {
        Operation::Update { id, holder, .. }
        | Operation::LeaseRenew { id, holder, .. }
        | Operation::LeaseRelease { id, holder }
        | Operation::DependencyAdd { id, holder, .. }
        | Operation::DependencyRemove { id, holder, .. }
        | Operation::DependencyReplace { id, holder, .. } => (id, holder),
        Operation::Add { .. }
        | Operation::Discover { .. }
        | Operation::Claim { .. }
        | Operation::ClaimNext { .. } => return operation,
    };
    // Whatever the arguments show is not proof: a model can write any name.
    *holder = held.filter(|(issue, _)| issue == id).map(|(_, shown)| shown.clone()).unwrap_or_default();
    operation
}
