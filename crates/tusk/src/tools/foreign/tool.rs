//! A tool of another server, as a run calls it: through every layer that a tool of ours goes through, held to its pin.
//!
//! Its answer is other people's words. It must not be called with another definition than the one that was approved.

use std::sync::Arc;

use premath_bd::desk::{FOREIGN_ARGUMENT, FOREIGN_TOOL};
use premath_kernel::Digest;

use super::admission::Admitted;
use super::port::{ForeignAnswer, ForeignCall, ForeignTools};
use crate::policy::{Origin, Target};
use crate::tools::clip::{head, length};
use crate::tools::{
    Aftermath, Arguments, Extent, Reader, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec,
};

/// A tool of another server.
#[derive(Debug)]
pub struct ForeignTool {
    spec: ToolSpec,
    server: String,
    tool: String,
    pin: Digest,
    /// The arguments that say what a call acts on.
    targets: Vec<String>,
    port: Arc<dyn ForeignTools>,
}

impl ForeignTool {
    /// A tool that was admitted.
    #[must_use]
    pub fn new(server: &str, admitted: Admitted, port: Arc<dyn ForeignTools>) -> Self {
        let Admitted { spec, tool, pin, targets } = admitted;
        Self { spec, server: server.to_owned(), tool, pin, targets, port }
    }
}

impl Tool for ForeignTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// The values of the arguments that the configuration declares. Without a declaration, and where a call lacks a declared
    /// argument, only the tool is known, and a yes for such a call goes no further than the call.
    fn targets(&self, arguments: &Arguments, _: &ToolContext<'_>) -> Result<Vec<Target>, ToolFailure> {
        let named = self.targets.iter().map(|name| Some((name, arguments.value().get(name)?)));
        let Some(named) = named.collect::<Option<Vec<_>>>().filter(|named| !named.is_empty()) else {
            let id = format!("{}/{}", self.server, self.tool);
            return Ok(vec![Target {
                kind: FOREIGN_TOOL.to_owned(),
                name: id.clone(),
                id,
                origin: Origin::Person,
            }]);
        };
        let target = |(name, value): (&String, &serde_json::Value)| {
            let text = value.to_string();
            Target {
                kind: FOREIGN_ARGUMENT.to_owned(),
                id: format!("{name}={text}"),
                name: value.as_str().map_or(text, str::to_owned),
                origin: Origin::Person,
            }
        };
        Ok(named.into_iter().map(target).collect())
    }

    fn call(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        context.go_on()?;
        let answer = self.port.call(&ForeignCall {
            server: &self.server,
            tool: &self.tool,
            arguments: arguments.value(),
            pin: &self.pin,
            deadline: None,
            output_bytes: None,
            interrupt: context.interrupt,
        })?;
        let (words, total) = words(&answer, context.reader);
        let content = head(&words, context.capture).to_owned();
        if answer.is_error {
            let failure = ToolFailure::new("mcp.tool_failed", "the tool says that the call failed");
            return Err(failure.with_aftermath(Aftermath { content, ..Aftermath::default() }));
        }
        if answer.lost_structured_bytes > 0 && matches!(context.reader, Reader::Program) {
            let lost = answer.lost_structured_bytes;
            let why =
                format!("{lost} bytes of structured content are more than is kept; ask for less at once");
            return Err(ToolFailure::new("mcp.answer_too_large", why));
        }
        let shown = length(content.len());
        let extent =
            Extent { total_bytes: total, shown_bytes: shown, replaced_bytes: 0, is_cut: total > shown };
        Ok(ToolOutput { note: note(&answer, &extent), content, extent, ..ToolOutput::default() })
    }
}

/// What is shown of an answer, and how much there is of it. A program computes on what is structured.
fn words(answer: &ForeignAnswer, reader: Reader) -> (String, u64) {
    match (&answer.structured, reader) {
        (Some(structured), Reader::Program) => whole(structured.to_string()),
        (Some(structured), Reader::Model) if answer.text.is_empty() => whole(structured.to_string()),
        (Some(_) | None, Reader::Model | Reader::Program) => (answer.text.clone(), answer.total_bytes),
    }
}

fn whole(text: String) -> (String, u64) {
    let total = length(text.len());
    (text, total)
}

fn note(answer: &ForeignAnswer, extent: &Extent) -> String {
    let mut notes = Vec::new();
    if extent.is_cut {
        let (shown, total) = (extent.shown_bytes, extent.total_bytes);
        notes.push(format!("{shown} of {total} bytes were kept; ask for less at once"));
    }
    let lost = answer.lost_structured_bytes;
    if lost > 0 && lost != answer.total_bytes {
        notes.push(format!("{lost} bytes of structured content were not kept"));
    }
    if answer.described > 0 {
        notes.push(format!("{} parts are no text and are only described", answer.described));
    }
    notes.join("; ")
}
