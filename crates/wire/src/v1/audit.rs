//! The audit log on the wire: a row of it, and what is answered when it is asked, checked, or followed back.
//!
//! A row says that something was decided or done, by whom, about what, and under which policy. It holds digests and
//! names, never payloads. Must not decide anything.

mod why;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use why::{AuditWhy, WhyKind, WhyStep, WhySubject};

use super::upkeep::StoreProblem;
use crate::Json;

/// What every row of the audit log says it is.
pub const AUDIT_KIND: &str = "premath.audit.v1";

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuditKind {
    /// A call was allowed, denied, or made to wait for a person.
    Decision,
    /// A person was asked, or answered.
    Approval,
    /// A plan was proposed, or went on.
    Proposal,
    /// Something durable was changed.
    Mutation,
    /// A guard looked at something.
    Guard,
    /// A policy was loaded, promoted or rolled back.
    Policy,
    /// A run began or ended.
    Run,
}

impl AuditKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Decision,
        Self::Approval,
        Self::Proposal,
        Self::Mutation,
        Self::Guard,
        Self::Policy,
        Self::Run,
    ];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Approval => "approval",
            Self::Proposal => "proposal",
            Self::Mutation => "mutation",
            Self::Guard => "guard",
            Self::Policy => "policy",
            Self::Run => "run",
        }
    }
}

/// One row. What is absent leaves no trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    /// `aud_` and twelve hexadecimal digits. A row that is handed in twice is written once.
    pub id: String,
    /// When.
    pub at: String,
    /// What it is about.
    pub kind: AuditKind,
    /// Who: a person, a model, a run, a guard.
    pub actor: String,
    /// What came of it: `allow`, `ask`, `deny`, `applied`, `approved`, …
    pub effect: String,
    /// The run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The call in the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The tool, or the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What it was aimed at, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// The stable code of a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The policy that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_name: Option<String>,
    /// Why, for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The digest of the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args_digest: Option<String>,
    /// The digest of the policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_digest: Option<String>,
    /// The digest of the turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_digest: Option<String>,
    /// The digest of the intent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_digest: Option<String>,
    /// The approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<String>,
    /// The proposal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal_id: Option<String>,
    /// The issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// The file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// More, by kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
    /// Its number, from one. The log gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The digest of the row before. The log gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prev: Option<String>,
    /// Its own digest. The log gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row_digest: Option<String>,
}

impl AuditRow {
    /// A row with nothing in it but what every row has.
    #[must_use]
    pub fn new(id: String, at: String, kind: AuditKind, actor: String, effect: &str) -> Self {
        Self {
            id,
            at,
            kind,
            actor,
            effect: effect.to_owned(),
            run_id: None,
            call_id: None,
            tool_call_id: None,
            tool: None,
            targets: Vec::new(),
            code: None,
            policy_name: None,
            reason: None,
            args_digest: None,
            policy_digest: None,
            turn_digest: None,
            intent_digest: None,
            approval_id: None,
            proposal_id: None,
            issue_id: None,
            path: None,
            data: None,
            seq: None,
            prev: None,
            row_digest: None,
        }
    }
}

/// The answer of `audit query`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditPage<R> {
    /// `audit.query`
    pub action: String,
    /// The log.
    pub audit_path: String,
    /// How many rows are listed.
    pub count: u64,
    /// The rows, the newest first.
    pub items: Vec<R>,
    /// Where to go on; absent when nothing older is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Lines on the way that are no rows; `audit verify` says more.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The answer of `audit verify`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditVerified {
    /// `audit.verify`
    pub action: String,
    /// The log.
    pub audit_path: String,
    /// Whether the chain holds and the log is what its head says.
    pub ok: bool,
    /// How many rows.
    pub rows: u64,
    /// How many of them are part of the chain.
    pub chained_rows: u64,
    /// The digest of the last row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The first row that is not as it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_bad: Option<StoreProblem>,
    /// How many problems fail the verification.
    pub error_count: u64,
    /// How many are only worth a word.
    pub warning_count: u64,
    /// How many a person accepted earlier, each on record as a witness.
    pub accepted_count: u64,
    /// What is not as it should be; the first thousand.
    pub problems: Vec<StoreProblem>,
    /// How many changes of issue memory have no row.
    pub unrecorded_count: u64,
    /// The first of them.
    pub unrecorded: Vec<UnrecordedChange>,
    /// How many rows were added for them.
    pub added: u64,
}

/// A change that the log does not know: its writer was stopped between the change and its row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnrecordedChange {
    /// The issue; absent for rows that were taken over together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// Its revision.
    pub rev: u64,
    /// What was done.
    pub changed_by: String,
    /// On whose authority.
    pub authority: String,
    /// When.
    pub at: String,
}
