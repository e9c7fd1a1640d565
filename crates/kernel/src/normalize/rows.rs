//! Rows with keys: sorted, equal repeats merged, contradicting ones refused.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::ResultRow;
use crate::canon::encode;
use crate::evidence::{
    CodeExecution, GuardrailDecision, Handoff, HandoffArtifact, Observations, PriorResult, PriorUse,
    ReminderQueue, StateView, ToolRender, ToolRequest, ToolUse, Worker,
};

/// The lists of a turn whose rows have keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowList {
    /// Tool requests
    Requests,
    /// Tool results
    Results,
    /// Tool uses
    Uses,
    /// Uses of results of earlier turns
    PriorUses,
    /// Renderings
    Renders,
    /// Reminder queues
    Queues,
    /// State views
    Views,
    /// Guardrail decisions of the turn
    Guardrails,
    /// Code executions
    CodeExecutions,
    /// Workers
    Workers,
}

impl RowList {
    /// Its name in the evidence.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Requests => "toolRequests",
            Self::Results => "toolResults",
            Self::Uses => "toolUse",
            Self::PriorUses => "priorUse",
            Self::Renders => "toolRender",
            Self::Queues => "reminderQueue",
            Self::Views => "stateViews",
            Self::Guardrails => "guardrails",
            Self::CodeExecutions => "codeExecutions",
            Self::Workers => "workers",
        }
    }
}

/// Two rows with one key say different things, or one row contradicts itself; nothing sound can be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("row {index} of {} contradicts an earlier row with the same key, or itself", list.name())]
pub struct DuplicateRow {
    /// Which list.
    pub list: RowList,
    /// The position of the later row as it was given.
    pub index: usize,
}

/// A row that is found by its key.
pub(super) trait Keyed: Sized {
    /// The list it stands in.
    const LIST: RowList;
    /// How its key compares with another's.
    fn compare(&self, other: &Self) -> Ordering;
    /// Whether both have one normal form.
    fn says_the_same(&self, other: &Self) -> bool;
}

macro_rules! keyed {
    ($($row:ident $list:ident $key:ident;)+) => {$(
        impl Keyed for $row {
            const LIST: RowList = RowList::$list;

            fn compare(&self, other: &Self) -> Ordering {
                self.$key.cmp(&other.$key)
            }

            fn says_the_same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )+};
}

keyed! {
    ToolRequest Requests tool_call_id;
    ToolUse Uses tool_call_id;
    ToolRender Renders tool_call_id;
    ReminderQueue Queues queue_id;
    StateView Views view_id;
    CodeExecution CodeExecutions id;
    Worker Workers id;
}

impl Keyed for ResultRow {
    const LIST: RowList = RowList::Results;

    fn compare(&self, other: &Self) -> Ordering {
        self.tool_call_id.cmp(&other.tool_call_id)
    }

    fn says_the_same(&self, other: &Self) -> bool {
        // The size of a payload is no part of the normal form.
        self.canonical() == other.canonical()
    }
}

impl Keyed for PriorUse {
    const LIST: RowList = RowList::PriorUses;

    fn compare(&self, other: &Self) -> Ordering {
        let key = (&self.turn_digest, &self.tool_call_id, &self.reference);
        key.cmp(&(&other.turn_digest, &other.tool_call_id, &other.reference))
    }

    fn says_the_same(&self, other: &Self) -> bool {
        self == other
    }
}

impl Keyed for GuardrailDecision {
    const LIST: RowList = RowList::Guardrails;

    fn compare(&self, other: &Self) -> Ordering {
        self.id.cmp(&other.id).then_with(|| self.stage.cmp(&other.stage))
    }

    fn says_the_same(&self, other: &Self) -> bool {
        self == other
    }
}

/// Rows by key, and one of each that stood there twice.
#[derive(Debug)]
pub(super) struct Merged<Row> {
    pub(super) rows: Vec<Row>,
    pub(super) repeated: Vec<Row>,
}

/// Sorts rows by key and merges equal ones. Rows that are sorted already cost one pass.
pub(super) fn merge<Row: Keyed>(rows: Vec<Row>) -> Result<Merged<Row>, DuplicateRow> {
    if rows.is_sorted_by(|left, right| left.compare(right).is_lt()) {
        return Ok(Merged { rows, repeated: Vec::new() });
    }
    let mut indexed: Vec<(usize, Row)> = rows.into_iter().enumerate().collect();
    indexed.sort_by(|(_, left), (_, right)| left.compare(right));
    let mut merged: Merged<Row> = Merged { rows: Vec::with_capacity(indexed.len()), repeated: Vec::new() };
    for (index, row) in indexed {
        match merged.rows.last() {
            Some(last) if last.compare(&row).is_eq() => {
                if !last.says_the_same(&row) {
                    return Err(DuplicateRow { list: Row::LIST, index });
                }
                merged.repeated.push(row);
            }
            _ => merged.rows.push(row),
        }
    }
    Ok(merged)
}

/// Decisions inside the row at `index` of `list`, in their order, equal ones merged.
pub(super) fn merge_nested(
    list: RowList,
    index: usize,
    decisions: Vec<GuardrailDecision>,
) -> Result<Vec<GuardrailDecision>, DuplicateRow> {
    merge(decisions).map(|merged| merged.rows).map_err(|_| DuplicateRow { list, index })
}

/// A packet whose artifacts are in order.
pub(super) fn normal_handoff(mut handoff: Handoff) -> Handoff {
    handoff.artifacts.sort_by(by_reference);
    handoff.artifacts.dedup();
    handoff
}

fn by_reference(left: &HandoffArtifact, right: &HandoffArtifact) -> Ordering {
    left.reference.cmp(&right.reference).then_with(|| left.digest.cmp(&right.digest))
}

/// Observations whose lists are in order.
pub(super) fn normal_observations(mut observations: Observations) -> Observations {
    sort_some(observations.artifacts.as_mut());
    sort_some(observations.files.as_mut());
    sort_some(observations.sinks.as_mut());
    sort_some(Some(&mut observations.schema_errors));
    if let Some(results) = observations.prior_results.as_mut() {
        results.sort_by(by_key);
        results.dedup();
    }
    observations
}

/// Observations of one result that differ are put into one order by their bytes.
fn by_key(left: &PriorResult, right: &PriorResult) -> Ordering {
    let keys = left.key().cmp(&right.key());
    keys.then_with(|| encode(&left.canonical()).cmp(&encode(&right.canonical())))
}

fn sort_some<Row: Ord>(rows: Option<&mut Vec<Row>>) {
    if let Some(rows) = rows {
        rows.sort_unstable();
        rows.dedup();
    }
}
