//! What the configuration of a repository says, each value with the layer it comes from.
//!
//! Read from a file by the composition root; every value has a default. It must not read anything itself.

mod policy;
mod retention;
mod telemetry;
mod tools;
mod turn_loop;
mod work;

use std::fmt;

pub use premath_shell::AgentSandbox;

pub use policy::PolicySettings;
pub use retention::{RetentionSettings, parse_age, parse_size};
pub use telemetry::TelemetrySettings;
pub use tools::{ShellSettings, ToolSettings};
pub use turn_loop::{CodeSettings, LoopSettings, UnpricedModels};
pub use work::{LandMode, WorkSettings};

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

/// What closing an issue needs in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClosingRule {
    /// A verification result: a command that passed, a verdict, or a person's approval.
    Verified,
    /// Nothing beyond a closed turn.
    Unverified,
}

impl ClosingRule {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Verified, Self::Unverified];

    /// Its name in the configuration.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Verified => "verified",
            Self::Unverified => "unverified",
        }
    }
}

impl fmt::Display for ClosingRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.token())
    }
}

/// What new ids of issues look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdForm {
    /// `bd-7`: the next free number, which two branches give to two issues.
    Sequential,
    /// `bd-k3f9`: drawn at random.
    Short,
}

impl IdForm {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Sequential, Self::Short];

    /// Its name in the configuration.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Short => "short",
        }
    }
}

impl fmt::Display for IdForm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.token())
    }
}

/// The whole configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `mutation.cli`
    pub terminal: Setting<TerminalAuthority>,
    /// `mutation.closing`
    pub closing: Setting<ClosingRule>,
    /// `mutation.verify`: commands that verify the work of every run
    pub verify: Setting<Vec<String>>,
    /// `mutation.verify_tools`: tools that verify the work of every run
    pub verify_tools: Setting<Vec<String>>,
    /// `issues.ids`
    pub issue_ids: Setting<IdForm>,
    /// `issues.path`, from the root of the repository
    pub issues_path: Setting<String>,
    /// `issues.outside`: files and folders outside of repositories in which issue memory may be
    pub issues_outside: Setting<Vec<String>>,
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
    /// `[retention]`: what a garbage collection may remove
    pub retention: RetentionSettings,
    /// `[telemetry]`: who is told of runs, and what
    pub telemetry: TelemetrySettings,
    /// `[tools]`: how tools are offered
    pub tools: ToolSettings,
    /// `session.baseline`: the command that says how things stand before any work, or `none`
    pub baseline: Option<Setting<String>>,
    /// `[work]`: where finished work goes
    pub work: WorkSettings,
}

/// What says how things stand before any work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline<'s> {
    /// This command.
    Command(&'s str),
    /// Nothing, and a person said so.
    Declined,
    /// Nobody said anything.
    Unset,
}

impl Settings {
    /// Where issue memory is, when nobody says.
    pub const ISSUES_PATH: &'static str = ".premath/issues.jsonl";
    /// What ids of our own begin with, when nobody says.
    pub const ISSUE_PREFIX: &'static str = "bd";
    /// The baseline of a repository that has none.
    pub const NO_BASELINE: &'static str = "none";

    /// What says how things stand before any work.
    #[must_use]
    pub fn baseline(&self) -> Baseline<'_> {
        match self.baseline.as_ref().map(|setting| setting.value.as_str()) {
            None => Baseline::Unset,
            Some(Self::NO_BASELINE) => Baseline::Declined,
            Some(command) => Baseline::Command(command),
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            terminal: Setting::default_value(TerminalAuthority::Operator),
            closing: Setting::default_value(ClosingRule::Verified),
            verify: Setting::default_value(Vec::new()),
            verify_tools: Setting::default_value(Vec::new()),
            issue_ids: Setting::default_value(IdForm::Sequential),
            issues_path: Setting::default_value(Self::ISSUES_PATH.to_owned()),
            issues_outside: Setting::default_value(Vec::new()),
            issue_prefix: Setting::default_value(Self::ISSUE_PREFIX.to_owned()),
            model_chain: Setting::default_value(Vec::new()),
            model_entries: Vec::new(),
            turn_loop: LoopSettings::default(),
            guard_entries: Vec::new(),
            agent_sandbox: Setting::default_value(AgentSandbox::None),
            mcp_entries: Vec::new(),
            policy: PolicySettings::default(),
            retention: RetentionSettings::default(),
            telemetry: TelemetrySettings::default(),
            tools: ToolSettings::default(),
            baseline: None,
            work: WorkSettings::default(),
        }
    }
}
