//! The outside of a run, put together: files below the workdir, the sandbox, models that answer turn after turn, the
//! person at the terminal. The composition root of agents. It must not decide anything about a run.

mod answers;
pub(crate) mod foreign;
pub(crate) mod governance;
mod measuring;
mod rule_files;

pub(crate) use self::rule_files::shipped_rules;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use premath_bd::desk::{Approval, PersonCredential, Proposal};
use premath_bd::issues::KeptIssues;
use premath_exec::{Beneath, GitCommand, OsSandbox};
use premath_host::{
    ActionError, AgentDoor, Attendant, CommandShape, KeptRuns, Measure, NoPerson, ObservedTree, Said,
    SecretVault, Workspace,
};
use premath_tusk::policy::{Governor, Observability};
use premath_tusk::sandbox::{Interrupt, Sandbox};
use premath_tusk::tools::files::WorkFiles;
use premath_tusk::tools::foreign::{ForeignTools, NoForeignTools};
use premath_tusk::tools::{ActiveCommands, ProtectedPaths, ToolSpec};
use premath_tusk::turn_loop::{AnswerPort, Decision, Stopwatch};
use premath_tusk::version_control::VersionControl;

use self::measuring::Measuring;
#[cfg(test)]
pub(crate) use self::measuring::every_tool;
use crate::commands::{Watching, command_shapes};
use crate::models::Models;
use crate::settings::GuardrailSettings;
use crate::system;

/// What runs of one command need of the outside.
#[derive(Debug)]
pub(crate) struct Agent<'a> {
    models: &'a Models,
    sandbox: Arc<OsSandbox>,
    root: PathBuf,
    /// Where tools work, when that is not the root.
    folder: Option<PathBuf>,
    /// Whether the person named the root, so that it may be the home directory.
    names_root: bool,
    guardrails: GuardrailSettings,
    foreign: Arc<dyn ForeignTools>,
    /// The repository whose person approved tools of other servers; without one nobody did.
    pins: Option<Workspace>,
    /// Folders that tools and commands reach beyond the workdir.
    reached: Vec<PathBuf>,
    measuring: Measuring,
    interrupt: Interrupt,
    kept: Arc<KeptIssues>,
    kept_runs: Arc<KeptRuns>,
    /// Where runs that wait leave their secrets, in a process that outlives the wait.
    secrets: Option<Arc<SecretVault>>,
    /// The commands that are running in the workdir.
    active: Arc<ActiveCommands>,
}

impl<'a> Agent<'a> {
    pub(crate) fn new(
        models: &'a Models,
        sandbox: Arc<OsSandbox>,
        root: &Path,
        guardrails: GuardrailSettings,
    ) -> Self {
        let measuring = Measuring::new(guardrails.built_in());
        let (root, interrupt) = (root.to_path_buf(), Interrupt::default());
        let foreign = Arc::new(NoForeignTools);
        Self {
            models,
            sandbox,
            root,
            folder: None,
            names_root: false,
            guardrails,
            foreign,
            pins: None,
            reached: Vec::new(),
            measuring,
            interrupt,
            kept: Arc::default(),
            kept_runs: Arc::default(),
            secrets: None,
            active: Arc::default(),
        }
    }

    /// The same where commands reach these folders beyond the workdir.
    pub(crate) fn reaching(self, reached: Vec<PathBuf>) -> Self {
        Self { reached, ..self }
    }

    /// The same where questions are answered while this process lives, or are not.
    pub(crate) fn answered_here(self, is_answered: bool) -> Self {
        Self { secrets: is_answered.then(Arc::default), ..self }
    }

    /// The same where the person named the root, or did not.
    pub(crate) fn in_named_root(self, names_root: bool) -> Self {
        Self { names_root, ..self }
    }

    /// The same with other servers, as far as they are approved in a repository.
    pub(crate) fn with_foreign(self, foreign: Arc<dyn ForeignTools>, workspace: &Workspace) -> Self {
        Self { foreign, pins: Some(workspace.clone()), ..self }
    }
}

fn unreachable(what: String) -> ActionError {
    ActionError::Unavailable { what, hint: "run it in a folder that can be read".to_owned() }
}

impl AgentDoor for Agent<'_> {
    fn workdir(&self) -> Result<PathBuf, ActionError> {
        let folder = self.folder.as_deref().unwrap_or(&self.root);
        let named = if folder.as_os_str().is_empty() { None } else { Some(folder) };
        system::absolute(named)
            .map(PathBuf::from)
            .map_err(|_| unreachable("the workdir has no absolute path".to_owned()))
    }

    fn files(&self) -> Result<Arc<dyn WorkFiles>, ActionError> {
        let workdir = self.workdir()?;
        let files = Beneath::open_root(&workdir).map_err(|error| unreachable(error.to_string()))?;
        Ok(Arc::new(files.without_state()))
    }

    fn observed_tree(&self) -> Result<Option<ObservedTree>, ActionError> {
        let tree = Beneath::open_root(&self.workdir()?).map_err(|error| unreachable(error.to_string()))?;
        Ok(Some(ObservedTree { tree: Arc::new(tree), active: Arc::clone(&self.active) }))
    }

    fn protected(&self) -> Result<ProtectedPaths, ActionError> {
        self.sandbox.protected_paths(&self.workdir()?).map_err(|error| unreachable(error.to_string()))
    }

    fn kept_issues(&self) -> Option<Arc<KeptIssues>> {
        Some(Arc::clone(&self.kept))
    }

    fn kept_runs(&self) -> Option<Arc<KeptRuns>> {
        Some(Arc::clone(&self.kept_runs))
    }

    fn secret_vault(&self) -> Option<Arc<SecretVault>> {
        self.secrets.clone()
    }

    fn commands(&self) -> Vec<CommandShape> {
        command_shapes()
    }

    fn sandbox(&self) -> Arc<dyn Sandbox> {
        Arc::clone(&self.sandbox) as Arc<dyn Sandbox>
    }

    fn version_control(&self) -> &dyn VersionControl {
        &GitCommand
    }

    fn default_models(&self) -> Vec<String> {
        self.models.default_chain()
    }

    fn unpriced_models(&self, references: &[String]) -> Result<Vec<String>, ActionError> {
        self.models.unpriced(references)
    }

    fn broad_workdir(&self) -> Result<Option<&'static str>, ActionError> {
        if self.names_root {
            return Ok(None);
        }
        Ok(system::broad_directory(&self.workdir()?))
    }

    fn answers(&self, references: &[String]) -> Result<Box<dyn AnswerPort + Send>, ActionError> {
        answers::open(self.models, references, self.interrupt.clone())
    }

    fn governor(&self, tools: &[ToolSpec]) -> Result<Arc<Governor>, ActionError> {
        let sandbox = Arc::clone(&self.sandbox) as Arc<dyn Sandbox>;
        let pin = |server: &str, tool: &str| match &self.pins {
            Some(pins) => premath_host::approved_tool(pins, self, server, tool),
            None => Ok(None),
        };
        let ways = governance::Ways {
            workdir: &self.workdir()?,
            sandbox: &sandbox,
            servers: &self.foreign,
            pin: &pin,
        };
        let outside = governance::outside(&self.guardrails, &ways)?;
        governance::governor(&self.root, &self.guardrails.built_in(), outside, tools)
    }

    fn rule_files(&self) -> Result<Vec<(String, String)>, ActionError> {
        rule_files::files(&self.root)
    }

    fn attendant(&self) -> Box<dyn Attendant> {
        Box::new(NoPerson)
    }

    fn is_for_an_agent(&self) -> bool {
        !system::is_attended() && system::is_below_an_agent()
    }

    fn credential(&self) -> Result<Option<PersonCredential>, ActionError> {
        let mut reached = self.reached.clone();
        reached.push(self.workdir()?);
        governance::credential(&reached)
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        Box::new(Since(system::stopwatch()))
    }

    fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    fn pause(&self, duration: Duration, interrupt: &Interrupt) {
        system::pause(duration, interrupt);
    }

    fn at(&self, folder: &Path, interrupt: &Interrupt) -> Result<Box<dyn AgentDoor + '_>, ActionError> {
        Ok(Box::new(Agent {
            models: self.models,
            sandbox: Arc::clone(&self.sandbox),
            root: self.root.clone(),
            folder: Some(folder.to_path_buf()),
            names_root: self.names_root,
            guardrails: self.guardrails.clone(),
            foreign: Arc::clone(&self.foreign),
            pins: self.pins.clone(),
            reached: self.reached.clone(),
            measuring: Measuring::new(self.guardrails.built_in()),
            interrupt: interrupt.clone(),
            kept: Arc::clone(&self.kept),
            kept_runs: Arc::clone(&self.kept_runs),
            secrets: self.secrets.clone(),
            // Another folder: commands there change nothing here.
            active: Arc::default(),
        }))
    }

    fn foreign(&self) -> Arc<dyn ForeignTools> {
        Arc::clone(&self.foreign)
    }

    fn measure(&self) -> &dyn Measure {
        &self.measuring
    }
}

#[derive(Debug)]
struct Since(std::time::Instant);

impl Stopwatch for Since {
    fn elapsed_millis(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn elapsed_micros(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// The same outside with somebody watching, who can be asked.
#[derive(Debug)]
pub(crate) struct Attended<'a> {
    pub(crate) inner: &'a dyn AgentDoor,
    pub(crate) watching: &'a Arc<Watching>,
    /// The modes of the trace sinks that are open.
    pub(crate) sinks: Vec<Observability>,
    /// Holds the secrets of a run while its question is open; none without an approver.
    pub(crate) secrets: Option<Arc<SecretVault>>,
}

impl AgentDoor for Attended<'_> {
    fn workdir(&self) -> Result<PathBuf, ActionError> {
        self.inner.workdir()
    }

    fn files(&self) -> Result<Arc<dyn WorkFiles>, ActionError> {
        self.inner.files()
    }

    fn observed_tree(&self) -> Result<Option<ObservedTree>, ActionError> {
        self.inner.observed_tree()
    }

    fn protected(&self) -> Result<ProtectedPaths, ActionError> {
        self.inner.protected()
    }

    fn sandbox(&self) -> Arc<dyn Sandbox> {
        self.inner.sandbox()
    }

    fn default_models(&self) -> Vec<String> {
        self.inner.default_models()
    }

    fn unpriced_models(&self, references: &[String]) -> Result<Vec<String>, ActionError> {
        self.inner.unpriced_models(references)
    }

    fn broad_workdir(&self) -> Result<Option<&'static str>, ActionError> {
        self.inner.broad_workdir()
    }

    fn answers(&self, references: &[String]) -> Result<Box<dyn AnswerPort + Send>, ActionError> {
        self.inner.answers(references)
    }

    fn governor(&self, tools: &[ToolSpec]) -> Result<Arc<Governor>, ActionError> {
        self.inner.governor(tools)
    }

    fn rule_files(&self) -> Result<Vec<(String, String)>, ActionError> {
        self.inner.rule_files()
    }

    fn attendant(&self) -> Box<dyn Attendant> {
        let folder = self.inner.workdir().ok().map(|folder| folder.to_string_lossy().into_owned());
        Box::new(AtTerminal {
            watching: Arc::clone(self.watching),
            interrupt: self.inner.interrupt(),
            folder,
        })
    }

    fn secret_vault(&self) -> Option<Arc<SecretVault>> {
        self.secrets.clone()
    }

    fn trace_sinks(&self) -> Vec<Observability> {
        self.sinks.clone()
    }

    fn is_for_an_agent(&self) -> bool {
        !system::is_attended() && system::is_below_an_agent()
    }

    fn credential(&self) -> Result<Option<PersonCredential>, ActionError> {
        self.inner.credential()
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        self.inner.stopwatch()
    }

    fn interrupt(&self) -> Interrupt {
        self.inner.interrupt()
    }

    fn pause(&self, duration: Duration, interrupt: &Interrupt) {
        self.inner.pause(duration, interrupt);
    }

    fn at(&self, folder: &Path, interrupt: &Interrupt) -> Result<Box<dyn AgentDoor + '_>, ActionError> {
        self.inner.at(folder, interrupt)
    }

    fn foreign(&self) -> Arc<dyn ForeignTools> {
        self.inner.foreign()
    }

    fn measure(&self) -> &dyn Measure {
        self.inner.measure()
    }
}

#[derive(Debug)]
struct AtTerminal {
    watching: Arc<Watching>,
    interrupt: Interrupt,
    /// The folder that the run works in.
    folder: Option<String>,
}

impl Attendant for AtTerminal {
    fn go_on(&mut self, checkpoint: &Approval) -> Decision {
        self.watching.ask(checkpoint, &self.interrupt)
    }

    fn confirm(&mut self, approval: &Approval) -> Option<Said> {
        self.watching.confirm(approval, self.folder.clone(), &self.interrupt)
    }

    fn plan(&mut self, proposal: &Proposal) -> Option<Said> {
        self.watching.plan(proposal, &self.interrupt)
    }
}
