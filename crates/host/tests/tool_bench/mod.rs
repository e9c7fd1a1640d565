//! One way to call a tool in a test: by name, with arguments that are text, as a model does.

#![expect(clippy::unwrap_used, reason = "a bench that cannot be set up must fail the test")]
#![allow(dead_code, reason = "each test uses what it needs of this module")]

use std::path::Path;

use premath_host::NoSandbox;
use premath_tusk::JsonText;
use premath_tusk::sandbox::{ExecutionLimits, Interrupt, Profile};
use premath_tusk::tools::files::MemoryFiles;
use premath_tusk::tools::payloads::MemoryPayloads;
use premath_tusk::tools::{Arguments, Catalogue, ProtectedPaths, Tool, ToolContext, ToolFailure, ToolOutput};
use serde_json::Value;

/// Calls a tool.
pub(crate) fn call_with(
    catalogue: &Catalogue,
    tool: &str,
    arguments: &Value,
    budget: usize,
) -> Result<ToolOutput, ToolFailure> {
    on_bench(catalogue, tool, arguments, budget, |tool, arguments, context| tool.call(arguments, context))
}

/// Asks a tool something else than to be called.
pub(crate) fn with_tool<T>(
    catalogue: &Catalogue,
    tool: &str,
    arguments: &Value,
    ask: impl FnOnce(&dyn Tool, &Arguments, &ToolContext<'_>) -> Result<T, ToolFailure>,
) -> Result<T, ToolFailure> {
    on_bench(catalogue, tool, arguments, 4096, ask)
}

fn on_bench<T>(
    catalogue: &Catalogue,
    tool: &str,
    arguments: &Value,
    budget: usize,
    ask: impl FnOnce(&dyn Tool, &Arguments, &ToolContext<'_>) -> Result<T, ToolFailure>,
) -> Result<T, ToolFailure> {
    let context = ToolContext {
        reader: premath_tusk::tools::Reader::Model,
        consent: premath_tusk::tools::Consent::None,
        readable_state: &[],
        files: &MemoryFiles::new(),
        sandbox: &NoSandbox,
        interrupt: &Interrupt::default(),
        workdir: Path::new("/work/tree"),
        profile: Profile::ReadOnly,
        limits: ExecutionLimits::default(),
        protected: &ProtectedPaths::standard(),
        catalogue,
        payloads: &MemoryPayloads::new(),
        budget,
        capture: budget,
    };
    let arguments = JsonText::new(arguments.to_string()).unwrap();
    let (tool, arguments) = catalogue.resolve(tool, &arguments)?;
    ask(tool.as_ref(), &arguments, &context)
}
