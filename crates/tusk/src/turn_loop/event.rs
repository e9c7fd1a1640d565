//! What a machine is told: everything that comes from outside, each as one row of the journal.
//!
//! Nothing else enters a machine, so that the rows are enough to run it again. It must not hold a proof.

use premath_bd::JournalEvent;
use premath_kernel::{Fields, Object, Value};

use super::answer::{Answer, answer_fields, read_answer};
use super::limits::Limits;
use super::people::{Confirmation, PlanDecision};
use super::watch::{AppliedIntent, Decision, IntentOutcome};
use crate::evidence::row::{Row, count, unreadable};
use crate::evidence::{CallOutcome, Unreadable};
use crate::policy::{Judged, SensorTrace};

/// Something that happened outside.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A model answered.
    Answered(Box<Answer>),
    /// No model answered.
    ModelFailed {
        /// The kind of the error.
        error_kind: String,
        /// What it says.
        message: String,
    },
    /// Policy has looked at an answer.
    Judged(Box<Judged>),
    /// A person was asked about calls.
    Confirmed {
        /// What they said about each call that was asked about.
        confirmations: Vec<Confirmation>,
    },
    /// A person was asked about a plan.
    PlanDecided(PlanDecision),
    /// Every call of the turn has ended.
    ToolsFinished {
        /// What came of each, in the order of the calls.
        outcomes: Vec<CallOutcome>,
        /// Since the run began.
        elapsed_millis: u64,
        /// What was noted of those that ran.
        traces: Vec<SensorTrace>,
    },
    /// What a program came to was looked at and stored.
    ProgramKept {
        /// What it came to.
        outcome: Box<CallOutcome>,
    },
    /// The store was asked for every admitted change.
    Applied {
        /// What became of each.
        outcomes: Vec<AppliedIntent>,
    },
    /// A person was asked.
    PersonDecided {
        /// What they said.
        decision: Decision,
    },
    /// Every worker has returned.
    WorkersReturned {
        /// What each came to.
        workers: Vec<WorkerReturn>,
    },
    /// A handoff was stored and looked at.
    HandoffStored {
        /// What is there: references and digests of what they lead to; none where there is nothing.
        observed: Vec<(String, Option<String>)>,
    },
    /// A compaction was stored.
    CompactionStored,
    /// Somebody asked for the end.
    Interrupted,
    /// It goes on after it had stopped.
    Resumed {
        /// Its limits from now on, when they are others.
        limits: Option<Limits>,
    },
}

/// What a worker came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerReturn {
    /// The call that asked for it.
    pub tool_call_id: String,
    /// Its issue.
    pub issue_id: String,
    /// Its run.
    pub run_id: String,
    /// How it ended.
    pub outcome: String,
    /// What it said last.
    pub text: String,
    /// Its handoff artifact, as a reference into the object store; none when it left none.
    pub artifact_ref: Option<String>,
    /// What it used.
    pub turns: u64,
    /// What it used.
    pub tool_calls: u64,
    /// What it used.
    pub tokens: u64,
    /// What it used.
    pub cost_micros: u64,
    /// The workers it spawned itself.
    pub workers: u64,
    /// Its judgement, when it was to judge.
    pub verdict: Option<(bool, String)>,
}

impl Event {
    /// The kind of its row.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Answered(_) => "turn.answered",
            Self::ModelFailed { .. } => "turn.unanswered",
            Self::Judged(_) => "turn.judged",
            Self::Confirmed { .. } => "person.confirmed",
            Self::PlanDecided(_) => "plan.decided",
            Self::ToolsFinished { .. } => "turn.results",
            Self::ProgramKept { .. } => "program.kept",
            Self::Applied { .. } => "turn.applied",
            Self::PersonDecided { .. } => "person.decided",
            Self::WorkersReturned { .. } => "workers.returned",
            Self::HandoffStored { .. } => "handoff.stored",
            Self::CompactionStored => "compaction.stored",
            Self::Interrupted => "run.interrupted",
            Self::Resumed { .. } => "run.resumed",
        }
    }

    /// Its row.
    #[must_use]
    pub fn row(&self) -> JournalEvent {
        JournalEvent::new(self.kind(), self.fields())
    }

    fn fields(&self) -> Fields<'_> {
        let fields = Object::fields();
        match self {
            Self::Answered(answer) => answer_fields(fields, answer),
            Self::ModelFailed { error_kind, message } => {
                fields.field("errorKind", error_kind.as_str()).field("message", message.as_str())
            }
            Self::Judged(judged) => judged.fields(),
            Self::Confirmed { confirmations } => fields
                .field("confirmations", confirmations.iter().map(Confirmation::to_value).collect::<Vec<_>>()),
            Self::PlanDecided(plan) => plan.fields(),
            Self::ToolsFinished { outcomes, elapsed_millis, traces } => fields
                .field("elapsedMillis", count(*elapsed_millis))
                .field("results", outcomes.iter().map(CallOutcome::to_value).collect::<Vec<_>>())
                .non_empty("traces", traces.iter().map(SensorTrace::to_value).collect()),
            Self::ProgramKept { outcome } => fields.field("outcome", outcome.to_value()),
            Self::Applied { outcomes } => {
                fields.field("outcomes", outcomes.iter().map(applied_value).collect::<Vec<_>>())
            }
            Self::PersonDecided { decision } => fields.field("decision", decision.token()),
            Self::WorkersReturned { workers } => {
                fields.field("workers", workers.iter().map(worker_value).collect::<Vec<_>>())
            }
            Self::HandoffStored { observed } => {
                fields.field("observed", observed.iter().map(observed_value).collect::<Vec<_>>())
            }
            Self::CompactionStored | Self::Interrupted => fields,
            Self::Resumed { limits } => fields.optional("limits", limits.as_ref().map(Limits::to_value)),
        }
    }

    /// The event that a row is; none for a row that a machine writes itself.
    ///
    /// # Errors
    /// A row of an event that cannot be read.
    pub fn from_value(value: &Value<'_>) -> Result<Option<Self>, Unreadable> {
        let row = Row::of(value)?;
        Ok(Some(match row.text("kind")? {
            "turn.answered" => Self::Answered(Box::new(read_answer(row)?)),
            "turn.unanswered" => {
                Self::ModelFailed { error_kind: row.owned("errorKind")?, message: row.owned("message")? }
            }
            "turn.results" => Self::ToolsFinished {
                outcomes: row
                    .list("results")?
                    .iter()
                    .map(CallOutcome::from_value)
                    .collect::<Result<_, _>>()?,
                elapsed_millis: row.count("elapsedMillis")?,
                traces: row.rows("traces", SensorTrace::from_row)?,
            },
            "turn.judged" => Self::Judged(Box::new(Judged::from_row(row)?)),
            "person.confirmed" => {
                Self::Confirmed { confirmations: row.rows("confirmations", Confirmation::from_row)? }
            }
            "plan.decided" => Self::PlanDecided(PlanDecision::from_row(row)?),
            "program.kept" => {
                let outcome = row.value("outcome").ok_or_else(|| unreadable("outcome"))?;
                Self::ProgramKept { outcome: Box::new(CallOutcome::from_value(outcome)?) }
            }
            "turn.applied" => Self::Applied { outcomes: row.rows("outcomes", read_applied)? },
            "person.decided" => Self::PersonDecided { decision: read_decision(row.text("decision")?)? },
            "workers.returned" => Self::WorkersReturned { workers: row.rows("workers", read_worker)? },
            "handoff.stored" => Self::HandoffStored { observed: row.rows("observed", read_observed)? },
            "compaction.stored" => Self::CompactionStored,
            "run.interrupted" => Self::Interrupted,
            "run.resumed" => {
                let limits = row.optional_row("limits")?.map(Limits::from_row).transpose()?;
                Self::Resumed { limits }
            }
            _other => return Ok(None),
        }))
    }
}

fn applied_value(applied: &AppliedIntent) -> Value<'_> {
    let fields = Object::fields()
        .field("action", applied.action.as_str())
        .field("intentDigest", applied.intent_digest.as_str())
        .field("toolCallId", applied.tool_call_id.as_str());
    match &applied.outcome {
        IntentOutcome::Applied { issue_id, status } => fields
            .field("issueId", issue_id.as_str())
            .field("outcome", "applied")
            .field("status", status.as_str()),
        IntentOutcome::Changed { id, status } => fields
            .field("outcome", "changed")
            .field("status", status.as_str())
            .field("subjectId", id.as_str()),
        IntentOutcome::Unchanged => fields.field("outcome", "unchanged"),
        IntentOutcome::Refused { class, detail } => {
            fields.field("class", class.as_str()).field("detail", detail.as_str()).field("outcome", "refused")
        }
    }
    .finish()
}

fn read_applied(row: Row<'_>) -> Result<AppliedIntent, Unreadable> {
    let outcome = match row.text("outcome")? {
        "applied" => IntentOutcome::Applied { issue_id: row.owned("issueId")?, status: row.owned("status")? },
        "changed" => IntentOutcome::Changed { id: row.owned("subjectId")?, status: row.owned("status")? },
        "unchanged" => IntentOutcome::Unchanged,
        "refused" => IntentOutcome::Refused { class: row.owned("class")?, detail: row.owned("detail")? },
        _other => return Err(unreadable("outcome")),
    };
    Ok(AppliedIntent {
        tool_call_id: row.owned("toolCallId")?,
        action: row.owned("action")?,
        intent_digest: row.owned("intentDigest")?,
        outcome,
    })
}

fn read_decision(token: &str) -> Result<Decision, Unreadable> {
    [Decision::Continue, Decision::Stop, Decision::NoAnswer, Decision::Expired]
        .into_iter()
        .find(|decision| decision.token() == token)
        .ok_or_else(|| unreadable("decision"))
}

fn worker_value(worker: &WorkerReturn) -> Value<'_> {
    let verdict = worker.verdict.as_ref().map(|(passes, critique)| {
        Object::fields().field("critique", critique.as_str()).field("pass", *passes).finish()
    });
    Object::fields()
        .optional("artifactRef", worker.artifact_ref.as_deref())
        .field("costMicros", count(worker.cost_micros))
        .field("issueId", worker.issue_id.as_str())
        .field("outcome", worker.outcome.as_str())
        .field("runId", worker.run_id.as_str())
        .field("text", worker.text.as_str())
        .field("tokens", count(worker.tokens))
        .field("toolCallId", worker.tool_call_id.as_str())
        .field("toolCalls", count(worker.tool_calls))
        .field("turns", count(worker.turns))
        .optional("verdict", verdict)
        .field("workers", count(worker.workers))
        .finish()
}

fn read_worker(row: Row<'_>) -> Result<WorkerReturn, Unreadable> {
    let verdict = row.optional_row("verdict")?;
    Ok(WorkerReturn {
        tool_call_id: row.owned("toolCallId")?,
        issue_id: row.owned("issueId")?,
        run_id: row.owned("runId")?,
        outcome: row.owned("outcome")?,
        text: row.owned("text")?,
        artifact_ref: row.optional("artifactRef")?,
        turns: row.count("turns")?,
        tool_calls: row.count("toolCalls")?,
        tokens: row.count("tokens")?,
        cost_micros: row.count("costMicros")?,
        workers: row.count("workers")?,
        verdict: verdict.map(|verdict| Ok((verdict.flag("pass"), verdict.owned("critique")?))).transpose()?,
    })
}

fn observed_value(observed: &(String, Option<String>)) -> Value<'_> {
    Object::fields()
        .optional("digest", observed.1.as_deref())
        .field("objectOrFile", observed.0.as_str())
        .finish()
}

fn read_observed(row: Row<'_>) -> Result<(String, Option<String>), Unreadable> {
    Ok((row.owned("objectOrFile")?, row.optional("digest")?))
}
