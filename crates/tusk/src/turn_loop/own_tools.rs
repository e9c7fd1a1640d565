//! The tools by which a run shapes itself: choosing a route, asking for a worker, giving a verdict.
//!
//! None of them does anything: what they ask for is read from the closed turn. It must not spawn by itself (I2).

use premath_bd::issues::{IssueDraft, Operation};
use premath_kernel::{DependencyKind, IssueTarget, Text};

use super::progress::{CHOOSE_ROUTE, GIVE_VERDICT, SPAWN_WORKER};
use super::workflow::Route;
use crate::tools::{
    Arguments, Caller, PendingIntent, Risk, SpecError, Tool, ToolContext, ToolFailure, ToolKind, ToolOutput,
    ToolSpec,
};

const SPAWN_SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "title": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[^\\n\\r]+$", "description": "What the work is called, in one line; the title of its issue."},
    "task": {"type": "string", "minLength": 1, "maxLength": 65536, "description": "What is to be done. The worker sees this and the workspace, not this conversation."},
    "read": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 4096}, "maxItems": 64, "description": "Folders and files it may read. Default: everything."},
    "write": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 4096}, "maxItems": 64, "description": "Folders and files it may change. Default: everything when `read` is not given either, else nothing."},
    "artifacts": {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 4096}, "maxItems": 64, "description": "Files that must be there when it is done."}
  },
  "required": ["title", "task"],
  "additionalProperties": false
}"#;

const SPAWN_EXAMPLES: [&str; 2] = [
    r#"{"title": "document the parser", "task": "Write docs/parser.md: what the parser accepts, with an example of each rule.", "read": ["src/parser", "docs"], "write": ["docs"], "artifacts": ["docs/parser.md"]}"#,
    r#"{"title": "find the slow test", "task": "Run the tests and say which takes longest, and why."}"#,
];

const VERDICT_SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "pass": {"type": "boolean", "description": "Whether what was made does what was asked."},
    "critique": {"type": "string", "minLength": 1, "maxLength": 16384, "description": "What is missing or wrong, so that somebody can mend it; or why it passes."}
  },
  "required": ["pass", "critique"],
  "additionalProperties": false
}"#;

const VERDICT_EXAMPLES: [&str; 1] =
    [r#"{"pass": false, "critique": "the total of an empty list is not 0: line 12 divides by its length"}"#];

/// What a program gets of a call that only says something.
const NOTHING: &str = "an empty string";

/// `spawn_worker`: asks for a worker with an issue of its own.
#[derive(Debug)]
pub struct SpawnWorker {
    spec: ToolSpec,
    parent: String,
    prefix: String,
}

impl SpawnWorker {
    /// The tool of a run that works on `parent`; new issues are numbered after `prefix`.
    ///
    /// # Errors
    /// Never, as long as its own definition is well formed.
    pub fn new(parent: &str, prefix: &str) -> Result<Self, SpecError> {
        let description = "Asks for a worker: another agent that does one part of the work by itself, with an issue, a \
                           session and a journal of its own. Several calls in one answer run at the same time. What the \
                           workers say comes back when all of them have ended.";
        let mut spec =
            ToolSpec::new(SPAWN_WORKER, "workers:spawn", description, SPAWN_SCHEMA, &SPAWN_EXAMPLES)?;
        spec.risk = Risk::Create;
        spec.kind = ToolKind::Intent;
        spec.idempotent = false;
        spec.allowed_callers = vec![Caller::Model];
        Ok(Self { spec, parent: parent.to_owned(), prefix: prefix.to_owned() })
    }
}

impl Tool for SpawnWorker {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, arguments: &Arguments, _: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        let draft = IssueDraft {
            title: arguments.required_text("title")?.trim().to_owned(),
            texts: vec![("description", arguments.required_text("task")?.trim().to_owned())],
            // A child: its parent cannot be closed before it.
            dependencies: vec![(DependencyKind::ParentChild, self.parent.clone())],
            ..IssueDraft::default()
        };
        let operation = Operation::Add { draft: Box::new(draft), prefix: self.prefix.clone() };
        let note = "the worker begins when this turn is closed and its issue is made".to_owned();
        let lineage = Text::new(&self.parent).into_iter().collect();
        let target = Text::new("new").map(|issue_id| IssueTarget { issue_id, lineage });
        let intent =
            PendingIntent { targets: target.into_iter().collect(), ..PendingIntent::from(operation) };
        Ok(ToolOutput { note, intent: Some(intent), ..ToolOutput::default() })
    }
}

/// `choose_route`: says which way the run goes on.
#[derive(Debug)]
pub struct ChooseRoute {
    spec: ToolSpec,
}

impl ChooseRoute {
    /// The tool for these routes.
    ///
    /// # Errors
    /// Never, as long as its own definition is well formed.
    pub fn new(routes: &[Route]) -> Result<Self, SpecError> {
        let names: Vec<&str> = routes.iter().map(|route| route.name.as_str()).collect();
        let ways: Vec<String> =
            routes.iter().map(|route| format!("`{}`: {}", route.name, route.when)).collect();
        let description = format!("Chooses how the run goes on. {}", ways.join("; "));
        let schema = serde_json::json!({
            "type": "object",
            "properties": {
                "route": {"enum": names, "description": "The route."},
                "reason": {"type": "string", "maxLength": 2000, "description": "Why, in a sentence."}
            },
            "required": ["route"],
            "additionalProperties": false
        });
        let example = serde_json::json!({ "route": names.first() }).to_string();
        let mut spec =
            ToolSpec::new(CHOOSE_ROUTE, "run:route", &description, &schema.to_string(), &[&example])?;
        NOTHING.clone_into(&mut spec.returns);
        Ok(Self { spec })
    }
}

impl Tool for ChooseRoute {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, _: &Arguments, _: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        Ok(ToolOutput { note: "the route is taken".to_owned(), ..ToolOutput::default() })
    }
}

/// `give_verdict`: what a judge says.
#[derive(Debug)]
pub struct GiveVerdict {
    spec: ToolSpec,
}

impl GiveVerdict {
    /// The tool.
    ///
    /// # Errors
    /// Never, as long as its own definition is well formed.
    pub fn new() -> Result<Self, SpecError> {
        let description = "Says whether what was made passes, and why. Call it once, when you are sure.";
        let mut spec =
            ToolSpec::new(GIVE_VERDICT, "run:judge", description, VERDICT_SCHEMA, &VERDICT_EXAMPLES)?;
        NOTHING.clone_into(&mut spec.returns);
        Ok(Self { spec })
    }
}

impl Tool for GiveVerdict {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, _: &Arguments, _: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        Ok(ToolOutput { note: "the verdict is noted".to_owned(), ..ToolOutput::default() })
    }
}
