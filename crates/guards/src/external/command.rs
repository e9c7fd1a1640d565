//! A guard that is a program. It runs in the sandbox, for one document, and ends.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use premath_tusk::policy::{
    Guard, GuardAction, GuardError, GuardReport, GuardSubject, GuardrailStage, SelfTestFailure,
};
use premath_tusk::sandbox::{
    Ending, ExecutionLimits, Interrupt, Profile, Sandbox, SandboxCommand, StateAccess,
};

use super::{answer, document, self_test};
use crate::settings::StageActions;

/// Whether a guard's program reaches the network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum GuardNetwork {
    /// No; it only reads.
    #[default]
    None,
    /// Yes. The sandbox's `network` profile also lets it write the workdir, but for what is protected.
    Allowed,
}

/// A program that looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandGuardSettings {
    /// Its name among the guards.
    pub id: String,
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Where it runs.
    pub workdir: PathBuf,
    /// What is done about what it finds, and when it looks.
    pub actions: StageActions,
    /// How long it has.
    pub deadline: Duration,
    /// Whether it reaches the network.
    pub network: GuardNetwork,
    /// A text that it must find something in when it is tried.
    pub must_find: Option<String>,
    /// A text that it must let pass when it is tried; a harmless one when `None`.
    pub must_pass: Option<String>,
}

impl CommandGuardSettings {
    /// A guard that blocks at what goes in and comes out, with two seconds, and no network.
    #[must_use]
    pub fn new(id: impl Into<String>, program: impl Into<String>, workdir: PathBuf) -> Self {
        let block = Some(GuardAction::Block);
        Self {
            id: id.into(),
            program: program.into(),
            arguments: Vec::new(),
            workdir,
            actions: StageActions { input: block, output: block, ..StageActions::NONE },
            deadline: super::http::DEADLINE,
            network: GuardNetwork::None,
            must_find: None,
            must_pass: None,
        }
    }
}

/// A guard that is a program.
#[derive(Debug)]
pub struct CommandGuard {
    settings: CommandGuardSettings,
    stages: Vec<GuardrailStage>,
    sandbox: Arc<dyn Sandbox>,
}

/// The most that is read of an answer.
const OUTPUT_BYTES: u64 = 1 << 20;

impl CommandGuard {
    /// A guard that runs a program in a sandbox.
    #[must_use]
    pub fn new(settings: CommandGuardSettings, sandbox: Arc<dyn Sandbox>) -> Self {
        let stages = settings.actions.stages();
        Self { settings, stages, sandbox }
    }

    fn command(&self, stdin: Vec<u8>) -> SandboxCommand {
        let settings = &self.settings;
        let profile = match settings.network {
            GuardNetwork::None => Profile::ReadOnly,
            GuardNetwork::Allowed => Profile::Network,
        };
        let whole_seconds = Duration::from_secs(settings.deadline.as_secs() + 1);
        let limits = ExecutionLimits {
            wall: settings.deadline,
            cpu: whole_seconds,
            output: OUTPUT_BYTES,
            ..ExecutionLimits::default()
        };
        SandboxCommand {
            program: settings.program.clone(),
            arguments: settings.arguments.clone(),
            workdir: settings.workdir.clone(),
            profile,
            environment: Vec::new(),
            stdin,
            limits,
            state: StateAccess::default(),
        }
    }
}

impl Guard for CommandGuard {
    fn id(&self) -> &str {
        &self.settings.id
    }

    fn stages(&self) -> &[GuardrailStage] {
        &self.stages
    }

    fn action(&self, stage: GuardrailStage) -> GuardAction {
        self.settings.actions.at(stage).unwrap_or(GuardAction::Block)
    }

    fn check(&self, subject: &GuardSubject<'_>) -> Result<GuardReport, GuardError> {
        let command = self.command(document::document(subject)?);
        let unavailable = |what: String| Err(GuardError::Unavailable(what));
        let run = match self.sandbox.run(&command, &Interrupt::default()) {
            Ok(run) => run,
            Err(error) => return unavailable(error.to_string()),
        };
        match run.ending {
            Ending::Exited(0) => {}
            Ending::Exited(code) => return unavailable(format!("the program ended with {code}")),
            Ending::Signalled(signal) => {
                return unavailable(format!("the program was ended by signal {signal}"));
            }
            Ending::DiskLimit => return unavailable("the program took too much disk space".to_owned()),
            Ending::Interrupted => return unavailable("the program was interrupted".to_owned()),
            Ending::TimedOut => {
                let millis = u64::try_from(self.settings.deadline.as_millis()).unwrap_or(u64::MAX);
                return Err(GuardError::TimedOut { millis });
            }
        }
        if run.stdout.cut_bytes() > 0 {
            return Err(GuardError::Unreadable("the answer is too long".to_owned()));
        }
        answer::read(&run.stdout.head, subject.text)
    }

    fn self_test(&self) -> Result<(), SelfTestFailure> {
        self_test(self, self.settings.must_find.as_deref(), self.settings.must_pass.as_deref())
    }
}
