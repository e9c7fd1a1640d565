//! A repository on a disk that can die, with models behind real adapters and a sandbox that only remembers.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use premath_bd::desk::{Approval, PersonCredential, Proposal};
use premath_bd::{OperatorBasis, OperatorGrant, Permit};
use premath_exec::Beneath;
use premath_guards::{GuardSettings, built_in};
use premath_host::{
    ActionError, AgentDoor, Attendant, Case, DoorRefusal, Host, MutationDoor, NoModels, NoSandbox,
    ObservedTree, Said, Settings, SourceError, VectorSource, Workspace, converse,
};
use premath_kernel::Moment;
use premath_models::provider::{AnswerLimits, Protocol, ProviderConfig, model};
use premath_models::scripted::{Script, ScriptedTransport};
use premath_models::transport::{Transport, TransportFuture, WireRequest};
use premath_rules::RulePack;
use premath_testkit::faulty_disk::SimDisk;
use premath_testkit::{CountingIds, TestClock};
use premath_tusk::model::{
    Candidate, Chain, MemoryCircuits, ModelError, ModelErrorKind, ModelEvent, ModelRequest, PortFuture,
};
use premath_tusk::policy::{Governor, Guards};
use premath_tusk::sandbox::{
    CapturedOutput, Ending, Interrupt, Sandbox, SandboxCommand, SandboxError, SandboxEvidence, SandboxReport,
    SandboxRun,
};
use premath_tusk::tools::files::WorkFiles;
use premath_tusk::tools::{ProtectedPaths, ToolSpec};
use premath_tusk::turn_loop::{AnswerError, AnswerPort, Answered, Decision, Stopwatch};
use tempfile::TempDir;

use crate::bodies::unpaired;

/// What outlives a process: the work folder, the effects, what is wrong with requests.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) folder: TempDir,
    pub(crate) effects: Mutex<Vec<String>>,
    pub(crate) wrong: Mutex<Vec<String>>,
    pub(crate) requests: Mutex<u64>,
}

impl World {
    /// The repository: on the disk that fails, but for the desk, whose database is in the same place on a real one.
    pub(crate) fn root(&self) -> PathBuf {
        let root = self.folder.path().join("repository");
        std::fs::create_dir_all(root.join(".premath")).unwrap();
        root
    }

    pub(crate) fn new() -> Arc<Self> {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("a.txt"), "one\ntwo\n").unwrap();
        let (effects, wrong, requests) = (Mutex::default(), Mutex::default(), Mutex::default());
        Arc::new(Self { folder, effects, wrong, requests })
    }
}

/// A transport that reads along.
#[derive(Debug)]
struct Checking {
    inner: ScriptedTransport,
    world: Arc<World>,
}

impl Transport for Checking {
    fn send<'a>(&'a self, request: &'a WireRequest) -> TransportFuture<'a> {
        *self.world.requests.lock().unwrap() += 1;
        if let Some(wrong) = unpaired(&request.url, &request.body) {
            self.world.wrong.lock().unwrap().push(wrong);
        }
        self.inner.send(request)
    }
}

/// A sandbox whose commands only leave their name behind.
#[derive(Debug)]
struct Remembering(Arc<World>);

impl Sandbox for Remembering {
    fn run(&self, command: &SandboxCommand, _: &Interrupt) -> Result<SandboxRun, SandboxError> {
        self.0.effects.lock().unwrap().push(format!("{command:?}"));
        let evidence = SandboxEvidence {
            workdir: command.workdir.clone(),
            profile: command.profile,
            profile_digest: "sha256:profile".to_owned(),
            command_digest: "sha256:command".to_owned(),
            layers: Vec::new(),
            operator_override: None,
            wall: Duration::ZERO,
            user: Duration::ZERO,
            system: Duration::ZERO,
        };
        let nothing = CapturedOutput::default;
        Ok(SandboxRun { ending: Ending::Exited(0), stdout: nothing(), stderr: nothing(), evidence })
    }

    fn check(&self) -> Result<SandboxReport, SandboxError> {
        Err(SandboxError::NoSandbox)
    }
}

/// The outside of one process.
#[derive(Debug)]
pub(crate) struct Outside {
    pub(crate) world: Arc<World>,
    pub(crate) script: Arc<Script>,
    pub(crate) protocol: Protocol,
    pub(crate) interrupt: Interrupt,
    /// Somebody asks for the end at this request of the process.
    pub(crate) interrupt_at: Option<u64>,
    /// What a person says who is asked.
    pub(crate) decision: Decision,
}

impl AgentDoor for Outside {
    fn workdir(&self) -> Result<PathBuf, ActionError> {
        Ok(self.world.folder.path().to_path_buf())
    }

    fn files(&self) -> Result<Arc<dyn WorkFiles>, ActionError> {
        Ok(Arc::new(Beneath::open_root(self.world.folder.path()).unwrap()))
    }

    fn observed_tree(&self) -> Result<Option<ObservedTree>, ActionError> {
        let tree = Arc::new(Beneath::open_root(self.world.folder.path()).unwrap());
        Ok(Some(ObservedTree { tree, active: Arc::default() }))
    }

    fn protected(&self) -> Result<ProtectedPaths, ActionError> {
        Ok(ProtectedPaths::standard())
    }

    fn sandbox(&self) -> Arc<dyn Sandbox> {
        Arc::new(Remembering(Arc::clone(&self.world)))
    }

    fn default_models(&self) -> Vec<String> {
        vec!["storm:model".to_owned()]
    }

    fn unpriced_models(&self, references: &[String]) -> Result<Vec<String>, ActionError> {
        Ok(references.to_vec())
    }

    fn answers(&self, references: &[String]) -> Result<Box<dyn AnswerPort + Send>, ActionError> {
        let inner =
            ScriptedTransport::new(Arc::clone(&self.script)).with_idle_timeout(Duration::from_millis(2));
        let transport = Arc::new(Checking { inner, world: Arc::clone(&self.world) });
        let config = ProviderConfig {
            name: "storm".to_owned(),
            protocol: self.protocol,
            base_url: "http://127.0.0.1".to_owned(),
            key: None,
            headers: Vec::new(),
        };
        let name = references.first().and_then(|one| one.split(':').nth(1)).unwrap_or("model");
        let model = model(config, name, transport, AnswerLimits::default());
        let chain = Chain {
            candidates: vec![Candidate { provider: "storm".to_owned(), model }],
            circuits: Arc::new(MemoryCircuits::default()),
            clock: Arc::new(TestClock::at(moment())),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (interrupt, at) = (self.interrupt.clone(), self.interrupt_at);
        Ok(Box::new(Answering { runtime, chain, interrupt, at, asked: 0 }))
    }

    fn governor(&self, tools: &[ToolSpec]) -> Result<Arc<Governor>, ActionError> {
        let rules = RulePack::load(&RulePack::default_sources(), tools).unwrap();
        let guards = built_in(&GuardSettings::default()).unwrap().into_iter().map(Arc::from).collect();
        Ok(Arc::new(Governor::new(Arc::new(rules), Guards::boot(guards))))
    }

    fn attendant(&self) -> Box<dyn Attendant> {
        Box::new(Somebody(self.decision))
    }

    fn credential(&self) -> Result<Option<PersonCredential>, ActionError> {
        Ok(Some(PersonCredential::new("storm".to_owned(), [7; 32])))
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        Box::new(Still)
    }

    fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }
}

#[derive(Debug)]
struct Somebody(Decision);

impl Attendant for Somebody {
    fn go_on(&mut self, _: &Approval) -> Decision {
        self.0
    }

    fn confirm(&mut self, _: &Approval) -> Option<Said> {
        None
    }

    fn plan(&mut self, _: &Proposal) -> Option<Said> {
        None
    }
}

#[derive(Debug)]
struct Still;

impl Stopwatch for Still {
    fn elapsed_millis(&self) -> u64 {
        1
    }
}

#[derive(Debug)]
struct Answering {
    runtime: tokio::runtime::Runtime,
    chain: Chain,
    interrupt: Interrupt,
    at: Option<u64>,
    asked: u64,
}

impl AnswerPort for Answering {
    fn answer<'a>(
        &'a mut self,
        request: &'a ModelRequest,
        watch: &'a mut (dyn FnMut(&ModelEvent) + Send),
    ) -> PortFuture<'a, Result<Answered, AnswerError>> {
        self.asked += 1;
        if self.at == Some(self.asked) {
            self.interrupt.request();
        }
        let heard = self.runtime.block_on(converse(&self.chain, request, &mut |event| watch(event)));
        let answered = heard.map_err(|error| {
            let error = match error {
                ActionError::Model(failure) => failure.error,
                other => ModelError::new(ModelErrorKind::Unknown, "other", other.to_string()),
            };
            AnswerError::Model(error)
        });
        let answered = answered.map(|heard| Answered {
            reference: heard.reference,
            response: heard.response,
            cost_micros: None,
            attempts: Vec::new(),
        });
        Box::pin(std::future::ready(answered))
    }
}

#[derive(Debug)]
struct Operator;

impl MutationDoor for Operator {
    fn permit(&self, _: &str) -> Result<Permit, DoorRefusal> {
        Ok(Permit::Operator(OperatorGrant::new(Some("jo".to_owned()), OperatorBasis::Configured)))
    }
}

/// No vectors are asked for.
#[derive(Debug)]
pub(crate) struct NoVectors;

impl VectorSource for NoVectors {
    fn cases(&self) -> Result<Vec<Case>, SourceError> {
        Ok(Vec::new())
    }
}

fn moment() -> Moment {
    Moment::new(1_800_000_000, 0).unwrap()
}

/// A repository on a disk, as one process sees it.
pub(crate) fn workspace(disk: &SimDisk, process: u64, world: &World) -> Workspace {
    Workspace {
        disk: Arc::new(disk.clone()),
        clock: Arc::new(TestClock::at(moment())),
        ids: Arc::new(CountingIds::new(&format!("p{process}"))),
        root: world.root(),
        door: Arc::new(Operator),
        settings: Settings::default(),
        redactor: premath_bd::Redactor::default(),
        retention: premath_host::Retention::default(),
        packages: premath_host::PolicyPackages::default(),
        receipts: premath_bd::AuditReceipts::default(),
    }
}

/// The host of one process.
pub(crate) fn host<'h>(workspace: &'h Workspace, outside: &'h Outside) -> Host<'h> {
    Host { vectors: &NoVectors, workspace, models: &NoModels, sandbox: &NoSandbox, agent: outside }
}
