//! Tools of another agent that none of ours does the work of: what they are to rules.
//!
//! Their names are the agent's own. What only keeps the agent's own books looks; what reaches the network, another server, or
//! what nobody here knows, may do anything and waits for a rule that allows it.

use std::sync::Arc;

use premath_tusk::tools::{
    Arguments, Risk, SpecError, Tool, ToolContext, ToolFailure, ToolKind, ToolOutput, ToolSpec,
};

use super::format::HookFormat;
use crate::table::{ACTIONS, Door};

/// Our own server, as people name it in the configuration of their agent.
const OWN_SERVER: &str = "mcp__premath__";

/// What keeps the books of the agent, and touches nothing else, sorted.
const BOOKS: [&str; 18] = [
    "AskUserQuestion",
    "BashOutput",
    "EnterPlanMode",
    "ExitPlanMode",
    "ListAgents",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "create_goal",
    "get_goal",
    "request_user_input",
    "update_goal",
    "update_plan",
];

/// What begins another agent of the same kind, whose calls come here as well.
const SPAWNS: [&str; 2] = ["Agent", "Task"];

/// A tool that runs elsewhere.
#[derive(Debug)]
pub(super) struct ForeignTool(ToolSpec);

impl ForeignTool {
    /// What a tool is that is none of ours.
    ///
    /// # Errors
    /// Never, as long as its definition is well formed.
    pub(super) fn made(format: HookFormat, name: &str) -> Result<Arc<dyn Tool>, SpecError> {
        let (scope, risk) = standing(name);
        let (description, schema) = (format!("A tool of {}.", format.token()), schema(name));
        let mut spec = ToolSpec::new(name, &scope, &description, schema, &[])?;
        spec.risk = risk;
        if risk != Risk::Read {
            spec.kind = ToolKind::Effect;
            spec.idempotent = false;
        }
        Ok(Arc::new(Self(spec)))
    }
}

impl Tool for ForeignTool {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn call(&self, _: &Arguments, _: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        Err(ToolFailure::new("tool.not_here", format!("`{}` runs elsewhere", self.0.name)))
    }
}

/// The scope and the risk of a tool.
fn standing(name: &str) -> (String, Risk) {
    if BOOKS.contains(&name) {
        return ("agent:plan".to_owned(), Risk::Read);
    }
    if SPAWNS.contains(&name) {
        return ("agent:spawn".to_owned(), Risk::Create);
    }
    match name {
        "WebFetch" | "WebSearch" => ("network:fetch".to_owned(), Risk::Write),
        _ => own(name).unwrap_or_else(|| {
            let resource = if name.starts_with("mcp__") { "mcp" } else { "agent" };
            (format!("{resource}:call"), Risk::Destructive)
        }),
    }
}

/// A tool of our own server: what it may do is what its action does, and the server asks again. Whatever is neither a look nor
/// a change of issues waits for a rule like anything else.
fn own(name: &str) -> Option<(String, Risk)> {
    let called = name.strip_prefix(OWN_SERVER)?;
    let action = ACTIONS.iter().find(|action| action.name.replace('.', "_") == called)?;
    match (action.door, action.name.split('.').next()) {
        (Door::Read, Some(resource)) => Some((format!("{resource}:read"), Risk::Read)),
        (Door::Mutation, Some("issue")) => Some(("issues:write".to_owned(), Risk::Write)),
        (Door::Mutation, Some("dep")) => Some(("deps:write".to_owned(), Risk::Write)),
        (Door::Read | Door::Mutation | Door::Record | Door::Effect, _) => None,
    }
}

/// What rules can see of its arguments.
fn schema(name: &str) -> &'static str {
    match name {
        "WebFetch" => {
            r#"{"type": "object", "properties": {"url": {"type": "string"}, "prompt": {"type": "string"}}, "required": ["url"]}"#
        }
        "WebSearch" => {
            r#"{"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}"#
        }
        _ => r#"{"type": "object"}"#,
    }
}

#[cfg(test)]
mod tests;
