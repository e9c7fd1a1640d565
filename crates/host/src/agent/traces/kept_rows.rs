//! The rows that stay of a run that kept nothing, as they are looked at: as much of a trace as they hold.

use premath_bd::JournalRow;
use premath_kernel::Value;
use premath_wire::time::format_time;
use premath_wire::v1::{IntentResult, IntentState, RunRow};

use super::{Trace, ending, number, text};

/// What stands where a text was.
const NOT_RETAINED: &str = "(not retained)";

impl Trace {
    pub(super) fn kept_start(&mut self, row: &JournalRow) {
        let event = &row.event;
        let parent = event.as_object().and_then(|event| event.get("parent"));
        self.is_kept = true;
        self.is_worker = parent.and_then(|parent| text(parent, "relation")) == Some("worker");
        self.pattern = text(event, "pattern").unwrap_or_default().to_owned();
        self.row = Some(RunRow {
            run_id: text(event, "runId").unwrap_or_default().to_owned(),
            task: NOT_RETAINED.to_owned(),
            issue_id: text(event, "issueId").map(str::to_owned),
            started_at: format_time(row.at),
            parent_run_id: parent.and_then(|parent| text(parent, "runId")).map(str::to_owned),
            ..RunRow::default()
        });
    }

    pub(super) fn kept_answer(&mut self, event: &Value<'_>) {
        let model = text(event, "modelRef").unwrap_or(NOT_RETAINED).to_owned();
        if let Some(row) = &mut self.row {
            row.model = Some(model.clone());
        }
        let Some(turn) = self.turns.last_mut() else { return };
        let usage = event.as_object().and_then(|event| event.get("usage"));
        let used = |member| usage.and_then(|usage| number(usage, member)).unwrap_or_default();
        turn.model = model;
        turn.stop = text(event, "stop").unwrap_or_default().to_owned();
        let tools = event.as_object().and_then(|event| event.get("tools")).and_then(Value::as_array);
        turn.tools = tools.into_iter().flatten().filter_map(Value::as_text).map(str::to_owned).collect();
        turn.tokens = used("input") + used("cacheRead") + used("cacheWrite") + used("output");
        turn.cost_micro_usd = number(event, "costMicros");
    }

    pub(super) fn kept_worker(&mut self, returned: &Value<'_>) {
        let issue = text(returned, "issueId").unwrap_or_default();
        if let Some(worker) = self.workers.iter_mut().find(|worker| worker.issue_id == issue) {
            worker.run_id = text(returned, "runId").unwrap_or_default().to_owned();
            worker.outcome = text(returned, "outcome").and_then(ending);
        }
    }
}

/// The rows in a member.
pub(super) fn each<'r>(event: &'r Value<'_>, member: &str) -> impl Iterator<Item = &'r Value<'r>> {
    event.as_object().and_then(|event| event.get(member)).and_then(Value::as_array).into_iter().flatten()
}

/// What became of an intent.
pub(super) fn kept_intent(row: &Value<'_>) -> IntentResult {
    let member = |name: &str| text(row, name).map(str::to_owned);
    IntentResult {
        tool_call_id: NOT_RETAINED.to_owned(),
        action: member("action").unwrap_or_default(),
        intent_digest: member("intentDigest").unwrap_or_default(),
        result: match text(row, "outcome") {
            Some("applied" | "changed") => IntentState::Applied,
            Some("refused") => IntentState::Refused,
            _other => IntentState::Unchanged,
        },
        issue_id: member("issueId"),
        subject_id: member("subjectId"),
        status: member("status"),
        class: member("class"),
        detail: None,
    }
}
