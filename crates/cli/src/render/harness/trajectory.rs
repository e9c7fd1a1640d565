//! The trajectory: the steps that were asked for, and how many there are of each kind.

use premath_kernel::{Moment, ResultMeaning, result_meaning};
use premath_wire::v1::{FailureGroup, ProjectionMode, StepAnswer, StepRow, TrajectoryProjection};
use serde_json::Value;

use super::{counted, warnings};
use crate::output::{BAD, DIM, GOOD, STRONG};
use crate::render::plain;
use crate::render::table::{Cell, Table};
use crate::render::time::relative;

/// `harness-trajectory append`
pub(crate) fn appended(answer: &StepAnswer<StepRow>) -> String {
    let row = &answer.row;
    let number = row.seq.map(|seq| format!("row {seq}: ")).unwrap_or_default();
    let style = style_of(&row.result_class);
    format!(
        "{number}{STRONG}{}{STRONG:#} {} {style}{}{style:#}\n{DIM}{}{DIM:#}\n",
        plain(&row.step_id),
        plain(&row.action),
        plain(&row.result_class),
        plain(row.row_digest.as_deref().unwrap_or_default()),
    )
}

/// `harness-trajectory query`. Rows are shown as they are: others may have put anything into them.
pub(crate) fn projection(answer: &TrajectoryProjection<Value>, now: Moment, width: Option<usize>) -> String {
    let mut text = String::new();
    if answer.items.is_empty() {
        text.push_str(&nothing(answer));
    } else {
        text.push_str(&steps(&answer.items, now, width));
    }
    if let Some(groups) = answer.groups.as_ref().filter(|groups| !groups.is_empty()) {
        text.push_str(&format!("\n{}", clusters(groups, now, width)));
        let more = answer
            .group_count
            .unwrap_or_default()
            .saturating_sub(u64::try_from(groups.len()).unwrap_or(u64::MAX));
        if more > 0 {
            text.push_str(&format!("{DIM}and {more} more; --limit shows more{DIM:#}\n"));
        }
    }
    text.push_str(&format!(
        "\n{DIM}{} of {}; {} failed, {} worth another try{DIM:#}\n",
        answer.count,
        counted(answer.total_count, "step"),
        answer.failed_count,
        answer.retry_needed_count
    ));
    warnings(&mut text, answer.warning_count, &answer.warnings);
    text
}

fn nothing(answer: &TrajectoryProjection<Value>) -> String {
    let what = match answer.mode {
        _ if answer.limit == 0 => "nothing asked for",
        ProjectionMode::Latest => "no steps yet",
        ProjectionMode::Failed => "no failed steps",
        ProjectionMode::RetryNeeded => "no steps worth another try",
    };
    format!("{what}\n")
}

fn steps(rows: &[Value], now: Moment, width: Option<usize>) -> String {
    let mut table = Table::new(&["FINISHED", "STEP", "ACTION", "RESULT", "ISSUE", "WHY", "NEXT"], 6);
    for row in rows {
        let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
        let result = text("resultClass");
        let listed = row.get("failureClasses").and_then(Value::as_array).into_iter().flatten();
        let classes: Vec<&str> = listed.filter_map(Value::as_str).collect();
        table.row(vec![
            Cell::styled(relative(text("finishedAt"), now), DIM),
            Cell::styled(plain(text("stepId")), STRONG),
            Cell::new(plain(text("action"))),
            Cell::styled(plain(result), style_of(result)),
            Cell::new(plain(text("issueId"))),
            Cell::new(plain(&classes.join(", "))),
            Cell::new(plain(text("nextStep"))),
        ]);
    }
    table.render(width)
}

fn clusters(groups: &[FailureGroup], now: Moment, width: Option<usize>) -> String {
    let mut table = Table::new(&["FAILURE CLASS", "STEPS", "LAST", "LAST STEP"], 3);
    for group in groups {
        table.row(vec![
            Cell::styled(plain(&group.failure_class), BAD),
            Cell::new(group.count.to_string()),
            Cell::styled(relative(&group.latest_finished_at, now), DIM),
            Cell::new(plain(&group.latest_step_id)),
        ]);
    }
    table.render(width)
}

fn style_of(result_class: &str) -> anstyle::Style {
    match result_meaning(result_class) {
        ResultMeaning::Success => GOOD,
        ResultMeaning::Failed => BAD,
    }
}
