//! Our loop: the machine and the driver with every check on, the adapters and the chain, a whole catalogue of tools, and a
//! journal in memory or in its file. What a run of `premath run` has, with a trivial tool beside the others.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt as _;
use premath_bd::{Change, Disk, Journal, JournalEvent, OsDisk, StoreError, TurnGrant, runs_folder};
use premath_host::{AgentDoor as _, FileJournal, NoPerson, Setting, Workspace, issue_tools};
use premath_kernel::{ActionMode, Value};
use premath_models::provider::Protocol;
use premath_tusk::context::Blocks;
use premath_tusk::sandbox::{ExecutionLimits, Profile};
use premath_tusk::tools::payloads::MemoryPayloads;
use premath_tusk::tools::{Catalogue, ProtectedPaths, ToolSpec, built_in};
use premath_tusk::turn_loop::{
    Beginning, ContextLimits, Crew, EvidenceRules, IntentOutcome, IssuePort, Limits, Machine, ObjectPort,
    Ports, RunConfig, RunEvent, RunJournal, RunOutcome, STRUCTURED, Toolbox, Verification, WorkerPlan,
    WorkerReturn, Workflow, drive,
};

use super::workload::{Kind, Trivial, Workload};
use crate::agent::Agent;
use crate::error::CliError;
use crate::models::Models;
use crate::outside;
use crate::settings::Loaded;
use crate::settings::models::{KeySource, ProviderSetting};

/// How much of a command's output is kept.
const CAPTURE: usize = 8 << 20;

/// Where the journal is.
#[derive(Debug, Clone)]
pub(super) enum Store {
    /// In memory, as bytes.
    Memory,
    /// In its file, on this disk.
    File(Arc<dyn Disk>),
}

/// A place where runs of ours can be made, one after the other.
#[derive(Debug)]
pub(super) struct Ours {
    workspace: Workspace,
    models: Models,
    catalogue: Catalogue,
    store: Store,
}

impl Ours {
    pub(super) fn new(url: &str, root: &Path, store: Store) -> Result<Self, CliError> {
        let mut workspace = super::super::nowhere();
        workspace.root = root.to_path_buf();
        if let Store::File(disk) = &store {
            workspace.disk = Arc::clone(disk);
        }
        let mut loaded = Loaded::default();
        let base_url = url.to_owned();
        let provider =
            ProviderSetting { protocol: Protocol::AnthropicMessages, base_url, key: KeySource::NotNeeded };
        loaded.models.providers.insert("bench".to_owned(), Setting::default_value(provider));
        let models = Models::new(&workspace, loaded.models, None);
        let mut tools = built_in().map_err(defect)?;
        tools.extend(issue_tools(&workspace).map_err(defect)?);
        for kind in Kind::ALL {
            tools.push(Arc::new(Trivial::new(kind).map_err(defect)?));
        }
        let catalogue = Catalogue::new(tools).map_err(defect)?;
        Ok(Self { workspace, models, catalogue, store })
    }

    /// The tools of its runs, sorted as they are offered.
    pub(super) fn specs(&self) -> Vec<ToolSpec> {
        self.catalogue.specs().cloned().collect()
    }

    /// What its runs say first of all.
    pub(super) fn system(&self) -> Vec<String> {
        Blocks::new("Do what the plan says.".to_owned())
            .assemble()
            .system
            .into_iter()
            .map(|block| block.text)
            .collect()
    }

    /// One run to its end; the bytes of its journal.
    pub(super) fn run(&self, run_id: &str, workload: Workload) -> Result<u64, CliError> {
        let config = self.config(run_id, workload);
        let agent = Agent::new(
            &self.models,
            Arc::new(outside::sandbox(Loaded::default().sandbox, None)),
            &self.workspace.root,
            Loaded::default().guardrails,
        );
        let toolbox = self.toolbox(&agent)?;
        let mut memory = MemoryJournal::default();
        let mut file;
        let journal: &mut dyn RunJournal = match &self.store {
            Store::Memory => &mut memory,
            Store::File(disk) => {
                let runs = runs_folder(&self.workspace.root);
                let journal = Journal::open(Arc::clone(disk), &runs, run_id).map_err(store)?;
                file = FileJournal::open(&journal, &self.workspace).map_err(store)?;
                &mut file
            }
        };
        let mut machine = Machine::new(config).map_err(defect)?;
        let mut models = agent.answers(&machine.config().models).map_err(CliError::action)?;
        let time = agent.stopwatch();
        let mut ports = Ports {
            journal,
            models: models.as_mut(),
            tools: &toolbox,
            issues: &mut Nobody,
            objects: &mut Nobody,
            person: &mut NoPerson,
            policy: None,
            crew: &mut Nobody,
            time: time.as_ref(),
            watch: &mut |_| {},
        };
        let report = match drive(&mut machine, &mut ports, Beginning::Fresh).now_or_never() {
            Some(Ok(report)) => report,
            Some(Err(error)) => return Err(defect(error)),
            None => return Err(defect("a port waits for something that never comes")),
        };
        let turns = u64::try_from(workload.turns + 1).unwrap_or(u64::MAX);
        if report.outcome != RunOutcome::Completed || report.turns != turns || report.refused_turns > 0 {
            let what = format!("the measured run ended as {:?} after {} turns", report.outcome, report.turns);
            return Err(defect(what));
        }
        match &self.store {
            Store::Memory => Ok(u64::try_from(memory.0.len()).unwrap_or(u64::MAX)),
            Store::File(_) => self.journal_bytes(run_id),
        }
    }

    fn journal_bytes(&self, run_id: &str) -> Result<u64, CliError> {
        let path = runs_folder(&self.workspace.root).join(run_id).join("journal.jsonl");
        let stat = OsDisk.open(&path, premath_bd::Access::Read).and_then(|file| file.stat());
        stat.map(|stat| stat.length).map_err(defect)
    }

    fn config(&self, run_id: &str, workload: Workload) -> RunConfig {
        let task = "Do what the plan says.".to_owned();
        RunConfig {
            run_id: run_id.to_owned(),
            issue_id: None,
            instruction_ref: None,
            models: vec![format!("bench:{}", workload.model())],
            system: self.system(),
            opening: Blocks::new(task.clone()).assemble().opening,
            task,
            action_mode: ActionMode::Json,
            normalizer: STRUCTURED.to_owned(),
            workflow: Workflow::chain(),
            role: None,
            scope: None,
            tools: self.specs(),
            profile: Profile::WorkspaceWrite.as_str().to_owned(),
            limits: Limits {
                turns: None,
                tool_calls: None,
                tokens: None,
                cost_micros: None,
                workflow_turns: None,
                ..Limits::standard()
            },
            context: ContextLimits { max_tokens: u64::from(u32::MAX), ..ContextLimits::standard() },
            code: None,
            capabilities: Vec::new(),
            autonomy: None,
            parent: None,
            required_artifacts: Vec::new(),
            issue_scope: Vec::new(),
            edit_surfaces: Some(vec!["apply_patch".to_owned(), "shell".to_owned()]),
            incoming: Vec::new(),
            blocked: Vec::new(),
            policy: None,
            evidence: EvidenceRules::Computed,
            verification: Some(Verification::default()),
            turn_policies: Vec::new(),
            sinks: Some(Vec::new()),
        }
    }

    pub(super) fn toolbox(&self, agent: &Agent<'_>) -> Result<Toolbox, CliError> {
        let output = u64::try_from(CAPTURE).unwrap_or(u64::MAX);
        Ok(Toolbox {
            catalogue: self.catalogue.clone(),
            files: agent.files().map_err(CliError::action)?,
            sandbox: agent.sandbox(),
            interrupt: agent.interrupt(),
            workdir: agent.workdir().map_err(CliError::action)?,
            profile: Profile::WorkspaceWrite,
            limits: ExecutionLimits { output, ..ExecutionLimits::default() },
            protected: ProtectedPaths::standard(),
            readable_state: Vec::new(),
            payloads: Arc::new(MemoryPayloads::new()),
            budget: 16 * 1024,
            capture: CAPTURE,
            parallel: 8,
            changes: None,
            secrets: Arc::default(),
        })
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn defect(error: impl ToString) -> CliError {
    CliError::environment(error.to_string(), "this is a defect of premath")
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn store(error: StoreError) -> CliError {
    CliError::store(&error)
}

/// Rows as bytes, in memory.
#[derive(Debug, Default)]
struct MemoryJournal(Vec<u8>);

impl RunJournal for MemoryJournal {
    fn append(&mut self, rows: &[JournalEvent]) -> Result<(), StoreError> {
        for row in rows {
            self.0.extend_from_slice(row.bytes());
            self.0.push(b'\n');
        }
        Ok(())
    }

    fn seal(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Ports that the trivial tool never needs.
#[derive(Debug)]
struct Nobody;

fn nobody<T>() -> Result<T, StoreError> {
    Err(StoreError::Missing { path: PathBuf::from("nothing of the kind is measured") })
}

impl IssuePort for Nobody {
    fn witness(&mut self, _: &[Value<'_>]) -> Result<(), StoreError> {
        nobody()
    }

    fn apply(&mut self, _: TurnGrant, _: &Change) -> Result<IntentOutcome, StoreError> {
        nobody()
    }

    fn found(&mut self, _: &str, _: &str) -> Result<Option<IntentOutcome>, StoreError> {
        nobody()
    }
}

impl ObjectPort for Nobody {
    fn store(&mut self, _: &[u8]) -> Result<String, StoreError> {
        nobody()
    }

    fn look(&mut self, _: &str) -> Result<Option<String>, StoreError> {
        nobody()
    }
}

impl Crew for Nobody {
    fn run(
        &mut self,
        _: &Machine,
        _: &[WorkerPlan],
        _: &mut (dyn FnMut(&RunEvent<'_>) + Send),
    ) -> Result<Vec<WorkerReturn>, StoreError> {
        nobody()
    }
}
