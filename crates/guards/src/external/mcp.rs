//! A guard that is a tool of another server. It is asked over the connection that our own calls use, and only as the person
//! approved it: what no pin holds, or what is another tool by now, looks at nothing.
//!
//! What the server says beside the structured content counts for nothing. It must not put words of a server into an error.

use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use premath_kernel::Digest;
use premath_tusk::policy::{
    Guard, GuardAction, GuardError, GuardReport, GuardSubject, GuardrailStage, SelfTestFailure,
};
use premath_tusk::sandbox::Interrupt;
use premath_tusk::tools::ToolFailure;
use premath_tusk::tools::foreign::{BlockedClass, ForeignAnswer, ForeignCall, ForeignError, ForeignTools};

use super::{answer, document, self_test};
use crate::settings::StageActions;

/// The most that is read of an answer.
const OUTPUT_BYTES: u64 = 1 << 20;
/// How much later than its deadline a look is given up in any case: a server that hangs in the call itself is told so before.
const GRACE: Duration = Duration::from_millis(100);

/// A tool that looks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpGuardSettings {
    /// Its name among the guards.
    pub id: String,
    /// The server, by its name in the configuration.
    pub server: String,
    /// The tool, as the server calls it.
    pub tool: String,
    /// What the person approved of it; none where nobody did.
    pub pin: Option<Digest>,
    /// What is done about what it finds, and when it looks.
    pub actions: StageActions,
    /// How long it has, from the connection to the answer.
    pub deadline: Duration,
    /// A text that it must find something in when it is tried.
    pub must_find: Option<String>,
    /// A text that it must let pass when it is tried; a harmless one when `None`.
    pub must_pass: Option<String>,
}

impl McpGuardSettings {
    /// A guard that blocks at what goes in and comes out, with two seconds, and that nobody approved.
    #[must_use]
    pub fn new(id: impl Into<String>, server: impl Into<String>, tool: impl Into<String>) -> Self {
        let block = Some(GuardAction::Block);
        Self {
            id: id.into(),
            server: server.into(),
            tool: tool.into(),
            pin: None,
            actions: StageActions { input: block, output: block, ..StageActions::NONE },
            deadline: super::http::DEADLINE,
            must_find: None,
            must_pass: None,
        }
    }
}

/// A guard that is a tool of another server.
#[derive(Debug)]
pub struct McpGuard {
    settings: McpGuardSettings,
    stages: Vec<GuardrailStage>,
    servers: Arc<dyn ForeignTools>,
}

impl McpGuard {
    /// A guard that asks one of these servers.
    #[must_use]
    pub fn new(settings: McpGuardSettings, servers: Arc<dyn ForeignTools>) -> Self {
        let stages = settings.actions.stages();
        Self { settings, stages, servers }
    }

    fn pin(&self) -> Result<&Digest, GuardError> {
        let McpGuardSettings { server, tool, pin, .. } = &self.settings;
        pin.as_ref().ok_or_else(|| {
            let class = BlockedClass::Unpinned.code();
            GuardError::Unavailable(format!("{class}: nobody approved `{tool}` of the server `{server}`"))
        })
    }

    /// Asks, and stops waiting at the deadline whatever takes so long: the start, the definitions or the call.
    fn ask(&self, arguments: &serde_json::Value) -> Result<ForeignAnswer, GuardError> {
        let settings = &self.settings;
        let (pin, interrupt) = (self.pin()?, Interrupt::default());
        thread::scope(|scope| {
            let (answered, waits) = mpsc::channel::<()>();
            let given_up = interrupt.clone();
            let watch = thread::Builder::new().name("guard".to_owned()).spawn_scoped(scope, move || {
                // Whoever has an answer drops the other end.
                if waits.recv_timeout(settings.deadline + GRACE) == Err(mpsc::RecvTimeoutError::Timeout) {
                    given_up.request();
                }
            });
            if watch.is_err() {
                return Err(GuardError::Unavailable("nobody could be had to watch the deadline".to_owned()));
            }
            let asked = self.servers.call(&ForeignCall {
                server: &settings.server,
                tool: &settings.tool,
                arguments,
                pin,
                deadline: Some(settings.deadline),
                output_bytes: Some(OUTPUT_BYTES),
                interrupt: &interrupt,
            });
            drop(answered);
            asked.map_err(|error| self.unanswered(error))
        })
    }

    fn unanswered(&self, error: ForeignError) -> GuardError {
        match error {
            ForeignError::TimedOut { .. } | ForeignError::Interrupted => {
                let millis = u64::try_from(self.settings.deadline.as_millis()).unwrap_or(u64::MAX);
                GuardError::TimedOut { millis }
            }
            error @ (ForeignError::TooLarge { .. }
            | ForeignError::Protocol { .. }
            | ForeignError::TooMany { .. }) => GuardError::Unreadable(classed(error)),
            error @ (ForeignError::Unknown { .. }
            | ForeignError::Unreachable { .. }
            | ForeignError::AnswerLost { .. }
            | ForeignError::Refused { .. }
            | ForeignError::Drift { .. }) => GuardError::Unavailable(classed(error)),
        }
    }
}

/// What went wrong, behind the class that a call of ours would fail with.
fn classed(error: ForeignError) -> String {
    let failure = ToolFailure::from(error);
    format!("{}: {}", failure.error_code, failure.message)
}

impl Guard for McpGuard {
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
        let answer = self.ask(&document::value(subject)?)?;
        if answer.is_error {
            let what = "mcp.tool_failed: the tool says that the call failed";
            return Err(GuardError::Unavailable(what.to_owned()));
        }
        let unreadable = |what: &str| GuardError::Unreadable(what.to_owned());
        let content = answer.structured.ok_or_else(|| {
            unreadable("the answer has no structured content, or more of it than anybody reads")
        })?;
        let bytes =
            serde_json::to_vec(&content).map_err(|_| unreadable("the answer cannot be written down"))?;
        answer::read(&bytes, subject.text)
    }

    /// Before it is tried the server is there, which may take it longer than a look may.
    fn self_test(&self) -> Result<(), SelfTestFailure> {
        let failure =
            |error: &GuardError| SelfTestFailure { guard: self.id().to_owned(), what: error.to_string() };
        self.pin().map_err(|error| failure(&error))?;
        let listed = self.servers.list(&self.settings.server, &Interrupt::default());
        listed.map_err(|error| failure(&self.unanswered(error)))?;
        self_test(self, self.settings.must_find.as_deref(), self.settings.must_pass.as_deref())
    }
}
