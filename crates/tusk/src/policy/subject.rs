//! What a decision is about: who asks, in which run, for which tool, with which arguments, on what.
//!
//! Plain data, gathered before anything is decided. Nothing in here is what a model says about itself.

use premath_kernel::Digest;
use serde_json::Value;

use crate::tools::{Risk, ToolKind};

/// On whose behalf a run works: from a credential, never from an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// Who.
    pub id: String,
    /// In which role; the role has a ceiling of scopes.
    pub role: String,
}

/// Who made a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A person.
    Person,
    /// A run: what the bot made stays in the tier of things it makes.
    Bot,
}

impl Origin {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Person, Self::Bot];

    /// The token in rules and rows.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Bot => "bot",
        }
    }
}

/// What a call is about, looked up where it lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// What it is: `file`, `folder`, `desk_file`, `command`, `issue`.
    pub kind: String,
    /// What it is known by there: a path, an id.
    pub id: String,
    /// What a person calls it.
    pub name: String,
    /// Who made it.
    pub origin: Origin,
}

impl Target {
    /// A file of the workdir, as a call names it. What it is called is what it is known by.
    #[must_use]
    pub fn file(path: &str) -> Self {
        Self {
            kind: "file".to_owned(),
            id: path.to_owned(),
            name: path.rsplit('/').next().unwrap_or(path).to_owned(),
            origin: Origin::Person,
        }
    }
}

/// What a decision may know of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFacts {
    /// Which.
    pub run_id: String,
    /// Its issue.
    pub issue_id: Option<String>,
    /// On whose behalf.
    pub principal: Principal,
    /// `low`, `moderate` or `high`.
    pub risk_tier: String,
}

/// One call, as the governor sees it.
#[derive(Debug, Clone, Copy)]
pub struct CallFacts<'c> {
    /// The run.
    pub run: &'c RunFacts,
    /// The tool.
    pub tool: &'c str,
    /// Its risk as it is defined.
    pub risk: Risk,
    /// When what it asks for happens.
    pub kind: ToolKind,
    /// The scope it needs, `<resource>:<verb>`.
    pub scope: &'c str,
    /// Its arguments, validated against its schema.
    pub arguments: &'c Value,
    /// The digest of what they mean.
    pub arguments_digest: &'c Digest,
    /// What it is about; empty when it names nothing that has a name.
    pub targets: &'c [Target],
}
