//! What a run needs of the world outside a repository. Only a trait and plain data; the composition root implements it.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use premath_bd::StoreError;
use premath_bd::desk::{Approval, ApprovalScope, PersonCredential, Proposal, Verdict};
use premath_bd::issues::KeptIssues;
use premath_tusk::policy::{Governor, Observability};
use premath_tusk::sandbox::{Interrupt, Sandbox};
use premath_tusk::tools::files::WorkFiles;
use premath_tusk::tools::foreign::{ForeignTools, NoForeignTools};
use premath_tusk::tools::{ActiveCommands, ProtectedPaths, ToolSpec, WorkTree};
use premath_tusk::turn_loop::{
    AnswerPort, AskedConfirmation, Checkpoint, Confirmation, Decision, Person, PlanDecision, Stopwatch,
};
use premath_tusk::version_control::{NoVersionControl, VersionControl};

use super::secret_vault::SecretVault;
use super::traces::KeptRuns;
use crate::coherence::CommandShape;
use crate::measured::{Measure, NoMeasure};
use crate::table::ActionError;

/// The folders of a workdir, and the commands of this process that are running in it.
#[derive(Debug, Clone)]
pub struct ObservedTree {
    /// The folders.
    pub tree: Arc<dyn WorkTree>,
    /// The commands. Runs that share the workdir share them.
    pub active: Arc<ActiveCommands>,
}

/// The world outside, as a run sees it. Workers are run on threads of their own, so it is shared between them.
pub trait AgentDoor: Debug + Sync {
    /// The folder that tools work in.
    ///
    /// # Errors
    /// There is none.
    fn workdir(&self) -> Result<PathBuf, ActionError>;

    /// The files below it.
    ///
    /// # Errors
    /// They cannot be reached safely here.
    fn files(&self) -> Result<Arc<dyn WorkFiles>, ActionError>;

    /// The same folders for comparing them before and after commands; none where commands are not observed, and then no
    /// turn with a command closes.
    ///
    /// # Errors
    /// They cannot be reached safely here.
    fn observed_tree(&self) -> Result<Option<ObservedTree>, ActionError> {
        Ok(None)
    }

    /// What no tool changes among them, links followed: what a protected name leads to is protected like itself.
    ///
    /// # Errors
    /// It cannot be told where they lead.
    fn protected(&self) -> Result<ProtectedPaths, ActionError>;

    /// Where commands run.
    fn sandbox(&self) -> Arc<dyn Sandbox>;

    /// What commits, merges and lands the work of steps.
    fn version_control(&self) -> &dyn VersionControl {
        &NoVersionControl
    }

    /// The models that are asked when nobody names others.
    fn default_models(&self) -> Vec<String>;

    /// The models among these that have no price a cost limit can rely on.
    ///
    /// # Errors
    /// Prices cannot be read.
    fn unpriced_models(&self, references: &[String]) -> Result<Vec<String>, ActionError>;

    /// What the working directory is, where it is too much for an agent and the person did not name it: the home directory,
    /// or the root of the file system.
    ///
    /// # Errors
    /// There is no working directory.
    fn broad_workdir(&self) -> Result<Option<&'static str>, ActionError> {
        Ok(None)
    }

    /// Whoever answers in the name of these models, in order.
    ///
    /// # Errors
    /// A reference that names nothing.
    fn answers(&self, references: &[String]) -> Result<Box<dyn AnswerPort + Send>, ActionError>;

    /// What decides about the calls of a run that has these tools.
    ///
    /// # Errors
    /// There is nothing that could decide. Nothing runs then.
    fn governor(&self, tools: &[ToolSpec]) -> Result<Arc<Governor>, ActionError>;

    /// The files of the rules in force and of their examples, by where they belong below `policies`.
    ///
    /// # Errors
    /// There are none, or they cannot be read.
    fn rule_files(&self) -> Result<Vec<(String, String)>, ActionError> {
        nothing()
    }

    /// Whoever sits at the door and can be asked at once.
    fn attendant(&self) -> Box<dyn Attendant>;

    /// What a person of this door signs with; none where there is no person.
    ///
    /// # Errors
    /// It is there and cannot be read.
    fn credential(&self) -> Result<Option<PersonCredential>, ActionError>;

    /// Whether this process was started by an agent and nobody sits at a terminal: then it may look, and signs nothing.
    fn is_for_an_agent(&self) -> bool {
        false
    }

    /// Time from now on.
    fn stopwatch(&self) -> Box<dyn Stopwatch>;

    /// Where views of issue memory are kept between two calls; nowhere in a process that calls once.
    fn kept_issues(&self) -> Option<Arc<KeptIssues>> {
        None
    }

    /// Where it is kept what runs came to; nowhere in a process that calls once.
    fn kept_runs(&self) -> Option<Arc<KeptRuns>> {
        None
    }

    /// Where runs that wait for an answer leave their secrets; none where no person answers while this process lives, and then
    /// no call is asked about for a secret.
    fn secret_vault(&self) -> Option<Arc<SecretVault>> {
        None
    }

    /// The modes of the trace sinks that are open for runs of this door; none where nothing is exported.
    fn trace_sinks(&self) -> Vec<Observability> {
        Vec::new()
    }

    /// What asks every run of this door to end.
    fn interrupt(&self) -> Interrupt;

    /// Lets time pass, or less of it when somebody asks for the end. Where there is no clock none passes.
    fn pause(&self, _duration: Duration, _interrupt: &Interrupt) {}

    /// The same door for work in another folder, which another wish ends.
    ///
    /// # Errors
    /// Nobody works elsewhere from here.
    fn at(&self, _folder: &Path, _interrupt: &Interrupt) -> Result<Box<dyn AgentDoor + '_>, ActionError> {
        nothing()
    }

    /// The commands that can be typed at this door, as its own parser has them; none where nobody types.
    fn commands(&self) -> Vec<CommandShape> {
        Vec::new()
    }

    /// Other servers whose tools runs may use; none where nobody reaches any.
    fn foreign(&self) -> Arc<dyn ForeignTools> {
        Arc::new(NoForeignTools)
    }

    /// What measures policy packages; a door that cannot says so.
    fn measure(&self) -> &dyn Measure {
        &NoMeasure
    }
}

/// What somebody says who is asked.
#[derive(Debug)]
pub struct Said {
    /// Yes or no.
    pub verdict: Verdict,
    /// How far a yes goes.
    pub scope: ApprovalScope,
    /// What they say about it.
    pub message: Option<String>,
}

impl Said {
    /// A yes to this one thing.
    #[must_use]
    pub const fn yes() -> Self {
        Self { verdict: Verdict::Approve, scope: ApprovalScope::Once, message: None }
    }

    /// A no.
    #[must_use]
    pub const fn no() -> Self {
        Self { verdict: Verdict::Deny, scope: ApprovalScope::Once, message: None }
    }
}

/// Whoever sits at a door. What they say is signed and kept before it counts.
pub trait Attendant: Debug {
    /// Asks whether to go on: the question of a checkpoint.
    fn go_on(&mut self, checkpoint: &Approval) -> Decision;

    /// Asks about one call; none when nobody answers now.
    fn confirm(&mut self, approval: &Approval) -> Option<Said>;

    /// Asks about a plan; none when nobody answers now.
    fn plan(&mut self, proposal: &Proposal) -> Option<Said>;
}

impl Attendant for NoPerson {
    fn go_on(&mut self, _: &Approval) -> Decision {
        Decision::NoAnswer
    }

    fn confirm(&mut self, _: &Approval) -> Option<Said> {
        None
    }

    fn plan(&mut self, _: &Proposal) -> Option<Said> {
        None
    }
}

/// Nobody is there.
#[derive(Debug)]
pub struct NoPerson;

impl Person for NoPerson {
    fn decide(&mut self, _: &Checkpoint<'_>) -> Result<Decision, StoreError> {
        Ok(Decision::NoAnswer)
    }

    fn confirm(&mut self, _: &[AskedConfirmation<'_>]) -> Result<Vec<Confirmation>, StoreError> {
        Ok(Vec::new())
    }

    fn plan(&mut self, proposal_id: &str) -> Result<PlanDecision, StoreError> {
        let (proposal_id, state) = (proposal_id.to_owned(), "pending".to_owned());
        Ok(PlanDecision { proposal_id, state, steps: Vec::new() })
    }
}

/// A place where no agent runs.
#[derive(Debug)]
pub struct NoAgent;

fn nothing<T>() -> Result<T, ActionError> {
    Err(ActionError::Unavailable {
        what: "no agent can run here".to_owned(),
        hint: "use `premath run` in a repository".to_owned(),
    })
}

#[derive(Debug)]
struct Stopped;

impl Stopwatch for Stopped {
    fn elapsed_millis(&self) -> u64 {
        0
    }
}

impl AgentDoor for NoAgent {
    fn workdir(&self) -> Result<PathBuf, ActionError> {
        nothing()
    }

    fn files(&self) -> Result<Arc<dyn WorkFiles>, ActionError> {
        nothing()
    }

    fn protected(&self) -> Result<ProtectedPaths, ActionError> {
        nothing()
    }

    fn sandbox(&self) -> Arc<dyn Sandbox> {
        Arc::new(crate::outside::NoSandbox)
    }

    fn default_models(&self) -> Vec<String> {
        Vec::new()
    }

    fn unpriced_models(&self, _: &[String]) -> Result<Vec<String>, ActionError> {
        nothing()
    }

    fn answers(&self, _: &[String]) -> Result<Box<dyn AnswerPort + Send>, ActionError> {
        nothing()
    }

    fn governor(&self, _: &[ToolSpec]) -> Result<Arc<Governor>, ActionError> {
        nothing()
    }

    fn attendant(&self) -> Box<dyn Attendant> {
        Box::new(NoPerson)
    }

    fn credential(&self) -> Result<Option<PersonCredential>, ActionError> {
        Ok(None)
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        Box::new(Stopped)
    }

    fn interrupt(&self) -> Interrupt {
        Interrupt::default()
    }
}
