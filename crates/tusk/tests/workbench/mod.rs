//! What tests of tools work with: files, a sandbox that says what it is told, and one way to call a tool.

#![expect(clippy::unwrap_used, reason = "a bench that cannot be set up must fail the test")]

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use premath_tusk::JsonText;
use premath_tusk::sandbox::{
    CapturedOutput, Ending, ExecutionLimits, Interrupt, Profile, Sandbox, SandboxCommand, SandboxError,
    SandboxEvidence, SandboxReport, SandboxRun,
};
use premath_tusk::tools::files::WorkFiles;
use premath_tusk::tools::payloads::MemoryPayloads;
use premath_tusk::tools::{Catalogue, ProtectedPaths, Tool, ToolContext, ToolFailure, ToolOutput, built_in};

/// Where the bench says its workdir is.
pub(crate) const WORKDIR: &str = "/work/tree";

/// A sandbox that ends every command as it was told, and remembers the command.
#[derive(Debug)]
pub(crate) struct Puppet {
    pub(crate) ending: Ending,
    pub(crate) stdout: CapturedOutput,
    pub(crate) stderr: CapturedOutput,
    pub(crate) refuses: bool,
    pub(crate) seen: Mutex<Vec<SandboxCommand>>,
}

impl Default for Puppet {
    fn default() -> Self {
        let (stdout, stderr) = (CapturedOutput::default(), CapturedOutput::default());
        Self { ending: Ending::Exited(0), stdout, stderr, refuses: false, seen: Mutex::new(Vec::new()) }
    }
}

impl Sandbox for Puppet {
    fn run(&self, command: &SandboxCommand, _: &Interrupt) -> Result<SandboxRun, SandboxError> {
        self.seen.lock().unwrap().push(command.clone());
        if self.refuses {
            return Err(SandboxError::NoSandbox);
        }
        let evidence = SandboxEvidence {
            workdir: command.workdir.clone(),
            profile: command.profile,
            profile_digest: "sha256:profile".to_owned(),
            command_digest: "sha256:command".to_owned(),
            layers: vec!["landlock".to_owned()],
            operator_override: None,
            wall: Duration::ZERO,
            user: Duration::ZERO,
            system: Duration::ZERO,
        };
        let (stdout, stderr) = (self.stdout.clone(), self.stderr.clone());
        Ok(SandboxRun { ending: self.ending, stdout, stderr, evidence })
    }

    fn check(&self) -> Result<SandboxReport, SandboxError> {
        Err(SandboxError::NoSandbox)
    }
}

/// Everything a call needs.
#[derive(Debug)]
pub(crate) struct Bench<'f> {
    pub(crate) files: &'f dyn WorkFiles,
    pub(crate) sandbox: Puppet,
    pub(crate) interrupt: Interrupt,
    pub(crate) protected: ProtectedPaths,
    pub(crate) catalogue: Catalogue,
    pub(crate) payloads: MemoryPayloads,
    pub(crate) budget: usize,
    pub(crate) capture: usize,
}

impl<'f> Bench<'f> {
    pub(crate) fn new(files: &'f dyn WorkFiles) -> Self {
        Self::with(files, Vec::new())
    }

    /// A bench with tools beside the built-in ones.
    pub(crate) fn with(files: &'f dyn WorkFiles, more: Vec<Arc<dyn Tool>>) -> Self {
        Self {
            files,
            sandbox: Puppet::default(),
            interrupt: Interrupt::default(),
            protected: ProtectedPaths::standard(),
            catalogue: Catalogue::new(built_in().unwrap().into_iter().chain(more)).unwrap(),
            payloads: MemoryPayloads::new(),
            budget: 64 * 1024,
            capture: 256 * 1024,
        }
    }

    pub(crate) fn context(&self) -> ToolContext<'_> {
        ToolContext {
            reader: premath_tusk::tools::Reader::Model,
            consent: premath_tusk::tools::Consent::None,
            readable_state: &[],
            files: self.files,
            sandbox: &self.sandbox,
            interrupt: &self.interrupt,
            workdir: Path::new(WORKDIR),
            profile: Profile::WorkspaceWrite,
            limits: ExecutionLimits::default(),
            protected: &self.protected,
            catalogue: &self.catalogue,
            payloads: &self.payloads,
            budget: self.budget,
            capture: self.capture,
        }
    }

    /// Calls a tool as a model would: by name, with arguments that are text.
    pub(crate) fn call(&self, tool: &str, arguments: &serde_json::Value) -> Result<ToolOutput, ToolFailure> {
        let arguments = JsonText::new(arguments.to_string()).unwrap();
        let (tool, arguments) = self.catalogue.resolve(tool, &arguments)?;
        tool.call(&arguments, &self.context())
    }
}
