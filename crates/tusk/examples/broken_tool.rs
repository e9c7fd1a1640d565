//! A tool that panics, in a program of its own: ends with 0 when the toolbox answers `tool.broken`. `cargo xtask ci` runs it
//! with the release profile, since tests always unwind, whatever the profile says.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use premath_tusk::JsonText;
use premath_tusk::policy::Target;
use premath_tusk::sandbox::{
    ExecutionLimits, Interrupt, Profile, Sandbox, SandboxCommand, SandboxError, SandboxReport, SandboxRun,
};
use premath_tusk::tools::files::MemoryFiles;
use premath_tusk::tools::payloads::MemoryPayloads;
use premath_tusk::tools::{
    Arguments, Catalogue, ProtectedPaths, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec,
};
use premath_tusk::turn_loop::Toolbox;

#[derive(Debug)]
struct NoSandbox;

impl Sandbox for NoSandbox {
    fn run(&self, _: &SandboxCommand, _: &Interrupt) -> Result<SandboxRun, SandboxError> {
        Err(SandboxError::NoSandbox)
    }

    fn check(&self) -> Result<SandboxReport, SandboxError> {
        Err(SandboxError::NoSandbox)
    }
}

#[derive(Debug)]
struct Broken(ToolSpec);

impl Tool for Broken {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn call(&self, _: &Arguments, _: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        Ok(ToolOutput::default())
    }

    fn targets(&self, _: &Arguments, _: &ToolContext<'_>) -> Result<Vec<Target>, ToolFailure> {
        assert!(self.0.name.is_empty(), "this tool panics");
        Ok(Vec::new())
    }
}

fn call_broken_tool() -> Result<String, Box<dyn std::error::Error>> {
    let spec = ToolSpec::new("breaks", "files:read", "Breaks.", r#"{"type": "object"}"#, &["{}"])?;
    let tool: Arc<dyn Tool> = Arc::new(Broken(spec));
    let toolbox = Toolbox {
        catalogue: Catalogue::new([tool])?,
        files: Arc::new(MemoryFiles::new()),
        sandbox: Arc::new(NoSandbox),
        interrupt: Interrupt::default(),
        workdir: PathBuf::from("/work/tree"),
        profile: Profile::ReadOnly,
        limits: ExecutionLimits::default(),
        protected: ProtectedPaths::standard(),
        payloads: Arc::new(MemoryPayloads::new()),
        budget: 1024,
        capture: 1024,
        parallel: 1,
        changes: None,
        secrets: Arc::default(),
        readable_state: Vec::new(),
    };
    let found = toolbox.targets("breaks", &JsonText::new("{}")?).map_err(|failure| failure.message)?;
    Ok(found.err().map_or_else(|| "no failure".to_owned(), |failure| failure.error_code.to_owned()))
}

fn main() -> ExitCode {
    match call_broken_tool() {
        Ok(code) if code == "tool.broken" => ExitCode::SUCCESS,
        Ok(_) | Err(_) => ExitCode::FAILURE,
    }
}
