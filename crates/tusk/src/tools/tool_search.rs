//! `tool_search`: finds tools that are not offered from the start.
//!
//! Only granted tools are searched, so that a search shows nothing that the run must not know of.

mod rank;

use super::Tool;
use super::arguments::Arguments;
use super::clip::{Clipped, length, room};
use super::context::{Reader, ToolContext};
use super::outcome::{Extent, FoundTools, ToolFailure, ToolOutput};
use super::spec::{SpecError, ToolSpec};

use self::rank::{Document, rank};
use crate::turn_loop::{Bindings, functions};

const RESULTS: u64 = 5;

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "query": {"type": "string", "minLength": 1, "maxLength": 1024, "pattern": "\\S", "description": "What the tool should do, in a few words, or its name."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 20, "description": "The most tools to find. Default: 5."}
  },
  "required": ["query"],
  "additionalProperties": false
}"#;

const EXAMPLES: [&str; 2] =
    [r#"{"query": "add a dependency between issues"}"#, r#"{"query": "claim", "limit": 3}"#];

/// Finds tools.
#[derive(Debug)]
pub struct ToolSearch {
    spec: ToolSpec,
}

impl ToolSearch {
    /// The tool.
    ///
    /// # Errors
    /// Never, as long as its definition is well formed.
    pub fn new() -> Result<Self, SpecError> {
        let description = "Finds tools that are not offered yet, by what they do. What is found can be called from the \
                           next message on.";
        let mut spec = ToolSpec::new("tool_search", "tools:search", description, SCHEMA, &EXAMPLES)?;
        spec.returns =
            "a string: how each of the functions found is called. They can be called at once, in the same \
                        program"
                .to_owned();
        Ok(Self { spec })
    }
}

impl Tool for ToolSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        let query = arguments.required_text("query")?;
        let limit = room(arguments.count("limit").unwrap_or(RESULTS));
        let deferred: Vec<_> = context.catalogue.described().filter(|(spec, _)| spec.defer_loading).collect();
        let documents: Vec<Document<'_>> = deferred
            .iter()
            .map(|(spec, arguments)| Document::new(&spec.name, &spec.description, arguments))
            .collect();
        let found = rank(query, &documents);
        let total = found.len();
        let names: Vec<String> = found.into_iter().take(limit).map(str::to_owned).collect();
        let found = names.iter().filter_map(|name| deferred.iter().find(|(spec, _)| spec.name == *name));
        let mut lines = Clipped::new(context.budget);
        match context.reader {
            Reader::Model => {
                for (spec, arguments) in found {
                    lines.push(&format!("{}({}): {}", spec.name, arguments.join(", "), spec.description));
                }
            }
            // A program calls by position: in the order of the functions, not of the schema.
            Reader::Program => {
                let bindings = Bindings::of(context.catalogue.specs());
                functions(&bindings, found.map(|(spec, _)| *spec)).iter().for_each(|text| lines.push(text));
            }
        }
        let note = note(&names, total, &lines);
        let (total_bytes, is_cut) = (lines.total, lines.is_cut());
        let content = lines.into_text();
        let extent = Extent { total_bytes, shown_bytes: length(content.len()), replaced_bytes: 0, is_cut };
        let found = Some(FoundTools::new(query, names));
        Ok(ToolOutput { content, note, extent, found, ..ToolOutput::default() })
    }
}

fn note(names: &[String], total: usize, lines: &Clipped) -> String {
    let mut notes = vec![format!("{} of {total} tools that match", names.len())];
    if lines.is_cut() {
        notes.push(format!("{} descriptions did not fit; these tools were found too", lines.dropped));
    }
    if total == 0 {
        notes.push("try other words".to_owned());
    }
    notes.join("; ")
}
