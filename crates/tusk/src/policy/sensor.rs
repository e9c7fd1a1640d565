//! What is noted of every call that ran: how long it took, what it ran through, what it may have meant, what failed.
//!
//! Only of calls that ran: what the governor blocked is a matter for the audit, and would spoil the numbers.

use premath_kernel::{Object, Value};

use crate::evidence::row::{Row, count, text_list};
use crate::evidence::{CallOutcome, Unreadable};

/// What is noted of one call that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SensorTrace {
    /// The call.
    pub tool_call_id: String,
    /// The tool.
    pub tool: String,
    /// How long it took.
    pub duration_micros: u64,
    /// What it ran through: `read`, `effect` or `intent`.
    pub source: String,
    /// What may have been meant, where it failed for a name.
    pub closest_matches: Vec<String>,
    /// The code of its failure.
    pub error: Option<String>,
}

impl SensorTrace {
    /// The trace of a call that ran.
    #[must_use]
    pub fn of(tool: &str, source: &str, outcome: &CallOutcome, duration_micros: u64) -> Self {
        let failure = outcome.failure();
        Self {
            tool_call_id: outcome.tool_call_id.clone(),
            tool: tool.to_owned(),
            duration_micros,
            source: source.to_owned(),
            closest_matches: failure.map(|failure| failure.closest_matches.clone()).unwrap_or_default(),
            error: failure.map(|failure| failure.error_code.clone()),
        }
    }

    pub(crate) fn to_value(&self) -> Value<'_> {
        Object::fields()
            .non_empty("closestMatches", text_list(&self.closest_matches))
            .field("durationMicros", count(self.duration_micros))
            .optional("error", self.error.as_deref())
            .field("source", self.source.as_str())
            .field("tool", self.tool.as_str())
            .field("toolCallId", self.tool_call_id.as_str())
            .finish()
    }

    pub(crate) fn from_row(row: Row<'_>) -> Result<Self, Unreadable> {
        Ok(Self {
            tool_call_id: row.owned("toolCallId")?,
            tool: row.owned("tool")?,
            duration_micros: row.count("durationMicros")?,
            source: row.owned("source")?,
            closest_matches: row.texts("closestMatches")?,
            error: row.optional("error")?,
        })
    }
}
