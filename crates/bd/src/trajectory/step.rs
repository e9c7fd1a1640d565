//! A step: how a row is made from what a caller says, and what is read from a line.
//!
//! What we write is normal; what others wrote is taken as it is, if it is a row at all. It must not know the log.

use premath_kernel::{Moment, Object, ResultMeaning, Value, result_meaning, retry_needed};
use premath_wire::strict::{Limits, parse};
use premath_wire::time::{format_time, parse_time, to_millis};
use premath_wire::v1::STEP_KIND;
use premath_wire::{InputClass, InputError, JsonPath};

use crate::document::{normal_refs, trimmed};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A step that a caller wants recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewStep {
    /// `<worker>.<issue id>.<n>`, or any name of the step.
    pub step_id: String,
    /// What was done.
    pub action: String,
    /// How it ended.
    pub result_class: String,
    /// When it ended; now, when nobody says.
    pub finished_at: Option<String>,
    /// When it began.
    pub started_at: Option<String>,
    /// The issue it was done for.
    pub issue_id: Option<String>,
    /// Which check decided.
    pub verification_class: Option<String>,
    /// What to do next.
    pub next_step: Option<String>,
    /// Why it failed.
    pub failure_classes: Vec<String>,
    /// Instructions it worked under.
    pub instruction_refs: Vec<String>,
    /// Where in the site it worked.
    pub lineage_refs: Vec<String>,
    /// What it changed.
    pub mutation_refs: Vec<String>,
    /// Witnesses it left.
    pub witness_refs: Vec<String>,
}

impl NewStep {
    /// The row in its normal form, not yet part of a chain.
    pub(super) fn row(&self, now: Moment) -> Result<Value<'static>, InputError> {
        let finished_at = match time("finishedAt", self.finished_at.as_deref())? {
            Some(finished_at) => finished_at,
            None => format_time(to_millis(now)),
        };
        let optional = |field: &Option<String>| field.as_deref().and_then(trimmed);
        let list = |refs: &[String]| normal_refs(refs).into_iter().map(Value::from).collect::<Vec<_>>();
        Ok(Object::fields()
            .field("schema", 1_u32)
            .field("stepKind", STEP_KIND)
            .field("stepId", required("stepId", &self.step_id)?)
            .field("action", required("action", &self.action)?)
            .field("resultClass", required("resultClass", &self.result_class)?)
            .field("finishedAt", finished_at)
            .optional("startedAt", time("startedAt", self.started_at.as_deref())?)
            .optional("issueId", optional(&self.issue_id))
            .optional("verificationClass", optional(&self.verification_class))
            .optional("nextStep", optional(&self.next_step))
            .non_empty("failureClasses", list(&self.failure_classes))
            .non_empty("instructionRefs", list(&self.instruction_refs))
            .non_empty("lineageRefs", list(&self.lineage_refs))
            .non_empty("mutationRefs", list(&self.mutation_refs))
            .non_empty("witnessRefs", list(&self.witness_refs))
            .finish())
    }
}

fn required(name: &str, text: &str) -> Result<String, InputError> {
    trimmed(text).ok_or_else(|| invalid(name, "expected text that is not blank"))
}

/// A time as rows keep it, in UTC. Blank is absent.
fn time(name: &str, text: Option<&str>) -> Result<Option<String>, InputError> {
    let Some(text) = text.and_then(trimmed) else { return Ok(None) };
    let moment = parse_time(&text)
        .ok_or_else(|| invalid(name, "expected an RFC 3339 time such as 2026-11-15T07:12:52Z"))?;
    Ok(Some(format_time(moment)))
}

fn invalid(name: &str, what: &str) -> InputError {
    InputError::new(InputClass::FieldInvalid, what, JsonPath::root().key(name))
}

/// Why a line is no step. The numbers stand in indexes: they may be added, never changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    NotJson,
    NotAStep,
    UnknownSchema,
    FieldInvalid,
    TimeInvalid,
    TooLong,
    Torn,
}

impl Flaw {
    const ALL: [Self; 7] = [
        Self::NotJson,
        Self::NotAStep,
        Self::UnknownSchema,
        Self::FieldInvalid,
        Self::TimeInvalid,
        Self::TooLong,
        Self::Torn,
    ];

    pub(super) fn number(self) -> u8 {
        let at = Self::ALL.iter().position(|flaw| *flaw == self);
        at.and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
    }

    pub(super) fn of_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// The stable class.
    pub(super) const fn class(self) -> &'static str {
        match self {
            Self::NotJson => "harness_trajectory.line.json_invalid",
            Self::NotAStep => "harness_trajectory.line.kind_unknown",
            Self::UnknownSchema => "harness_trajectory.line.schema_unknown",
            Self::FieldInvalid => "harness_trajectory.line.field_invalid",
            Self::TimeInvalid => "harness_trajectory.line.time_invalid",
            Self::TooLong => "harness_trajectory.line.too_long",
            Self::Torn => "harness_trajectory.tail.torn",
        }
    }

    /// What is wrong, in words.
    pub(super) const fn detail(self) -> &'static str {
        match self {
            Self::NotJson => "the line is not JSON",
            Self::NotAStep => "the line is not an object of kind premath.harness.step.v1",
            Self::UnknownSchema => "the row is not of schema 1",
            Self::FieldInvalid => "stepId, action or resultClass is missing, blank or not text",
            Self::TimeInvalid => "finishedAt is missing or not an RFC 3339 time",
            Self::TooLong => "the line is longer than any row can be",
            Self::Torn => "the last line was cut short by an interrupted writer",
        }
    }
}

/// What a line says; `None` when it says nothing.
pub(super) fn read_line(line: &[u8]) -> Result<Option<Value<'_>>, Flaw> {
    let text = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    parse(text, Limits::default()).map(Some).map_err(|_| Flaw::NotJson)
}

/// What is looked at in a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step<'v> {
    pub(super) step_id: &'v str,
    pub(super) action: &'v str,
    pub(super) result_class: &'v str,
    pub(super) finished_at: Moment,
    pub(super) row: &'v Object<'v>,
}

impl<'v> Step<'v> {
    /// Takes a row that states its kind, its names and when it ended.
    pub(super) fn of(value: &'v Value<'v>) -> Result<Self, Flaw> {
        let row = value.as_object().ok_or(Flaw::NotAStep)?;
        let text = |name: &str| row.get(name).and_then(Value::as_text);
        if text("stepKind") != Some(STEP_KIND) {
            return Err(Flaw::NotAStep);
        }
        if row.get("schema").and_then(Value::as_number).and_then(premath_kernel::Number::as_u64) != Some(1) {
            return Err(Flaw::UnknownSchema);
        }
        let named = |name: &str| text(name).filter(|text| !text.trim().is_empty()).ok_or(Flaw::FieldInvalid);
        Ok(Self {
            step_id: named("stepId")?,
            action: named("action")?,
            result_class: named("resultClass")?,
            finished_at: text("finishedAt").and_then(parse_time).ok_or(Flaw::TimeInvalid)?,
            row,
        })
    }

    pub(super) fn is_failed(&self) -> bool {
        result_meaning(self.result_class) == ResultMeaning::Failed
    }

    pub(super) fn is_worth_a_retry(&self) -> bool {
        retry_needed(self.result_class)
    }

    /// The issue it was done for.
    pub(super) fn issue_id(&self) -> Option<&'v str> {
        let text = self.row.get("issueId").and_then(Value::as_text)?;
        Some(text.trim()).filter(|text| !text.is_empty())
    }

    /// Why it failed; what it ended as, when it does not say.
    pub(super) fn failure_classes(&self) -> Vec<&'v str> {
        let listed = self.row.get("failureClasses").and_then(Value::as_array).unwrap_or_default();
        let mut classes: Vec<&str> = listed
            .iter()
            .filter_map(Value::as_text)
            .map(str::trim)
            .filter(|class| !class.is_empty())
            .collect();
        classes.sort_unstable();
        classes.dedup();
        if classes.is_empty() { vec![self.result_class.trim()] } else { classes }
    }
}
