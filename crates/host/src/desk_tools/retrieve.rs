//! `retrieval_search`: passages of the workspace's texts that fit a question, with citations that can be checked.
//!
//! A search that fails is said so, and the turn goes on without it.

use std::sync::Arc;

use premath_kernel::encode;
use premath_tusk::tools::{Arguments, SpecError, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec};
use serde_json::{Value, json};

use super::failure::unread;
use super::pieces::{fitting, output};
use super::shelf::Shelf;
use crate::retrieval::{Passage, PipelineEvent, Retrieval};

/// How many passages are given when nobody says.
const FOUND: u64 = 5;

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "query": {"type": "string", "minLength": 1, "maxLength": 500, "pattern": "\\S", "description": "The question, or words of the answer."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 20, "description": "The most passages. Default: 5."}
  },
  "required": ["query"],
  "additionalProperties": false
}"#;

/// Searches the texts of the desk.
#[derive(Debug)]
pub(super) struct RetrievalSearch {
    spec: ToolSpec,
    shelf: Arc<Shelf>,
    retrieval: Arc<Retrieval>,
}

impl RetrievalSearch {
    pub(super) fn new(shelf: Arc<Shelf>, retrieval: Arc<Retrieval>) -> Result<Self, SpecError> {
        let description = "Finds passages of the workspace's texts that fit a question, best first. Write the mark in \
                           `cite` behind every sentence that rests on a passage, and quote in quotation marks; what you \
                           cite is checked against the text.";
        let examples = [r#"{"query": "When is the rent due?"}"#];
        let mut spec = ToolSpec::new("retrieval_search", "desk:read", description, SCHEMA, &examples)?;
        r#"a table {"chunks": list({"text", "cite", …}), "pipeline"}"#.clone_into(&mut spec.returns);
        Ok(Self { spec, shelf, retrieval })
    }
}

impl Tool for RetrievalSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        context.go_on()?;
        let query = arguments.required_text("query")?;
        let limit = usize::try_from(arguments.count("limit").unwrap_or(FOUND)).unwrap_or(usize::MAX);
        let mut events: Vec<PipelineEvent> = Vec::new();
        let passages = match self.shelf.desk()? {
            Some(desk) => self
                .retrieval
                .search(&desk, query, limit, &mut |event| events.push(event))
                .map_err(|error| unread(&error))?,
            None => Vec::new(),
        };
        let pipeline: Vec<Value> = events.iter().map(|event| plain(&event.to_value())).collect();
        let written = |count: usize| {
            let chunks: Vec<Value> = passages.iter().take(count).map(chunk).collect();
            json!({"chunks": chunks, "pipeline": pipeline})
        };
        let count = fitting(passages.len(), context.budget, written);
        let note = match (passages.len(), count) {
            (0, _) => "nothing was found".to_owned(),
            (all, shown) if shown < all => format!("the best {shown} of {all}"),
            _ => String::new(),
        };
        Ok(output(&written(count), count < passages.len(), note))
    }
}

fn chunk(passage: &Passage) -> Value {
    let mut value = plain(&passage.citation.to_value());
    if let Some(members) = value.as_object_mut() {
        members.insert("text".to_owned(), Value::from(passage.text.as_str()));
    }
    value
}

/// A value as answers are written.
fn plain(value: &premath_kernel::Value<'_>) -> Value {
    serde_json::from_slice(&encode(value)).unwrap_or(Value::Null)
}
