//! The observation as a person reads it: the counts, and what needs somebody.

use premath_wire::v1::{
    AttentionAnswer, AttentionRow, ObservationAnswer, ObservedInstructionAnswer, ObservedProjectionAnswer,
    ObservedStep, ObservedWork,
};

use super::plain;
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};

/// `observe-build` and `observe latest`
pub(crate) fn observation(answer: &ObservationAnswer) -> String {
    let seen = &answer.observation;
    let counts = &seen.issues;
    let mut text = format!(
        "{DIM}issues{DIM:#}      {} ready, {} in progress, {} blocked, {} closed of {}\n",
        counts.ready, counts.in_progress, counts.blocked, counts.closed, counts.total
    );
    text.push_str(&format!(
        "{DIM}held{DIM:#}        {} leases, {} sessions\n",
        seen.leases.len(),
        seen.sessions.len()
    ));
    let steps = &seen.trajectory;
    text.push_str(&format!(
        "{DIM}steps{DIM:#}       {}, {} failed, {} worth another try; throughput: {}\n",
        steps.total_count,
        steps.failed_count,
        steps.retry_needed_count,
        plain(&seen.kpi_state)
    ));
    let required = seen.required.as_ref().map_or("none", |required| required.verdict_class.as_str());
    text.push_str(&format!(
        "{DIM}witnesses{DIM:#}   required checks: {}, {} instructions\n",
        plain(required),
        seen.instructions.len()
    ));
    text.push_str(&format!("{DIM}built{DIM:#}       {}\n", plain(&seen.generated_at)));
    if answer.stale {
        text.push_str(&format!("{WARN}out of date{WARN:#}: `premath observe-build` builds it again\n"));
    }
    text.push_str(&rows(&seen.needs_attention));
    text
}

fn rows(items: &[AttentionRow]) -> String {
    if items.is_empty() {
        return format!("{GOOD}✓ nothing needs attention{GOOD:#}\n");
    }
    items.iter().map(row).collect()
}

fn row(item: &AttentionRow) -> String {
    let (reason, subject) = (plain(&item.reason), plain(&item.subject));
    format!("{BAD}!{BAD:#} {BAD}{reason}{BAD:#} {STRONG}{subject}{STRONG:#}: {}\n", plain(&item.detail))
}

/// `observe needs_attention`
pub(crate) fn attention(answer: &AttentionAnswer) -> String {
    rows(&answer.items)
}

/// `observe instruction`
pub(crate) fn instruction(answer: &ObservedInstructionAnswer) -> String {
    let seen = &answer.instruction;
    let style = if seen.verdict_class == "accepted" { GOOD } else { BAD };
    let mut text = format!(
        "{STRONG}{}{STRONG:#} {style}{}{style:#} {}\n",
        plain(&seen.instruction_id),
        plain(&seen.verdict_class),
        plain(&seen.failure_classes.join(", "))
    );
    text.push_str(&format!("{DIM}checks{DIM:#}    {}\n", plain(&seen.executed_checks.join(", "))));
    if let Some(until) = &seen.expires_at {
        text.push_str(&format!("{DIM}until{DIM:#}     {}\n", plain(until)));
    }
    text.push_str(&format!("{DIM}witness{DIM:#}   {}\n", plain(&seen.witness_path)));
    text.extend(answer.sessions.iter().map(|session| {
        format!("{DIM}session{DIM:#}   {} {}\n", plain(&session.session_id), plain(&session.state))
    }));
    text.extend(answer.steps.iter().map(step));
    text
}

fn step(step: &ObservedStep) -> String {
    format!(
        "{DIM}step{DIM:#}      {} {} {}\n",
        plain(&step.step_id),
        plain(&step.action),
        plain(&step.result_class)
    )
}

/// `observe projection`
pub(crate) fn projection(answer: &ObservedProjectionAnswer) -> String {
    if answer.items.is_empty() {
        return format!(
            "nothing is under way\n{TIP}hint:{TIP:#} `premath issue ready` shows what could be\n"
        );
    }
    answer.items.iter().map(work).collect()
}

fn work(work: &ObservedWork) -> String {
    let issue = &work.issue;
    let holder = match &work.lease {
        Some(lease) => format!(" {DIM}{} {}{DIM:#}", plain(&lease.state), plain(&lease.owner)),
        None => String::new(),
    };
    let mut text = format!(
        "{STRONG}{}{STRONG:#} {} {}{holder}\n",
        plain(&issue.issue_id),
        plain(&issue.status),
        plain(&issue.title)
    );
    text.extend(
        issue.latest_step.iter().map(|step| {
            format!("    {DIM}last{DIM:#} {} {}\n", plain(&step.action), plain(&step.result_class))
        }),
    );
    text.extend(work.needs_attention.iter().map(|item| format!("    {}", row(item))));
    text
}
