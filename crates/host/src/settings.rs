//! What the configuration of a repository says, each value with the layer it comes from.
//!
//! Read from a file by the composition root; every value has a default. It must not read anything itself.

mod policy;
mod telemetry;
mod tools;
mod turn_loop;

use std::fmt;

pub use premath_shell::AgentSandbox;

pub use policy::PolicySettings;
pub use telemetry::TelemetrySettings;
pub use tools::ToolSettings;
pub use turn_loop::{CodeSettings, LoopSettings};

/// Which layer a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layer {
    /// Nobody said anything.
    Default,
    /// A variable of the environment said it.
    Environment {
        /// Which.
        variable: String,
    },
    /// A file said it.
    File {
        /// Which, as it is shown.
        name: String,
        /// On which line, from 1.
        line: usize,
    },
}

/// One value and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value that counts.
    pub value: T,
    /// Where it comes from.
    pub layer: Layer,
}

impl<T> Setting<T> {
    /// A value nobody had to name.
    pub const fn default_value(value: T) -> Self {
        Self { value, layer: Layer::Default }
    }
}

/// What a person's terminal may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalAuthority {
    /// Issue memory, on the person's own authority.
    Operator,
    /// Nothing: every change needs an instruction.
    InstructionLinked,
    /// Issue memory, with a reason that is recorded.
    HumanOverride,
}

impl TerminalAuthority {
    /// Every one of them.
    pub const ALL: [Self; 3] = [Self::Operator, Self::InstructionLinked, Self::HumanOverride];

    /// Its name in the configuration.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::InstructionLinked => "instruction-linked",
            Self::HumanOverride => "human-override",
        }
    }
}

impl fmt::Display for TerminalAuthority {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.token())
    }
}

/// The whole configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `mutation.cli`
    pub terminal: Setting<TerminalAuthority>,
    /// `issues.path`, from the root of the repository
    pub issues_path: Setting<String>,
    /// `issues.prefix`
    pub issue_prefix: Setting<String>,
    /// `models.default` and `models.fallback`: what is asked when no model is named, in order
    pub model_chain: Setting<Vec<String>>,
    /// Providers of models and prices, each as it is shown: the composition root alone knows what they mean.
    pub model_entries: Vec<(String, Setting<String>)>,
    /// `[loop]`: what a run may use, and how it works
    pub turn_loop: LoopSettings,
    /// `[guardrails]`, each value as it is shown: the composition root alone knows what they mean.
    pub guard_entries: Vec<(String, Setting<String>)>,
    /// `guard.agent_sandbox`: the sandbox that other agents run their commands in
    pub agent_sandbox: Setting<AgentSandbox>,
    /// `[mcp]`, each server as it is shown.
    pub mcp_entries: Vec<(String, Setting<String>)>,
    /// `[policy]`: in which role runs work, what it may have, what a day may cost
    pub policy: PolicySettings,
    /// `[telemetry]`: who is told of runs, and what
    pub telemetry: TelemetrySettings,
    /// `[tools]`: how tools are offered
    pub tools: ToolSettings,
}

impl Settings {
    /// Where issue memory is, when nobody says.
    pub const ISSUES_PATH: &'static str = ".premath/issues.jsonl";
    /// What ids of our own begin with, when nobody says.
    pub const ISSUE_PREFIX: &'static str = "bd";
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            terminal: Setting::default_value(TerminalAuthority::Operator),
            issues_path: Setting::default_value(Self::ISSUES_PATH.to_owned()),
            issue_prefix: Setting::default_value(Self::ISSUE_PREFIX.to_owned()),
            model_chain: Setting::default_value(Vec::new()),
            model_entries: Vec::new(),
            turn_loop: LoopSettings::default(),
            guard_entries: Vec::new(),
            agent_sandbox: Setting::default_value(AgentSandbox::None),
            mcp_entries: Vec::new(),
            policy: PolicySettings::default(),
            telemetry: TelemetrySettings::default(),
            tools: ToolSettings::default(),
        }
    }
}
