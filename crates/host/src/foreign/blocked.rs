//! A tool of another server that a run began with and that is blocked now: it is there by name only.

use premath_tusk::tools::foreign::{BlockedTool, offered_name};
use premath_tusk::tools::{Arguments, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec};

/// A tool that does nothing and says why.
#[derive(Debug)]
pub(super) struct NotOffered {
    spec: ToolSpec,
    code: &'static str,
    detail: String,
}

impl NotOffered {
    pub(super) fn new(spec: ToolSpec, blocked: &[BlockedTool]) -> Self {
        let is_it = |one: &&BlockedTool| match &one.tool {
            Some(tool) => offered_name(&one.server, tool) == spec.name,
            None => one.scope == spec.scope,
        };
        let (code, detail) = match blocked.iter().find(is_it) {
            Some(one) => (one.class.code(), one.detail.clone()),
            None => ("tool_drift", "it is not what the run began with".to_owned()),
        };
        Self { spec, code, detail }
    }
}

impl Tool for NotOffered {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, _: &Arguments, _: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        Err(ToolFailure::new(self.code, format!("{}; a person has to approve it", self.detail)))
    }
}
