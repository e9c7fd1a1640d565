//! What people said about calls and plans, as a machine is told it and the journal keeps it.
//!
//! Plain data. A model never makes one: they come from the store of approvals, where a person's credential signed them.

use premath_kernel::{Fields, Object, Value};

use crate::evidence::Unreadable;
use crate::evidence::row::{Row, unreadable};

/// What a person said about one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confirmation {
    /// The call.
    pub tool_call_id: String,
    /// The approval.
    pub approval_id: String,
    /// What they said.
    pub answer: ConfirmationAnswer,
    /// Who.
    pub decided_by: Option<String>,
    /// What they want the model to know.
    pub message: Option<String>,
    /// The digest of the preview they saw.
    pub preview: Option<String>,
}

/// What a person said about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfirmationAnswer {
    /// It may run, once, as it was shown.
    Approved,
    /// It may not.
    Denied,
    /// No answer came in time, which is no. The run goes on without the call.
    Expired,
    /// No answer came in time. The run stops, and resuming asks again.
    Unanswered,
    /// Nobody has said anything yet.
    Pending,
    /// What it is about is not what they were asked about any more.
    Stale,
    /// Policy does not allow it any more, whatever they said.
    Forbidden,
    /// The secrets in its arguments were in the memory of a process that has ended.
    SecretGone,
}

impl ConfirmationAnswer {
    /// Every answer.
    pub const ALL: [Self; 8] = [
        Self::Approved,
        Self::Denied,
        Self::Expired,
        Self::Unanswered,
        Self::Pending,
        Self::Stale,
        Self::Forbidden,
        Self::SecretGone,
    ];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Unanswered => "unanswered",
            Self::Pending => "pending",
            Self::Stale => "stale",
            Self::Forbidden => "forbidden",
            Self::SecretGone => "secret_gone",
        }
    }
}

/// What became of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanDecision {
    /// The proposal.
    pub proposal_id: String,
    /// Its state: `pending`, `executed`, `failed`, `rejected`, `expired`, or [`Self::UNANSWERED`].
    pub state: String,
    /// What became of each step: its tool, its targets' names, its state and a detail.
    pub steps: Vec<PlanStepResult>,
}

/// What became of a step of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStepResult {
    /// The tool.
    pub tool: String,
    /// What it was about, by name.
    pub about: String,
    /// `ok`, `failed` or `skipped`.
    pub state: String,
    /// Why, where it is not `ok`.
    pub detail: String,
}

impl Confirmation {
    /// What counts for a call that policy does not allow any more.
    pub(super) const fn forbidden(tool_call_id: String) -> Self {
        Self {
            tool_call_id,
            approval_id: String::new(),
            answer: ConfirmationAnswer::Forbidden,
            decided_by: None,
            message: None,
            preview: None,
        }
    }

    pub(super) fn to_value(&self) -> Value<'_> {
        Object::fields()
            .field("answer", self.answer.token())
            .field("approvalId", self.approval_id.as_str())
            .optional("decidedBy", self.decided_by.as_deref())
            .optional("message", self.message.as_deref())
            .optional("preview", self.preview.as_deref())
            .field("toolCallId", self.tool_call_id.as_str())
            .finish()
    }

    pub(super) fn from_row(row: Row<'_>) -> Result<Self, Unreadable> {
        let answer = row.text("answer")?;
        Ok(Self {
            tool_call_id: row.owned("toolCallId")?,
            approval_id: row.owned("approvalId")?,
            answer: ConfirmationAnswer::ALL
                .into_iter()
                .find(|one| one.token() == answer)
                .ok_or_else(|| unreadable("answer"))?,
            decided_by: row.optional("decidedBy")?,
            message: row.optional("message")?,
            preview: row.optional("preview")?,
        })
    }
}

impl PlanDecision {
    /// State of a plan that expired while a person was asked: the run stops, and resuming asks again.
    pub const UNANSWERED: &'static str = "unanswered";

    /// Whether somebody still has to decide, or the plan is still being carried out.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.state.as_str(), "pending" | "approved" | "executing")
    }

    pub(super) fn fields(&self) -> Fields<'_> {
        Object::fields()
            .field("proposalId", self.proposal_id.as_str())
            .field("state", self.state.as_str())
            .non_empty("steps", self.steps.iter().map(PlanStepResult::to_value).collect())
    }

    pub(super) fn from_row(row: Row<'_>) -> Result<Self, Unreadable> {
        Ok(Self {
            proposal_id: row.owned("proposalId")?,
            state: row.owned("state")?,
            steps: row.rows("steps", PlanStepResult::from_row)?,
        })
    }
}

impl PlanStepResult {
    fn to_value(&self) -> Value<'_> {
        Object::fields()
            .field("about", self.about.as_str())
            .optional("detail", (!self.detail.is_empty()).then_some(self.detail.as_str()))
            .field("state", self.state.as_str())
            .field("tool", self.tool.as_str())
            .finish()
    }

    fn from_row(row: Row<'_>) -> Result<Self, Unreadable> {
        Ok(Self {
            tool: row.owned("tool")?,
            about: row.owned("about")?,
            state: row.owned("state")?,
            detail: row.optional("detail")?.unwrap_or_default(),
        })
    }
}
