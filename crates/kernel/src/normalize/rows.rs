//! Rows with keys: sorted, equal repeats merged, contradicting ones refused.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::evidence::{GuardrailDecision, Handoff, HandoffArtifact, Observations};

/// The lists of a turn whose rows have keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowList {
    /// Tool requests
    Requests,
    /// Tool results
    Results,
    /// Tool uses
    Uses,
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
            Self::Renders => "toolRender",
            Self::Queues => "reminderQueue",
            Self::Views => "stateViews",
            Self::Guardrails => "guardrails",
            Self::CodeExecutions => "codeExecutions",
            Self::Workers => "workers",
        }
    }
}

/// Two rows with one key say different things; nothing sound can be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("row {index} of {} contradicts an earlier row with the same key", list.name())]
pub struct DuplicateRow {
    /// Which list.
    pub list: RowList,
    /// The position of the later row as it was given.
    pub index: usize,
}

/// Rows by key, and one of each that stood there twice.
#[derive(Debug)]
pub(super) struct Merged<Row> {
    pub(super) rows: Vec<Row>,
    pub(super) repeated: Vec<Row>,
}

/// Sorts `rows` by `key` and merges equal ones. Rows that are sorted already cost one pass.
pub(super) fn merge<Row, Key: Ord>(
    list: RowList,
    rows: Vec<Row>,
    key: fn(&Row) -> &Key,
    same: fn(&Row, &Row) -> bool,
) -> Result<Merged<Row>, DuplicateRow> {
    merge_by(list, rows, |left, right| key(left).cmp(key(right)), same)
}

/// The same for guardrail decisions, whose key is id and stage.
pub(super) fn merge_decisions(
    list: RowList,
    rows: Vec<GuardrailDecision>,
) -> Result<Vec<GuardrailDecision>, DuplicateRow> {
    Ok(merge_by(list, rows, compare_decisions, GuardrailDecision::eq)?.rows)
}

/// Brings decisions inside another row into their order.
pub(super) fn sort_decisions(decisions: &mut [GuardrailDecision]) {
    decisions.sort_by(compare_decisions);
}

fn compare_decisions(left: &GuardrailDecision, right: &GuardrailDecision) -> Ordering {
    left.id.cmp(&right.id).then_with(|| left.stage.cmp(&right.stage))
}

fn merge_by<Row>(
    list: RowList,
    rows: Vec<Row>,
    compare: impl Fn(&Row, &Row) -> Ordering,
    same: fn(&Row, &Row) -> bool,
) -> Result<Merged<Row>, DuplicateRow> {
    if rows.is_sorted_by(|left, right| compare(left, right).is_lt()) {
        return Ok(Merged { rows, repeated: Vec::new() });
    }
    let mut indexed: Vec<(usize, Row)> = rows.into_iter().enumerate().collect();
    indexed.sort_by(|(_, left), (_, right)| compare(left, right));
    let mut merged = Merged { rows: Vec::with_capacity(indexed.len()), repeated: Vec::new() };
    for (index, row) in indexed {
        match merged.rows.last() {
            Some(last) if compare(last, &row).is_eq() => {
                if !same(last, &row) {
                    return Err(DuplicateRow { list, index });
                }
                merged.repeated.push(row);
            }
            _ => merged.rows.push(row),
        }
    }
    Ok(merged)
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
    observations
}

fn sort_some<Row: Ord>(rows: Option<&mut Vec<Row>>) {
    if let Some(rows) = rows {
        rows.sort_unstable();
        rows.dedup();
    }
}
