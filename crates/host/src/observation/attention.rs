//! What needs a person, and why. Pure.

use premath_kernel::{KpiDecision, LeaseState, ResultMeaning, Status, result_meaning, retry_needed};
use premath_wire::v1::{AttentionRow, LeaseRow, ObservedInstruction, ObservedIssue, ObservedRequired};

/// Why something needs a person. A reason is for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttentionReason {
    /// Checks or instructions that were rejected.
    WitnessRejected,
    /// Somebody stopped working without letting go.
    LeaseExpired,
    /// Retrying did not help.
    IssueEscalated,
    /// The last thing that was tried failed.
    StepFailed,
    /// The last thing that was tried may work when it is tried again.
    StepRetryNeeded,
    /// Too little gets done, and nobody did anything about it.
    KpiRollback,
    /// The observation is not what would be built now.
    SnapshotStale,
    /// A lane cannot be read, or only in part.
    LaneDamaged,
    /// A run asked something and stopped until it is answered.
    QuestionPending,
    /// The question of a run expired without an answer.
    QuestionExpired,
}

impl AttentionReason {
    pub(super) const fn token(self) -> &'static str {
        match self {
            Self::WitnessRejected => "witness_rejected",
            Self::LeaseExpired => "lease_expired",
            Self::IssueEscalated => "issue_escalated",
            Self::StepFailed => "step_failed",
            Self::StepRetryNeeded => "step_retry_needed",
            Self::KpiRollback => "kpi_rollback",
            Self::SnapshotStale => "snapshot_stale",
            Self::LaneDamaged => "lane_damaged",
            Self::QuestionPending => "question_pending",
            Self::QuestionExpired => "question_expired",
        }
    }

    pub(super) fn about(self, subject: &str, detail: impl Into<String>) -> AttentionRow {
        AttentionRow { reason: self.token().to_owned(), subject: subject.to_owned(), detail: detail.into() }
    }
}

/// The row of an observation that is out of date.
pub(crate) fn snapshot_stale(path: &str) -> AttentionRow {
    let detail = "building it now comes to something else; `premath observe-build` builds it";
    AttentionReason::SnapshotStale.about(path, detail)
}

/// What an unanswered question needs.
pub(crate) fn of_question(id: &str, about: &str, run_id: &str, expires_at: &str) -> AttentionRow {
    let detail = format!("run {run_id} asks about {about}; answer it before {expires_at}");
    AttentionReason::QuestionPending.about(id, detail)
}

/// What a run needs whose question expired.
pub(crate) fn of_expired_question(run_id: &str) -> AttentionRow {
    let detail = format!("its question expired; `premath resume {run_id}` asks it again");
    AttentionReason::QuestionExpired.about(run_id, detail)
}

/// What issues need.
pub(super) fn of_issue(issue: &ObservedIssue, lease: Option<&LeaseRow>) -> Vec<AttentionRow> {
    let mut rows = Vec::new();
    let id = issue.issue_id.as_str();
    let is_expired = |lease: &&LeaseRow| lease.state != LeaseState::Active.token();
    if issue.status == Status::InProgress.token()
        && let Some(lease) = lease.filter(is_expired)
    {
        let detail = format!("{} held it until {}", lease.owner, lease.expires_at);
        rows.push(AttentionReason::LeaseExpired.about(id, detail));
    }
    if issue.escalated {
        rows.push(AttentionReason::IssueEscalated.about(id, format!("{}: {}", issue.status, issue.title)));
    }
    if let Some(step) = &issue.latest_step
        && result_meaning(&step.result_class) == ResultMeaning::Failed
    {
        let why = match step.failure_classes.as_slice() {
            [] => step.result_class.clone(),
            classes => format!("{}: {}", step.result_class, classes.join(", ")),
        };
        let reason = if retry_needed(&step.result_class) {
            AttentionReason::StepRetryNeeded
        } else {
            AttentionReason::StepFailed
        };
        rows.push(reason.about(id, format!("step {} ended {why}", step.step_id)));
    }
    rows
}

/// What the witness of required checks needs.
pub(super) fn of_required(required: &ObservedRequired, path: &str) -> Option<AttentionRow> {
    let is_rejected = required.verdict_class != "accepted" || required.decision.as_deref() == Some("reject");
    is_rejected.then(|| {
        let detail =
            format!("required checks of {}: {}", required.to_commit, told(&required.failure_classes));
        AttentionReason::WitnessRejected.about(path, detail)
    })
}

/// What the witness of an instruction needs.
pub(super) fn of_instruction(instruction: &ObservedInstruction) -> Option<AttentionRow> {
    (instruction.verdict_class != "accepted").then(|| {
        let detail = format!("instruction: {}", told(&instruction.failure_classes));
        AttentionReason::WitnessRejected.about(&instruction.instruction_id, detail)
    })
}

fn told(classes: &[String]) -> String {
    if classes.is_empty() { "rejected".to_owned() } else { classes.join(", ") }
}

/// What the throughput figure needs.
pub(super) fn of_figure(state: &str, is_remedied: bool) -> Option<AttentionRow> {
    (state == KpiDecision::Rollback.token() && !is_remedied).then(|| {
        let detail = "add no workers until a remediation is recorded";
        AttentionReason::KpiRollback.about("harness-kpi", detail)
    })
}

/// What a lane needs that cannot be read.
pub(super) fn damaged(path: &str, detail: impl Into<String>) -> AttentionRow {
    AttentionReason::LaneDamaged.about(path, detail)
}
