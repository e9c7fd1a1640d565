//! Tools that look at issue memory: an action is called, its answer written for a model.

mod definitions;

use std::sync::Arc;

use premath_tusk::tools::{
    Arguments, Extent, SpecError, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec,
};
use premath_wire::strict::{Limits, parse};
use serde_json::Value;

pub(super) use self::definitions::DEFINITIONS;

use super::failure::failure;
use super::lines::{Lines, Page};
use super::shut::Reader;
use crate::table::ActionError;

/// How an answer is written.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rendering {
    /// One thing a line; `limit` things, of which the first `offset` are skipped.
    Listing(Lines),
    /// One thing a line; the first `offset` lines are skipped.
    Report(Lines),
    /// The document itself, from the byte `offset` on.
    Document,
}

/// A tool that looks.
#[derive(Debug)]
pub(super) struct Definition {
    /// The action it calls.
    action: &'static str,
    /// What must be granted.
    scope: &'static str,
    /// What it does, for the model.
    description: &'static str,
    /// What a program gets of it.
    returns: &'static str,
    /// The schema of its arguments.
    schema: &'static str,
    /// Arguments as they are meant to be given.
    examples: &'static [&'static str],
    /// Whether it is offered only after a search found it.
    is_deferred: bool,
    /// The argument that names an issue.
    names: Option<&'static str>,
    /// How much is asked for when nobody says; none for an action that takes no limit.
    limit: Option<u64>,
    rendering: Rendering,
}

/// Looks at issue memory.
#[derive(Debug)]
pub(super) struct ReadTool {
    spec: ToolSpec,
    definition: &'static Definition,
    reader: Arc<Reader>,
}

impl ReadTool {
    pub(super) fn new(definition: &'static Definition, reader: Arc<Reader>) -> Result<Self, SpecError> {
        let name = definition.action.replace('.', "_");
        let (description, schema) = (definition.description, definition.schema);
        let mut spec = ToolSpec::new(&name, definition.scope, description, schema, definition.examples)?;
        definition.returns.clone_into(&mut spec.returns);
        spec.defer_loading = definition.is_deferred && reader.workspace().settings.tools.defer();
        Ok(Self { spec, definition, reader })
    }

    /// The answer of the action, which is never told of `offset`: that is about what we make of the answer.
    fn answer(&self, arguments: &Arguments, offset: u64) -> Result<Value, ToolFailure> {
        let mut members = arguments.value().as_object().cloned().unwrap_or_default();
        members.remove("offset");
        if let Some(default) = self.definition.limit {
            let limit = arguments.count("limit").unwrap_or(default);
            let limit = match self.definition.rendering {
                Rendering::Listing(_) => limit.saturating_add(offset),
                Rendering::Report(_) | Rendering::Document => limit,
            };
            members.insert("limit".to_owned(), limit.into());
        }
        let text = Value::Object(members).to_string();
        let asked = parse(text.as_bytes(), Limits::default()).map_err(ActionError::from).map_err(failure)?;
        let effect = self.reader.host().call(self.definition.action, &asked).map_err(failure)?;
        serde_json::from_str(effect.payload.get())
            .map_err(|source| failure(ActionError::Unwritable { source }))
    }
}

impl Tool for ReadTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        context.go_on()?;
        if let Some(name) = self.definition.names
            && let Some(id) = arguments.text(name).map(str::trim)
        {
            self.reader.must_exist(&[(format!("/{name}"), id)])?;
        }
        let offset = arguments.count("offset").unwrap_or(0);
        let answer = self.answer(arguments, offset)?;
        if context.reader == premath_tusk::tools::Reader::Program {
            return value(answer, offset, context.budget);
        }
        match self.definition.rendering {
            Rendering::Listing(lines) | Rendering::Report(lines) => {
                Ok(paged(&answer, lines, Page::new(context.budget, offset)))
            }
            Rendering::Document => document(&self.spec.name, arguments, answer, offset, context.budget),
        }
    }
}

/// An answer as a program takes it: one value, whole or not at all.
fn value(mut answer: Value, offset: u64, budget: usize) -> Result<ToolOutput, ToolFailure> {
    if let Some(members) = answer.as_object_mut() {
        members.remove("action");
        members.remove("issuesPath");
        if let Some(items) = members.get_mut("items").and_then(Value::as_array_mut) {
            items.drain(..usize::try_from(offset).unwrap_or(usize::MAX).min(items.len()));
        }
    }
    let content = answer.to_string();
    if content.len() > budget {
        let message =
            format!("the answer has {} bytes, and {budget} fit; ask for fewer with limit", content.len());
        return Err(ToolFailure::new("issues.too_long", message));
    }
    let bytes = length(content.len());
    let extent = Extent { total_bytes: bytes, shown_bytes: bytes, replaced_bytes: 0, is_cut: false };
    Ok(ToolOutput { content, extent, ..ToolOutput::default() })
}

fn paged(answer: &Value, lines: Lines, mut page: Page) -> ToolOutput {
    let notes = lines(answer, &mut page);
    let (content, total_bytes, is_cut) = page.into_parts();
    let shown_bytes = length(content.len());
    let extent = Extent { total_bytes, shown_bytes, replaced_bytes: 0, is_cut };
    ToolOutput { content, note: notes.join("; "), extent, ..ToolOutput::default() }
}

/// A document as it is, without what is about the machine and not about the issue.
fn document(
    tool: &str,
    arguments: &Arguments,
    mut answer: Value,
    offset: u64,
    budget: usize,
) -> Result<ToolOutput, ToolFailure> {
    if let Some(members) = answer.as_object_mut() {
        members.remove("action");
        members.remove("issuesPath");
    }
    let text = serde_json::to_string_pretty(&answer)
        .map_err(|source| failure(ActionError::Unwritable { source }))?;
    let (total, start) = (text.len(), usize::try_from(offset).unwrap_or(usize::MAX));
    if start > total {
        let mut failure = ToolFailure::new("issues.range", format!("the answer has {total} bytes"));
        failure.pointers.push("/offset".to_owned());
        return Err(failure);
    }
    let start = (0..=start).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let most = start.saturating_add(budget).min(total);
    let end = (start..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(start);
    let content = text.get(start..end).unwrap_or_default().to_owned();
    let mut note = String::new();
    if start > 0 || end < total {
        note = format!("bytes {start} to {end} of {total}");
    }
    if end < total {
        let mut next = arguments.value().clone();
        if let Some(members) = next.as_object_mut() {
            members.insert("offset".to_owned(), end.into());
        }
        note.push_str(&format!("; read on with {tool} {next}"));
    }
    let (total_bytes, shown_bytes) = (length(total), length(content.len()));
    let extent = Extent { total_bytes, shown_bytes, replaced_bytes: 0, is_cut: end < total };
    Ok(ToolOutput { content, note, extent, ..ToolOutput::default() })
}

fn length(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
