//! The session handoff: one document that a fresh process resumes from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a session document calls itself.
pub const SESSION_KIND: &str = "premath.harness.session.v1";
/// What the answer of `bootstrap` calls itself.
pub const BOOTSTRAP_KIND: &str = "premath.harness.bootstrap.v1";

/// Whether somebody works in the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    /// Somebody does.
    Active,
    /// It was handed off.
    Stopped,
}

impl SessionState {
    /// Reads a token, trimmed and without regard to ASCII case.
    #[must_use]
    pub fn from_token(token: &str) -> Option<Self> {
        let token = token.trim();
        [Self::Active, Self::Stopped].into_iter().find(|state| token.eq_ignore_ascii_case(state.token()))
    }

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Stopped => "stopped",
        }
    }
}

/// `.premath/harness_session.json`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDocument {
    /// 1
    pub schema: u32,
    /// `premath.harness.session.v1`
    pub session_kind: String,
    /// Names the session; kept from write to write.
    pub session_id: String,
    /// Whether somebody works in it.
    pub state: SessionState,
    /// When it was first written.
    pub started_at: String,
    /// When it was last written.
    pub updated_at: String,
    /// When it was stopped; there exactly when it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_at: Option<String>,
    /// The issue that is worked on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<String>,
    /// What was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
    /// Instructions it works under, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instruction_refs: Vec<String>,
    /// Witnesses it left, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub witness_refs: Vec<String>,
    /// Where in the site it works, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lineage_refs: Vec<String>,
    /// The issue memory it works on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issues_path: Option<String>,
    /// What that memory held at the last write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issues_snapshot_ref: Option<String>,
}

/// What `harness.session.write` and `harness.session.read` answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionAnswer<Document> {
    /// The action.
    pub action: String,
    /// Where the session is.
    pub session_ref: String,
    /// The whole document.
    pub session: Document,
}

/// How a fresh process enters a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BootstrapMode {
    /// It was stopped: take it up again.
    Resume,
    /// It is active: join it.
    Attach,
}

/// What `harness.session.bootstrap` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BootstrapAnswer {
    /// The action.
    pub action: String,
    /// `premath.harness.bootstrap.v1`
    pub bootstrap_kind: String,
    /// Where the session is.
    pub session_ref: String,
    /// Its name.
    pub session_id: String,
    /// How to enter it.
    pub mode: BootstrapMode,
    /// The issue to go on with.
    pub resume_issue_id: Option<String>,
    /// What to do next.
    pub next_step: Option<String>,
    /// What was done.
    pub summary: Option<String>,
    /// Instructions it works under.
    pub instruction_refs: Vec<String>,
    /// Witnesses it left.
    pub witness_refs: Vec<String>,
    /// Where in the site it works.
    pub lineage_refs: Vec<String>,
    /// The issue memory it works on.
    pub issues_path: Option<String>,
    /// What that memory held at the last write.
    pub issues_snapshot_ref: Option<String>,
    /// Whether it still holds that; null where nothing was noted.
    pub snapshot_matches: Option<bool>,
    /// The feature ledger beside the session; null without one.
    pub feature_ledger_ref: Option<String>,
    /// The feature to work on.
    pub next_feature_id: Option<String>,
    /// Whether every feature is done and verified.
    pub feature_closure_complete: Option<bool>,
    /// How many features there are.
    pub feature_count: Option<u64>,
    /// When the session was first written.
    pub started_at: String,
    /// When it was last written.
    pub updated_at: String,
    /// When it was stopped.
    pub stopped_at: Option<String>,
}
