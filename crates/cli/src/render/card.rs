//! Cards: what a person is asked to agree to, whole. Nothing on them is cut, and nothing on them can speak in our voice.

use premath_bd::desk::{Approval, ApprovalKind, PlanStep, Proposal, Target};
use premath_kernel::{Value, encode};
use premath_wire::time::format_time;

use super::run::changes;
use super::{lines, plain};
use crate::output::{DIM, STRONG, TIP, WARN};

/// How wide a diff is drawn.
const WIDTH: usize = 160;

/// A call that waits for a person: what, about what, with which arguments, why, until when.
pub(crate) fn approval(approval: &Approval) -> String {
    let request = &approval.request;
    let what = match request.kind {
        ApprovalKind::Confirmation => "a call needs you",
        ApprovalKind::Plan => "a plan needs you",
        ApprovalKind::Checkpoint => "a run waits at a checkpoint",
    };
    let mut text = format!("\n  {WARN}┌ {what}{WARN:#}  {DIM}{}{DIM:#}\n", plain(&approval.id));
    text.push_str(&line(&format!("{STRONG}{}{STRONG:#} {}", plain(&request.tool), named(&request.targets))));
    for argument in arguments(&request.arguments) {
        text.push_str(&line(&argument));
    }
    if let Some(diff) = &request.diff {
        text.push_str(&changes(diff, WIDTH));
    }
    text.push_str(&line(&format!(
        "{DIM}why:{DIM:#} {} {DIM}({}, tier {}){DIM:#}",
        plain(&request.reason),
        plain(&request.rule),
        plain(&request.tier)
    )));
    text.push_str(&line(&format!(
        "{DIM}run {} · expires {}{DIM:#}",
        plain(&request.run_id),
        format_time(request.expires_at)
    )));
    text.push_str(&format!("  {WARN}└{WARN:#}\n"));
    text
}

/// A plan that waits for a person: what it is for, every step with the names it is about, how it is taken back.
pub(crate) fn proposal(proposal: &Proposal) -> String {
    let draft = &proposal.draft;
    let steps = draft.steps.len();
    let mut text = format!(
        "\n  {WARN}┌ a plan of {steps} step{} needs you{WARN:#}  {DIM}{}{DIM:#}\n",
        if steps == 1 { "" } else { "s" },
        plain(&proposal.id)
    );
    text.push_str(&line(&format!("{STRONG}{}{STRONG:#}", plain(&draft.goal))));
    for (step, number) in draft.steps.iter().zip(1_usize..) {
        text.push_str(&step_lines(step, number));
    }
    if !draft.rollback.trim().is_empty() {
        text.push_str(&line(&format!("{TIP}to take it back:{TIP:#} {}", plain(&draft.rollback))));
    }
    text.push_str(&line(&format!(
        "{DIM}expires {} · {}{DIM:#}",
        format_time(proposal.expires_at),
        plain(&proposal.plan_digest)
    )));
    text.push_str(&format!("  {WARN}└{WARN:#}\n"));
    text
}

fn step_lines(step: &PlanStep, number: usize) -> String {
    let mut text =
        line(&format!("{number}. {STRONG}{}{STRONG:#} {}", plain(&step.tool), named(&step.targets)));
    for argument in arguments(&step.arguments) {
        text.push_str(&line(&format!("   {argument}")));
    }
    if !step.rationale.trim().is_empty() {
        text.push_str(&line(&format!("   {DIM}{}{DIM:#}", plain(&step.rationale))));
    }
    text
}

/// Every argument, whole: a long one takes as many lines as it has.
fn arguments(arguments: &Value<'_>) -> Vec<String> {
    let Some(members) = arguments.as_object() else {
        return vec![plain(&String::from_utf8_lossy(&encode(arguments)))];
    };
    let mut shown = Vec::new();
    for (name, value) in members.iter() {
        match value.as_text() {
            Some(text) if text.contains('\n') => {
                shown.push(format!("{DIM}{}:{DIM:#}", plain(name)));
                shown.extend(lines(text).lines().map(|line| format!("  {line}")));
            }
            Some(text) => shown.push(format!("{DIM}{}:{DIM:#} {}", plain(name), plain(text))),
            None => shown.push(format!(
                "{DIM}{}:{DIM:#} {}",
                plain(name),
                plain(&String::from_utf8_lossy(&encode(value)))
            )),
        }
    }
    shown
}

fn named(targets: &[Target]) -> String {
    targets.iter().map(|target| plain(&target.name)).collect::<Vec<_>>().join(", ")
}

fn line(text: &str) -> String {
    format!("  {WARN}│{WARN:#} {text}\n")
}
