//! The throughput figure: what it is, what it is made of, what follows.

use anstyle::Style;
use premath_kernel::{KpiDecision, Moment};
use premath_wire::v1::{KpiAnswer, RemediateAnswer};

use super::{line, warnings};
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};
use crate::render::plain;
use crate::render::time::relative;

/// `harness-kpi`
pub(crate) fn kpi(answer: &KpiAnswer, now: Moment) -> String {
    let (counts, ratios, limits) = (&answer.counts, &answer.ratios, &answer.thresholds);
    let style = style_of(&answer.decision.state);
    let mut text =
        format!("{style}{}{style:#}: {}\n\n", plain(&answer.decision.state), plain(&answer.decision.reason));
    line(&mut text, "kpi", &format!("{STRONG}{}{STRONG:#}", ratios.kpi));
    line(&mut text, "per worker", &format!("{} completed rows a day", ratios.throughput_per_worker_per_day));
    line(&mut text, "all workers", &format!("{} completed rows a day", ratios.completed_rows_per_day));
    line(&mut text, "pass rate", &ratios.gate_pass_rate.to_string());
    let counted = format!(
        "{} of {} completed, {} in all",
        counts.completed_rows, counts.window_rows, counts.total_rows
    );
    line(&mut text, "rows", &counted);
    line(&mut text, "workers", &counts.active_workers.to_string());
    let window = &answer.window;
    line(
        &mut text,
        "window",
        &format!("{} h, {} to {}", window.hours, plain(&window.start), plain(&window.end)),
    );
    line(
        &mut text,
        "thresholds",
        &format!("target {}, rollback {}, at least {} rows", limits.target, limits.rollback, limits.min_rows),
    );
    for (at, point) in answer.history.iter().enumerate() {
        let style = style_of(&point.state);
        let counted = format!("{} of {} completed", point.completed_rows, point.window_rows);
        let shown =
            format!("{style}{}{style:#} {counted} {DIM}until {}{DIM:#}", point.kpi, plain(&point.end));
        line(&mut text, if at == 0 { "before" } else { "" }, &shown);
    }
    if let Some(last) = &answer.latest_remediation {
        line(
            &mut text,
            "remediation",
            &format!("{} {DIM}({}){DIM:#}", plain(&last.note), relative(&last.recorded_at, now)),
        );
    }
    if counts.future_rows > 0 {
        text.push_str(&format!(
            "\n{WARN}warning:{WARN:#} {} rows end after now: is a clock wrong?\n",
            counts.future_rows
        ));
    }
    if answer.decision.state == KpiDecision::Rollback.token() && !answer.remedied {
        let what = "add no workers until a remediation is recorded: `premath harness-kpi remediate --note …`";
        text.push_str(&format!("\n{TIP}hint:{TIP:#} {what}\n"));
    }
    warnings(&mut text, answer.warning_count, &answer.warnings);
    text
}

/// `harness-kpi remediate`
pub(crate) fn remediated(answer: &RemediateAnswer) -> String {
    let row = &answer.remediation;
    format!("remediation {STRONG}{}{STRONG:#} recorded: {}\n", row.seq, plain(&row.note))
}

fn style_of(state: &str) -> Style {
    match KpiDecision::ALL.into_iter().find(|decision| decision.token() == state) {
        Some(KpiDecision::Pass) => GOOD,
        Some(KpiDecision::Watch) => WARN,
        Some(KpiDecision::Rollback) => BAD,
        Some(KpiDecision::InsufficientData) | None => DIM,
    }
}
