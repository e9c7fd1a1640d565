//! What policy said about the calls of an answer, as the journal keeps it: enough to go on from, and to explain later.
//!
//! Plain data that can be written down and read back. It must not decide.

use premath_kernel::{Count, GuardrailDecision, GuardrailStage, Number, Object, Text, Value};

use super::error::{PolicyCode, PolicyError};
use super::rules::Effect;
use super::subject::{Origin, Target};
use crate::evidence::Unreadable;
use crate::evidence::row::{Row, count, text_list, unreadable};

/// One decision of one guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardRow {
    /// Which guard.
    pub id: String,
    /// When it looked.
    pub stage: GuardrailStage,
    /// Whether it fired, or could not look.
    pub triggered: bool,
    /// What it measured, in thousandths.
    pub score_millis: Option<u32>,
    /// What it measured against, in thousandths.
    pub threshold_millis: Option<u32>,
    /// The model or the program that was asked.
    pub model_ref: Option<String>,
}

impl GuardRow {
    /// The kernel's row at a place in the order of decisions; none when the name is blank.
    #[must_use]
    pub fn evidence(&self, order: u64) -> Option<GuardrailDecision> {
        let millis = |value: Option<u32>| value.and_then(|value| Number::float(f64::from(value) / 1000.0));
        Some(GuardrailDecision {
            id: Text::new(&self.id)?,
            stage: self.stage,
            triggered: self.triggered,
            order: Count::new(order)?,
            score: millis(self.score_millis),
            threshold: millis(self.threshold_millis),
            model_ref: self.model_ref.as_deref().and_then(Text::new),
        })
    }

    pub(crate) fn to_value(&self) -> Value<'_> {
        let millis = |value: Option<u32>| value.map(|value| count(u64::from(value)));
        Object::fields()
            .field("id", self.id.as_str())
            .optional("modelRef", self.model_ref.as_deref())
            .optional("scoreMillis", millis(self.score_millis))
            .field("stage", self.stage.token())
            .optional("thresholdMillis", millis(self.threshold_millis))
            .field("triggered", self.triggered)
            .finish()
    }

    pub(crate) fn from_row(row: Row<'_>) -> Result<Self, Unreadable> {
        let stage = row.text("stage")?;
        let millis = |member: &str| {
            let value = row.optional_count(member)?;
            value.map(|value| u32::try_from(value).map_err(|_| unreadable(member))).transpose()
        };
        Ok(Self {
            id: row.owned("id")?,
            stage: GuardrailStage::ALL
                .into_iter()
                .find(|one| one.token() == stage)
                .ok_or_else(|| unreadable("stage"))?,
            triggered: row.flag("triggered"),
            score_millis: millis("scoreMillis")?,
            threshold_millis: millis("thresholdMillis")?,
            model_ref: row.optional("modelRef")?,
        })
    }
}

/// What policy said about one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallJudgement {
    /// The call.
    pub tool_call_id: String,
    /// What it comes to.
    pub effect: Effect,
    /// Why it must be asked about, or does not run.
    pub error: Option<PolicyError>,
    /// What it is about.
    pub targets: Vec<Target>,
    /// Who looked at it before it runs.
    pub guards: Vec<GuardRow>,
    /// What the model is told beside the result.
    pub notes: Vec<String>,
}

/// What policy said about an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Judged {
    /// About each call that could run, in their order.
    pub calls: Vec<CallJudgement>,
    /// Who looked at what the model said.
    pub guards: Vec<GuardRow>,
    /// Why nothing of the answer may be used.
    pub error: Option<PolicyError>,
}

impl Judged {
    /// The members of its row.
    #[must_use]
    pub(crate) fn fields(&self) -> premath_kernel::Fields<'_> {
        Object::fields()
            .non_empty("calls", self.calls.iter().map(call_value).collect())
            .optional("error", self.error.as_ref().map(error_value))
            .non_empty("guards", self.guards.iter().map(GuardRow::to_value).collect())
    }

    pub(crate) fn from_row(row: Row<'_>) -> Result<Self, Unreadable> {
        Ok(Self {
            calls: row.rows("calls", read_call)?,
            guards: row.rows("guards", GuardRow::from_row)?,
            error: row.optional_row("error")?.map(read_error).transpose()?,
        })
    }
}

fn call_value(call: &CallJudgement) -> Value<'_> {
    Object::fields()
        .field("effect", call.effect.token())
        .optional("error", call.error.as_ref().map(error_value))
        .non_empty("guards", call.guards.iter().map(GuardRow::to_value).collect())
        .non_empty("notes", text_list(&call.notes))
        .non_empty("targets", call.targets.iter().map(target_value).collect())
        .field("toolCallId", call.tool_call_id.as_str())
        .finish()
}

fn read_call(row: Row<'_>) -> Result<CallJudgement, Unreadable> {
    let effect = row.text("effect")?;
    Ok(CallJudgement {
        tool_call_id: row.owned("toolCallId")?,
        effect: Effect::ALL
            .into_iter()
            .find(|one| one.token() == effect)
            .ok_or_else(|| unreadable("effect"))?,
        error: row.optional_row("error")?.map(read_error).transpose()?,
        targets: row.rows("targets", read_target)?,
        guards: row.rows("guards", GuardRow::from_row)?,
        notes: row.texts("notes")?,
    })
}

fn target_value(target: &Target) -> Value<'_> {
    Object::fields()
        .field("id", target.id.as_str())
        .field("kind", target.kind.as_str())
        .field("name", target.name.as_str())
        .field("origin", target.origin.token())
        .finish()
}

fn read_target(row: Row<'_>) -> Result<Target, Unreadable> {
    let origin = row.text("origin")?;
    Ok(Target {
        kind: row.owned("kind")?,
        id: row.owned("id")?,
        name: row.owned("name")?,
        origin: Origin::ALL
            .into_iter()
            .find(|one| one.token() == origin)
            .ok_or_else(|| unreadable("origin"))?,
    })
}

fn error_value(error: &PolicyError) -> Value<'_> {
    Object::fields()
        .field("code", error.code.code())
        .non_empty("evidence", text_list(&error.evidence))
        .optional("hint", (!error.hint.is_empty()).then_some(error.hint.as_str()))
        .field("humanMessage", error.human_message.as_str())
        .field("policyName", error.policy_name.as_str())
        .field("reason", error.reason.as_str())
        .optional("retryAfterMs", error.retry_after_millis.map(count))
        .field("retryable", error.retryable)
        .finish()
}

fn read_error(row: Row<'_>) -> Result<PolicyError, Unreadable> {
    let code = row.text("code")?;
    Ok(PolicyError {
        code: PolicyCode::ALL.into_iter().find(|one| one.code() == code).ok_or_else(|| unreadable("code"))?,
        hint: row.optional("hint")?.unwrap_or_default(),
        retryable: row.flag("retryable"),
        retry_after_millis: row.optional_count("retryAfterMs")?,
        policy_name: row.owned("policyName")?,
        human_message: row.owned("humanMessage")?,
        reason: row.owned("reason")?,
        evidence: row.texts("evidence")?,
    })
}
