//! The way back from a change to whoever decided it, step by step, each with what proves it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answer of `audit why`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditWhy {
    /// `audit.why`
    pub action: String,
    /// What was asked about.
    pub subject: String,
    /// What that is.
    pub subject_kind: WhySubject,
    /// Whether every link of the way back was found.
    pub complete: bool,
    /// How many changes there are; those shown are the newest.
    pub changes: u64,
    /// The steps, each below the last one before it that is less deep.
    pub steps: Vec<WhyStep>,
}

/// What was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhySubject {
    /// An issue.
    Issue,
    /// A file.
    Path,
    /// A run.
    Run,
    /// The digest of a turn, an intent, a policy, arguments, or of what was made.
    Digest,
    /// What a person was asked about a call.
    Approval,
    /// A plan.
    Proposal,
    /// A commit of git.
    Commit,
}

impl WhySubject {
    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Issue => "issue",
            Self::Path => "path",
            Self::Run => "run",
            Self::Digest => "digest",
            Self::Approval => "approval",
            Self::Proposal => "proposal",
            Self::Commit => "commit",
        }
    }
}

/// What a step of the way back is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WhyKind {
    /// Something was changed.
    Change,
    /// A tool ran.
    Call,
    /// The turn that did it.
    Turn,
    /// What the kernel put on record about the turn.
    Witness,
    /// What the governor said.
    Decision,
    /// What a person said.
    Approval,
    /// A plan.
    Proposal,
    /// What a guard said.
    Guard,
    /// The instruction that a change is linked to.
    Instruction,
    /// The permit that was spent for it.
    Permit,
    /// The policy in force.
    Policy,
    /// The run.
    Run,
    /// Who asked for it: a person.
    Person,
    /// Who asked for it: a model.
    Model,
    /// A link that is missing. The detail says which.
    Unknown,
}

impl WhyKind {
    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Call => "call",
            Self::Turn => "turn",
            Self::Witness => "witness",
            Self::Decision => "decision",
            Self::Approval => "approval",
            Self::Proposal => "proposal",
            Self::Guard => "guard",
            Self::Instruction => "instruction",
            Self::Permit => "permit",
            Self::Policy => "policy",
            Self::Run => "run",
            Self::Person => "person",
            Self::Model => "model",
            Self::Unknown => "unknown",
        }
    }
}

/// One step of the way back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WhyStep {
    /// How deep it is, from zero.
    pub depth: u64,
    /// What it is.
    pub kind: WhyKind,
    /// In words.
    pub detail: String,
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What proves it.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "ref")]
    pub evidence: Option<String>,
}
