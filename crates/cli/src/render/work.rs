//! Sessions of work for people: a line per event and worker, and what it all came to.

use anstyle::Style;
use premath_wire::v1::{
    BootAnswer, CoordinatorAnswer, LandAnswer, StepShowAnswer, StopAnswer, WorkCheck, WorkEventRow,
    WorkStepAnswer, WorkerAnswer,
};

use super::harness::{line, list, optional};
use super::plain;
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};

/// One event of one worker.
pub(crate) fn event(row: &WorkEventRow) -> String {
    let style = style_of(row);
    let mut text =
        format!("{DIM}{:<14}{DIM:#} {style}{:<10}{style:#}", plain(&row.worker_id), plain(&row.event));
    if let Some(issue) = &row.issue_id {
        text.push_str(&format!(" {STRONG}{}{STRONG:#}", plain(issue)));
    }
    if let Some(result) = &row.result {
        text.push_str(&format!(" {}", plain(result)));
    }
    if !row.failure_classes.is_empty() {
        text.push_str(&format!(" {WARN}{}{WARN:#}", plain(&row.failure_classes.join(", "))));
    }
    if let Some(detail) = &row.detail {
        text.push_str(&format!(" {DIM}{}{DIM:#}", plain(detail)));
    }
    format!("{}\n", text.trim_end())
}

fn style_of(row: &WorkEventRow) -> Style {
    match row.event.as_str() {
        "closed" => GOOD,
        "died" | "refused" | "escalation_refused" | "stopping" => BAD,
        "retrying" | "escalated" | "draining" | "waiting" => WARN,
        "claimed" | "starting" => TIP,
        "worked" | "verified" if row.result.as_deref() == Some("failed") => WARN,
        _other => DIM,
    }
}

fn check(checked: &WorkCheck) -> String {
    if checked.passed {
        format!("{GOOD}passed{GOOD:#}")
    } else {
        format!("{WARN}failed{WARN:#} ({})", plain(&checked.failure_classes.join(", ")))
    }
}

/// `premath boot`
pub(crate) fn boot(answer: &BootAnswer) -> String {
    let verb = if answer.graph_classes.is_empty() { GOOD } else { BAD };
    let mut text = format!(
        "{verb}{}{verb:#} session {STRONG}{}{STRONG:#} {DIM}({}){DIM:#}\n\n",
        plain(&answer.mode),
        plain(&answer.session_id),
        plain(&answer.session_ref)
    );
    list(&mut text, "graph", &answer.graph_classes);
    optional(&mut text, "resumes", answer.resume_issue_id.as_ref());
    optional(&mut text, "target", answer.target_issue_id.as_ref());
    optional(&mut text, "active issue", answer.active_issue_id.as_ref());
    optional(&mut text, "active issue", answer.active_issue_class.as_ref());
    if let Some(baseline) = &answer.baseline {
        line(&mut text, "verification", &check(baseline));
    }
    if let Some(handoff) = &answer.handoff {
        optional(&mut text, "before", handoff.summary.as_ref());
        optional(&mut text, "next step", handoff.next_step.as_ref());
    }
    for root in &answer.memory_roots {
        let is_there = if root.present { "" } else { " (not there)" };
        line(&mut text, &root.name, &format!("{}{is_there}", plain(&root.path)));
    }
    optional(&mut text, "instruction", answer.instruction_ref.as_ref());
    text
}

/// `premath step`
pub(crate) fn step(answer: &WorkStepAnswer) -> String {
    let style = outcome_style(&answer.outcome);
    let mut text = format!("{style}{}{style:#}", plain(&answer.outcome));
    if let Some(issue) = &answer.issue_id {
        text.push_str(&format!(" {STRONG}{}{STRONG:#}", plain(issue)));
    }
    text.push_str("\n\n");
    list(&mut text, "steps", &answer.step_ids);
    if let Some(verification) = &answer.verification {
        line(&mut text, "verification", &check(verification));
    }
    list(&mut text, "failures", &answer.failure_classes);
    list(&mut text, "left behind", &answer.refs);
    text
}

fn outcome_style(outcome: &str) -> Style {
    match outcome {
        "completed" | "submitted" | "done" | "idle" | "rounds" => GOOD,
        "stopped" | "refused" => BAD,
        _other => WARN,
    }
}

/// `premath step show`
pub(crate) fn step_show(answer: &StepShowAnswer) -> String {
    let mut text =
        format!("{STRONG}{}{STRONG:#} {}\n\n", plain(&answer.step_id), plain(&answer.result_class));
    optional(&mut text, "issue", answer.issue_id.as_ref());
    optional(&mut text, "began", answer.started_at.as_ref());
    optional(&mut text, "ended", answer.finished_at.as_ref());
    list(&mut text, "failures", &answer.failure_classes);
    optional(&mut text, "commit", answer.commit.as_ref());
    optional(&mut text, "next step", answer.next_step.as_ref());
    list(&mut text, "not here", &answer.not_here);
    for detail in &answer.details {
        line(&mut text, "left behind", &plain(detail));
    }
    for command in &answer.commands {
        let ended = match (command.exit_code, command.signal) {
            (Some(code), _) => format!("ended with {code}"),
            (None, Some(signal)) => format!("ended by signal {signal}"),
            (None, None) => "did not end by itself".to_owned(),
        };
        let class = command
            .failure_class
            .as_ref()
            .map_or_else(String::new, |class| format!(" {BAD}{}{BAD:#}", plain(class)));
        text.push_str(&format!("\n{STRONG}{}{STRONG:#} {ended}{class}\n", plain(&command.purpose)));
        for (name, output) in [("stdout", &command.stdout), ("stderr", &command.stderr)] {
            let Some(output) = output.as_ref().filter(|output| output.total_bytes > 0) else { continue };
            text.push_str(&format!(
                "{DIM}{name}, {} bytes, object {}{DIM:#}\n",
                output.total_bytes,
                plain(&output.digest)
            ));
            for line in output.tail.as_deref().unwrap_or("not here").lines() {
                text.push_str(&format!("  {}\n", plain(line)));
            }
        }
    }
    if let Some(diff) = answer.diff.as_ref().filter(|diff| !diff.is_empty()) {
        text.push('\n');
        for line in diff.lines() {
            text.push_str(&format!("{}\n", plain(line)));
        }
    }
    text
}

/// `premath stop`
pub(crate) fn stop(answer: &StopAnswer) -> String {
    let mut text = format!(
        "{GOOD}stopped{GOOD:#} session {STRONG}{}{STRONG:#} {DIM}({}){DIM:#}\n\n",
        plain(&answer.session_id),
        plain(&answer.session_ref)
    );
    optional(&mut text, "given back", answer.released_issue_id.as_ref());
    optional(&mut text, "step", answer.step_id.as_ref());
    optional(&mut text, "handoff", answer.handoff_ref.as_ref());
    line(&mut text, "next step", &plain(&answer.next_step));
    text
}

/// `premath worker`
pub(crate) fn worker(answer: &WorkerAnswer) -> String {
    let style = outcome_style(&answer.outcome);
    format!(
        "{style}{}{style:#}: {} closed, {} escalated, {} lost in {} steps\n",
        plain(&answer.outcome),
        answer.completed.len(),
        answer.escalated.len(),
        answer.lost.len(),
        answer.steps
    )
}

/// `premath land`
pub(crate) fn land(answer: &LandAnswer) -> String {
    let mut text = String::new();
    for row in &answer.items {
        let style = match row.outcome.as_str() {
            "landed" | "accepted" => GOOD,
            "review" | "waiting" | "reopened" => WARN,
            _other => BAD,
        };
        let commit = row
            .commit
            .as_ref()
            .map_or_else(String::new, |id| format!(" {}", plain(&id.chars().take(12).collect::<String>())));
        let detail =
            row.detail.as_ref().map_or_else(String::new, |detail| format!(" {DIM}{}{DIM:#}", plain(detail)));
        text.push_str(&format!(
            "{style}{:<9}{style:#} {STRONG}{}{STRONG:#}{commit}{detail}\n",
            plain(&row.outcome),
            plain(&row.issue_id)
        ));
    }
    let style = if answer.outcome == "done" { GOOD } else { WARN };
    let all = answer.items.len();
    text.push_str(&format!(
        "{style}{}{style:#}: {} of {all} on {}\n",
        plain(&answer.outcome),
        answer.landed,
        plain(&answer.target)
    ));
    text
}

/// `premath coordinator`
pub(crate) fn coordinator(answer: &CoordinatorAnswer) -> String {
    let style = outcome_style(&answer.outcome);
    let mut text = format!(
        "\n{style}{}{style:#}: {STRONG}{} closed{STRONG:#}, {} ready, {} held; at most {} at once; kpi {}\n",
        plain(&answer.outcome),
        answer.completed,
        answer.claimable,
        answer.held,
        answer.most_at_once,
        plain(&answer.kpi_state)
    );
    if !answer.failure_classes.is_empty() {
        text.push_str(&format!("{WARN}{}{WARN:#}\n", plain(&answer.failure_classes.join(", "))));
    }
    if !answer.submitted.is_empty() {
        text.push_str(&format!("in review: {}\n", plain(&answer.submitted.join(", "))));
    }
    if !answer.flaky.is_empty() {
        let flaky = plain(&answer.flaky.join(", "));
        text.push_str(&format!(
            "{WARN}flaky verification{WARN:#} (failed, then passed on the same tree): {flaky}\n"
        ));
    }
    if !answer.stuck.is_empty() {
        text.push_str(&format!("{WARN}not done{WARN:#}\n"));
    }
    for stuck in &answer.stuck {
        let behind = match stuck.behind.as_slice() {
            [] => String::new(),
            behind => format!(" waits for {}", plain(&behind.join(", "))),
        };
        let reason = stuck.reason.as_ref().map_or_else(String::new, |reason| format!(": {}", plain(reason)));
        text.push_str(&format!(
            "  {:<14} {}{behind}{DIM}{reason}{DIM:#}\n",
            plain(&stuck.issue_id),
            plain(&stuck.status)
        ));
    }
    for slot in &answer.slots {
        text.push_str(&format!(
            "  {:<14} {:>3} closed {:>3} escalated {:>3} started {:>3} died  {DIM}{}{DIM:#}\n",
            plain(&slot.worker_id),
            slot.completed,
            slot.escalated,
            slot.started,
            slot.died,
            plain(&slot.outcome)
        ));
    }
    for worktree in &answer.removed_worktrees {
        text.push_str(&format!("removed {}\n", plain(worktree)));
    }
    for kept in &answer.kept_worktrees {
        text.push_str(&format!("{WARN}kept{WARN:#} {}: {}\n", plain(&kept.worktree), plain(&kept.reason)));
    }
    text
}
