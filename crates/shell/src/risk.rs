//! What a command may do that a person should know of: the classes, the decisions, and what a sandbox of the agent takes away.

#[cfg(test)]
mod tests;

use std::fmt;

/// What a command puts at risk. The tokens are stable: rules, rows and answers name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RiskClass {
    /// Deletes or overwrites what cannot be brought back.
    Destructive,
    /// Sends data of this machine elsewhere.
    Exfiltration,
    /// Acts with more rights than the agent has, or gives them away.
    Privilege,
    /// Leaves something behind that runs later.
    Persistence,
    /// Rewrites published or recorded history of a repository.
    History,
    /// Reads credentials.
    Secrets,
    /// Runs or installs what the network delivers.
    Install,
    /// Touches premath's own files, its policy, or the configuration of hooks.
    OwnFiles,
    /// Runs a text that is only known when it runs.
    Obscured,
    /// Cannot be read as a command, or only with too much work.
    Unreadable,
}

impl RiskClass {
    /// Every class.
    pub const ALL: [Self; 10] = [
        Self::Destructive,
        Self::Exfiltration,
        Self::Privilege,
        Self::Persistence,
        Self::History,
        Self::Secrets,
        Self::Install,
        Self::OwnFiles,
        Self::Obscured,
        Self::Unreadable,
    ];

    /// Its stable name.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Destructive => "destructive",
            Self::Exfiltration => "exfiltration",
            Self::Privilege => "privilege",
            Self::Persistence => "persistence",
            Self::History => "history",
            Self::Secrets => "secrets",
            Self::Install => "install",
            Self::OwnFiles => "self",
            Self::Obscured => "obscured",
            Self::Unreadable => "unreadable",
        }
    }

    /// The name of the policy that decides about it.
    #[must_use]
    pub const fn policy_name(self) -> &'static str {
        match self {
            Self::Destructive => "command.destructive",
            Self::Exfiltration => "command.exfiltration",
            Self::Privilege => "command.privilege",
            Self::Persistence => "command.persistence",
            Self::History => "command.history",
            Self::Secrets => "command.secrets",
            Self::Install => "command.install",
            Self::OwnFiles => "command.self",
            Self::Obscured => "command.obscured",
            Self::Unreadable => "command.unreadable",
        }
    }
}

/// What is done about a command, from the mildest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// Nothing stands against it.
    Allow,
    /// A person decides.
    Ask,
    /// It does not run.
    Deny,
}

/// What a risk reaches, so that a sandbox around the agent can take it away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Files of the repository, which every sandbox leaves writable.
    Workspace,
    /// Files and processes outside of the repository.
    Machine,
    /// Other machines.
    Network,
}

/// The sandbox that an agent runs its commands in, as its person vouches for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AgentSandbox {
    /// None: commands run as the person does.
    #[default]
    None,
    /// Nothing outside of the repository and temporary folders can be written, and no rights can be gained.
    Files,
    /// The same, and no other machine can be reached.
    Full,
}

impl AgentSandbox {
    /// Every value.
    pub const ALL: [Self; 3] = [Self::None, Self::Files, Self::Full];

    /// Its name in the configuration.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Files => "files",
            Self::Full => "full",
        }
    }

    /// Whether the sandbox itself stops what a risk is about.
    const fn stops(self, risk: &Risk) -> bool {
        // INVARIANT: no sandbox vouches for premath's own files, nor for what was not understood.
        if matches!(risk.class, RiskClass::OwnFiles | RiskClass::Obscured | RiskClass::Unreadable) {
            return false;
        }
        let gains_or_leaves =
            matches!(risk.class, RiskClass::Destructive | RiskClass::Privilege | RiskClass::Persistence);
        let sends = matches!(risk.class, RiskClass::Exfiltration | RiskClass::Install);
        match (self, risk.reach) {
            (Self::None, _) | (_, Reach::Workspace) => false,
            (Self::Files, Reach::Machine) => gains_or_leaves,
            (Self::Files, Reach::Network) => false,
            (Self::Full, Reach::Machine | Reach::Network) => {
                gains_or_leaves || sends || matches!(risk.reach, Reach::Network)
            }
        }
    }
}

impl fmt::Display for AgentSandbox {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.token())
    }
}

/// One thing that stands against a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Risk {
    /// What is at risk.
    pub class: RiskClass,
    /// What is done about it.
    pub decision: Decision,
    /// What it reaches.
    pub reach: Reach,
    /// The part of the command it is about, on one line and bounded.
    pub part: String,
    /// What that part does, as the rest of a sentence that begins with it.
    pub reason: String,
}

impl Risk {
    /// A sentence for a person.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("`{}` {}", self.part, self.reason)
    }
}

/// Everything that stands against a command, the severest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judgement {
    /// The risks, severest first, each once.
    pub risks: Vec<Risk>,
}

impl Judgement {
    /// The risks that a sandbox leaves, the severest first.
    pub(crate) fn new(mut risks: Vec<Risk>, sandbox: AgentSandbox) -> Self {
        risks.retain(|risk| !sandbox.stops(risk));
        risks.sort_by(|left, right| {
            right.decision.cmp(&left.decision).then_with(|| rank(left.class).cmp(&rank(right.class)))
        });
        let mut seen: Vec<(RiskClass, String)> = Vec::new();
        risks.retain(|risk| {
            let key = (risk.class, risk.part.clone());
            let is_new = !seen.contains(&key);
            if is_new {
                seen.push(key);
            }
            is_new
        });
        risks.truncate(MOST_RISKS);
        Self { risks }
    }

    /// The severest decision.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.risks.first().map_or(Decision::Allow, |risk| risk.decision)
    }
}

/// The most risks that are told of one command.
const MOST_RISKS: usize = 16;

/// Which class is told first among those with the same decision.
const fn rank(class: RiskClass) -> u8 {
    match class {
        RiskClass::OwnFiles => 0,
        RiskClass::Destructive => 1,
        RiskClass::Exfiltration => 2,
        RiskClass::Secrets => 3,
        RiskClass::Privilege => 4,
        RiskClass::Persistence => 5,
        RiskClass::History => 6,
        RiskClass::Install => 7,
        RiskClass::Obscured => 8,
        RiskClass::Unreadable => 9,
    }
}
