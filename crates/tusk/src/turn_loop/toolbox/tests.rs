//! Tools that panic.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Prepared, Ran, Toolbox};
use crate::JsonText;
use crate::evidence::{CallStatus, Payload};
use crate::model::ToolCall;
use crate::policy::Target;
use crate::sandbox::{
    ExecutionLimits, Interrupt, Profile, Sandbox, SandboxCommand, SandboxError, SandboxReport, SandboxRun,
};
use crate::tools::files::MemoryFiles;
use crate::tools::payloads::MemoryPayloads;
use crate::tools::{
    Arguments, Catalogue, ProtectedPaths, Tool, ToolContext, ToolFailure, ToolOutput, ToolSpec, UndoRecord,
};
use crate::turn_loop::{PlannedCall, Stopwatch};

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
struct NoTime;

impl Stopwatch for NoTime {
    fn elapsed_millis(&self) -> u64 {
        0
    }
}

/// Where a tool panics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Panics {
    Call,
    Prepare,
    Targets,
    Nowhere,
}

#[derive(Debug)]
struct Fragile(ToolSpec, Panics);

impl Tool for Fragile {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn call(&self, _: &Arguments, _: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        assert!(self.1 != Panics::Call, "the tool panics");
        Ok(ToolOutput { content: "done".to_owned(), ..ToolOutput::default() })
    }

    fn targets(&self, _: &Arguments, _: &ToolContext<'_>) -> Result<Vec<Target>, ToolFailure> {
        assert!(self.1 != Panics::Targets, "the tool panics");
        Ok(Vec::new())
    }

    fn prepare(&self, _: &Arguments, _: &ToolContext<'_>) -> Result<Option<UndoRecord>, ToolFailure> {
        assert!(self.1 != Panics::Prepare, "the tool panics");
        Ok(None)
    }
}

fn toolbox(tools: &[(&str, Panics)], parallel: usize) -> Toolbox {
    let tool = |(name, panics): &(&str, Panics)| -> Arc<dyn Tool> {
        let spec = ToolSpec::new(name, "files:read", "Breaks.", r#"{"type": "object"}"#, &["{}"]).unwrap();
        Arc::new(Fragile(spec, *panics))
    };
    Toolbox {
        catalogue: Catalogue::new(tools.iter().map(tool)).unwrap(),
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
        parallel,
        readable_state: Vec::new(),
        changes: None,
        secrets: Arc::default(),
    }
}

fn planned(toolbox: &Toolbox, name: &str) -> PlannedCall {
    let arguments = JsonText::new("{}").unwrap();
    let (tool, read) = toolbox.catalogue.resolve(name, &arguments).unwrap();
    PlannedCall {
        call: ToolCall { id: name.to_owned(), name: name.to_owned(), arguments, malformed: None },
        kind: tool.spec().kind,
        is_idempotent: true,
        arguments: Some(read),
        shell: None,
        refusal: None,
        judged: None,
        approval: None,
        caller: None,
        schema_errors: Vec::new(),
        search: None,
    }
}

fn text(ran: &Ran) -> &str {
    let Payload::Inline(text) = &ran.outcome.payload else { panic!("{ran:?}") };
    text
}

fn error_code(ran: &Ran) -> &str {
    let CallStatus::Failed(failure) = &ran.outcome.status else { panic!("{ran:?}") };
    &failure.error_code
}

#[test]
fn a_tool_that_panics_is_broken_and_the_calls_beside_it_run() {
    for parallel in [1, 4] {
        let toolbox = toolbox(&[("breaks", Panics::Call), ("works", Panics::Nowhere)], parallel);
        let calls = [planned(&toolbox, "breaks"), planned(&toolbox, "works")];
        let ran = toolbox.run(&calls, &Prepared::default(), &NoTime);
        let [broken, done] = ran.as_slice() else { panic!("{ran:?}") };
        assert_eq!(error_code(broken), "tool.broken");
        assert_eq!(text(done), "done");
    }
}

#[test]
fn a_tool_that_panics_before_it_runs_is_broken_too() {
    let toolbox = toolbox(&[("prepares", Panics::Prepare), ("targets", Panics::Targets)], 1);
    let calls = [planned(&toolbox, "prepares"), planned(&toolbox, "targets")];
    let prepared = toolbox.prepare(&calls);
    let ran = toolbox.run(&calls, &prepared, &NoTime);
    let [broken, _] = ran.as_slice() else { panic!("{ran:?}") };
    assert_eq!(error_code(broken), "tool.broken");
    let governed = toolbox.governed(&calls);
    let failed: Vec<&str> = governed
        .iter()
        .filter_map(|call| call.targets.as_ref().err().map(|error| error.error_code))
        .collect();
    assert_eq!(failed, ["tool.broken"]);
}
