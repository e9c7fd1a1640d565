//! A tool whose scope was taken away while its run waited: the run still knows it, and no call of it does anything.
//!
//! Also not one that policy asked about and a person agreed to before: whoever resumes a run can do what they may do now. It
//! must not touch what the call is about.

use std::sync::Arc;

use premath_tusk::policy::{PolicyError, Target};
use premath_tusk::tools::{Arguments, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec, UndoRecord};

/// A tool that is there by name only.
#[derive(Debug)]
pub(super) struct Withdrawn {
    tool: Arc<dyn Tool>,
    error: PolicyError,
}

impl Withdrawn {
    pub(super) fn new(tool: Arc<dyn Tool>, error: PolicyError) -> Self {
        Self { tool, error }
    }

    fn refusal<T>(&self) -> Result<T, ToolFailure> {
        Err(ToolFailure::new(self.error.code.code(), self.error.model_message()))
    }
}

impl Tool for Withdrawn {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    fn call(&self, _: &Arguments, _: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        self.refusal()
    }

    fn targets(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<Vec<Target>, ToolFailure> {
        self.tool.targets(arguments, context)
    }

    fn prepare(&self, _: &Arguments, _: &ToolContext<'_>) -> Result<Option<UndoRecord>, ToolFailure> {
        self.refusal()
    }

    fn call_prepared(
        &self,
        _: &Arguments,
        _: Option<&UndoRecord>,
        _: &ToolContext<'_>,
    ) -> Result<ToolOutput, ToolFailure> {
        self.refusal()
    }
}
